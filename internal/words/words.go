// Package words says what several commands say of processes and their frames, in
// the same words, and keeps what traces bring along from doing harm on the way.
package words

import (
	"cmp"
	"fmt"
	"slices"
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

// Number prints a number with the given digits of fraction.
func Number(x float64, digits int) string { return strconv.FormatFloat(x, 'f', digits, 64) }

// Share prints a share, 0 to 1, unknown if there is none. Only none is "0 %" and
// only all is "100 %".
func Share(share *float64) string {
	if share == nil {
		return Unknown
	}
	switch p := *share * 100; {
	case p == 0 || p == 100:
		return Number(p, 0) + " %"
	case p < 0.1:
		return "< 0.1 %"
	case p > 99.9:
		return "> 99.9 %"
	default:
		return Number(p, 1) + " %"
	}
}

// maxNames is how many processes a message names.
const maxNames = 5

// NameOrPID is what options call a process.
func NameOrPID(p *stats.Process) string {
	if p.Name == "" {
		return strconv.Itoa(int(p.PID))
	}
	return Printable(p.Name)
}

// Names lists processes for a message.
func Names(list []*stats.Process) string {
	var texts []string
	for _, p := range list[:min(len(list), maxNames)] {
		texts = append(texts, NameOrPID(p))
	}
	if more := len(list) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ")
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

// MaxShown is how many processes a table or a page shows: more than run at once
// with frames on a device, few enough for a browser.
const MaxShown = 200

// MaxRates is how many refresh rates of a process are named.
const MaxRates = 8

// Largest returns those of a list with the most frames, MaxShown at the most, in
// the order of the list.
func Largest[T any](list []T, frames func(T) int) []T {
	if len(list) <= MaxShown {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(frames(list[b]), frames(list[a])) })
	order = order[:MaxShown]
	slices.Sort(order)
	shown := make([]T, len(order))
	for i, at := range order {
		shown[i] = list[at]
	}
	return shown
}

// More says that so many processes are not shown.
func More(n int) string {
	return fmt.Sprintf("… and %d more with fewer frames, which JSON has", n)
}

// Text returns a line of text that does a terminal no harm, whatever names are in
// it.
func Text(line string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(line, "\uFFFD") {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// Cell returns a text for a cell of CSV. A spreadsheet takes what begins like a
// formula for one, and evaluates it: an apostrophe before it makes it text. No
// process, layer or file that means no harm is called so.
func Cell(text string) string {
	if len(text) > 1 && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
