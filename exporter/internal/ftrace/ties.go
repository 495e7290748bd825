package ftrace

import (
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// ties preserves the order of events of equal time, which are frequent, because times are
// in microseconds. Perfetto sorts the events of each processor separately, so the order
// of equal times on different processors is lost. Where the order affects the result, a
// later event is written to the processor of the earlier one: a thread's markers follow
// one another, so do events without a thread, and a thread's wakings follow its switch,
// which alone cannot change its processor.
type ties struct {
	now  trace.Time
	seen []assigned
}

// assigned is the processor for which events with the key are written.
type assigned struct {
	key tieKey
	cpu trace.CPU
}

// tieKey is the key of events whose order must be preserved.
type tieKey struct {
	kind tieKind
	tid  trace.TID
}

type tieKind uint8

const (
	untied    tieKind = iota
	ofThread          // slices of a thread
	ofNothing         // events without a thread
	scheduled         // scheduling of a thread
)

// settle decides for which processors the events of a batch are written.
func (t *ties) settle(events []hitrace.Event, placements []placement) {
	for len(events) > 0 {
		at, n := events[0].Time, 1
		for n < len(events) && events[n].Time == at {
			n++
		}
		last := n == len(events)
		if at != t.now {
			t.now, t.seen = at, t.seen[:0]
			if n == 1 && !last { // the next batch may continue with the same time
				events, placements = events[n:], placements[n:]
				continue
			}
		}
		t.settleRun(events[:n], placements[:n])
		events, placements = events[n:], placements[n:]
	}
}

// settleRun decides for events of one time.
func (t *ties) settleRun(events []hitrace.Event, placements []placement) {
	for i := range events {
		if p := &placements[i]; p.kind == hitrace.SwitchEvent && !p.skip {
			if s := events[i].Switch(); s != nil {
				t.cpu(tieKey{scheduled, s.PrevTID}, p.cpu)
				t.cpu(tieKey{scheduled, s.NextTID}, p.cpu)
			}
		}
	}
	for i := range events {
		p := &placements[i]
		if key := tieKeyOf(&events[i], p); key.kind != untied {
			p.cpu = t.cpu(key, p.cpu)
		}
	}
}

// cpu returns the processor for an event of the given one.
func (t *ties) cpu(key tieKey, own trace.CPU) trace.CPU {
	for _, s := range t.seen {
		if s.key == key {
			return s.cpu
		}
	}
	if len(t.seen) < maxTies {
		t.seen = append(t.seen, assigned{key, own})
	}
	return own
}

// maxTies is how many keys of one time are remembered. It keeps the search short in
// traces in which many events have the same time.
const maxTies = 64

// tieKeyOf returns the key of an event. Track events are in one queue, whatever their processor.
func tieKeyOf(e *hitrace.Event, p *placement) tieKey {
	if p.skip || p.sequence != 0 {
		return tieKey{}
	}
	switch p.kind {
	case hitrace.MarkerEvent:
		switch e.Marker.Phase {
		case hitrace.Begin, hitrace.End, hitrace.Instant:
			return tieKey{ofThread, e.TID}
		default:
			return tieKey{kind: ofNothing}
		}
	case hitrace.WakingEvent:
		if w := e.Wakeup(); w != nil {
			return tieKey{scheduled, w.TID}
		}
	case hitrace.BlockedEvent: // it belongs to the thread's last sleep before the switch that ends it
		if b, ok := e.Fields.(*hitrace.Blocked); ok {
			return tieKey{scheduled, b.TID}
		}
	case hitrace.FrequencyEvent, hitrace.FrequencyLimit:
		return tieKey{kind: ofNothing}
	case hitrace.KernelEvent:
		switch string(e.Name) {
		case "clock_set_rate", "clock_enable", "clock_disable", "gpu_frequency":
			return tieKey{kind: ofNothing}
		}
	}
	return tieKey{}
}

// isScheduling reports whether the event's order among others of its processor affects
// the state of a thread.
func isScheduling(p *placement) bool {
	return p.kind == hitrace.SwitchEvent || p.kind == hitrace.WakingEvent || p.kind == hitrace.BlockedEvent
}
