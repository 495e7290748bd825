package reconstruct

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// thread is the state of one thread.
type thread struct {
	tid     trace.TID
	pid     trace.PID
	touched bool // by the trace being read
	open    hitrace.Stack[openSlice]
	// draft is the frame being made.
	draft *draft
	// bare is the frame without ReceiveVsync that is being made, in the slice of depth bareDepth, and
	// lastBare the one before.
	bare, lastBare *draft
	bareDepth      int
	// web is the frame of ArkWeb that is being made.
	web *draft
	// ran is how long the thread has run until since. See running.
	ran   trace.Duration
	since trace.Time
	// outsideBatch is the last frame that began on this thread; nil if that was in a UVTrace.
	outsideBatch *draft
	// orphan is a frame whose markers are outside every slice of the trace. An end
	// without a begin makes it a truncated frame; otherwise it is discarded.
	orphan *draft
	last   trace.Time // of its markers
	// serving is the thread whose binder call this one serves. calling: it waits for the reply
	// to one of its own.
	serving *thread
	calling bool
	// queued is the buffer that was queued last by the thread or for it, without a fence
	// so far. acquiring is the queue from which a buffer is taken, acquired the one from
	// which the last was, dequeued when a buffer of Android was asked for, unnamed a call
	// that names no queue.
	queued              *buffer
	acquiring, acquired *queue
	dequeued            analyzer.Interval
	unnamed             *unnamedCall
	// dropping: the buffer that the thread asks for next is released at once. discards: it is
	// the one that it asks for now.
	dropping, discards bool
	// renders: frames are composed on this thread.
	renders bool
	// user: the thread is one of a user interface, with frames or markers of scenes.
	user bool
	// doubtful counts the scenes of a thread that is not known to be one.
	doubtful int
	// top is the begin of the outermost open slice of a main thread, topName its name.
	// topDraft: a frame began in it. base is the number of open slices around frames: their
	// ends are lost, or they are around everything that the thread does. A slice in them is
	// an outermost one, too.
	top      trace.Time
	topName  []byte
	topDraft bool
	base     int
	// hasFrames: a frame began on the thread. heldTo is the last end before that of a slice that
	// began before the trace.
	hasFrames bool
	heldTo    trace.Time
	// tasks are the outermost slices of a main thread since its last frame with a vsync, vsynced.
	tasks   []task
	vsynced *draft
}

// openSlice is a slice with a handler that has not ended.
type openSlice struct {
	word   hitrace.Word
	start  trace.Time
	draft  *draft          // the frame that it is part of, if any
	used   bool            // a UVTrace whose begin is the start of a frame
	ran    trace.Duration  // of the thread, when a UVTrace or a DisplaySync began
	sync   int             // index of that DisplaySync in its frame
	now    trace.Monotonic // when the vsync of a FlutterVsync was due
	commit *commit
	wait   *wait
	// queue and sequence are those of a RequestBuffer, granted is when there was a buffer.
	queue    *queue
	sequence int64
	granted  trace.Time
	// component is that of a BuildItem or BuildRecycle.
	component string
}

// thread returns the state of the thread that a marker is of, with its process
// brought up to date; nil for one more than the limit.
func (b *builder) thread(e *hitrace.Event) *thread {
	t := b.threads.Get(e.TID)
	if t == nil {
		if b.threads.Len() >= b.options.Limits.Threads {
			return nil
		}
		t = &thread{tid: e.TID}
		b.threads.Put(e.TID, t)
	}
	if !t.touched {
		t.touched = true
		b.touched = append(b.touched, t)
	}
	t.pid = e.Process
	return t
}

// isMain reports whether this is its process's main thread.
func (t *thread) isMain() bool { return int32(t.pid) == int32(t.tid) }

// wasIdle reports whether the thread did nothing, as far as its markers say, before the slice
// that begins with the event.
func (t *thread) wasIdle(e *hitrace.Event) bool {
	return t.open.Depth() == 1 && (!t.last.Known() || e.Time.Sub(t.last) >= idleBefore)
}

// indexOpen returns the index in open of the slice of this word, or -1.
func (t *thread) indexOpen(word hitrace.Word) int {
	for i := range t.open.Len() {
		if t.open.At(i).word == word {
			return i
		}
	}
	return -1
}

// lastOpen returns the open slice that was stored last.
func (t *thread) lastOpen() *openSlice { return t.open.At(t.open.Len() - 1) }

// setCurrent makes d the current frame, and the slice that was stored last a part of it.
func (t *thread) setCurrent(d *draft) {
	t.draft = d
	t.lastOpen().draft = d
}

// abandon removes the open slices from the given one on, whose ends were lost, and
// truncates their frame. The slice that has just begun replaces them.
func (t *thread) abandon(from int, at trace.Time) {
	for i := from; i < t.open.Len(); i++ {
		d := t.open.At(i).draft
		if d == nil || d != t.draft && d.frame.Framework == analyzer.Platform {
			continue
		}
		d.frame.Facts |= analyzer.Truncated
		d.receiveEnd, d.handled = at, at
		if d == t.draft {
			t.draft = nil
		}
	}
	t.open.Replace(from)
}

// orphanOf returns the frame of a marker that is outside every slice of the trace.
func (t *thread) orphanOf(e *hitrace.Event) *draft {
	if t.orphan == nil {
		t.orphan = &draft{
			frame:  &analyzer.Frame{TID: t.tid, Actual: analyzer.Interval{Start: e.Time}, Facts: analyzer.Truncated},
			thread: t, pid: t.pid, line: e.Number, orphan: true, dropped: true,
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

// countAtZero counts a slice that begins or ends at time zero, which means unknown.
// Slices with handlers neither begin nor end at that time.
func (t *thread) countAtZero(phase hitrace.Phase) {
	switch phase {
	case hitrace.Begin:
		t.open.Begin()
	case hitrace.End:
		t.open.EndUnkept()
	}
}

// maxBatch is the maximum time from the end of a frame to the end of the UVTrace around
// it. A later end belongs to another slice, whose begin is lost.
const maxBatch = 10 * trace.Millisecond

// unmatchedEnd records the end of a slice that began before the trace did. If it
// contained markers of a frame, they make a truncated frame.
func (t *thread) unmatchedEnd(at trace.Time) {
	switch {
	case t.orphan != nil:
		t.orphan.dropped = false
		t.orphan.receiveEnd = at
	case t.outsideBatch != nil && at.Sub(t.outsideBatch.handled) < maxBatch:
		// The UVTrace around the frame began before the trace.
		t.outsideBatch.frame.Facts |= analyzer.Truncated
	}
}

// settleOrphan decides on the thread's orphan, now that a frame begins.
func (b *builder) settleOrphan(t *thread) {
	d := t.orphan
	t.orphan = nil
	if d == nil {
		return
	}
	if !d.dropped {
		b.keep(d)
	}
	if d.dropped {
		b.kept.applied -= len(d.applied)
		for _, a := range d.applied {
			b.diagnostics.add(analyzer.AppliedOutside, a.line)
		}
	}
}
