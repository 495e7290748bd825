package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parquet-go/parquet-go"

	"ohframe/internal/diag"
)

// Dataset is what Run has written to a folder.
type Dataset struct {
	Dir     string
	Version string // of the program that wrote it
	Shards  int
	Missing []int // shards that have not all parts
	// Traces counts the traces of the shards that have parts, failures included.
	Traces   int
	Measured int // those without a failure
	// Rows are those of processes of traces.
	Rows int64
	// Unreliable counts the traces with rows whose data is unreliable, see package quality.
	Unreliable int
	// NoCauses: no causes were looked for.
	NoCauses bool
	Dims     []string
	Failures map[Reason]int
	// Events are the numbers of events by kind; empty without events.
	Events map[string]int

	some    []int // shards among Missing that have parts
	store   Store
	parts   [tables][]string // by shard
	results []string         // by shard, of the table of results
	columns []string         // by folder, as a text
	// packed are the rows of traces in memory, which have no parts, and only the traces that are wanted; nil for all.
	packed [tables][]packed
	only   map[string]bool
}

// folders are the folders of a dataset. Each shard has a part in each.
var folders = []string{tracesFolder, failuresFolder, interactionsFolder, layersFolder, eventsFolder, resultsFolder}

// Open opens a dataset and checks that its parts belong together.
func Open(ctx context.Context, store Store, dir string) (*Dataset, error) {
	d := &Dataset{Dir: dir, Failures: map[Reason]int{}, Events: map[string]int{}, store: store}
	parts := map[int]int{} // how many each shard has
	for _, folder := range folders {
		shards, err := d.list(ctx, folder)
		if err != nil {
			return nil, err
		}
		for k := range shards {
			parts[k]++
		}
	}
	if d.Shards == 0 {
		return nil, &diag.Error{What: dir + ": no dataset", Hint: "ohframe fleet run INPUT… -o DIR writes one"}
	}
	var first *head
	for k := range d.Shards {
		// Run writes the part of the traces last: without the others it is damaged.
		if parts[k] < len(folders) {
			d.Missing = append(d.Missing, k)
			if parts[k] > 0 {
				d.some = append(d.some, k)
			}
			continue
		}
		var err error
		if first, err = d.addShard(ctx, k, first); err != nil {
			return nil, err
		}
	}
	if first == nil {
		return nil, &diag.Error{What: dir + ": no complete shard", Hint: "run with --resume"}
	}
	return d, nil
}

// head is what a part says about itself.
type head struct {
	name                     string
	schema, shard, version   string // of the columns, the shard and the program
	options, inputs, columns string
	traces, unreliable       int
	rows                     int64
	noCauses                 bool
	dims                     []string
}

// addShard adds the shard's parts. first is the head of the first shard's traces, nil for
// that shard, and is returned.
func (d *Dataset) addShard(ctx context.Context, k int, first *head) (*head, error) {
	var heads []*head // in the order of folders
	for _, folder := range folders {
		var r *record
		var f Failure
		var e EventRow
		yield := func() {}
		switch folder {
		case failuresFolder:
			r, yield = newRecord("failures", f.cells(nil)), func() { d.Failures[f.Reason]++ }
		case eventsFolder:
			kind := []string{}
			if slices.Contains(d.Dims, eventDims[0]) {
				kind = eventDims[:1]
			}
			r, yield = newRecord("events", e.cells(kind)), func() {
				if len(kind) > 0 && e.Dims[0] != nil {
					d.Events[strings.Clone(*e.Dims[0])]++
				}
			}
		}
		h, err := d.part(ctx, folder, k, r, yield)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = h
			d.Version, d.Dims, d.NoCauses = first.version, first.dims, first.noCauses
			for _, folder := range folders {
				d.columns = append(d.columns, schemaOf(folder, d.Dims).String())
			}
		}
		heads = append(heads, h)
	}
	traces := heads[0]
	for _, h := range heads {
		if err := h.check(first, fmt.Sprintf("%d of %d", k, d.Shards)); err != nil {
			return nil, err
		}
	}
	for _, h := range heads[1:] {
		if h.inputs != traces.inputs {
			return nil, &diag.Error{What: fmt.Sprintf("%s: of other traces than the shard's part in %s", h.name, tracesFolder), Hint: writeAgain}
		}
	}
	for i, h := range heads {
		if h.columns != d.columns[i] {
			return nil, &diag.Error{What: h.name + ": has other columns than this version writes", Hint: writeAgain}
		}
	}
	d.Traces += traces.traces
	d.Measured += int(heads[slices.Index(folders, resultsFolder)].rows)
	d.Rows += traces.rows
	d.Unreliable += traces.unreliable
	for t, folder := range tableFolders {
		d.parts[t] = append(d.parts[t], heads[slices.Index(folders, folder)].name)
	}
	d.results = append(d.results, heads[slices.Index(folders, resultsFolder)].name)
	return first, nil
}

