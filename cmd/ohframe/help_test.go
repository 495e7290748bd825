package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ohframe/internal/flags"
	"ohframe/internal/testing/must"
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

// --strict means one thing, and all commands that read traces for an output have it.
func TestHelpStrict(t *testing.T) {
	var got []string
	app := newApp()
	for _, c := range append(app.VisibleCommands(), app.Command("fleet").Subcommands...) {
		if flags.Find(c.Flags, "--strict") != nil {
			got = append(got, c.Name)
		}
	}
	must.EqualSlices(t, got, []string{"convert", "frames", "report", "why", "diff", "text", "run"})
}

// Help fits on a screen, and what the program's says of a command on a line.
func TestHelpLines(t *testing.T) {
	app := newApp()
	for _, c := range app.VisibleCommands() {
		const before = "   completion  " // the longest name
		if line := before + c.Usage; len(line) > 80 {
			t.Errorf("%s: %d columns: %s", c.Name, len(line), line)
		}
	}
	for _, c := range append(app.VisibleCommands(), app.Command("fleet").Subcommands...) {
		var b strings.Builder
		cli.HelpPrinterCustom(&b, cli.CommandHelpTemplate, c, nil)
		const most = 44
		if n := strings.Count(layHelpOut(b.String(), 80), "\n"); n > most {
			t.Errorf("%s: %d lines, want at most %d", c.Name, n, most)
		}
	}
}
