package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// Formats are the formats of Write. GateFormats are those for continuous integration.
var (
	Formats     = append([]string{"table", "html"}, GateFormats...)
	GateFormats = []string{"junit", "github", "markdown"}
)

// Write writes a document in one of the Formats. style is that of a table.
func Write(w io.Writer, d *Document, format string, style text.Style) error {
	switch format {
	case "table":
		return WriteTerminal(w, d, style)
	case "html":
		return WriteHTML(w, d)
	case "junit":
		return WriteJUnit(w, d)
	case "github":
		return WriteGitHub(w, d)
	case "markdown":
		return WriteMarkdown(w, d)
	}
	return fmt.Errorf("format %q: not one of %v", format, Formats)
}

// failsSkipped reports whether a skipped input makes the command fail: nothing of it could be
// checked.
func (g *Gate) failsSkipped() bool { return g.Strict || len(g.Checks) > 0 && !g.AllowMissing }

// count returns the number of checks with a status.
func (g *Gate) count(s condition.Status) (n int) {
	for i := range g.Checks {
		if g.Checks[i].Status == s {
			n++
		}
	}
	return n
}

// undecided returns the checks that are undecided.
func (g *Gate) undecided() []condition.Check {
	return slices.DeleteFunc(slices.Clone(g.Checks), func(c condition.Check) bool { return !c.Undecided })
}

// maxChecks is the number of checks that a terminal and Markdown list.
const maxChecks = 20

// shown returns the first checks in the order failed, unknown, undecided, passed, and the number
// of the others.
func (g *Gate) shown() (list []condition.Check, more int) {
	list = slices.Clone(g.Checks)
	slices.SortStableFunc(list, func(a, b condition.Check) int { return cmp.Compare(order(a), order(b)) })
	n := min(len(list), maxChecks)
	return list[:n], len(list) - n
}

// order is the place of a check in lists.
func order(c condition.Check) int {
	switch {
	case c.Status == condition.Failed:
		return 0
	case c.Status == condition.Unknown:
		return 1
	case c.Undecided:
		return 2
	}
	return 3
}

// passed returns the checks that passed and are not undecided.
func (g *Gate) passed() []condition.Check {
	return slices.DeleteFunc(slices.Clone(g.Checks), func(c condition.Check) bool { return c.Status != condition.Passed || c.Undecided })
}

// summary says in a sentence how many checks failed.
func (g *Gate) summary() string {
	var parts []string
	if g.Verdict != "" {
		parts = append(parts, g.Verdict)
	}
	if n := len(g.Checks); n > 0 {
		s := text.Count(n, "check") + ", none failed"
		if failed := g.count(condition.Failed); failed > 0 {
			s = fmt.Sprintf("%d of %s failed", failed, text.Count(n, "check"))
		}
		if unknown := g.count(condition.Unknown); unknown > 0 {
			s += fmt.Sprintf(", %d cannot be checked", unknown)
		}
		if undecided := len(g.undecided()); undecided > 0 {
			s += fmt.Sprintf(", %d undecided", undecided)
		}
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing was checked")
	}
	if n := g.skipped(); n > 0 {
		parts = append(parts, text.Count(n, "input")+" skipped")
	}
	return strings.Join(parts, "; ")
}

// skipped returns the number of skipped inputs.
func (g *Gate) skipped() (n int) {
	for i := range g.Inputs {
		if g.Inputs[i].Skipped != "" {
			n++
		}
	}
	return n
}

func (in *Input) isUnreliable() bool {
	return in.Quality != nil && in.Quality.Verdict == stats.Unreliable
}

// maxSkipped is the number of skipped inputs that are listed.
const maxSkipped = 10

// Skipped returns the warnings about skipped inputs.
func Skipped(list []Input) (warnings []string) {
	list = slices.DeleteFunc(slices.Clone(list), func(in Input) bool { return in.Skipped == "" })
	for i, s := range describeSkipped(list) {
		if i < maxSkipped {
			s = "Skipped: " + s
		}
		warnings = append(warnings, s)
	}
	return warnings
}

// describeSkipped says why inputs were skipped, the first ones.
func describeSkipped(list []Input) (lines []string) {
	for _, in := range list[:min(len(list), maxSkipped)] {
		lines = append(lines, text.Line(in.Name+": "+in.Skipped))
	}
	if more := len(list) - maxSkipped; more > 0 {
		lines = append(lines, text.Count(more, "more input")+" skipped")
	}
	return lines
}

// QualityNote returns the data quality of an input. Without it, the note is empty and not shown.
func QualityNote(q *stats.Quality) Note {
	if q == nil {
		return Note{}
	}
	return Note{Label: "Data quality", Text: q.String(), Level: map[stats.Verdict]Level{stats.Good: Soft, stats.Limited: Warning, stats.Unreliable: Critical}[q.Verdict]}
}

// SkippedInput is a skipped input in JSON.
type SkippedInput struct {
	Input string `json:"input"` // name of the input
	Error string `json:"error"` // why it was skipped
}

// SkippedInputs returns the skipped inputs for JSON, never nil.
func SkippedInputs(list []Input) []SkippedInput {
	skipped := []SkippedInput{}
	for _, in := range list {
		if in.Skipped != "" {
			skipped = append(skipped, SkippedInput{in.Name, in.Skipped})
		}
	}
	return skipped
}
