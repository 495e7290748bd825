package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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

func completionScript(t *testing.T, shell string) string {
	t.Helper()
	var b bytes.Buffer
	if err := writeCompletion(&b, shell, newApp()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "script."+shell)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	anyFile   = "(files)"
	anyFolder = "(folders)"
	nothing   = ""
)

// completions are lines up to the cursor, and with what some shells complete them.
// A word that ends in "…" means that there are others too.
var completions = []struct{ line, want string }{
	{"ohframe con", "convert"},
	{"ohframe rep", "report"},
	{"ohframe ma", nothing}, // hidden
	{"ohframe --ver", "--version"},
	{"ohframe frames --format ", "csv json parquet table"},
	{"ohframe frames --format c", "csv"},
	{"ohframe report trace.ftrace --format h", "html"},
	{"ohframe convert --phase-rule ", "actual expected"},
	{"ohframe convert --clock-offset n", "none"},
	{"ohframe convert --frames-o", "--frames-only"},
	{"ohframe diff a b --fail", "--fail-on"},
	{"ohframe sql --e", "--export"},
	{"ohframe sql --export ", anyFolder},
	{"ohframe convert ", anyFile},
	{"ohframe convert --strict ", anyFile},
	{"ohframe convert --output ", anyFile},
	{"ohframe diff --merge ", anyFile},
	{"ohframe convert --workers ", nothing},
	{"ohframe sql ", nothing},
	{"ohframe completion p", "powershell"},
	{"ohframe completion ", "bash fish powershell zsh"},
	{"ohframe convert frames --fo", nothing}, // a file called like a command
}

func TestBashCompletion(t *testing.T) {
	bash, script := findTool(t, "bash"), completionScript(t, "bash")
	// What bash does when it is asked to complete; compopt works only then.
	const complete = `
source "$1"; shift
compopt() { echo "compopt $*"; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_ohframe
printf '%s\n' "${COMPREPLY[@]}"`
	run := func(words ...string) string {
		out, err := exec.Command(bash, slices.Concat([]string{"--norc", "-c", complete, "bash", script}, words)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		switch got := strings.TrimSpace(string(out)); got {
		case "":
			return anyFile // bash's own default
		case "compopt +o default":
			return nothing
		case "compopt -o dirnames +o default":
			return anyFolder
		default:
			got, ok := strings.CutPrefix(got, "compopt +o default\n")
			if !ok {
				t.Fatalf("%q: files are offered besides %q", words, got)
			}
			return strings.Join(slices.Sorted(strings.FieldsSeq(got)), " ")
		}
	}
	for _, c := range completions {
		if got := run(strings.Split(c.line, " ")...); got != c.want {
			t.Errorf("%q: got %q, want %q", c.line, got, c.want)
		}
	}
	// bash divides at "=".
	for _, words := range [][]string{
		{"ohframe", "frames", "--format", "="},
		{"ohframe", "frames", "--format", "=", ""},
	} {
		if got, want := run(words...), "csv json parquet table"; got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	// A word that a shell would evaluate is a word.
	ran := filepath.Join(t.TempDir(), "ran")
	run("ohframe", "convert", "$(touch "+ran+")", "")
	run("ohframe", "convert", "-$(touch "+ran+")")
	if _, err := os.Stat(ran); err == nil {
		t.Error("what was typed has been run")
	}
	if out, err := exec.Command(bash, "--norc", "-c", `source "$1"; complete -p ohframe`, "bash", script).CombinedOutput(); err != nil {
		t.Errorf("nothing is registered: %v: %s", err, out)
	}
}

func TestFishCompletion(t *testing.T) {
	fish, script := findTool(t, "fish"), completionScript(t, "fish")
	dir, home := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "folder"), 0o700), os.WriteFile(filepath.Join(dir, "trace.ftrace"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range completions {
		cmd := exec.Command(fish, "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, c.line)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", c.line, err, out)
		}
		var words []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			words = append(words, word)
		}
		want := map[string]string{anyFile: "folder/ trace.ftrace", anyFolder: "folder/"}[c.want]
		if want == "" {
			want = c.want
		}
		slices.Sort(words)
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q: got %q, want %q", c.line, got, want)
		}
	}
}

// Without a terminal zsh does not complete, but it reads the script.
func TestZshCompletion(t *testing.T) {
	zsh, script := findTool(t, "zsh"), completionScript(t, "zsh")
	const load = `autoload -Uz compinit && compinit -D -u && source "$1" && [[ $_comps[ohframe] == _ohframe ]]`
	if out, err := exec.Command(zsh, "-f", "-c", load, "zsh", script).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// No shell's script leaves out a command, a flag or a fixed value.
func TestCompletionsAreWhole(t *testing.T) {
	for _, shell := range shells {
		text, err := os.ReadFile(completionScript(t, shell))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range newApp().VisibleCommands() {
			if !bytes.Contains(text, []byte(c.Name)) {
				t.Errorf("%s: no command %s", shell, c.Name)
			}
			for _, f := range c.VisibleFlags() {
				if !bytes.Contains(text, []byte(f.Names()[0])) {
					t.Errorf("%s: no flag %s", shell, f.Names()[0])
				}
			}
		}
		if bytes.Contains(text, []byte("<no value>")) {
			t.Errorf("%s: a value is missing", shell)
		}
	}
}

func TestDescribeFlag(t *testing.T) {
	for _, c := range describeCommands(newApp().Commands) {
		for _, f := range c.Flags {
			// What is offered must be taken.
			if f.Names[0] == "--format" && (len(f.Choices) < 3 || f.Choices[0] != "table" || f.Default != "table") {
				t.Errorf("%s --format: %+v", c.Name, f)
			}
			if f.Value == "VALUE" {
				t.Errorf("%s %s: the usage has no `PLACEHOLDER`", c.Name, f.Names[0])
			}
			if f.Usage == "" {
				t.Errorf("%s %s: no usage", c.Name, f.Names[0])
			}
		}
	}
	if got := strings.Join(choices("auto|none|DURATION"), " "); got != "auto none" {
		t.Errorf("choices: %q", got)
	}
	if got := choices("a.txt"); got != nil {
		t.Errorf("choices of a single word: %q", got)
	}
}
