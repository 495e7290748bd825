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
		text = text[:trimSpace(text)]
		if len(b.Events) == cap(b.Events) {
			b.Events = append(b.Events, Event{})[:len(b.Events)]
		}
		next := b.Events[:len(b.Events)+1]
		event := &next[len(next)-1]
		if problem := event.parse(text); problem != NoProblem {
			if problem == Ignorable && isHeader(text) {
				b.starts = append(b.starts, b.Lines)
			}
			b.Problems = append(b.Problems, LineProblem{b.Lines, problem})
			continue
		}
		event.Number = b.Lines
		b.Events = next
	}
}

// trimSpace returns the length of text without the blanks, tabs and carriage
// returns that it ends with: editors and converters add them.
func trimSpace(text []byte) int {
	n := len(text)
	for n > 0 && (text[n-1] == ' ' || text[n-1] == '\t' || text[n-1] == '\r') {
		n--
	}
	return n
}

// mark is the byte order mark that may stand before a trace, if the file of another
// one went before.
var mark = []byte("\ufeff")

// isHeader reports whether a line is one that a trace begins with. Of a trace whose
// file went before, the last line may lack its end: then the first of these lines is
// a part of it, the other is not.
func isHeader(text []byte) bool {
	text = bytes.TrimPrefix(text, mark)
	return bytes.HasPrefix(text, []byte("# tracer:")) || bytes.HasPrefix(text, []byte("# entries-in-buffer/"))
}

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
