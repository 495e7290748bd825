package ftrace

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/diag"
	"ohframe/internal/source/hitrace"
)

// Planner sees all events in order and decides how each is exported. Encoders see blocks
// out of order and follow its plans.
type Planner struct {
	// Unmatched counts the ends without a begin. Perfetto counts them as errors, or
	// ends another slice with them.
	Unmatched int
	// Closed counts the ends that were added where another trace begins.
	Closed int
	// Over counts the events that limits leave out.
	Over Over

	limits trace.Limits
	last   trace.Time                  // of the last event inside the window
	open   hitrace.Threads[openSlices] // of each thread
	async  map[xxh3.Uint128]openAsync  // open asynchronous slices, by the hash of their key
	names  map[string]string           // of asynchronous slices, each once
	key    []byte
	ties   ties
	ends   []hitrace.Event // of slices that were open where the current trace began, until its first batch
	batch  batch
	// running is the thread that runs on each processor, as Perfetto knows by switches.
	running []trace.TID
	// sequences is the number of those that threads have.
	sequences uint32
	// wakings: the trace has sched_waking. Without it wakeups count as wakings, as
	// Perfetto makes threads runnable on wakings alone.
	wakings bool
}

// openAsync is an asynchronous slice that has not ended, as often as it began.
type openAsync struct {
	count   int
	tid     trace.TID
	pid     trace.PID
	value   int64
	onTrack bool
	name    string // the track's name, if it is on one; empty if over the limit
}

// end returns the slice's end.
func (s *openAsync) end(at trace.Time) hitrace.Event {
	e := hitrace.Event{Kind: hitrace.MarkerEvent, Line: hitrace.Line{Time: at, TID: s.tid, PID: s.pid}}
	e.Marker = hitrace.Marker{Phase: hitrace.AsyncEnd, PID: s.pid, Value: s.value, Name: []byte(s.name)}
	if s.onTrack {
		e.Marker.Phase, e.Marker.Name, e.Marker.Track = hitrace.TrackEnd, nil, []byte(s.name)
	}
	return e
}

// asyncName returns the name that identifies an asynchronous slice: its own or, because
// an end on a track may lack a name, the track's.
func asyncName(m *hitrace.Marker) []byte {
	if m.Track != nil {
		return m.Track
	}
	return m.Name
}

// intern returns the one string for a name, empty if over the limit.
func (t *Planner) intern(name []byte) string {
	const maxName = 255
	s, known := t.names[string(name)]
	if !known && len(name) <= maxName && len(t.names) < t.limits.Strings {
		s = string(name)
		t.names[s] = s
	}
	return s
}

// openSlices are a thread's slices that have not ended.
type openSlices struct {
	hitrace.Stack[struct{}]
	trackOf
}

func newOpenSlices() openSlices {
	return openSlices{trackOf: trackOf{pid: trace.UnknownPID, kernel: -1}}
}

// Over counts the events that limits leave out.
type Over struct {
	Nesting int // begins and ends of slices nested too deep
	Async   int // begins of asynchronous slices where too many are open
	Threads int // begins and ends of slices of threads beyond the limit
}

// Warnings describes what was skipped because of limits.
func (o Over) Warnings() []trace.Warning {
	var list diag.Warnings
	for _, over := range []struct {
		count int
		what  string
	}{
		{o.Nesting, "begin or end of a slice nested too deep (limit: nesting)"},
		{o.Async, "asynchronous slice beyond those that may be open (limit: async)"},
		{o.Threads, "begin or end of a slice of a thread beyond the limit (limit: threads)"},
	} {
		list.Times(trace.WarnOverLimit, over.count, over.what+", not exported", nil)
	}
	return list
}

// Total returns how many events limits leave out.
func (o Over) Total() int { return o.Nesting + o.Async + o.Threads }

// NewPlanner returns a planner for an input.
func NewPlanner(limits trace.Limits) *Planner {
	return &Planner{
		limits: limits.WithDefaults(),
		async:  map[xxh3.Uint128]openAsync{}, names: map[string]string{},
	}
}

// Plan decides how the encoder exports the events of the next batch, which must not
// change before they are encoded.
func (t *Planner) Plan(b *hitrace.Batch, encoder *Encoder) {
	if len(encoder.plan) == 0 {
		encoder.before, encoder.running = t.batch.edges[1], append(encoder.running[:0], t.running...)
	}
	if len(t.ends) > 0 {
		placements := encoder.add(t.ends, true)
		for i := range t.ends {
			placements[i] = placement{pid: t.ends[i].PID, kind: hitrace.MarkerEvent}
		}
		t.ties.settle(t.ends, placements)
		t.ends = nil
	}
	encoder.decoder = b.Decoder
	placements := encoder.add(b.Events, false)
	t.batch.begin(b.Events, placements)
	for i := range b.Events {
		e := &b.Events[i]
		p := placement{cpu: e.CPU, pid: e.Process, kind: e.Kind, skip: e.Outside}
		if !e.Outside {
			t.last = e.Time
		}
		switch e.Kind {
		case hitrace.MarkerEvent:
			if !e.Outside {
				p.skip = !t.balanced(e, &p, i)
			}
		case hitrace.KernelEvent, hitrace.TransactionEvent, hitrace.ReceivedEvent:
			if !kernelSlice(e) {
				break
			}
			if s := t.openOn(e.TID); s != nil {
				t.nest(&s.trackOf, e, i)
			}
		case hitrace.FreeEvent:
			if task := e.Task(); task != nil {
				if s := t.open.Get(task.TID); s != nil {
					*s = newOpenSlices() // the next thread with the id ends none of them
				}
			}
		case hitrace.SwitchEvent:
			if s := e.Switch(); s != nil && len(s.PrevState) > 0 && !e.Outside {
				t.run(e.CPU, s.NextTID)
			}
		case hitrace.WakingEvent:
			t.wakings = true
		case hitrace.WakeupEvent:
			if !t.wakings {
				p.kind = hitrace.WakingEvent
			}
		}
		placements[i] = p
	}
	encoder.plan[len(encoder.plan)-1].events = t.batch.events
	t.ties.settle(t.batch.events, placements)
}

