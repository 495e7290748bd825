package perfetto

import (
	"bytes"
	"strconv"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/kernel"
)

// Field numbers of the kernel's events.
const (
	bundleCPU       = 1 // of FtraceEventBundle
	bundleEvent     = 2
	bundleLost      = 3 // not in the schema's subset, and so are the next ones
	bundleCompact   = 4
	bundleClock     = 5
	bundleTime      = 6 // the time of the last event, in the bundle's clock
	bundleBootTime  = 7 // the boot time then
	compactSwitchAt = 1 // of CompactSched
	compactState    = 2
	compactNext     = 3
	compactNextPrio = 4
	compactStrings  = 5
	compactNextComm = 6
	compactWakingAt = 7
	compactWaking   = 8
	compactTarget   = 9
	compactPrio     = 10
	compactComm     = 11
	compactFlags    = 12

	eventTimestamp = 1 // of FtraceEvent
	eventPID       = 2
	eventFlags     = 5 // not in the schema's subset
	eventPrint     = 3

	internedSymbols = 26 // InternedData.kernel_symbols
	symbolID        = 1  // of InternedString
	symbolText      = 2
)

// Records of this package: compact events, whose threads are known when all events are in
// order, and the loss of events.
const (
	compactSwitchRecord protowire.Number = -1
	compactWakingRecord protowire.Number = -2
	lossRecord          protowire.Number = -3
)

// kept are the kernel's events that are kept until the end of the trace, those that causes need, by
// the field of FtraceEvent.
var kept = sync.OnceValue(func() map[protowire.Number]*kernel.Event {
	events := map[protowire.Number]*kernel.Event{eventPrint: {Name: "print"}}
	for _, name := range []string{
		"sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_blocked_reason", "cpu_frequency",
		"ipi_entry", "ipi_exit", "softirq_entry", "softirq_exit", "irq_handler_entry", "irq_handler_exit",
		"binder_transaction", "binder_transaction_received", "block_rq_issue", "block_rq_complete",
	} {
		e := kernel.Events()[name]
		events[e.Field] = e
	}
	return events
})

// maxKernelEvent is the limit for the payload of an event, in bytes. The kernel prints less than
// 4 KiB.
const maxKernelEvent = 8 << 10

// kernelClocks are the clocks of the kernel's events that a clock snapshot has, by FtraceClock.
// The others are boot time, which is the clock without a number, or have a boot time of their own
// in each bundle.
var kernelClocks = map[uint64]uint64{
	0: boot,
	4: uint64(perfettopb.BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW),
}

// kernelLog keeps the kernel's events of a trace. Perfetto writes them by processor, and the names of
// threads anywhere, so they are put in order when the trace has been read:
//
//	event: time, processor ─▶ payload in chunks
type kernelLog struct {
	limit  int
	over   int // events that were skipped because of the limit
	events []kernelEvent
	chunks [][]byte
	// symbols are the names of kernel functions, by the sequence of packets and number.
	symbols  map[symbolKey]uint64
	texts    []string          // of symbols and threads, by number; the first is empty
	byText   map[string]uint64 // numbers of texts
	maxTexts int
	// threads are those that ran or wrote a slice. The process tree may lack them.
	threads    map[trace.TID]kernelThread
	maxThreads int
	buffer     []byte
	values     kernel.Values
	compact    compactSched
}

// kernelThread is what the kernel's events say of a thread.
type kernelThread struct {
	name uint64    // number of the text
	pid  trace.PID // trace.UnknownPID if no slice states it
}

// kernelEvent is when an event happened, and where it is. Places are in the order of the trace.
type kernelEvent struct {
	at    int64 // in the clock, and in boot time after kernel.sort
	place uint32
	size  uint16
	cpu   uint8
	clock uint8
}

type symbolKey struct {
	sequence uint32
	id       uint64
}

func newKernel(l trace.Limits) *kernelLog {
	return &kernelLog{
		limit: l.States, maxTexts: l.Strings + l.Threads, maxThreads: l.Threads,
		symbols: map[symbolKey]uint64{}, texts: []string{""}, byText: map[string]uint64{"": 0}, threads: map[trace.TID]kernelThread{},
	}
}

// know adds what an event says of a thread: the number of its name, or its process.
func (k *kernelLog) know(tid int32, name uint64, pid trace.PID) {
	t, ok := k.threads[trace.TID(tid)]
	if !ok {
		if tid <= 0 || len(k.threads) >= k.maxThreads {
			return
		}
		t.pid = trace.UnknownPID
	} else if (name == 0 || name == t.name) && (pid == trace.UnknownPID || pid == t.pid) {
		return
	}
	if name != 0 {
		t.name = name
	}
	if pid != trace.UnknownPID {
		t.pid = pid
	}
	k.threads[trace.TID(tid)] = t
}

