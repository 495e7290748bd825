package rawfile

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// HtraceOptions select a variant of .htrace files.
type HtraceOptions struct {
	// Offset is the time that the device had slept. The clocks in the file have it.
	Offset int64
	// Mono says that the times of events are CLOCK_MONOTONIC.
	Mono bool
	// Padded writes lengths in four bytes and zeros explicitly, as newer recorders do.
	Padded bool
	// ZeroHeader leaves out the clocks in the header; NoDetails those of ftrace-plugin.
	ZeroHeader, NoDetails bool
	// NoNames leaves out the names and processes of threads in events.
	NoNames bool
	// Dictionary leaves out the names in events, but writes a dictionary of them.
	Dictionary bool
	// Recording is appended as a part of hiperf, if it is not nil.
	Recording []byte
	// Plugins is data of other plugins.
	Plugins []Plugin
	// Killed writes what a recorder leaves that did not finish.
	Killed bool
	// OneDetail writes all events of a processor in one message.
	OneDetail bool
}

// Plugin is the data of a plugin.
type Plugin struct {
	Name string
	Data []byte
}

// Segment is where a segment is in a file.
type Segment struct{ From, To int }

// messageField is a field of an event's message.
type messageField struct {
	number int
	text   bool
}

// messageKind is an event of ftrace-plugin.
type messageKind struct {
	kind
	number int
	fields []messageField // of the values of the pattern, in order
}

func newMessage(number int, name, pattern string, order ...int) *messageKind {
	m := &messageKind{kind: newKind(name, pattern), number: number}
	for i, verb := range m.verbs {
		field := messageField{i + 1, verb == 's'}
		if len(order) > 0 {
			field.number = order[i]
		}
		m.fields = append(m.fields, field)
	}
	return m
}

var messageKinds = func() map[string]*messageKind {
	table := map[string]*messageKind{}
	for _, m := range []*messageKind{
		newMessage(2417, "sched_switch", "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%S ==> next_comm=%s next_pid=%d next_prio=%d"),
		newMessage(2420, "sched_wakeup", "comm=%s pid=%d prio=%d target_cpu=%d", 1, 2, 3, 5),
		newMessage(2422, "sched_waking", "comm=%s pid=%d prio=%d target_cpu=%d", 1, 2, 3, 5),
		newMessage(2005, "cpu_idle", "state=%d cpu_id=%d"),
		newMessage(2003, "cpu_frequency", "state=%d cpu_id=%d"),
		newMessage(2004, "cpu_frequency_limits", "min=%d max=%d cpu_id=%d"),
		newMessage(2002, "clock_set_rate", "%s state=%d cpu_id=%d"),
		newMessage(113, "binder_transaction", binderPattern, 1, 2, 3, 4, 5, 7, 6),
		newMessage(119, "binder_transaction_received", "transaction=%d"),
	} {
		table[m.name] = m
	}
	return table
}()

// message returns the number and the values of an event's message, or ok false if
// ftrace-plugin has none for it.
func (e *Event) message() (m *messageKind, values []value, ok bool) {
	if e.isMarker() {
		return &messageKind{number: 1109, fields: []messageField{{2, true}}}, []value{{text: e.Args}}, true
	}
	if m = messageKinds[e.Name]; m == nil {
		return nil, nil, false
	}
	args, _, _ := strings.Cut(e.Args, " next_info=")
	values, ok = m.match(args)
	return m, values, ok
}

// HtraceHas reports whether an event is in .htrace files: ftrace-plugin drops others.
func HtraceHas(e *Event) bool {
	_, _, ok := e.message()
	return ok
}

// Htrace returns an .htrace file with the events that it can have, and its segments.
func Htrace(events []Event, o HtraceOptions) ([]byte, []Segment) {
	w := &htraceWriter{options: o}
	return w.file(events), w.segments
}

type htraceWriter struct {
	options  HtraceOptions
	out      []byte
	segments []Segment
}

// varint appends a number in the shortest form.
func varint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// number appends a field. A zero is left out by older recorders.
func (w *htraceWriter) number(b []byte, field int, v int64) []byte {
	if v == 0 && !w.options.Padded {
		return b
	}
	return varint(varint(b, uint64(field)<<3), uint64(v))
}

// bytes appends a field.
func (w *htraceWriter) bytes(b []byte, field int, data []byte) []byte {
	b = varint(b, uint64(field)<<3|2)
	if n := len(data); w.options.Padded {
		b = append(b, byte(n)|0x80, byte(n>>7)|0x80, byte(n>>14)|0x80, byte(n>>21))
	} else {
		b = varint(b, uint64(n))
	}
	return append(b, data...)
}

func (w *htraceWriter) text(b []byte, field int, s string) []byte {
	if s == "" && !w.options.Padded {
		return b
	}
	return w.bytes(b, field, []byte(s))
}

// event returns a FtraceEvent.
func (w *htraceWriter) event(e *Event) []byte {
	m, values, _ := e.message()
	b := w.number(nil, 1, e.Time)
	if !w.options.NoNames && e.TID != 0 {
		b = w.number(b, 2, int64(max(0, e.PID)))
		if !w.options.Dictionary {
			b = w.text(b, 3, e.Comm)
		}
	}
	common := w.number(nil, 1, 32771)
	common = w.number(common, 2, int64(e.Flags))
	common = w.number(common, 3, int64(e.Preempt))
	common = w.number(common, 4, int64(e.TID))
	b = w.bytes(b, 50, common)
	var message []byte
	for i, f := range m.fields {
		if f.text {
			message = w.text(message, f.number, values[i].text)
		} else {
			message = w.number(message, f.number, values[i].number)
		}
	}
	return w.bytes(b, m.number, message)
}

