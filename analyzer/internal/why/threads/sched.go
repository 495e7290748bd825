package threads

import (
	"bytes"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// leastFollowed is the shortest wait whose cause is followed to other threads. Half of
// all threads run 20 µs after their wakeup.
const leastFollowed = 50 * trace.Microsecond

// trackSwitch changes the states of two threads. The thread in the line's own columns
// is the previous one on Linux and the next one on HongMeng, and is not used.
func (r *Recorder) trackSwitch(e *hitrace.Event, s *hitrace.Switch) {
	r.scheduled = true
	c := r.cpu(e.CPU)
	prev, next := r.thread(s.PrevTID), r.thread(s.NextTID)
	if prev != nil {
		prev.name(s.PrevComm)
	}
	if next != nil {
		next.name(s.NextComm)
	}
	if lost := c.current; lost != nil && lost != prev && lost.now.state == Running && lost.now.cpu == e.CPU {
		r.lose(lost, e.Time)
	}
	if prev != nil {
		if prev.now.state != Running || prev.now.cpu != e.CPU {
			r.lose(prev, e.Time)
		}
		after, letter := Blocked, s.PrevState[0]
		switch letter {
		case 'R':
			after = Preempted
		case 'X', 'Z':
			after = Dead
			prev.comm = "" // the id may become another thread's
		}
		prev.enter(e.Time, after, e.CPU)
		prev.now.wait.Letter = letter
		if after == Blocked {
			r.fillCall(prev, prev.now)
			prev.now.issued = prev.issued
		}
		if prev.log != nil {
			r.logState(prev, prev.now)
		}
	}
	c.current = next
	c.interrupts = 0 // a handler ends before the processor changes threads; its end was lost
	c.past.add(occupant{e.Time, s.NextTID}, pastOccupants)
	if next == nil {
		return
	}
	if next.now.state == Dead {
		r.reset(next, e.Time)
	}
	if next.log != nil {
		switch next.now.state {
		case Preempted:
			r.followProcessor(next, next.now.cpu, e.Time)
		case Woken:
			r.followProcessor(next, e.CPU, e.Time)
		}
	}
	next.issued = false
	r.enter(next, e.Time, Running, e.CPU)
}

// reset forgets a thread that has ended: its id is now another thread's.
func (r *Recorder) reset(t *thread, at trace.Time) {
	for range t.slices {
		r.log(t, Entry{At: at, Kind: EndEntry})
	}
	if t.followed {
		r.followed--
	}
	log := t.log
	*t = *newThread(t.tid)
	t.log = log
}

// trackWakeup makes a blocked thread runnable. A wakeup is written up to twice,
// sched_waking by the waker and sched_wakeup on the target; the first one counts.
func (r *Recorder) trackWakeup(e *hitrace.Event, w *hitrace.Wakeup) {
	t := r.thread(w.TID)
	if t == nil {
		return
	}
	r.woke = true
	switch t.now.state {
	case Running:
		return // a wakeup of a thread that does not wait
	case Preempted, Woken:
		if len(endAfter(r.cpu(t.now.cpu).holes, t.now.start)) == 0 {
			return
		}
		r.lose(t, e.Time) // it may have run and waited while events were lost
	case Dead:
		r.reset(t, e.Time)
	case Blocked:
		r.endWait(t, e)
	}
	r.enter(t, e.Time, Woken, w.TargetCPU)
}

// endWait stores who ended a wait, and what others did meanwhile.
func (r *Recorder) endWait(t *thread, e *hitrace.Event) {
	wait := &t.now.wait
	waker := r.thread(e.TID)
	if waker != nil {
		waker.name(e.Comm)
	}
	wait.interrupt = e.InInterrupt || r.cpu(e.CPU).interrupts > 0 ||
		waker == nil || waker.kind == idleThread || waker.kind == interruptThread
	if wait.interrupt {
		wait.Interrupt, wait.device = r.interrupting(e, waker)
	}
	wait.WakerPID = trace.UnknownPID
	if waker != nil && waker.kind != idleThread {
		if waker.pid == trace.UnknownPID {
			waker.pid = e.PID
		}
		wait.Waker, wait.WakerPID, wait.render = waker.tid, waker.pid, waker.kind == renderThread
	}
	if t.now.record == 0 {
		return
	}
	if waker != nil && !wait.interrupt {
		r.keepMore(waker) // it may do so again
	}
	by := waker
	if callee := r.thread(t.now.callee); wait.Calling && callee != nil {
		by = callee
	} else if wait.interrupt {
		by = nil
	}
	if by != nil && by != t && e.Time.Sub(t.now.start) >= leastFollowed {
		r.follow(by, t.now.start, e.Time, []*thread{t})
		wait.leaves = r.keepLeaves()
	}
	r.store(t.now)
}

// store copies what is known of a wait into the log.
func (r *Recorder) store(s *segment) {
	if s.record != 0 {
		*r.waits.at(s.record) = s.wait
	}
}

// trackReason adds the kernel function in which a thread blocked. Linux writes it
// between waking and wakeup, HongMeng after the wakeup.
func (r *Recorder) trackReason(reason *hitrace.Blocked) {
	t := r.thread(reason.TID)
	if t == nil {
		return
	}
	s := t.lastBlocked()
	if s == nil || s.wait.Function != 0 {
		return
	}
	r.blockedReasons = true
	s.wait.iowait = s.wait.iowait || reason.IOWait // a block request may have shown it
	b := r.keys.blockerOf(reason.Caller)
	s.wait.Function, s.wait.by = b.key, b.by
	r.store(s)
}

func (r *Recorder) trackFrequency(e *hitrace.Event, f *hitrace.Frequency) {
	c := r.cpu(f.CPU)
	if c.frequency == f.KHz {
		return
	}
	c.frequency = f.KHz
	if len(c.clocks) < maxClockChanges {
		c.clocks = append(c.clocks, ClockChange{e.Time, f.KHz})
	}
	if t := c.current; t != nil && t.log != nil && t.now.state == Running {
		r.log(t, Entry{At: e.Time, Kind: FrequencyEntry, Value: f.KHz})
	}
}

// trackLimit records a limit. The last one that is recorded is 0: later ones are unknown.
func (r *Recorder) trackLimit(e *hitrace.Event, f *hitrace.Frequency) {
	c := r.cpu(f.CPU)
	n := len(c.limits)
	switch {
	case n == maxLimitChanges || n > 0 && c.limits[n-1].KHz == f.KHz:
	case n == maxLimitChanges-1:
		c.limits = append(c.limits, ClockChange{At: e.Time})
	default:
		c.limits = append(c.limits, ClockChange{e.Time, f.KHz})
	}
}

// trackCooling stores what the kernel did against heat. State 0 of a cooling device limits nothing.
func (r *Recorder) trackCooling(e *hitrace.Event, args []byte) {
	if len(r.cooling) == maxLimitChanges || len(args) > maxCoolingArgs || bytes.HasSuffix(args, []byte(" target=0")) {
		return
	}
	r.cooling = append(r.cooling, Cooling{e.Time, string(e.Name) + " " + string(args)})
}

func (r *Recorder) beginInterrupt(e *hitrace.Event, name []byte) {
	c := r.cpu(e.CPU)
	if c.interrupts < maxHandlers {
		h := &c.handlers[c.interrupts]
		h.text, h.known = name, false
	}
	c.interrupts++
	if t := c.current; c.interrupts == 1 && t != nil {
		r.log(t, Entry{At: e.Time, Kind: InterruptEntry, Value: 1})
	}
}

func (r *Recorder) endInterrupt(e *hitrace.Event) {
	c := r.cpu(e.CPU)
	if c.interrupts == 0 {
		return // it began before the trace
	}
	c.interrupts--
	if t := c.current; c.interrupts == 0 && t != nil {
		r.log(t, Entry{At: e.Time, Kind: InterruptEntry})
	}
}
