// Package engine runs Perfetto's trace processor in tests.
//
// A process loads one trace and answers any number of queries. The package uses
// Perfetto's RPC protocol and not the CSV output, which does not distinguish NULL
// from a string, rounds floats and does not escape quotes. The protocol is the same
// for the shell that Perfetto distributes and for trace_processor.mjs in this
// folder, which runs the shell's WebAssembly build under node:
//
//	Find ─> Engine ─Open(trace)─> Session ─Query(sql)─> Table
//	                                 │ ▲
//	                         stdin   ▼ │   stdout
//	                        trace_processor --stdiod TRACE
package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Variable is the environment variable that names the trace processor to use:
// the path of a trace_processor_shell, or of a script ending in .mjs, which is
// run by node.
const Variable = "TRACE_PROCESSOR"

// ErrNotFound is returned by Find if there is no trace processor.
var ErrNotFound = errors.New(`no trace processor: run "make engine", put trace_processor_shell on PATH, or set ` + Variable)

// Engine is a trace processor that can be run.
type Engine struct {
	command []string // the program and its leading arguments
}

// Find returns the trace processor that $TRACE_PROCESSOR names, else the
// trace_processor_shell on PATH, else the one that "make engine" installed in
// the work tree around the current directory. The error is ErrNotFound if
// there is none, and another if the variable names something that cannot run.
func Find() (*Engine, error) {
	if path := os.Getenv(Variable); path != "" {
		engine, err := named(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Variable, err)
		}
		return engine, nil
	}
	if path, err := exec.LookPath("trace_processor_shell"); err == nil {
		return &Engine{[]string{path}}, nil
	}
	if script := installed(); script != "" {
		return named(script)
	}
	return nil, ErrNotFound
}

func named(path string) (*Engine, error) {
	if filepath.Ext(path) != ".mjs" {
		program, err := exec.LookPath(path)
		if err != nil {
			return nil, err
		}
		return &Engine{[]string{program}}, nil
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	return &Engine{[]string{node, path}}, nil
}

// installed returns the script that runs what "make engine" installed. Tests
// run in their package's folder, somewhere below the module's.
func installed() string {
	directory, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		script := filepath.Join(directory, "internal", "testing", "engine", "trace_processor.mjs")
		if exists(script) && exists(filepath.Join(directory, "build", "engine")) {
			return script
		}
		parent := filepath.Dir(directory)
		if parent == directory {
			return ""
		}
		directory = parent
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Open loads the trace at the given path. Each of packages is a folder of SQL
// modules, written DIR or DIR@NAME, which queries can then include as
// NAME.module, where NAME is the folder's own name if none is given. The
// session ends with ctx, if it is not closed before.
func (e *Engine) Open(ctx context.Context, trace string, packages ...string) (*Session, error) {
	arguments := append(slices.Clone(e.command[1:]), "--stdiod")
	for _, directory := range packages {
		arguments = append(arguments, "--add-sql-package", directory)
	}
	return open(ctx, e.command[0], append(arguments, trace)...)
}
