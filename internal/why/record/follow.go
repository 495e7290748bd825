package record

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
	Key        Key // the innermost slice of the thread, or its garbage collection
	Reason     Key // of that; 0 if unknown
	// Argument is the number of the label of the slice, for Record.Label; 0 without arguments.
	Argument uint32
}

// The limits of following a wait.
const (
	maxDepth  = 4 // threads that wait for one another
	maxLeaves = 8 // for each wait; the shortest ones are left out
)

// follow sets r.leaves to what t did from start to end, while another thread waited
// for it. Where t itself waited for a thread, it is followed in turn. chain are the
// threads that wait.
func (r *Recorder) follow(t *thread, start, end trace.Time, chain []*thread) {
	r.keepMore(t)
	r.leaves = r.leaves[:0]
	r.followInto(t, start, end, chain)
	if len(r.leaves) > maxLeaves {
		r.sumLeaves(start)
	}
	slices.SortStableFunc(r.leaves, func(a, b Leaf) int { return cmp.Compare(a.Start, b.Start) })
}

// sumLeaves merges the leaves that are alike, leaves out those with
// the least time if they are too many, and lays them out from the start of the wait.
func (r *Recorder) sumLeaves(start trace.Time) {
	all := r.leaves
	slices.SortStableFunc(all, func(a, b Leaf) int {
		return cmp.Or(cmp.Compare(a.TID, b.TID), cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.Key, b.Key))
	})
	list := all[:0]
	for _, l := range all {
		if n := len(list); n > 0 && list[n-1].TID == l.TID && list[n-1].Wait == l.Wait && list[n-1].Key == l.Key {
			list[n-1].End = list[n-1].End.Add(l.End.Sub(l.Start))
			continue
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b Leaf) int { return cmp.Compare(b.End.Sub(b.Start), a.End.Sub(a.Start)) })
	list = list[:min(len(list), maxLeaves)]
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
	return r.kept.add(r.leaves)
}

func (r *Recorder) followInto(t *thread, start, end trace.Time, chain []*thread) {
	known := end // from here on it is known what t did
	add := func(s *segment, until trace.Time) {
		from, to := max(s.start, start), min(until, end)
		if from >= to {
			return
		}
		known = from
		r.addUnknown(t, s, from, to, func(from, to trace.Time) {
			key, reason, argument := r.placeOf(t, from, to)
			wait := r.leafWait(t, s, key)
			if s.state == Blocked && !wait.Explains() && to.Sub(from) >= leastFollowed && len(chain) < maxDepth {
				next := r.thread(s.wait.Waker)
				if s.wait.Calling {
					next = r.thread(s.callee)
				}
				if next != nil && (s.wait.Calling || !s.wait.interrupt) && next != t && !slices.Contains(chain, next) {
					r.followInto(next, from, to, append(chain[:len(chain):len(chain)], t))
					return
				}
			}
			r.addLeaf(Leaf{from, to, t.tid, t.pid, wait, key, reason, argument})
		})
	}
	add(t.now, end)
	for i := 0; i < t.states.past() && known > start; i++ {
		s := t.states.before(i)
		if s.end < known && s.end > start {
			r.addLeaf(Leaf{max(s.end, start), known, t.tid, t.pid, why.WaitUnknown, 0, 0, 0})
		}
		add(s, s.end)
	}
	if known > start {
		r.addLeaf(Leaf{start, known, t.tid, t.pid, why.WaitUnknown, 0, 0, 0})
	}
}

// addLeaf appends a leaf, or makes the last one longer if it is the same.
func (r *Recorder) addLeaf(l Leaf) {
	if n := len(r.leaves); n > 0 {
		last := &r.leaves[n-1]
		if last.TID == l.TID && last.Wait == l.Wait && last.Key == l.Key && last.Argument == l.Argument && (last.Start == l.End || last.End == l.Start) {
			last.Start, last.End = min(last.Start, l.Start), max(last.End, l.End)
			return
		}
	}
	r.leaves = append(r.leaves, l)
}

// leafWait returns the wait of a segment of a thread that is followed.
func (r *Recorder) leafWait(t *thread, s *segment, key Key) why.Wait {
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
	c := r.cpu(n)
	until := end
	for i := 0; i < c.past.len() && until > start; i++ {
		o := c.past.before(i)
		from := max(o.since, start)
		if from < until && o.tid != t.tid && o.tid != lostThread {
			l := Leaf{Start: from, End: until, TID: o.tid, Wait: why.Run}
			if u := r.thread(o.tid); u != nil {
				l.PID = u.pid
				l.Key, l.Reason, l.Argument = r.placeOf(u, from, until)
				if u.kind == interruptThread || u.kind == schedulerThread {
					l.Wait = why.WaitIRQ
				}
			}
			r.addLeaf(l)
		}
		until = min(until, o.since)
	}
	if len(r.leaves) == 0 {
		return
	}
	r.sumLeaves(start)
	wait.leaves, wait.ForInterrupt = r.keepLeaves(), r.leaves[0].Wait == why.WaitIRQ
	r.store(t.now)
}
