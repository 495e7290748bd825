package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// licenceFile is how files are called that must go where the code goes.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying|patents)([.-].*)?$`)

// notice is a text that goes with the program.
type notice struct {
	of   string // whose it is
	file string
	text []byte
}

// thirdPartyLicences returns the licences of all that is linked into the program
// for any of the targets, or embedded in it.
func thirdPartyLicences(targets []target) ([]byte, error) {
	folders := map[string]module{} // of packages
	for _, t := range targets {
		if err := linkedFolders(t, folders); err != nil {
			return nil, err
		}
	}
	notices, err := moduleNotices(folders)
	if err != nil {
		return nil, err
	}
	root, err := output(nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	for _, other := range []struct{ of, file, path string }{
		{"Go's standard library, " + runtime.Version(), "LICENSE", filepath.Join(strings.TrimSpace(string(root)), "LICENSE")},
		{"uPlot, in the pages of reports", "LICENSE", "internal/report/assets/uPlot.LICENSE"},
		{"Perfetto's trace schema, of which protos/ is a subset", "LICENSE", "LICENSE"},
	} {
		text, err := os.ReadFile(other.path)
		if err != nil {
			return nil, err
		}
		notices = append(notices, notice{other.of, other.file, text})
	}
	return formatNotices(notices), nil
}

// module is a module of others that is linked in.
type module struct{ path, version, folder string }

// linkedFolders adds the folders of others' packages that the program consists of.
func linkedFolders(t target, folders map[string]module) error {
	const format = "{{if not .Standard}}{{if not .Module.Main}}{{.Dir}}\t{{.Module.Path}}\t{{.Module.Version}}\t{{.Module.Dir}}{{end}}{{end}}"
	out, err := output(t.environment(), "go", "list", "-deps", "-f", format, command)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 4 {
			folders[f[0]] = module{f[1], f[2], f[3]}
		}
	}
	return nil
}

// moduleNotices returns the licences in the folders of packages and in those
// above them, up to their module's: parts of a module may have one of their own.
func moduleNotices(folders map[string]module) ([]notice, error) {
	found := map[string]notice{} // by path
	licensed := map[module]bool{}
	for folder, m := range folders {
		for ; len(folder) >= len(m.folder); folder = filepath.Dir(folder) {
			entries, err := os.ReadDir(folder)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				path := filepath.Join(folder, e.Name())
				if e.IsDir() || !licenceFile.MatchString(e.Name()) || filepath.Ext(path) == ".go" {
					continue
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return nil, err
				}
				relative, err := filepath.Rel(m.folder, path)
				if err != nil {
					return nil, err
				}
				found[path] = notice{m.path + " " + m.version, filepath.ToSlash(relative), text}
				licensed[m] = true
			}
		}
	}
	var notices []notice
	for _, n := range found {
		notices = append(notices, n)
	}
	for _, m := range folders {
		if !licensed[m] {
			return nil, fmt.Errorf("%s %s has no licence", m.path, m.version)
		}
	}
	slices.SortFunc(notices, func(a, b notice) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.file, b.file)) })
	return notices, nil
}

func formatNotices(notices []notice) []byte {
	var b bytes.Buffer
	b.WriteString("ohframe is under the Apache License 2.0: see LICENSE. It contains work of others, under these licences.\n")
	for _, n := range notices {
		fmt.Fprintf(&b, "\n%s\n%s: %s\n%[1]s\n\n", strings.Repeat("=", 80), n.of, n.file)
		b.Write(bytes.TrimSpace(bytes.ReplaceAll(n.text, []byte("\r\n"), []byte("\n"))))
		b.WriteByte('\n')
	}
	return b.Bytes()
}
