package frametable

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/text"
)

// Formats are the formats of Write.
var Formats = []string{"table", "csv", "json", "parquet"}

// IsBinary reports whether the output in a format is binary.
func IsBinary(format string) bool { return format == "parquet" }

// Options are the options of Write.
type Options struct {
	Format string // one of Formats
	// Layers writes a row for each layer of a frame instead of one for the frame.
	Layers bool
	// Causes, if not nil, fills the columns of causes.
	Causes *why.Causes
}

// Write writes the timeline's frames. It returns an error if the format is unknown
// or writing to w fails.
func Write(w io.Writer, t *analyzer.Timeline, o Options) error {
	rows := func(yield func(row) bool) {
		for _, f := range t.Frames {
			for _, r := range rowsOf(f, &o) {
				if !yield(r) {
					return
				}
			}
		}
	}
	switch o.Format {
	case "table":
		return writeTable(w, rows)
	case "csv":
		return writeCSV(w, rows)
	case "json":
		return writeJSON(w, t, rows)
	case "parquet":
		return writeParquet(w, rows)
	}
	return fmt.Errorf("format %q: not one of %s", o.Format, strings.Join(Formats, ", "))
}

// writeTable iterates over the frames twice, first to find the widths of the
// columns: there may be too many rows to keep.
func writeTable(w io.Writer, rows iter.Seq[row]) error {
	widths := make([]int, len(Columns))
	eachRow := func(do func(cells []string)) {
		do(Columns)
		for r := range rows {
			r.eachName(text.Printable)
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

func writeCSV(w io.Writer, rows iter.Seq[row]) error {
	cw := csv.NewWriter(w)
	if err := cw.Write(Columns); err != nil {
		return err
	}
	for r := range rows {
		r.eachName(text.Cell)
		if err := cw.Write(r.cells()); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// eachName replaces the names that come from a trace.
func (r *row) eachName(by func(string) string) {
	r.Process = by(r.Process)
	for i, name := range r.Layers {
		r.Layers[i] = by(name)
	}
	for _, name := range []**string{&r.CauseSlice, &r.CauseCulprit} {
		if *name != nil {
			s := by(**name) // rows of layers share the string
			*name = &s
		}
	}
}

// document is the JSON form. Its frames are written separately.
type document struct {
	ClockOffset int64        `json:"clock_offset"` // trace time minus CLOCK_MONOTONIC, nanoseconds
	Frames      []row        `json:"frames"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnostic struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Lines []int  `json:"lines"` // the first few line numbers, counted from 1
}

// writeJSON inserts the frames one by one into the text of a document without
// frames: there may be too many to keep.
func writeJSON(w io.Writer, t *analyzer.Timeline, rows iter.Seq[row]) error {
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
	first := true
	for r := range rows {
		text, err := json.MarshalIndent(r, "  ", " ")
		if err != nil {
			return err
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		out.WriteString("\n  ")
		out.Write(text)
	}
	if !first {
		out.WriteString("\n ")
	}
	out.Write(after)
	out.WriteByte('\n')
	return out.Flush()
}

// rowsPerGroup is the number of rows in memory before they are written.
const rowsPerGroup = 1 << 16

func writeParquet(w io.Writer, rows iter.Seq[row]) error {
	pw := parquet.NewGenericWriter[row](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsPerGroup))
	for r := range rows {
		if _, err := pw.Write([]row{r}); err != nil {
			return err
		}
	}
	return pw.Close()
}

// ParquetColumns returns the columns of the Parquet format.
func ParquetColumns() []reflect.StructField { return reflect.VisibleFields(reflect.TypeFor[row]()) }

// ParquetRows returns the rows of the Parquet format, one for each frame.
func ParquetRows(t *analyzer.Timeline) iter.Seq[parquet.Row] {
	schema := parquet.SchemaOf(row{})
	return func(yield func(parquet.Row) bool) {
		var list parquet.Row
		for _, f := range t.Frames {
			r := newRow(f)
			if list = schema.Deconstruct(list[:0], &r); !yield(list) {
				return
			}
		}
	}
}
