package hitrace

import (
	"bytes"

	"ohframe/analyzer/trace"
)

// Batch is the events of one block of text, in its order. A Batch is used again
// for block after block, so that parsing allocates nothing.
type Batch struct {
	Events   []Event
	Problems []LineProblem
	Lines    int   // lines in the block, with those that carry no event
	starts   []int // the lines, counted from 1, where another trace may begin
	// first and latest are the times of the events, if there are any.
	first, latest trace.Time
}

// LineProblem is a line that carries no event and why. Lines of a batch are
// counted from 1.
type LineProblem struct {
	Line    int
	Problem Problem
}

// Parse replaces the batch's content with the events of block. They refer to
// the block's bytes. Lines longer than maxLine bytes are not parsed.
func (b *Batch) Parse(block []byte, maxLine int) {
	b.Events, b.Problems, b.starts, b.Lines = b.Events[:0], b.Problems[:0], b.starts[:0], 0
	for len(block) > 0 {
		text := block
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			text, block = text[:end], block[end+1:]
		} else {
			block = nil
		}
		b.Lines++
		if n := len(text); n > 0 && text[n-1] == '\r' {
			text = text[:n-1]
		}
		if len(text) > maxLine {
			b.Problems = append(b.Problems, LineProblem{b.Lines, LineTooLong})
			continue
		}
		if len(b.Events) == cap(b.Events) {
			b.Events = append(b.Events, Event{})[:len(b.Events)]
		}
		next := b.Events[:len(b.Events)+1]
		event := &next[len(next)-1]
		if problem := event.parse(text); problem != NoProblem {
			if problem == Ignorable && bytes.HasPrefix(bytes.TrimPrefix(text, mark), traceHeader) {
				b.starts = append(b.starts, b.Lines)
			}
			b.Problems = append(b.Problems, LineProblem{b.Lines, problem})
			continue
		}
		event.Number = b.Lines
		b.Events = next
	}
}

// traceHeader is what a trace begins with, and mark the byte order mark that may
// stand before it, if the file of another trace went before.
var traceHeader, mark = []byte("# tracer:"), []byte("\ufeff")

// settle takes the batch into the trace as the next in order: it drops events
// whose time is astray, divides traces that follow one another, marks events
// outside the window, numbers lines through, and adds to the totals. In strict mode it returns the first line that is not understood
// as a *LineError.
func (b *Batch) settle(s *strays, j *joins, totals *Totals, options Options) error {
	s.drop(b)
	j.divide(b, totals, options)
	for _, p := range b.Problems {
		totals.Problems.add(p.Problem, totals.Lines+p.Line, options.Limits.Examples)
	}
	for i := range b.Events {
		b.Events[i].Number += totals.Lines
	}
	if n := len(b.Events); n > 0 {
		if !totals.Start.Known() {
			totals.Start = b.Events[0].Time
		}
		totals.End = b.Events[n-1].Time
	}
	totals.Lines += b.Lines
	outside := options.Window.mark(b.Events, totals.Start)
	totals.Outside += outside
	totals.Events += len(b.Events) - outside
	if options.Strict {
		return totals.Problems.first()
	}
	return nil
}