// part reads the head of a part, and, if a record is given, its rows.
func (d *Dataset) part(ctx context.Context, folder string, shard int, r *record, yield func()) (*head, error) {
	f, err := d.open(ctx, joinPath(d.Dir, folder, partName(shard, d.Shards)))
	if err != nil {
		return nil, err
	}
	defer f.close()
	get := func(key string) string {
		value, _ := f.Lookup(key)
		return value
	}
	h := &head{
		name: f.name, schema: get(keySchema), shard: get(keyShard), version: get(keyVersion), options: get(keyOptions), inputs: get(keyInputs),
		columns: f.Schema().String(), dims: dimsOf(f.Schema()), rows: f.NumRows(), noCauses: get(keyCauses) == "false",
	}
	h.traces, _ = strconv.Atoi(get(keyTraces))
	h.unreliable, _ = strconv.Atoi(get(keyUnreliable))
	if err = checkDictionaries(f); err == nil && r != nil && h.schema == schemaVersion {
		err = f.read(r, yield)
	}
	return h, err
}

// check returns an error if a part is not one of a shard, or does not belong to the first part.
func (h *head) check(first *head, shard string) error {
	switch {
	case h.schema != schemaVersion:
		return &diag.Error{What: fmt.Sprintf("%s: schema %q, this version reads %s", h.name, h.schema, schemaVersion), Hint: writeAgain}
	case h.shard != shard:
		return &diag.Error{What: fmt.Sprintf("%s: contains shard %s", h.name, h.shard), Hint: "the file was renamed; a shard that is there twice would count twice"}
	case h.version != first.version:
		return &diag.Error{What: fmt.Sprintf("%s: written by version %s, %s by %s", h.name, h.version, first.name, first.version), Hint: "run with --resume: it writes the shards of other versions again"}
	case h.options != first.options:
		return &diag.Error{What: fmt.Sprintf("%s: written with other options than %s", h.name, first.name), Hint: "run with --resume: it writes the shards of other options again"}
	}
	return nil
}

// list returns the shards that have a part in a folder, and sets Shards.
func (d *Dataset) list(ctx context.Context, folder string) (map[int]bool, error) {
	names, err := d.store.List(ctx, joinPath(d.Dir, folder))
	if err != nil {
		return nil, err
	}
	shards := map[int]bool{}
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			continue // of a run that goes on, or was killed
		}
		k, n, ok := parsePart(name)
		switch {
		case !ok:
			return nil, &diag.Error{What: joinPath(d.Dir, folder, name) + ": not a part of a dataset", Hint: "remove it: a copy of a part would count twice"}
		case d.Shards == 0:
			d.Shards = n
		case d.Shards != n:
			return nil, &diag.Error{What: fmt.Sprintf("%s: has parts of %d and of %d shards", d.Dir, min(n, d.Shards), max(n, d.Shards)), Hint: "remove those of the older run"}
		}
		shards[k] = true
	}
	return shards, nil
}

// dimsOf returns the columns between trace and format.
func dimsOf(schema *parquet.Schema) (names []string) {
	for _, f := range schema.Fields() {
		if !slices.Contains(builtIn, f.Name()) {
			names = append(names, f.Name())
		}
	}
	return names
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

// partFile is an open part.
type partFile struct {
	*parquet.File
	name string
	part Part
}

func (d *Dataset) open(ctx context.Context, name string, options ...parquet.FileOption) (*partFile, error) {
	part, size, err := d.store.OpenPart(ctx, name)
	if err != nil {
		return nil, err
	}
	f, err := openParquet(part, size, options...)
	if err != nil {
		part.Close()
		return nil, damagedPart(name, err)
	}
	return &partFile{f, name, part}, nil
}

// writeAgain is the hint if a part is not what this version reads.
const writeAgain = "ohframe fleet run writes it again"

// damagedPart returns the error of a part that cannot be read.
func damagedPart(name string, err error) error {
	return &diag.Error{What: fmt.Sprintf("%s: %v", name, err), Hint: writeAgain, Err: err}
}

func (f *partFile) close() { f.part.Close() }

// read calls yield after it has loaded each row. Damage is an error: the library panics on it,
// and so does yield if there is no such bucket, or if lists of a row have other lengths.
func (f *partFile) read(r *record, yield func()) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("damaged: %v", value)
		}
		if err != nil {
			err = damagedPart(f.name, err)
		}
	}()
	reader := parquet.NewReader(f.File, r.schema)
	defer reader.Close()
	rows := make([]parquet.Row, 64)
	for {
		n, err := reader.ReadRows(rows)
		for _, row := range rows[:n] {
			if err := r.load(row); err != nil {
				return err
			}
			yield()
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
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
	parts := make(chan string)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i := range errs {
		row, end := begin()
		group.Go(func() {
			var r Row
			record := newRecord("traces", r.cells(w))
			for name := range parts {
				if errs[i] != nil || ctx.Err() != nil {
					continue
				}
				f, err := d.open(ctx, name)
				if err == nil {
					err = f.read(record, func() { row(&r) })
					f.close()
				}
				end()
				errs[i] = err
			}
		})
	}
	for _, name := range d.parts[w.table] {
		parts <- name
	}
	close(parts)
	group.Wait()
	return cmp.Or(context.Cause(ctx), errors.Join(errs...))
}

// day returns the day in UTC of a time in microseconds.
func day(microseconds int64) string { return time.UnixMicro(microseconds).UTC().Format(time.DateOnly) }
