package main

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ohframe/internal/compatibility"
)

// TestCommands lists commands, flags, their values and defaults.
func TestCommands(t *testing.T) {
	app := newApp()
	app.Setup()
	var list strings.Builder
	for _, c := range app.VisibleCommands() {
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
