package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

// interactionFlag returns the flag that selects an interaction.
func interactionFlag(usage string) *cli.IntFlag {
	return &cli.IntFlag{Name: "interaction", Usage: usage, DefaultText: "all"}
}

// interactionOption returns the id that --interaction sets; 0 without the flag.
func interactionOption(c *cli.Context) (int, error) {
	id := c.Int("interaction")
	if c.IsSet("interaction") && id <= 0 {
		return 0, &failure{what: fmt.Sprintf("--interaction: %d is not the id of an interaction", id), hint: "ohframe report lists the interactions"}
	}
	return id, nil
}
