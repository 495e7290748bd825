package rawfile

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SysOptions select a variant of .sys files.
type SysOptions struct {
	// HongMeng selects the pages and formats of that kernel, in place of Linux's.
	HongMeng bool
	// ShortPriorities stores priorities in 16 bits, as newer HongMeng kernels do.
	ShortPriorities bool
	// Reverse lists the fields of events from the last to the first.
	Reverse bool
	// BaseInfo writes the section of versions from 6.0 on.
	BaseInfo bool
	// Garbage fills padding and the unused part of pages.
	Garbage bool
	// Sections is the number of sections of pages for each processor, or for all on
	// HongMeng; zero means one. With more than one, an empty and an unknown section
	// are added.
	Sections int
	// Backward writes the sections of pages in reverse order.
	Backward bool
	// NamesFirst writes names before pages.
	NamesFirst bool
	// NoNames leaves out names and processes.
	NoNames bool
	// Killed writes a length of 0 for the last section of pages and nothing after it.
	Killed bool
	// Bits32 writes Linux pages of a 32-bit kernel. NoHeaderPage leaves out the
	// section that describes pages.
	Bits32, NoHeaderPage bool
	// Lost marks every third Linux page: three events were lost before it.
	Lost bool
	// MarkWrite carries Linux markers in the event tracing_mark_write, in place of
	// print.
	MarkWrite bool
}

// Section is where a section is in a file.
type Section struct {
	Type     byte
	From, To int // of its content
	// Pages has the number of events of each page.
	Pages []int
}

// Sys returns a .sys file with the events, and its sections.
func Sys(events []Event, o SysOptions) ([]byte, []Section) {
	w := &sysWriter{options: o, formats: map[string]*sysFormat{}}
	w.nextID = 300
	if o.HongMeng {
		w.nextID = 32768 + 100
	}
	cpus := 0
	for i := range events {
		cpus = max(cpus, events[i].CPU+1)
	}
	raw := w.pages(events, cpus)
	return w.file(events, raw, cpus), w.sections
}

type sysWriter struct {
	options  SysOptions
	formats  map[string]*sysFormat
	order    []*sysFormat
	nextID   int
	sections []Section
	out      []byte
}

// sysField is a field of a record.
type sysField struct {
	decl   string // "int pid"
	size   int    // 0 for text up to the end
	signed int
	arg    int // index of the value; -1 for one that the text lacks
	offset int
	shift  uint // the text has the value shifted to the right
}

// sysFormat is the format of an event.
type sysFormat struct {
	kind
	id       int
	fields   []sysField
	printFmt string
	fixed    int // bytes before text of variable length
}

// number makes a field of a number.
func number(decl string, size, signed, arg int) sysField {
	return sysField{decl: decl, size: size, signed: signed, arg: arg}
}

func text(decl string, size, arg int) sysField {
	return sysField{decl: decl, size: size, signed: 1, arg: arg}
}

