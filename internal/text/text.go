// Package text formats numbers, names and tables for people. It also makes names
// from traces safe to print: they may contain control characters.
package text

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/diag"
)

// Unknown is printed in place of an unknown value.
const Unknown = "–"

// Kind returns the name of a kind of process.
func Kind(k stats.Kind) string {
	return map[stats.Kind]string{
		stats.Application:   "application",
		stats.RenderService: "render service",
	}[k]
}

// Count formats n and the noun, in the plural unless n is 1: "2 frames",
// "1 process", "3 hitches".
func Count(n int, noun string) string { return diag.Count(n, noun) }

// Measured counts traces, and those that were measured if some failed: "14 traces, 13 measured".
func Measured(traces, measured int) string {
	if measured == traces {
		return Count(traces, "trace")
	}
	return fmt.Sprintf("%s, %d measured", Count(traces, "trace"), measured)
}

// maxRates is the number of refresh rates that Rates lists.
const maxRates = 8

// Rates formats each of a process's refresh rates. If there are more than
// maxRates, the last element is their number.
func Rates(list []stats.Refresh, format func(stats.Refresh) string) []string {
	var texts []string
	for _, r := range list[:min(len(list), maxRates)] {
		texts = append(texts, format(r))
	}
	if more := len(list) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return texts
}

// Process returns the printable name of a process.
func Process(p *stats.Process) string {
	if p.Pool != nil {
		return p.Pool.Name
	}
	return ProcessName(p.Name)
}

// Late returns the number of late frames of a process, which is unknown if none is known to be late and
// its jank rate is unknown.
func Late(p *stats.Process) string {
	if p.JankRate == nil && p.Frames.Late == 0 {
		return Unknown
	}
	return strconv.Itoa(p.Frames.Late)
}

// ProcessName returns a printable name of a process.
func ProcessName(name string) string {
	if name == "" {
		return Unknown
	}
	return Printable(name)
}

// Vsync formats a vsync id; 0 is unknown.
func Vsync(id int64) string {
	if id == 0 {
		return Unknown
	}
	return strconv.FormatInt(id, 10)
}

