package binarytrace

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"ohframe/internal/pattern"
	"ohframe/internal/source/kernel"
)

// aliases are names of fields that HongMeng gives to those of Linux.
//
// Source: openharmony/hiviewdfx_hitrace, parse_functions.py.
var aliases = map[string]string{
	"pname": "comm", "pg": "page", "iowait": "io_wait", "min": "min_freq", "max": "max_freq",
	"prev_tid": "prev_pid", "pprio": "prev_prio", "pstate": "prev_state", "nname": "next_comm", "next_tid": "next_pid", "nprio": "next_prio",
	"ninfo": "next_info",
}

// find returns the field that the table knows by a name.
func (f *format) find(name string) (field, bool) {
	for _, c := range f.fields {
		if c.name == name || aliases[c.name] == name || c.name == "pname" && name == "prev_comm" {
			return c, true
		}
	}
	return field{}, false
}

// bind finds the format of the table that the event is printed in, with the most fields of those whose
// words its print fmt has, and which fields of the record that has. It does nothing for an event that the
// table does not have.
func (f *format) bind(printFmt string) {
	event := kernel.Events()[f.name]
	if event == nil {
		return
	}
	for _, format := range event.Formats {
		if f.table == nil || len(format.Places) > len(f.table.Places) {
			if bound, ok := f.fieldsOf(format, printFmt); ok {
				f.table, f.bound = format, bound
			}
		}
	}
	if f.table == nil {
		return
	}
	for i := range f.bound {
		f.require(&f.bound[i])
	}
	for _, c := range f.fields {
		x := extra{field: c, name: cmp.Or(aliases[c.name], c.name)}
		x.at = strings.Index(printFmt, " "+x.name+"=%")
		if x.at < 0 && strings.Contains(printFmt, "sched_blocked_reason_of(REC->"+c.name+",") {
			x.at = 0 // it is printed behind the caller
		}
		if x.at >= 0 && !f.table.Has(x.name) {
			if strings.Contains(strings.ReplaceAll(printFmt, " ", ""), "->"+c.name+">>10") {
				x.shift = 10
			}
			f.extras = append(f.extras, x)
			f.require(&c)
		}
	}
	slices.SortStableFunc(f.extras, func(a, b extra) int { return cmp.Compare(a.at, b.at) })
}

// extra is a field that newer kernels print behind those that the table has, as NAME=VALUE.
type extra struct {
	field
	name  string
	at    int  // where it is in the print fmt
	shift uint // the text has the value shifted to the right
}

// fieldsOf returns the fields of the record for the places of a format. It returns false if one of them
// is missing, or if the print fmt has other words.
func (f *format) fieldsOf(format *kernel.Format, printFmt string) (bound []field, ok bool) {
	for i := range format.Places {
		p := &format.Places[i]
		if !strings.Contains(printFmt, strings.Trim(p.Literal, " 0x")) {
			return nil, false
		}
		var c field
		switch p.Kind {
		case kernel.None:
		case kernel.Skipped:
			return nil, false
		default:
			c, ok = f.find(p.Name)
			if isName := strings.HasSuffix(p.Name, "comm"); !ok && !(isName && f.lite) {
				return nil, false
			}
		}
		bound = append(bound, c)
	}
	return bound, true
}

// flagPattern matches a flag in the print fmt of sched_switch.
var flagPattern = pattern.New(`\{ ?(0x[0-9a-f]+|\d+), "([A-Za-z])" ?\}`)

// statesOf returns the letters of the bits of a thread's state, from the lowest on. It returns nothing
// for HongMeng's states.
func statesOf(printFmt string) string {
	var letters []byte
	for _, m := range flagPattern().FindAllStringSubmatch(printFmt, -1) {
		if bit, err := strconv.ParseUint(m[1], 0, 32); err == nil && bit == 1<<len(letters) {
			letters = append(letters, m[2][0])
		}
	}
	if len(letters) == 0 && !strings.Contains(printFmt, "hm_trace_tcb_state2str") {
		return linuxStates
	}
	return string(letters)
}

