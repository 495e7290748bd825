package frametable

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/parquet-go/parquet-go"

	"ohframe/analyzer"
)

// Formats are the names of the formats that Write knows.
var Formats = []string{"table", "csv", "json", "parquet"}

// IsBinary reports whether a format is not for a terminal.
func IsBinary(format string) bool { return format == "parquet" }

// Write writes the timeline's frames in the given format.
func Write(w io.Writer, t *analyzer.Timeline, format string) error {
	switch format {
	case "table":
		return writeTable(w, t)
	case "csv":
		return writeCSV(w, t)
	case "json":
		return writeJSON(w, t)
	case "parquet":
		return writeParquet(w, t)
	}
	return fmt.Errorf("format %q: not one of %s", format, strings.Join(Formats, ", "))
}

func writeTable(w io.Writer, t *analyzer.Timeline) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(Columns, "\t"))
	for _, f := range t.Frames {
		r := newRow(f)
		cells := r.cells()
		for i, c := range cells {
			if c == "" {
				cells[i] = "-"
			}
		}
		fmt.Fprintln(tw, strings.Join(cells, "\t"))
	}
	return tw.Flush()
}

func writeCSV(w io.Writer, t *analyzer.Timeline) error {
	cw := csv.NewWriter(w)
	if err := cw.Write(Columns); err != nil {
		return err
	}
	for _, f := range t.Frames {
		r := newRow(f)
		if err := cw.Write(r.cells()); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// document is the JSON form.
type document struct {
	ClockOffset int64        `json:"clock_offset"` // trace time minus CLOCK_MONOTONIC, nanoseconds
	Frames      []row        `json:"frames"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnostic struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Lines []int  `json:"lines"` // the first few, counted from 1
}

func writeJSON(w io.Writer, t *analyzer.Timeline) error {
	d := document{ClockOffset: int64(t.Clock.Offset), Frames: []row{}, Diagnostics: []diagnostic{}}
	for _, f := range t.Frames {
		d.Frames = append(d.Frames, newRow(f))
	}
	for _, c := range t.Diagnostics.Counts() {
		d.Diagnostics = append(d.Diagnostics, diagnostic{c.Diagnostic.String(), c.Total, append([]int{}, c.Lines...)})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(d)
}

func writeParquet(w io.Writer, t *analyzer.Timeline) error {
	pw := parquet.NewGenericWriter[row](w, parquet.Compression(&parquet.Zstd))
	for _, f := range t.Frames {
		if _, err := pw.Write([]row{newRow(f)}); err != nil {
			return err
		}
	}
	return pw.Close()
}
