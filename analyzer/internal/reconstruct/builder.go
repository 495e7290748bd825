package reconstruct

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// builder collects the frame data of one trace. Track must see every event in order.
type builder struct {
	*shared
	span    analyzer.Interval
	last    trace.Time // of the last event
	touched []*thread  // those with markers
	drafts  []*draft   // frames, in the order in which they were seen
	sent    []*sent
	draws   []draw
	skips   []skip
	commits []*commit
	waits   []*wait
	gpu     gpuWork
	periods []generated
	clock   clockSamples
	bare    bareFrames

	coverage     coverage
	complete     analyzer.Interval // the part of the trace that lacks no lines
	running      running
	interactions *interactions
	components   components
	layers       layers
	outsides     []*outside
	frameworks   frameworks
	connections  map[string]*connection // by name
	votes        []*votes
}

func newBuilder(s *shared) *builder {
	return &builder{
		shared: s, gpu: gpuWork{open: map[gpuKey]openGPU{}}, layers: layers{queues: map[queueKey]*queue{}, fences: map[trace.PID]string{}},
		frameworks: frameworks{frames: map[frameKey]*draft{}}, connections: map[string]*connection{},
		interactions: &interactions{
			byPID: map[trace.PID]*userProcess{}, reports: map[reportKey][]*report{}, launches: launches{touches: map[trace.PID]touch{}},
			bundles: bundles{known: map[string]bool{}, ofPID: map[trace.PID]string{}},
		},
	}
}

func (b *builder) hasFrameData() bool {
	return len(b.drafts)+len(b.sent)+len(b.draws)+len(b.commits)+len(b.waits)+len(b.gpu.done)+len(b.gpu.open)+len(b.periods)+len(b.interactions.scenes)+len(b.interactions.launches.all)+len(b.interactions.hangs)+len(b.layers.all) > 0
}