// known returns the format of an event as its kernel has it, or nil.
func (w *sysWriter) known(e *Event) *sysFormat {
	prio, decl := 4, "int "
	if w.options.ShortPriorities {
		prio, decl = 2, "short "
	}
	hm := w.options.HongMeng
	make := func(id int, name, pattern, printFmt string, fields ...sysField) *sysFormat {
		return &sysFormat{kind: newKind(name, pattern), id: id, printFmt: printFmt, fields: fields}
	}
	switch {
	case e.isMarker() && hm:
		return make(32846, "print", "%s", `"%s", ((void *)((char *)REC + (REC->__data_loc_buffer & 0xffff)))`, text("__data_loc char[] buffer", 4, 0))
	case e.isMarker() && w.options.MarkWrite:
		return make(20, "tracing_mark_write", "%s", `"%s", __get_str(buffer)`, text("__data_loc char[] buffer", 4, 0))
	case e.isMarker():
		return make(5, "print", "%s", `"%ps: %s", (void *)REC->ip, REC->buf`, number("unsigned long ip", 8, 0, -1), text("char buf[]", 0, 0))
	}
	switch e.Name {
	case "sched_switch":
		const pattern = "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%S ==> next_comm=%s next_pid=%d next_prio=%d"
		if !hm {
			return make(186, e.Name, pattern, linuxSwitch,
				text("char prev_comm[16]", 16, 0), number("pid_t prev_pid", 4, 1, 1), number("int prev_prio", 4, 1, 2), number("long prev_state", 8, 1, 3),
				text("char next_comm[16]", 16, 4), number("pid_t next_pid", 4, 1, 5), number("int next_prio", 4, 1, 6))
		}
		fields := []sysField{
			text("char pname[16]", 16, 0), number("int prev_tid", 4, 1, 1), number(decl+"pprio", prio, 1, 2), number("long pstate", 8, 1, 3),
			text("char nname[16]", 16, 4), number("int next_tid", 4, 1, 5), number(decl+"nprio", prio, 1, 6),
		}
		const printed = `"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s" " ==> next_comm=%s next_pid=%d next_prio=%d", REC->pname, REC->prev_tid, REC->pprio, hm_trace_tcb_state2str(REC->pstate), REC->nname, REC->next_tid, REC->nprio`
		if strings.Contains(e.Args, " next_info=") {
			return make(32772, e.Name, pattern+" next_info=%s", strings.Replace(printed, `next_prio=%d"`, `next_prio=%d next_info=%s"`, 1)+", REC->ninfo", append(fields, text("char ninfo[64]", 64, 7))...)
		}
		return make(32771, e.Name, pattern, printed, fields...)
	case "sched_wakeup", "sched_waking":
		id, comm := map[string]int{"sched_wakeup": 184, "sched_waking": 183}[e.Name], "comm"
		if hm {
			id, comm = id+32594, "pname"
		}
		return make(id, e.Name, "comm=%s pid=%d prio=%d target_cpu=%d", `"comm=%s pid=%d prio=%d target_cpu=%03d", REC->`+comm+`, REC->pid, REC->prio, REC->target_cpu`,
			text("char "+comm+"[16]", 16, 0), number("int pid", 4, 1, 1), number(decl+"prio", prio, 1, 2), number("int success", 4, 1, -1), number("int target_cpu", 4, 1, 3))
	case "cpu_idle", "cpu_frequency":
		return make(map[string]int{"cpu_idle": 33307, "cpu_frequency": 33134}[e.Name], e.Name, "state=%d cpu_id=%d", `"state=%lu cpu_id=%lu", (unsigned long)REC->state, (unsigned long)REC->cpu_id`,
			number("u32 state", 4, 0, 0), number("u32 cpu_id", 4, 0, 1))
	case "clock_set_rate":
		return make(33132, e.Name, "%s state=%d cpu_id=%d", `"%s state=%lu cpu_id=%lu", ((char *)((void *)((char *)REC + (REC->__data_loc_name & 0xffff)))), (unsigned long)REC->state, (unsigned long)REC->cpu_id`,
			text("__data_loc char[] name", 4, 0), number("u64 state", 8, 0, 1), number("u64 cpu_id", 8, 0, 2))
	case "sched_blocked_reason":
		if hm {
			fields := []sysField{number("int pid", 4, 1, 0), number("void * caller", 8, 0, -1), number("bool iowait", 1, 0, 1), number("__u64 delay", 8, 0, 6),
				number("unsigned long offset", 8, 0, 3), number("unsigned long size", 8, 0, 4), text("char func_name[20]", 20, 2), text("char mod_name[12]", 12, 5)}
			fields[3].shift = 10
			return make(32777, e.Name, "pid=%d iowait=%d caller=%s+0x%x/0x%x[%s] delay=%d",
				`"pid=%d iowait=%d caller=%s+0x%lx/0x%lx[%s] delay=%llu", REC->pid, REC->iowait, REC->func_name, REC->offset, REC->size, REC->mod_name, REC->delay >> 10`, fields...)
		}
	case "binder_transaction":
		return make(33080, e.Name, binderPattern, `"transaction=%d dest_node=%d dest_proc=%d dest_thread=%d reply=%d flags=0x%x code=0x%x", REC->debug_id, REC->target_node, REC->to_proc, REC->to_thread, REC->reply, REC->flags, REC->code`,
			number("int debug_id", 4, 1, 0), number("int target_node", 4, 1, 1), number("int to_proc", 4, 1, 2), number("int to_thread", 4, 1, 3), number("int reply", 4, 1, 4),
			number("unsigned int code", 4, 0, 6), number("unsigned int flags", 4, 0, 5))
	}
	return nil
}

