package text

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// DefaultWidth is the number of cells in a line that is not for a terminal.
const DefaultWidth = 100

// Lines of a terminal are neither narrower nor wider: a table needs room, and wide gaps are hard to read.
const (
	minWidth = 80
	MaxWidth = 160
)

// Style is how text looks where it is shown.
type Style struct {
	// Color makes text bold, dim and coloured.
	Color bool
	// Width is the number of cells in a line; 0 stands for DefaultWidth.
	Width int
}

// Writer writes lines and tables for a terminal.
type Writer struct {
	*bufio.Writer
	Ink
	// Width is the number of cells in a line.
	Width int
}

// NewWriter returns a writer. The width of "–" and "→" does not depend on the locale from
// then on.
func NewWriter(w io.Writer, s Style) Writer {
	text.OverrideRuneWidthEastAsianWidth(false)
	return Writer{bufio.NewWriter(w), Ink(s.Color), max(minWidth, cmp.Or(s.Width, DefaultWidth))}
}

// Hidden writes which columns of a table have no room.
func (w Writer) Hidden(titles []string) {
	if len(titles) > 0 {
		note := Wrap("no room for "+strings.Join(titles, ", ")+"; a wider terminal shows more, JSON all", w.Width-2)
		for line := range strings.SplitSeq(note, "\n") {
			fmt.Fprintln(w, w.Dim("  "+line))
		}
	}
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
