// Package ci writes the results of conditions for continuous integration.
//
//	Result: checks, data quality, a table ─▶ junit, github, markdown
//
// docs/ci.md describes the formats.
package ci

import (
	"fmt"
	"io"

	"ohframe/internal/condition"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// Input is an input and its data quality, nil if unknown.
type Input struct {
	Name    string
	Quality *quality.Quality
	// Skipped says why the input could not be used; empty if it was.
	Skipped string
}

// Skipped is a skipped input in JSON.
type Skipped struct {
	Input string `json:"input"`
	Error string `json:"error"`
}

// JSON returns skipped inputs for JSON.
func JSON(skipped []Input) []Skipped {
	list := make([]Skipped, 0, len(skipped))
	for _, in := range skipped {
		list = append(list, Skipped{in.Name, in.Skipped})
	}
	return list
}

// maxLines is the number of skipped inputs that tables and pages list.
const maxLines = 10

// Lines returns what tables and pages have of skipped inputs.
func Lines(skipped []Input) (lines []string) {
	for _, in := range skipped[:min(maxLines, len(skipped))] {
		lines = append(lines, text.Line("Skipped: "+in.Name+": "+in.Skipped))
	}
	if n := len(skipped) - maxLines; n > 0 {
		lines = append(lines, text.Count(n, "more input")+" skipped")
	}
	return lines
}

// Result is what a report or a comparison found.
type Result struct {
	Title  string // of the report: names of inputs
	Inputs []Input
	Checks []condition.Check
	// AllowMissing makes unknown checks warnings, Strict makes unreliable data an error.
	AllowMissing, Strict bool
	// Verdict is a sentence about a comparison; empty for a report.
	Verdict string
	// Columns and Rows are a table of measures: those of a report, or those that changed.
	// A column whose title ends in " →" is right-aligned.
	Columns []string
	Rows    [][]string
}

// Formats are the formats of Write.
var Formats = []string{"junit", "github", "markdown"}

// Write writes the result in one of the Formats.
func (r *Result) Write(w io.Writer, format string) error {
	switch format {
	case "junit":
		return r.writeJUnit(w)
	case "github":
		return r.writeGitHub(w)
	case "markdown":
		return r.writeMarkdown(w)
	}
	return fmt.Errorf("format %q: not one of %v", format, Formats)
}

// fails reports whether a check makes the command fail.
func (r *Result) fails(c *condition.Check) bool {
	return c.Status == condition.Failed || c.Status == condition.Unknown && !r.AllowMissing
}

// failsSkipped reports whether a skipped input makes the command fail: nothing of it could be
// checked.
func (r *Result) failsSkipped() bool { return r.Strict || len(r.Checks) > 0 && !r.AllowMissing }

// skipped returns the number of skipped inputs.
func (r *Result) skipped() (n int) {
	for i := range r.Inputs {
		if r.Inputs[i].Skipped != "" {
			n++
		}
	}
	return n
}

// failed returns the number of checks that make the command fail.
func (r *Result) failed() (n int) {
	for i := range r.Checks {
		if r.fails(&r.Checks[i]) {
			n++
		}
	}
	return n
}

func (in *Input) isUnreliable() bool {
	return in.Quality != nil && in.Quality.Verdict == quality.Unreliable
}