const binderPattern = "transaction=%d dest_node=%d dest_proc=%d dest_thread=%d reply=%d flags=0x%x code=0x%x"

// linuxSwitch is the print fmt of sched_switch of Linux 5.10.
const linuxSwitch = `"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1), "|", { 0x0001, "S" }, { 0x0002, "D" }, { 0x0004, "T" }, { 0x0008, "t" }, { 0x0010, "X" }, { 0x0020, "Z" }, { 0x0040, "P" }, { 0x0080, "I" }) : "R", REC->prev_state & (((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio`

// commonSize is the number of bytes of the fields that all events have.
const commonSize = 8

// formatOf returns the format of an event. An event without a format of its own is
// stored as text.
func (w *sysWriter) formatOf(e *Event) (*sysFormat, []value) {
	key := e.Name
	if strings.Contains(e.Args, " next_info=") {
		key += "+info"
	}
	f, ok := w.formats[key]
	if !ok {
		if f = w.known(e); f != nil {
			w.add(key, f)
		}
		w.formats[key] = f
	}
	if f != nil {
		if values, ok := f.match(e.Args); ok {
			return f, values
		}
	}
	key = "text:" + e.Name
	f, ok = w.formats[key]
	if !ok {
		w.nextID++
		f = &sysFormat{kind: newKind(e.Name, "%s"), id: w.nextID, printFmt: `"%s", __get_str(text)`, fields: []sysField{text("__data_loc char[] text", 4, 0)}}
		w.add(key, f)
	}
	return f, []value{{text: e.Args}}
}

// add lays out the fields of a format and stores it.
func (w *sysWriter) add(key string, f *sysFormat) {
	if w.options.Reverse && f.fields[len(f.fields)-1].size > 0 {
		slices.Reverse(f.fields)
	}
	at := commonSize
	for i := range f.fields {
		c := &f.fields[i]
		align := 1
		if !strings.Contains(c.decl, "char ") || strings.HasPrefix(c.decl, "__data_loc") {
			align = max(1, c.size)
		}
		at = (at + align - 1) / align * align
		c.offset = at
		at += c.size
	}
	f.fixed = at
	w.formats[key] = f
	w.order = append(w.order, f)
}

// record returns the record of an event.
func (w *sysWriter) record(e *Event) []byte {
	f, values := w.formatOf(e)
	b := make([]byte, f.fixed, f.fixed+200)
	binary.LittleEndian.PutUint16(b, uint16(f.id))
	b[2], b[3] = e.Flags, e.Preempt
	binary.LittleEndian.PutUint32(b[4:], uint32(e.TID))
	for _, c := range f.fields {
		v := value{number: 0x7f}
		if c.arg >= 0 {
			v = values[c.arg]
		}
		switch {
		case strings.HasPrefix(c.decl, "__data_loc"):
			binary.LittleEndian.PutUint32(b[c.offset:], uint32(len(b)|(len(v.text)+1)<<16))
			b = append(append(b, v.text...), 0)
		case c.size == 0:
			b = append(append(b, v.text...), '\n', 0)
		case strings.Contains(c.decl, "char "):
			n := copy(b[c.offset:c.offset+c.size-1], v.text)
			if w.options.Garbage { // behind the NUL is what was there before
				for i := c.offset + n + 1; i < c.offset+c.size; i++ {
					b[i] = 0xa5
				}
			}
		default:
			var n [8]byte
			binary.LittleEndian.PutUint64(n[:], uint64(v.number)<<c.shift)
			copy(b[c.offset:c.offset+c.size], n[:])
		}
	}
	return b
}

const pageSize = 4096

// fill is what unused bytes have.
func (w *sysWriter) fill() byte {
	if w.options.Garbage {
		return 0xa5
	}
	return 0
}

// pages returns the pages of all events, in the order in which they were completed.
func (w *sysWriter) pages(events []Event, cpus int) []page {
	var list []page
	open := make([]page, cpus)
	for i := range events {
		e := &events[i]
		p := &open[e.CPU]
		record := w.record(e)
		if p.data != nil && (!w.fits(p, record, e.Time) || e.Lost > 0) {
			list = append(list, w.close(p))
		}
		if p.data == nil {
			w.open(p, e)
			p.lost = e.Lost
		}
		w.put(p, record, e.Time)
	}
	for i := range open {
		if open[i].data != nil {
			list = append(list, w.close(&open[i]))
		}
	}
	if w.options.HongMeng { // a page without events, whose time means nothing
		empty := make([]byte, pageSize)
		binary.LittleEndian.PutUint64(empty, 5e9)
		binary.LittleEndian.PutUint64(empty[8:], hongmengArea)
		list = append(list, page{data: empty})
	}
	return list
}

