package main

import (
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ohframe/internal/text"
)

// Help has the same words at every width, none is broken, and no line is too wide.
func TestHelpFits(t *testing.T) {
	help := func(width string, args ...string) string {
		cmd := exec.Command("ohframe", append(args, "--help")...)
		cmd.Env = append(cmd.Environ(), "COLUMNS="+width)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(args, err)
		}
		return string(out)
	}
	words := func(s string) []string {
		return slices.DeleteFunc(strings.Fields(s), func(w string) bool { return w == `\` })
	}
	commands := [][]string{nil}
	app := newApp()
	for _, c := range app.VisibleCommands() {
		commands = append(commands, []string{c.Name})
		for _, sub := range c.Subcommands {
			commands = append(commands, []string{c.Name, sub.Name})
		}
	}
	for _, args := range commands {
		usual := help("", args...)
		for width, columns := range map[int]string{80: "", 60: "60", 100: "1000", 40: "1"} {
			out := help(columns, args...)
			if !slices.Equal(words(out), words(usual)) {
				t.Errorf("%v: other words at %d columns:\n%s", args, width, out)
			}
			for line := range strings.Lines(out) {
				line = strings.TrimRight(line, "\n")
				if quoted := strings.Contains(line, "'"); text.Width(line) > width && len(words(line)) > 1 && (!quoted || width > 40) {
					t.Errorf("%v: wider than %d: %q", args, width, line)
				}
			}
		}
	}
}

// The words are those of the library's help.
func TestHelpWords(t *testing.T) {
	app := newApp()
	var b strings.Builder
	for _, c := range append(app.VisibleCommands(), app.Command("fleet").Subcommands...) {
		b.Reset()
		cli.HelpPrinterCustom(&b, cli.CommandHelpTemplate, c, nil)
		for _, width := range []int{40, 80} {
			got := slices.DeleteFunc(strings.Fields(layHelpOut(b.String(), width)), func(w string) bool { return w == `\` })
			if want := strings.Fields(b.String()); !slices.Equal(got, want) {
				t.Errorf("%s, %d columns: %q, want %q", c.Name, width, got, want)
			}
		}
	}
}

// The help of --strict has the exit codes of the command, which the table in
// docs/commands.md has, too.
func TestHelpStrict(t *testing.T) {
	want := map[string]string{"convert": "stop", "text": "stop", "open": "stop", "report": "1, 2", "frames": "1, 2", "why": "1, 2", "diff": "1, 2", "run": "2"}
	got := map[string]string{}
	app := newApp()
	for _, c := range append(app.VisibleCommands(), app.Command("fleet").Subcommands...) {
		for _, f := range c.Flags {
			if b, ok := f.(*cli.BoolFlag); ok && b.Name == "strict" {
				got[c.Name] = strings.Join(regexp.MustCompile(`^stop\b|\b[12]\b`).FindAllString(b.Usage, -1), ", ")
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
