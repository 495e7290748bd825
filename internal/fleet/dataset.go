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

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/failure"
)

// Dataset is what Run has written to a folder.
type Dataset struct {
	Dir     string
	Version string // of the program that wrote it
	Shards  int
	Missing []int // shards that have no parts
	// Traces counts the traces of the shards that have parts, failures included.
	Traces int
	// Unreliable counts the traces with rows whose data is unreliable, see package quality.
	Unreliable int
	Dims       []string
	Failures   map[Reason]int

	store Store
	parts []string // of the traces, by shard
}

// Open opens a dataset and checks that its parts belong together.
func Open(ctx context.Context, store Store, dir string) (*Dataset, error) {
	d := &Dataset{Dir: dir, Failures: map[Reason]int{}, store: store}
	traces, err := d.list(ctx, tracesFolder)
	if err != nil {
		return nil, err
	}
	failures, err := d.list(ctx, failuresFolder)
	if err != nil {
		return nil, err
	}
	if d.Shards == 0 {
		return nil, &failure.Error{What: dir + ": no dataset", Hint: "ohframe fleet run INPUT… -o DIR writes one"}
	}
	var first *head
	for k := range d.Shards {
		// Run writes the part of the traces last: without the other it is damaged.
		if !traces[k] || !failures[k] {
			d.Missing = append(d.Missing, k)
			continue
		}
		if first, err = d.addShard(ctx, k, first); err != nil {
			return nil, err
		}
	}
	if first == nil {
		return nil, &failure.Error{What: dir + ": no complete shard", Hint: "run with --resume"}
	}
	return d, nil
}

// head is what a part says about itself.
type head struct {
	name                     string
	schema, shard, version   string // of the columns, the shard and the program
	options, inputs, columns string
	traces, unreliable       int
	dims                     []string
}

// addShard adds the shard's parts. first is the head of the first shard's traces, nil for
// that shard, and is returned.
func (d *Dataset) addShard(ctx context.Context, k int, first *head) (*head, error) {
	traces, err := d.part(ctx, tracesFolder, k, nil)
	if err != nil {
		return nil, err
	}
	failures, err := d.part(ctx, failuresFolder, k, func(g *rowGroup) {
		for _, reason := range g.strings("reason") {
			d.Failures[Reason(*reason)]++
		}
	})
	if err != nil {
		return nil, err
	}
	if first == nil {
		first = traces
		d.Version, d.Dims = first.version, first.dims
	}
	for _, h := range []*head{traces, failures} {
		if err := h.check(first, fmt.Sprintf("%d of %d", k, d.Shards)); err != nil {
			return nil, err
		}
	}
	switch {
	case failures.inputs != traces.inputs:
		return nil, &failure.Error{What: fmt.Sprintf("%s: of other traces than the shard's part in %s", failures.name, tracesFolder), Hint: "run the shard again"}
	case traces.columns != first.columns:
		return nil, &failure.Error{What: fmt.Sprintf("%s: has other columns than %s", traces.name, first.name)}
	}
	d.Traces += traces.traces
	d.Unreliable += traces.unreliable
	d.parts = append(d.parts, traces.name)
	return first, nil
}

// part reads the head of a part, and, if read is not nil, its rows.
func (d *Dataset) part(ctx context.Context, folder string, shard int, read func(*rowGroup)) (*head, error) {
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
		columns: f.Schema().String(), dims: dimsOf(f.Schema()),
	}
	h.traces, _ = strconv.Atoi(get(keyTraces))
	h.unreliable, _ = strconv.Atoi(get(keyUnreliable))
	if read != nil && h.schema == schemaVersion {
		err = f.eachGroup(read)
	}
	return h, err
}

