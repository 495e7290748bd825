package ftrace

import (
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
)

// Encoder makes packets of a block of events: one bundle for each processor. Each
// worker has one; it allocates nothing once it has warmed up.
type Encoder struct {
	// Exported and Lost count that block's events that are and are not in the packets.
	Exported, Lost int
	// Misplaced counts those of processors that Perfetto does not know.
	Misplaced int
	// LeftOut counts the events that no track shows.
	LeftOut int

	all bool // export also those

	plan    []piece        // the block to be encoded next
	before  trace.Time     // of the last event before the block
	running []trace.TID    // by processor, before the block
	decoder kernel.Decoder // of its events; nil for text
	cpus    []*cpuEncoder  // by number, nil where a processor has no events
	kernel  *kernelEncoder
	placed  threadSet // threads whose process is known in this block
	packets []byte    // the outcome
	text    []byte
	body    []byte
}

// NewEncoder returns an encoder that remembers so many names of functions. It exports all
// events, or only those that Perfetto shows on tracks.
func NewEncoder(names int, all bool) *Encoder {
	return &Encoder{kernel: newKernelEncoder(names), all: all}
}

// Encode returns the packets of the events that have been planned for this encoder since
// the last call. The result is valid until the next call.
func (e *Encoder) Encode() []byte {
	e.packets, e.Exported, e.Lost, e.Misplaced, e.LeftOut = e.packets[:0], 0, 0, 0, 0
	e.placed.reset()
	e.kernel.symbols.reset()
	for cpu, c := range e.cpus {
		if c != nil {
			e.begin(c, cpu)
		}
	}
	for _, p := range e.plan {
		for i := range p.events {
			event := &p.events[i]
			if p.placements[i].pid != trace.UnknownPID {
				e.placed.add(event.TID)
			}
		}
	}
	ahead := 0 // how many of the next events have been announced
	for k, p := range e.plan {
		for i := range p.events {
			if ahead == 0 {
				if ahead = 1; i+1 == len(p.events) || p.events[i+1].Time == p.events[i].Time {
					ahead = e.lookAhead(e.plan[k:], i)
				}
			}
			ahead--
			event, placement := &p.events[i], &p.placements[i]
			if event.Lost {
				e.cpu(placement.cpu).lost = true
			}
			switch {
			case placement.skip:
			case !e.all && !e.kernel.isShown(event, placement):
				e.LeftOut++
			case !e.event(event, placement):
				e.Lost++
			case !p.made:
				e.Exported++
			}
		}
	}
	for i := range e.plan {
		e.plan[i].events = nil
	}
	e.plan = e.plan[:0]
	e.flush()
	return e.packets
}

// lookAhead announces the next scheduling events of one time to their processors. They
// begin with the given event of the first piece. It returns the number of those events.
func (e *Encoder) lookAhead(pieces []piece, first int) int {
	at := pieces[0].events[first].Time
	n, last := 0, true // the next block may continue with the same time
	for k, from := 0, first; k < len(pieces) && last; k, from = k+1, 0 {
		events := pieces[k].events[from:]
		same := 0
		for same < len(events) && events[same].Time == at {
			same++
		}
		n += same
		last = same == len(events)
	}
	if n == 1 && !last {
		return n
	}
	left := n
	for k, from := 0, first; left > 0; k, from = k+1, 0 {
		for i := from; i < len(pieces[k].events) && left > 0; i++ {
			if p := &pieces[k].placements[i]; !p.skip && isScheduling(p) {
				e.cpu(p.cpu).announce(at, p.kind, pieces[k].events[i].Switch(), last)
			}
			left--
		}
	}
	return n
}

