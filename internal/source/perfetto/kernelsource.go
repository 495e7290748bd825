package perfetto

import (
	"bytes"
	"cmp"
	"io"
	"math/bits"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
)

// kernelSource yields the kernel's events as the reader of text traces has them: the causes of text
// traces and of Perfetto traces are found by the same code.
type kernelSource struct {
	*kernelLog
	processes *processes
	next      int // in events
	// current are the threads that run on the processors, by number; -1 if unknown.
	current [maxKernelCPU + 1]int64
	values  kernel.Values
}

// sort puts the events in order. It drops those whose time is not known in boot time, and returns
// their number.
func (k *kernelLog) sort(c *clocks) (unknown int) {
	k.events = slices.DeleteFunc(k.events, func(e kernelEvent) bool {
		_, known := c.trace(uint64(e.clock), e.at)
		if !known {
			unknown++
		}
		return !known
	})
	for i := range k.events {
		e := &k.events[i]
		at, _ := c.trace(uint64(e.clock), e.at)
		e.at = int64(at)
	}
	slices.SortFunc(k.events, func(a, b kernelEvent) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return cmp.Or(cmp.Compare(k.rank(&a), k.rank(&b)), cmp.Compare(a.place, b.place))
	})
	return unknown
}

// rank orders events of one time. A sched_wakeup follows its sched_waking, which has the waker and
// may be on another processor.
func (k *kernelLog) rank(e *kernelEvent) int {
	if kind, _ := k.payload(e); kind > 0 && kept()[kind].Name == "sched_wakeup" {
		return 1
	}
	return 0
}

// newKernelSource returns the source of events that are in order.
func newKernelSource(k *kernelLog, p *processes) *kernelSource {
	s := &kernelSource{kernelLog: k, processes: p}
	for i := range s.current {
		s.current[i] = -1
	}
	return s
}

// Read implements io.Reader. There is no text.
func (s *kernelSource) Read([]byte) (int, error) { return 0, io.EOF }

// Next implements hitrace.Source.
func (s *kernelSource) Next(b *hitrace.Batch, size int) error {
	for ; s.next < len(s.events) && b.Size() < size; s.next++ {
		if e := &s.events[s.next]; e.at > 0 && e.at <= trace.MaxTime {
			s.add(b, e)
		}
	}
	if b.Lines() == 0 {
		return io.EOF
	}
	return nil
}

// add adds an event to a batch, or nothing for one that says nothing.
func (s *kernelSource) add(b *hitrace.Batch, e *kernelEvent) {
	kind, p := s.payload(e)
	v := &s.values
	v.Memory = v.Memory[:0]
	n, t := &v.Numbers, &v.Texts
	switch kind {
	case lossRecord:
		s.current[e.cpu] = -1
		b.AddLoss(trace.CPU(e.cpu), 1)
		return
	case compactSwitchRecord:
		state, next, prio, comm := take(&p), take(&p), take(&p), take(&p)
		prev := max(s.current[e.cpu], 0) // an idle thread says nothing
		v.Reset()
		t[kernel.SwitchPrevComm], n[kernel.SwitchPrevTID], n[kernel.SwitchPrevState] = s.nameOf(int32(prev)), uint64(prev), state
		t[kernel.SwitchNextComm], n[kernel.SwitchNextTID], n[kernel.SwitchNextPrio] = []byte(s.texts[comm]), next, prio
		s.set(b, e, int32(prev), 0, kernel.Events()["sched_switch"])
		return
	case compactWakingRecord:
		v.Reset()
		n[kernel.WakeupTID], n[kernel.WakeupTargetCPU], n[kernel.WakeupPrio] = take(&p), take(&p), take(&p)
		t[kernel.WakeupComm] = []byte(s.texts[take(&p)])
		if s.current[e.cpu] >= 0 { // or else who woke the thread is unknown
			s.set(b, e, int32(s.current[e.cpu]), take(&p), kernel.Events()["sched_waking"])
		}
		return
	}
	tid, flags := int32(take(&p)), take(&p)
	if tid < 0 {
		return
	}
	v.Read(p)
	s.set(b, e, tid, flags, kept()[kind])
}