// nameThreads adds the threads of known processes that the process tree lacks, and names that it
// lacks.
func (k *kernelLog) nameThreads(p *processes) {
	for tid, t := range k.threads {
		known, ok := p.threads[tid]
		if p.byPID[trace.PID(tid)] != nil {
			t.pid = trace.PID(tid) // the main thread, which the tree never lists
		}
		switch {
		case ok && known.name == "":
			known.name = k.texts[t.name]
		case !ok && p.byPID[t.pid] != nil && len(p.threads) < p.limit:
			known = thread{t.pid, k.texts[t.name]}
		default:
			continue
		}
		p.threads[tid] = known
	}
}

// text returns the number of a text, 0 for one over the limit.
func (k *kernelLog) text(b []byte) uint64 {
	b = b[:min(len(b), maxName)]
	if n, ok := k.byText[string(b)]; ok {
		return n
	}
	if len(k.texts) >= k.maxTexts {
		return 0
	}
	n := uint64(len(k.texts))
	k.texts = append(k.texts, string(b))
	k.byText[k.texts[n]] = n
	return n
}

const (
	kernelChunk = 1 << 16
	// kernelChunks bounds the bytes of all events, so that a place fits in 32 bits.
	kernelChunks = 1 << 15
)

// add keeps an event, which begins with its kind.
func (k *kernelLog) add(at int64, clock uint64, cpu uint64, kind protowire.Number, payload []byte) {
	const head = 1
	size := head + len(payload)
	n := len(k.chunks) - 1
	if n < 0 || len(k.chunks[n])+size > kernelChunk {
		n++
	}
	if len(k.events) >= k.limit || n >= kernelChunks || size > maxKernelEvent {
		k.over++
		return
	}
	if n == len(k.chunks) {
		k.chunks = append(k.chunks, make([]byte, 0, kernelChunk))
	}
	place := uint32(n)<<16 | uint32(len(k.chunks[n]))
	k.chunks[n] = append(append(k.chunks[n], byte(int8(kind))), payload...)
	k.events = append(k.events, kernelEvent{at: at, place: place, size: uint16(size), cpu: uint8(min(cpu, maxKernelCPU)), clock: uint8(clock)})
}

// maxKernelCPU is the number of all processors from there on.
const maxKernelCPU = 255

// payload returns the kind and the payload of an event.
func (k *kernelLog) payload(e *kernelEvent) (protowire.Number, []byte) {
	chunk := k.chunks[e.place>>16]
	at := int(e.place & 0xffff)
	b := chunk[at : at+int(e.size)]
	return protowire.Number(int8(b[0])), b[1:]
}

// addSymbols decodes the names of kernel functions in the interned data of a packet.
func (k *kernelLog) addSymbols(sequence uint32, interned []byte) bool {
	return eachMessage(interned, internedSymbols, func(b []byte) bool {
		var id uint64
		var name []byte
		ok := eachField(b, func(f field) {
			switch f.number {
			case symbolID:
				id = f.value
			case symbolText:
				name = f.bytes
			}
		})
		key := symbolKey{sequence, id}
		if _, known := k.symbols[key]; !known && len(k.symbols) >= k.maxTexts {
			return ok
		}
		if n := k.text(name); n != 0 {
			k.symbols[key] = n
		}
		return ok
	})
}

// addBundle decodes the events of a processor. It returns false if they are malformed. unknown
// counts the events of a bundle whose clock is not known.
func (k *kernelLog) addBundle(sequence uint32, payload []byte, unknown *int) bool {
	var cpu, clock, at, bootAt uint64
	lost := false
	ok := eachField(payload, func(f field) {
		switch f.number {
		case bundleCPU:
			cpu = f.value
		case bundleLost:
			lost = f.value != 0
		case bundleClock:
			clock = f.value
		case bundleTime:
			at = f.value
		case bundleBootTime:
			bootAt = f.value
		}
	})
	if !ok {
		return false
	}
	var offset int64
	id, known := kernelClocks[clock]
	if !known {
		if at == 0 || bootAt == 0 || at > trace.MaxTime || bootAt > trace.MaxTime {
			*unknown++
			return true
		}
		id, offset = boot, int64(bootAt)-int64(at)
	}
	whole := true
	first := true
	each := func(at uint64, do func(at int64)) {
		if at > trace.MaxTime {
			whole = false
			return
		}
		if lost && first {
			k.add(int64(at)+offset, id, cpu, lossRecord, nil)
		}
		first = false
		do(int64(at) + offset)
	}
	return eachField(payload, func(f field) {
		switch f.number {
		case bundleEvent:
			whole = k.addEvent(sequence, cpu, id, f.bytes, each) && whole
		case bundleCompact:
			whole = k.addCompact(cpu, id, f.bytes, each) && whole
		}
	}) && whole
}