// page is a page of a processor.
type page struct {
	cpu        int
	base, last int64
	data       []byte
	events     int
	pages      int // completed before
	lost       int // events before it
}

const (
	hongmengHeader = 17
	hongmengArea   = 4046
)

func (w *sysWriter) linuxHeader() int {
	if w.options.Bits32 {
		return 12
	}
	return 16
}

func (w *sysWriter) open(p *page, e *Event) {
	p.base, p.last, p.cpu, p.events = e.Time, e.Time, e.CPU, 0
	p.data = binary.LittleEndian.AppendUint64(make([]byte, 0, pageSize), uint64(e.Time))
	if w.options.HongMeng {
		p.data = binary.LittleEndian.AppendUint64(p.data, hongmengArea)
		p.data = append(p.data, byte(e.CPU))
		return
	}
	p.data = append(p.data, make([]byte, w.linuxHeader()-8)...) // commit
}

func (w *sysWriter) fits(p *page, record []byte, time int64) bool {
	if w.options.HongMeng {
		return len(p.data)+6+(len(record)+3)&^3+6 <= hongmengHeader+hongmengArea && time-p.base < 1<<32
	}
	return len(p.data)+8+8+8+(len(record)+3)&^3+16+16 <= pageSize
}

// put appends an event to a page.
func (w *sysWriter) put(p *page, record []byte, time int64) {
	if w.options.HongMeng {
		p.data = binary.LittleEndian.AppendUint32(p.data, uint32(time-p.base))
		p.data = binary.LittleEndian.AppendUint16(p.data, uint16(len(record)))
		p.data = append(p.data, record...)
		for len(record)%4 != 0 {
			record = append(record, 0)
			p.data = append(p.data, w.fill())
		}
		p.events++
		return
	}
	word := func(v uint32) { p.data = binary.LittleEndian.AppendUint32(p.data, v) }
	delta := uint64(time - p.last)
	if delta >= 1<<27 { // a time extend
		word(30 | uint32(delta&(1<<27-1))<<5)
		word(uint32(delta >> 27))
		delta = 0
	}
	if p.events%17 == 5 && delta >= 2 { // an event that was discarded, with part of the time
		word(29 | uint32(delta/2)<<5)
		word(12) // with these four bytes
		word(0xdeadbeef)
		word(0xdeadbeef)
		delta -= delta / 2
	}
	for len(record)%4 != 0 {
		record = append(record, w.fill())
	}
	if len(record) <= 112 {
		word(uint32(len(record)/4) | uint32(delta)<<5)
	} else {
		word(uint32(delta) << 5)
		word(uint32(len(record) + 4))
	}
	p.data = append(p.data, record...)
	p.last = time
	p.events++
}

// close completes a page.
func (w *sysWriter) close(p *page) page {
	if w.options.HongMeng {
		p.data = append(p.data, 1, 2, 3, 4, 0, 0) // an entry of size 0; its time means nothing
	} else {
		header := w.linuxHeader()
		commit := uint32(len(p.data) - header)
		if w.options.Lost && p.pages%3 == 1 {
			p.lost = 3
		}
		if p.lost > 0 {
			commit |= 1<<31 | 1<<30
			lost := binary.LittleEndian.AppendUint64(nil, uint64(p.lost))
			p.data = append(p.data, lost[:header-8]...)
		}
		binary.LittleEndian.PutUint32(p.data[8:], commit)
	}
	for len(p.data) < pageSize {
		p.data = append(p.data, w.fill())
	}
	done := *p
	p.data = nil
	p.pages++
	return done
}

// section appends a section.
func (w *sysWriter) section(kind byte, content []byte) {
	w.out = append(w.out, kind, w.fill(), w.fill(), w.fill())
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(len(content)))
	w.sections = append(w.sections, Section{Type: kind, From: len(w.out), To: len(w.out) + len(content)})
	w.out = append(w.out, content...)
}

