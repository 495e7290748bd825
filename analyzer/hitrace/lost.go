package hitrace

import (
	"bytes"
	"math"
	"slices"

	"ohframe/analyzer/trace"
)

// lost counts events that were recorded and are not in the trace.
type lost struct {
	dropped     int // within the trace
	overwritten int // before its start
}

// maxLost bounds each count of a line, so that sums do not overflow.
const maxLost = 1 << 40

// add adds the events that a line without an event reports as lost. The kernel writes
//
//	# entries-in-buffer/entries-written: 2000/5000   #P:8
//	CPU:3 [LOST 17 EVENTS]
//
// The first means that 3000 events were overwritten. The second has no number if the
// kernel does not know it; then it counts as one.
func (l *lost) add(text []byte) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if _, ok := lossOf(text); ok {
		n, _ := decimalAfter(text, []byte("[LOST "))
		l.dropped += max(1, n)
		return
	}
	kept, rest := decimalAfter(text, []byte("# entries-in-buffer/entries-written:"))
	written, end := decimalAfter(rest, []byte("/"))
	if len(rest) > len(end) && written > kept {
		l.overwritten += written - kept
	}
}

// lossOf returns the processor of which the line, the kernel's note about lost events, is. ok
// is false for other lines.
func lossOf(text []byte) (cpu trace.CPU, ok bool) {
	rest, ok := bytes.CutPrefix(text, []byte("CPU:"))
	if !ok {
		return 0, false
	}
	n, end, ok := digits(rest, 0)
	return trace.CPU(n), ok && bytes.HasPrefix(rest[end:], []byte(" [LOST ")) && bytes.HasSuffix(bytes.TrimRight(rest, " \t"), []byte("EVENTS]"))
}

// loss is a line that says that events of a processor are missing. Lines of a batch are
// counted from 1.
type loss struct {
	line int
	cpu  trace.CPU
}

// losses are the processors whose events are missing and that have no event since.
type losses struct{ pending []trace.CPU }

// maxPending is above the number of processors of any device.
const maxPending = 256

// mark sets Event.Lost of the first event of a processor after each loss of the batch.
// before is the number of lines before the batch.
func (l *losses) mark(b *Batch, before int) {
	rest := b.losses
	if len(rest) == 0 && len(l.pending) == 0 {
		return
	}
	add := func(until int) {
		for ; len(rest) > 0 && before+rest[0].line < until; rest = rest[1:] {
			if len(l.pending) < maxPending && !slices.Contains(l.pending, rest[0].cpu) {
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

// decimalAfter returns the number behind a word, at most maxLost, and the text after it.
// It returns 0 and no text if the word is missing.
func decimalAfter(text, word []byte) (int, []byte) {
	at := bytes.Index(text, word)
	if at < 0 {
		return 0, nil
	}
	value, end := decimal(text, skipBlanks(text, at+len(word)))
	if end-at-len(word) > 18 {
		value = maxLost
	}
	return int(min(value, maxLost)), text[end:]
}