// check returns an error if a part is not one of a shard, or does not belong to the first part.
func (h *head) check(first *head, shard string) error {
	switch {
	case h.schema != schemaVersion:
		return &failure.Error{What: fmt.Sprintf("%s: schema %q, this version reads %s", h.name, h.schema, schemaVersion), Hint: "run the shards again"}
	case h.shard != shard:
		return &failure.Error{What: fmt.Sprintf("%s: contains shard %s", h.name, h.shard), Hint: "the file was renamed; a shard that is there twice would count twice"}
	case h.version != first.version:
		return &failure.Error{What: fmt.Sprintf("%s: written by version %s, %s by %s", h.name, h.version, first.name, first.version), Hint: "run with --resume: it writes the shards of other versions again"}
	case h.options != first.options:
		return &failure.Error{What: fmt.Sprintf("%s: written with other options than %s", h.name, first.name), Hint: "run with --resume: it writes the shards of other options again"}
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
			return nil, &failure.Error{What: joinPath(d.Dir, folder, name) + ": not a part of a dataset", Hint: "remove it: a copy of a part would count twice"}
		case d.Shards == 0:
			d.Shards = n
		case d.Shards != n:
			return nil, &failure.Error{What: fmt.Sprintf("%s: has parts of %d and of %d shards", d.Dir, min(n, d.Shards), max(n, d.Shards)), Hint: "remove those of the older run"}
		}
		shards[k] = true
	}
	return shards, nil
}

// dimsOf returns the columns between trace_xxh3 and format.
func dimsOf(schema *parquet.Schema) (names []string) {
	for _, f := range schema.Fields() {
		if !slices.Contains(builtIn, f.Name()) {
			names = append(names, f.Name())
		}
	}
	return names
}

// Failed returns the number of failures.
func (d *Dataset) Failed() int { return failed(d.Failures) }

// reasons lists the numbers of failures by reason.
func (d *Dataset) reasons() string { return ReasonsText(d.Failures) }

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

func (d *Dataset) open(ctx context.Context, name string) (*partFile, error) {
	part, size, err := d.store.OpenPart(ctx, name)
	if err != nil {
		return nil, err
	}
	f, err := openParquet(part, size)
	if err != nil {
		part.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &partFile{f, name, part}, nil
}

func (f *partFile) close() { f.part.Close() }

// eachGroup calls read for each row group. What read panics with, on damaged files, is
// an error.
func (f *partFile) eachGroup(read func(*rowGroup)) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%s: damaged: %v", f.name, value)
		}
	}()
	for _, g := range f.RowGroups() {
		read(&rowGroup{f: f, chunks: g.ColumnChunks(), rows: int(g.NumRows())})
	}
	return nil
}

// rowGroup reads the columns of a row group. Its methods panic if the file is damaged.
type rowGroup struct {
	f      *partFile
	chunks []parquet.ColumnChunk
	rows   int
}

// pages calls read for each page of a column.
func (g *rowGroup) pages(path []string, read func(parquet.Page)) {
	leaf, ok := g.f.Schema().Lookup(path...)
	if !ok {
		panic("no column " + path[0])
	}
	pages := g.chunks[leaf.ColumnIndex].Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(err)
		}
		read(page)
		parquet.Release(page)
	}
}

// knownValues returns for each row whether its value is known.
func knownValues(page parquet.Page) []bool {
	list := make([]bool, page.NumRows())
	levels := page.DefinitionLevels()
	for i := range list {
		list[i] = len(levels) == 0 || levels[i] == 1
	}
	return list
}

// texts returns a function for the strings of a page that are known. shared are those of
// the column's dictionary, if it has one.
func texts(page parquet.Page, shared *[]*string) func(i int) *string {
	data := page.Data()
	dictionary := page.Dictionary()
	if dictionary == nil {
		text, offsets := data.ByteArray()
		return func(i int) *string {
			s := string(text[offsets[i]:offsets[i+1]])
			return &s
		}
	}
	for i := len(*shared); i < dictionary.Len(); i++ {
		s := string(dictionary.Index(int32(i)).ByteArray())
		*shared = append(*shared, &s)
	}
	indexes := data.Int32()
	return func(i int) *string { return (*shared)[indexes[i]] }
}

// strings returns a column of strings; nil if unknown. Equal ones share memory.
func (g *rowGroup) strings(name string) []*string {
	list := make([]*string, 0, g.rows)
	var shared []*string // by index in the dictionary
	g.pages([]string{name}, func(page parquet.Page) {
		next := texts(page, &shared)
		i := 0
		for _, known := range knownValues(page) {
			if !known {
				list = append(list, nil)
				continue
			}
			list = append(list, next(i))
			i++
		}
	})
	g.check(len(list))
	return list
}

