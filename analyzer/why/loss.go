package why

import (
	"cmp"
	"slices"

	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// hole is a time in which events of a processor are missing (docs/why.md 2): from its last
// event before to its first one after.
//
//	CPU 7   switch to A │ ? ? ? ? ? ? ? │ marker of A
//	                  from             to
//
// Whoever ran on the processor or waited for it may have done anything meanwhile. The
// wakeups that were written there are missing, too, so a wait that ends without a wakeup may
// have ended at any time from then on.
type hole struct{ from, to trace.Time }

// hole of a processor.
type cpuHole struct {
	hole
	cpu trace.CPU
}

// from returns the holes that end after t, of a list in order of time.
func from(list []hole, t trace.Time) []hole {
	i, _ := slices.BinarySearchFunc(list, t, func(h hole, t trace.Time) int { return cmp.Compare(h.to, t+1) })
	return list[i:]
}

// merge adds a hole that ends last to a list without overlaps.
func merge(list []hole, h hole) []hole {
	for n := len(list); n > 0 && list[n-1].to >= h.from; n-- {
		h = hole{min(h.from, list[n-1].from), max(h.to, list[n-1].to)}
		list = list[:n-1]
	}
	return append(list, h)
}

// trackLoss handles the loss of events right before e.
func (r *Recorder) trackLoss(e *hitrace.Event) {
	c := r.cpu(e.CPU)
	h := hole{c.last, e.Time}
	if !h.from.Known() || h.from >= h.to || r.limited() {
		return
	}
	r.entries++
	c.holes = append(c.holes, h)
	r.holes = merge(r.holes, h)
	r.lost = append(r.lost, cpuHole{h, min(e.CPU, maxCPUs-1)})
	if t := c.current; t != nil && t.now.state == running && t.now.cpu == e.CPU {
		r.enter(t, segment{start: h.to, state: unknown}) // before, doubts finds the hole
	}
	c.current, c.interrupts = nil, 0
	c.past.add(occupant{h.from, lostThread}, pastOccupants)
	if e.Kind == hitrace.SwitchEvent {
		return // it says itself who ran
	}
	c.past.add(occupant{e.Time, e.TID}, pastOccupants)
	t := r.thread(e.TID)
	if t == nil {
		return
	}
	if t.now.state == dead {
		r.reset(t, e.Time)
	}
	if t.now.state != running || t.now.cpu != e.CPU {
		r.lose(t, e.Time)
	}
	r.enter(t, segment{start: e.Time, state: running, cpu: e.CPU})
	c.current = t
}

// lostThread is the thread of an occupant that is unknown.
const lostThread trace.TID = -1

// lose makes the current state of a thread unknown, because it does not agree with what
// comes next: from where events were lost or, if that is unknown, from its beginning.
func (r *Recorder) lose(t *thread, at trace.Time) {
	if t.now.state == unknown {
		return
	}
	list := from(r.holes, t.now.start)
	if l := t.log; l != nil && l.state != nil {
		if l.state.doubtful = len(list) > 0; !l.state.doubtful {
			l.state.state, l.state.value = unknown, 0
		}
	}
	if len(list) > 0 && list[0].from > t.now.start {
		t.enter(segment{start: list[0].from, state: unknown})
		return
	}
	t.now = segment{start: at, state: unknown}
}

// sortLost prepares the holes of all traces of the input for Explain.
func (r *Recorder) sortLost() {
	slices.SortStableFunc(r.lost, func(a, b cpuHole) int { return cmp.Compare(a.to, b.to) })
	r.holes, r.cpuHoles = nil, map[uint8][]hole{}
	for _, h := range r.lost {
		r.holes = merge(r.holes, h.hole)
		if h.cpu < noCPU {
			r.cpuHoles[uint8(h.cpu)] = append(r.cpuHoles[uint8(h.cpu)], h.hole)
		}
	}
}

// doubts returns the times, in order, in which a state of a log is unknown because events
// were lost.
func (r *Recorder) doubts(e *entry) []hole {
	switch {
	case len(r.holes) == 0:
	case e.doubtful, e.state == blocked && !r.waits[e.value-1].ended():
		if list := from(r.holes, e.at); len(list) > 0 {
			return []hole{{list[0].from, maxTime}}
		}
	case e.state == running, e.state == preempted, e.state == woken:
		return from(r.cpuHoles[e.cpu], e.at)
	}
	return nil
}

// ended reports whether a wakeup ended the wait.
func (w *wait) ended() bool { return w.waker != 0 || w.interrupt }

// isLost reports whether events were lost in a span.
func (r *Recorder) isLost(s *span) bool {
	list := from(r.holes, s.start)
	return len(list) > 0 && list[0].from < s.end
}

// maxHoles is how many holes are distinguished in what a thread did. What follows is unknown.
const maxHoles = 32

// addUnknown adds leaves for the time from start to end in which it is unknown what t did,
// because events were lost. It calls known for the rest.
func (r *Recorder) addUnknown(t *thread, s *segment, start, end trace.Time, known func(start, end trace.Time)) {
	var list []hole
	switch s.state {
	case running, preempted, woken:
		list = from(r.cpu(s.cpu).holes, start)
	}
	for i := 0; i < len(list) && list[i].from < end; i++ {
		h := hole{max(list[i].from, start), min(list[i].to, end)}
		if i == maxHoles {
			h.to = end
		}
		if start < h.from {
			known(start, h.from)
		}
		r.addLeaf(leaf{h.from, h.to, t.tid, t.pid, place.WaitUnknown, 0, 0})
		if start = h.to; i == maxHoles {
			return
		}
	}
	if start < end {
		known(start, end)
	}
}
