package hitrace

import (
	"bytes"
	"math"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/kernel"
)

// Batch is the events of a block of text, or of a part of it, in the order of the text.
type Batch struct {
	Events []Event
	// Starts are, of the events of a block, the indexes of those that begin another trace.
	Starts []int
	// Decoder reads the args of events that are no text: for those, Event.Args are what it
	// decodes, except of markers. Nil for text.
	Decoder kernel.Decoder
	// The fields below describe the whole block.
	lines    int // with those that carry no event
	problems []lineProblem
	headers  []int // the lines, counted from 1, that a trace may begin with
	stated   []stated
	cut      bool // the last line has no end and is not understood
	losses   []loss
	longest  Longest
	// earliest and latest are the times that the events are between.
	earliest, latest trace.Time
	fields           fieldStore
	// systemEvents are lines of HiSysEvent, in memory of their own.
	systemEvents [][]byte
	memory       []byte // that of Keep
	columns      *columns
}

// lineProblem is a line that carries no event and why. Lines of a batch are
// counted from 1.
type lineProblem struct {
	Line    int
	Problem Problem
}

// Parse replaces the batch's content with the events of block. They refer to
// the block's bytes. Lines longer than maxLine bytes are not parsed. A batch that is
// used for block after block allocates nothing once it has grown.
func (b *Batch) Parse(block []byte, maxLine int) {
	b.reset()
	b.parseLines(block, maxLine)
}

func (b *Batch) reset() {
	b.Events, b.problems, b.headers, b.lines, b.stated = b.Events[:0], b.problems[:0], b.headers[:0], 0, b.stated[:0]
	b.longest, b.losses, b.systemEvents, b.Decoder = Longest{}, b.losses[:0], nil, nil
	b.memory, b.cut = b.memory[:0], false
	b.earliest, b.latest = math.MaxInt64, math.MinInt64
	b.fields.reset()
}

func (b *Batch) parseLines(block []byte, maxLine int) {
	if b.columns == nil {
		b.columns = newColumns()
	}
	c, n, earliest, latest, longest := b.columns, len(b.Events), b.earliest, b.latest, b.longest
	for from := 0; from < len(block); {
		text := block[from:]
		end := bytes.IndexByte(text, '\n')
		if end >= 0 {
			text = text[:end]
			from += end + 1
		} else {
			from = len(block)
		}
		if n := len(text); n > 0 && text[n-1] == '\r' {
			text = text[:n-1]
		}
		b.lines++
		if len(text) >= longest.Length {
			longest.add(Longest{min(len(text), maxLine+1), 1}) // of longer ones, only a part may be in the block
		}
		if len(text) > maxLine {
			b.problems = append(b.problems, lineProblem{b.lines, LineTooLong})
			continue
		}
		if n == len(b.Events) {
			b.grow()
		}
		e := &b.Events[n]
		problem := NoProblem
		if !c.parse(text, e) {
			problem = c.learn(text, e)
		}
		if problem == NoProblem {
			e.Fields = nil
			problem = b.interpret(e)
		}
		if problem != NoProblem {
			b.cut = end < 0 && problem >= NotALine
			b.skip(text, problem)
			continue
		}
		e.Number = b.lines
		earliest, latest = min(earliest, e.Time), max(latest, e.Time)
		n++
	}
	b.Events, b.earliest, b.latest, b.longest = b.Events[:n], earliest, latest, longest
}

// skip notes a line without an event.
func (b *Batch) skip(text []byte, problem Problem) {
	switch problem {
	case LogLine:
		if text[0] == '{' {
			b.systemEvents = append(b.systemEvents, bytes.Clone(text))
		}
	case Ignorable:
		if l, ok := lossOf(text); ok {
			l.line = b.lines
			b.losses = append(b.losses, l)
		} else if s, ok := statedBy(text); ok {
			s.line = b.lines
			b.stated = append(b.stated, s)
		}
		if isHeader(text) {
			b.headers = append(b.headers, b.lines)
		}
	}
	b.problems = append(b.problems, lineProblem{b.lines, problem})
}

// grow makes room for more events, and includes it in Events.
func (b *Batch) grow() {
	if b.Events == nil { // room for a block of lines of usual length; unused pages take no memory
		b.Events = make([]Event, 0, defaultBlockSize/96)
	}
	if len(b.Events) == cap(b.Events) {
		b.Events = append(b.Events, Event{})
	}
	b.Events = b.Events[:cap(b.Events)]
}

// order is what the reader knows of the blocks before one.
type order struct {
	entries   entries
	strays    strays
	splitter  splitter
	losses    losses
	processes processes
}

// continues reports whether a block does no more than to continue the trace: no event is stray, or begins
// another trace.
func (o *order) continues(b *Batch) bool {
	s := &o.splitter
	return s.started && o.strays.started && !s.over && !s.guarded && !s.broken && s.pending == 0 && s.lost == 0 &&
		len(b.Events) > 0 && len(b.headers) == 0 && len(b.losses) == 0 &&
		b.latest.Sub(b.earliest) <= maxGap && b.Events[0].Time.Sub(o.strays.last).Abs() <= maxGap && s.last.Sub(b.Events[0].Time) <= maxGap
}

// settle adds the next block, in order, to the input: it drops events with stray times,
// separates traces, marks events outside the window and after lost ones, numbers lines,
// finds the processes of threads, and adds to the totals.
func (o *order) settle(b *Batch, totals *Totals, options Options) {
	o.entries.add(b, totals)
	if o.continues(b) {
		last := b.Events[len(b.Events)-1].Time
		o.strays.last, o.splitter.last, o.splitter.skipped = last, last, false
		o.splitter.first, o.splitter.latest = min(o.splitter.first, b.earliest), max(o.splitter.latest, b.latest)
		b.Starts = b.Starts[:0]
		o.processes.set(b.Events, totals.Lines, options.Limits.Threads)
	} else {
		o.strays.drop(b)
		o.splitter.split(b, totals, options.Limits)
		o.processes.set(b.Events, 0, options.Limits.Threads)
	}
	o.losses.mark(b, totals.Lines)
	for _, p := range b.problems {
		totals.Problems.add(p.Problem, totals.Lines+p.Line, options.Limits.Examples)
	}
	for _, line := range b.systemEvents {
		totals.SystemEvents.Add(line)
	}
	if n := len(b.Events); n > 0 {
		if totals.Events+totals.Outside == 0 { // these are the first; their time may be zero
			totals.Start = b.Events[0].Time
		}
		totals.End = b.Events[n-1].Time
	}
	totals.Lines += b.lines
	totals.Cut = b.cut
	totals.Longest.add(b.longest)
	outside := markOutside(b.Events, options.Window, totals.Start)
	totals.Outside += outside
	totals.Events += len(b.Events) - outside
}
