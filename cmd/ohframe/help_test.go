package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ohframe/internal/text"
)

// Help has the words of the library's help at every width, none is broken, and no line is
// too wide.
func TestHelpFits(t *testing.T) {
	words := func(s string) []string {
		return slices.DeleteFunc(strings.Fields(s), func(w string) bool { return w == `\` })
	}
	app := newApp()
	for _, c := range append(app.VisibleCommands(), app.Command("fleet").Subcommands...) {
		var b strings.Builder
		cli.HelpPrinterCustom(&b, cli.CommandHelpTemplate, c, nil)
		for _, width := range []int{40, 60, 80, 100} {
			out := layHelpOut(b.String(), width)
			if want := strings.Fields(b.String()); !slices.Equal(words(out), want) {
				t.Errorf("%s, %d columns: %q, want %q", c.Name, width, words(out), want)
			}
			for line := range strings.Lines(out) {
				line = strings.TrimRight(line, "\n")
				if quoted := strings.Contains(line, "'"); text.Width(line) > width && len(words(line)) > 1 && (!quoted || width > 40) {
					t.Errorf("%s: wider than %d: %q", c.Name, width, line)
				}
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
