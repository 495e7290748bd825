package analyzer

import (
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Builder collects the frame data of one trace. Track must see every event in order.
type Builder struct {
	*shared
	span    Interval
	last    trace.Time // of the last event
	touched []*thread  // those with markers
	drafts  []*draft   // frames, in the order in which they were seen
	sent    []*sent
	draws   []draw
	commits []*commit
	waits   []*wait
	gpu     gpuWork
	periods []generated
	clock   clockSamples

	coverage coverage
}

func newBuilder(s *shared) *Builder {
	return &Builder{shared: s, gpu: gpuWork{open: map[gpuKey]openGPU{}}}
}

// hasFrameData reports whether the trace contains frame data.
func (b *Builder) hasFrameData() bool {
	return len(b.drafts)+len(b.sent)+len(b.draws)+len(b.commits)+len(b.waits)+len(b.gpu.done)+len(b.gpu.open)+len(b.periods) > 0
}

// draft is a frame under construction. Its vsync times are in CLOCK_MONOTONIC, because
// the clock offset is not known before the end of the trace.
type draft struct {
	frame       *Frame
	thread      *thread
	pid         trace.PID // of the thread, when the frame began
	line        int
	piece       int             // of the trace, if the clock jumps; from 0
	now         trace.Monotonic // when the vsync was due
	task        trace.Monotonic // the same as UIVsyncTask has it; differs if delivered late
	expectedEnd trace.Monotonic
	// hasVsync: the frame begins with a ReceiveVsync, which has the expected times.
	hasVsync      bool
	namesReceiver bool       // the ReceiveVsync has the name of the receiver
	receiverIsRS  bool       // and it is render_service
	composed      bool       // contains DoComposition
	processed     bool       // contains ProcessCommandUni
	receiveEnd    trace.Time // end of ReceiveVsync
	handled       trace.Time // end of the last outermost OnVsyncEvent
	applied       []applied
	dropped       bool // an orphan that turned out to be no frame
}

// applied is a transaction that a render frame applied, from its marker.
type applied struct {
	hitrace.Transaction
	at   trace.Time
	line int
}

// generated is a refresh period and when it was announced.
type generated struct {
	at     trace.Time
	period trace.Duration
}

// Track adds the next event of the trace.
func (b *Builder) Track(e *hitrace.Event) {
	if !b.span.Start.Known() || e.Time < b.span.Start {
		b.span.Start = e.Time
	}
	b.span.End = max(b.span.End, e.Time)
	if b.last.Known() && e.Time.Sub(b.last).Abs() >= minStep {
		b.clock.step(b.last, e.Time, e.Number)
	}
	b.coverage.track(e, b.last)
	b.last = e.Time
	if e.Kind != hitrace.MarkerEvent {
		return
	}
	t := b.thread(e)
	if t == nil {
		b.diagnostics.add(ThreadsOver, e.Number)
		return
	}
	if !e.Time.Known() {
		t.countAtZero(e.Marker.Phase)
		return
	}
	b.diagnostics.see(e.Word, t.pid)
	switch e.Marker.Phase {
	case hitrace.Begin:
		t.open.Begin()
		if begin := begins[e.Word]; begin != nil {
			begin(b, t, e)
		}
	case hitrace.End:
		b.end(t, e)
	case hitrace.AsyncBegin:
		if e.Word == hitrace.FrameQueued {
			b.beginGPU(t.pid, e)
		}
	case hitrace.AsyncEnd:
		if e.Word == hitrace.FrameQueued {
			b.endGPU(t.pid, e)
		}
	case hitrace.Sync:
		if sync, ok := hitrace.ParseClockSync(e.Marker.Name); ok {
			b.clock.addSync(e.Time, sync)
			if sync.Realtime != 0 && !b.wall.At.Known() {
				b.wall = WallClock{e.Time, sync.Realtime}
			}
		}
	}
	t.last = e.Time
}

// begins are the handlers for the beginnings of slices, by word.
var begins = [hitrace.WordCount]func(*Builder, *thread, *hitrace.Event){
	hitrace.ReceiveVsync:       (*Builder).beginReceiveVsync,
	hitrace.OnVsyncEvent:       (*Builder).beginOnVsyncEvent,
	hitrace.UIVsyncTask:        (*Builder).beginVsyncTask,
	hitrace.UVTrace:            (*Builder).beginUVTrace,
	hitrace.MarshTransaction:   (*Builder).beginMarsh,
	hitrace.DoComposition:      (*Builder).beginDoComposition,
	hitrace.ProcessCommands:    (*Builder).beginProcessCommands,
	hitrace.RenderFrame:        (*Builder).push,
	hitrace.Commit:             (*Builder).beginCommit,
	hitrace.PresentFence:       (*Builder).beginPresentFence,
	hitrace.PresentFenceWait:   (*Builder).beginPresentFenceWait,
	hitrace.GenerateVsyncCount: (*Builder).beginGenerateVsync,
}

// ends are the handlers of the ends of those slices that were pushed.
var ends = [hitrace.WordCount]func(*Builder, *thread, *openSlice, *hitrace.Event){
	hitrace.ReceiveVsync:     (*Builder).endReceiveVsync,
	hitrace.OnVsyncEvent:     (*Builder).endOnVsyncEvent,
	hitrace.RenderFrame:      (*Builder).endRenderFrame,
	hitrace.Commit:           (*Builder).endCommit,
	hitrace.PresentFenceWait: (*Builder).endPresentFenceWait,
}

// end closes the innermost slice of the thread.
func (b *Builder) end(t *thread, e *hitrace.Event) {
	depth, slice := t.open.End()
	if depth == 0 {
		b.diagnostics.add(UnmatchedEnd, e.Number)
		b.coverage.beginLost(t.tid, t.last, e.Time)
		t.unmatchedEnd(e.Time)
	} else if slice != nil && ends[slice.word] != nil {
		ends[slice.word](b, t, slice, e)
	}
}

// push stores an open slice until its end. Slices of one kind do not nest: if one
// is open already, its end was lost. It is abandoned, because waiting for its end
// would misread everything that follows.
func (b *Builder) push(t *thread, e *hitrace.Event) {
	if i := t.indexOpen(e.Word); i >= 0 {
		b.endLost(t, e)
		t.abandon(i, e.Time)
	}
	t.open.Keep(openSlice{word: e.Word, start: e.Time, draft: t.draft})
}

// endLost notes that an end of a slice is missing before the event.
func (b *Builder) endLost(t *thread, e *hitrace.Event) {
	b.diagnostics.add(EndLost, e.Number)
	b.coverage.endLost(t.last, e.Time)
}

func (b *Builder) newDraft(t *thread, e *hitrace.Event, start trace.Time) *draft {
	d := &draft{frame: &Frame{TID: t.tid, Actual: Interval{Start: start}}, thread: t, pid: t.pid, line: e.Number}
	if b.mayKeepFrame(e.Number) {
		b.drafts = append(b.drafts, d)
	} else {
		d.dropped = true
	}
	return d
}

// mayKeepFrame counts a frame and reports whether there is room for it.
func (b *Builder) mayKeepFrame(line int) bool {
	if b.kept.frames >= b.options.Limits.Frames {
		b.diagnostics.add(FramesOver, line)
		return false
	}
	b.kept.frames++
	return true
}

// mayKeep counts a record of some kind. It reports whether the record is within
// the limit.
func (b *Builder) mayKeep(records *int, e *hitrace.Event) bool {
	if *records >= b.options.Limits.Records {
		b.diagnostics.add(RecordsOver, e.Number)
		return false
	}
	*records++
	return true
}

func (b *Builder) beginReceiveVsync(t *thread, e *hitrace.Event) {
	v := hitrace.ParseVsync(e.Marker.Label())
	b.clock.add(ClockReceiveVsync, e, v.Now)
	if !t.isMain() {
		return
	}
	b.settleOrphan(t)
	if v.Damaged != 0 {
		b.diagnostics.add(DamagedField, e.Number)
	}
	b.push(t, e)
	d := b.newDraft(t, e, e.Time)
	d.hasVsync, d.now, d.expectedEnd = true, v.Now, v.ExpectedEnd
	d.namesReceiver, d.receiverIsRS = v.Receiver != nil, string(v.Receiver) == "rs"
	d.frame.VsyncID = v.VsyncID
	d.frame.Coalesced = max(0, v.Queued-1)
	t.setCurrent(d)
}

func (b *Builder) endReceiveVsync(t *thread, s *openSlice, e *hitrace.Event) {
	s.draft.receiveEnd = e.Time
	t.draft = nil
}

// beginUVTrace begins the slice around a worker's frame. It never begins within a
// frame: if a frame is open, its end was lost.
func (b *Builder) beginUVTrace(t *thread, e *hitrace.Event) {
	if i := t.indexOpen(hitrace.OnVsyncEvent); i >= 0 && !t.open.At(i).draft.hasVsync && t.indexOpen(hitrace.UVTrace) < 0 {
		b.endLost(t, e)
		t.abandon(i, e.Time)
	}
	b.push(t, e)
}

func (b *Builder) beginOnVsyncEvent(t *thread, e *hitrace.Event) {
	now, damaged := hitrace.ParseOnVsyncEvent(e.Marker.Label())
	if damaged != 0 {
		b.diagnostics.add(DamagedField, e.Number)
	}
	if i := t.indexOpen(hitrace.OnVsyncEvent); i >= 0 {
		other := t.open.At(i).draft
		if other.hasVsync || now == 0 || other.now == 0 || now == other.now {
			return // within that, for another UI instance
		}
		b.endLost(t, e)
		t.abandon(i, e.Time)
	}
	if t.isMain() {
		if t.draft == nil {
			t.orphanOf(e).now = now
			return
		}
		b.push(t, e)
		return
	}
	b.settleOrphan(t)
	start, batched := e.Time, false
	if t.open.Len() > 0 && t.lastOpen().word == hitrace.UVTrace {
		batched = true
		if uv := t.lastOpen(); !uv.used {
			start = uv.start
			uv.used = true
		}
	}
	b.push(t, e)
	d := b.newDraft(t, e, start)
	d.now = now
	t.unbatched = nil
	if !batched {
		t.unbatched = d
	}
	t.setCurrent(d)
}

func (b *Builder) endOnVsyncEvent(t *thread, s *openSlice, e *hitrace.Event) {
	s.draft.handled = e.Time
	if !s.draft.hasVsync { // a worker's frame is no more than this
		t.draft = nil
	}
}

func (b *Builder) beginVsyncTask(t *thread, e *hitrace.Event) {
	task := hitrace.ParseVsyncTask(e.Marker.Label())
	if task.Damaged != 0 {
		b.diagnostics.add(DamagedField, e.Number)
	}
	d := t.draftOrOrphan(e)
	if d.frame.VsyncID == 0 {
		d.frame.VsyncID = task.VsyncID
	}
	if d.task == 0 {
		d.task = task.Timestamp
	}
	if d.now == 0 {
		d.now = task.Timestamp
	}
}

func (b *Builder) beginDoComposition(t *thread, e *hitrace.Event) {
	b.clock.add(ClockDoComposition, e, hitrace.ParseDoComposition(e.Marker.Label()))
	t.draftOrOrphan(e).composed = true
	t.renders = true
}

func (b *Builder) beginProcessCommands(t *thread, e *hitrace.Event) {
	d := t.draftOrOrphan(e)
	d.processed = true
	for transaction := range hitrace.AppliedTransactions(e.Marker.Label()) {
		if !b.mayKeep(&b.kept.applied, e) {
			return
		}
		d.applied = append(d.applied, applied{transaction, e.Time, e.Number})
	}
}

func (b *Builder) endRenderFrame(t *thread, s *openSlice, e *hitrace.Event) {
	if !b.mayKeep(&b.kept.draws, e) {
		return
	}
	b.draws = append(b.draws, draw{t.pid, Interval{s.start, e.Time}})
}

func (b *Builder) beginGenerateVsync(_ *thread, e *hitrace.Event) {
	g, damaged := hitrace.ParseGenerated(e.Marker.Label())
	if damaged != 0 {
		b.diagnostics.add(DamagedField, e.Number)
	}
	b.clock.add(ClockGenerateVsync, e, g.Now)
	if g.Period > 0 && b.mayKeep(&b.kept.periods, e) {
		b.periods = append(b.periods, generated{e.Time, g.Period})
	}
}
