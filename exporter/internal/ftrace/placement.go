package ftrace

import (
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// placement is how an event is exported.
type placement struct {
	cpu  trace.CPU
	pid  trace.PID    // of the event's thread
	kind hitrace.Kind // the event's own, or WakingEvent for a wakeup without a waking
	skip bool         // not at all
	track
}

// piece is consecutive events and how they are exported. made means that the events are
// not lines of the trace.
type piece struct {
	events     []hitrace.Event
	placements []placement
	made       bool
}

// add appends events to the encoder's plan and returns their placements, to be filled in.
// It uses the memory of earlier blocks again.
func (e *Encoder) add(events []hitrace.Event, made bool) []placement {
	n := len(e.plan)
	if n == cap(e.plan) {
		e.plan = append(e.plan, piece{})
	} else {
		e.plan = e.plan[:n+1]
	}
	p := &e.plan[n]
	if cap(p.placements) < len(events) {
		p.placements = make([]placement, len(events)+len(events)/4)
	}
	p.events, p.placements, p.made = events, p.placements[:len(events)], made
	return p.placements
}
