package main

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"ohframe/internal/text"
)

// styleOf returns the style of text on a stream, which may be a terminal, or in a file, which
// is nil. https://no-color.org and https://bixense.com/clicolors describe the variables.
func styleOf(stream *os.File) text.Style {
	if stream == nil || !term.IsTerminal(int(stream.Fd())) {
		return styleFrom(os.Getenv, false, 0)
	}
	width, _, _ := term.GetSize(int(stream.Fd()))
	return styleFrom(os.Getenv, true, width)
}

// styleFrom is styleOf for a width of the terminal, which is 0 if it is unknown.
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
	s.Width = min(s.Width, text.MaxWidth)
	return s
}