// run takes account of a switch to a thread.
func (t *Planner) run(cpu trace.CPU, tid trace.TID) {
	cpu = min(cpu, packet.LastCPU)
	for int(cpu) >= len(t.running) {
		t.running = append(t.running, nobody)
	}
	t.running[cpu] = tid
}

// Begin begins another trace, with no open slices: their ends are added to the next
// batch. In Perfetto they would stay open, with that trace's slices in them.
func (t *Planner) Begin() {
	async := slices.SortedFunc(maps.Values(t.async), func(x, y openAsync) int {
		return cmp.Or(cmp.Compare(x.pid, y.pid), cmp.Compare(x.name, y.name), cmp.Compare(x.value, y.value), cmp.Compare(x.end(0).Marker.Phase, y.end(0).Marker.Phase))
	})
	for _, s := range async {
		if s.name == "" {
			continue
		}
		for range s.count {
			t.ends = append(t.ends, s.end(t.last))
		}
	}
	for tid, s := range t.open.All() {
		end := hitrace.Event{Kind: hitrace.MarkerEvent, Line: hitrace.Line{Time: t.last, TID: tid, PID: s.pid}}
		end.Marker.Phase, end.Marker.PID = hitrace.End, s.pid
		for range min(s.Depth(), t.nesting()) {
			t.ends = append(t.ends, end)
		}
	}
	t.Closed += len(t.ends)
	t.open, t.async = hitrace.Threads[openSlices]{}, map[xxh3.Uint128]openAsync{}
	t.running = t.running[:0]
}

// balanced keeps account of slices and reports whether a marker of the given process
// is exported: the end of a slice must have a begin. It counts those that are not. i is the index of
// the event in the batch.
func (t *Planner) balanced(e *hitrace.Event, p *placement, i int) bool {
	m, pid := &e.Marker, p.pid
	switch m.Phase {
	case hitrace.Begin, hitrace.End:
		s := t.openOn(e.TID)
		if s == nil {
			t.Over.Threads++
			return false
		}
		if !t.nested(s, m.Phase) {
			return false
		}
		t.place(&s.trackOf, e, p, i)
	case hitrace.Instant:
		if s := t.openOn(e.TID); s != nil {
			t.place(&s.trackOf, e, p, i)
		}
	case hitrace.AsyncBegin, hitrace.TrackBegin:
		key := t.asyncKey(m, pid)
		s := t.async[key]
		if s.count == 0 {
			if len(t.async) >= t.limits.Async {
				t.Over.Async++
				return false
			}
			s = openAsync{tid: e.TID, pid: pid, value: m.Value, onTrack: m.Track != nil, name: t.intern(asyncName(m))}
		}
		s.count++
		t.async[key] = s
	case hitrace.AsyncEnd, hitrace.TrackEnd:
		key := t.asyncKey(m, pid)
		switch s := t.async[key]; s.count {
		case 0:
			t.Unmatched++
			return false
		case 1:
			delete(t.async, key)
		default:
			s.count--
			t.async[key] = s
		}
	}
	return true
}

// maxNesting is how deep Perfetto nests slices. Source: its slice_tracker.h.
const maxNesting = 512

func (t *Planner) nesting() int { return min(t.limits.Nesting, maxNesting) }

// nested is balanced for a slice of a thread. If slices are deeper than Perfetto nests them,
// it would drop the begin and let the end close another one: neither is exported.
func (t *Planner) nested(s *openSlices, phase hitrace.Phase) bool {
	depth := 0
	if phase == hitrace.Begin {
		depth = s.Begin()
	} else if depth, _ = s.End(); depth == 0 {
		t.Unmatched++
		return false
	}
	if depth > t.nesting() {
		t.Over.Nesting++
		return false
	}
	return true
}

// openOn returns the thread's open slices; nil for a thread beyond the limit.
func (t *Planner) openOn(tid trace.TID) *openSlices {
	s := t.open.Get(tid)
	if s == nil && t.open.Len() < t.limits.Threads {
		slices := newOpenSlices()
		s = &slices
		t.open.Put(tid, s)
	}
	return s
}

// asyncKey returns the hash of the key by which Perfetto pairs the slice's ends: process,
// cookie and name. On a track it has the track's name instead, because an end on a track
// may lack a name.
func (t *Planner) asyncKey(m *hitrace.Marker, pid trace.PID) xxh3.Uint128 {
	kind, name := byte('n'), asyncName(m)
	if m.Track != nil {
		kind = 't'
	}
	t.key = strconv.AppendInt(append(t.key[:0], kind), int64(pid), 10)
	t.key = strconv.AppendInt(append(t.key, '|'), m.Value, 10)
	t.key = append(append(t.key, '|'), name...)
	return xxh3.Hash128(t.key)
}
