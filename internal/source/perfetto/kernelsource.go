package perfetto

import (
	"bytes"
	"io"
	"math/bits"

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
	heap      []*kernelRun // with the earliest first
	// current are the threads that run on the processors, by number; -1 if unknown.
	current [maxKernelCPU + 1]int64
	values  kernel.Values
}

// toBoot converts the times of all events to boot time. It drops those whose time is not known, and
// returns their number.
func (k *kernelLog) toBoot(c *clocks) (unknown int) {
	runs := k.runs
	k.runs, k.open = nil, [classes][maxKernelCPU + 1]*kernelRun{}
	for _, r := range runs {
		_, known := c.trace(uint64(r.clock), 0)
		switch {
		case uint64(r.clock) == boot:
			k.runs = append(k.runs, r)
		case !known:
			unknown += r.count
		default: // readings of clocks may put its events in another order
			r.rewind()
			for range r.count {
				e := r.kernelEvent
				at, _ := c.trace(uint64(r.clock), e.at)
				e.at = int64(at)
				k.runOf(&e, uint8(boot), r.cpu).append(&e)
				r.next()
			}
		}
	}
	return unknown
}

// newKernelSource returns the source of events that are in boot time.
func newKernelSource(k *kernelLog, p *processes) *kernelSource {
	s := &kernelSource{kernelLog: k, processes: p, heap: k.runs}
	k.runs = nil
	for i := range s.current {
		s.current[i] = -1
	}
	for _, r := range s.heap {
		r.rewind()
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
	return s
}

// sink restores the order of the heap from a run down.
func (s *kernelSource) sink(i int) {
	h := s.heap
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child].compare(&h[first].kernelEvent) < 0 {
				first = child
			}
		}
		if first == i {
			return
		}
		h[i], h[first] = h[first], h[i]
		i = first
	}
}

// Read implements io.Reader. There is no text.
func (s *kernelSource) Read([]byte) (int, error) { return 0, io.EOF }

// Next implements hitrace.Source.
func (s *kernelSource) Next(b *hitrace.Batch, size int) error {
	for len(s.heap) > 0 && b.Size() < size {
		r := s.heap[0]
		if r.at > 0 && r.at <= trace.MaxTime {
			s.add(b, r)
		}
		if last := len(s.heap) - 1; !r.next() {
			s.heap[0], s.heap[last] = s.heap[last], nil
			s.heap = s.heap[:last]
		}
		if len(s.heap) > 0 {
			s.sink(0)
		}
	}
	if b.Lines() == 0 {
		return io.EOF
	}
	return nil
}

// add adds an event to a batch, or nothing for one that says nothing.
func (s *kernelSource) add(b *hitrace.Batch, e *kernelRun) {
	p := e.payload
	v := &s.values
	v.Memory = v.Memory[:0]
	n, t := &v.Numbers, &v.Texts
	switch e.kind {
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
		s.set(b, e, int32(prev), 0, kept()[kernel.Events()["sched_switch"].Field])
		return
	case compactWakingRecord:
		v.Reset()
		n[kernel.WakeupTID], n[kernel.WakeupTargetCPU], n[kernel.WakeupPrio] = take(&p), take(&p), take(&p)
		t[kernel.WakeupComm] = []byte(s.texts[take(&p)])
		if s.current[e.cpu] >= 0 { // or else who woke the thread is unknown
			s.set(b, e, int32(s.current[e.cpu]), take(&p), kept()[kernel.Events()["sched_waking"].Field])
		}
		return
	}
	tid, flags := int32(take(&p)), take(&p)
	if tid < 0 {
		return
	}
	v.Read(p)
	s.set(b, e, tid, flags, kept()[e.kind])
}

// set adds an event with the values, in a thread with flags.
func (s *kernelSource) set(b *hitrace.Batch, e *kernelRun, tid int32, flags uint64, event *keptEvent) {
	added := b.Add()
	added.Kind = event.kind
	added.Line = hitrace.Line{
		Comm: b.Keep(named(s.nameOf(tid))), Name: event.name, Time: trace.Time(e.at), CPU: trace.CPU(e.cpu),
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
	b.Set(added, event.Event, &s.values)
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
	isOurs := false // text may be shared
	for i, c := range text {
		if c < ' ' {
			if !isOurs {
				text, isOurs = bytes.Clone(text), true
			}
			text[i] = ' '
		}
	}
	return text
}

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
