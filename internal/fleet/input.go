package fleet

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"ohframe/internal/failure"
	"ohframe/internal/meta"
)

// Input is a trace to read.
type Input struct {
	// Name is the path as it was given, with slashes and without "." elements.
	Name string
	Size int64
	// Err is the error of a file or folder that cannot be examined.
	Err error
}

// shardOf returns the shard of a trace, 0 to shards−1. It depends on nothing but the name.
func shardOf(name string, shards int) int { return int(xxh3.HashString(name) % uint64(shards)) }

// List returns the inputs that the names stand for, by name, each once: files, all files
// in folders, and patterns as of filepath.Match. Files and folders whose names begin with
// a dot are left out of folders, and so are descriptions of recordings and the folder without, which may be empty. What
// cannot be examined is an input with an error. It is an error if a name does not exist
// or a pattern matches nothing.
func List(names []string, without string) ([]Input, error) {
	l := lister{}
	if without != "" {
		l.without, _ = os.Stat(without) // it need not exist yet
	}
	for _, name := range names {
		if _, err := os.Lstat(name); err == nil {
			l.add(name)
			continue
		}
		matches, err := filepath.Glob(name)
		if err != nil {
			return nil, &failure.Error{What: fmt.Sprintf("%s: malformed pattern", name)}
		}
		if len(matches) == 0 {
			return nil, &failure.Error{What: name + ": no such file", Hint: "a list of names that may not exist: --list FILE"}
		}
		for _, match := range matches {
			l.add(match)
		}
	}
	return l.sorted(), nil
}

// ReadList returns the inputs named in a list, one on a line. Empty lines and lines that
// begin with # are skipped. Names that do not exist are inputs with an error.
func ReadList(r io.Reader) ([]Input, error) {
	l := lister{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if name := strings.TrimSuffix(lines.Text(), "\r"); name != "" && name[0] != '#' {
			l.add(name)
		}
	}
	return l.sorted(), lines.Err()
}

// Merge returns the inputs of several lists, by name, each once.
func Merge(lists ...[]Input) []Input {
	l := lister{list: slices.Concat(lists...)}
	return l.sorted()
}

type lister struct {
	list    []Input
	without fs.FileInfo
}

func (l *lister) add(name string) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		l.list = append(l.list, Input{Name: cleanName(name), Err: err})
	case info.IsDir():
		l.addFolder(name)
	default:
		l.list = append(l.list, Input{Name: cleanName(name), Size: info.Size()})
	}
}

func (l *lister) addFolder(folder string) {
	filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			l.list = append(l.list, Input{Name: cleanName(path), Err: err})
			return nil
		case path != folder && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			if info, err := entry.Info(); err == nil && l.without != nil && os.SameFile(info, l.without) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // a link may lead to a file
		switch {
		case err != nil:
			l.list = append(l.list, Input{Name: cleanName(path), Err: err})
		case strings.HasSuffix(path, meta.Extension): // beside a trace of ohframe record
		case info.Mode().IsRegular():
			l.list = append(l.list, Input{Name: cleanName(path), Size: info.Size()})
		}
		return nil // devices, pipes and links to folders are left out
	})
}

func (l *lister) sorted() []Input {
	slices.SortStableFunc(l.list, func(a, b Input) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(l.list, func(a, b Input) bool { return a.Name == b.Name })
}

func cleanName(name string) string {
	if strings.Contains(name, "://") { // an address in an object store
		return name
	}
	return filepath.ToSlash(filepath.Clean(name))
}

// errFolder is the error of a folder where a file is needed.
var errFolder = errors.New("is a folder")
