package perfetto

import (
	"bytes"
	"cmp"
	"io"
	"math/bits"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/binarytrace"
)

// kernelText is the text of the kernel's events, as the kernel prints them: the causes of text
// traces and of Perfetto traces are found by the same code.
//
//	RenderThread-3837 ( 2969) [004] d.h2. 157479.829467682: sched_waking: comm=…
type kernelText struct {
	*kernel
	processes *processes
	next      int // in events
	// current are the threads that run on the processors, by number; -1 if unknown.
	current [maxKernelCPU + 1]int64
	line    []byte
	unread  []byte // of line
}

// sort puts the events in order. It drops those whose time is not known in boot time, and returns
// their number.
func (k *kernel) sort(c *clocks) (unknown int) {
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
func (k *kernel) rank(e *kernelEvent) int {
	if kind, _ := k.payload(e); kind == eventWakeup {
		return 1
	}
	return 0
}

// newKernelText returns the text of events that are in order.
func newKernelText(k *kernel, p *processes) *kernelText {
	t := &kernelText{kernel: k, processes: p}
	for i := range t.current {
		t.current[i] = -1
	}
	return t
}

// Read implements io.Reader.
func (t *kernelText) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		if len(t.unread) == 0 {
			if t.next == len(t.events) {
				break
			}
			e := &t.events[t.next]
			t.next++
			t.line = t.append(t.line[:0], e)
			t.unread = t.line
			continue
		}
		copied := copy(b[n:], t.unread)
		t.unread = t.unread[copied:]
		n += copied
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// append appends the line of an event, or nothing for one that says nothing.
func (t *kernelText) append(b []byte, e *kernelEvent) []byte {
	kind, p := t.payload(e)
	if e.at <= 0 || e.at > trace.MaxTime {
		return b
	}
	switch kind {
	case lossRecord:
		t.current[e.cpu] = -1
		b = append(b, "CPU:"...)
		b = strconv.AppendUint(b, uint64(e.cpu), 10)
		return append(b, " [LOST EVENTS]\n"...)
	case compactSwitchRecord:
		state, next, prio, comm := take(&p), int32(take(&p)), int32(take(&p)), take(&p)
		prev := max(t.current[e.cpu], 0) // an idle thread says nothing
		b = t.head(b, e, int32(prev), 0)
		b = t.appendSwitch(b, t.nameOf(int32(prev)), int32(prev), 0, int64(state), []byte(t.texts[comm]), next, prio)
		t.current[e.cpu] = int64(next)
		return append(b, '\n')
	case compactWakingRecord:
		tid, target, prio, comm, flags := int32(take(&p)), take(&p), int32(take(&p)), take(&p), take(&p)
		if t.current[e.cpu] < 0 {
			return b // who woke the thread is unknown
		}
		b = t.head(b, e, int32(t.current[e.cpu]), flags)
		b = append(b, "sched_waking: "...)
		return appendWaking(b, []byte(t.texts[comm]), tid, prio, target)
	}
	pid, flags := int32(take(&p)), take(&p)
	if pid < 0 {
		return b
	}
	m := readMessage(p)
	from := len(b)
	b = t.head(b, e, pid, flags)
	switch kind {
	case eventPrint:
		text := bytes.TrimRight(m.bytes[printText], "\n\x00")
		b = append(b, "tracing_mark_write: "...)
		b = appendText(b, text)
	case eventSwitch:
		next := int32(m.values[switchNext])
		b = t.appendSwitch(b, m.bytes[switchPrevComm], int32(m.values[switchPrev]), int32(m.values[switchPrevPrio]), int64(m.values[switchState]),
			m.bytes[switchNextComm], next, int32(m.values[switchNextPrio]))
		t.current[e.cpu] = int64(next)
	case eventWaking, eventWakeup, eventNewThread:
		b = append(b, wakeups[kind]...)
		return appendWaking(b, m.bytes[1], int32(m.values[2]), int32(m.values[3]), m.values[5])
	case eventFrequency:
		b = appendNumber(append(b, "cpu_frequency:"...), " state=", m.values[1])
		b = appendNumber(b, " cpu_id=", m.values[2])
	case eventBlocked:
		b = appendNumber(append(b, "sched_blocked_reason:"...), " pid=", m.values[blockedPID])
		b = appendNumber(b, " iowait=", m.values[blockedIOWait])
		if name := t.texts[min(m.values[blockedCaller], uint64(len(t.texts)-1))]; name != "" {
			b = appendWord(append(b, " caller="...), name)
		}
	case eventIRQEntry:
		b = appendWord(append(b, "irq_handler_entry: irq=0 name="...), string(m.bytes[2]))
	case eventSoftirqEntry:
		b = append(b, "softirq_entry: vec=0"...)
		if vector := m.values[1]; vector < uint64(len(binarytrace.Softirqs)) {
			b = append(append(append(b, " [action="...), binarytrace.Softirqs[vector]...), ']')
		}
	case eventIPIEntry:
		b = append(b, "ipi_entry: ()"...)
	case eventIRQExit, eventSoftirqExit, eventIPIExit:
		b = append(b, "irq_handler_exit: irq=0"...)
	case eventTransaction:
		b = appendNumber(append(b, "binder_transaction:"...), " transaction=", m.values[1])
		b = appendNumber(b, " dest_thread=", m.values[4])
		b = appendNumber(b, " reply=", m.values[5])
		b = append(b, " flags=0x"...)
		b = strconv.AppendUint(b, m.values[7]&0xffffffff, 16)
	case eventReceived:
		b = appendNumber(append(b, "binder_transaction_received:"...), " transaction=", m.values[1])
	case eventIssue, eventComplete:
		// The device has 12 bits of a major and 20 bits of a minor number.
		b = appendNumber(append(b, requests[kind]...), " ", m.values[1]>>20&0xfff)
		b = appendNumber(b, ",", m.values[1]&0xfffff)
		b = appendNumber(b, " R 0 () ", m.values[2]&(1<<62-1))
		b = append(b, " + 1"...)
	default:
		return b[:from]
	}
	return append(b, '\n')
}

var (
	wakeups  = map[protowire.Number]string{eventWaking: "sched_waking: ", eventWakeup: "sched_wakeup: ", eventNewThread: "sched_wakeup_new: "}
	requests = map[protowire.Number]string{eventIssue: "block_rq_issue:", eventComplete: "block_rq_complete:"}
)

// take returns a number that addCompact or addEvent wrote.
func take(p *[]byte) uint64 {
	v, n := protowire.ConsumeVarint(*p)
	*p = (*p)[max(n, 0):]
	return v
}

// message has the fields of the message of an event.
type message struct {
	values [8]uint64
	bytes  [8][]byte
}

func readMessage(b []byte) (m message) {
	eachField(b, func(f field) {
		if int(f.number) < len(m.values) {
			m.values[f.number], m.bytes[f.number] = f.value, f.bytes
		}
	})
	return m
}

// head appends "NAME-TID (TGID) [CPU] FLAGS TIME: ".
func (t *kernelText) head(b []byte, e *kernelEvent, tid int32, flags uint64) []byte {
	name := t.nameOf(tid)
	if len(name) == 0 {
		name = unknownName
	}
	b = appendName(b, name)
	b = append(b, '-')
	b = strconv.AppendInt(b, int64(tid), 10)
	if pid := t.processes.of(trace.TID(tid)); pid == trace.UnknownPID {
		b = append(b, " (-----) ["...)
	} else {
		b = appendNumber(b, " (", uint64(pid))
		b = append(b, ") ["...)
	}
	b = appendPadded(b, uint64(e.cpu), 3)
	b = append(b, "] .."...)
	if flags&(hardInterrupt|softInterrupt) != 0 {
		b = append(b, 'h')
	} else {
		b = append(b, '.')
	}
	b = append(b, ". "...)
	b = strconv.AppendInt(b, e.at/int64(trace.Second), 10)
	b = append(b, '.')
	b = appendPadded(b, uint64(e.at%int64(trace.Second)), 9)
	return append(b, ": "...)
}

var unknownName = []byte("<...>")

// Flags of an event. Source: Linux, include/linux/trace_events.h, enum trace_flag_type.
const (
	hardInterrupt = 0x08
	softInterrupt = 0x10
)

// nameOf returns the name of a thread; empty if it is unknown.
func (t *kernelText) nameOf(tid int32) []byte {
	if tid == 0 {
		return idleName
	}
	if known, ok := t.processes.threads[trace.TID(tid)]; ok && known.name != "" {
		return []byte(known.name)
	}
	return []byte(t.texts[t.threads[trace.TID(tid)].name])
}

var idleName = []byte("swapper/0")

// appendSwitch appends the args of a sched_switch event.
func (t *kernelText) appendSwitch(b []byte, prevComm []byte, prev, prevPrio int32, state int64, nextComm []byte, next, nextPrio int32) []byte {
	b = append(b, "sched_switch: prev_comm="...)
	b = appendName(b, prevComm)
	b = appendID(b, " prev_pid=", prev)
	b = appendID(b, " prev_prio=", prevPrio)
	b = append(b, " prev_state="...)
	b = append(b, stateOf(state)...)
	b = append(b, " ==> next_comm="...)
	b = appendName(b, nextComm)
	b = appendID(b, " next_pid=", next)
	return appendID(b, " next_prio=", nextPrio)
}

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

func appendWaking(b []byte, comm []byte, tid, prio int32, target uint64) []byte {
	b = append(b, "comm="...)
	b = appendName(b, comm)
	b = appendID(b, " pid=", tid)
	b = appendID(b, " prio=", prio)
	b = append(b, " target_cpu="...)
	b = appendPadded(b, target&maxKernelCPU, 3)
	return append(b, '\n')
}

// appendID appends a number, 0 for a negative id. Priorities may be negative in hostile input only.
func appendID(b []byte, key string, n int32) []byte { return appendNumber(b, key, uint64(max(n, 0))) }

func appendNumber(b []byte, key string, n uint64) []byte {
	return strconv.AppendUint(append(b, key...), n, 10)
}

// appendPadded appends a number with leading zeros.
func appendPadded(b []byte, n uint64, width int) []byte {
	for limit := uint64(10); width > 1; width-- {
		if n < limit*pow10[width-2] {
			b = append(b, '0')
		}
	}
	return strconv.AppendUint(b, n, 10)
}

var pow10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

// appendName appends the name of a thread.
func appendName(b, name []byte) []byte {
	if len(name) == 0 {
		name = unknownName
	}
	return appendText(b, name)
}

// appendText appends text, with blanks for line ends and other control characters.
func appendText(b, text []byte) []byte {
	from := len(b)
	b = append(b, text...)
	for i := from; i < len(b); i++ {
		if b[i] < ' ' {
			b[i] = ' '
		}
	}
	return b
}

// appendWord is appendText with nothing that ends a word.
func appendWord(b []byte, text string) []byte {
	from := len(b)
	b = append(b, text...)
	for i := from; i < len(b); i++ {
		if b[i] <= ' ' {
			b[i] = '_'
		}
	}
	return b
}
