package exporter

import (
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
)

// tracker sees all events in order, decides what depends on those before, and
// marks the events for the encoders, which see each batch for itself.
type tracker struct {
	builder *analyzer.Builder
	open    map[trace.TID]*int // open slices of each thread
	async   map[string]int     // open asynchronous slices, by what tells them apart
	key     []byte
	ties    ties
	// wakings says that the trace has sched_waking. Where it has not, wakeups
	// stand for them: Perfetto makes threads runnable on wakings alone.
	wakings bool
	// unmatched counts the ends of what did not begin. Perfetto takes them for
	// errors, or for the end of something else.
	unmatched int
}

func newTracker(options analyzer.Options) *tracker {
	return &tracker{builder: analyzer.NewBuilder(options), open: map[trace.TID]*int{}, async: map[string]int{}}
}

// trackFrames does what is needed where no events are written.
func (t *tracker) trackFrames(b *hitrace.Batch) {
	for i := range b.Events {
		t.builder.Track(&b.Events[i])
	}
}

func (t *tracker) track(b *hitrace.Batch) {
	for i := range b.Events {
		e := &b.Events[i]
		t.builder.Track(e)
		switch e.Kind {
		case hitrace.MarkerEvent:
			if !e.Skip && !t.balanced(e) {
				e.Skip = true
				t.unmatched++
			}
		case hitrace.WakingEvent:
			t.wakings = true
		case hitrace.WakeupEvent:
			if !t.wakings {
				e.Kind = hitrace.WakingEvent
			}
		}
	}
	t.ties.settle(b.Events)
}

// balanced keeps account of slices and reports whether the marker, if it is the
// end of one, has a begin.
func (t *tracker) balanced(e *hitrace.Event) bool {
	m := &e.Marker
	switch m.Phase {
	case hitrace.Begin:
		*t.depth(e.TID)++
	case hitrace.End:
		depth := t.depth(e.TID)
		if *depth == 0 {
			return false
		}
		*depth--
	case hitrace.AsyncBegin, hitrace.TrackBegin:
		t.async[string(t.asyncKey(m, e.PID))]++
	case hitrace.AsyncEnd, hitrace.TrackEnd:
		key := t.asyncKey(m, e.PID)
		switch t.async[string(key)] {
		case 0:
			return false
		case 1:
			delete(t.async, string(key))
		default:
			t.async[string(key)]--
		}
	}
	return true
}

// depth returns the count of the thread's open slices.
func (t *tracker) depth(tid trace.TID) *int {
	depth := t.open[tid]
	if depth == nil {
		depth = new(int)
		t.open[tid] = depth
	}
	return depth
}

// asyncKey returns what Perfetto pairs the slice's ends by: process, cookie and
// the name, or the track's instead where there is one, as an end on a track may
// leave the name out.
func (t *tracker) asyncKey(m *hitrace.Marker, pid trace.PID) []byte {
	kind, name := byte('n'), m.Name
	if m.Track != nil {
		kind, name = 't', m.Track
	}
	t.key = strconv.AppendInt(append(t.key[:0], kind), int64(pid), 10)
	t.key = strconv.AppendInt(append(t.key, '|'), m.Value, 10)
	t.key = append(append(t.key, '|'), name...)
	return t.key
}
