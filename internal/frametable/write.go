package frametable

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Formats are the formats of Write.
var Formats = []string{"table", "csv", "json", "parquet"}

// IsBinary reports whether the output in a format is binary.
func IsBinary(format string) bool { return format == "parquet" }

// Options are the options of Write.
type Options struct {
	Format string // one of Formats
	// Kinds are those of Kinds that are listed; frames of both kinds if empty.
	Kinds []string
	// Interaction is the id of the interaction whose frames are listed; 0 lists all.
	Interaction int64
	// Process, if not nil, reports whether the frames and layers of a process are listed.
	Process func(*analyzer.Process) bool
	// Layer, if not nil, reports whether the buffers of a layer are listed.
	Layer func(*analyzer.Layer) bool
	// Late lists only late frames and buffers.
	Late bool
	// Sort is the column to sort by, one of SortColumns: the largest first, names in
	// alphabetical order, unknown values last. If it is empty, rows are in order of their
	// start.
	Sort string
	// Limit is the number of rows to list; 0 lists all.
	Limit int
	// Style is that of the table.
	Style text.Style
}

// Input is a trace.
type Input struct {
	Name     string // for the column input
	Timeline *analyzer.Timeline
	// Causes, if not nil, fills the columns of causes.
	Causes *why.Causes

	interactions map[*analyzer.Frame][]int64 // ids
}

// Write writes the frames and buffers of the inputs, in order of the inputs unless they are sorted. It
// returns an error if the format or Options.Sort is unknown or writing to w fails.
func Write(w io.Writer, inputs []Input, o Options) error {
	inputs = slices.Clone(inputs)
	for i := range inputs {
		inputs[i].interactions = interactionIDs(inputs[i].Timeline)
	}
	list, err := chosen(inputs, &o)
	if err != nil {
		return err
	}
	rows := func(yield func(row) bool) {
		for it := range list {
			r := it.row()
			if len(inputs) > 1 {
				r.Input = &it.in.Name
			}
			if !yield(r) {
				return
			}
		}
	}
	switch o.Format {
	case "table":
		return writeTable(w, inputs, list, o)
	case "csv":
		return view.Records[row](rows).WriteCSV(w)
	case "json":
		return writeJSON(w, inputs, rows)
	case "parquet":
		return view.Records[row](rows).WriteParquet(w)
	}
	return fmt.Errorf("format %q: not one of %s", o.Format, strings.Join(Formats, ", "))
}

// eachName replaces the names that come from a trace.
func (r *row) eachName(by func(string) string) {
	r.Process = by(r.Process)
	for i, name := range r.Layers {
		r.Layers[i] = by(name)
	}
	for _, name := range []**string{&r.CauseSlice, &r.CauseCulprit, &r.Layer} {
		if *name != nil {
			*name = new(by(**name)) // the rows of a layer share the string
		}
	}
}

// document is the JSON form.
type document struct {
	// ClockOffset is trace time minus CLOCK_MONOTONIC, nanoseconds; null for several inputs.
	ClockOffset *int64        `json:"clock_offset_ns"`
	Frames      iter.Seq[row] `json:"frames"`
	Diagnostics []diagnostic  `json:"diagnostics"`
}

type diagnostic struct {
	Input string `json:"input,omitempty"` // one of several
	What  string `json:"what"`
	Count int    `json:"count"`
	Lines []int  `json:"lines"` // the first few line numbers, counted from 1
}

func writeJSON(w io.Writer, inputs []Input, rows iter.Seq[row]) error {
	d := document{Frames: rows, Diagnostics: []diagnostic{}}
	for _, in := range inputs {
		if len(inputs) == 1 {
			d.ClockOffset = new(int64(in.Timeline.Clock.Offset))
		}
		for _, c := range in.Timeline.Diagnostics.Counts {
			found := diagnostic{What: c.Diagnostic.String(), Count: c.Total, Lines: append([]int{}, c.Lines...)}
			if len(inputs) > 1 {
				found.Input = in.Name
			}
			d.Diagnostics = append(d.Diagnostics, found)
		}
	}
	return text.WriteJSON(w, d)
}

// Row is a row of the table.
type Row = row

// Frames returns the rows of the frames of a trace, without those of buffers. c may be nil.
func Frames(t *analyzer.Timeline, c *why.Causes) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		in := &Input{Timeline: t, Causes: c, interactions: interactionIDs(t)}
		for _, f := range t.Frames {
			if !yield(in.row(f)) {
				return
			}
		}
	}
}
