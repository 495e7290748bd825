package threads

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Hole is a time in which events of a processor are missing (docs/why.md 2): from its last
// event before to its first one after.
//
//	CPU 7   switch to A │ ? ? ? ? ? ? ? │ marker of A
//	                  From             To
//
// The state of threads that ran on the processor or waited for it is unknown. The
// wakeups that were written there are missing, too, so a wait that ends without a wakeup may
// have ended at any time from then on.
type Hole struct{ From, To trace.Time }

// cpuHole is a hole of a processor.
type cpuHole struct {
	Hole
	cpu trace.CPU
}

// endAfter returns the holes that end after t, of a list in order of time.
func endAfter(list []Hole, t trace.Time) []Hole {
	i, _ := slices.BinarySearchFunc(list, t, func(h Hole, t trace.Time) int { return cmp.Compare(h.To, t+1) })
	return list[i:]
}

// merge adds a hole that ends last to a list without overlaps.
func merge(list []Hole, h Hole) []Hole {
	for n := len(list); n > 0 && list[n-1].To >= h.From; n-- {
		h = Hole{min(h.From, list[n-1].From), max(h.To, list[n-1].To)}
		list = list[:n-1]
	}
	return append(list, h)
}

// trackLoss handles the loss of events right before e.
func (r *Recorder) trackLoss(e *hitrace.Event) {
	c := r.cpu(e.CPU)
	h := Hole{c.last, e.Time}
	if !h.From.Known() || h.From >= h.To || r.limited() {
		return
	}
	r.entries++
	c.holes = append(c.holes, h)
	r.holes = merge(r.holes, h)
	r.lost = append(r.lost, cpuHole{h, min(e.CPU, maxCPUs-1)})
	if t := c.current; t != nil && t.now.state == Running && t.now.cpu == e.CPU {
		r.enter(t, h.To, Unknown, 0) // before, doubts finds the hole
	}
	c.current, c.interrupts = nil, 0
	c.past.add(occupant{h.From, lostThread}, pastOccupants)
	if e.Kind == hitrace.SwitchEvent {
		return // it says itself who ran
	}
	c.past.add(occupant{e.Time, e.TID}, pastOccupants)
	t := r.thread(e.TID)
	if t == nil {
		return
	}
	if t.now.state == Dead {
		r.reset(t, e.Time)
	}
	if t.now.state != Running || t.now.cpu != e.CPU {
		r.lose(t, e.Time)
	}
	r.enter(t, e.Time, Running, e.CPU)
	c.current = t
}

// lostThread is the thread of an occupant that is unknown.
const lostThread trace.TID = -1

// lose makes the current state of a thread unknown, because it does not agree with what
// comes next: from where events were lost or, if that is unknown, from its beginning.
func (r *Recorder) lose(t *thread, at trace.Time) {
	if t.now.state == Unknown {
		return
	}
	list := endAfter(r.holes, t.now.start)
	if t.log != nil {
		t.log.doubt(len(list) > 0)
	}
	if len(list) > 0 && list[0].From > t.now.start {
		t.enter(list[0].From, Unknown, 0)
		return
	}
	*t.now = segment{start: at, state: Unknown}
}

// lostEvents are the holes of an input.
type lostEvents struct {
	holes []Hole           // of any processor, without overlaps
	byCPU map[uint8][]Hole // of each
}

func newLostEvents(list []cpuHole) lostEvents {
	slices.SortStableFunc(list, func(a, b cpuHole) int { return cmp.Compare(a.To, b.To) })
	l := lostEvents{byCPU: map[uint8][]Hole{}}
	for _, h := range list {
		l.holes = merge(l.holes, h.Hole)
		if h.cpu < NoCPU {
			l.byCPU[uint8(h.cpu)] = append(l.byCPU[uint8(h.cpu)], h.Hole)
		}
	}
	return l
}

// Doubts returns the times, in order, in which the state of an entry is unknown because
// events were lost.
func (r *Record) Doubts(e Entry) []Hole {
	switch {
	case len(r.lost.holes) == 0:
	case e.doubtful, e.State == Blocked && !r.Wait(e.Value).ended():
		if list := endAfter(r.lost.holes, e.At); len(list) > 0 {
			return []Hole{{list[0].From, maxTime}}
		}
	case e.State == Running, e.State == Preempted, e.State == Woken:
		return endAfter(r.lost.byCPU[e.CPU], e.At)
	}
	return nil
}

// ended reports whether a wakeup ended the wait.
func (w *WaitFacts) ended() bool { return w.Waker != 0 || w.interrupt }

// LostEvents reports whether events were lost between two times.
func (r *Record) LostEvents(start, end trace.Time) bool {
	list := endAfter(r.lost.holes, start)
	return len(list) > 0 && list[0].From < end
}

// maxHoles is how many holes are distinguished in what a thread did. What follows is unknown.
const maxHoles = 32

// addUnknown adds leaves for the time from start to end in which it is unknown what t did,
// because events were lost. It calls known for the rest.
func (r *Recorder) addUnknown(t *thread, s *segment, start, end trace.Time, known func(start, end trace.Time)) {
	var list []Hole
	switch s.state {
	case Running, Preempted, Woken:
		list = endAfter(r.cpu(s.cpu).holes, start)
	}
	for i := 0; i < len(list) && list[i].From < end; i++ {
		h := Hole{max(list[i].From, start), min(list[i].To, end)}
		if i == maxHoles {
			h.To = end
		}
		if start < h.From {
			known(start, h.From)
		}
		r.addLeaf(unknownLeaf(t, h.From, h.To))
		if start = h.To; i == maxHoles {
			return
		}
	}
	if start < end {
		known(start, end)
	}
}
