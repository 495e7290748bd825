// Package words says what a report and a comparison both say of processes, in the
// same words.
package words

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"ohframe/analyzer/stats"
)

// Unknown is what people see where a value is not known.
const Unknown = "–"

// Kinds names the kinds of processes.
var Kinds = map[stats.Kind]string{
	stats.Application:   "application",
	stats.RenderService: "render service",
}

// Printable returns a name that does a terminal, or the text around it, no harm:
// names come from traces, and may hold control characters or turn the direction
// of what follows.
func Printable(name string) string {
	if utf8.ValidString(name) && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return name
	}
	return strconv.Quote(name)
}

// Process names a process.
func Process(p *stats.Process) string {
	if p.Name == "" {
		return Unknown
	}
	return Printable(p.Name)
}

// Shorten keeps the end of a name that is wider than a number of cells: there
// names differ.
func Shorten(name string, width int) string {
	over := text.StringWidthWithoutEscSequences(name) - width
	if over <= 0 {
		return name
	}
	rest := []rune(name)
	for over++; over > 0 && len(rest) > 0; rest = rest[1:] {
		over -= text.RuneWidth(rest[0])
	}
	return "…" + string(rest)
}
