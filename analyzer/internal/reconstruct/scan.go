package reconstruct

import (
	"math"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// scanner reads the events of a block, at once with other blocks. It selects what the builder must
// do in order. That is little: frames need few of the slices that begin and end within a block.
type scanner struct {
	names
	coverageScan
	// starts are the threads of the block whose ids others had before. again: the names of the block
	// are to be added again with them.
	starts  []newOwner
	again   bool
	actions []action
	// seen are the words of markers that may be no actions.
	seen       [hitrace.WordCount]bool
	start, end trace.Time // of the events whose times are known
	// watched are thread ids that the block has the begin or end of a thread of. From there on,
	// every event about them is an action.
	watched []watchedID
	all     bool // the builder must see all events
}

// watchedID is a thread id and the first event that begins or ends its thread.
type watchedID struct {
	tid   trace.TID
	event int32
}

// action is something that the builder must do in order.
type action struct {
	at         trace.Time
	event      int32     // index
	prev, next trace.TID // of a switch
	cpu        int16
	kind       actionKind
}

type actionKind uint8

const (
	eventAction  actionKind = iota // an event; at is the time of the marker of its thread before it in the block, zero without one
	switchAction                   // a switch between threads that live on, at a time
	markerAction                   // the last marker of a thread before something happens to it
	timeJump                       // the time since the event before is minStep or more, either way; at is that event's time
	// The others are for coverage.
	firstLine   // the first of a CPU
	firstSwitch // the first of a CPU; at is the time of the line of the CPU before it in the block, zero without one
	gapSwitch   // one from another thread than that which ran, after a line at a time
	endsSilence // a line of a CPU on which threads were woken from a time on
)

// scan replaces what the scanner knows by that of the events of a trace.
func (s *scanner) scan(events []hitrace.Event) {
	s.reset()
	s.events = events
	var last trace.Time
	for i := range events {
		e, number := &events[i], int32(i)
		if since := e.Time.Sub(last); uint64(since+minStep-1) > uint64(2*(minStep-1)) && last.Known() {
			s.actions = append(s.actions, action{kind: timeJump, event: number, at: last})
		}
		if last = e.Time; last > s.end {
			s.end = last
		}
		if last < s.start {
			s.start = last
		}
		n := s.line(e, number)
		keep := e.Lost || s.watches(e.TID)
		switch e.Kind {
		case hitrace.MarkerEvent:
			s.marker(n, e, number, keep)
			continue
		case hitrace.SwitchEvent:
			w := e.Switch()
			if w == nil || uint64(e.CPU) >= maxCPUs {
				keep = true
				break
			}
			s.scheduled(w.NextTID, w.NextComm, number)
			if leaves(w) {
				s.watch(w.PrevTID, number)
				keep = true
			} else if !keep && !s.watches(w.NextTID) {
				s.actions = append(s.actions, action{kind: switchAction, event: number, at: last, cpu: int16(e.CPU), prev: w.PrevTID, next: w.NextTID})
				continue
			}
			keep = true
		case hitrace.WakingEvent, hitrace.WakeupEvent:
			if w := e.Wakeup(); w != nil {
				s.scheduled(w.TID, w.Comm, number)
				keep = keep || s.watches(w.TID)
				if e.Kind == hitrace.WakeupEvent && w.TargetCPU != e.CPU { // sched_waking has the CPU on which the thread ran before
					s.wake(w.TargetCPU, last)
				}
			}
		case hitrace.NewThreadEvent:
			keep = true
			if w := e.Wakeup(); w != nil {
				s.watch(w.TID, number)
			}
		case hitrace.CreateEvent, hitrace.ExitEvent, hitrace.FreeEvent:
			keep = true
			if t := e.Task(); t != nil {
				s.watch(t.TID, number)
			}
		case hitrace.TransactionEvent, hitrace.ReceivedEvent:
			keep = true
		case hitrace.FrequencyEvent:
			s.frequencies = true
		}
		if keep {
			s.actions = append(s.actions, action{event: number})
		}
	}
	if !s.start.Known() {
		s.all, s.start = true, math.MaxInt64
		for i := range events {
			if at := events[i].Time; at.Known() {
				s.start = min(s.start, at)
			}
		}
	}
	for i := range s.entries {
		s.release(&s.entries[i])
	}
}

func (s *scanner) reset() {
	s.names.reset()
	s.coverageScan.reset()
	s.actions, s.watched, s.all, s.start, s.end = s.actions[:0], s.watched[:0], false, math.MaxInt64, 0
	clear(s.seen[:])
}

// marker selects the markers that frames need. Most begin or end a slice that they do not need.
func (s *scanner) marker(n *nameEntry, e *hitrace.Event, number int32, keep bool) {
	before := n.last
	n.last = number + 1
	keep = keep || n.inCall > 0
	switch word := e.Word; e.Marker.Phase {
	case hitrace.End:
		n.inFrame = max(0, n.inFrame-1)
		if n.open > 0 && !keep && (!n.isMain() || e.Time.Sub(s.events[n.slices[n.open-1]].Time) < n.least()) {
			n.open--
			return
		}
		n.inCall = max(0, n.inCall-1)
	case hitrace.Begin:
		s.seen[word] = true
		switch {
		case word == hitrace.ReceiveVsync:
			n.inFrame = 1
		case n.inFrame > 0:
			n.inFrame++
		}
		if begins[word] == nil && !keep {
			if int(n.open) == len(n.slices) {
				s.release(n)
			}
			n.slices[n.open] = number
			n.open++
			return
		}
		if n.inCall > 0 || word == hitrace.RequestBuffer || word == hitrace.FlushBuffer || word == hitrace.AcquireBuffer {
			n.inCall++
		}
	case hitrace.Sync:
	default:
		s.seen[word] = true
		switch word {
		case hitrace.FrameQueued, hitrace.Scene, hitrace.Trailing, hitrace.RenderScene, hitrace.Jitter:
		default:
			if !keep {
				return
			}
		}
	}
	s.release(n)
	var at trace.Time
	if before > 0 {
		at = s.events[before-1].Time
	}
	s.actions = append(s.actions, action{event: number, at: at})
}

// least returns how long the innermost slice of a main thread must be that the builder must see.
func (n *threadScan) least() trace.Duration {
	if n.open == 1 && n.inFrame == 0 {
		return minTask
	}
	return analyzer.MinBlock
}

// release makes the begins of slices that are open on a thread actions.
func (s *scanner) release(n *nameEntry) {
	for _, number := range n.slices[:n.open] {
		s.actions = append(s.actions, action{event: number})
	}
	n.open = 0
}

func (s *scanner) watches(tid trace.TID) bool {
	return len(s.watched) > 0 && s.watchedFrom(tid) < math.MaxInt32
}

// watchedFrom returns the event from which on a thread id is watched, math.MaxInt32 if it is not.
func (s *scanner) watchedFrom(tid trace.TID) int32 {
	for _, w := range s.watched {
		if w.tid == tid {
			return w.event
		}
	}
	return math.MaxInt32
}

// watch makes every event about a thread id from one on an action.
func (s *scanner) watch(tid trace.TID, event int32) {
	if k := *s.slot(tid); k > 0 {
		n := &s.entries[k-1]
		s.release(n)
		if n.last > 0 {
			s.actions = append(s.actions, action{kind: markerAction, event: n.last - 1})
		}
		n.last = 0
	}
	if !s.watches(tid) {
		s.watched = append(s.watched, watchedID{tid, event})
	}
}

// line adds a line to those of its thread and its CPU.
func (s *scanner) line(e *hitrace.Event, number int32) *nameEntry {
	c := s.cpus.cpu(e.CPU)
	if c == nil {
		return s.own(e, number)
	}
	if c.lines == 0 || c.woken.count > 0 || e.Kind == hitrace.SwitchEvent {
		s.edge(c, e, number)
	}
	c.addLine(e.Time, e.TID)
	c.events = int(number) + 1
	return s.own(e, number)
}

// edge adds what a line says of those before it on its CPU.
func (s *scanner) edge(c *cpuLines, e *hitrace.Event, number int32) {
	add := func(kind actionKind, at trace.Time) {
		s.actions = append(s.actions, action{kind: kind, event: number, at: at, cpu: int16(e.CPU)})
	}
	if c.lines == 0 {
		add(firstLine, 0)
		c.late = c.woken
	} else if c.woken.silence(e.Time) {
		add(endsSilence, c.woken.first)
	}
	c.woken.count = 0
	if e.Kind != hitrace.SwitchEvent {
		return
	}
	w := e.Switch()
	switch {
	case !c.switches:
		add(firstSwitch, c.last)
	case w != nil && c.switched && w.PrevTID != c.running && !e.Lost:
		add(gapSwitch, c.last)
	}
	s.switches, c.switches, c.switched = true, true, w != nil
	if w != nil {
		c.running = w.NextTID
	}
}

// leaves reports whether the thread that leaves a processor has ended.
func leaves(s *hitrace.Switch) bool {
	return len(s.PrevState) > 0 && (s.PrevState[0] == 'X' || s.PrevState[0] == 'Z')
}
