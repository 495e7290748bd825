// Package report writes the measures of traces as a table for a terminal, an HTML
// page, JSON or CSV.
//
//	stats.Report ─────┬─> table, json, csv
//	why.Causes ───────┤
//	analyzer.Timeline ┴─> html, with charts of the frames
//
// Unknown values are "–" in tables and pages, null in JSON and empty in CSV. The
// same inputs give the same bytes. docs/report-schema.md describes JSON and CSV.
package report

import (
	"fmt"
	"io"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/quality"
	"ohframe/internal/rating"
	"ohframe/internal/text"
)

// Input is a trace or a dump with its measures.
type Input struct {
	// Name is usually the file's name.
	Name string
	// File is the file's name for commands that read it again; empty if there is none.
	File string
	// Stats must not be nil.
	Stats *stats.Report
	// Timeline has the measured frames. The page has no charts if it is nil.
	Timeline *analyzer.Timeline
	// Quality says how far the measures can be trusted; nil if unknown.
	Quality *quality.Quality
	// Recording says how the trace was recorded; nil if unknown.
	Recording *Recording
	// Causes are the causes of late frames, nil if unknown.
	Causes *why.Causes
}

// causes returns the causes of each process, nil if they are unknown.
func (in *Input) causes() map[*stats.Process]*causes.Process {
	if in.Causes == nil {
		return nil
	}
	frames := stats.NewFrames(in.Timeline)
	m := map[*stats.Process]*causes.Process{}
	for _, p := range in.Stats.Processes {
		m[p] = causes.NewProcess(frames.Of(p), in.Causes)
	}
	return m
}

// file returns the input as a word of a shell command; empty if that is impossible.
func (in *Input) file() string {
	if in.File == "" || text.Printable(in.File) != in.File {
		return ""
	}
	return text.Quoted(in.File)
}

// Options are the options of Write.
type Options struct {
	// Style is that of the table.
	Style text.Style
	// Verbose makes the table show everything about every process.
	Verbose bool
	// Top is the number of processes that a table shows without Verbose; 0 stands for a
	// default.
	Top int
	// Thresholds are those of colours; nil stands for rating.Default.
	Thresholds *rating.Thresholds
}

// CheckChosen returns a *failure.Error if stats.Options.Process excluded all
// processes of all inputs.
func CheckChosen(inputs []Input) error {
	var timelines []*analyzer.Timeline
	for _, in := range inputs {
		if len(in.Stats.Processes) > 0 {
			return nil
		}
		if in.Timeline != nil {
			timelines = append(timelines, in.Timeline)
		}
	}
	return text.NoneSelected(timelines...)
}

// Formats are the formats of Write.
var Formats = []string{"table", "json", "csv", "html"}

// Write writes a report of the inputs in one of the Formats. It returns an error
// if the format is unknown or writing to w fails.
func Write(w io.Writer, inputs []Input, format string, o Options) error {
	switch format {
	case "table":
		return writeTable(w, inputs, o)
	case "json":
		return writeJSON(w, inputs)
	case "csv":
		return writeCSV(w, inputs)
	case "html":
		return writeHTML(w, inputs, o)
	}
	return fmt.Errorf("format %q: not one of %s", format, strings.Join(Formats, ", "))
}
