package text

import (
	"bufio"
	"io"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Writer writes lines and tables for a terminal.
type Writer struct {
	*bufio.Writer
	Ink
}

// NewWriter returns a writer that uses colours if color is true. The width of "–"
// and "→" does not depend on the locale from then on.
func NewWriter(w io.Writer, color bool) Writer {
	text.OverrideRuneWidthEastAsianWidth(false)
	return Writer{bufio.NewWriter(w), Ink(color)}
}

// Ink adds a terminal's escape sequences to text if it is true.
type Ink bool

func (i Ink) with(code, s string, use bool) string {
	if !bool(i) || !use || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold returns s in bold.
func (i Ink) Bold(s string) string { return i.with("1", s, true) }

// Dim returns s dimmed.
func (i Ink) Dim(s string) string { return i.with("2", s, true) }

// Red returns s in red if use is true.
func (i Ink) Red(s string, use bool) string { return i.with("31", s, use) }

// Green returns s in green if use is true.
func (i Ink) Green(s string, use bool) string { return i.with("32", s, use) }

// Yellow returns s in yellow if use is true.
func (i Ink) Yellow(s string, use bool) string { return i.with("33", s, use) }
