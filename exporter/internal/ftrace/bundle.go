package ftrace

import (
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
)

// Field numbers of the messages that are encoded by hand, because every line of the trace
// needs one, without those of events that package kernel has.
const (
	packetFtraceEvents = 1 // TracePacket.ftrace_events

	bundleCPU          = 1 // FtraceEventBundle.cpu
	bundleEvent        = 2 // FtraceEventBundle.event
	bundleLostEvents   = 3 // FtraceEventBundle.lost_events
	bundleCompactSched = 4 // FtraceEventBundle.compact_sched

	eventTimestamp   = 1  // FtraceEvent.timestamp
	eventPID         = 2  // FtraceEvent.pid
	eventPrint       = 3  // FtraceEvent.print
	eventSchedSwitch = 4  // FtraceEvent.sched_switch
	eventSchedWakeup = 17 // FtraceEvent.sched_wakeup
	eventSchedWaking = 20 // FtraceEvent.sched_waking

	compactSwitchTimestamp = 1 // FtraceEventBundle.CompactSched
	compactSwitchPrevState = 2
	compactSwitchNextPID   = 3
	compactSwitchNextPrio  = 4
	compactInternTable     = 5
	compactSwitchNextComm  = 6
	compactWakingTimestamp = 7
	compactWakingPID       = 8
	compactWakingTargetCPU = 9
	compactWakingPrio      = 10
	compactWakingComm      = 11
	compactWakingFlags     = 12
)

// cpuEncoder collects one processor's events of a batch.
//
// Scheduling has two forms. The compact one stores columns, with a few bytes for each
// event, and omits the previous thread, which is the next thread of the switch before. It
// can be used only if the text names the same thread. The other form is an ordinary
// event. Perfetto sorts compact switches, compact wakings and all other events
// separately, so the order between them is lost if their times are equal. Therefore
// switches of one time are compact only if all are and no other scheduling event has that time, and a waking
// if no switch has its time: other wakings and the reason of the sleep that it ends make no difference to it.
type cpuEncoder struct {
	events   []byte
	lost     bool       // events of the processor are missing in the batch
	running  trace.TID  // the running thread, by the last switch; nobody if unknown
	plain    trace.Time // at which switches are not compact
	switched trace.Time // at which wakings are not compact
	ahead    trace.Time // of the scheduling announced last
	next     trace.TID  // the running thread after it

	comms             commTable
	switches, wakings compactEvents
}

// compactEvents are the columns of compact switches or wakings, encoded.
type compactEvents struct {
	times, pids, prios, comms []byte
	states                    []byte // of switches
	cpus, flags               []byte // of wakings
	last                      trace.Time
	count                     int
}

func (c *compactEvents) add(at trace.Time, tid trace.TID, prio int32, comm int) {
	c.times = packet.Append(c.times, uint64(at-c.last))
	c.pids = packet.Append(c.pids, uint64(tid))
	c.prios = packet.Append(c.prios, uint64(uint32(prio)))
	c.comms = packet.Append(c.comms, uint64(comm))
	c.last = at
	c.count++
}

func (c *compactEvents) reset() {
	*c = compactEvents{
		times: c.times[:0], pids: c.pids[:0], prios: c.prios[:0], comms: c.comms[:0],
		states: c.states[:0], cpus: c.cpus[:0], flags: c.flags[:0],
	}
}

// nobody is the running thread of a processor without a switch so far.
const nobody trace.TID = -1

// reset begins a block, before which the given thread runs. Scheduling of the time at which the block before ends
// is not compact.
func (c *cpuEncoder) reset(running trace.TID, before trace.Time) {
	c.events, c.lost = c.events[:0], false
	c.running, c.plain, c.switched, c.ahead = running, before, before, -1
	c.comms.reset()
	c.switches.reset()
	c.wakings.reset()
}

