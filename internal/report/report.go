// Package report writes what was measured of frames, for people and for
// programs: a table for a terminal, a page for a browser, JSON and CSV. It
// measures nothing itself.
//
//	stats.Report ─────┬─> table, json, csv
//	analyzer.Timeline ┴─> html, which draws the frames too
//
// What is not known is "–" for people, null in JSON and empty in CSV. The same
// inputs give the same bytes. docs/report-schema.md describes JSON and CSV.
package report

import (
	"fmt"
	"io"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/gfxinfo"
	"ohframe/analyzer/stats"
	"ohframe/internal/failure"
	"ohframe/internal/words"
)

// Input is a trace, or whatever frames were read from, and its measures.
type Input struct {
	// Name is what the user calls it, usually a file name.
	Name string
	// Stats must not be nil.
	Stats *stats.Report
	// Timeline has the frames that were measured, for the charts of the page. If
	// it is nil, the page has none.
	Timeline *analyzer.Timeline
	// Gfxinfo is what a framestats dump says beyond its frames; nil for other
	// inputs.
	Gfxinfo *gfxinfo.Dump
}

// Options decide how a report looks.
type Options struct {
	// Color lets the table use a terminal's bold, dim and coloured text.
	Color bool
}

// CheckChosen returns a *failure.Error if none of the inputs' processes were chosen, by
// stats.Options.Process, though there are some.
func CheckChosen(inputs []Input) error {
	var others []*stats.Process
	for _, in := range inputs {
		if len(in.Stats.Processes) > 0 {
			return nil
		}
		if in.Timeline == nil {
			continue
		}
		list, _ := in.Timeline.ProcessCounts()
		for _, p := range list {
			others = append(others, &stats.Process{PID: p.PID, Name: p.Name})
		}
	}
	if len(others) == 0 {
		return nil
	}
	return &failure.Error{What: "no process with frames is among those chosen", Hint: "there are " + words.Names(others)}
}

// Formats are the names of the formats that Write knows.
var Formats = []string{"table", "json", "csv", "html"}

// Write writes a report of the inputs in the given format.
func Write(w io.Writer, inputs []Input, format string, o Options) error {
	switch format {
	case "table":
		return writeTable(w, inputs, o)
	case "json":
		return writeJSON(w, inputs)
	case "csv":
		return writeCSV(w, inputs)
	case "html":
		return writeHTML(w, inputs)
	}
	return fmt.Errorf("format %q: not one of %s", format, strings.Join(Formats, ", "))
}
