//go:build !js

package fleet

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/parquet-go/parquet-go"

	"ohframe"
	"ohframe/analyzer/trace"
	"ohframe/internal/frametable"
	"ohframe/internal/inputs"
	"ohframe/internal/text"
	"ohframe/internal/tune"
)

// Runner runs shards.
type Runner struct {
	Plan  *Plan
	Store Store
	Dir   string // of the dataset
	// Resume skips the shards whose parts exist and would be written again.
	Resume bool
	// Workers is how many traces are read at once. Zero is the number of processors.
	Workers int
	// Progress, if not nil, is called after each trace, also of skipped shards, with its
	// size; not concurrently.
	Progress func(bytes int64)

	read    func(context.Context, io.Reader, ohframe.Options) (*ohframe.Trace, error) // ohframe.Read, or that of a test
	packers sync.Pool                                                                 // of [tables]*packer
}

// Summary is what a run did.
type Summary struct {
	Shards, Skipped int
	Traces          int // of the shards that were not skipped, failures included
	Measured        int // of these, without a failure
	Events          int // rows of events: uploaded with traces or alone
	Rows            int // of traces
	Damaged         int // traces that have parts that cannot be read
	Unreliable      int // traces with rows whose data is unreliable, see package quality
	Failures        map[string]int
	// First is the failure with the first name.
	First Failure
	// Ignored counts the descriptions of recordings that could not be used.
	Ignored int
}

func (s *Summary) add(o *Summary) {
	s.Shards += o.Shards
	s.Traces += o.Traces
	s.Measured += o.Measured
	s.Events += o.Events
	s.Rows += o.Rows
	s.Damaged += o.Damaged
	s.Unreliable += o.Unreliable
	s.Ignored += o.Ignored
	for reason, n := range o.Failures {
		s.Failures[reason] += n
	}
	s.keepFirst(&o.First)
}

func (s *Summary) keepFirst(f *Failure) {
	if f.Reason != "" && (s.First.Reason == "" || f.Trace < s.First.Trace) {
		s.First = *f
	}
}

// Nothing says why no input gave a row; it is empty if one did, or a shard was complete already.
func (s *Summary) Nothing() string {
	if s.Rows+s.Events+s.Skipped > 0 || len(s.Failures) == 0 {
		return ""
	}
	return fmt.Sprintf("%s; %s: %s", ReasonsText(s.Failures), s.First.Trace, s.First.Message)
}

// Text says what a run did. skipped is the number of files in folders that were skipped.
func (s *Summary) Text(skipped int) string {
	line := text.Measured(s.Traces, s.Measured) + ", " + text.Count(s.Rows, "row")
	for _, part := range []struct {
		n           int
		noun, about string
	}{
		{s.Events, "event", ""}, {s.Skipped, "shard", " complete already"}, {s.Damaged, "trace", " damaged"}, {s.Unreliable, "trace", " with unreliable data"},
		{s.Ignored, "unusable description", " ignored"}, {Failed(s.Failures), "failure", " (" + ReasonsText(s.Failures) + ")"}, {skipped, "file", " skipped"},
	} {
		if part.n > 0 {
			line += ", " + text.Count(part.n, part.noun) + part.about
		}
	}
	return line
}

// maxOpenShards bounds the shards that are not complete yet: one slow trace may keep
// its shard open while others are run.
const maxOpenShards = 4

// Run runs the shards, which are numbered from 0. Traces that cannot be read are
// failures in the dataset. The error is that of writing or of the context.
//
//	shards ──▶ tasks ──▶ workers ──▶ a channel for each trace ──▶ a writer for each open shard
func (r *Runner) Run(ctx context.Context, shards []int) (*Summary, error) {
	if r.read == nil {
		r.read = ohframe.Read
	}
	workers := r.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type task struct {
		in  Input
		out chan<- result
	}
	tasks, open := make(chan task), make(chan struct{}, maxOpenShards)
	summary := &Summary{Failures: map[string]int{}}
	var mutex sync.Mutex // of summary and Progress
	progress := func(bytes int64) {
		mutex.Lock()
		defer mutex.Unlock()
		if r.Progress != nil {
			r.Progress(bytes)
		}
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for t := range tasks {
				t.out <- r.analyse(ctx, t.in, workers)
			}
		})
	}
	for _, k := range shards {
		if ctx.Err() != nil {
			break
		}
		inputs := r.Plan.Shards[k]
		if r.Resume && r.Plan.done(ctx, r.Store, r.Dir, k) {
			summary.Skipped++
			for _, in := range inputs {
				progress(in.Size)
			}
			continue
		}
		open <- struct{}{}
		results := make([]chan result, len(inputs))
		for i := range results {
			results[i] = make(chan result, 1) // a worker need not wait for its writer
		}
		group.Go(func() {
			defer func() { <-open }()
			s, err := r.writeShard(ctx, k, results, progress)
			if err != nil {
				cancel(err)
				return
			}
			mutex.Lock()
			defer mutex.Unlock()
			summary.add(s)
		})
		for i, in := range inputs {
			select {
			case tasks <- task{in, results[i]}:
			case <-ctx.Done():
			}
		}
	}
	close(tasks)
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return summary, nil
}

