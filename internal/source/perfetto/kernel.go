package perfetto

import (
	"bytes"
	"strconv"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
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
var kept = sync.OnceValue(func() *[keptFields]*keptEvent {
	events := &[keptFields]*keptEvent{}
	add := func(number protowire.Number, e *kernel.Event) {
		name := []byte(e.Name)
		events[number] = &keptEvent{e, name, hitrace.KindOf(name)}
	}
	add(eventPrint, &kernel.Event{Name: "print"})
	for _, name := range []string{
		"sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_blocked_reason", "cpu_frequency",
		"ipi_entry", "ipi_exit", "softirq_entry", "softirq_exit", "irq_handler_entry", "irq_handler_exit",
		"binder_transaction", "binder_transaction_received", "block_rq_issue", "block_rq_complete",
	} {
		e := kernel.Events()[name]
		add(e.Field, e)
	}
	return events
})

// keptFields is above the numbers of the events that are kept.
const keptFields = 1 << 7

// keptEvent is an event that is kept, with its name and its kind in text.
type keptEvent struct {
	*kernel.Event
	name []byte
	kind hitrace.Kind
}

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
// threads anywhere, so they are put in order when the trace has been read.
type kernelLog struct {
	limit int
	count int   // events
	bytes int64 // of their payloads
	over  int   // events that were skipped because of a limit
	runs  []*kernelRun
	// open are the runs to which events are added, by class and processor, last is that of the last event,
	// and segment counts how often that changed.
	open    [classes][maxKernelCPU + 1]*kernelRun
	last    *kernelRun
	segment uint32
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

// maxKernelCPU is the number of all processors from there on.
const maxKernelCPU = 255

// addSymbols decodes the names of kernel functions in the interned data of a packet.
func (k *kernelLog) addSymbols(sequence uint32, interned []byte) bool {
	return eachMessage(interned, internedSymbols, func(b []byte) bool {
		ok := k.values.Read(b)
		key := symbolKey{sequence, k.values.Numbers[symbolID]}
		if _, known := k.symbols[key]; !known && len(k.symbols) >= k.maxTexts {
			return ok
		}
		if n := k.text(k.values.Texts[symbolText]); n != 0 {
			k.symbols[key] = n
		}
		return ok
	})
}

// addBundle decodes the events of a processor. It returns false if they are malformed. unknown
// counts the events of a bundle whose clock is not known.
func (k *kernelLog) addBundle(sequence uint32, payload []byte, unknown *int) bool {
	ok := k.values.Read(payload)
	if !ok {
		return false
	}
	n := &k.values.Numbers
	b := bundle{cpu: n[bundleCPU], lost: n[bundleLost] != 0}
	known := false
	if b.clock, known = kernelClocks[n[bundleClock]]; !known {
		at, bootAt := n[bundleTime], n[bundleBootTime]
		if at == 0 || bootAt == 0 || at > trace.MaxTime || bootAt > trace.MaxTime {
			*unknown++
			return true
		}
		b.clock, b.offset = boot, int64(bootAt)-int64(at)
	}
	for f := (kernel.Fields{Rest: payload}); f.Next(); {
		switch f.Number {
		case bundleEvent:
			ok = k.addEvent(sequence, &b, f.Data) && ok
		case bundleCompact:
			ok = k.addCompact(&b, f.Data) && ok
		}
	}
	return ok
}

// bundle is what a bundle says of its events.
type bundle struct {
	cpu, clock uint64
	offset     int64 // of the clock
	lost       bool  // events before the next one
}

// keep keeps an event at a time in the clock of its bundle. It returns false for a time after the last.
func (k *kernelLog) keep(b *bundle, at uint64, kind protowire.Number, payload []byte) bool {
	if at > trace.MaxTime {
		return false
	}
	e := kernelEvent{at: int64(at) + b.offset, kind: kind, payload: payload}
	if b.lost {
		b.lost = false
		k.add(kernelEvent{at: e.at, kind: lossRecord}, b.clock, b.cpu)
	}
	k.add(e, b.clock, b.cpu)
	return true
}

// addEvent decodes a message of an event. It keeps the thread, the flags and the fields of
// the event:
//
//	thread, flags, payload
func (k *kernelLog) addEvent(sequence uint32, in *bundle, b []byte) bool {
	var at, pid, flags uint64
	var kind protowire.Number
	var payload []byte
	f := kernel.Fields{Rest: b}
	for f.Next() {
		switch {
		case f.Number == eventTimestamp:
			at = f.Value
		case f.Number == eventPID:
			pid = f.Value
		case f.Number == eventFlags && !f.IsBytes:
			flags = f.Value
		case f.IsBytes && f.Number < keptFields && kept()[f.Number] != nil:
			kind, payload = f.Number, f.Data
		}
	}
	if f.Bad || kind == 0 {
		return !f.Bad
	}
	ok := true
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
	return k.keep(in, at, kind, head) && ok
}

// printed returns the text of a print event.
func printed(payload []byte) (text []byte) {
	for f := (kernel.Fields{Rest: payload}); f.Next(); {
		if f.Number == kernel.PrintText {
			text = f.Data
		}
	}
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
func (k *kernelLog) addCompact(in *bundle, b []byte) bool {
	c := &k.compact
	c.columns, c.names = [compactFlags + 1][]byte{}, c.names[:0]
	f := kernel.Fields{Rest: b}
	for f.Next() {
		switch {
		case f.Number == compactStrings && len(c.names) < maxCompactNames:
			c.names = append(c.names, k.text(f.Data))
		case f.IsBytes && int(f.Number) < len(c.columns):
			c.columns[f.Number] = f.Data
		}
	}
	ok, late := !f.Bad, false
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
			if ok && !k.keep(in, at, kind, k.buffer) {
				late = true
			}
		}
	}
	record(compactSwitchAt, []protowire.Number{compactState, compactNext, compactNextPrio, compactNextComm}, 3, compactSwitchRecord)
	record(compactWakingAt, []protowire.Number{compactWaking, compactTarget, compactPrio, compactComm, compactFlags}, 3, compactWakingRecord)
	return ok && !late
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
