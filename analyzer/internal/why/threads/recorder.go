package threads

import (
	"bytes"
	"iter"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/place"
	"ohframe/internal/source/hitrace"
)

// Recorder follows what every thread of an input does: whether it runs or waits, for which
// thread, and in which slice. It stores that for threads that make frames, and only the last
// few changes of all others.
//
//	events ─▶ states and slices of all threads ─▶ logs of threads with frames ─▶ Record
//	                       │                                 ▲
//	                       └── at each wakeup: what the ─────┘
//	                           waker did meanwhile
type Recorder struct {
	limits     trace.Limits
	vocabulary *vocabulary // nil after Finish
	keys       keys
	arguments  arguments
	threads    hitrace.Threads[thread]
	followed   int // threads with long rings of their past
	cpus       []*cpu
	calls      map[uint64]*thread            // callers, by transactions that are sent and not yet received
	requests   map[hitrace.Request]trace.TID // for storage, issued and not completed

	// scheduled and functions: the input has switches, and functions that threads
	// blocked in.
	scheduled, woke, blockedReasons bool

	cooling []Cooling // the first maxLimitChanges

	passages Passages
	// parts: the parts of Android's frames are stored.
	parts bool

	// holes are the times of the current trace in which events of any processor are
	// missing, and lost are those of the whole input.
	holes []Hole
	lost  []cpuHole

	// kernel: the input has an event that is no marker.
	kernel    bool
	entries   int
	tooDeep   int // slices beyond the limit
	logs      []*Log
	waits     waitStore
	leaves    []Leaf // of the wait that ends now
	summed    []Leaf // memory for sumLeaves, and order
	order     []int32
	occupants []occupied
	kept      leafStore
}

// cpu is the state of a processor.
type cpu struct {
	current    *thread // nil if unknown
	interrupts int     // handlers that are open
	handlers   [maxHandlers]handler
	frequency  uint32         // in kHz; 0 if unknown
	past       ring[occupant] // who ran, and since when
	clocks     []ClockChange  // the first maxClockChanges changes of frequency
	limits     []ClockChange  // the first maxLimitChanges changes of the highest allowed frequency
	last       trace.Time     // of the last event; unknown before the first
	holes      []Hole         // in which events are missing
}

// pastOccupants is the number of threads that are kept of the past of a processor.
const pastOccupants = 256

type occupant struct {
	since trace.Time
	tid   trace.TID // 0 if idle, lostThread if unknown
}

// occupants returns the threads that had the processor between two times, the last one first, and when.
func (c *cpu) occupants(start, end trace.Time) iter.Seq2[trace.TID, analyzer.Interval] {
	return func(yield func(trace.TID, analyzer.Interval) bool) {
		for i := 0; i < c.past.len() && end > start; i++ {
			o := c.past.before(i)
			if from := max(o.since, start); from < end && !yield(o.tid, analyzer.Interval{Start: from, End: end}) {
				return
			}
			end = min(end, o.since)
		}
	}
}

// NewRecorder returns a recorder for one input.
func NewRecorder(l trace.Limits) *Recorder {
	l = l.WithDefaults()
	return &Recorder{
		limits: l, vocabulary: newVocabulary(4 * l.Strings), keys: newKeys(l.Strings), arguments: newArguments(l.Strings),
		calls: map[uint64]*thread{}, requests: map[hitrace.Request]trace.TID{},
		passages: Passages{drawing: map[trace.Time]trace.TID{}, committing: map[trace.Time]trace.TID{}, launching: map[trace.Time]trace.TID{}},
	}
}

// KeepParts stores which threads worked for each numbered frame of Android, for Record.Parts.
func (r *Recorder) KeepParts() { r.parts = true }

// begin begins another trace of the input. Nothing is known of any thread.
func (r *Recorder) begin() {
	r.end()
	r.threads, r.followed = hitrace.Threads[thread]{}, 0
	r.cpus, r.holes = nil, nil
	clear(r.calls)
	clear(r.requests)
}

// end ends a trace. What threads that make frames do then is what they did last, and they wait for
// the replies to their calls.
func (r *Recorder) end() {
	var end trace.Time
	for _, c := range r.cpus {
		end = max(end, c.last)
	}
	for _, t := range r.threads.All() {
		if t.log == nil {
			continue
		}
		t.log.end = end
		if t.now.state != Blocked || t.now.record == 0 || end.Sub(t.now.start) < leastFollowed {
			continue
		}
		if callee := r.thread(t.now.callee); t.now.wait.Calling && callee != nil && callee != t {
			r.follow(callee, t.now.start, end, []*thread{t})
			t.now.wait.leaves = r.keepLeaves()
		}
		r.store(t.now)
	}
}

