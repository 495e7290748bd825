package hitrace

import (
	"fmt"
	"math"
	"slices"

	"ohframe/analyzer/trace"
)

// Join is where in an input another trace begins.
type Join struct {
	Line int
	// Gap is the time from the last line before it to its first. If it is
	// negative, the clock began anew.
	Gap trace.Duration
	// Read says that the trace is read: as long as its times are none that a
	// trace before it has.
	Read bool
}

// joins finds the traces that follow one another in an input: a header after
// events begins one, and so does a clock that jumps back for good.
//
//	# tracer: nop
//	 app-1 … 100.000001: …     read
//	 app-1 … 100.000002: …     read
//	# tracer: nop              59.999999s later
//	 app-1 … 160.000001: …     read; nothing is open any more
//	# tracer: nop              157s behind
//	 app-1 …   3.000001: …     read, in a time of its own
//	 app-1 … 100.000001: …     not read any more
type joins struct {
	last    trace.Time // of the last line read
	first   trace.Time // the earliest of the lines read: not always a trace's first
	latest  trace.Time // of the lines read
	started bool
	headed  bool // the first header has come
	pending int  // the line of a header after which no event has come, counted from 1
	// until is when the trace at hand comes to a time that was read already;
	// forever if it does not.
	until trace.Time
}

const forever trace.Time = math.MaxInt64

// divide marks the batch's events with which a trace begins and drops those of
// times that were read already.
func (j *joins) divide(b *Batch, totals *Totals, examples int) {
	if len(b.Events) == 0 || j.started && len(b.starts) == 0 && j.pending == 0 && j.until == forever {
		for _, start := range b.starts {
			j.begin(totals.Lines + start)
		}
		for i := range b.Events {
			j.read(b.Events[i].Time)
		}
		return
	}
	slices.Sort(b.starts)
	starts, kept := b.starts, b.Events[:0]
	for i := range b.Events {
		e := &b.Events[i]
		for len(starts) > 0 && starts[0] <= e.Number {
			j.beginAfter(totals.Events+totals.Outside+len(kept), totals.Lines+starts[0])
			starts = starts[1:]
		}
		if j.pending > 0 || !j.started {
			j.join(e, totals, examples)
		}
		if e.Time >= j.until {
			b.Problems = append(b.Problems, LineProblem{e.Number, ClockRestart})
			continue
		}
		j.read(e.Time)
		kept = append(kept, *e)
	}
	b.Events = kept
	for _, start := range starts { // what begins comes with the next batch
		j.beginAfter(totals.Events+totals.Outside+len(kept), totals.Lines+start)
	}
}

// join begins a trace with an event.
func (j *joins) join(e *Event, totals *Totals, examples int) {
	if !j.started {
		j.started, j.first, j.until, j.pending = true, e.Time, forever, 0
		return
	}
	join := Join{Line: j.pending, Gap: e.Time.Sub(j.last), Read: true}
	j.pending = 0
	switch {
	case join.Gap < 0:
		j.until = j.first
		join.Read = e.Time < j.first
	case e.Time > j.latest:
		j.until = forever
	default: // it goes on before a time that was read
		join.Read = e.Time < j.until
	}
	e.First = join.Read
	j.first = min(j.first, e.Time)
	totals.Further++
	if !join.Read {
		totals.Unread++
	}
	if len(totals.Joins) < examples {
		totals.Joins = append(totals.Joins, join)
	}
}

// read takes note of the time of a line that is read.
func (j *joins) read(at trace.Time) {
	j.last, j.first, j.latest = at, min(j.first, at), max(j.latest, at)
}

// Warnings says in words what of the input was not read, though it may be sound.
func (t *Totals) Warnings() []string {
	var list []string
	for _, j := range t.Joins {
		if !j.Read {
			list = append(list, fmt.Sprintf("line %d: another trace begins, %s behind the one before it, whose times it has: it is not read", j.Line, -j.Gap))
		}
	}
	if told := len(list); t.Unread > told {
		list = append(list, fmt.Sprintf("%d more traces have times of those before them and are not read", t.Unread-told))
	}
	if n := t.Problems.counts[LineTooLong].Total; n > 0 {
		list = append(list, fmt.Sprintf("%d × %s", n, LineTooLong))
	}
	return list
}

// begin takes note of a line with which a trace begins, unless one before it has
// told so already.
func (j *joins) begin(line int) {
	if j.pending == 0 {
		j.pending = line
	}
}

// beginAfter is begin where so many events have come before. A single line before
// the first header is out of place, and no trace.
func (j *joins) beginAfter(events, line int) {
	if j.headed || events > 1 {
		j.begin(line)
	}
	j.headed = true
}