// addEvent decodes a message of an event. It keeps the thread, the flags and the fields of
// the event:
//
//	thread, flags, payload
func (k *kernelLog) addEvent(sequence uint32, cpu, clock uint64, b []byte, each func(uint64, func(int64))) bool {
	var at, pid, flags uint64
	var kind protowire.Number
	var payload []byte
	ok := eachField(b, func(f field) {
		switch {
		case f.number == eventTimestamp:
			at = f.value
		case f.number == eventPID:
			pid = f.value
		case f.number == eventFlags && f.bytes == nil:
			flags = f.value
		case f.bytes != nil && kept()[f.number] != nil:
			kind, payload = f.number, f.bytes
		}
	})
	if !ok || kind == 0 {
		return ok
	}
	switch kept()[kind].Name {
	case "print":
		text := printed(payload)
		if len(text) == 0 || text[0] != 'B' && text[0] != 'E' {
			return true // no cause needs it
		}
		k.know(int32(pid), 0, stated(text))
	case "sched_switch":
		k.values.Read(payload)
		k.know(int32(k.values.Numbers[kernel.SwitchNextTID]), k.text(k.values.Texts[kernel.SwitchNextComm]), trace.UnknownPID)
	}
	head := protowire.AppendVarint(k.buffer[:0], uint64(uint32(pid)))
	head = protowire.AppendVarint(head, flags&0xff)
	if kept()[kind].Name == "sched_blocked_reason" {
		payload, ok = k.namedBlocked(sequence, payload)
	}
	head = append(head, payload...)
	k.buffer = head
	each(at, func(at int64) { k.add(at, clock, cpu, kind, head) })
	return ok
}

// printed returns the text of a print event.
func printed(payload []byte) (text []byte) {
	eachField(payload, func(f field) {
		if f.number == kernel.PrintText {
			text = f.bytes
		}
	})
	return text
}

// stated returns the process in "B|PID|NAME" or "E|PID", trace.UnknownPID if there is none.
func stated(text []byte) trace.PID {
	if len(text) < 3 {
		return trace.UnknownPID
	}
	number, _, _ := bytes.Cut(text[2:], []byte("|"))
	pid, err := strconv.ParseInt(string(bytes.TrimRight(number, "\n")), 10, 32)
	if err != nil || pid <= 0 {
		return trace.UnknownPID
	}
	return trace.PID(pid)
}

// namedBlocked replaces the number of the kernel function in a sched_blocked_reason event, which
// counts in its sequence only, by that of the text.
func (k *kernelLog) namedBlocked(sequence uint32, payload []byte) ([]byte, bool) {
	ok := k.values.Read(payload)
	n := &k.values.Numbers
	n[kernel.BlockedCaller] = k.symbols[symbolKey{sequence, n[kernel.BlockedCaller]}]
	var named []byte
	for _, field := range []protowire.Number{kernel.BlockedTID, kernel.BlockedCaller, kernel.BlockedIOWait} {
		named = protowire.AppendVarint(protowire.AppendTag(named, field, protowire.VarintType), n[field])
	}
	return named, ok
}

// compactSched are the columns of a CompactSched message, packed.
type compactSched struct {
	columns [compactFlags + 1][]byte
	last    [compactFlags + 1]uint64 // the last values that were read
	names   []uint64
}

// addCompact decodes switches and wakeups in columns. A switch names the next thread only, and a
// wakeup does not name the thread that wrote it: both follow from the order of all events.
func (k *kernelLog) addCompact(cpu, clock uint64, b []byte, each func(uint64, func(int64))) bool {
	c := &k.compact
	c.columns, c.names = [compactFlags + 1][]byte{}, c.names[:0]
	ok := eachField(b, func(f field) {
		switch {
		case f.number == compactStrings && len(c.names) < maxCompactNames:
			c.names = append(c.names, k.text(f.bytes))
		case f.bytes != nil && int(f.number) < len(c.columns):
			c.columns[f.number] = f.bytes
		}
	})
	record := func(timestamps protowire.Number, columns []protowire.Number, name int, kind protowire.Number) {
		at := uint64(0)
		for len(c.columns[timestamps]) > 0 && ok {
			at += c.take(timestamps, &ok)
			k.buffer = k.buffer[:0]
			for i, column := range columns {
				v := uint64(0)
				if column != compactFlags || len(c.columns[column]) > 0 { // older systems lack it
					v = c.take(column, &ok)
				}
				if i == name {
					if v >= uint64(len(c.names)) {
						ok = false
						return
					}
					v = c.names[v]
				}
				c.last[column] = v
				k.buffer = protowire.AppendVarint(k.buffer, v)
			}
			if ok && kind == compactSwitchRecord {
				k.know(int32(c.last[compactNext]), c.last[compactNextComm], trace.UnknownPID)
			}
			if ok {
				each(at, func(at int64) { k.add(at, clock, cpu, kind, k.buffer) })
			}
		}
	}
	record(compactSwitchAt, []protowire.Number{compactState, compactNext, compactNextPrio, compactNextComm}, 3, compactSwitchRecord)
	record(compactWakingAt, []protowire.Number{compactWaking, compactTarget, compactPrio, compactComm, compactFlags}, 3, compactWakingRecord)
	return ok
}

// maxCompactNames is above the number of names that a bundle has.
const maxCompactNames = 1 << 16

// take returns the next value of a column. It clears ok if there is none.
func (c *compactSched) take(column protowire.Number, ok *bool) uint64 {
	v, n := protowire.ConsumeVarint(c.columns[column])
	if n < 0 {
		*ok = false
		return 0
	}
	c.columns[column] = c.columns[column][n:]
	return v
}
