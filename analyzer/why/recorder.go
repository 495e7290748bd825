package why

import (
	"bytes"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Recorder follows what every thread of an input does: whether it runs or waits, for
// whom, and in which slice. It stores that for threads that make frames, and for all
// others only the last few changes. Track must see every event in order.
//
//	events ─▶ states and slices of all threads ─▶ logs of threads with frames ─▶ Explain
//	                       │                                 ▲
//	                       └── at each wakeup: what the ─────┘
//	                           waker did meanwhile
type Recorder struct {
	limits     limits.Limits
	vocabulary *vocabulary // nil after Explain
	keys       keys
	pages      [threadPages]*threadPage
	threads    int
	followed   int // threads with long rings of their past
	cpus       []*cpu
	calls      map[uint64]*thread    // callers, by transactions that are sent and not yet received
	requests   map[request]trace.TID // for storage, issued and not completed
	clusters   []cluster             // of processors; set by Explain
	owners     map[trace.TID]named   // what the timeline says about threads; set by Explain

	// scheduled and functions: the input has switches, and functions that threads
	// blocked in.
	scheduled, woke, functions bool

	passages passages

	// holes are the times of the current trace in which events of any processor are
	// missing, and lost are those of the whole input; after sortLost, both have all.
	holes    []hole
	lost     []cpuHole
	cpuHoles map[uint8][]hole // set by sortLost

	entries int
	tooDeep int // slices beyond the limit
	logs    []*log
	waits   []wait
	leaves  []leaf

	// observe, if not nil, sees all the time that is distributed over cells. Tests
	// compare it with what others say of the thread.
	observe func(*analyzer.Frame, threadState, cellID, trace.Duration)
}

// threadState is what a thread does at a time, before it is classified.
type threadState struct {
	state  state
	letter byte // the kernel's letter, if it is blocked or preempted
	slice  Key  // the innermost one; 0 outside of all slices
}

// Threads are found by their id in two steps. A kernel has at most 4 million.
const (
	pageSize    = 1 << 12
	threadPages = 1 << 10
)

type threadPage [pageSize]*thread

// cpu is the state of a processor.
type cpu struct {
	current    *thread        // nil if unknown
	interrupts int            // handlers that are open
	frequency  uint32         // in kHz; 0 if unknown
	past       ring[occupant] // who ran, and since when
	clocks     []clockChange  // the first changes of frequency
	last       trace.Time     // of the last event; unknown before the first
	holes      []hole         // in which events are missing
}

// pastOccupants is the number of threads that are kept of the past of a processor.
const pastOccupants = 64

type occupant struct {
	since trace.Time
	tid   trace.TID // 0 if idle, lostThread if unknown
}

// NewRecorder returns a recorder for one input.
func NewRecorder(l limits.Limits) *Recorder {
	l = l.WithDefaults()
	return &Recorder{
		limits: l, vocabulary: newVocabulary(4 * l.Strings), keys: newKeys(l.Strings),
		calls: map[uint64]*thread{}, requests: map[request]trace.TID{},
		passages: passages{drawing: map[trace.Time]trace.TID{}, committing: map[trace.Time]trace.TID{}},
	}
}

// Begin begins another trace of the input. Nothing is known of any thread.
func (r *Recorder) Begin() {
	r.pages = [threadPages]*threadPage{}
	r.threads, r.followed = 0, 0
	r.cpus, r.holes = nil, nil
	clear(r.calls)
	clear(r.requests)
}

// maxCPUs is above the number of processors of any device.
const maxCPUs = 256

func (r *Recorder) cpu(n trace.CPU) *cpu {
	if n < 0 || n >= maxCPUs {
		n = maxCPUs - 1
	}
	for int(n) >= len(r.cpus) {
		r.cpus = append(r.cpus, &cpu{})
	}
	return r.cpus[n]
}

// thread returns the thread, nil for an idle thread and beyond the limit.
func (r *Recorder) thread(tid trace.TID) *thread {
	if tid <= 0 || tid >= pageSize*threadPages {
		return nil
	}
	page := r.pages[tid/pageSize]
	if page == nil {
		page = &threadPage{}
		r.pages[tid/pageSize] = page
	}
	t := page[tid%pageSize]
	if t == nil {
		if r.threads >= r.limits.Threads {
			return nil
		}
		r.threads++
		t = &thread{tid: tid, pid: trace.UnknownPID}
		page[tid%pageSize] = t
	}
	return t
}

// name learns what kind of thread t is.
func (t *thread) name(comm []byte) {
	if t.comm != "" || bytes.Equal(comm, []byte("<...>")) {
		return
	}
	t.comm = string(comm)
	switch {
	case strings.HasPrefix(t.comm, "swapper/"), strings.HasPrefix(t.comm, "tppmgr-idle"):
		t.kind = idleThread
	case place.IsInterruptThread(comm):
		t.kind = interruptThread
	case place.IsSchedulerThread(comm):
		t.kind = schedulerThread
	case strings.HasPrefix(t.comm, "RSUniRenderThre"):
		t.kind = renderThread
	}
}

// Track records an event. pid is the process of the event's thread, if known.
func (r *Recorder) Track(e *hitrace.Event, pid trace.PID) {
	if !e.Time.Known() {
		return
	}
	if e.Lost {
		r.trackLoss(e)
	}
	r.cpu(e.CPU).last = e.Time
	n := note(e.Note)
	if n == 0 { // no worker has prepared it
		n = r.vocabulary.workers[0].prepare(e)
	}
	if n == ignored {
		return
	}
	switch e.Kind {
	case hitrace.MarkerEvent:
		r.marker(e, n, pid)
	case hitrace.SwitchEvent:
		r.trackSwitch(e, n)
	case hitrace.WakingEvent, hitrace.WakeupEvent:
		r.trackWakeup(e, n)
	default:
		kernelEvents[n&^prepared].track(r, e)
	}
}

// marker follows the slices of the thread that wrote a marker.
func (r *Recorder) marker(e *hitrace.Event, n note, pid trace.PID) {
	t := r.thread(e.TID)
	if t == nil {
		return
	}
	t.pid = pid
	r.leaveCall(t)
	if e.Marker.Phase == hitrace.End {
		r.endSlice(t, e.Time)
		return
	}
	if t.log == nil && makesFrames(e, t) {
		r.startLog(t)
	}
	if len(t.slices) >= r.limits.Nesting {
		t.deeper++
		r.tooDeep++
		return
	}
	s := openSlice{start: e.Time, key: r.keyOf(n, e.Marker.Label())}
	if e.Word != hitrace.Other || r.keys.passages[s.key] != noPassage {
		s.arrival = r.pass(t, e, r.keys.passages[s.key])
	}
	if c := r.keys.places[s.key].Class; c == place.ClassGC || c == place.ClassGCWait {
		reason, _ := place.GCReason(e.Marker.Label())
		if key := r.keys.intern([]byte(reason)); reason != "" && key != otherKey {
			s.reason = key
		}
	}
	t.slices = append(t.slices, s)
	r.log(t, entry{at: e.Time, kind: beginEntry, value: uint32(s.key)})
	if s.reason != 0 {
		r.log(t, entry{at: e.Time, kind: reasonEntry, value: uint32(s.reason)})
	}
}

// makesFrames reports whether a marker shows that its thread makes frames, draws them or
// commits them.
func makesFrames(e *hitrace.Event, t *thread) bool {
	switch e.Word {
	case hitrace.OnVsyncEvent, hitrace.RenderFrame, hitrace.Commit:
		return true
	case hitrace.ReceiveVsync:
		return int32(t.pid) == int32(t.tid)
	}
	return false
}

func (r *Recorder) endSlice(t *thread, at trace.Time) {
	if t.deeper > 0 {
		t.deeper--
		return
	}
	n := len(t.slices)
	if n == 0 {
		return
	}
	t.closeSlice(t.slices[n-1], at, n)
	r.passages.arrive(t.slices[n-1].arrival, at)
	t.slices = t.slices[:n-1]
	r.log(t, entry{at: at, kind: endEntry})
}

// startLog begins to store what happens on a thread that makes frames. What is known
// of its past comes first.
func (r *Recorder) startLog(t *thread) {
	t.log = &log{tid: t.tid}
	r.logs = append(r.logs, t.log)
	slice := 0
	begin := func(until trace.Time) {
		for ; slice < len(t.slices) && t.slices[slice].start <= until; slice++ {
			s := &t.slices[slice]
			r.log(t, entry{at: s.start, kind: beginEntry, value: uint32(s.key)})
		}
	}
	for i := t.past.len() - 1; i >= 0; i-- {
		s := t.past.before(i)
		begin(s.start)
		r.logState(t, s)
		next := t.now.start
		if i > 0 {
			next = t.past.before(i - 1).start
		}
		if s.end < next || t.now.state == unknown && i == 0 { // events were lost
			r.logState(t, &segment{start: s.end, state: unknown})
		}
	}
	begin(t.now.start)
	if t.now.state != unknown {
		r.logState(t, &t.now)
	}
	begin(maxTime)
}

const maxTime = trace.Time(1<<63 - 1)

// log stores an entry of a thread that makes frames.
func (r *Recorder) log(t *thread, e entry) *entry {
	l := t.log
	if l == nil || l.full {
		return nil
	}
	if r.limited() {
		l.full = true
		l.add(entry{at: e.at, kind: stateEntry, state: unknown})
		return nil
	}
	r.entries++
	return l.add(e)
}

// logState stores a change of state.
func (r *Recorder) logState(t *thread, s *segment) {
	if t.log == nil || t.log.full {
		return
	}
	e := entry{at: s.start, kind: stateEntry, state: s.state, cpu: uint8(min(max(s.cpu, 0), noCPU))}
	if s.state == blocked || s.state == preempted || s.state == woken {
		r.waits = append(r.waits, s.wait)
		s.record = uint32(len(r.waits))
		e.value = s.record
	}
	t.log.state = r.log(t, e)
	if s.state == running {
		if f := r.cpu(s.cpu).frequency; f != 0 {
			r.log(t, entry{at: s.start, kind: frequencyEntry, value: f})
		}
	}
}

// enter changes the state of a thread.
func (r *Recorder) enter(t *thread, s segment) {
	t.enter(s)
	r.logState(t, &t.now)
}

// limited reports whether the limit of entries was reached.
func (r *Recorder) limited() bool { return r.entries >= r.limits.States }
