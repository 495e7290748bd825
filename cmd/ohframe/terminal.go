package main

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"ohframe/internal/text"
)

// tableStyle returns the style of text on standard output, if that is a terminal, or in a
// file. https://no-color.org and https://bixense.com/clicolors describe the variables.
func tableStyle(terminal bool) text.Style {
	width := 0
	if terminal {
		width, _, _ = term.GetSize(int(os.Stdout.Fd()))
	}
	return styleFrom(os.Getenv, terminal, width)
}

// styleFrom is tableStyle for a width of the terminal, which is 0 if it is unknown.
func styleFrom(env func(string) string, terminal bool, width int) text.Style {
	s := text.Style{Color: terminal && env("TERM") != "dumb", Width: width}
	if force := env("CLICOLOR_FORCE"); force != "" && force != "0" {
		s.Color = true
	}
	if env("NO_COLOR") != "" {
		s.Color = false
	}
	if columns, err := strconv.Atoi(env("COLUMNS")); err == nil && columns > 0 {
		s.Width = columns
	}
	return s
}
