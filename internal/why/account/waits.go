package account

import (
	"cmp"
	"iter"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/why/record"
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
func (b *Book) wakerPID(w *record.Wait, at trace.Time) trace.PID {
	if w.WakerPID == trace.UnknownPID {
		if o, ok := b.owners.at(w.Waker, at); ok {
			return o.pid
		}
	}
	return w.WakerPID
}

// culprit returns a thread that was waited for.
func (b *Book) culprit(l *record.Leaf, d trace.Duration) why.Culprit {
	o, _ := b.owners.at(l.TID, l.Start)
	c := why.Culprit{PID: l.PID, TID: l.TID, Process: o.process, Thread: o.thread, Wait: l.Wait, Slice: b.record.Name(l.Key), Time: d}
	if c.PID == trace.UnknownPID {
		c.PID = o.pid
	}
	if l.Function != 0 || l.Interrupt != 0 || l.For != 0 {
		var r reasons
		r.add(l, d)
		b.explain(&c, &r, l.Start)
	}
	return c
}

// Thread returns a thread of a process, which may be unknown, at a time, as a culprit without times.
func (b *Book) Thread(pid trace.PID, tid trace.TID, at trace.Time) why.Culprit {
	c := b.culprit(&record.Leaf{TID: tid, PID: pid, Start: at}, 0)
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
func (a *Account) waits() iter.Seq[*waited] {
	return func(yield func(*waited) bool) {
		for ; a != nil; a = a.draw {
			for i := range a.details.waits {
				if !yield(&a.details.waits[i]) {
					return
				}
			}
		}
	}
}

// Waited is what a frame waited for in all its waits of one kind.
type Waited struct {
	// Culprit is the thread with the most time, and what it did most of that; nil if it is
	// unknown, or if nobody had the processor for longer.
	Culprit *why.Culprit
	// Function is the kernel function in which the thread waited the longest, Reason that of
	// the culprit's garbage collection; empty if unknown.
	Function, Reason string
	// Interrupt is the one that ended most of it; empty if none did, or if it is unknown.
	Interrupt string
	// Label is that of the culprit's slice; empty without arguments.
	Label string
}

// Waited returns what the frame waited for in the waits of one kind in a stage, or in all
// stages for why.NoStage.
func (b *Book) Waited(a *Account, stage why.Stage, wait why.Wait) (waited Waited) {
	type suspect struct {
		tid  trace.TID
		wait why.Wait
		key  record.Key
	}
	times := map[suspect]trace.Duration{}
	collections, causes := map[suspect]record.Key{}, map[suspect]*reasons{}
	labels, longest := map[suspect]uint32{}, map[suspect]trace.Duration{}
	threads := map[trace.TID]trace.Duration{}
	functions, interrupts := map[record.Key]trace.Duration{}, map[record.Key]trace.Duration{}
	pids, seen := map[trace.TID]trace.PID{}, map[trace.TID]trace.Time{}
	idle := trace.Duration(0)
	sure := map[trace.TID]bool{}
	for x := range a.waits() {
		if x.id.Wait != wait || stage != why.NoStage && x.id.Stage != stage {
			continue
		}
		w := b.record.Wait(x.wait)
		if w.Function != 0 {
			functions[w.Function] += x.end.Sub(x.start)
		}
		if w.Interrupt != 0 {
			interrupts[w.Interrupt] += x.end.Sub(x.start)
		}
		for l := range b.record.Leaves(w) {
			d := min(l.End, x.end).Sub(max(l.Start, x.start))
			if d <= 0 {
				continue
			}
			if l.TID == 0 {
				idle += d
				continue
			}
			s := suspect{l.TID, l.Wait, l.Key}
			times[s] += d
			if l.Reason != 0 {
				collections[s] = l.Reason
			}
			if causes[s] == nil {
				causes[s] = &reasons{}
			}
			causes[s].add(&l, d)
			if l.Argument != 0 && d > longest[s] {
				labels[s], longest[s] = l.Argument, d
			}
			threads[l.TID] += d
			pids[l.TID], seen[l.TID] = l.PID, l.Start
			if l.PID == a.Frame.Process.PID || w.Calling || wait == why.CPUWait || wait == why.CPUPreempted || wait == why.WaitVsync {
				sure[l.TID] = true
			}
		}
	}
	waited.Function, waited.Interrupt = b.record.Name(largest(functions)), b.record.Name(largest(interrupts))
	tid := largest(threads)
	if len(threads) == 0 || idle > threads[tid] {
		return waited
	}
	c := b.Thread(pids[tid], tid, seen[tid])
	c.Time, c.Sure = threads[tid], sure[tid]
	most := trace.Duration(-1)
	for s, d := range times {
		if s.tid != tid {
			continue
		}
		if slice := b.record.Name(s.key); d > most || d == most && (s.wait < c.Wait || s.wait == c.Wait && slice < c.Slice) {
			most, c.Wait, c.Slice, waited.Reason, waited.Label = d, s.wait, slice, b.record.Name(collections[s]), b.record.Label(labels[s])
			b.explain(&c, causes[s], seen[tid])
		}
	}
	waited.Culprit = &c
	return waited
}

// largest returns the key with the largest value, the smallest one of several; zero
// for an empty map.
func largest[K cmp.Ordered](m map[K]trace.Duration) K {
	var best K
	for k, d := range m {
		if most, ok := m[best]; !ok || d > most || d == most && k < best {
			best = k
		}
	}
	return best
}
