// Package report shows the measures of traces.
//
//	stats.Report ─────┐
//	why.Causes ───────┼─▶ view.Document, JSON, CSV
//	analyzer.Timeline ┘
//
// Unknown values are "–" for people, null in JSON and empty in CSV. testdata/api/report.md
// describes JSON and CSV.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/condition"
	"ohframe/internal/locate"
	"ohframe/internal/quality"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Input is a trace or a dump with its measures.
type Input struct {
	// Name is usually the file's name.
	Name string
	// File is the file's name for commands that read it again; empty without a file.
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
	// Pool, if not nil, says that Stats are of several traces.
	Pool *Pool

	id string // before IDs on the page, which differ by input
}

// causes returns a function that computes the causes of a process, nil if they are unknown.
// Those of all processes together may be large.
func (in *Input) causes() func(*stats.Process) *causes.ExplainedProcess {
	if in.Causes == nil {
		return func(*stats.Process) *causes.ExplainedProcess { return nil }
	}
	frames := stats.NewFrames(in.Timeline)
	return func(p *stats.Process) *causes.ExplainedProcess {
		return causes.NewProcess(p.Source, p.Kind, frames.Of(p), in.Causes)
	}
}

// opener returns what makes the commands of a page that show frames of a process; nil if no command can
// name the input. Readers of a page have the file elsewhere.
func (in *Input) opener(p *stats.Process) *locate.Opener {
	if !in.named() {
		return nil
	}
	o := locate.NewOpener(locate.Process(p.Name, p.PID), text.Base(in.File))
	return &o
}

// named reports whether a command can name the input.
func (in *Input) named() bool { return in.File != "" && text.Printable(in.File) == in.File }

// origin returns the time from which the times of frames count, so that they can be
// given to --from and --frame; 0 if it is unknown.
func (in *Input) origin() trace.Time {
	switch {
	case in.Timeline != nil:
		return in.Timeline.Origin()
	case in.Stats.Span != nil:
		return in.Stats.Span.From
	}
	return 0
}

// Options are the options of Write.
type Options struct {
	// Style is that of a terminal.
	Style text.Style
	// Verbose shows everything about every process in a terminal.
	Verbose bool
	// Interactions writes only interactions, in a table or CSV.
	Interactions bool
	// Layers writes only layers, in a table or CSV.
	Layers bool
	// Gate has the results of conditions.
	Gate condition.Gate
	// Skipped are the inputs that were skipped.
	Skipped []view.Input
}

// CheckChosen returns a *failure.Error if stats.Options.Process, by a pattern, excluded all
// processes, interactions and layers of all inputs.
func CheckChosen(pattern string, inputs []Input) error {
	var timelines []*analyzer.Timeline
	for _, in := range inputs {
		if len(in.Stats.Processes)+len(in.Stats.Interactions)+len(in.Stats.Layers) > 0 {
			return nil
		}
		if in.Timeline != nil {
			timelines = append(timelines, in.Timeline)
		}
	}
	return text.NoneSelected(pattern, timelines...)
}

// Formats are the formats of Write.
var Formats = append([]string{"table", "json", "csv", "html"}, view.GateFormats...)

// Write writes a report of the inputs in one of the Formats. It returns an error
// if the format is unknown or writing to w fails.
func Write(w io.Writer, inputs []Input, format string, o Options) error {
	switch format {
	case "table":
		return view.WriteTerminal(w, newDocument(inputs, o, false), o.Style)
	case "html":
		return view.WriteHTML(w, newDocument(inputs, o, true))
	case "json":
		return writeJSON(w, inputs, o)
	case "csv":
		return writeCSV(w, inputs, o)
	}
	if slices.Contains(view.GateFormats, format) {
		d := summary(inputs, o)
		if format == "markdown" {
			full := newDocument(inputs, o, false)
			d.Answer, d.Gate.Tables = full.Answer, processTables(full.Blocks)
		}
		return view.Write(w, d, format, o.Style)
	}
	return fmt.Errorf("format %q: not one of %s", format, strings.Join(Formats, ", "))
}

// processTables returns the tables of processes in blocks.
func processTables(list []view.Block) (tables []view.Table) {
	for _, b := range list {
		switch b := b.(type) {
		case view.Section:
			tables = append(tables, processTables(b.Blocks)...)
		case view.Table:
			if b.Label == "Processes" {
				tables = append(tables, b)
			}
		}
	}
	return tables
}

// summary returns the report for continuous integration.
func summary(inputs []Input, o Options) *view.Document {
	d := &view.Document{Title: "Frame report", Gate: view.GateReport{Gate: o.Gate}}
	for _, in := range inputs {
		d.Gate.Inputs = append(d.Gate.Inputs, view.Input{Name: text.Printable(in.Name), Quality: in.Quality})
	}
	if d.Gate.Inputs = append(d.Gate.Inputs, o.Skipped...); len(d.Gate.Inputs) == 1 {
		d.Title = d.Gate.Inputs[0].Name
	}
	return d
}