func (c *cpuEncoder) empty() bool {
	return !c.lost && len(c.events) == 0 && c.switches.count == 0 && c.wakings.count == 0
}

// append appends an event: its time and thread, and body, its other fields.
func (c *cpuEncoder) append(event *hitrace.Event, body []byte) {
	c.events = append(c.begin(event, len(body)), body...)
}

// begin returns the events with another one, which lacks other fields than its time and thread. These have
// the given size.
func (c *cpuEncoder) begin(event *hitrace.Event, size int) []byte {
	time, tid := uint64(event.Time), uint64(event.TID)
	size += 1 + protowire.SizeVarint(time) + 1 + protowire.SizeVarint(tid)
	buf := slices.Grow(c.events, 1+protowire.SizeVarint(uint64(size))+size)
	buf = packet.Append(append(buf, bundleEvent<<3|byte(protowire.BytesType)), uint64(size))
	buf = packet.Append(append(buf, eventTimestamp<<3), time)
	return packet.Append(append(buf, eventPID<<3), tid)
}

// announce records that a scheduling event at the given time follows, and the fields of a switch. last means that
// more events of that time may follow in the next block.
func (c *cpuEncoder) announce(at trace.Time, kind hitrace.Kind, s *hitrace.Switch, last bool) {
	if at != c.ahead {
		c.next = c.running
	} else if kind != hitrace.SwitchEvent || c.switched != at {
		c.plain = at
	}
	if kind == hitrace.SwitchEvent {
		c.switched = at
		if s == nil || s.PrevTID != c.next || len(s.PrevState) == 0 {
			c.plain = at
		} else {
			c.next = s.NextTID
		}
	}
	if last {
		c.plain, c.switched = at, at
	}
	c.ahead = at
}

// compactSwitch appends a switch in compact form, if that is possible.
func (c *cpuEncoder) compactSwitch(at trace.Time, s *hitrace.Switch, state int64) bool {
	known := c.running == s.PrevTID
	c.running = s.NextTID
	if !known || at == c.plain {
		return false
	}
	c.switches.add(at, s.NextTID, s.NextPrio, c.comms.index(s.NextComm))
	c.switches.states = packet.Append(c.switches.states, uint64(state))
	return true
}

// compactWaking appends a waking by the given thread in compact form, if that
// is possible.
func (c *cpuEncoder) compactWaking(at trace.Time, by trace.TID, w *hitrace.Wakeup) bool {
	if c.running != by || at == c.switched {
		return false
	}
	c.wakings.add(at, w.TID, w.Prio, c.comms.index(w.Comm))
	c.wakings.cpus = packet.Append(c.wakings.cpus, uint64(w.TargetCPU))
	c.wakings.flags = append(c.wakings.flags, 0) // Perfetto requires them; the text has none of use
	return true
}

// appendSwitch appends FtraceEvent.sched_switch.
func appendSwitch(buf []byte, s *hitrace.Switch, state int64) []byte {
	buf, start := packet.Begin(buf, eventSchedSwitch)
	buf = appendText(buf, kernel.SwitchPrevComm, s.PrevComm)
	buf = packet.AppendVarint(buf, kernel.SwitchPrevTID, uint64(s.PrevTID))
	buf = packet.AppendVarint(buf, kernel.SwitchPrevPrio, uint64(uint32(s.PrevPrio)))
	buf = packet.AppendVarint(buf, kernel.SwitchPrevState, uint64(state))
	buf = appendText(buf, kernel.SwitchNextComm, s.NextComm)
	buf = packet.AppendVarint(buf, kernel.SwitchNextTID, uint64(s.NextTID))
	return packet.End(packet.AppendVarint(buf, kernel.SwitchNextPrio, uint64(uint32(s.NextPrio))), start)
}

