package text

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"ohframe/analyzer/stats"
)

// DefaultWidth is the number of cells in a line that is not for a terminal.
const DefaultWidth = 100

// Lines are neither narrower nor wider: a table needs room, and wide gaps are hard to read.
const (
	minWidth = 80
	maxWidth = 160
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
	// Limited: lines that are wider do not fit. Otherwise they may be wider, and nothing is
	// left out.
	Limited bool
}

// NewWriter returns a writer. The width of "–" and "→" does not depend on the locale from
// then on.
func NewWriter(w io.Writer, s Style) Writer {
	text.OverrideRuneWidthEastAsianWidth(false)
	return Writer{bufio.NewWriter(w), Ink(s.Color), min(max(minWidth, cmp.Or(s.Width, DefaultWidth)), maxWidth), s.Width > 0}
}

// Input writes the name of an input and the length of its trace in at most width cells.
func (w Writer) Input(name string, span *stats.Span, width int) {
	length := ""
	if span != nil {
		length = fmt.Sprintf("  %s s of trace", Number(span.Seconds, 3))
	}
	name = Shorten(Printable(name), width-Width(length))
	fmt.Fprintf(w, "%s%s\n", w.Bold(name), w.Dim(length))
}

// Heading writes the heading of a block and a rule up to the end of the line.
func (w Writer) Heading(title, about string) {
	rule := max(0, w.Width-1-Width(title+about))
	fmt.Fprintf(w, "%s%s %s\n\n", w.Bold(title), w.Dim(about), w.Dim(strings.Repeat("─", rule)))
}

// Print writes a table and an empty line.
func (w Writer) Print(t Table) { fmt.Fprintf(w, "%s\n\n", t.Render()) }

// PrintFitted writes a table as Print does, without some of the given columns, the first
// first, if there is no room for all. It says which are missing. Lines about the table
// may follow.
func (w Writer) PrintFitted(t Table, columns ...int) {
	if !w.Limited {
		columns = nil
	}
	hidden := t.Fit(w.Width, columns...)
	fmt.Fprintln(w, t.Render())
	w.Hidden(hidden)
}

// Hidden writes which columns of a table have no room.
func (w Writer) Hidden(titles []string) {
	if len(titles) > 0 {
		w.Note("no room for " + strings.Join(titles, ", ") + "; a wider terminal or a file shows all")
	}
}

// Note writes a line about a table below it, or several if there is no room for one.
func (w Writer) Note(line string) {
	for line := range strings.Lines(Wrap(line, w.Width-2)) {
		fmt.Fprintln(w, w.Dim("  "+strings.TrimSuffix(line, "\n")))
	}
}

// Warn writes lines of warnings above a result, if there are any.
func (w Writer) Warn(lines []string) {
	for _, line := range lines {
		for line := range strings.Lines(Wrap(line, w.Width)) {
			fmt.Fprintln(w, w.Yellow(strings.TrimSpace(line), true))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintln(w)
	}
}

// More writes the number of processes that are not shown, unless it is 0.
func (w Writer) More(n int) {
	if n > 0 {
		fmt.Fprintln(w, w.Dim("  "+More(n)))
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
