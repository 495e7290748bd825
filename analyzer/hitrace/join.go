package hitrace

import (
	"fmt"
	"slices"

	"ohframe/analyzer/trace"
)

// Join is where in an input another trace begins.
type Join struct {
	Line int
	// Gap is the time from the latest line before it to its first. If it is
	// negative, the clock began anew, or something is there twice.
	Gap trace.Duration
}

// joins finds the traces that follow one another in an input: a header after
// events begins one, and so does a clock that jumps back for good. Where the time
// goes on as if there were no header, there is no other trace.
//
//	# tracer: nop
//	 app-1 … 100.000001: …     read
//	 app-1 … 100.000002: …     read
//	# tracer: nop              59.999999s later
//	 app-1 … 160.000001: …     read; nothing is open any more
//	# tracer: nop              157s behind
//	 app-1 …   3.000001: …     read, in a time of its own
//	 app-1 … 100.000001: …     not read: here, or in between, was something already
//	 app-1 … 170.000001: …     read; nothing is open any more
type joins struct {
	first, latest trace.Time // of the lines read
	started       bool
	pending       int // the line of a header after which no event has come, counted from 1
	// Times from from to to are not read: traces before the one at hand have them.
	guarded  bool
	from, to trace.Time
	broken   bool // the line before was not read
	over     bool // the trace at hand is one more than the limit
}

const (
	// disorder is how far lines of one trace are out of order at the most.
	disorder = 10 * trace.Millisecond
	// apart is the time between two traces at the least: it takes some to begin one.
	apart = trace.Second
)

// divide marks the batch's events with which a trace begins and drops those of
// times that were read already.
func (j *joins) divide(b *Batch, totals *Totals, options Options) {
	if j.started && len(b.starts) == 0 && j.pending == 0 && !j.guarded && !j.over {
		if len(b.Events) > 0 {
			j.first, j.latest = min(j.first, b.first), max(j.latest, b.latest)
		}
		return
	}
	slices.Sort(b.starts)
	starts, kept := b.starts, b.Events[:0]
	for i := range b.Events {
		e := &b.Events[i]
		for len(starts) > 0 && starts[0] <= e.Number {
			j.begin(totals.Lines + starts[0])
			starts = starts[1:]
		}
		if !j.started {
			j.started, j.first, j.latest = true, e.Time, e.Time
		} else if j.pending > 0 {
			j.join(e.Time, totals, options)
		}
		j.pending = 0
		switch {
		case j.over:
			b.Problems = append(b.Problems, LineProblem{e.Number, TraceOver})
			continue
		case j.guarded && j.from <= e.Time && e.Time <= j.to:
			b.Problems = append(b.Problems, LineProblem{e.Number, ClockRestart})
			j.broken = true
			continue
		}
		e.First, j.broken = j.broken, false
		j.first, j.latest = min(j.first, e.Time), max(j.latest, e.Time)
		kept = append(kept, *e)
	}
	b.Events = kept
	for _, start := range starts { // what begins comes with the next batch
		j.begin(totals.Lines + start)
	}
}

// begin takes note of a line with which a trace may begin, unless one before it
// has told so already.
func (j *joins) begin(line int) {
	if j.pending == 0 {
		j.pending = line
	}
}

// join begins a trace with an event of the given time, if it is another one.
func (j *joins) join(at trace.Time, totals *Totals, options Options) {
	gap := at.Sub(j.latest)
	if -disorder <= gap && gap < apart {
		return
	}
	if gap < 0 && j.first == j.latest { // a single line before a header is out of place, and no trace
		return
	}
	totals.Further++
	if gap < 0 {
		totals.Behind++
	}
	if len(totals.Joins) < options.Limits.Examples {
		totals.Joins = append(totals.Joins, Join{j.pending, gap})
	}
	j.over = totals.Further >= options.Limits.Traces
	j.guarded, j.from, j.to = gap < 0, j.first, j.latest
	j.broken = true
}

// Warnings says in words what of the input was not read, though it may be sound,
// and where its clock began anew.
func (t *Totals) Warnings() []string {
	var list []string
	told := 0
	for _, j := range t.Joins {
		if j.Gap < 0 {
			list = append(list, fmt.Sprintf("line %d: another trace begins, its clock %s behind", j.Line, -j.Gap))
			told++
		}
	}
	if t.Behind > told {
		list = append(list, fmt.Sprintf("%d more traces begin with their clocks behind", t.Behind-told))
	}
	for _, p := range []Problem{ClockRestart, TraceOver, LineTooLong} {
		if n := t.Problems.Total(p); n > 0 {
			list = append(list, fmt.Sprintf("%d × %s", n, p))
		}
	}
	return list
}
