package ftrace

import (
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
)

// placement is how an event is exported.
type placement struct {
	cpu  trace.CPU
	pid  trace.PID    // of the event's thread
	kind hitrace.Kind // the event's own, or WakingEvent for a wakeup that stands for a waking
	skip bool         // not at all
}

// batchPlan is how the events of a batch are exported.
type batchPlan struct {
	// ends are added before the first event: those of slices that were open where the
	// batch's trace began.
	ends          []hitrace.Event
	endPlacements []placement
	// placements are those of the batch's events.
	placements []placement
}

// next returns the plan, to be filled in, of one more batch of so many events. Plans of
// earlier blocks are used again.
func (e *Encoder) next(events int) *batchPlan {
	n := len(e.plan)
	if n == cap(e.plan) {
		e.plan = append(e.plan, batchPlan{})
	} else {
		e.plan = e.plan[:n+1]
	}
	p := &e.plan[n]
	if cap(p.placements) < events {
		p.placements = make([]placement, events+events/4)
	}
	*p = batchPlan{placements: p.placements[:events]}
	return p
}
