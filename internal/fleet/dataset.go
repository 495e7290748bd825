package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe/internal/causes"
	"ohframe/internal/diag"
	"ohframe/internal/record/meta"
)

// Dataset is what Run has written to a folder.
type Dataset struct {
	Dir                string
	Version            string // of the program that wrote it
	Shards             int
	Missing            []int // shards that have not all parts
	causes.TraceCounts       // of the shards that have parts
	// Rows are those of processes of traces.
	Rows int64
	// Damaged is the number of traces that have parts that cannot be read.
	Damaged int
	// NoCauses: no causes were looked for.
	NoCauses bool
	Dims     []string

	some    []int // shards among Missing that have parts
	store   Store
	parts   [tables][]string  // by shard
	results []string          // by shard, of the table of results
	columns map[string]string // by folder, as a text
	// packed are the rows of traces in memory, which have no parts, and only the traces that are wanted; nil for all.
	packed    [tables][]packed
	columnsOf func(table, []string) wanted // the columns of packed
	flags     []string                     // of commands about traces in memory
	only      map[string]bool
}

// Failed says which traces were not measured; empty if all were. What Only returns has none.
func (d *Dataset) Failed() string {
	if Failed(d.Failures) == 0 {
		return ""
	}
	return FailuresText(d.Failures)
}

// Warnings says what is not in the dataset.
func (d *Dataset) Warnings() []string {
	if len(d.Missing) == 0 {
		return nil
	}
	var list []string
	for _, k := range d.Missing[:min(10, len(d.Missing))] {
		list = append(list, strconv.Itoa(k))
	}
	if n := len(d.Missing) - len(list); n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return []string{fmt.Sprintf("%d of %d shards missing: %s; their traces are not counted", len(d.Missing), d.Shards, strings.Join(list, ", "))}
}

// writeAgain is the hint if a part is not what this version reads.
const writeAgain = "ohframe fleet run writes it again"

// damagedPart returns the error of a part that cannot be read.
func damagedPart(name string, err error) error {
	return &diag.Error{What: fmt.Sprintf("%s: %v", name, err), Hint: writeAgain, Err: err}
}

// scan reads all parts of a table, several at once. begin is called for each reader and returns
// the function for its rows, which it gets part by part, and one for the end of a part.
func (d *Dataset) scan(ctx context.Context, w wanted, begin func() (row func(*Row), end func())) error {
	if d.only != nil {
		all := begin
		begin = func() (func(*Row), func()) {
			row, end := all()
			return func(r *Row) {
				if d.only[r.Trace] {
					row(r)
				}
			}, end
		}
	}
	if d.store == nil {
		row, end := begin()
		err := d.scanPacked(w, row)
		end()
		return cmp.Or(context.Cause(ctx), err)
	}
	return d.scanParts(ctx, w, begin)
}

// day returns the day in UTC of a time in microseconds.
func day(microseconds int64) string { return time.UnixMicro(microseconds).UTC().Format(time.DateOnly) }

// Stored is a trace of a dataset.
type Stored struct {
	Dataset *Dataset
	Name    string // of the trace, as the run got it
	Values  Values // of the dimensions, with recordedDay
	// Recorded is when it was recorded, in microseconds since 1970; nil if that is unknown.
	Recorded *int64
	Meta     *meta.Meta // how it was recorded; nil if that is unknown
	// Unreliable: its data is unreliable, see package quality.
	Unreliable bool
	part       string
	row        int64
}

// ID is the same of a trace in several datasets, which has one name and one time of day. Without the time it is
// known to be the same trace in one dataset only.
func (s *Stored) ID() string {
	if s.Recorded != nil {
		return fmt.Sprint(*s.Recorded, " ", s.Name)
	}
	return joinPath(cleanName(s.Dataset.Dir), s.Name)
}

// IsDataset reports whether a folder is a dataset: its tables have parts.
func IsDataset(dir string) bool {
	for _, folder := range []string{tracesFolder, failuresFolder} {
		names, _ := Files{}.List(context.Background(), joinPath(dir, folder))
		if slices.ContainsFunc(names, func(name string) bool { _, _, ok := parsePart(name); return ok }) {
			return true
		}
	}
	return false
}
