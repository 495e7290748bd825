//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// requireTools makes tests fail, not skip, without the programs that they need.
const requireTools = "OHFRAME_REQUIRE_SHELLS"

func findTool(t *testing.T, name string) string {
	t.Helper()
	found, err := exec.LookPath(name)
	if err != nil && os.Getenv(requireTools) != "" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip(err)
	}
	return found
}

// completions are lines up to the cursor, and what may follow. Shells complete
// file names where there is nothing.
var completions = []struct{ line, want string }{
	{"ohframe ", "completion convert devices diff fleet frames man open record report sql text ui version web why"},
	{"ohframe con", "convert"},
	{"ohframe rec", "record"},
	{"ohframe ma", "man"}, // hidden
	{"ohframe --ver", "--version"},
	{"ohframe frames --format ", "csv json parquet table"},
	{"ohframe frames --format c", "csv"},
	{"ohframe report trace.ftrace --format h", "html"},
	{"ohframe convert --clock-offset ", ""},
	{"ohframe convert --even", "--events"}, {"ohframe convert --events ", "all none shown"},
	{"ohframe diff a b --fail", "--fail-on"},
	{"ohframe fleet ", "run sql"},
	{"ohframe fleet run --str", "--strict"},
	{"ohframe sql --ou", "--output"},
	{"ohframe sql --", "--help --output"},
	{"ohframe sql --output ", ""},
	{"ohframe convert ", ""},
	{"ohframe convert --no-causes ", ""},
	{"ohframe convert -o ", ""},
	{"ohframe diff --merge ", ""},
	{"ohframe convert --from ", ""},
	{"ohframe convert missing.ftrace ", ""},
	{"ohframe report -- missing.ftrace ", ""},
	{"ohframe report -- ", ""},
	{"ohframe report -- --for", ""},
	{"ohframe completion p", "powershell"},
	{"ohframe completion ", "bash fish powershell zsh"},
	{"ohframe convert frames --fo", ""}, // a file called like a command
	{"ohframe frames format ", ""},      // and like a flag
}

// completionScript writes the script for a shell to a file and returns its path.
func completionScript(t *testing.T, shell string) string {
	t.Helper()
	script := must.Get(exec.Command("ohframe", "completion", shell).Output())(t)
	path := filepath.Join(t.TempDir(), "script")
	write(t, path, script)
	return path
}

func TestBashCompletion(t *testing.T) {
	slow.SkipRace(t)
	t.Setenv("LC_ALL", "C") // it warns of a locale that is not installed
	bash := findTool(t, "bash")
	script := completionScript(t, "bash")
	// What bash does when it is asked to complete.
	complete := "source '" + script + `'
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_ohframe
printf '%s\n' "${COMPREPLY[@]}"`
	run := func(words ...string) string {
		out, err := exec.Command(bash, slices.Concat([]string{"--norc", "-c", complete, "bash"}, words)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.Join(slices.Sorted(strings.FieldsSeq(string(out))), " ")
	}
	for _, c := range completions {
		must.Equal(t, run(strings.Split(c.line, " ")...), c.want, "%q", c.line)
	}
	// bash splits at "=".
	for _, words := range [][]string{
		{"ohframe", "frames", "--format", "="},
		{"ohframe", "frames", "--format", "=", ""},
	} {
		must.Equal(t, run(words...), "csv json parquet table", "%q", words)
	}
	// Nothing of what is typed is evaluated.
	ran := filepath.Join(t.TempDir(), "ran")
	run("ohframe", "convert", "$(touch "+ran+")", "")
	run("ohframe", "convert", "-$(touch "+ran+")")
	if _, err := os.Stat(ran); err == nil {
		t.Error("what was typed has been run")
	}
	if out, err := exec.Command(bash, "--norc", "-c", `source <(ohframe completion bash); complete -p ohframe`).CombinedOutput(); err != nil {
		t.Errorf("nothing is registered: %v: %s", err, out)
	}
}
