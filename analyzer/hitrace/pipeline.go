package hitrace

import (
	"context"
	"fmt"
	"io"
	"sync"

	"ohframe/analyzer/trace"
)

// Stages are what happens to the events of an input once they are parsed. Nobody
// changes them there. A block's events, and the text that they refer to, are gone
// after its Write.
//
//	worker 1   read 1 │ parse 1 │ Track 1 │ Encode 1 │ Write 1 │ read 3 …
//	worker 2          │ read 2  │ parse 2 │ Track 2  │ Encode 2 │ Write 2 …
//	           in order  at once   in order   at once   in order
//
// The worker's number counts from 0. All stages but Track may be nil.
type Stages struct {
	// Begin is called in order with Track, before the first batch of each trace that
	// follows another one in the input. Nothing that was open is open any more.
	Begin func()
	// Track sees the batches in order, one at a time. A batch is of one trace.
	Track func(worker int, b *Batch)
	// Encode works on blocks at once, one for each worker. A block is the batches that
	// Track saw of it: one, or several if another trace begins in it, or none.
	Encode func(worker int, block []Batch)
	// Write is called for the blocks in order, one at a time. Its error ends the run.
	Write func(worker int) error
}

// Totals is what a run read.
type Totals struct {
	Lines    int // all
	Events   int // those with an event inside the window
	Outside  int // those with an event outside the window
	Problems Problems
	// Start and End are the times of the first and the last line with an event,
	// inside the window or not.
	Start, End trace.Time
	// Further counts the traces that follow the first one in the input, Behind
	// those of them whose clock is behind. Joins are the first few of them.
	Further, Behind int
	Joins           []Join
}

// Warnings says in words what of the input was not read, though it may be sound,
// and where its clock began anew.
func (t *Totals) Warnings() []string {
	list := t.joinWarnings()
	for _, p := range []Problem{ClockRestart, TraceOver, LineTooLong} {
		if n := t.Problems.Total(p); n > 0 {
			list = append(list, fmt.Sprintf("%d × %s", n, p))
		}
	}
	return list
}

// Run reads the trace in r, parses it on several processors, and passes it
// through the stages. The outcome is the same whatever the number of workers.
// Its error is the source's, that of Write, the context's, or in strict mode a
// *LineError.
func Run(ctx context.Context, r io.Reader, options Options, stages Stages) (*Totals, error) {
	options = options.WithDefaults()
	p := &pipeline{ctx: ctx, options: options, stages: stages, blocks: newBlocks(r), totals: &Totals{}}
	var workers sync.WaitGroup
	for i := range options.Workers {
		workers.Go(func() { p.work(i) })
	}
	workers.Wait()
	return p.totals, p.err
}

type pipeline struct {
	ctx      context.Context
	options  Options
	stages   Stages
	blocks   *blocks
	strays   strays
	splitter splitter
	totals   *Totals

	reading  sync.Mutex
	next     int // number of the next block to be read
	tracking turns
	writing  turns

	failing sync.Mutex
	err     error // the first
}

// work takes blocks through all stages until there are none left.
func (p *pipeline) work(worker int) {
	buffer := make([]byte, 0, p.options.bufferSize())
	var whole Batch   // what is parsed of a block
	var block []Batch // the same by traces
	for {
		i, text, ok := p.read(buffer)
		if !ok {
			return
		}
		whole.Parse(text, p.options.Limits.Line)
		if !p.tracking.take(i, func() { block = p.track(worker, &whole, block[:0]) }) {
			return
		}
		if p.stages.Encode != nil {
			p.stages.Encode(worker, block)
		}
		if !p.writing.take(i, func() { p.write(worker) }) {
			return
		}
	}
}

// read reads the next block and returns its number.
func (p *pipeline) read(buffer []byte) (int, []byte, bool) {
	p.reading.Lock()
	defer p.reading.Unlock()
	if err := p.ctx.Err(); err != nil {
		p.fail(err)
	}
	if p.failed() {
		return 0, nil, false
	}
	block, err := p.blocks.Next(buffer)
	if err == io.EOF {
		// Not a failure: the blocks before this one go on.
		return 0, nil, false
	}
	if err != nil {
		p.fail(err)
		return 0, nil, false
	}
	p.next++
	return p.next - 1, block, true
}

// track takes what is parsed of a block through Begin and Track and returns it by
// traces, appended to block.
func (p *pipeline) track(worker int, whole *Batch, block []Batch) []Batch {
	if err := whole.settle(&p.strays, &p.splitter, p.totals, p.options); err != nil {
		p.fail(err)
		return block
	}
	track := func(from, to int) {
		if from < to {
			block = append(block, Batch{Events: whole.Events[from:to]})
			p.stages.Track(worker, &block[len(block)-1])
		}
	}
	from := 0
	for _, start := range whole.starts {
		track(from, start)
		if p.stages.Begin != nil {
			p.stages.Begin()
		}
		from = start
	}
	track(from, len(whole.Events))
	return block
}

func (p *pipeline) write(worker int) {
	if p.stages.Write == nil {
		return
	}
	if err := p.stages.Write(worker); err != nil {
		p.fail(err)
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
	p.tracking.stop()
	p.writing.stop()
}

// turns lets workers do something in the order of their blocks.
type turns struct {
	mutex   sync.Mutex
	changed sync.Cond
	now     int
	stopped bool
}

// take waits for turn i and does f in it. It reports whether there was one.
func (t *turns) take(i int, f func()) bool {
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