// file returns the file.
func (w *sysWriter) file(events []Event, pages []page, cpus int) []byte {
	o := &w.options
	kernel := byte(0)
	if o.HongMeng {
		kernel = 1
	}
	w.out = []byte{0x49, 0xdf, kernel, w.fill(), 1, 0, w.fill(), w.fill()}
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(cpus)<<1|1)
	if o.BaseInfo {
		w.section(33, fmt.Appendf(nil, "KERNEL_VERSION: %s\nUNIX_TIME_MS: 1700000000000\nBOOT_TIME_MS: %d\n", map[bool]string{true: "HongMeng Kernel 1.7.0", false: "Linux version 5.10.97"}[o.HongMeng], events[0].Time/1e6))
	}
	w.section(1, w.formatTexts())
	if o.NamesFirst {
		w.names(events)
	}
	w.raw(pages, cpus)
	if o.Killed {
		last := w.sections[len(w.sections)-1]
		binary.LittleEndian.PutUint32(w.out[last.From-4:], 0)
		return w.out
	}
	if !o.NamesFirst {
		w.names(events)
	}
	if !o.HongMeng {
		if !o.NoHeaderPage {
			w.section(30, fmt.Appendf(nil, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:%d;\tsize:%d;\tsigned:1;\n", w.linuxHeader()-8, w.linuxHeader(), pageSize-w.linuxHeader()))
		}
		w.section(31, []byte("0xffffffc0106ee2a8 : \"Rescheduling interrupts\"\n"))
	}
	return w.out
}

// raw appends the sections of pages.
func (w *sysWriter) raw(pages []page, cpus int) {
	n := max(1, w.options.Sections)
	type part struct {
		kind  byte
		data  []byte
		pages []int
	}
	var parts []part
	for i := range n {
		some := pages[i*len(pages)/n : (i+1)*len(pages)/n]
		if w.options.HongMeng {
			all := part{kind: 4}
			for _, p := range some {
				all.data, all.pages = append(all.data, p.data...), append(all.pages, p.events)
			}
			parts = append(parts, all)
			continue
		}
		for cpu := range cpus {
			one := part{kind: byte(4 + cpu)}
			for _, p := range some {
				if p.cpu == cpu {
					one.data, one.pages = append(one.data, p.data...), append(one.pages, p.events)
				}
			}
			parts = append(parts, one)
		}
	}
	if w.options.Backward {
		slices.Reverse(parts)
	}
	if n > 1 {
		parts = slices.Insert(parts, 1, part{kind: 4}, part{kind: 200, data: []byte("something else")})
	}
	for _, p := range parts {
		w.section(p.kind, p.data)
		w.sections[len(w.sections)-1].Pages = p.pages
	}
}

// names appends the sections of names and processes: what is known at the end.
func (w *sysWriter) names(events []Event) {
	if w.options.NoNames {
		return
	}
	comms, tgids := map[int32]string{}, map[int32]int32{}
	for i := range events {
		e := &events[i]
		if e.TID != 0 {
			comms[e.TID] = e.Comm
			if e.PID >= 0 {
				tgids[e.TID] = e.PID
			}
		}
	}
	comm, tgid := []byte("0 idle/3\n"), []byte(nil)
	for _, tid := range slices.Sorted(maps.Keys(comms)) {
		if w.options.BaseInfo && tid%2 == 0 { // from 6.0 on names of /proc are appended
			comm = fmt.Appendf(comm, "%d \t%s\n", tid, comms[tid])
		} else {
			comm = fmt.Appendf(comm, "%d %s\n", tid, comms[tid])
		}
		if pid, ok := tgids[tid]; ok {
			tgid = fmt.Appendf(tgid, "%d %d\n", tid, pid)
		}
	}
	w.section(2, comm)
	w.section(3, tgid)
}

// formatTexts returns the format files of all events.
func (w *sysWriter) formatTexts() []byte {
	var b []byte
	for _, f := range w.order {
		b = fmt.Appendf(b, "name: %s\nID: %d\nformat:\n", f.name, f.id)
		b = append(b, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"...)
		for _, c := range f.fields {
			b = fmt.Appendf(b, "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n", c.decl, c.offset, c.size, c.signed)
		}
		b = fmt.Appendf(b, "\nprint fmt: %s\n", f.printFmt)
	}
	return b
}