// check panics if a column has not as many values as there are rows.
func (g *rowGroup) check(n int) {
	if n != g.rows {
		panic(fmt.Sprintf("%d values for %d rows", n, g.rows))
	}
}

// int64s appends a column of numbers to list.
func (g *rowGroup) int64s(name string, list []int64) []int64 {
	before := len(list)
	g.pages([]string{name}, func(page parquet.Page) { data := page.Data(); list = append(list, data.Int64()...) })
	g.check(len(list) - before)
	return list
}

func (g *rowGroup) int32s(name string, list []int32) []int32 {
	before := len(list)
	g.pages([]string{name}, func(page parquet.Page) { data := page.Data(); list = append(list, data.Int32()...) })
	g.check(len(list) - before)
	return list
}

// optional returns a column of numbers; nil if unknown.
func (g *rowGroup) optional(name string) []*int64 {
	list := make([]*int64, 0, g.rows)
	g.pages([]string{name}, func(page parquet.Page) {
		data := page.Data()
		values := slices.Clone(data.Int64())
		i := 0
		for _, known := range knownValues(page) {
			if !known {
				list = append(list, nil)
				continue
			}
			list = append(list, &values[i])
			i++
		}
	})
	g.check(len(list))
	return list
}

// lists reads a column of lists: it calls values with the page of some of the values, and
// returns where the list of each row ends.
func (g *rowGroup) lists(name string, ends []int, values func(parquet.Page)) []int {
	ends = ends[:0]
	n := 0
	g.pages([]string{name, "list", "element"}, func(page parquet.Page) {
		repetitions, definitions := page.RepetitionLevels(), page.DefinitionLevels()
		for i, d := range definitions {
			if repetitions[i] == 0 {
				ends = append(ends, n)
			}
			n += int(d)
			ends[len(ends)-1] = n
		}
		values(page)
	})
	g.check(len(ends))
	return ends
}

// scanner reads the rows of parts, with buffers that are used again.
type scanner struct {
	ends    [2][]int
	numbers [len(sums) + len(peaks)][]int64
	buckets []int32
	counts  [histograms][]Count
}

// wanted are the columns that a scan reads besides those that identify a row and the number
// of frames.
type wanted struct {
	dims       []string
	sums       bool // and peaks
	histograms int  // how many of the first
	details    bool // causes and worst frames
}

// numberColumns are the columns of numbers.
var numberColumns = append(slices.Clone(sums[:]), peaks[:]...)

// framesColumn is the number of frames in sums.
var framesColumn = sumIndex["frames"]

// read calls yield with all rows of a part. A row is valid during the call.
func (s *scanner) read(f *partFile, w wanted, yield func(*Row)) error {
	return f.eachGroup(func(g *rowGroup) {
		traces, formats, kinds, processes := g.strings("trace"), g.strings("format"), g.strings("kind"), g.strings("process")
		pids, recorded := g.int32s("pid", nil), g.optional("recorded")
		dims := make([][]*string, len(w.dims))
		for i, name := range w.dims {
			dims[i] = g.strings(name)
		}
		for i, c := range numberColumns {
			if w.sums || i == framesColumn {
				s.numbers[i] = g.int64s(c.name, s.numbers[i][:0])
			}
		}
		var ends [histograms][]int
		for h := range w.histograms {
			ends[h] = slices.Clone(s.histogram(g, h))
		}
		var causeEnds, worstEnds []int
		var causes []Cause
		var worst []Worst
		if w.details {
			causes, causeEnds = s.causes(g)
			worst, worstEnds = s.worst(g)
		}
		row := Row{Dims: make([]*string, len(dims))}
		from := func(ends []int, i int) int {
			if i == 0 {
				return 0
			}
			return ends[i-1]
		}
		for i := range g.rows {
			row.Trace, row.Format, row.Kind, row.Process = *traces[i], *formats[i], stats.Kind(*kinds[i]), *processes[i]
			row.PID, row.Recorded = trace.PID(pids[i]), recorded[i]
			for k := range dims {
				row.Dims[k] = dims[k][i]
			}
			row.Sums[framesColumn] = s.numbers[framesColumn][i]
			if w.sums {
				for k := range row.Sums {
					row.Sums[k] = s.numbers[k][i]
				}
				for k := range row.Peaks {
					row.Peaks[k] = s.numbers[len(sums)+k][i]
				}
			}
			for h := range w.histograms {
				row.Histograms[h] = s.counts[h][from(ends[h], i):ends[h][i]]
			}
			if w.details {
				row.Causes, row.Worst = causes[from(causeEnds, i):causeEnds[i]], worst[from(worstEnds, i):worstEnds[i]]
				for k := range row.Worst {
					row.Worst[k].Trace, row.Worst[k].Process, row.Worst[k].PID = row.Trace, row.Process, row.PID
				}
			}
			yield(&row)
		}
	})
}