// event encodes one event for its processor and reports whether it could.
func (e *Encoder) event(event *hitrace.Event, p *placement) bool {
	if p.sequence != 0 {
		e.trackEvent(event, p)
		return true
	}
	if p.cpu > packet.LastCPU {
		e.Misplaced++
	}
	c := e.cpu(p.cpu)
	switch p.kind {
	case hitrace.MarkerEvent:
		e.body = e.appendPrint(e.body[:0], &event.Marker, p.pid)
	case hitrace.SwitchEvent:
		fields := event.Switch()
		if fields == nil {
			return e.other(c, event)
		}
		state, ok := rawTaskState(fields.PrevState)
		if !ok {
			return e.other(c, event)
		}
		if c.compactSwitch(event.Time, fields, state) {
			return true
		}
		e.body = appendSwitch(e.body[:0], fields, state)
	case hitrace.WakingEvent, hitrace.WakeupEvent:
		fields := event.Wakeup()
		if fields == nil {
			return e.other(c, event)
		}
		// For a compact waking Perfetto ignores the thread's name, and the process tree
		// names only threads of a process.
		if p.kind == hitrace.WakingEvent && e.placed.has(fields.TID) && c.compactWaking(event.Time, event.TID, fields) {
			return true
		}
		e.body = appendWakeup(e.body[:0], p.kind, fields)
	default:
		return e.other(c, event)
	}
	c.append(event, e.body)
	return true
}

// other encodes an event of the kernel that has no form of its own here.
func (e *Encoder) other(c *cpuEncoder, event *hitrace.Event) bool {
	ok, args := true, event.Args
	isGeneric := string(event.Name) == newTask || event.Kind == hitrace.SwitchEvent || event.Kind == hitrace.WakingEvent || event.Kind == hitrace.WakeupEvent
	if e.decoder != nil {
		e.kernel.values.Memory = e.kernel.values.Memory[:0]
		if format := e.decoder.Decode(args, int(event.CPU), &e.kernel.values); format != nil && !isGeneric {
			e.body = e.kernel.appendValues(e.body[:0], format)
			c.append(event, e.body)
			return true
		}
		e.text = e.decoder.AppendArgs(e.text[:0], args, int(event.CPU), &e.kernel.values)
		args = e.text
	}
	if isGeneric {
		e.body = appendGeneric(e.body[:0], event.Name, args)
	} else {
		e.body, ok = e.kernel.appendEvent(e.body[:0], event.Name, args)
	}
	if ok {
		c.append(event, e.body)
	}
	return ok
}

// newTask is the event of a new thread. Perfetto would create the thread, and its
// process, anew at an event in that form, and the names of the process tree, which apply
// from the start of the trace, would belong to other threads.
const newTask = "task_newtask"

// appendPrint appends a process's marker as FtraceEvent.print.
func (e *Encoder) appendPrint(buf []byte, m *hitrace.Marker, pid trace.PID) []byte {
	e.text = appendPayload(e.text[:0], m, pid)
	e.text = validText(e.text)
	buf, start := packet.Begin(buf, eventPrint)
	return packet.End(packet.AppendBytes(buf, kernel.PrintText, e.text), start)
}

// cpu returns the encoder of a processor's events.
func (e *Encoder) cpu(cpu trace.CPU) *cpuEncoder {
	cpu = min(cpu, packet.LastCPU)
	for int(cpu) >= len(e.cpus) {
		e.cpus = append(e.cpus, nil)
	}
	c := e.cpus[cpu]
	if c == nil {
		c = &cpuEncoder{}
		e.begin(c, int(cpu))
		e.cpus[cpu] = c
	}
	return c
}

// begin begins the block of the given processor.
func (e *Encoder) begin(c *cpuEncoder, cpu int) {
	running := nobody
	if cpu < len(e.running) {
		running = e.running[cpu]
	}
	c.reset(running, e.before)
}

// threadSet is a set of threads that forgets some where there are many.
type threadSet [1024]trace.TID

func (s *threadSet) reset() {
	for i := range s {
		s[i] = nobody
	}
}

func (s *threadSet) add(tid trace.TID)      { s[uint32(tid)%uint32(len(s))] = tid }
func (s *threadSet) has(tid trace.TID) bool { return s[uint32(tid)%uint32(len(s))] == tid }

// flush appends a packet for each processor that has events. The first one has the names
// of the functions that they refer to.
func (e *Encoder) flush() {
	flags, interned := 0, e.body[:0]
	if e.kernel.symbols.len() > 0 {
		flags = packet.StateCleared | packet.StateNeeded
		interned = e.kernel.symbols.appendInternedData(interned)
	}
	for cpu, c := range e.cpus {
		if c == nil {
			continue
		}
		if c.empty() {
			// The buffers of many processors would add up.
			e.cpus[cpu] = nil
			continue
		}
		e.packets = c.appendPacket(e.packets, trace.CPU(cpu), flags, interned)
		if flags != 0 {
			flags, interned = packet.StateNeeded, interned[:0]
		}
	}
	e.body = interned
}
