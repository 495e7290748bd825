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
	async   map[string]int // open asynchronous slices, by what tells them apart
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
	return &tracker{builder: analyzer.NewBuilder(options), async: map[string]int{}}
}

func (t *tracker) track(b *hitrace.Batch) {
	for i := range b.Events {
		e := &b.Events[i]
		t.builder.Track(e)
		switch e.Kind {
		case hitrace.MarkerEvent:
			if !e.Skip && !t.balanced(&e.Marker, e.PID) {
				e.Skip = true
			}
			if e.Skip {
				t.unmatched++
				continue
			}
			e.CPU = t.ties.cpu(e)
		case hitrace.WakingEvent:
			t.wakings = true
		case hitrace.WakeupEvent:
			if !t.wakings {
				e.Kind = hitrace.WakingEvent
			}
		}
	}
}

// balanced keeps account of asynchronous slices and reports whether the marker,
// if it is the end of one, has a begin.
func (t *tracker) balanced(m *hitrace.Marker, pid trace.PID) bool {
	switch m.Phase {
	case hitrace.AsyncBegin, hitrace.TrackBegin:
		t.async[string(t.asyncKey(m, pid))]++
	case hitrace.AsyncEnd, hitrace.TrackEnd:
		key := t.asyncKey(m, pid)
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

// ties keeps markers of equal time in their order. Perfetto sorts each
// processor's events for itself, so that lines of equal time on different
// processors lose theirs; where it matters, on one thread and among what
// belongs to no thread, the later line follows the earlier to its processor.
type ties struct {
	now  trace.Time
	seen []tie
}

type tie struct {
	tid trace.TID
	cpu trace.CPU
}

// noThread stands for all that belongs to no thread.
const noThread trace.TID = -1

// cpu returns the processor that the marker is to be written for.
func (t *ties) cpu(e *hitrace.Event) trace.CPU {
	tid := e.TID
	switch e.Marker.Phase {
	case hitrace.Begin, hitrace.End, hitrace.Instant:
	default:
		tid = noThread
	}
	if e.Time != t.now {
		t.now, t.seen = e.Time, t.seen[:0]
	}
	for _, s := range t.seen {
		if s.tid == tid {
			return s.cpu
		}
	}
	if len(t.seen) < maxTies {
		t.seen = append(t.seen, tie{tid, e.CPU})
	}
	return e.CPU
}

// maxTies bounds how many threads' markers of one time are told apart, for
// traces in which time stands still.
const maxTies = 64