// appendWakeup appends FtraceEvent.sched_waking or sched_wakeup.
func appendWakeup(buf []byte, kind hitrace.Kind, w *hitrace.Wakeup) []byte {
	number := protowire.Number(eventSchedWakeup)
	if kind == hitrace.WakingEvent {
		number = eventSchedWaking
	}
	buf, start := packet.Begin(buf, number)
	buf = appendText(buf, kernel.WakeupComm, w.Comm)
	buf = packet.AppendVarint(buf, kernel.WakeupTID, uint64(w.TID))
	buf = packet.AppendVarint(buf, kernel.WakeupPrio, uint64(uint32(w.Prio)))
	return packet.End(packet.AppendVarint(buf, kernel.WakeupTargetCPU, uint64(w.TargetCPU)), start)
}

// appendPacket appends the packet of the processor's events.
func (c *cpuEncoder) appendPacket(buf []byte, cpu trace.CPU, flags int, interned []byte) []byte {
	buf, start := packet.Begin(buf, packet.TraceField)
	buf = packet.AppendVarint(buf, packet.FieldSequenceID, packet.SequenceID)
	if flags != 0 {
		buf = packet.AppendVarint(buf, packet.FieldSequenceFlags, uint64(flags))
	}
	buf = append(buf, interned...)
	buf, bundle := packet.Begin(buf, packetFtraceEvents)
	buf = packet.AppendVarint(buf, bundleCPU, uint64(cpu))
	if c.lost {
		buf = packet.AppendVarint(buf, bundleLostEvents, 1)
	}
	if c.switches.count+c.wakings.count > 0 {
		buf = c.appendCompact(buf)
	}
	return packet.End(packet.End(append(buf, c.events...), bundle), start)
}

// appendCompact appends FtraceEventBundle.compact_sched, whose columns are packed numbers.
func (c *cpuEncoder) appendCompact(buf []byte) []byte {
	buf, start := packet.Begin(buf, bundleCompactSched)
	for _, comm := range c.comms.list {
		buf = packet.AppendBytes(buf, compactInternTable, comm)
	}
	for _, column := range [...]struct {
		number protowire.Number
		values []byte
	}{
		{compactSwitchTimestamp, c.switches.times},
		{compactSwitchPrevState, c.switches.states},
		{compactSwitchNextPID, c.switches.pids},
		{compactSwitchNextPrio, c.switches.prios},
		{compactSwitchNextComm, c.switches.comms},
		{compactWakingTimestamp, c.wakings.times},
		{compactWakingPID, c.wakings.pids},
		{compactWakingTargetCPU, c.wakings.cpus},
		{compactWakingPrio, c.wakings.prios},
		{compactWakingComm, c.wakings.comms},
		{compactWakingFlags, c.wakings.flags},
	} {
		if len(column.values) > 0 {
			buf = packet.AppendBytes(buf, column.number, column.values)
		}
	}
	return packet.End(buf, start)
}

// commTable numbers the thread names of a bundle. There are few: they are
// looked for one by one, the last used first.
type commTable struct {
	list [][]byte   // valid text
	last [256]int32 // index plus one of the last name with this hash
}

func (t *commTable) reset() {
	t.list = t.list[:0]
	clear(t.last[:])
}

// index returns the name's number.
func (t *commTable) index(comm []byte) int {
	slot := &t.last[hashComm(comm)]
	if i := int(*slot) - 1; i >= 0 && string(t.list[i]) == string(comm) {
		return i
	}
	for i, known := range t.list {
		if string(known) == string(comm) {
			*slot = int32(i + 1)
			return i
		}
	}
	if !utf8.Valid(comm) {
		return t.index(validText(comm))
	}
	t.list = append(t.list, comm)
	*slot = int32(len(t.list))
	return len(t.list) - 1
}

// hashComm returns a small hash of a thread's name: names differ at their ends.
func hashComm(comm []byte) uint8 {
	n := len(comm)
	if n == 0 {
		return 0
	}
	return comm[n-1]*31 + comm[n/2]*17 + comm[0] + uint8(n)
}