// draft is a frame under construction. Its vsync times are in CLOCK_MONOTONIC, because
// the clock offset is not known before the end of the trace.
type draft struct {
	frame       *analyzer.Frame
	thread      *thread
	pid         trace.PID // of the thread, when the frame began
	line        int
	piece       int             // of the trace, if the clock jumps; from 0
	now         trace.Monotonic // when the vsync was due
	task        trace.Monotonic // the same as UIVsyncTask has it; differs if delivered late
	expectedEnd trace.Monotonic
	connection  *connection // on which the vsync was received; nil if that has no name
	// hasVsync: the frame begins with a ReceiveVsync, which has the expected times.
	hasVsync      bool
	namesReceiver bool       // the ReceiveVsync has the name of the receiver
	receiverIsRS  bool       // and it is render_service
	composed      bool       // contains DoComposition
	processed     bool       // contains ProcessCommandUni
	skipped       bool       // says that nothing is committed
	saysEmpty     bool       // says that nothing is sent
	unchanged     bool       // says that nothing has changed in the picture
	queued        bool       // contains the begin of a call that queues a buffer
	receiveEnd    trace.Time // end of ReceiveVsync
	handled       trace.Time // end of the last outermost OnVsyncEvent
	applied       []applied
	orphan        bool // its markers are outside every slice
	dropped       bool // an orphan that turned out to be no frame
	// bare: the trace has no ReceiveVsync. forced: all UIVsyncTasks of the frame are without a vsync.
	bare, forced, hasTask bool
	open                  bool // when the trace ends
	// tasks are what the main thread did since the frame before. doubtful: events were lost meanwhile.
	tasks    []task
	doubtful bool
	// due, deadline, draw and drawTID are those of a frame of a framework.
	due, deadline trace.Time
	draw          analyzer.Interval
	drawTID       trace.TID
	// native: a ReceiveVsync of a thread that is no main thread. drawsNothing: the framework
	// has nothing to draw in the frame.
	native, drawsNothing bool
	webID                int64 // ArkWeb's; zero if absent
	// ran is for how long the thread had run when the frame began. receiveCPU and handledCPU
	// are for how long it ran from then until receiveEnd and handled; zero if unknown.
	ran, receiveCPU, handledCPU trace.Duration
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

// track adds the next events of the trace, which the scanner has read.
func (b *builder) track(s *scanner) {
	b.starts = s.starts
	first := &s.events[0]
	if b.last.Known() && first.Time.Sub(b.last).Abs() >= minStep {
		b.jump(b.last, first)
	}
	b.look(s.events)
	if s.end.Known() && (!b.span.Start.Known() || s.start < b.span.Start) {
		b.span.Start = s.start
	}
	b.span.End = max(b.span.End, s.end)
	all, followed := b.needsAll(s), 0
	if !all {
		b.begin(s)
	}
	begun := len(b.starts)
	for i := range s.actions {
		a := &s.actions[i]
		for ; all && followed < int(a.event); followed++ {
			b.follow(&s.events[followed], 0)
		}
		e := &s.events[a.event]
		switch a.kind {
		case timeJump:
			b.jump(a.at, e)
		case firstLine:
			b.coverage.begin(&s.cpus[a.cpu], e)
		case firstSwitch:
			b.coverage.beginSwitches(a.at, e)
		case gapSwitch:
			b.coverage.gap(a.at)
		case endsSilence:
			b.coverage.endSilence(wakings{minWoken, a.at}, e.CPU, e.Time)
		default:
			if !all {
				b.apply(a, s.events)
			}
		}
	}
	for ; all && followed < len(s.events); followed++ {
		b.follow(&s.events[followed], 0)
	}
	if !all {
		for i := range s.entries {
			if n := s.entries[i].last; n > 0 {
				b.leap(&s.events[n-1])
			}
		}
		for word, seen := range s.seen {
			b.diagnostics.seen[word] = b.diagnostics.seen[word] || seen
		}
	}
	b.coverage.merge(&s.coverageScan, len(s.events))
	b.last = s.events[len(s.events)-1].Time
	s.starts, s.again = b.starts, s.again || len(b.starts) > begun
}

// apply gives the frames what the scanner selected.
func (b *builder) apply(a *action, events []hitrace.Event) {
	switch e := &events[a.event]; a.kind {
	case switchAction:
		b.switched(trace.CPU(a.cpu), a.prev, a.next, a.at)
	case markerAction:
		b.leap(e)
	default:
		b.follow(e, a.at)
	}
}

// leap goes on behind a marker of a thread and those before it, which frames do not need.
func (b *builder) leap(e *hitrace.Event) {
	t := b.thread(e)
	t.last = e.Time
	b.diagnostics.seeProcess(t.pid)
}

// jump notes that the time of lines went on or back at once: clocks and silences depend on it.
func (b *builder) jump(from trace.Time, e *hitrace.Event) {
	b.clock.jump(from, e.Time, e.Number)
	b.coverage.jump(from, e.Time)
}

// look finds out what few events show, mostly.
func (b *builder) look(events []hitrace.Event) {
	last := b.last
	for i := range events {
		e := &events[i]
		if b.diagnostics.own.isKnown() && b.clock.grain.isFine() {
			return
		}
		b.diagnostics.own.see(e)
		if last.Known() {
			b.clock.grain.add(e.Time.Sub(last))
		}
		last = e.Time
	}
}

// needsAll reports whether the builder must see all events of a block: because of what it knows of its
// threads, or of the limit.
func (b *builder) needsAll(s *scanner) bool {
	if s.all || s.split || b.threads.Len()+len(s.entries) >= b.options.Limits.Threads {
		return true
	}
	for i := range s.entries {
		n := &s.entries[i]
		tid := n.tid
		if known := b.knownIDs.Get(tid); known != nil {
			switch known.state {
			case exited:
				return true
			case created:
				if n.lines > 0 && s.watchedFrom(tid) <= n.first {
					return true
				}
			case dead, freed:
				if s.watchedFrom(tid) <= n.number {
					return true
				}
			}
		}
		if t := b.threads.Get(tid); t != nil && (t.unnamed != nil || t.base > t.open.Depth()) {
			return true
		}
	}
	return false
}

// begin takes the thread ids of a block into use: those of threads that were created, with a line of
// their own, and those of threads that had ended.
func (b *builder) begin(s *scanner) {
	for i := range s.entries {
		n := &s.entries[i]
		known := b.knownIDs.Get(n.tid)
		switch {
		case known == nil:
		case known.state >= dead:
			known.state, n.starts = inUse, true
			b.starts = append(b.starts, newOwner{n.tid, s.events[n.number].Number})
		case known.state == created && n.lines > 0:
			known.state = inUse
		}
	}
}

// follow adds an event. last is the time of the last marker of its thread if that was not followed, else
// zero.
func (b *builder) follow(e *hitrace.Event, last trace.Time) {
	if e.Lost {
		b.running.lose(e.CPU, e.Time)
	}
	switch kind := e.Kind; {
	case kind >= hitrace.CreateEvent, kind == hitrace.NewThreadEvent:
		b.trackOwners(e)
	case b.knownIDs.Len() == 0:
	case kind == hitrace.SwitchEvent, kind == hitrace.WakingEvent, kind == hitrace.WakeupEvent, b.knownIDs.mayHave(e.TID):
		b.trackOwners(e)
	}
	if e.Kind == hitrace.SwitchEvent {
		if s := e.Switch(); s == nil || uint64(e.CPU) >= maxCPUs {
			b.running.lose(e.CPU, e.Time)
		} else {
			b.switched(e.CPU, s.PrevTID, s.NextTID, e.Time)
			if leaves(s) {
				b.exit(s.PrevTID, dead, e.Time)
			}
		}
	}
	if e.Kind != hitrace.MarkerEvent && e.Kind != hitrace.TransactionEvent && e.Kind != hitrace.ReceivedEvent {
		return
	}
	t := b.thread(e)
	if t == nil {
		b.diagnostics.add(analyzer.ThreadsOver, e.Number)
		return
	}
	if e.Kind != hitrace.MarkerEvent {
		b.layers.calls.track(t, e)
		return
	}
	if !e.Time.Known() {
		t.countAtZero(e.Marker.Phase)
		return
	}
	if last.Known() {
		t.last = last
	}
	b.diagnostics.seen[e.Word] = true
	b.diagnostics.seeProcess(t.pid)
	switch e.Marker.Phase {
	case hitrace.Begin:
		if t.open.Begin() == t.base+1 && t.isMain() {
			t.beginTop(e)
		}
		if begin := begins[e.Word]; begin != nil {
			begin(b, t, e)
		} else if t.unnamed != nil {
			b.nameBuffer(t.unnamed, e)
		}
	case hitrace.End:
		b.end(t, e)
	case hitrace.AsyncBegin:
		switch e.Word {
		case hitrace.FrameQueued:
			b.beginGPU(t.pid, e)
		case hitrace.Scene:
			b.beginScene(t, e)
		case hitrace.Trailing:
			b.beginTrailing(t, e)
		case hitrace.RenderScene:
			b.beginRenderScene(t, e)
		}
	case hitrace.AsyncEnd:
		switch e.Word {
		case hitrace.FrameQueued:
			b.endGPU(t.pid, e)
		case hitrace.Scene:
			b.endScene(t, e)
		}
	case hitrace.Counter:
		if e.Word == hitrace.Jitter {
			b.readJitter(t, e)
		} else if t.unnamed != nil {
			b.countBuffers(t, t.unnamed, e)
		}
	case hitrace.Sync:
		if sync, ok := hitrace.ParseClockSync(e.Marker.Name); ok {
			b.clock.addSync(e.Time, sync)
			if sync.Realtime != 0 && !b.wall.At.Known() {
				b.wall = analyzer.WallClock{At: e.Time, Unix: sync.Realtime}
			}
		}
	}
	t.last = e.Time
}

// begins are the handlers for the beginnings of slices, by word.
var begins = [hitrace.WordCount]func(*builder, *thread, *hitrace.Event){
	hitrace.ReceiveVsync:       (*builder).beginReceiveVsync,
	hitrace.OnVsyncEvent:       (*builder).beginOnVsyncEvent,
	hitrace.UIVsyncTask:        (*builder).beginVsyncTask,
	hitrace.UVTrace:            (*builder).beginUVTrace,
	hitrace.MarshTransaction:   (*builder).beginMarsh,
	hitrace.DoComposition:      (*builder).beginDoComposition,
	hitrace.ProcessCommands:    (*builder).beginProcessCommands,
	hitrace.NothingSent:        (*builder).beginNothingSent,
	hitrace.RenderFrame:        (*builder).push,
	hitrace.CommitSkipped:      (*builder).beginCommitSkipped,
	hitrace.Commit:             (*builder).beginCommit,
	hitrace.PresentFence:       (*builder).beginPresentFence,
	hitrace.PresentFenceWait:   (*builder).beginPresentFenceWait,
	hitrace.GenerateVsyncCount: (*builder).beginGenerateVsync,
	hitrace.SceneStart:         (*builder).beginSceneStart,
	hitrace.SceneReport:        (*builder).beginSceneReport,
	hitrace.InputRecord:        (*builder).beginInputRecord,
	hitrace.NoInput:            (*builder).beginNoInput,
	hitrace.JankStats:          (*builder).beginJankStats,
	hitrace.TouchReport:        (*builder).beginTouchReport,
	hitrace.TouchDispatch:      (*builder).beginTouchDispatch,
	hitrace.StartAbility:       (*builder).beginStartAbility,
	hitrace.LoadAbility:        (*builder).beginLoadAbility,
	hitrace.LoadNewProcess:     (*builder).beginLoadNewProcess,
	hitrace.AttachApplication:  (*builder).beginAttachApplication,
	hitrace.LaunchAbility:      (*builder).beginLaunchAbility,
	hitrace.ForegroundAbility:  (*builder).beginForegroundAbility,

	hitrace.RequestBuffer:    (*builder).beginRequestBuffer,
	hitrace.BufferRequested:  (*builder).beginBufferRequested,
	hitrace.FlushBuffer:      (*builder).beginFlushBuffer,
	hitrace.AcquireBuffer:    (*builder).beginAcquireBuffer,
	hitrace.BufferAcquired:   (*builder).beginBufferAcquired,
	hitrace.DropBuffer:       (*builder).beginDropBuffer,
	hitrace.DropFrame:        (*builder).beginDropFrame,
	hitrace.QueueBuffer:      (*builder).beginQueueBuffer,
	hitrace.SurfaceNode:      (*builder).beginSurfaceNode,
	hitrace.AcquireFence:     (*builder).beginAcquireFence,
	hitrace.AcquireFenceWait: (*builder).beginAcquireFenceWait,

	hitrace.ChoreographerFrame:  (*builder).beginChoreographerFrame,
	hitrace.Resynced:            (*builder).beginResynced,
	hitrace.DrawFrames:          (*builder).beginDrawFrames,
	hitrace.SurfaceName:         (*builder).beginSurfaceName,
	hitrace.DequeueBuffer:       (*builder).push,
	hitrace.CompositorCommit:    (*builder).beginCompositorCommit,
	hitrace.CompositorComposite: (*builder).beginCompositorComposite,

	hitrace.VsyncRequested: (*builder).beginVsyncRequested,
	hitrace.VsyncSent:      (*builder).beginVsyncSent,
	hitrace.RateVote:       (*builder).beginRateVote,
	hitrace.RateCounted:    (*builder).beginRateCounted,
	hitrace.RateDecided:    (*builder).beginRateDecided,
	hitrace.TouchState:     (*builder).beginTouchState,

	hitrace.BuildItem:      (*builder).beginBuild,
	hitrace.BuildRecycle:   (*builder).beginBuild,
	hitrace.MeasureNode:    (*builder).beginMeasure,
	hitrace.LayoutNode:     (*builder).beginLayout,
	hitrace.StateChanged:   (*builder).beginStateChange,
	hitrace.DisplaySync:    (*builder).beginDisplaySync,
	hitrace.ClientRender:   (*builder).beginClientRender,
	hitrace.FlutterReceive: (*builder).beginFlutterReceive,
	hitrace.FlutterVsync:   (*builder).beginFlutterVsync,
	hitrace.FlutterFrame:   (*builder).beginFlutterFrame,
	hitrace.FlutterRender:  (*builder).beginFlutterRender,
	hitrace.FlutterDraw:    (*builder).beginFlutterDraw,
	hitrace.FlutterDamage:  (*builder).beginFlutterDamage,
	hitrace.WebFrame:       (*builder).beginWebFrame,
	hitrace.WebSubmit:      (*builder).beginWebSubmit,
	hitrace.WebSkip:        (*builder).beginWebSkip,
}

// ends are the handlers of the ends of those slices that were pushed.
var ends = [hitrace.WordCount]func(*builder, *thread, *openSlice, *hitrace.Event){
	hitrace.ReceiveVsync:     (*builder).endReceiveVsync,
	hitrace.OnVsyncEvent:     (*builder).endOnVsyncEvent,
	hitrace.RenderFrame:      (*builder).endRenderFrame,
	hitrace.Commit:           (*builder).endCommit,
	hitrace.PresentFenceWait: (*builder).endFenceWait,

	hitrace.RequestBuffer:    (*builder).endRequestBuffer,
	hitrace.FlushBuffer:      (*builder).endUnnamedCall,
	hitrace.QueueBuffer:      (*builder).endQueueBuffer,
	hitrace.AcquireBuffer:    (*builder).endAcquireBuffer,
	hitrace.AcquireFenceWait: (*builder).endFenceWait,

	hitrace.ChoreographerFrame:  (*builder).endFrameworkFrame,
	hitrace.DrawFrames:          (*builder).endDrawFrames,
	hitrace.DequeueBuffer:       (*builder).endDequeueBuffer,
	hitrace.CompositorCommit:    (*builder).endFrameworkFrame,
	hitrace.CompositorComposite: (*builder).endFrameworkFrame,

	hitrace.BuildItem:    (*builder).endBuild,
	hitrace.BuildRecycle: (*builder).endBuild,
	hitrace.DisplaySync:  (*builder).endDisplaySync,
	hitrace.FlutterFrame: (*builder).endFrameworkFrame,
	hitrace.FlutterDraw:  (*builder).endFlutterDraw,
	hitrace.WebSubmit:    (*builder).endWebSubmit,
}

// end closes the innermost slice of the thread.
func (b *builder) end(t *thread, e *hitrace.Event) {
	depth, slice := t.open.End()
	if t.bare != nil && depth == t.bareDepth {
		b.endBare(t, e)
	}
	if depth == 0 {
		b.diagnostics.add(analyzer.UnmatchedEnd, e.Number)
		b.coverage.beginLost(t.tid, t.last, e.Time)
		if !t.hasFrames && t.isMain() {
			t.heldTo = e.Time
		}
		t.unmatchedEnd(e.Time)
	} else if slice != nil && ends[slice.word] != nil {
		ends[slice.word](b, t, slice, e)
	}
	if depth > 0 && depth <= t.base+1 && t.isMain() {
		b.endTop(t, depth, e)
	}
}

// push stores an open slice until its end. Slices of one kind do not nest: if one
// is open already, its end was lost. It is abandoned, because waiting for its end
// would misread everything that follows.
func (b *builder) push(t *thread, e *hitrace.Event) {
	if i := t.indexOpen(e.Word); i >= 0 {
		b.endLost(t, e)
		t.abandon(i, e.Time)
	}
	t.open.Keep(openSlice{word: e.Word, start: e.Time, draft: t.draft})
}

// endLost notes that an end of a slice is missing before the event.
func (b *builder) endLost(t *thread, e *hitrace.Event) {
	b.diagnostics.add(analyzer.EndLost, e.Number)
	b.coverage.endLost(t.last, e.Time)
}

func (b *builder) newDraft(t *thread, e *hitrace.Event, start trace.Time) *draft {
	t.beginTask(e)
	t.hasFrames, t.topDraft = true, true
	if !t.renders {
		t.user = true
	}
	t.truncateWeb(e.Time)
	t.dropNative()
	d := b.draftOf(t, e, start)
	b.keep(d)
	return d
}

func (b *builder) draftOf(t *thread, e *hitrace.Event, start trace.Time) *draft {
	return &draft{
		frame:  &analyzer.Frame{TID: t.tid, Actual: analyzer.Interval{Start: start}},
		thread: t, pid: t.pid, line: e.Number, ran: b.ran(t, e),
	}
}

// keep keeps a frame if there is room for it.
func (b *builder) keep(d *draft) {
	if d.dropped = b.kept.frames >= b.options.Limits.Frames; d.dropped {
		b.diagnostics.add(analyzer.FramesOver, d.line)
		return
	}
	b.kept.frames++
	b.drafts = append(b.drafts, d)
}

// mayKeep counts a record of some kind. It reports whether the record is within
// the limit.
func (b *builder) mayKeep(records *int, e *hitrace.Event) bool {
	if *records >= b.options.Limits.Records {
		b.diagnostics.add(analyzer.RecordsOver, e.Number)
		return false
	}
	*records++
	return true
}

func (b *builder) beginReceiveVsync(t *thread, e *hitrace.Event) {
	v := hitrace.ParseVsync(e.Marker.Label())
	b.dropBare()
	b.clock.add(analyzer.ClockReceiveVsync, e, v.Now, t.wasIdle(e))
	if !t.isMain() {
		b.beginNative(t, e, v)
		return
	}
	b.settleOrphan(t)
	b.diagnostics.addIfDamaged(v.Damaged, e)
	b.push(t, e)
	if t.open.Depth() > t.base+1 && !t.topDraft {
		t.addTask(e.Time) // the frame is in it
	}
	d := b.newDraft(t, e, e.Time)
	b.setVsync(d, v, e)
	b.takeTasks(t, d)
	t.setCurrent(d)
}

// setVsync sets what a ReceiveVsync states.
func (b *builder) setVsync(d *draft, v hitrace.Vsync, e *hitrace.Event) {
	if v.Receiver != nil {
		d.connection = b.connection(v.Receiver, e)
	}
	d.hasVsync, d.now, d.expectedEnd = true, v.Now, v.ExpectedEnd
	d.namesReceiver, d.receiverIsRS = v.Receiver != nil, string(v.Receiver) == analyzer.RenderConnection
	d.frame.VsyncID = v.VsyncID
	d.frame.Coalesced = max(0, v.Queued-1)
}

func (b *builder) endReceiveVsync(t *thread, s *openSlice, e *hitrace.Event) {
	s.draft.receiveEnd, s.draft.receiveCPU = e.Time, b.cpuTime(s.draft, t, e)
	if !s.draft.native {
		t.draft = nil
	}
}

// beginUVTrace begins the slice around a worker's frame. It never begins within a
// frame: if a frame is open, its end was lost.
func (b *builder) beginUVTrace(t *thread, e *hitrace.Event) {
	if i := t.indexOpen(hitrace.OnVsyncEvent); i >= 0 && !t.open.At(i).draft.hasVsync && t.indexOpen(hitrace.UVTrace) < 0 {
		b.endLost(t, e)
		t.abandon(i, e.Time)
	}
	b.push(t, e)
	t.lastOpen().ran = b.ran(t, e)
}

func (b *builder) beginOnVsyncEvent(t *thread, e *hitrace.Event) {
	now, damaged := hitrace.ParseOnVsyncEvent(e.Marker.Label())
	b.diagnostics.addIfDamaged(damaged, e)
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
			b.beginBare(t, e, now)
			return
		}
		b.push(t, e)
		return
	}
	b.settleOrphan(t)
	start, ran, batched := e.Time, b.ran(t, e), false
	if t.open.Len() > 0 && t.lastOpen().word == hitrace.UVTrace {
		batched = true
		if uv := t.lastOpen(); !uv.used {
			start, ran = uv.start, uv.ran
			uv.used = true
		}
	}
	b.push(t, e)
	d := b.newDraft(t, e, start)
	d.now, d.ran = now, ran
	t.outsideBatch = nil
	if !batched {
		t.outsideBatch = d
	}
	t.setCurrent(d)
}

