package threads

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// Leaf is what a thread did while another one waited for it, directly or through others.
type Leaf struct {
	Start, End trace.Time
	TID        trace.TID // 0 if the processor was idle
	PID        trace.PID
	Wait       why.Wait
	Key        NameKey // the innermost slice of the thread, or its garbage collection
	Reason     NameKey // of that; 0 if unknown
	// Argument is the number of the label of the slice, for Record.Label; 0 without arguments.
	Argument uint32
	// Function is the kernel function in which it was blocked, and Interrupt the interrupt that ended that;
	// 0 if they are unknown.
	Function, Interrupt NameKey
	// For is the thread that had the processor that this one wanted, of several that with the most time, or
	// that a blocked one waited for; 0 if it is unknown or followed. ForTime is for how long.
	For     trace.TID
	ForTime trace.Duration
}

// join makes l longer by what the same thread did in the same way at another time.
func (l *Leaf) join(o *Leaf) {
	if o.End.Sub(o.Start) > l.End.Sub(l.Start) && (o.Function != 0 || o.Interrupt != 0) {
		l.Function, l.Interrupt = o.Function, o.Interrupt
	}
	switch {
	case o.For == l.For:
		l.ForTime += o.ForTime
	case o.ForTime > l.ForTime:
		l.For, l.ForTime = o.For, o.ForTime
	}
}

// compare returns 0 for leaves that are alike.
func (l *Leaf) compare(o *Leaf) int {
	if l.TID != o.TID {
		return cmp.Compare(l.TID, o.TID)
	}
	return cmp.Or(cmp.Compare(l.Wait, o.Wait), cmp.Compare(l.Key, o.Key))
}

// The limits of following a wait.
const (
	maxDepth = 16 // threads that wait for one another
	// maxLeaves is the number of leaves of a wait, and maxOccupants that of threads that had the processor
	// meanwhile. If there are more, those that are alike are summed up, and the shortest ones are left out.
	maxLeaves    = 8
	maxOccupants = 32
)

// follow sets r.leaves to what t did from start to end, while another thread waited
// for it. Where t itself waited for a thread, it is followed in turn. chain are the
// threads that wait.
func (r *Recorder) follow(t *thread, start, end trace.Time, chain []*thread) {
	r.keepMore(t)
	r.leaves = r.leaves[:0]
	r.followInto(t, start, end, chain)
	if len(r.leaves) > maxLeaves {
		r.sumLeaves(start, maxLeaves)
	}
	slices.SortStableFunc(r.leaves, func(a, b Leaf) int { return cmp.Compare(a.Start, b.Start) })
}

// sumLeaves merges the leaves that are alike, leaves out those with
// the least time if they are too many, and lays them out from the start of the wait.
func (r *Recorder) sumLeaves(start trace.Time, most int) {
	all, order := r.leaves, r.order[:0]
	for i := range all {
		order = append(order, int32(i))
	}
	slices.SortFunc(order, func(i, k int32) int {
		if c := all[i].compare(&all[k]); c != 0 {
			return c
		}
		return int(i - k)
	})
	list := r.summed[:0]
	for _, i := range order {
		l := &all[i]
		if n := len(list); n > 0 && list[n-1].compare(l) == 0 {
			list[n-1].join(l)
			list[n-1].End = list[n-1].End.Add(l.End.Sub(l.Start))
			continue
		}
		list = append(list, *l)
	}
	r.order, r.summed = order, all
	slices.SortStableFunc(list, func(a, b Leaf) int { return cmp.Compare(b.End.Sub(b.Start), a.End.Sub(a.Start)) })
	list = list[:min(len(list), most)]
	for i := range list {
		l := &list[i]
		l.Start, l.End = start, start.Add(l.End.Sub(l.Start))
		start = l.End
	}
	r.leaves = list
}

// keepLeaves stores the leaves. It returns their place.
func (r *Recorder) keepLeaves() uint32 {
	r.entries += len(r.leaves)
	return r.kept.addLeaves(r.leaves)
}

