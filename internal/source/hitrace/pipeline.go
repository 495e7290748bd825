package hitrace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"ohframe/analyzer/trace"
)

// A Sink consumes the events of an input after they are parsed. It must not change them. A
// block's events, and what they refer to, are invalid after its Write. Two sinks:
//
//	worker 1   read 1 │ parse 1 │ settle 1 │ Track a1 │ Track b1 │ Encode 1 │ Write 1 │ read 3 …
//	worker 2          │ read 2  │ parse 2  │ settle 2 │ Track a2 │ Track b2 │ Encode 2 │ Write 2 …
//	           in order  at once   in order   in order   in order   at once    in order
//
// Each Track has an order of its own: while one sink tracks a block, another sink may track
// the block before it. Workers are numbered from 0. All functions may be nil.
type Sink struct {
	// Fields: the sink reads Event.Fields of other events than switches and wakeups. If no
	// sink of a run does, they are not parsed.
	Fields bool
	// Prepare is called for blocks in parallel, one for each worker, before Track. The batch
	// has the events of all batches of the block that Track will see.
	Prepare func(worker int, block *Batch)
	// Begin is called in order with Track, before the first batch of each trace but the
	// first. Slices that are open then do not end.
	Begin func()
	// Track sees the batches in order, one at a time. A batch is of one trace.
	Track func(worker int, batch *Batch)
	// Encode is called for blocks in parallel, one for each worker, after Track.
	Encode func(worker int, block *Batch)
	// Write is called for the blocks in order, one at a time. Its error ends the run.
	Write func(worker int) error
}

// Totals counts the lines and events of a run.
type Totals struct {
	Lines    int // all
	Events   int // those with an event inside the window
	Outside  int // those with an event outside the window
	Problems Problems
	// SystemEvents are the lines of HiSysEvent; Problems counts them as lines of hilog.
	SystemEvents SystemEvents
	// Lost counts the events that the kernel dropped within the trace, and Overwritten
	// those before its start that a full buffer replaced, as far as the input says.
	Lost, Overwritten int
	// Entries is the number of events, and CPUs that of CPUs, that headers state; 0 if
	// none does.
	Entries, CPUs int
	// Longest are the longest lines. Many of one length show that lines were cut there.
	Longest Longest
	// Cut reports whether the text ends within a line. Not every line lacks something without its end.
	Cut bool
	// Start and End are the times of the first and the last line with an event,
	// inside the window or not.
	Start, End trace.Time
	// Further counts the traces after the first one in the input, Behind those of them
	// whose clock starts behind the previous trace. Joins are the first few of them.
	Further, Behind int
	Joins           []Join
}

// Longest counts the longest lines of a text.
type Longest struct {
	Length int // in bytes, without the end of the line; at most Limits.Line + 1
	Lines  int // those of that length
}

// add adds the longest lines of another part of the text.
func (l *Longest) add(other Longest) {
	switch {
	case other.Length > l.Length:
		*l = other
	case other.Length == l.Length:
		l.Lines += other.Lines
	}
}

// Warnings describes what was skipped because of limits, and where the clock began anew.
func (t *Totals) Warnings() []trace.Warning {
	list := t.joinWarnings()
	if t.Cut {
		list.Add(trace.WarnDamaged, "truncated: the trace ends within a line")
	}
	for _, p := range []Problem{ClockRestart, TraceOver, LineTooLong} {
		list.Times(p.Code(), t.Problems.Total(p), p.String(), nil)
	}
	return append(list, t.SystemEvents.Warnings()...)
}

// Run reads and parses the trace in r, a Source or text, in parallel and passes it to the sinks. The result
// does not depend on the number of workers. The error is that of r, of Write or of ctx. A panic of a sink is one of Run.
func Run(ctx context.Context, r io.Reader, options Options, sinks ...Sink) (*Totals, error) {
	options = options.WithDefaults()
	p := &pipeline{ctx: ctx, options: options, sinks: sinks, blocks: newBlocks(r), totals: &Totals{}}
	p.source, _ = r.(Source)
	p.tracking = make([]turns, len(sinks))
	for i := range sinks {
		p.allFields = p.allFields || sinks[i].Fields
	}
	var workers sync.WaitGroup
	for i := range options.Workers {
		workers.Go(func() {
			defer p.catch()
			p.work(i)
		})
	}
	workers.Wait()
	if p.panicked != nil {
		panic(p.panicked)
	}
	return p.totals, p.err
}

type pipeline struct {
	ctx     context.Context
	options Options
	sinks   []Sink
	blocks  *blocks
	source  Source // nil for text
	// allFields: one of the sinks reads all fields.
	allFields bool
	order     order
	totals    *Totals

	reading  sync.Mutex
	next     int // number of the next block to be read
	settling turns
	tracking []turns // of each sink
	writing  turns

	failing  sync.Mutex
	err      error // the first
	panicked any   // the value of the first panic
}