// Base returns the printable name of a file without its folder.
func Base(name string) string {
	return Printable(name[strings.LastIndexAny(name, `/\`)+1:])
}

// NoneSelected returns the *diag.Error of a selection by a pattern that leaves none of the
// processes with frames, and names these, those with the most frames first. It is nil if
// no timeline has any.
func NoneSelected(pattern string, timelines ...*analyzer.Timeline) error {
	var others []*stats.Process
	named := map[string]*stats.Process{}
	for _, t := range timelines {
		list, counts := t.ProcessCounts()
		for _, p := range list {
			other := named[p.Name]
			if other == nil || p.Name == "" {
				other = &stats.Process{PID: p.PID, Name: p.Name}
				named[p.Name] = other
				others = append(others, other)
			}
			other.Frames.Complete += counts[p].Frames
		}
	}
	if len(others) == 0 {
		return nil
	}
	slices.SortStableFunc(others, func(a, b *stats.Process) int { return cmp.Compare(b.Frames.Complete, a.Frames.Complete) })
	return NoneSelectedError(pattern, Names(others), others)
}

// NoneSelectedError returns the error of NoneSelected. names are the names of the others, as
// the hint has them.
func NoneSelectedError(pattern, names string, others []*stats.Process) *diag.Error {
	e := &diag.Error{What: "no process with frames matches", Hint: "processes with frames: " + names}
	if slices.ContainsFunc(others, func(p *stats.Process) bool { return len(p.Name) == analyzer.KernelName }) {
		e.Hint += "; a name of 15 bytes may be the end of a longer one"
	}
	// Words of names are patterns, too.
	var words []string
	for _, p := range others {
		words = append(append(words, Printable(p.Name)), strings.FieldsFunc(Printable(p.Name), func(r rune) bool { return !unicode.IsLetter(r) })...)
	}
	e.Hint = Suggest("", pattern, words, e.Hint)
	return e
}

// NoLayerSelected returns the *diag.Error of a selection by a pattern that leaves none of
// the layers. It names each layer by its id, too, because names may be long.
func NoLayerSelected(pattern string, layers []*analyzer.Layer) *diag.Error {
	var names, listed []string
	for _, l := range layers {
		if name := Printable(l.Name); !slices.Contains(names, name) {
			names, listed = append(names, name), append(listed, fmt.Sprintf("%d (%s)", l.ID, cmp.Or(name, Unknown)))
		}
	}
	e := noneOf("layer", "layers", pattern, names, listed)
	if strings.Contains(pattern, "…") {
		e.Hint = "a name with … is shortened, give an id or a part of the name; " + e.Hint
	}
	return e
}

// NoProducerSelected returns that of a selection that leaves none of the processes of the layers.
func NoProducerSelected(pattern string, layers []*analyzer.Layer) *diag.Error {
	var names []string
	for _, l := range layers {
		if l.Process == nil {
			continue
		}
		if name := Printable(cmp.Or(l.Process.Name, l.Process.PID.String())); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return noneOf("process with layers", "processes with layers", pattern, names, names)
}

// noneOf returns the error of a pattern that matches none of the names of something, and lists
// these as given.
func noneOf(what, several, pattern string, names, listed []string) *diag.Error {
	e := &diag.Error{What: "no " + what + " matches"}
	if len(listed) > 0 {
		more := len(listed) - maxNames
		e.Hint = several + ": " + strings.Join(listed[:min(len(listed), maxNames)], ", ")
		if more > 0 {
			e.Hint += fmt.Sprintf(", %d more", more)
		}
	}
	e.Hint = Suggest("", pattern, names, e.Hint)
	return e
}

// maxNames is the number of processes that Names lists, and of names in a hint.
const maxNames = 5

// Names lists processes for a message: by name, or by process id if a process has
// no name.
func Names(list []*stats.Process) string {
	var texts []string
	for _, p := range list[:min(len(list), maxNames)] {
		if p.Name == "" {
			texts = append(texts, strconv.Itoa(int(p.PID)))
		} else {
			texts = append(texts, Printable(p.Name))
		}
	}
	if more := len(list) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ")
}

// Width returns the number of terminal cells that s needs, without its escape
// sequences.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return text.StringWidthWithoutEscSequences(s)
		}
	}
	return len(s)
}

// Shorten cuts the beginning of a name that is wider than width cells, because
// names of processes differ at the end.
func Shorten(name string, width int) string {
	over := Width(name) - width
	if over <= 0 {
		return name
	}
	rest := []rune(name)
	for over++; over > 0 && len(rest) > 0; rest = rest[1:] {
		over -= text.RuneWidth(rest[0])
	}
	return "…" + string(rest)
}

// ShortenMiddle cuts the middle of a text that is wider than width cells, because both its
// ends matter. At most head cells of the beginning are left.
func ShortenMiddle(s string, head, width int) string {
	if Width(s) <= width {
		return s
	}
	rest, begin := []rune(s), ""
	for w := text.RuneWidth(rest[0]); w <= min(head, width-1); w += text.RuneWidth(rest[0]) {
		begin += string(rest[0])
		rest = rest[1:]
	}
	return begin + Shorten(string(rest), width-Width(begin))
}

// Wrap breaks a line between words so that no line is wider than width cells.
func Wrap(line string, width int) string {
	if Width(line) <= width {
		return line
	}
	lines := strings.Split(text.WrapSoft(line, width), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// MaxShown is the number of processes that a table or a page shows. No device
// draws with as many at once, and a browser can display them.
const MaxShown = 200

// Largest returns the MaxShown elements of list with the most frames, in the order
// of list.
func Largest[T any](list []T, frames func(T) int) []T {
	return First(list, MaxShown, func(a, b T) int { return cmp.Compare(frames(b), frames(a)) })
}

// First returns the n elements of a list that are first when it is sorted, in the order of list.
func First[T any](list []T, n int, compare func(a, b T) int) []T {
	if n = max(n, 0); len(list) <= n {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(list[a], list[b]) })
	order = order[:n]
	slices.Sort(order)
	shown := make([]T, len(order))
	for i, at := range order {
		shown[i] = list[at]
	}
	return shown
}

// More returns the line "… and n more" below a shortened list.
func More(n int) string {
	return fmt.Sprintf("… and %d more with fewer frames; --format json lists all", n)
}

// Quoted quotes a word for a shell if necessary.
func Quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@:+,%=") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
