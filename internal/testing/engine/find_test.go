package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/must"
)

// program writes an executable shell script.
func program(t *testing.T, path, script string) string {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return path
}

// tellArguments is a program that fails with its arguments as the message.
const tellArguments = `echo "${0##*/} $*" >&2; exit 1`

// A trace processor is found in three places, and each hides the next.
func TestFind(t *testing.T) {
	root := t.TempDir()
	bin := filepath.Join(root, "bin")
	deep := filepath.Join(root, "some", "package")
	script := filepath.Join(root, "internal", "testing", "engine", "trace_processor.mjs")
	must.Do(t, os.MkdirAll(deep, 0o700))
	t.Chdir(deep)
	t.Setenv("PATH", bin)
	t.Setenv(engine.Variable, "")

	_, err := engine.Find()
	if !errors.Is(err, engine.ErrNotFound) {
		t.Fatalf("found one where there is none: %v", err)
	}
	if !strings.Contains(err.Error(), "make engine") {
		t.Errorf("no hint how to get one: %v", err)
	}

	const flags = " --stdiod --add-sql-package DIR@name TRACE"
	check := func(want string) {
		t.Helper()
		e := must.Get(engine.Find())(t)
		_, err = e.Open(t.Context(), "TRACE", "DIR@name")
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("opening a trace says %v, want %s", err, want)
		}
	}

	program(t, filepath.Join(bin, "node"), tellArguments)
	program(t, script, "")
	if _, err := engine.Find(); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("found a script without its engine: %v", err)
	}
	must.Do(t, os.MkdirAll(filepath.Join(root, "build", "engine"), 0o700))
	check("node " + script + flags)

	program(t, filepath.Join(bin, "trace_processor_shell"), tellArguments)
	check("trace_processor_shell" + flags)

	t.Setenv(engine.Variable, program(t, filepath.Join(root, "shell"), tellArguments))
	check("shell" + flags)

	other := program(t, filepath.Join(root, "other.mjs"), "")
	t.Setenv(engine.Variable, other)
	check("node " + other + flags)
}

// A wrong setting is an error rather than a reason to skip tests.
func TestFindWrongSetting(t *testing.T) {
	for _, name := range []string{"missing", "missing.mjs"} {
		t.Setenv(engine.Variable, filepath.Join(t.TempDir(), name))
		_, err := engine.Find()
		if err == nil || errors.Is(err, engine.ErrNotFound) || !strings.Contains(err.Error(), engine.Variable) {
			t.Errorf("%s: %v, want an error that names %s", name, err, engine.Variable)
		}
	}
}