// errPanicked ends the other workers after a panic.
var errPanicked = errors.New("panic in a worker")

// catch keeps a worker's panic for the caller of Run, who could not recover from it
// otherwise. The stack of the worker goes into the value.
func (p *pipeline) catch() {
	value := recover()
	if value == nil {
		return
	}
	p.failing.Lock()
	if p.panicked == nil {
		p.panicked = fmt.Sprintf("%v\n\n%s", value, debug.Stack())
	}
	p.failing.Unlock()
	p.fail(errPanicked)
}

// buffers are what a worker needs for a block. They are larger than a small trace, so
// many small traces are read faster if they are used again.
type buffers struct {
	text        []byte
	block, part Batch
}

var workBuffers = sync.Pool{New: func() any { return new(buffers) }}

// work processes blocks through all stages until the end of the input.
func (p *pipeline) work(worker int) {
	b := workBuffers.Get().(*buffers)
	if size := p.options.bufferSize(); cap(b.text) != size {
		b.text = make([]byte, 0, size)
	}
	block, part := &b.block, &b.part
	block.fields.all = p.allFields
	for {
		i, text, ok := p.read(block, b.text)
		if !ok {
			workBuffers.Put(b) // after a panic or an error it is not used again
			return
		}
		if p.source != nil {
			block.complete()
		} else {
			block.Parse(text, p.options.Limits.Line)
		}
		if !p.settling.do(i, func() { p.order.settle(block, p.totals, p.options) }) {
			return
		}
		for k := range p.sinks {
			if !p.track(k, i, worker, block, part) {
				return
			}
		}
		for k := range p.sinks {
			if encode := p.sinks[k].Encode; encode != nil {
				encode(worker, block)
			}
		}
		if !p.writing.do(i, func() { p.write(worker) }) {
			return
		}
	}
}

// read reads the next block and returns its number and its text, or what a source adds to it.
func (p *pipeline) read(b *Batch, buffer []byte) (i int, text []byte, ok bool) {
	p.reading.Lock()
	defer p.reading.Unlock()
	if err := p.ctx.Err(); err != nil {
		p.fail(err)
	}
	if p.failed() {
		return 0, nil, false
	}
	var err error
	if p.source != nil {
		b.reset()
		err = p.source.Next(b, p.options.blockSize)
	} else {
		text, err = p.blocks.Next(buffer)
	}
	if err == io.EOF {
		// Not a failure: the blocks before this one go on.
		return 0, nil, false
	}
	if err != nil {
		p.fail(err)
		return 0, nil, false
	}
	p.next++
	return p.next - 1, text, true
}

// track passes block i to a sink, one trace after another. It uses part for the events of
// one trace. It reports whether the run goes on.
func (p *pipeline) track(sink, i, worker int, block, part *Batch) bool {
	s := &p.sinks[sink]
	if s.Prepare != nil {
		s.Prepare(worker, block)
	}
	track := func(from, to int) {
		if from < to && s.Track != nil {
			part.Events, part.Decoder = block.Events[from:to], block.Decoder
			s.Track(worker, part)
		}
	}
	return p.tracking[sink].do(i, func() {
		from := 0
		for _, start := range block.Starts {
			track(from, start)
			if s.Begin != nil {
				s.Begin()
			}
			from = start
		}
		track(from, len(block.Events))
	})
}

func (p *pipeline) write(worker int) {
	for k := range p.sinks {
		if p.sinks[k].Write == nil {
			continue
		}
		if err := p.sinks[k].Write(worker); err != nil {
			p.fail(err)
			return
		}
	}
}

func (p *pipeline) failed() bool {
	p.failing.Lock()
	defer p.failing.Unlock()
	return p.err != nil
}

// fail ends the run: no worker gets another turn.
func (p *pipeline) fail(err error) {
	p.failing.Lock()
	if p.err == nil {
		p.err = err
	}
	p.failing.Unlock()
	p.settling.stop()
	for k := range p.tracking {
		p.tracking[k].stop()
	}
	p.writing.stop()
}

// turns makes workers call functions in the order of their blocks.
type turns struct {
	mutex   sync.Mutex
	changed sync.Cond
	now     int
	stopped bool
}

// do waits for turn i and calls f in it. It reports whether the turn came.
func (t *turns) do(i int, f func()) bool {
	t.mutex.Lock()
	t.changed.L = &t.mutex
	for t.now != i && !t.stopped {
		t.changed.Wait()
	}
	stopped := t.stopped
	t.mutex.Unlock()
	if stopped {
		return false
	}
	f()
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.now++
	t.changed.Broadcast()
	return !t.stopped
}

func (t *turns) stop() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.changed.L = &t.mutex
	t.stopped = true
	t.changed.Broadcast()
}
