package hitrace

import (
	"math"
	"slices"
	"sort"

	"ohframe/analyzer/trace"
	"ohframe/internal/pattern"
)

// maxLost bounds each count of a line, so that sums do not overflow.
const maxLost = 1 << 40

// stated is what a header states about the events of a trace. Lines of a batch are counted
// from 1.
type stated struct {
	line          int
	kept, written int // events in the trace, and those that were recorded
	cpus          int
}

var entriesLine = pattern.New(`^(?:\x{FEFF})?# entries-in-buffer/entries-written:[ \t]*(\d+)/[ \t]*(\d+)(?:.*#P:[ \t]*(\d+))?`)

// statedBy returns what the line, a note of the kernel, states. ok is false for other
// lines. The kernel writes
//
//	# entries-in-buffer/entries-written: 2000/5000   #P:8
//
// which means that 3000 events were overwritten.
func statedBy(text []byte) (s stated, ok bool) {
	m := entriesLine().FindSubmatch(text)
	if m == nil {
		return s, false
	}
	return stated{kept: count(m[1]), written: count(m[2]), cpus: count(m[3])}, true
}

// entries compares what headers state with the events that follow each of them.
type entries struct {
	header stated // the last one; zero if it states nothing
	before int    // events before it
	seen   int    // events so far
	// kept and overwritten are those of the headers before.
	kept, overwritten int
}

// add adds the lines of a batch, as they were read, and sets the totals.
func (s *entries) add(b *Batch, totals *Totals) {
	problems, damaged := b.problems, 0
	before := func(line int) int { // of lines in order
		for ; len(problems) > 0 && problems[0].Line < line; problems = problems[1:] {
			if problems[0].Problem >= NotALine {
				damaged++
			}
		}
		return damaged + sort.Search(len(b.Events), func(i int) bool { return b.Events[i].Number > line })
	}
	rest := b.stated
	for _, line := range b.headers {
		from := s.seen + before(line)
		s.header.sum(from-s.before, &s.kept, &s.overwritten)
		s.header, s.before = stated{}, from
		if len(rest) > 0 && rest[0].line == line {
			s.header, rest = rest[0], rest[1:]
			totals.CPUs = max(totals.CPUs, s.header.cpus)
		}
	}
	s.seen += before(math.MaxInt)
	totals.Entries, totals.Overwritten = s.kept, s.overwritten
	s.header.sum(s.seen-s.before, &totals.Entries, &totals.Overwritten)
}

// sum adds how many events a trace had, and how many were overwritten before its start.
// present is the number of events after the header. Those cannot have been overwritten.
func (h *stated) sum(present int, kept, overwritten *int) {
	if h.kept == 0 {
		// Some tools read the events before they write the header. Then it does not say how
		// many were overwritten, but how many there are.
		*kept += h.written
		return
	}
	*kept += h.kept
	*overwritten += max(0, h.written-max(h.kept, present))
}

// count returns a number, at most maxLost.
func count(digits []byte) int {
	value, end := decimal(digits, 0)
	if end > 18 {
		value = maxLost
	}
	return int(min(value, maxLost))
}

// loss is a line that says that events of a processor are missing. Lines of a batch are
// counted from 1.
type loss struct {
	line   int
	cpu    trace.CPU
	events int
}

var lossLine = pattern.New(`^(?:\x{FEFF})?CPU:(\d+) \[(?:LOST (\d*) ?EVENTS|(\d*) ?EVENTS DROPPED)\][ \t]*$`)

// lossOf returns the loss that the line, a note of the kernel, says. ok is false for other
// lines. The kernel writes
//
//	CPU:3 [LOST 17 EVENTS]
//
// without the number if it does not know it; then it counts as one. trace-cmd writes
//
//	CPU:3 [17 EVENTS DROPPED]
func lossOf(text []byte) (l loss, ok bool) {
	m := lossLine().FindSubmatch(text)
	if m == nil {
		return l, false
	}
	cpu, _, ok := digits(m[1], 0)
	return loss{cpu: trace.CPU(cpu), events: max(1, count(m[2]), count(m[3]))}, ok
}

// losses are the processors whose events are missing and that have no event since.
type losses struct{ pending []trace.CPU }

// maxCPUs is above the number of processors of any device.
const maxCPUs = 256

// mark sets Event.Lost of the first event of a processor after each loss of the batch.
// before is the number of lines before the batch.
func (l *losses) mark(b *Batch, before int) {
	rest := b.losses
	if len(rest) == 0 && len(l.pending) == 0 {
		return
	}
	add := func(until int) {
		for ; len(rest) > 0 && before+rest[0].line < until; rest = rest[1:] {
			if len(l.pending) < maxCPUs && !slices.Contains(l.pending, rest[0].cpu) {
				l.pending = append(l.pending, rest[0].cpu)
			}
		}
	}
	for i := range b.Events {
		e := &b.Events[i]
		add(e.Number)
		if n := slices.Index(l.pending, e.CPU); n >= 0 {
			e.Lost = true
			l.pending = slices.Delete(l.pending, n, n+1)
		}
	}
	add(math.MaxInt)
}