// writeShard writes the results of a shard in the order of its traces.
func (r *Runner) writeShard(ctx context.Context, shard int, results []chan result, progress func(bytes int64)) (*Summary, error) {
	w, err := newShardWriter(ctx, r.Plan, r.Store, r.Dir, shard)
	if err != nil {
		return nil, err
	}
	defer w.discard()
	for i, in := range r.Plan.Shards[shard] {
		var result result
		select {
		case result = <-results[i]:
		case <-ctx.Done():
		}
		if ctx.Err() != nil { // the result may be that of being interrupted
			return nil, context.Cause(ctx)
		}
		if err := w.write(&result); err != nil {
			return nil, err
		}
		progress(in.Size)
	}
	return &w.Summary, w.finish()
}

// result is what is written of a trace: rows, or a failure; of an event its row, or a failure, or
// both.
type result struct {
	stored  *storedRow
	event   *EventRow
	rows    [tables]packed
	failure *Failure
	// ignored: the description of the recording could not be used.
	ignored bool
	frames  *ohframe.Trace // if wanted, of the trace with the name and the dimensions
	name    string
	dims    []*string
}

// abandonAfter is how long reading may continue after its time is over before it is
// abandoned.
const abandonAfter = time.Second

// analyse reads a trace. It always returns a result.
func (r *Runner) analyse(ctx context.Context, in Input, workers int) result {
	reading := ctx
	if r.Plan.Timeout > 0 {
		var cancel context.CancelFunc
		reading, cancel = context.WithTimeout(ctx, r.Plan.Timeout)
		defer cancel()
	}
	type outcome struct {
		result result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if value := recover(); value != nil {
				done <- outcome{err: panicOf(value)}
			}
		}()
		result, err := r.measure(reading, in, workers)
		done <- outcome{result, err}
	}()
	var o outcome
	select {
	case o = <-done:
	case <-reading.Done():
		select {
		case o = <-done:
		case <-time.After(abandonAfter):
			o.err = reading.Err() // it hangs, and goes on to do so
		}
	}
	if o.err == nil {
		return o.result
	}
	f := &Failure{Trace: in.Name, Dims: r.Plan.dims.of(in), Size: in.Size, Reason: reasonOf(o.err), Message: messageOf(o.err)}
	if f.Reason == timeout {
		f.Message = fmt.Sprintf("took longer than %s", trace.Duration(r.Plan.Timeout))
	}
	o.result.failure = f
	return o.result
}

var errNoFrames = &ohframe.Error{What: "no process makes frames", Err: ohframe.ErrNoFrames}

func (r *Runner) measure(ctx context.Context, in Input, workers int) (result, error) {
	if in.Err != nil {
		return result{}, in.Err
	}
	if in.IsEvent && in.Event.Err != nil {
		return result{}, in.Event.Err // also of a copy: it is no event
	}
	if in.SameAs != "" {
		return result{}, duplicateOf(in.SameAs)
	}
	if in.IsEvent {
		return result{event: in.Event.rowOf(in.Name, r.Plan.dims.of(in))}, in.Event.failure()
	}
	f, err := r.Store.Open(ctx, in.Name)
	if err != nil {
		return result{}, err
	}
	defer f.Close()
	options := r.Plan.Read
	m, descriptionErr := r.Store.Describe(ctx, in.Name)
	in.Recording = m
	inputs.UseRecorded(in.Name, m, &options, r.Plan.ClockChosen)
	if in.Event != nil {
		in.Event.Use(&options)
	}
	beside := &inputs.Files{}
	defer beside.Close()
	if descriptionErr != nil {
		beside.Warn(inputs.Ignored(inputs.DescriptionOf(in.Name), descriptionErr))
	}
	if options.Causes {
		r.Store.OpenBeside(ctx, in.Name, beside, &options)
	}
	one := tune.Tuning{Workers: max(1, workers/max(1, r.Plan.Traces))} // many traces keep all processors busy
	t, err := r.read(one.In(ctx), f, options)
	if err != nil {
		return result{}, err
	}
	t.Warnings = beside.AddTo(t.Warnings)
	src := source{name: in.Name, dims: r.Plan.dims.of(in)}
	if in.Event != nil {
		if err := in.Event.check(t.Timeline); err != nil {
			return result{}, err
		}
		src.recorded = in.Event.recorded()
	}
	rows, ok := r.packers.Get().(*[tables]*packer)
	if !ok {
		rows = new([tables]*packer)
		for t := range rows {
			rows[t] = newPacker(everything(table(t), r.Plan.Dims))
		}
	}
	rowsOf(src, t, func(of table, row *Row) { rows[of].add(row) })
	if rows[ofFrames].n == 0 && !t.Timeline.Measured() {
		return result{}, errNoFrames
	}
	out := result{stored: newStoredRow(src, in, t), name: in.Name, dims: src.dims, ignored: descriptionErr != nil}
	for t, p := range rows {
		out.rows[t] = p.take()
	}
	r.packers.Put(rows)
	if r.Plan.Frames {
		out.frames = t
	}
	return out, nil
}