// maxCPUs is above the number of processors of any device.
const maxCPUs = 256

// numberOf returns the number under which a processor is known here.
func numberOf(cpu trace.CPU) trace.CPU {
	if cpu < 0 || cpu >= maxCPUs {
		return maxCPUs - 1
	}
	return cpu
}

func (r *Recorder) cpu(n trace.CPU) *cpu {
	n = numberOf(n)
	for int(n) >= len(r.cpus) {
		r.cpus = append(r.cpus, &cpu{})
	}
	return r.cpus[n]
}

// thread returns the thread, nil for an idle thread and beyond the limit.
func (r *Recorder) thread(tid trace.TID) *thread {
	if t := r.threads.Get(tid); t != nil {
		return t
	}
	return r.newThread(tid)
}

func (r *Recorder) newThread(tid trace.TID) *thread {
	if tid <= 0 || r.threads.Len() >= r.limits.Threads {
		return nil
	}
	t := newThread(tid)
	r.threads.Put(tid, t)
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

// track records an event. name is that of the slice that begins with it: an index of the
// workers' names, plus one.
func (r *Recorder) track(e *hitrace.Event, name int) {
	if e.Lost {
		r.trackLoss(e)
	}
	switch e.Marker.Phase {
	case hitrace.Begin:
		r.beginSlice(e, name)
		return
	case hitrace.End:
		r.endSlice(e)
		return
	}
	if e.Kind == hitrace.InterruptEnd {
		r.endInterrupt(e)
	}
	r.kernel = r.kernel || e.Kind != hitrace.MarkerEvent
	switch f := e.Fields.(type) {
	case *hitrace.Switch:
		r.trackSwitch(e, f)
	case *hitrace.Wakeup:
		r.trackWakeup(e, f)
	case *hitrace.Blocked:
		r.trackReason(f)
	case *hitrace.Interrupt:
		r.beginInterrupt(e, f.Name)
	case *hitrace.Cooling:
		r.trackCooling(e, f.Args)
	case *hitrace.Frequency:
		if e.Kind == hitrace.FrequencyLimit {
			r.trackLimit(e, f)
		} else {
			r.trackFrequency(e, f)
		}
	case *hitrace.Transact:
		if e.Kind == hitrace.ReceivedEvent {
			r.trackReceived(e, f.ID)
		} else {
			r.trackTransaction(e, f)
		}
	case *hitrace.Request:
		if e.Kind == hitrace.IssueEvent {
			r.trackIssue(e, *f)
		} else {
			r.trackComplete(*f)
		}
	}
}

// marking returns the thread that wrote a marker, nil beyond the limit.
func (r *Recorder) marking(e *hitrace.Event) *thread {
	t := r.thread(e.TID)
	if t != nil {
		t.pid = e.Process
		r.leaveCall(t)
	}
	return t
}

// beginSlice follows the slices of the thread that wrote a marker.
func (r *Recorder) beginSlice(e *hitrace.Event, name int) {
	t := r.marking(e)
	if t == nil {
		return
	}
	switch {
	case isLogged(e):
		r.logFrom(t)
	case e.Word == hitrace.FlushBuffer:
		r.logFrom(r.first(t))
	case !r.kernel && int32(t.pid) == int32(t.tid):
		r.logFrom(t) // of an application's own trace, which may have hangs only
	}
	if len(t.slices) >= r.limits.Nesting {
		t.deeper++
		r.tooDeep++
		return
	}
	s := openSlice{start: e.Time, key: r.keyOf(name, &e.Marker)}
	s.label = r.keepLabel(t, e, s.key)
	if r.keys.passages[s.key] == beginsProcess && int32(t.pid) == int32(t.tid) {
		r.logFrom(t)
	}
	switch {
	case r.parts:
		s.part = r.beginPart(t, e)
	case e.Word != hitrace.Other || r.keys.passages[s.key] != noPassage:
		s.arrival = r.beginPassage(t, e, r.keys.passages[s.key])
	}
	if c := r.keys.places[s.key].Class; c == place.ClassGC || c == place.ClassGCWait {
		reason, _ := place.GCReason(labelOf(&e.Marker))
		if key := r.keys.intern([]byte(reason)); reason != "" && key != otherKey {
			s.reason = key
		}
	}
	if t.slices == nil {
		t.slices = make([]openSlice, 0, 4)
	}
	if t.slices = append(t.slices, s); t.log == nil {
		return
	}
	r.log(t, Entry{At: e.Time, Kind: BeginEntry, Value: uint32(s.key)})
	if s.reason != 0 {
		r.log(t, Entry{At: e.Time, Kind: ReasonEntry, Value: uint32(s.reason)})
	}
}

// labelOf returns the name of a marker without what the system's own writers add to it.
func labelOf(m *hitrace.Marker) []byte {
	if label := m.Label(); len(label) > 0 {
		return label
	}
	return m.Name
}

// isLogged reports whether a marker shows that its thread makes frames, draws them or
// commits them, or that it launches an application.
func isLogged(e *hitrace.Event) bool {
	switch e.Word {
	case hitrace.OnVsyncEvent, hitrace.RenderFrame, hitrace.Commit,
		hitrace.ReceiveVsync, hitrace.MarshTransaction, hitrace.ChoreographerFrame, hitrace.DrawFrames, hitrace.CompositorCommit,
		hitrace.FlutterVsync, hitrace.FlutterFrame, hitrace.FlutterDraw, hitrace.WebFrame,
		hitrace.StartAbility, hitrace.LoadAbility, hitrace.AttachApplication, hitrace.LaunchAbility, hitrace.ForegroundAbility:
		return true
	}
	return false
}

func (r *Recorder) endSlice(e *hitrace.Event) {
	t := r.marking(e)
	if t == nil {
		return
	}
	if t.deeper > 0 {
		t.deeper--
		return
	}
	n := len(t.slices)
	if n == 0 {
		return
	}
	s := &t.slices[n-1]
	if d := e.Time.Sub(s.start); d >= leastFollowed { // or else it is too short to explain a wait
		if d >= leastArgument {
			if s.argument = r.argumentOf(t, n-1, e.Time); s.argument != 0 {
				r.log(t, Entry{At: e.Time, Kind: ArgumentEntry, Value: s.argument})
			}
		}
		t.closed.add(closedSlice{*s, e.Time, n}, t.size(briefClosed, longClosed))
	}
	r.passages.arrive(s.arrival, e.Time)
	r.passages.endPart(s.part, e.Time)
	t.labels = t.labels[:s.label]
	if t.slices = t.slices[:n-1]; t.log != nil {
		r.log(t, Entry{At: e.Time, Kind: EndEntry})
	}
}

// logFrom begins to store what happens on a thread that makes frames, if that is not done
// yet. What is known of its past comes first.
func (r *Recorder) logFrom(t *thread) {
	if t.log != nil {
		return
	}
	t.log = &Log{tid: t.tid}
	r.logs = append(r.logs, t.log)
	slice := 0
	begin := func(until trace.Time) {
		for ; slice < len(t.slices) && t.slices[slice].start <= until; slice++ {
			s := &t.slices[slice]
			r.log(t, Entry{At: s.start, Kind: BeginEntry, Value: uint32(s.key)})
		}
	}
	for i := t.states.past() - 1; i >= 0; i-- {
		s := t.states.before(i)
		begin(s.start)
		r.logState(t, s)
		next := t.now.start
		if i > 0 {
			next = t.states.before(i - 1).start
		}
		if s.end < next || t.now.state == Unknown && i == 0 { // events were lost
			r.logState(t, &segment{start: s.end, state: Unknown})
		}
	}
	begin(t.now.start)
	if t.now.state != Unknown {
		r.logState(t, t.now)
	}
	begin(maxTime)
}

const maxTime = trace.Time(1<<63 - 1)

// log stores an entry of a thread that makes frames. It returns what Log.add does, or nil.
func (r *Recorder) log(t *thread, e Entry) *byte {
	l := t.log
	if l == nil || l.full {
		return nil
	}
	if r.limited() {
		l.full = true
		l.addEntry(Entry{At: e.At, Kind: StateEntry, State: Unknown})
		return nil
	}
	r.entries++
	return l.addEntry(e)
}

// logState stores a change of state.
func (r *Recorder) logState(t *thread, s *segment) {
	if t.log == nil || t.log.full {
		return
	}
	e := Entry{At: s.start, Kind: StateEntry, State: s.state, CPU: uint8(min(max(s.cpu, 0), NoCPU))}
	if s.state == Blocked || s.state == Preempted || s.state == Woken {
		s.record = r.waits.add(s.wait)
		e.Value = s.record
	}
	t.log.state = r.log(t, e)
	if s.state == Running {
		if f := r.cpu(s.cpu).frequency; f != 0 {
			r.log(t, Entry{At: s.start, Kind: FrequencyEntry, Value: f})
		}
	}
}

// enter changes the state of a thread.
func (r *Recorder) enter(t *thread, at trace.Time, state State, cpu trace.CPU) {
	if t.enter(at, state, cpu); t.log != nil {
		r.logState(t, t.now)
	}
}

// limited reports whether the limit of entries was reached.
func (r *Recorder) limited() bool { return r.entries >= r.limits.States }
