package main

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/internal/compatibility"
)

// TestCommands lists what may be typed: commands, flags, their values and defaults.
func TestCommands(t *testing.T) {
	var list strings.Builder
	for _, c := range describeCommands(newApp().Commands) {
		fmt.Fprintf(&list, "ohframe %s\n", strings.TrimSpace(c.Name+" "+c.Args))
		for _, f := range c.Flags {
			line := strings.TrimSpace(strings.Join(f.Names, ", ") + " " + f.Value)
			if f.Default != "" {
				line += " = " + f.Default
			}
			fmt.Fprintf(&list, "\t%s\n", line)
		}
	}
	compatibility.Check(t, "../../testdata/api/commands.txt", list.String())
}
