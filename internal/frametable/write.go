package frametable

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"ohframe/analyzer"
	"ohframe/internal/words"
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

// writeTable goes through the frames twice, first for how wide columns are: there
// may be too many rows to keep.
func writeTable(w io.Writer, t *analyzer.Timeline) error {
	widths := make([]int, len(Columns))
	eachRow := func(do func(cells []string)) {
		do(Columns)
		for _, f := range t.Frames {
			r := newRow(f)
			r.Process = words.Printable(r.Process)
			cells := r.cells()
			for i, c := range cells {
				if c == "" {
					cells[i] = "-"
				}
			}
			do(cells)
		}
	}
	eachRow(func(cells []string) {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	})
	out := bufio.NewWriter(w)
	eachRow(func(cells []string) {
		for i, c := range cells {
			out.WriteString(c)
			if i == len(cells)-1 {
				out.WriteByte('\n')
				break
			}
			for range widths[i] + 2 - utf8.RuneCountInString(c) {
				out.WriteByte(' ')
			}
		}
	})
	return out.Flush()
}

func writeCSV(w io.Writer, t *analyzer.Timeline) error {
	cw := csv.NewWriter(w)
	if err := cw.Write(Columns); err != nil {
		return err
	}
	for _, f := range t.Frames {
		r := newRow(f)
		r.Process = words.Cell(r.Process)
		if err := cw.Write(r.cells()); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// document is what the JSON form has beside the frames.
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

// writeJSON writes the document with one frame after the other in the place of
// an empty list: there may be too many to keep.
func writeJSON(w io.Writer, t *analyzer.Timeline) error {
	d := document{ClockOffset: int64(t.Clock.Offset), Frames: []row{}, Diagnostics: []diagnostic{}}
	for _, c := range t.Diagnostics.Counts() {
		d.Diagnostics = append(d.Diagnostics, diagnostic{c.Diagnostic.String(), c.Total, append([]int{}, c.Lines...)})
	}
	text, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	const frames = `"frames": [`
	before, after, _ := bytes.Cut(text, []byte(frames))
	out := bufio.NewWriter(w)
	out.Write(before)
	out.WriteString(frames)
	for i, f := range t.Frames {
		text, err := json.MarshalIndent(newRow(f), "  ", " ")
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n  ")
		out.Write(text)
	}
	if len(t.Frames) > 0 {
		out.WriteString("\n ")
	}
	out.Write(after)
	out.WriteByte('\n')
	return out.Flush()
}

// rowsPerGroup is how many rows are kept until they are written.
const rowsPerGroup = 1 << 16

func writeParquet(w io.Writer, t *analyzer.Timeline) error {
	pw := parquet.NewGenericWriter[row](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsPerGroup))
	for _, f := range t.Frames {
		if _, err := pw.Write([]row{newRow(f)}); err != nil {
			return err
		}
	}
	return pw.Close()
}
