package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ohframe/internal/flags"
)

// Every example names an existing command and only flags of that command. Every command
// with flags of its own has examples.
func TestExamples(t *testing.T) {
	app := newApp()
	commands := map[string]*cli.Command{}
	for _, c := range app.Commands {
		commands[c.Name] = c
		for _, sub := range c.Subcommands {
			commands[c.Name+" "+sub.Name] = sub
		}
	}
	for name, c := range commands {
		if len(c.Flags) > 0 && len(exampleLines[name]) == 0 && name != "devices" && name != "version" {
			t.Errorf("ohframe %s has no example", name)
		}
	}
	for name, lines := range exampleLines {
		c := commands[name]
		if c == nil {
			if name != app.Name {
				t.Errorf("examples of an unknown command %q", name)
			}
			continue
		}
		for _, line := range lines {
			words := strings.Fields(line)
			if !strings.HasPrefix(line, app.Name+" "+name+" ") {
				t.Errorf("%q is not an example of %s", line, name)
			}
			if i := slices.IndexFunc(words, func(w string) bool { return w[0] == '|' || w[0] == '>' }); i >= 0 {
				words = words[:i]
			}
			for _, word := range words {
				if len(word) > 1 && word[0] == '-' && word != "--" && flags.Find(c.Flags, word) == nil {
					t.Errorf("%q: no flag %s", line, word)
				}
			}
		}
		if !strings.HasPrefix(c.Description, "Examples:\n  "+lines[0]) {
			t.Errorf("the help of %s does not begin with its examples", name)
		}
	}
}
