package view

import (
	"fmt"
	"io"

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

// fails reports whether a check makes the command fail.
func (g *Gate) fails(c *condition.Check) bool {
	return c.Status == condition.Failed || c.Status == condition.Unknown && !g.AllowMissing
}

// failsSkipped reports whether a skipped input makes the command fail: nothing of it could be
// checked.
func (g *Gate) failsSkipped() bool { return g.Strict || len(g.Checks) > 0 && !g.AllowMissing }

// failed returns the number of checks that make the command fail.
func (g *Gate) failed() (n int) {
	for i := range g.Checks {
		if g.fails(&g.Checks[i]) {
			n++
		}
	}
	return n
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

// maxSkipped is the number of skipped inputs that Skipped lists.
const maxSkipped = 10

// Skipped returns the warnings about skipped inputs.
func Skipped(list []Input) (warnings []string) {
	n := 0
	for _, in := range list {
		if in.Skipped == "" {
			continue
		}
		if n++; n <= maxSkipped {
			warnings = append(warnings, text.Line("Skipped: "+in.Name+": "+in.Skipped))
		}
	}
	if n > maxSkipped {
		warnings = append(warnings, text.Count(n-maxSkipped, "more input")+" skipped")
	}
	return warnings
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
	Input string `json:"input"`
	Error string `json:"error"`
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
