package exporter

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/trace"
)

// tracker sees all events in order, decides what depends on those before, and
// marks the events for the encoders, which see each batch for itself.
type tracker struct {
	builder *analyzer.Builder
	limits  limits.Limits
	last    trace.Time                 // of the last event to be exported
	open    map[trace.TID]*openSlices  // of each thread
	async   map[xxh3.Uint128]openAsync // open asynchronous slices, by the hash of what tells them apart
	names   map[string]string          // of asynchronous slices, each once
	key     []byte
	ties    ties
	// wakings says that the trace has sched_waking. Where it has not, wakeups
	// stand for them: Perfetto makes threads runnable on wakings alone.
	wakings bool
	// unmatched counts the ends of what did not begin. Perfetto takes them for
	// errors, or for the end of something else.
	unmatched int
	// closed counts the ends that were added where another trace begins.
	closed int
	over   Over
}

// openAsync is an asynchronous slice that has not ended, as often as it began.
type openAsync struct {
	count   int
	tid     trace.TID
	pid     trace.PID
	value   int64
	onTrack bool
	name    string // that of the track, if it is on one; empty if there was no room for it
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

// asyncName returns the name that tells an asynchronous slice from others: its
// own or, as an end on a track may leave that out, the track's.
func asyncName(m *hitrace.Marker) []byte {
	if m.Track != nil {
		return m.Track
	}
	return m.Name
}

// intern returns the one string for a name; nothing if there is no room for it.
func (t *tracker) intern(name []byte) string {
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
	pid   trace.PID
	depth int
}

// Over counts the events that limits leave out.
type Over struct {
	Nesting int // begins and ends of slices nested too deep
	Async   int // begins of asynchronous slices where too many are open
	Threads int // begins and ends of slices of threads beyond the limit
}

// Warnings says in words what limits have left out.
func (o Over) Warnings() []string {
	var list []string
	for _, over := range []struct {
		count int
		what  string
	}{
		{o.Nesting, "begin or end of a slice nested too deep (--limit nesting)"},
		{o.Async, "asynchronous slice beyond those that may be open (--limit async)"},
		{o.Threads, "begin or end of a slice of a thread beyond the limit (--limit threads)"},
	} {
		if over.count > 0 {
			list = append(list, fmt.Sprintf("%d × %s, not exported", over.count, over.what))
		}
	}
	return list
}

// Total returns how many events limits leave out.
func (o Over) Total() int { return o.Nesting + o.Async + o.Threads }

func newTracker(options analyzer.Options) *tracker {
	return &tracker{
		builder: analyzer.NewBuilder(options), limits: options.Limits.WithDefaults(),
		open: map[trace.TID]*openSlices{}, async: map[xxh3.Uint128]openAsync{}, names: map[string]string{},
	}
}

// trackFrames does what is needed where no events are written.
func (t *tracker) trackFrames(b *hitrace.Batch) {
	for i := range b.Events {
		t.builder.Track(&b.Events[i])
	}
}

func (t *tracker) track(b *hitrace.Batch) {
	var closed []hitrace.Event // the events so far, with the ends that were added
	from := 0                  // those from here on are not in closed yet
	for i := range b.Events {
		e := &b.Events[i]
		t.builder.Track(e)
		if e.First {
			closed = t.close(append(closed, b.Events[from:i]...))
			from = i
		}
		if !e.Skip {
			t.last = e.Time
		}
		switch e.Kind {
		case hitrace.MarkerEvent:
			if !e.Skip {
				e.Skip = !t.balanced(e)
			}
		case hitrace.WakingEvent:
			t.wakings = true
		case hitrace.WakeupEvent:
			if !t.wakings {
				e.Kind = hitrace.WakingEvent
			}
		}
	}
	if closed != nil {
		b.Events = append(closed, b.Events[from:]...)
	}
	t.ties.settle(b.Events)
}

// close appends the ends of all slices that are open where another trace begins:
// in Perfetto they would go on, with that trace's slices in them.
func (t *tracker) close(events []hitrace.Event) []hitrace.Event {
	async := slices.SortedFunc(maps.Values(t.async), func(x, y openAsync) int {
		return cmp.Or(cmp.Compare(x.pid, y.pid), cmp.Compare(x.name, y.name), cmp.Compare(x.value, y.value), cmp.Compare(x.end(0).Marker.Phase, y.end(0).Marker.Phase))
	})
	for _, s := range async {
		if s.name == "" {
			continue
		}
		for range s.count {
			events = append(events, s.end(t.last))
			t.closed++
		}
	}
	for _, tid := range slices.Sorted(maps.Keys(t.open)) {
		s := t.open[tid]
		end := hitrace.Event{Kind: hitrace.MarkerEvent, Line: hitrace.Line{Time: t.last, TID: tid, PID: s.pid}}
		end.Marker.Phase, end.Marker.PID = hitrace.End, s.pid
		for range min(s.depth, t.nesting()) {
			events = append(events, end)
			t.closed++
		}
	}
	t.open, t.async = map[trace.TID]*openSlices{}, map[xxh3.Uint128]openAsync{}
	return events
}

// balanced keeps account of slices and reports whether the marker is to be
// exported: if it is the end of one, it must have a begin. What is not is counted.
func (t *tracker) balanced(e *hitrace.Event) bool {
	m := &e.Marker
	switch m.Phase {
	case hitrace.Begin, hitrace.End:
		s := t.openOn(e.TID)
		if s == nil {
			t.over.Threads++
			return false
		}
		s.pid = e.PID
		return t.nested(&s.depth, m.Phase)
	case hitrace.AsyncBegin, hitrace.TrackBegin:
		key := t.asyncKey(m, e.PID)
		s := t.async[key]
		if s.count == 0 {
			if len(t.async) >= t.limits.Async {
				t.over.Async++
				return false
			}
			s = openAsync{tid: e.TID, pid: e.PID, value: m.Value, onTrack: m.Track != nil, name: t.intern(asyncName(m))}
		}
		s.count++
		t.async[key] = s
	case hitrace.AsyncEnd, hitrace.TrackEnd:
		key := t.asyncKey(m, e.PID)
		switch s := t.async[key]; s.count {
		case 0:
			t.unmatched++
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

func (t *tracker) nesting() int { return min(t.limits.Nesting, maxNesting) }

// nested is balanced for a slice of a thread with so many open ones. Of slices
// deeper than Perfetto nests them it would drop the begin and take the end for
// another's: neither is exported.
func (t *tracker) nested(depth *int, phase hitrace.Phase) bool {
	if phase == hitrace.End {
		if *depth == 0 {
			t.unmatched++
			return false
		}
		*depth--
	}
	deep := *depth >= t.nesting()
	if phase == hitrace.Begin {
		*depth++
	}
	if deep {
		t.over.Nesting++
	}
	return !deep
}

// openOn returns the thread's open slices; nil for a thread beyond the limit.
func (t *tracker) openOn(tid trace.TID) *openSlices {
	s := t.open[tid]
	if s == nil && len(t.open) < t.limits.Threads {
		s = &openSlices{}
		t.open[tid] = s
	}
	return s
}

// asyncKey returns the hash of what Perfetto pairs the slice's ends by: process,
// cookie and the name, or the track's instead where there is one, as an end on a
// track may leave the name out.
func (t *tracker) asyncKey(m *hitrace.Marker, pid trace.PID) xxh3.Uint128 {
	kind, name := byte('n'), asyncName(m)
	if m.Track != nil {
		kind = 't'
	}
	t.key = strconv.AppendInt(append(t.key[:0], kind), int64(pid), 10)
	t.key = strconv.AppendInt(append(t.key, '|'), m.Value, 10)
	t.key = append(append(t.key, '|'), name...)
	return xxh3.Hash128(t.key)
}