// linuxStates are the letters of the bits of a thread's state.
//
// Source: Linux, include/trace/events/sched.h, kernels from 4.14 on.
const linuxStates = "SDTtXZPI"

// appendState appends a thread's state.
func appendState(b []byte, state uint64, letters string) []byte {
	from := len(b)
	for i := range len(letters) {
		if state&(1<<i) != 0 {
			if len(b) > from {
				b = append(b, '|')
			}
			b = append(b, letters[i])
		}
	}
	if len(b) == from {
		b = append(b, 'R')
	}
	if state&(1<<len(letters)) != 0 {
		b = append(b, '+')
	}
	return b
}

// hongmengStates are the states of a thread.
//
// Source: openharmony/hiviewdfx_hitrace, parse_functions.py.
var hongmengStates = map[int64]string{0: "R", 1: "S", 2: "D", 0x10: "X", 0x100: "R+"}

// Decode implements kernel.Decoder.
func (s *sys) Decode(record []byte, cpu int, v *kernel.Values) *kernel.Format {
	f := s.formats[binary.LittleEndian.Uint16(record)]
	v.Reset()
	if f.text.name != "" {
		text, _ := f.text.bytes(record)
		if event := kernel.Events()[f.name]; event != nil {
			return event.Parse(asLine(kernel.CString(text)), v)
		}
		return nil
	}
	if f.table == nil {
		return nil
	}
	for i := range f.table.Places {
		s.set(v, f, &f.table.Places[i], &f.bound[i], record, cpu)
	}
	return f.table
}

// set sets the value of a place of the event's format.
func (s *sys) set(v *kernel.Values, f *format, p *kernel.Place, c *field, record []byte, cpu int) {
	from := len(v.Memory)
	switch {
	case p.Kind == kernel.None || p.Kind == kernel.Softirq:
		return
	case p.Kind == kernel.State && f.states == "":
		name, ok := hongmengStates[c.int(record)]
		if !ok {
			name = "?"
		}
		v.Memory = append(v.Memory, name...)
	case p.Kind == kernel.State:
		v.Memory = appendState(v.Memory, uint64(c.int(record)), f.states)
	case c.name == "": // the name of a thread
		thread, _ := f.find(strings.TrimSuffix(p.Name, "comm") + "pid")
		if tid := int32(thread.int(record)); tid != 0 {
			v.Texts[p.Field], _ = s.names.of(tid)
			return
		}
		v.Memory = strconv.AppendInt(append(v.Memory, "tppmgr-idle-"...), int64(cpu), 10)
	case p.Kind == kernel.Symbol && f.function != nil:
		v.Memory = f.function.append(v.Memory, record)
	case p.Kind.IsText() && c.isInt() && c.loc == notLoc: // an address in the kernel
		address := uint64(c.int(record))
		if text, ok := s.printk[address]; ok && p.Kind == kernel.Text {
			v.Memory = append(v.Memory, text...)
		} else {
			v.Memory = appendAddress(v.Memory, address)
		}
	case p.Kind.IsText():
		text, _ := c.bytes(record)
		v.Texts[p.Field] = kernel.CString(text)
		return
	case c.loc != notLoc || !c.isInt(): // a bitmask
		var bits [8]byte
		data, _ := c.bytes(record)
		copy(bits[:], data)
		v.Numbers[p.Field] = binary.LittleEndian.Uint64(bits[:])
		return
	default:
		v.Numbers[p.Field] = p.FromKernel(uint64(c.int(record)))
		return
	}
	v.Keep(p.Field, from)
}

// function is the fields of a kernel function in HongMeng's sched_blocked_reason.
type function struct{ name, offset, size, module field }

func (f *format) findFunction() *function {
	var fn function
	var ok [4]bool
	fn.name, ok[0] = f.find("func_name")
	fn.offset, ok[1] = f.find("offset")
	fn.size, ok[2] = f.find("size")
	fn.module, ok[3] = f.find("mod_name")
	if ok != [4]bool{true, true, true, true} {
		return nil
	}
	for _, c := range []*field{&fn.name, &fn.offset, &fn.size, &fn.module} {
		f.require(c)
	}
	return &fn
}

