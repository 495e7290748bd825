// Package tracetest finds the text traces that tests read, and reads their events.
package tracetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/tools/txtar"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// Paths returns the demo and the captures of testdata. If slow tests run, it also
// returns the captures and the generated traces of ../shared, if that is there: traces
// that are not in the repository. Hostile inputs are not among them.
func Paths(t testing.TB) []string {
	t.Helper()
	root := must.Get(os.Getwd())(t)
	for !exists(filepath.Join(root, "go.mod")) {
		if filepath.Dir(root) == root {
			t.Fatal("no go.mod around the test's folder")
		}
		root = filepath.Dir(root)
	}
	paths := glob(t, filepath.Join(root, "testdata", "*.ftrace"))
	captures := glob(t, filepath.Join(root, "testdata", "captures", "*.ftrace"))
	if len(paths) == 0 || len(captures) == 0 {
		t.Fatal("no traces in testdata")
	}
	paths = append(paths, captures...)
	if slow.Enabled() {
		for _, folder := range []string{"traces", "oracle"} {
			paths = append(paths, glob(t, filepath.Join(root, "..", "shared", folder, "*.ftrace"))...)
		}
	}
	return paths
}

// Name returns the name of a trace for subtests: captures have the folder before
// their name, because a whole capture may have the same one.
func Name(path string) string {
	return filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
}

// Read returns the text of a trace.
func Read(t testing.TB, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths := must.Get(filepath.Glob(pattern))(t)
	return paths
}

// Stored returns the traces of a compressed archive of testdata. After each is what the simulation that
// wrote it knows of it, in the words of the test.
func Stored(t testing.TB, path string) []txtar.File {
	t.Helper()
	packed := must.Get(os.ReadFile(path))(t)
	decoder := must.Get(zstd.NewReader(nil))(t)
	defer decoder.Close()
	text := must.Get(decoder.DecodeAll(packed, nil))(t)
	return txtar.Parse(text).Files
}