func (b *builder) endOnVsyncEvent(t *thread, s *openSlice, e *hitrace.Event) {
	s.draft.handled, s.draft.handledCPU = e.Time, b.cpuTime(s.draft, t, e)
	if !s.draft.hasVsync { // a worker's frame is no more than this
		t.draft = nil
	}
}

func (b *builder) beginVsyncTask(t *thread, e *hitrace.Event) {
	task := hitrace.ParseVsyncTask(e.Marker.Label())
	b.diagnostics.addIfDamaged(task.Damaged, e)
	t.draftOrOrphan(e).setTask(&task)
	if t.draft == nil && t.isMain() {
		if t.bare == nil && !task.Forced && task.Timestamp != 0 {
			b.beginBare(t, e, task.Timestamp)
		}
		if t.bare != nil {
			t.bare.setTask(&task)
		}
	}
}

// setTask sets what a UIVsyncTask states.
func (d *draft) setTask(task *hitrace.VsyncTask) {
	d.forced, d.hasTask = task.Forced && (d.forced || !d.hasTask), true
	if d.frame.VsyncID == 0 {
		d.frame.VsyncID = task.VsyncID
	}
	if task.FirstDraw {
		d.frame.Facts |= analyzer.FirstDraw
	}
	if d.task == 0 {
		d.task = task.Timestamp
	}
	if d.now == 0 {
		d.now = task.Timestamp
	}
}

