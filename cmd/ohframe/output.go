package main

import (
	"os"
	"path/filepath"

	"golang.org/x/term"
)

// output is where a command writes: a file that appears whole or not at all, or
// standard output.
type output struct {
	*os.File
	name      string
	temporary string // what the file is called until commit; empty if written in place
}

// createOutput opens the named output for the given input; binary output is
// not written to a terminal.
func createOutput(name string, in *os.File) (*output, error) {
	if name == standard {
		if term.IsTerminal(int(os.Stdout.Fd())) {
			return nil, &failure{file: "standard output", what: "is a terminal", hint: "-o FILE writes to a file"}
		}
		return &output{File: os.Stdout, name: name}, nil
	}
	if info, err := os.Stat(name); err == nil {
		if from, err := in.Stat(); err == nil && os.SameFile(info, from) {
			return nil, &failure{file: name, what: "input and output are the same file", hint: "-o FILE names another output"}
		}
		if info.IsDir() {
			return nil, &failure{file: name, what: "is a directory", hint: "-o FILE names a file"}
		}
		if !info.Mode().IsRegular() { // a device or a pipe cannot be replaced
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return nil, fileError(name, err)
			}
			return &output{File: f, name: name}, nil
		}
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return nil, fileError(name, err)
	}
	return &output{File: f, name: name, temporary: f.Name()}, nil
}

// commit makes the output appear under its name.
func (o *output) commit() error {
	if o.name == standard {
		return nil
	}
	if o.temporary != "" {
		// Temporary files are private; the output is as any new file.
		if err := o.Chmod(0o666 &^ umask()); err != nil {
			return err
		}
	}
	if err := o.Close(); err != nil || o.temporary == "" {
		return err
	}
	if err := os.Rename(o.temporary, o.name); err != nil {
		return err
	}
	o.temporary = ""
	return nil
}

// discard removes what was written, unless it was committed.
func (o *output) discard() {
	if o.temporary != "" {
		o.Close()
		os.Remove(o.temporary)
	}
}
