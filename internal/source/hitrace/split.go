package hitrace

import (
	"bytes"
	"fmt"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// Join is where in an input another trace begins.
type Join struct {
	Line int
	// Gap is the time from the latest line before it to its first. If it is
	// negative, the clock began anew, or something is there twice.
	Gap trace.Duration
}

// splitter divides an input into the traces that follow one another in it. A header
// after events begins another trace, and so does a clock that jumps back for good.
// Where time continues as if there were no header, the trace continues, too.
//
//	# tracer: nop
//	 app-1 … 100.000001: …     read
//	 app-1 … 100.000002: …     read
//	# tracer: nop              59.999999s later
//	 app-1 … 160.000001: …     read as another trace
//	# tracer: nop              157s behind
//	 app-1 …   3.000001: …     read as a third trace, in a time of its own
//	 app-1 … 100.000001: …     skipped: times from here on were read already
//	 app-1 … 170.000001: …     read: as lines were skipped, nothing is open any more
type splitter struct {
	first, latest trace.Time // of the lines read
	last          trace.Time // of the last line, read or not
	started       bool
	pending       int // number of a header after which no event has come, counted from 1
	// Times from guardFrom to guardTo are skipped: earlier traces have them.
	guarded            bool
	guardFrom, guardTo trace.Time
	broken             bool // the next event read begins a trace
	over               bool // the current trace is beyond the limit
	skipped            bool // the last line was not read
	lost               int  // events before the next line
}

const (
	// disorder is by how much lines of one trace may be out of order.
	disorder = 10 * trace.Millisecond
	// apart is the shortest time between two traces, because starting one takes time.
	apart = trace.Second
)

// split numbers the batch's events, drops those whose times an earlier trace covers, and
// stores in Starts which of the others begin a trace.
func (s *splitter) split(b *Batch, totals *Totals, limits trace.Limits) {
	headers, losses, kept := b.headers, b.losses, 0
	b.Starts = b.Starts[:0]
	for i := range b.Events {
		e := &b.Events[i]
		for len(headers) > 0 && headers[0] < e.Number {
			s.header(totals.Lines + headers[0])
			headers = headers[1:]
		}
		for len(losses) > 0 && losses[0].line < e.Number {
			s.lost += losses[0].events
			losses = losses[1:]
		}
		line := e.Number
		e.Number += totals.Lines
		if s.last.Sub(e.Time) > maxGap { // strays have been dropped: time stays back
			s.header(e.Number)
		}
		s.last = e.Time
		if !s.started {
			s.started, s.first, s.latest = true, e.Time, e.Time
		} else if s.pending > 0 {
			s.join(e.Time, totals, limits)
		}
		s.pending = 0
		s.skipped = true
		if s.over {
			s.lost = 0
			b.problems = append(b.problems, lineProblem{line, TraceOver})
			continue
		}
		if s.guarded && s.guardFrom <= e.Time && e.Time <= s.guardTo {
			s.lost = 0
			b.problems = append(b.problems, lineProblem{line, ClockRestart})
			s.broken = true
			continue
		}
		s.skipped = false
		totals.Lost += s.lost
		s.lost = 0
		if s.broken {
			b.Starts = append(b.Starts, kept)
			s.broken = false
		}
		s.first, s.latest = min(s.first, e.Time), max(s.latest, e.Time)
		if kept != i {
			b.Events[kept] = *e
		}
		kept++
	}
	b.Events = b.Events[:kept]
	for _, l := range losses {
		switch {
		case !s.started:
			s.lost += l.events
		case !s.skipped: // those among lines that are not read are not missing
			totals.Lost += l.events
		}
	}
	for _, line := range headers { // the next event is in a later block
		s.header(totals.Lines + line)
	}
}

// header notes a line that may begin a trace. The first one before an event counts.
func (s *splitter) header(line int) {
	if s.pending == 0 {
		s.pending = line
	}
}

// join begins another trace with an event of the given time, unless that time
// continues the current trace.
func (s *splitter) join(at trace.Time, totals *Totals, limits trace.Limits) {
	gap := at.Sub(s.latest)
	if -disorder <= gap && gap < apart {
		return
	}
	if gap < 0 && s.first == s.latest { // a single line before a header is misplaced, not a trace
		return
	}
	totals.Further++
	if gap < 0 {
		totals.Behind++
	}
	if len(totals.Joins) < limits.Examples {
		totals.Joins = append(totals.Joins, Join{s.pending, gap})
	}
	s.over = totals.Further >= limits.Traces
	s.guarded, s.guardFrom, s.guardTo = gap < 0, s.first, s.latest
	s.broken = true
}

// byteOrderMark may be at the beginning of a file, and so of each trace in an input.
var byteOrderMark = []byte("\ufeff")

// isHeader reports whether a trace may begin with the line. If the line before it
// lacks its end, which is how a file may stop, the first of a trace's headers is
// lost in that line; then the second one counts.
func isHeader(text []byte) bool {
	text = bytes.TrimPrefix(text, byteOrderMark)
	return bytes.HasPrefix(text, []byte("# tracer:")) || bytes.HasPrefix(text, []byte("# entries-in-buffer/"))
}

// joinWarnings describes where the clock began anew.
func (t *Totals) joinWarnings() (list diag.Warnings) {
	for _, j := range t.Joins {
		if j.Gap < 0 {
			list = append(list, trace.Warning{Code: trace.WarnAnotherTrace, Lines: []int{j.Line}, Text: fmt.Sprintf("line %d: another trace begins, its clock %s behind", j.Line, -j.Gap)})
		}
	}
	if more := t.Behind - len(list); more > 0 {
		list = append(list, trace.Warning{Code: trace.WarnAnotherTrace, Count: more, Text: diag.Choose(more, "more trace begins with its clock behind", "more traces begin with their clocks behind")})
	}
	return list
}