func (b *builder) beginDoComposition(t *thread, e *hitrace.Event) {
	b.clock.add(analyzer.ClockDoComposition, e, hitrace.ParseDoComposition(e.Marker.Label()), false)
	t.draftOrOrphan(e).composed = true
	t.renders = true
}

func (b *builder) beginProcessCommands(t *thread, e *hitrace.Event) {
	d := t.draftOrOrphan(e)
	d.processed = true
	for transaction, isApplied := range hitrace.Transactions(e.Marker.Label()) {
		if !isApplied {
			continue
		}
		if !b.mayKeep(&b.kept.applied, e) {
			return
		}
		d.applied = append(d.applied, applied{transaction, e.Time, e.Number})
	}
}

// beginNothingSent is in a frame each time that it has nothing to send.
func (b *builder) beginNothingSent(t *thread, _ *hitrace.Event) {
	if t.draft != nil {
		t.draft.saysEmpty = true
	}
}

// beginCommitSkipped is where frames are drawn: up to 4.1 on the main thread.
func (b *builder) beginCommitSkipped(t *thread, e *hitrace.Event) {
	switch {
	case t.draft != nil:
		t.draft.skipped = true
	case !t.isMain() && b.mayKeep(&b.kept.draws, e):
		s := skip{t.pid, e.Time}
		if i := t.indexOpen(hitrace.RenderFrame); i >= 0 {
			s.at = t.open.At(i).start
		}
		b.skips = append(b.skips, s)
	}
}

func (b *builder) endRenderFrame(t *thread, s *openSlice, e *hitrace.Event) {
	if !b.mayKeep(&b.kept.draws, e) {
		return
	}
	b.draws = append(b.draws, draw{t.pid, analyzer.Interval{Start: s.start, End: e.Time}})
}

func (b *builder) beginGenerateVsync(_ *thread, e *hitrace.Event) {
	g, damaged := hitrace.ParseGenerated(e.Marker.Label())
	b.diagnostics.addIfDamaged(damaged, e)
	b.clock.add(analyzer.ClockGenerateVsync, e, g.Now, false)
	if g.Period > 0 && b.mayKeep(&b.kept.periods, e) {
		b.periods = append(b.periods, generated{e.Time, g.Period})
	}
}