// histogram reads a histogram of all rows to s.counts, and returns where those of each
// row end.
func (s *scanner) histogram(g *rowGroup, h int) []int {
	s.buckets, s.counts[h] = s.buckets[:0], s.counts[h][:0]
	s.ends[0] = g.lists(histogramNames[h]+"_bucket", s.ends[0], func(page parquet.Page) {
		data := page.Data()
		s.buckets = append(s.buckets, data.Int32()...)
	})
	s.ends[1] = g.lists(histogramNames[h]+"_count", s.ends[1], func(page parquet.Page) {
		data := page.Data()
		for _, n := range data.Int64() {
			b := Bucket(s.buckets[len(s.counts[h])])
			if !b.valid() {
				panic(fmt.Sprintf("bucket %d", b))
			}
			s.counts[h] = append(s.counts[h], Count{b, n})
		}
	})
	if !slices.Equal(s.ends[0], s.ends[1]) || len(s.buckets) != len(s.counts[h]) {
		panic("not as many counts as buckets")
	}
	return s.ends[0]
}

// numberLists reads lists of numbers that are equally long.
func (s *scanner) numberLists(g *rowGroup, names ...string) (lists [][]int64, ends []int) {
	for i, name := range names {
		var list []int64
		these := g.lists(name, nil, func(page parquet.Page) { data := page.Data(); list = append(list, data.Int64()...) })
		if i > 0 && !slices.Equal(these, ends) {
			panic("lists of different length in " + name)
		}
		lists, ends = append(lists, list), these
	}
	return lists, ends
}

func (s *scanner) causes(g *rowGroup) ([]Cause, []int) {
	lists, ends := s.numberLists(g, "cause_frames", "cause_lost_ns")
	causes := make([]Cause, 0, len(lists[0]))
	var shared []*string
	nameEnds := g.lists("cause", nil, func(page parquet.Page) {
		next := texts(page, &shared)
		for i := range int(page.NumValues() - page.NumNulls()) {
			n := len(causes)
			causes = append(causes, Cause{*next(i), lists[0][n], trace.Duration(lists[1][n])})
		}
	})
	if !slices.Equal(nameEnds, ends) {
		panic("lists of different length in cause")
	}
	return causes, ends
}

func (s *scanner) worst(g *rowGroup) ([]Worst, []int) {
	lists, ends := s.numberLists(g, "worst_vsync_id", "worst_start_ns", "worst_overrun_ns")
	worst := make([]Worst, len(lists[0]))
	for i := range worst {
		worst[i] = Worst{VsyncID: lists[0][i], Start: trace.Time(lists[1][i]), Overrun: trace.Duration(lists[2][i])}
	}
	return worst, ends
}

// scan reads all parts, several at once. begin is called for each reader and returns the
// function for its rows, which it gets part by part, and one for the end of a part.
func (d *Dataset) scan(ctx context.Context, w wanted, begin func() (row func(*Row), end func())) error {
	parts := make(chan string)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i := range errs {
		row, end := begin()
		group.Go(func() {
			var s scanner
			for name := range parts {
				if errs[i] != nil || ctx.Err() != nil {
					continue
				}
				f, err := d.open(ctx, name)
				if err == nil {
					err = s.read(f, w, row)
					f.close()
				}
				end()
				errs[i] = err
			}
		})
	}
	for _, name := range d.parts {
		parts <- name
	}
	close(parts)
	group.Wait()
	return cmp.Or(context.Cause(ctx), errors.Join(errs...))
}

// day returns the day in UTC of a time in microseconds.
func day(microseconds int64) string { return time.UnixMicro(microseconds).UTC().Format(time.DateOnly) }
