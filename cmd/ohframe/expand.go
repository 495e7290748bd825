package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ohframe/internal/meta"
)

// expandInputs returns the inputs that arguments name. A folder stands for the files in
// it, in the order of their names, without hidden files, folders and descriptions of
// recordings; that of ohframe record --runs for its valid runs. @FILE stands for the names in FILE, one a line, relative to its folder.
// A pattern that no shell expanded stands for the files that match. A folder without
// files, an empty list and a pattern that matches nothing are errors.
func expandInputs(args []string) ([]string, error) {
	var list []string
	for _, arg := range args {
		names, err := expandInput(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, names...)
	}
	return list, nil
}

func expandInput(arg string) ([]string, error) {
	if arg == standard {
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return folderInputs(arg)
	case err == nil:
		return []string{arg}, nil
	case strings.HasPrefix(arg, "@"):
		return listedInputs(arg[1:])
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?["):
		names, err := filepath.Glob(arg)
		if err != nil {
			return nil, &failure{file: arg, what: "not a pattern such as base/*.ftrace"}
		}
		if len(names) == 0 {
			return nil, &failure{file: arg, what: "no file matches"}
		}
		return names, nil
	}
	return []string{arg}, nil // opening it reports the error
}

func folderInputs(name string) (list []string, err error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	for _, e := range entries {
		path := filepath.Join(name, e.Name())
		switch {
		case e.IsDir() || strings.HasPrefix(e.Name(), "."):
		case !strings.HasSuffix(e.Name(), meta.Extension):
			list = append(list, path)
		default:
			if m, err := meta.Read(path); err == nil && m.Run != nil {
				return recordedRuns(name)
			}
		}
	}
	if len(list) == 0 {
		return nil, &failure{file: name, what: "the folder has no files"}
	}
	return list, nil
}

// recordedRuns returns the traces of the valid runs that record wrote into a folder. The
// first, cold run counts only if there is no other.
func recordedRuns(folder string) (list []string, err error) {
	runs, err := meta.Runs(folder)
	if err != nil {
		return nil, &failure{file: folder, what: err.Error()}
	}
	for _, r := range runs {
		list = append(list, r.Path)
	}
	return list, nil
}

func listedInputs(name string) (list []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "":
		case filepath.IsAbs(line):
			list = append(list, line)
		default:
			list = append(list, filepath.Join(filepath.Dir(name), line))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fileError(name, err)
	}
	if len(list) == 0 {
		return nil, &failure{file: name, what: "the list is empty"}
	}
	return list, nil
}
