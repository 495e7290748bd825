package exporter

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

// plan is how the events of a batch are exported. The tracker makes it, an encoder
// carries it out.
type plan struct {
	// ends are added before the first event: those of slices that were open where the
	// batch's trace began.
	ends          []hitrace.Event
	endPlacements []placement
	// placements are those of the batch's events.
	placements []placement
}

// reset empties the plan and makes room for so many events.
func (p *plan) reset(events int) {
	p.ends, p.endPlacements, p.placements = nil, nil, p.placements[:0]
	if cap(p.placements) < events {
		p.placements = make([]placement, 0, events+events/4)
	}
	p.placements = p.placements[:events]
}

// blockPlan is the plans of the batches of a block. Each worker has one and uses it for
// block after block.
type blockPlan struct {
	plans []plan
}

// next returns a plan for one more batch of so many events.
func (b *blockPlan) next(events int) *plan {
	n := len(b.plans)
	if n == cap(b.plans) {
		b.plans = append(b.plans, plan{})
	} else {
		b.plans = b.plans[:n+1]
	}
	b.plans[n].reset(events)
	return &b.plans[n]
}

func (b *blockPlan) reset() { b.plans = b.plans[:0] }
