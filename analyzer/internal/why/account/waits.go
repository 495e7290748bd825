package account

import (
	"cmp"
	"iter"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// owner is what the timeline says about a thread from some time on.
type owner struct {
	since           trace.Time
	pid             trace.PID
	process, thread string
}

// owners are those of each thread id, in order of time. Mostly it is one.
type owners map[trace.TID][]owner

func newOwners(t *analyzer.Timeline) owners {
	list := owners{}
	for _, p := range t.Processes {
		for _, th := range p.Threads {
			list[th.TID] = append(list[th.TID], owner{max(th.Since, p.Alive.Start), p.PID, p.Name, th.Name})
		}
	}
	for _, of := range list {
		slices.SortStableFunc(of, func(a, b owner) int { return cmp.Compare(a.since, b.since) })
	}
	return list
}

// at returns the owner of a thread id at a time.
func (o owners) at(tid trace.TID, at trace.Time) (found owner, ok bool) {
	for i, x := range o[tid] {
		if i == 0 || x.since <= at {
			found, ok = x, true
		}
	}
	return found, ok
}

// wakerPID returns the process of the thread that ended a wait, which is known to have been at a time. A thread without markers may
// have its process named only later in the trace.
func (b *Book) wakerPID(w *threads.WaitFacts, at trace.Time) trace.PID {
	if w.WakerPID == trace.UnknownPID {
		if o, ok := b.owners.at(w.Waker, at); ok {
			return o.pid
		}
	}
	return w.WakerPID
}

// culprit returns a thread that was waited for.
func (b *Book) culprit(l *threads.Leaf, d trace.Duration) why.Culprit {
	o, _ := b.owners.at(l.TID, l.Start)
	c := why.Culprit{PID: l.PID, TID: l.TID, Process: o.process, Thread: o.thread, Wait: l.Wait, Slice: b.record.Name(l.Key), Time: d}
	if c.PID == trace.UnknownPID {
		c.PID = o.pid
	}
	if l.Function != 0 || l.Interrupt != 0 || l.For != 0 {
		s := suspect{seen: l.Start}
		s.addBlockReasons(l, d)
		b.explain(&c, &s, KeyWait{l.Wait, l.Key})
	}
	return c
}

// Thread returns a thread of a process, which may be unknown, at a time, as a culprit without times.
func (b *Book) Thread(pid trace.PID, tid trace.TID, at trace.Time) why.Culprit {
	c := b.culprit(&threads.Leaf{TID: tid, PID: pid, Start: at}, 0)
	if c.Thread == "" {
		c.Thread = b.record.ThreadName(tid)
	}
	return c
}

// Drawn returns the earlier frame that the render thread was drawing for more than half
// of the time that a waited for that thread; nil if it drew no frame for so long.
func (a *Account) Drawn() *analyzer.Frame {
	const recent = 4
	d := a.details
	var waited trace.Duration
	for i := range d.waits {
		if w := &d.waits[i]; w.id.Wait == why.WaitRender {
			waited += w.end.Sub(w.start)
		}
	}
	for _, b := range d.thread[max(d.index-recent, 0):d.index] {
		draw, drew := b.Frame.Draw, trace.Duration(0)
		if !draw.Known() {
			continue
		}
		for i := range d.waits {
			if w := &d.waits[i]; w.id.Wait == why.WaitRender {
				drew += max(min(w.end, draw.End).Sub(max(w.start, draw.Start)), 0)
			}
		}
		if drew*2 > waited {
			return b.Frame
		}
	}
	return nil
}

// waits returns the waits of the frame, on all its threads.
func (a *Account) waits() iter.Seq[*frameWait] {
	return func(yield func(*frameWait) bool) {
		for ; a != nil; a = a.draw {
			for i := range a.details.waits {
				if !yield(&a.details.waits[i]) {
					return
				}
			}
		}
	}
}

// WaitedFor is what a frame waited for in some of its waits: the threads of one kind.
type WaitedFor struct {
	// Time is the part of the waits.
	Time trace.Duration
	// Culprit is the thread with the most time, and what it did most of that; nil if it is
	// unknown, or if nobody had the processor. Threads is the number of threads of the kind.
	Culprit *why.Culprit
	Threads int
	culprit why.Culprit
	// Function is the kernel function in which the thread waited the longest, GCReason that of
	// the culprit's garbage collection; empty if unknown.
	Function, GCReason string
	// Interrupt is the one that ended most of it; empty if none did, or if it is unknown.
	Interrupt string
	// Label is that of the culprit's slice; empty without arguments.
	Label   string
	blocked blocked    // the frame's own thread
	threads []*suspect // the one with the most time first
}

// Match says which times are meant: those of a wait in a stage, of all stages for why.NoStage,
// and in some slices, in all of them if Keys is nil.
type Match struct {
	functions.Component
	Keys []threads.NameKey
}

// Has reports whether the times of an ID are meant.
func (m *Match) Has(id ID) bool {
	return id.Wait == m.Wait && (m.Stage == why.NoStage || id.Stage == m.Stage) && (m.Keys == nil || slices.Contains(m.Keys, id.Key))
}

// KeyWait is what a thread did: it ran, or waited, in slices of one key.
type KeyWait struct {
	Wait why.Wait
	Key  threads.NameKey
}

// stateSum is the time of a thread in such a state.
type stateSum struct {
	time, longest trace.Duration
	gcReason      threads.NameKey // of garbage collection; 0 if unknown
	label         uint32          // of the longest one
}

// suspect is a thread that was waited for.
type suspect struct {
	tid     trace.TID
	pid     trace.PID
	seen    trace.Time
	time    trace.Duration
	sure    bool
	states  few[KeyWait, stateSum]
	reasons few[blockReason, trace.Duration]
	blocked
}

// suspect returns memory for a thread that was waited for.
func (b *Book) suspect() *suspect {
	if b.suspected == len(b.suspects) {
		b.suspects = append(b.suspects, &suspect{})
	}
	s := b.suspects[b.suspected]
	b.suspected++
	*s = suspect{states: s.states.emptied(), reasons: s.reasons.emptied(), blocked: blocked{s.functions.emptied(), s.interrupts.emptied(), s.in.emptied()}}
	return s
}

// newWaitedFor returns memory for a WaitedFor.
func (b *Book) newWaitedFor() *WaitedFor {
	if len(b.waiteds) == cap(b.waiteds) {
		b.waiteds = make([]WaitedFor, 0, max(16, 2*cap(b.waiteds)))
	}
	b.waiteds = append(b.waiteds, WaitedFor{})
	return &b.waiteds[len(b.waiteds)-1]
}

// Kept returns a copy of the culprit, which is known for longer than w.
func (w *WaitedFor) Kept() *why.Culprit {
	if w.Culprit == nil {
		return nil
	}
	c := *w.Culprit
	return &c
}

// Reuse says that nobody has what Waits and Restrict have returned any more.
func (b *Book) Reuse() { b.suspected, b.waiteds = 0, b.waiteds[:0] }

// blocked is for how long the frame was blocked in kernel functions, until interrupts, and in its slices.
type blocked struct {
	functions, interrupts few[threads.NameKey, trace.Duration]
	in                    few[threads.NameKey, sliceSum]
}

func (b *blocked) add(x *frameWait, w *threads.WaitFacts, d trace.Duration) {
	b.in.of(x.id.Key).add(d, x.slice)
	if w.Function != 0 {
		*b.functions.of(w.Function) += d
	}
	if w.Interrupt != 0 {
		*b.interrupts.of(w.Interrupt) += d
	}
}

func (b *blocked) addAll(o *blocked) {
	for _, f := range o.functions.list {
		*b.functions.of(f.key) += f.value
	}
	for _, i := range o.interrupts.list {
		*b.interrupts.of(i.key) += i.value
	}
	for _, o := range o.in.list {
		in := b.in.of(o.key)
		in.time, in.calls = in.time+o.value.time, in.calls+o.value.calls
	}
}

// In returns the slices in which a frame's own thread waited, and the parts of the waits there.
func (b *Book) In(waits []*WaitedFor) (list []why.NamedSlices) {
	for _, w := range waits {
		in := slices.SortedFunc(slices.Values(w.blocked.in.list), func(x, y entry[threads.NameKey, sliceSum]) int { return cmp.Compare(x.key, y.key) })
		for _, in := range in {
			if name, _, _ := b.Slice(&Cell{ID: ID{Key: in.key}}); name != "" {
				list = append(list, why.NamedSlices{Slice: name, Value: in.value.time, Calls: in.value.calls})
			}
		}
	}
	return list
}

// Waits returns what the frame waited for, those with the most time first. What is left of the
// waits, for which no thread is known, comes last.
func (b *Book) Waits(a *Account, m Match) []*WaitedFor {
	found := b.threads.emptied()
	left := b.suspect()
	for x := range a.waits() {
		if !m.Has(x.id) {
			continue
		}
		w := b.record.Wait(x.wait)
		rest := x.end.Sub(x.start)
		for l := range b.record.Leaves(w) {
			d := min(l.End, x.end).Sub(max(l.Start, x.start))
			if d <= 0 || l.TID == 0 {
				continue // the processor was idle
			}
			rest -= d
			in := found.of(l.TID)
			if *in == nil {
				*in = b.suspect()
			}
			s := *in
			s.time += d
			s.tid, s.pid, s.seen = l.TID, l.PID, l.Start
			of := s.states.of(KeyWait{l.Wait, l.Key})
			of.time += d
			if l.Reason != 0 {
				of.gcReason = l.Reason
			}
			s.addBlockReasons(&l, d)
			if l.Argument != 0 && d > of.longest {
				of.label, of.longest = l.Argument, d
			}
			s.add(x, w, d)
			if l.PID == a.Frame.Process.PID || w.Calling || m.Wait == why.CPUWait || m.Wait == why.CPUPreempted || m.Wait == why.WaitVsync {
				s.sure = true
			}
		}
		left.time += rest
		if rest > 0 {
			left.add(x, w, rest)
		}
	}
	b.threads = found
	list := b.kinds(found.list)
	if left.time > 0 {
		w := b.newWaitedFor()
		w.Time, w.blocked = left.time, left.blocked
		list = append(list, b.setNames(w))
	}
	return list
}

// setNames sets the names of what a frame was blocked in.
func (b *Book) setNames(w *WaitedFor) *WaitedFor {
	w.Function, w.Interrupt = b.record.Name(largest(&w.blocked.functions)), b.record.Name(largest(&w.blocked.interrupts))
	return w
}

// kinds returns the threads that were waited for, by kind, those with the most time first.
func (b *Book) kinds(found []entry[trace.TID, *suspect]) []*WaitedFor {
	suspects := make([]*suspect, len(found))
	for i := range found {
		suspects[i] = found[i].value
	}
	if len(suspects) == 1 {
		return []*WaitedFor{b.joinThreads(suspects)}
	}
	var of few[why.ThreadKind, []*suspect]
	for _, s := range sorted(suspects) {
		c := b.Thread(s.pid, s.tid, s.seen)
		list := of.of(c.Kind())
		*list = append(*list, s)
	}
	list := make([]*WaitedFor, 0, len(of.list)+1)
	for _, kind := range of.list {
		list = append(list, b.joinThreads(kind.value))
	}
	slices.SortStableFunc(list, func(x, y *WaitedFor) int { return cmp.Compare(y.Time, x.Time) })
	return list
}

// sorted sorts threads: those with the most time first.
func sorted(list []*suspect) []*suspect {
	slices.SortFunc(list, func(x, y *suspect) int { return cmp.Or(cmp.Compare(y.time, x.time), cmp.Compare(x.tid, y.tid)) })
	return list
}

// joinThreads returns threads of a kind as one thing that was waited for.
func (b *Book) joinThreads(list []*suspect) *WaitedFor {
	most := list[0]
	w := b.newWaitedFor()
	c := &w.culprit
	*c = b.Thread(most.pid, most.tid, most.seen)
	c.Time = most.time
	w.Culprit, w.Threads, w.threads = c, len(list), list
	w.GCReason, w.Label = b.setMainState(most, c)
	if w.blocked = most.blocked; len(list) > 1 {
		w.blocked = blocked{}
	}
	for _, s := range list {
		w.Time += s.time
		c.Sure = c.Sure || s.sure
		if len(list) > 1 {
			w.blocked.addAll(&s.blocked)
		}
	}
	return b.setNames(w)
}

// States returns what threads that were waited for did, and for how long.
func (w *WaitedFor) States() iter.Seq2[KeyWait, trace.Duration] {
	var all few[KeyWait, trace.Duration]
	for _, s := range w.threads {
		for i := range s.states.list {
			*all.of(s.states.list[i].key) += s.states.list[i].value.time
		}
	}
	return all.all()
}

// Restrict returns the part of a wait in which the threads were in some of their states.
func (b *Book) Restrict(w *WaitedFor, some func(KeyWait) bool) *WaitedFor {
	var list []*suspect
	for _, s := range w.threads {
		one := *s
		one.time, one.states = 0, few[KeyWait, stateSum]{}
		for _, state := range s.states.list {
			if some(state.key) {
				one.time += state.value.time
				one.states.list = append(one.states.list, state)
			}
		}
		if one.time > 0 {
			list = append(list, &one)
		}
	}
	return b.joinThreads(sorted(list))
}

// setMainState sets what a thread did most of the time. It returns the reason of its garbage collection, and the
// label of its slice.
func (b *Book) setMainState(s *suspect, c *why.Culprit) (gcReason, label string) {
	var most *stateSum
	var state KeyWait
	for i := range s.states.list {
		in, of := s.states.list[i].key, &s.states.list[i].value
		if slice := b.record.Name(in.Key); most == nil || of.time > most.time || of.time == most.time && (in.Wait < c.Wait || in.Wait == c.Wait && slice < c.Slice) {
			most, state, c.Wait, c.Slice, c.Did = of, in, in.Wait, slice, of.time
		}
	}
	b.explain(c, s, state)
	return b.record.Name(most.gcReason), b.record.Label(most.label)
}