// set adds an event with the values, in a thread with flags.
func (s *kernelSource) set(b *hitrace.Batch, e *kernelEvent, tid int32, flags uint64, event *kernel.Event) {
	added := b.Add()
	added.Kind = hitrace.KindOf([]byte(event.Name))
	added.Line = hitrace.Line{
		Comm: b.Keep(named(s.nameOf(tid))), Name: []byte(event.Name), Time: trace.Time(e.at), CPU: trace.CPU(e.cpu),
		TID: trace.TID(tid), PID: s.processes.of(trace.TID(tid)), InInterrupt: flags&(hardInterrupt|softInterrupt) != 0,
	}
	added.NoFlags = !added.InInterrupt
	n, t := &s.values.Numbers, &s.values.Texts
	switch event.Name {
	case "print":
		added.Args = b.Keep(clean(bytes.TrimRight(t[kernel.PrintText], "\n\x00")))
		return
	case "sched_switch":
		t[kernel.SwitchPrevComm], t[kernel.SwitchNextComm] = named(t[kernel.SwitchPrevComm]), named(t[kernel.SwitchNextComm])
		t[kernel.SwitchPrevState] = []byte(stateOf(int64(n[kernel.SwitchPrevState])))
		s.current[e.cpu] = int64(int32(n[kernel.SwitchNextTID]))
	case "sched_waking", "sched_wakeup", "sched_wakeup_new":
		t[kernel.WakeupComm] = named(t[kernel.WakeupComm])
		n[kernel.WakeupTargetCPU] &= maxKernelCPU
	case "sched_blocked_reason":
		t[kernel.BlockedCaller] = clean([]byte(s.texts[min(n[kernel.BlockedCaller], uint64(len(s.texts)-1))]))
	}
	b.Set(added, event, &s.values)
}

// Flags of an event. Source: Linux, include/linux/trace_events.h, enum trace_flag_type.
const (
	hardInterrupt = 0x08
	softInterrupt = 0x10
)

// named returns the name of a thread; "<...>" if it is unknown.
func named(name []byte) []byte {
	if len(name) == 0 {
		return unknownName
	}
	return clean(name)
}

var unknownName = []byte("<...>")

// clean returns text with blanks for control characters.
func clean(text []byte) []byte {
	if bytes.IndexFunc(text, isControl) < 0 {
		return text
	}
	text = bytes.Clone(text)
	for i, c := range text {
		if c < ' ' {
			text[i] = ' '
		}
	}
	return text
}

func isControl(r rune) bool { return r < ' ' }

// take returns a number that addCompact or addEvent wrote.
func take(p *[]byte) uint64 {
	v, n := protowire.ConsumeVarint(*p)
	*p = (*p)[max(n, 0):]
	return v
}

// nameOf returns the name of a thread; empty if it is unknown.
func (t *kernelSource) nameOf(tid int32) []byte {
	if tid == 0 {
		return idleName
	}
	if known, ok := t.processes.threads[trace.TID(tid)]; ok && known.name != "" {
		return []byte(known.name)
	}
	return []byte(t.texts[t.threads[trace.TID(tid)].name])
}

var idleName = []byte("swapper/0")

// stateOf returns the letters of a state: that of the lowest bit of those that say what the thread
// waits for, or R, with a plus if the thread is preempted.
//
// Source: Linux, include/linux/sched.h, TASK_REPORT.
func stateOf(state int64) string {
	if waits := uint64(state) & 0xff; waits != 0 {
		return [...]string{"S", "D", "T", "t", "X", "Z", "P", "I"}[bits.TrailingZeros64(waits)]
	}
	if state != 0 {
		return "R+"
	}
	return "R"
}
