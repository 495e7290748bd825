package view

import (
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
	GateFormats = []string{"junit", "markdown"}
)

// Write writes a document in one of the Formats. style is that of a table.
func Write(w io.Writer, d *Document, format string, style text.Style) error {
	switch format {
	case "table":
		return WriteTerminal(w, d, style)
	case "html":
		return WriteHTML(w, d)
	case "junit":
		return writeJUnit(w, d)
	case "markdown":
		return writeMarkdown(w, d)
	}
	return fmt.Errorf("format %q: not one of %v", format, Formats)
}

// result is what became of a check, the worst first.
type result int

const (
	failed result = iota
	unknown
	undecided
	passed
)

func resultOf(c *condition.Check) result {
	switch {
	case c.Status == condition.Failed:
		return failed
	case c.Status == condition.Unknown:
		return unknown
	case c.Undecided:
		return undecided
	}
	return passed
}

// with returns the checks with a result.
func (g *GateReport) with(r result) (list []condition.Check) {
	for i := range g.Checks {
		if resultOf(&g.Checks[i]) == r {
			list = append(list, g.Checks[i])
		}
	}
	return list
}

// maxChecks is the number of checks that a terminal and Markdown list.
const maxChecks = 20

const unchecked = "nothing was checked"

// summary says in a sentence what came of the comparison and of the checks.
func (g *GateReport) summary() string {
	var parts []string
	switch {
	case g.Verdict != "":
		parts = append(parts, g.Verdict)
	case len(g.Checks) == 0 && g.Status() == "":
		parts = append(parts, unchecked)
	}
	if s := g.String(); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}

// isBad reports whether --strict does not accept an input.
func (g *GateReport) isBad(name string) bool {
	return g.Strict && slices.ContainsFunc(g.Bad, func(b condition.BadInput) bool { return b.Name == name })
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