// segment appends a segment.
func (w *htraceWriter) segment(plugin string, data []byte) {
	var b []byte
	if w.options.Padded { // with its fields in another order
		b = w.text(b, 1, plugin)
		b = w.text(b, 7, "1.02")
		b = w.number(b, 2, 0)
		b = w.bytes(b, 3, data)
	} else {
		b = w.text(b, 1, plugin)
		b = w.bytes(b, 3, data)
		b = w.number(b, 5, 1_700_000_000)
	}
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(len(b)))
	w.segments = append(w.segments, Segment{len(w.out), len(w.out) + len(b)})
	w.out = append(w.out, b...)
}

// ftrace appends a segment with one field of a TracePluginResult.
func (w *htraceWriter) ftrace(field int, data []byte) {
	w.segment("ftrace-plugin", w.bytes(nil, field, data))
}

// perDetail is the number of events of a message, about those of a page.
const perDetail = 60

func (w *htraceWriter) file(all []Event) []byte {
	o := &w.options
	var events []*Event
	for i := range all {
		if HtraceHas(&all[i]) {
			events = append(events, &all[i])
		}
	}
	boot := events[0].Time
	if o.Mono {
		boot += o.Offset
	}
	mono := boot - o.Offset + 3210 // read a little later
	w.out = make([]byte, 1024)
	clock := "boot"
	if o.Mono {
		clock = "mono"
	}
	w.segment("ftrace-plugin_config", w.text(nil, 8, clock))
	if !o.NoDetails {
		w.segment("ftrace-plugin", append(w.bytes(nil, 6, w.clock(4, mono)), w.bytes(nil, 6, w.clock(1, boot))...))
	}
	w.ftrace(1, w.stats(0, "boot", 7)) // before the clock is set
	w.details(events)
	w.ftrace(1, w.stats(1, clock, 7))
	for _, p := range o.Plugins {
		w.segment(p.Name, p.Data)
	}
	if o.Dictionary {
		comms := map[int32]string{}
		for _, e := range events {
			comms[e.TID] = e.Comm
		}
		for _, tid := range slices.Sorted(maps.Keys(comms)) {
			w.ftrace(8, w.text(w.number(nil, 1, int64(tid)), 2, comms[tid]))
		}
	}
	copy(w.out, "OHOSPROF")
	put := func(at int, v uint64) { binary.LittleEndian.PutUint64(w.out[at:], v) }
	put(8, uint64(len(w.out)))
	binary.LittleEndian.PutUint32(w.out[16:], 0x10000)
	binary.LittleEndian.PutUint32(w.out[20:], uint32(2*len(w.segments)))
	sum := sha256.Sum256(w.out[1024:])
	copy(w.out[24:], sum[:])
	if !o.ZeroHeader {
		put(60, uint64(boot))
		put(68, 1_700_000_000_000_000_000)
		put(76, 1_700_000_000_000_000_000)
		put(84, uint64(mono))
		put(92, uint64(mono))
		put(100, uint64(mono))
	}
	if o.Killed {
		put(8, 1024)
		clear(w.out[20:56])
		w.out = append(w.out, make([]byte, 5000)...) // mapped, but not written
	}
	if o.Recording != nil {
		part := append(make([]byte, 1024), o.Recording...)
		copy(part, "OHOSPROF")
		binary.LittleEndian.PutUint64(part[8:], uint64(len(part)))
		binary.LittleEndian.PutUint32(part[56:], 1)
		copy(part[108:], "hiperf-plugin")
		w.out = append(w.out, part...)
	}
	return w.out
}

// details appends the events in messages of each processor, in the order in which they
// were completed.
func (w *htraceWriter) details(events []*Event) {
	open := map[int][]byte{}
	count := map[int]int{}
	flush := func(cpu int) {
		if open[cpu] != nil {
			w.ftrace(2, append(open[cpu], w.number(nil, 1, int64(cpu))...))
			open[cpu], count[cpu] = nil, 0
		}
	}
	for _, e := range events {
		open[e.CPU] = w.bytes(open[e.CPU], 2, w.event(e))
		if count[e.CPU]++; count[e.CPU] == perDetail && !w.options.OneDetail {
			flush(e.CPU)
		}
	}
	for _, cpu := range slices.Backward(slices.Sorted(maps.Keys(open))) {
		flush(cpu)
	}
}

// clock returns a ClockDetailMsg.
func (w *htraceWriter) clock(id, ns int64) []byte {
	time := w.number(w.number(nil, 1, ns/1e9), 2, ns%1e9)
	return w.bytes(w.number(nil, 1, id), 2, time)
}

// stats returns a FtraceCpuStatsMsg.
func (w *htraceWriter) stats(status int64, clock string, overrun int64) []byte {
	cpu := w.number(w.number(nil, 1, 0), 3, overrun)
	return w.text(w.bytes(w.number(nil, 1, status), 2, cpu), 3, clock)
}