func (r *Recorder) followInto(t *thread, start, end trace.Time, chain []*thread) {
	known := end     // from here on it is known what t did
	var ran *segment // the segment after s
	add := func(s *segment, until trace.Time) {
		after := ran
		ran = s
		from, to := max(s.start, start), min(until, end)
		if from >= to {
			return
		}
		known = from
		leaf := func(from, to trace.Time) {
			key, reason, argument := r.placeOf(t, from, to)
			wait := r.leafWait(t, s, key)
			if s.state == Blocked && !wait.Explains() && to.Sub(from) >= leastFollowed && len(chain) < maxDepth {
				if next := r.thread(s.endedBy()); next != nil && next != t && !slices.Contains(chain, next) {
					r.followInto(next, from, to, append(chain[:len(chain):len(chain)], t))
					return
				}
			}
			l := Leaf{Start: from, End: to, TID: t.tid, PID: t.pid, Wait: wait, Key: key, Reason: reason, Argument: argument}
			switch {
			case s.state == Blocked:
				l.Function, l.Interrupt = s.wait.Function, s.wait.Interrupt
				if by := s.endedBy(); by != 0 && !wait.Explains() {
					l.For, l.ForTime = by, to.Sub(from)
				}
			case s.state == Preempted:
				l.For, l.ForTime = r.occupantOf(s.cpu, t.tid, from, to)
			case s.state == Woken && after != nil && after.state == Running:
				l.For, l.ForTime = r.occupantOf(after.cpu, t.tid, from, to)
			}
			r.addLeaf(l)
		}
		r.addUnknown(t, s, from, to, func(from, to trace.Time) {
			if s.state == Running {
				t.cut(from, to, leaf)
			} else {
				leaf(from, to)
			}
		})
	}
	add(t.now, end)
	for i := 0; i < t.states.past() && known > start; i++ {
		s := t.states.before(i)
		if s.end < known && s.end > start {
			r.addLeaf(unknownLeaf(t, max(s.end, start), known))
		}
		add(s, s.end)
	}
	if known > start {
		r.addLeaf(unknownLeaf(t, start, known))
	}
}

// addLeaf appends a leaf, or makes the last one longer if it is the same.
func (r *Recorder) addLeaf(l Leaf) {
	if n := len(r.leaves); n > 0 {
		last := &r.leaves[n-1]
		if last.TID == l.TID && last.Wait == l.Wait && last.Key == l.Key && last.Argument == l.Argument && (last.Start == l.End || last.End == l.Start) {
			last.join(&l)
			last.Start, last.End = min(last.Start, l.Start), max(last.End, l.End)
			return
		}
	}
	r.leaves = append(r.leaves, l)
}

func unknownLeaf(t *thread, start, end trace.Time) Leaf {
	return Leaf{Start: start, End: end, TID: t.tid, PID: t.pid, Wait: why.WaitUnknown}
}

// endedBy returns the thread that ended a wait: that which serves the call, or the one that woke the
// thread; 0 if an interrupt did.
func (s *segment) endedBy() trace.TID {
	switch {
	case s.wait.Calling:
		return s.callee
	case s.wait.interrupt:
		return 0
	}
	return s.wait.Waker
}

// occupantOf returns the thread that had a processor for the longest time between two times, and for how
// long; 0 if the processor was idle for longer, or if that is unknown.
func (r *Recorder) occupantOf(n trace.CPU, waiting trace.TID, start, end trace.Time) (trace.TID, trace.Duration) {
	times := r.occupants[:0]
	for o, had := range r.cpu(n).occupants(start, end) {
		if o == waiting {
			continue
		}
		i := slices.IndexFunc(times, func(x occupied) bool { return x.tid == o })
		if i < 0 {
			i = len(times)
			times = append(times, occupied{tid: o})
		}
		times[i].time += had.Duration()
	}
	r.occupants = times
	if len(times) == 0 {
		return 0, 0
	}
	most := slices.MaxFunc(times, func(a, b occupied) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(b.tid, a.tid)) })
	if most.tid <= 0 {
		return 0, 0
	}
	return most.tid, most.time
}

// occupied is for how long a thread had a processor.
type occupied struct {
	tid  trace.TID
	time trace.Duration
}

// leafWait returns the wait of a segment of a thread that is followed.
func (r *Recorder) leafWait(t *thread, s *segment, key NameKey) why.Wait {
	switch s.state {
	case Running:
		if t.kind == interruptThread {
			return why.WaitIRQ
		}
		return why.Run
	case Preempted:
		return why.CPUPreempted
	case Woken:
		return why.CPUWait
	case Blocked:
		return s.wait.Classify(t.pid, s.wait.WakerPID, r.keys.places[key].Class)
	}
	return why.WaitUnknown
}

// followProcessor stores who ran on a processor while t waited for it.
func (r *Recorder) followProcessor(t *thread, n trace.CPU, end trace.Time) {
	start := t.now.start
	wait := &t.now.wait
	if t.now.record == 0 || start >= end {
		return
	}
	r.leaves = r.leaves[:0]
	for o, had := range r.cpu(n).occupants(start, end) {
		if o == t.tid || o == lostThread {
			continue
		}
		l := Leaf{Start: had.Start, End: had.End, TID: o, Wait: why.Run}
		if u := r.thread(o); u != nil {
			l.PID = u.pid
			l.Key, l.Reason, l.Argument = r.placeOf(u, had.Start, had.End)
			if u.kind == interruptThread || u.kind == schedulerThread {
				l.Wait = why.WaitIRQ
			}
		}
		r.addLeaf(l)
	}
	if len(r.leaves) == 0 {
		return
	}
	r.sumLeaves(start, maxOccupants)
	wait.leaves, wait.ForInterrupt = r.keepLeaves(), r.leaves[0].Wait == why.WaitIRQ
	r.store(t.now)
}
