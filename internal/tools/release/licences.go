package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// licenceFile matches the names of files that must go where the code goes.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying|patents)([.-].*)?$`)

// uPlotLicence is a path in the repository.
const uPlotLicence = "internal/view/assets/uPlot.LICENSE"

// licences returns the licences of all that is linked into the program for any of
// the targets, or embedded in it.
func licences(targets []string) ([]byte, error) {
	root, err := run("", "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	files := map[string]string{ // by heading
		"Go's standard library, " + runtime.Version() + ": LICENSE":      filepath.Join(strings.TrimSpace(string(root)), "LICENSE"),
		"Perfetto's trace schema, of which protos/ is a subset: LICENSE": "LICENSE",
		"uPlot, in the pages of reports: LICENSE":                        uPlotLicence,
	}
	for _, t := range targets {
		const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
		modules, err := run(t, "go", "list", "-deps", "-f", format, command)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(modules)) {
			module, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if err := addLicences(files, module, folder); err != nil {
				return nil, err
			}
		}
	}
	return formatLicences(files)
}

// addLicences adds the licences of a module. Parts of it may have one of their own.
func addLicences(files map[string]string, module, folder string) error {
	found := false
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && licenceFile.MatchString(e.Name()) && filepath.Ext(name) != ".go" {
			files[module+": "+name] = filepath.Join(folder, name)
			found = true
		}
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("%s has no licence", module)
	}
	return err
}

func formatLicences(files map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("ohframe is under the Apache License 2.0: see LICENSE. It contains work of others, under these licences.\n")
	for _, heading := range slices.Sorted(maps.Keys(files)) {
		text, err := os.ReadFile(files[heading])
		if err != nil {
			return nil, err
		}
		text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
		line := strings.Repeat("=", 80)
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s\n", line, heading, line, text)
	}
	return b.Bytes(), nil
}
