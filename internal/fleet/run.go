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
	"github.com/zeebo/xxh3"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/causetext"
	"ohframe/internal/frametable"
	"ohframe/internal/quality"
	"ohframe/internal/source/inputs"
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
	// Progress, if not nil, is called after each trace and each skipped shard, not
	// concurrently, with the traces and bytes since the last call.
	Progress func(traces int, bytes int64)

	read func(context.Context, io.Reader, ohframe.Options) (*ohframe.Trace, error) // ohframe.Read, or that of a test
}

// Summary is what a run did.
type Summary struct {
	Shards, Skipped int
	Traces          int // of the shards that were not skipped, failures included
	Rows            int
	Unreliable      int // traces with rows whose data is unreliable, see package quality
	Failures        map[Reason]int
	// Ignored counts the descriptions of recordings that could not be used.
	Ignored int
}

// Failed returns the number of failures.
func (s *Summary) Failed() int { return failed(s.Failures) }

// maxOpenShards bounds the shards that are not complete yet: one slow trace may keep
// its shard open while others are run.
const maxOpenShards = 4

// Run runs the shards, which are numbered from 0. Traces that cannot be read are
// failures in the dataset. The error is that of writing or of the context.
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
		shard *shardRun
		index int
	}
	tasks := make(chan task)
	open := make(chan struct{}, maxOpenShards)
	summary := &Summary{Failures: map[Reason]int{}}
	var mutex sync.Mutex // of summary and Progress
	progress := func(traces int, bytes int64) {
		if r.Progress != nil {
			mutex.Lock()
			defer mutex.Unlock()
			r.Progress(traces, bytes)
		}
	}
	finish := func(s *shardRun) {
		if err := s.finish(); err != nil {
			cancel(err)
		}
		<-open
		mutex.Lock()
		defer mutex.Unlock()
		summary.Shards++
		summary.Traces += len(s.inputs)
		summary.Rows += s.rows
		summary.Unreliable += s.unreliable
		summary.Ignored += s.ignored
		for reason, n := range s.failures {
			summary.Failures[reason] += n
		}
	}

	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for t := range tasks {
				in := t.shard.inputs[t.index]
				result := r.analyse(ctx, in, workers)
				if ctx.Err() != nil {
					continue // the result may be that of being interrupted
				}
				last, err := t.shard.add(t.index, result)
				if err != nil {
					cancel(err)
				}
				progress(1, in.Size)
				if last {
					finish(t.shard)
				}
			}
		})
	}
	for _, k := range shards {
		if ctx.Err() != nil {
			break
		}
		if r.Resume && r.Plan.done(ctx, r.Store, r.Dir, k) {
			summary.Skipped++
			bytes := int64(0)
			for _, in := range r.Plan.Shards[k] {
				bytes += in.Size
			}
			progress(len(r.Plan.Shards[k]), bytes)
			continue
		}
		select {
		case open <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		s, err := r.begin(ctx, k)
		if err != nil {
			cancel(err)
			break
		}
		defer s.discard()
		if len(s.inputs) == 0 {
			finish(s)
		}
	send:
		for i := range s.inputs {
			select {
			case tasks <- task{s, i}:
			case <-ctx.Done():
				break send
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

// result is what is written of a trace: rows, or a failure.
type result struct {
	rows    []Row
	failure *Failure
	// unreliable: the trace has rows, and its data is unreliable.
	unreliable bool
	// ignored: the description of the recording could not be used.
	ignored bool
	frames  *ohframe.Trace // if wanted
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
				done <- outcome{err: &panicError{value}}
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
	f := &Failure{Trace: in.Name, Dims: r.Plan.dims.of(in.Name), Size: in.Size, Reason: reasonOf(o.err), Message: messageOf(o.err)}
	if f.Reason == Timeout {
		f.Message = fmt.Sprintf("took longer than %s", r.Plan.Timeout)
	}
	return result{failure: f}
}

var errNoFrames = &ohframe.Error{What: "no process makes frames", Err: ohframe.ErrNoFrames}

func (r *Runner) measure(ctx context.Context, in Input, workers int) (result, error) {
	if in.Err != nil {
		return result{}, in.Err
	}
	f, err := r.Store.Open(ctx, in.Name)
	if err != nil {
		return result{}, err
	}
	defer f.Close()
	options := r.Plan.Read
	m, descriptionErr := r.Store.Describe(ctx, in.Name)
	inputs.UseRecorded(m, &options, r.Plan.ClockChosen)
	options.Workers = max(1, workers/max(1, r.Plan.Traces)) // many traces keep all processors busy
	h := &hashed{r: f, hash: xxh3.New128()}
	t, err := r.read(ctx, h, options)
	if err != nil {
		return result{}, err
	}
	if _, err := io.Copy(io.Discard, h); err != nil { // reading may end before the file does
		return result{}, err
	}
	rows := rowsOf(source{name: in.Name, hash: h.hash.Sum128(), size: h.size, dims: r.Plan.dims.of(in.Name)}, t)
	if len(rows) == 0 {
		return result{}, errNoFrames
	}
	out := result{rows: rows, unreliable: quality.Of(t.Timeline, t.Lines, causetext.Warnings(t.Causes)).Verdict == stats.Unreliable, ignored: descriptionErr != nil}
	if r.Plan.Frames {
		out.frames = t
	}
	return out, nil
}

// hashed hashes what is read.
type hashed struct {
	r    io.Reader
	hash *xxh3.Hasher128
	size int64
}

func (h *hashed) Read(b []byte) (int, error) {
	n, err := h.r.Read(b)
	h.hash.Write(b[:n])
	h.size += int64(n)
	return n, err
}

// shardRun is a shard that is being run. The results of its traces are written in
// order: those that are early wait.
type shardRun struct {
	inputs   []Input
	plan     *Plan
	metadata [][2]string

	mutex   sync.Mutex
	waiting []*result
	next    int // the first trace whose result is not written
	outputs []Output
	writers map[string]*parquet.GenericWriter[any]
	values  values
	rows    int
	// unreliable is Summary.Unreliable of the shard.
	unreliable int
	// ignored is Summary.Ignored of the shard.
	ignored  int
	failures map[Reason]int
	broken   bool // by an error of writing
}

func (r *Runner) begin(ctx context.Context, shard int) (*shardRun, error) {
	p := r.Plan
	s := &shardRun{
		inputs: p.Shards[shard], plan: p, metadata: p.metadata(ctx, r.Store, shard), waiting: make([]*result, len(p.Shards[shard])),
		writers: map[string]*parquet.GenericWriter[any]{}, failures: map[Reason]int{},
	}
	schemas := map[string]*parquet.Schema{tracesFolder: traceSchema(p.Dims), failuresFolder: failureSchema(p.Dims)}
	if p.Frames {
		schemas[framesFolder] = newSchema("frames", frametable.ParquetColumns(), headFields()[:1], dimFields(p.Dims))
	}
	for _, folder := range p.folders() {
		out, err := r.Store.Create(ctx, p.part(r.Dir, folder, shard))
		if err != nil {
			s.discard()
			return nil, err
		}
		s.outputs = append(s.outputs, out)
		s.writers[folder] = newWriter(out, schemas[folder])
	}
	return s, nil
}

// add adds the result of a trace. It reports whether it was the last one.
func (s *shardRun) add(index int, r result) (last bool, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.waiting[index] = &r
	for s.next < len(s.waiting) && s.waiting[s.next] != nil {
		if err == nil && !s.broken {
			err = s.write(s.waiting[s.next])
			s.broken = err != nil
		}
		s.waiting[s.next] = &result{} // what is written is not needed any longer
		s.next++
		last = s.next == len(s.waiting)
	}
	return last, err
}

func (s *shardRun) write(r *result) error {
	put := func(folder string) error {
		_, err := s.writers[folder].WriteRows([]parquet.Row{s.values.row})
		return err
	}
	if r.failure != nil {
		s.failures[r.failure.Reason]++
		s.values.addFailure(r.failure)
		return put(failuresFolder)
	}
	if r.unreliable {
		s.unreliable++
	}
	if r.ignored {
		s.ignored++
	}
	for i := range r.rows {
		s.rows++
		s.values.addRow(&r.rows[i])
		if err := put(tracesFolder); err != nil {
			return err
		}
	}
	if r.frames == nil {
		return nil
	}
	columns := len(frametable.ParquetColumns())
	for row := range frametable.ParquetRows(r.frames.Timeline) {
		// The columns of lists have one leaf each, so leaves count as columns do.
		s.values.row, s.values.column = append(s.values.row[:0], row...), columns
		s.values.text(r.rows[0].Trace)
		s.values.dims(r.rows[0].Dims)
		if err := put(framesFolder); err != nil {
			return err
		}
	}
	return nil
}

// finish completes the parts.
func (s *shardRun) finish() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.broken {
		return nil // add has returned the error
	}
	// Another attempt may have more time, or find the file readable.
	repeat := s.failures[Timeout]+s.failures[Unreadable] > 0
	metadata := append(slices.Clone(s.metadata), [2]string{keyRepeat, strconv.FormatBool(repeat)}, [2]string{keyUnreliable, strconv.Itoa(s.unreliable)})
	for _, folder := range s.plan.folders() {
		for _, m := range metadata {
			s.writers[folder].SetKeyValueMetadata(m[0], m[1])
		}
		if err := s.writers[folder].Close(); err != nil {
			return err
		}
	}
	for _, out := range s.outputs { // only now: a disk that is full is full before
		if err := out.Commit(); err != nil {
			return err
		}
	}
	s.waiting, s.writers = nil, nil // there may be many shards
	return nil
}

// discard removes what is not complete.
func (s *shardRun) discard() {
	for _, out := range s.outputs {
		out.Discard()
	}
}
