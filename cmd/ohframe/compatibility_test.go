package main

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ohframe/internal/testing/compatibility"
)

// TestCommands lists commands, flags, their values and defaults.
func TestCommands(t *testing.T) {
	app := newApp()
	app.Setup()
	var list strings.Builder
	commands := app.VisibleCommands()
	for _, c := range commands {
		for _, s := range c.Subcommands {
			sub := *s
			sub.Name = c.Name + " " + s.Name
			commands = append(commands, &sub)
		}
	}
	for _, c := range commands {
		fmt.Fprintf(&list, "ohframe %s\n", strings.TrimSpace(c.Name+" "+c.ArgsUsage))
		for _, f := range append(c.VisibleFlags(), cli.HelpFlag) {
			line := "\t--" + strings.Join(f.Names(), ", -")
			if doc := f.(cli.DocGenerationFlag); doc.TakesValue() {
				line += " " + strings.Split(doc.GetUsage(), "`")[1]
				if value := strings.Trim(cmp.Or(doc.GetDefaultText(), doc.GetValue()), `"`); value != "" {
					line += " = " + value
				}
			}
			fmt.Fprintln(&list, line)
		}
	}
	compatibility.Check(t, "../../testdata/api/commands.txt", list.String())
}
