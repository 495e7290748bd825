package analyzer

import (
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
)

// thread is the state of one thread.
type thread struct {
	tid     trace.TID
	pid     trace.PID
	touched bool // by the trace being read
	// stated: a column has told the process. Where none does, said is what the
	// last slice's begin has told.
	stated bool
	said   trace.PID
	open   hitrace.Stack[openSlice]
	// draft is the frame being made.
	draft *draft
	// unbatched is the last frame that began on this thread, if it is no main
	// thread and the trace has no UVTrace around the frame.
	unbatched *draft
	// orphan is a frame whose parts are seen outside every slice of the trace.
	// An end without its begin makes it a truncated frame; else it is none.
	orphan *draft
	// renders says that frames are composed on this thread.
	renders bool
}

// openSlice is a slice that matters and has not ended.
type openSlice struct {
	word   hitrace.Word
	start  trace.Time
	draft  *draft // the frame that it is part of, if any
	used   bool   // a UVTrace whose begin some frame has taken for its own
	commit *commit
	wait   *wait
}

// thread returns the state of the thread that a marker is of, with its process
// brought up to date; nil for one more than the limit.
func (b *Builder) thread(e *hitrace.Event) *thread {
	t := b.threads[e.TID]
	if t == nil {
		if len(b.threads) >= b.options.Limits.Threads {
			return nil
		}
		t = &thread{tid: e.TID, pid: trace.UnknownPID}
		b.threads[e.TID] = t
	}
	if !t.touched {
		t.touched = true
		b.touched = append(b.touched, t)
	}
	// The payload's process id may be a container's own: the column wins.
	switch said := e.Marker.PID; {
	case e.PID != trace.UnknownPID:
		t.pid, t.stated = e.PID, true
	case t.stated:
	case t.pid == trace.UnknownPID:
		t.pid = said
	case e.Marker.Phase == hitrace.Begin:
		// Twice in a row, or a main thread's: once may be a damaged line.
		if said == t.said || int32(said) == int32(t.tid) {
			t.pid = said
		}
		t.said = said
	}
	return t
}

// isMain reports whether this is its process's main thread.
func (t *thread) isMain() bool { return int32(t.pid) == int32(t.tid) }

// indexOpen returns the index in open of the slice of this word, or -1.
func (t *thread) indexOpen(word hitrace.Word) int {
	for i := range t.open.Len() {
		if t.open.At(i).word == word {
			return i
		}
	}
	return -1
}

// lastOpen returns the slice kept last.
func (t *thread) lastOpen() *openSlice { return t.open.At(t.open.Len() - 1) }

// setCurrent makes d the frame being made, to which the slice kept last belongs.
func (t *thread) setCurrent(d *draft) {
	t.draft = d
	t.lastOpen().draft = d
}

// abandon forgets the open slices from the given one on, whose ends were lost. A
// frame that they are part of is truncated. The slice that has just begun takes their
// place.
func (t *thread) abandon(from int, at trace.Time) {
	for i := from; i < t.open.Len(); i++ {
		if d := t.open.At(i).draft; d != nil && d == t.draft {
			d.frame.Facts |= Truncated
			d.receiveEnd, d.handled = at, at
			t.draft = nil
		}
	}
	t.open.Replace(from)
}

// orphanOf returns the frame to which a part belongs that stands outside every
// frame of the trace.
func (t *thread) orphanOf(e *hitrace.Event) *draft {
	if t.orphan == nil {
		t.orphan = &draft{
			frame:  &Frame{TID: t.tid, Actual: Interval{Start: e.Time}, Facts: Truncated},
			thread: t, pid: t.pid, line: e.Number, dropped: true,
		}
	}
	return t.orphan
}

func (t *thread) draftOrOrphan(e *hitrace.Event) *draft {
	if t.draft != nil {
		return t.draft
	}
	return t.orphanOf(e)
}

// countAtZero counts a slice that begins or ends at time zero, which stands for an
// unknown time: slices that matter neither begin nor end at it.
func (t *thread) countAtZero(phase hitrace.Phase) {
	switch phase {
	case hitrace.Begin:
		t.open.Begin()
	case hitrace.End:
		t.open.EndUnkept()
	}
}

// maxBatch is how long after a frame the UVTrace around it ends, at the most:
// what ends later is another slice, whose begin is lost.
const maxBatch = 10 * trace.Millisecond

// unmatchedEnd takes note of a slice that began before the trace did. If parts
// of a frame stood in it, they make a truncated frame.
func (t *thread) unmatchedEnd(at trace.Time) {
	switch {
	case t.orphan != nil:
		t.orphan.dropped = false
		t.orphan.receiveEnd = at
	case t.unbatched != nil && at.Sub(t.unbatched.handled) < maxBatch:
		// The UVTrace around the frame began before the trace.
		t.unbatched.frame.Facts |= Truncated
	}
}

// settleOrphan decides on the thread's orphan, now that a frame begins.
func (b *Builder) settleOrphan(t *thread) {
	d := t.orphan
	t.orphan = nil
	switch {
	case d == nil:
	case !d.dropped && b.mayKeepFrame(d.line):
		b.drafts = append(b.drafts, d)
	default:
		d.dropped = true
		b.kept.applied -= len(d.applied)
		for _, a := range d.applied {
			b.diagnostics.add(AppliedOutside, a.line)
		}
	}
}
