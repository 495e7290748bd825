// Package ci writes the results of conditions for continuous integration.
//
//	Result: checks, data quality, a table ─▶ junit, github, markdown
//
// docs/ci.md describes the formats.
package ci

import (
	"io"
	"strings"

	"ohframe/internal/condition"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Input is an input and its data quality.
type Input = view.Input

// Skipped is a skipped input in JSON.
type Skipped = view.SkippedInput

// JSON returns skipped inputs for JSON.
func JSON(skipped []Input) []Skipped { return view.SkippedInputs(skipped) }

// Lines returns what tables and pages have of skipped inputs.
func Lines(skipped []Input) []string { return view.Skipped(skipped) }

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
	d := &view.Document{Title: r.Title, Gate: view.Gate{Checks: r.Checks, Inputs: r.Inputs, AllowMissing: r.AllowMissing, Strict: r.Strict, Verdict: r.Verdict, Measures: &view.Table{}}}
	for _, c := range r.Columns {
		title, number := strings.CutSuffix(c, " →")
		d.Gate.Measures.Columns = append(d.Gate.Measures.Columns, view.Column{Title: title, Number: number})
	}
	for _, row := range r.Rows {
		var cells []view.Cell
		for _, c := range row {
			cells = append(cells, view.Cell{Text: c})
		}
		d.Gate.Measures.Rows = append(d.Gate.Measures.Rows, view.Row{Cells: cells})
	}
	return view.Write(w, d, format, text.Style{})
}
