package record

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ohframe/internal/diag"
	"ohframe/internal/record/device"
)

// Side is what one side of a comparison records.
type Side struct {
	// Name is that of its folder.
	Name string
	// App, Ability and Drive are those of Options.
	App, Ability, Drive string
	// Package is a file *.hap that is installed when the sides switch; may be empty.
	Package string

	starts bool // the application is started when the sides switch
}

// The kinds of sides.
const (
	packageSide = "a package"
	driveSide   = "a program"
	appSide     = "an application"
)

// sideNames are the names of the folders of two sides.
var sideNames = [2]string{"base", "new"}

// NewSides returns the sides that words name: packages *.hap, programs that drive the
// application, or installed applications. o has what is the same on both.
func NewSides(words []string, o *Options) ([]Side, error) {
	if len(words) != 2 {
		return nil, diag.New(nil, "ohframe record --compare BASE NEW: two .hap files, two programs, or two applications", "--compare: two sides are needed, not %d", len(words))
	}
	var kinds [2]string
	var sides []Side
	for i, word := range words {
		s, kind, err := newSide(word, o)
		if err != nil {
			return nil, err
		}
		s.Name, kinds[i] = sideNames[i], kind
		sides = append(sides, s)
	}
	switch {
	case kinds[0] != kinds[1]:
		return nil, diag.New(nil, "", "--compare: %s is %s, %s is %s: they must be alike", words[0], kinds[0], words[1], kinds[1])
	case kinds[0] == driveSide && o.App == "":
		return nil, diag.New(nil, "--app BUNDLE names it", "--compare: programs need an application")
	case kinds[0] == driveSide && o.Drive != "":
		return nil, diag.New(nil, "", "--drive: the sides are programs already")
	case kinds[0] == appSide && o.App != "":
		return nil, diag.New(nil, "BUNDLE/ABILITY names an ability of a side", "--app: the sides name the applications already")
	}
	return sides, nil
}

func newSide(word string, o *Options) (s Side, kind string, err error) {
	s = Side{App: o.App, Ability: o.Ability, Drive: o.Drive}
	app, ability, _ := strings.Cut(word, "/")
	info, statErr := os.Stat(word)
	switch {
	case strings.EqualFold(filepath.Ext(word), ".hap"):
		bundle, err := bundleOf(word)
		if err == nil && o.App != "" && o.App != bundle {
			err = diag.New(nil, "", "%s: contains %s, not %s", word, bundle, o.App)
		}
		s.App, s.Package, s.starts = bundle, word, true
		return s, packageSide, err
	case statErr == nil && info.Mode().IsRegular():
		s.Drive, err = Program(word)
		return s, driveSide, err
	case device.IsBundle(app):
		s.App, s.Ability, s.starts = app, ability, true
		return s, appSide, nil
	}
	return s, "", diag.New(nil, "", "--compare: %q is not a file, nor the name of an application such as com.example.app", word)
}

// Program returns the path of a program that --drive names, if it can be run.
func Program(name string) (string, error) {
	path, err := filepath.Abs(name) // exec looks for a name without a slash in PATH
	if err == nil {
		_, err = exec.LookPath(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", diag.New(err, "", "%s: no such file", name)
	case err != nil:
		return "", diag.New(err, "chmod +x makes a script one, if its first line is #!/bin/sh", "%s: not a program that can be run", name)
	}
	return path, nil
}

// maxModule is the number of bytes of the largest module.json that is read.
const maxModule = 1 << 20

// bundleOf returns the name of the application in a package: module.json has it, in older
// packages config.json.
func bundleOf(file string) (string, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // opening a pipe blocks
		return "", diag.New(nil, "", "%s: not a package", file)
	}
	z, err := zip.OpenReader(file)
	if errors.Is(err, zip.ErrFormat) {
		return "", diag.New(err, "", "%s: not a package", file)
	} else if err != nil {
		return "", fileError(file, err)
	}
	defer z.Close()
	var content io.ReadCloser
	for _, name := range []string{"module.json", "config.json"} {
		if content, err = z.Open(name); err == nil {
			break
		}
	}
	if err != nil {
		return "", diag.New(err, "", "%s: not a package: it has no module.json", file)
	}
	defer content.Close()
	var module struct{ App struct{ BundleName string } }
	if err := json.NewDecoder(io.LimitReader(content, maxModule)).Decode(&module); err != nil {
		return "", diag.New(err, "", "%s: module.json: %v", file, err)
	}
	if !device.IsBundle(module.App.BundleName) {
		return "", diag.New(nil, "", "%s: module.json: %q is not the name of an application", file, module.App.BundleName)
	}
	return module.App.BundleName, nil
}
