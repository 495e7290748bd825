//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// The documents show what the program prints. A line "…" stands for lines that are left out.
func TestDocumentedOutput(t *testing.T) {
	slow.SkipRace(t)
	examples := regexp.MustCompile("```sh\\nohframe ((?:why|convert|report|diff) [^\\n]*testdata[^\\n]*)\\n```\\n```\\n((?s:.*?))```\\n")
	leftOut := regexp.MustCompile("(?m)^…\n")
	dir := t.TempDir() // for what they write
	testdata := must.Get(filepath.Abs("../../testdata"))(t)
	must.Do(t, os.Symlink(testdata, filepath.Join(dir, "testdata")))
	for name, count := range map[string]int{"../../docs/start.md": 4, "../../docs/why.md": 1, "../../README.md": 1} {
		document := must.Get(os.ReadFile(name))(t)
		list := examples.FindAllStringSubmatch(string(document), -1)
		must.Equal(t, len(list), count, "%s has examples", name)
		for _, e := range list {
			cmd := exec.Command("ohframe", strings.Fields(e[1])...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v", e[1], err)
			}
			want := leftOut.ReplaceAllLiteralString(regexp.QuoteMeta(e[2]), `(?:.*\n)*`)
			if !regexp.MustCompile(`\A` + want + `\n*\z`).Match(out) {
				t.Errorf("%s: ohframe %s prints\n%s\nnot\n%s", name, e[1], out, e[2])
			}
		}
	}
}

// The example of docs/record.md prints what it shows, with samples of a generated scene.
func TestDocumentedFunctions(t *testing.T) {
	document := must.Get(os.ReadFile("../../docs/record.md"))(t)
	dir := t.TempDir()
	trace := must.Get(os.Create(filepath.Join(dir, "trace.ftrace")))(t)
	defer trace.Close()
	samples := must.Get(os.Create(filepath.Join(dir, "trace.perf.data")))(t)
	defer samples.Close()
	scene := simulate.Scene{Kernel: simulate.KernelLinux, Cause: "more_work", Seed: 1}
	must.Get(scene.GenerateWithSamples(trace, samples, simulate.Recording{Seed: 1, Clock: simulate.ClockMonotonic}))(t)
	examples := regexp.MustCompile("```sh\\nohframe (why trace[^\\n]*)\\n```\\n```\\n((?s:.*?))```\\n").FindAllStringSubmatch(string(document), -1)
	must.Equal(t, len(examples), 1, "examples")
	for _, e := range examples {
		cmd := exec.Command("ohframe", strings.Fields(e[1])...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", e[1], err)
		}
		if got, want := string(out), strings.TrimRight(e[2], "…\n"); !strings.HasPrefix(got, want) {
			t.Errorf("ohframe %s prints\n%s\nnot\n%s", e[1], got, want)
		}
	}
}
