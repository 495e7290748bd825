//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The documents show what the program prints. A line "…" stands for the rest.
func TestDocumentedOutput(t *testing.T) {
	examples := regexp.MustCompile("```sh\\nohframe ((?:why|convert) [^\\n]*testdata[^\\n]*)\\n```\\n```\\n((?s:.*?))```\\n")
	dir := t.TempDir() // for what they write
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(testdata, filepath.Join(dir, "testdata")); err != nil {
		t.Fatal(err)
	}
	for name, count := range map[string]int{"../../docs/why.md": 1, "../../README.md": 3} {
		document, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list := examples.FindAllStringSubmatch(string(document), -1)
		if len(list) != count {
			t.Errorf("%s has %d examples, want %d", name, len(list), count)
		}
		for _, e := range list {
			cmd := exec.Command("ohframe", strings.Fields(e[1])...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v", e[1], err)
			}
			got, want := strings.TrimRight(string(out), "\n"), strings.TrimRight(e[2], "\n")
			if start, isCut := strings.CutSuffix(want, "…"); isCut {
				want = start
				got = got[:min(len(got), len(want))]
			}
			if got != want {
				t.Errorf("%s: ohframe %s prints\n%s\nnot\n%s", name, e[1], got, want)
			}
		}
	}
}
