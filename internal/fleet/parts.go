//go:build !js

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

	"ohframe/internal/causes"
	"ohframe/internal/diag"
	"ohframe/internal/inputs"
)

// folders are those in which each shard has a part.
var folders = Folders[1:]

// Open opens a dataset and checks that its parts belong together.
func Open(ctx context.Context, store Store, dir string) (*Dataset, error) {
	d := &Dataset{Dir: dir, columns: map[string]string{}, TraceCounts: causes.NewTraceCounts(), store: store}
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
	name                        string
	schema, shard, version      string // of the columns, the shard and the program
	options, inputs, columns    string
	traces, damaged, unreliable int
	rows                        int64
	noCauses                    bool
	dims                        []string
}

// addShard adds the shard's parts. first is the head of the first shard's traces, nil for
// that shard, and is returned.
func (d *Dataset) addShard(ctx context.Context, k int, first *head) (*head, error) {
	heads := map[string]*head{}
	for _, folder := range slices.Backward(folders) { // the traces have the dimensions of events
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
				d.columns[folder] = recordOf(folder, d.Dims).schema.String()
			}
		}
		heads[folder] = h
	}
	traces := heads[tracesFolder]
	for _, folder := range slices.Backward(folders) {
		h := heads[folder]
		if err := h.check(first, fmt.Sprintf("%d of %d", k, d.Shards)); err != nil {
			return nil, err
		}
	}
	for _, folder := range folders {
		if h := heads[folder]; h.inputs != traces.inputs {
			return nil, &diag.Error{What: fmt.Sprintf("%s: of other traces than the shard's part in %s", h.name, tracesFolder), Hint: writeAgain}
		}
	}
	for _, folder := range folders {
		if h := heads[folder]; h.columns != d.columns[folder] {
			return nil, &diag.Error{What: h.name + ": has other columns than this version writes", Hint: writeAgain}
		}
	}
	d.Traces += traces.traces
	d.Measured += int(heads[resultsFolder].rows)
	d.Rows += traces.rows
	d.Damaged += traces.damaged
	d.Unreliable += traces.unreliable
	for t, folder := range tableFolders {
		d.parts[t] = append(d.parts[t], heads[folder].name)
	}
	d.results = append(d.results, heads[resultsFolder].name)
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
	h.damaged, _ = strconv.Atoi(get(keyDamaged))
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

// done reports whether the shard's parts exist and another run would write the same: their
// metadata is that of this run, and no trace was changed after they were written.
func (p *Plan) done(ctx context.Context, store Store, dir string, shard int) bool {
	metadata := p.metadata(ctx, store, shard)
	var written time.Time // the time of the oldest part
	for _, folder := range p.folders() {
		name := p.part(dir, folder, shard)
		if !partDone(ctx, store, name, metadata) {
			return false
		}
		if at := store.Written(ctx, name); written.IsZero() || at.Before(written) {
			written = at
		}
	}
	for _, in := range p.Shards[shard] {
		for _, name := range append(inputs.Beside(in.Name), in.Name) {
			if !store.Written(ctx, name).Before(written) && !written.IsZero() {
				return false
			}
		}
	}
	return true
}

func partDone(ctx context.Context, store Store, name string, metadata [][2]string) bool {
	part, size, err := store.OpenPart(ctx, name)
	if err != nil {
		return false
	}
	defer part.Close()
	f, err := openParquet(part, size)
	if err != nil {
		return false
	}
	for _, m := range metadata {
		if value, _ := f.Lookup(m[0]); value != m[1] {
			return false
		}
	}
	repeat, _ := f.Lookup(keyRepeat)
	return repeat == "false"
}

// openParquet opens a file and reads only its end.
func openParquet(part Part, size int64, options ...parquet.FileOption) (f *parquet.File, err error) {
	defer func() {
		if r := recover(); r != nil { // the library's on some damaged files
			err = cmp.Or(err, errors.New("damaged"))
		}
	}()
	return parquet.OpenFile(part, size, append([]parquet.FileOption{parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true)}, options...)...)
}

// CheckOthers returns an error if the given shard has traces that are no inputs, and would be lost, or if others were
// written with other options or by another version: a dataset would have both. All are written again if the shard is -1:
// then only options that the user gives are compared.
func (p *Plan) CheckOthers(ctx context.Context, store Store, dir string, shard int) error {
	names, err := store.List(ctx, joinPath(dir, tracesFolder))
	if err != nil {
		return err
	}
	for _, name := range names {
		k, _, ok := parsePart(name)
		if !ok {
			continue
		}
		d := &Dataset{store: store}
		all := shard < 0
		if all || k == shard {
			if lost := p.lost(ctx, d, dir, k); lost != "" {
				return &diag.Error{What: fmt.Sprintf("%s: has a dataset with traces that are no inputs, such as %s", dir, lost), Hint: "-o DIR names another folder; --resume drops traces that are no inputs by the same name"}
			}
		}
		f, err := d.open(ctx, joinPath(dir, tracesFolder, name))
		if err != nil {
			continue // readers of the dataset report it
		}
		version, _ := f.Lookup(keyVersion)
		options, _ := f.Lookup(keyOptions)
		hash := p.hash
		if all {
			hash = p.hashOptions(dimsOf(f.Schema())) // those of folders and events come and go
		}
		f.close()
		differs := ""
		switch {
		case k == shard:
			continue
		case version != p.Version && !all:
			differs = "by another version"
		case version == p.Version && options != hash:
			differs = "with other options"
		default:
			continue
		}
		return &diag.Error{What: fmt.Sprintf("%s: written %s than this run would write", joinPath(dir, tracesFolder, name), differs), Hint: "-o DIR names another folder; --resume in all processes writes all shards again"}
	}
	return nil
}

// lost returns the first trace of a shard of a dataset that the shard's inputs do not have; empty without one.
func (p *Plan) lost(ctx context.Context, d *Dataset, dir string, shard int) (lost string) {
	f, err := d.open(ctx, p.part(dir, resultsFolder, shard))
	if err != nil {
		return ""
	}
	defer f.close()
	names := map[string]bool{}
	for _, in := range p.Shards[shard] {
		names[in.Name] = true
	}
	var name string
	f.read(newRecord("results", []cell{{"trace", &name}}), func() { // readers of the dataset report damage
		if lost == "" && !names[name] {
			lost = strings.Clone(name)
		}
	})
	return lost
}

// scanParts is scan of a dataset in a store.
func (d *Dataset) scanParts(ctx context.Context, w wanted, begin func() (row func(*Row), end func())) error {
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