// append appends NAME+OFFSET/SIZE[MODULE].
func (fn *function) append(b, record []byte) []byte {
	name, _ := fn.name.bytes(record)
	b = appendAddress(append(append(b, kernel.CString(name)...), '+'), uint64(fn.offset.int(record)))
	b = appendAddress(append(b, '/'), uint64(fn.size.int(record)))
	module, _ := fn.module.bytes(record)
	return append(append(append(b, '['), kernel.CString(module)...), ']')
}

// AppendArgs implements kernel.Decoder.
func (s *sys) AppendArgs(b, record []byte, cpu int, v *kernel.Values) []byte {
	f := s.formats[binary.LittleEndian.Uint16(record)]
	if f.text.name != "" {
		text, _ := f.text.bytes(record)
		return append(b, kernel.CString(text)...)
	}
	start, isSlice := f.find("start")
	if pid, ok := f.find("pid"); f.marker && isSlice && ok {
		if start.int(record) == 0 {
			return strconv.AppendInt(append(b, "E|"...), pid.int(record), 10)
		}
		c, _ := f.find("name")
		name, _ := c.bytes(record)
		return append(append(strconv.AppendInt(append(b, "B|"...), pid.int(record), 10), '|'), kernel.CString(name)...)
	}
	if f.table == nil {
		from := len(b)
		for i := range f.fields {
			if c := &f.fields[i]; !strings.HasPrefix(c.name, "common_") {
				if len(b) > from {
					b = append(b, ' ')
				}
				b = f.appendField(b, &extra{field: *c, name: c.name}, record)
			}
		}
		return b
	}
	s.Decode(record, cpu, v)
	b = f.table.Append(b, v)
	for i := range f.extras {
		b = f.appendField(append(b, ' '), &f.extras[i], record)
	}
	return b
}

// appendField appends NAME=VALUE.
func (f *format) appendField(b []byte, c *extra, record []byte) []byte {
	b = append(append(b, c.name...), '=')
	switch {
	case c.name == "next_info" && c.size == schedInfoSize:
		count := len(schedInfoFields)
		if _, ok := f.find("cg"); ok {
			count = 4 // the two last bit fields are newer than cg
		}
		return appendSchedInfo(b, record[c.offset:], count)
	case c.isInt() && c.loc == notLoc && c.signed:
		return strconv.AppendInt(b, c.int(record)>>c.shift, 10)
	case c.isInt() && c.loc == notLoc:
		return strconv.AppendUint(b, uint64(c.int(record))>>c.shift, 10)
	}
	text, _ := c.bytes(record)
	return append(b, kernel.CString(text)...)
}

// schedInfoSize is the size of the scheduler's information: a mask of processors and bit fields.
const schedInfoSize = 8

// schedInfoFields are the bits of the second word of the scheduler's information.
//
// Source: openharmony/hiviewdfx_hitrace, parse_functions.py.
var schedInfoFields = []struct{ shift, bits uint }{{0, 10}, {10, 2}, {12, 1}, {13, 3}, {16, 5}, {21, 7}}

// appendSchedInfo appends what next_info prints: a mask of processors, the load, and
// other bit fields, as many in all as count.
func appendSchedInfo(b []byte, data []byte, count int) []byte {
	b = strconv.AppendUint(b, uint64(binary.LittleEndian.Uint32(data)), 16)
	word := uint64(binary.LittleEndian.Uint32(data[4:]))
	for i, f := range schedInfoFields[:count] {
		v := word >> f.shift & (1<<f.bits - 1)
		if i == 0 {
			v <<= 1 // the load is stored halved
		}
		b = strconv.AppendUint(append(b, ','), v, 10)
	}
	return b
}

func appendAddress(b []byte, address uint64) []byte {
	return strconv.AppendUint(append(b, "0x"...), address, 16)
}
