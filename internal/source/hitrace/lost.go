package hitrace

import (
	"math"
	"regexp"
	"slices"

	"ohframe/analyzer/trace"
)

// lost is what the lines without an event say about events that are not in the trace.
type lost struct {
	overwritten int // before its start
	// entries and cpus are how many events, and CPUs, the header states.
	entries, cpus int
}

// maxLost bounds each count of a line, so that sums do not overflow.
const maxLost = 1 << 40

var entriesLine = regexp.MustCompile(`^(?:\x{FEFF})?# entries-in-buffer/entries-written:[ \t]*(\d+)/[ \t]*(\d+)(?:.*#P:[ \t]*(\d+))?`)

// add adds what a line without an event reports. The kernel writes
//
//	# entries-in-buffer/entries-written: 2000/5000   #P:8
//
// which means that 3000 events were overwritten.
func (l *lost) add(text []byte) {
	m := entriesLine.FindSubmatch(text)
	if m == nil {
		return
	}
	kept, written := count(m[1]), count(m[2])
	l.entries += kept
	l.overwritten += max(0, written-kept)
	l.cpus = max(l.cpus, count(m[3]))
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

var lossLine = regexp.MustCompile(`^(?:\x{FEFF})?CPU:(\d+) \[LOST (\d*) ?EVENTS\][ \t]*$`)

// lossOf returns the loss that the line, a note of the kernel, says. ok is false for other
// lines. The kernel writes
//
//	CPU:3 [LOST 17 EVENTS]
//
// without the number if it does not know it; then it counts as one.
func lossOf(text []byte) (l loss, ok bool) {
	m := lossLine.FindSubmatch(text)
	if m == nil {
		return l, false
	}
	cpu, _, ok := digits(m[1], 0)
	return loss{cpu: trace.CPU(cpu), events: max(1, count(m[2]))}, ok
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