// shardWriter writes the parts of a shard.
type shardWriter struct {
	Summary
	plan     *Plan
	metadata [][2]string
	outputs  []Output
	writers  map[string]*parquet.GenericWriter[any]
	records  map[string]*record
	pending  int // bytes of the results that wait for the end of their group
	buffer   parquet.Row
}

func newShardWriter(ctx context.Context, p *Plan, store Store, dir string, shard int) (*shardWriter, error) {
	w := &shardWriter{
		Summary: Summary{Shards: 1, Traces: tracesOf(p.Shards[shard]), Failures: map[string]int{}},
		plan:    p, metadata: p.metadata(ctx, store, shard), writers: map[string]*parquet.GenericWriter[any]{}, records: map[string]*record{},
	}
	for _, folder := range p.folders() {
		out, err := store.Create(ctx, p.part(dir, folder, shard))
		if err != nil {
			w.discard()
			return nil, err
		}
		w.outputs = append(w.outputs, out)
		var options []parquet.WriterOption
		if folder == resultsFolder {
			options = storedOptions
		}
		w.records[folder] = recordOf(folder, p.Dims)
		w.writers[folder] = newWriter(out, w.records[folder].schema, options...)
	}
	return w, nil
}

// put writes a row of cells.
func (w *shardWriter) put(folder string, cells []cell) error {
	r := w.records[folder]
	r.cells = cells
	w.buffer = r.store(w.buffer)
	_, err := w.writers[folder].WriteRows([]parquet.Row{w.buffer})
	return err
}

func (w *shardWriter) write(r *result) error {
	dims := w.plan.Dims
	if r.event != nil {
		w.Events++
		if err := w.put(eventsFolder, r.event.cells(dims)); err != nil || r.failure == nil {
			return err
		}
	}
	if r.failure != nil {
		w.Failures[r.failure.Reason]++
		w.keepFirst(r.failure)
		return w.put(failuresFolder, r.failure.cells(dims))
	}
	w.Measured++
	if r.ignored {
		w.Ignored++
	}
	if r.stored != nil { // those of tests may have rows only
		if r.stored.damaged {
			w.Damaged++
		}
		if r.stored.Unreliable {
			w.Unreliable++
		}
		if err := w.writeStored(r.stored); err != nil {
			return err
		}
	}
	w.Rows += r.rows[ofFrames].n
	for t, folder := range tableFolders {
		cells := w.records[folder].cells
		if err := r.rows[t].load(cells, func() error { return w.put(folder, cells) }); err != nil {
			return err
		}
	}
	if r.frames == nil {
		return nil
	}
	frame := frameRow{Trace: r.name, Dims: r.dims}
	cells := frame.cells(dims)
	for row := range frametable.Frames(r.frames.Timeline, r.frames.Causes) {
		frame.Row = row
		if err := w.put(framesFolder, cells); err != nil {
			return err
		}
	}
	return nil
}

// finish completes the parts.
func (w *shardWriter) finish() error {
	// Another attempt may have more time, or find the file readable.
	repeat := w.Failures[timeout]+w.Failures[unreadable] > 0
	metadata := append(slices.Clone(w.metadata), [2]string{keyRepeat, strconv.FormatBool(repeat)}, [2]string{keyDamaged, strconv.Itoa(w.Damaged)}, [2]string{keyUnreliable, strconv.Itoa(w.Unreliable)})
	for _, folder := range w.plan.folders() {
		for _, m := range metadata {
			w.writers[folder].SetKeyValueMetadata(m[0], m[1])
		}
		if err := w.writers[folder].Close(); err != nil {
			return err
		}
	}
	for _, out := range w.outputs { // only now: a disk that is full is full before
		if err := out.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// discard removes what is not complete.
func (w *shardWriter) discard() {
	for _, out := range w.outputs {
		out.Discard()
	}
}
