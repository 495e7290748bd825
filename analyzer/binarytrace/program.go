package binarytrace

import (
	"encoding/binary"
)

// program prints the payload of an event. The most frequent operations copy a field;
// all others evaluate an expression.
type program []op

// op is a step of a program: it prints text, and then what its kind says.
type op struct {
	literal string
	kind    opKind
	field   field
	conv    conversion
	value   *node
	more    *node // the length, of opBytes
}

type opKind uint8

const (
	opNothing opKind = iota
	opDecimal        // a field that is a number
	opHex
	opText    // the text of a field
	opNumber  // the value of an expression
	opString  // the text of an expression
	opChar    // the character of an expression
	opPointer // an address
	opBytes   // bytes in hexadecimal, from an expression on
)

// conversion is a conversion specification of printf, such as %03d.
type conversion struct {
	verb      byte // d, u, x, X, o, c, s or p
	width     int
	precision int  // -1 for none
	zero      bool // pad with zeros
	left      bool
	prefix    bool // 0x
	bits      uint // of the argument
	separator byte // between bytes of %ph; 0 for none
}

// scope is what a program prints, and where it finds what the record lacks.
type scope struct {
	record []byte
	cpu    int
	names  *names
	printk map[uint64]string // strings by address
	short  bool              // set if the record lacks what was to be printed
}

// append appends the payload of the scope's record, which has the length that the
// format needs at least.
func (p program) append(b []byte, s *scope) []byte {
	for i := range p {
		o := &p[i]
		b = append(b, o.literal...)
		switch o.kind {
		case opDecimal:
			if v := o.field.int(s.record); o.field.signed {
				b = appendInt(b, v)
			} else {
				b = appendPadded(b, uint64(v), 0, ' ')
			}
		case opHex:
			b = appendHex(b, uint64(o.field.int(s.record)))
		case opText:
			text, ok := o.field.bytes(s.record)
			s.short = s.short || !ok
			b = append(b, cString(text)...)
		case opNumber:
			b = o.conv.appendNumber(b, o.value.int(s))
		case opChar:
			b = append(b, byte(o.value.int(s)))
		case opPointer:
			b = append(b, "0x"...)
			b = appendHex(b, uint64(o.value.int(s)))
		case opString:
			from := len(b)
			b = o.conv.pad(o.value.text(b, s), from)
		case opBytes:
			b = o.appendBytes(b, s)
		}
	}
	return b
}

// appendNumber appends a number as the conversion prints it.
func (c *conversion) appendNumber(b []byte, v int64) []byte {
	from := len(b)
	u := uint64(v)
	switch shift := 64 - c.bits; c.verb {
	case 'd':
		v = v << shift >> shift
		if c.zero && c.width > 0 && !c.left {
			width := c.width
			if v < 0 {
				b, v, width = append(b, '-'), -v, width-1
			}
			return appendPadded(b, uint64(v), width, '0')
		}
		b = appendInt(b, v)
	case 'u':
		u = u << shift >> shift
		if c.zero && !c.left {
			return appendPadded(b, u, c.width, '0')
		}
		b = appendPadded(b, u, 0, ' ')
	default: // hexadecimal
		u = u << shift >> shift
		if c.prefix && u != 0 {
			b = append(b, "0x"...)
		}
		digits := 1
		for rest := u >> 4; rest > 0; rest >>= 4 {
			digits++
		}
		for n := digits; c.zero && !c.left && n < c.width; n++ {
			b = append(b, '0')
		}
		b = appendHex(b, u)
	}
	return c.pad(b, from)
}

// pad pads what begins at from to the width.
func (c *conversion) pad(b []byte, from int) []byte {
	if c.verb == 's' && c.precision >= 0 && len(b)-from > c.precision {
		b = b[:from+c.precision]
	}
	n := c.width - (len(b) - from)
	if n <= 0 {
		return b
	}
	for range n {
		b = append(b, ' ')
	}
	if !c.left {
		copy(b[from+n:], b[from:])
		for i := range n {
			b[from+i] = ' '
		}
	}
	return b
}

// maxBytes is the maximum number of bytes that %ph prints, as in the kernel.
//
// Source: Linux, lib/vsprintf.c, hex_string.
const maxBytes = 64

// appendBytes appends what %*ph prints.
func (o *op) appendBytes(b []byte, s *scope) []byte {
	data := o.value.bytes(s)
	n := min(max(0, int(o.more.int(s))), maxBytes)
	if n > len(data) {
		s.short = true
		n = len(data)
	}
	return appendHexBytes(b, data[:n], o.conv.separator)
}

// appendHexBytes appends two digits for each byte, with a separator unless that is 0.
func appendHexBytes(b, data []byte, separator byte) []byte {
	for i, c := range data {
		if i > 0 && separator != 0 {
			b = append(b, separator)
		}
		b = append(b, hexDigits[c>>4], hexDigits[c&0xf])
	}
	return b
}

// node is an expression of a print fmt.
type node struct {
	kind     nodeKind
	operator string // of a unary or binary expression
	bits     uint   // of a cast; negative numbers are sign-extended if signed
	signed   bool
	number   int64
	literal  string
	field    field
	a, b, c  *node
	symbols  []symbol
}

type nodeKind uint8

const (
	numberNode    nodeKind = iota
	literalNode            // "text"
	recordNode             // REC, the address of the record
	fieldNode              // REC->field
	elementNode            // field[a] or "literal"[a]
	unaryNode              // operator a
	binaryNode             // a operator b
	condNode               // a ? b : c
	castNode               // (type)a
	symbolNode             // __print_symbolic(a, symbols)
	flagsNode              // __print_flags(a, literal, symbols)
	hexNode                // __print_hex(a, b)
	arrayNode              // __print_array(a, b, c)
	stateNode              // hm_trace_tcb_state2str(a)
	schedInfoNode          // hm_trace_tcb_unpack_schedinfo(a, …)
	cmdlineNode            // trace_cmdline_of(a, …)
	blockedNode            // hm_trace_sched_blocked_reason_of(a, b)
)

// symbol is a number's name.
type symbol struct {
	value int64
	name  string
}

// int returns the value of a number.
func (n *node) int(s *scope) int64 {
	switch n.kind {
	case numberNode:
		return n.number
	case fieldNode:
		if n.field.loc != notLoc {
			return int64(binary.LittleEndian.Uint32(s.record[n.field.offset:]))
		}
		if n.field.isInt() {
			return n.field.int(s.record)
		}
		return int64(n.field.offset)
	case elementNode:
		return n.element(s)
	case unaryNode:
		v := n.a.int(s)
		switch n.operator {
		case "-":
			return -v
		case "~":
			return ^v
		case "!":
			return truth(v == 0)
		}
		return v
	case binaryNode:
		return n.binary(s)
	case condNode:
		if n.a.int(s) != 0 {
			return n.b.int(s)
		}
		return n.c.int(s)
	case castNode:
		shift := 64 - n.bits
		if n.signed {
			return n.a.int(s) << shift >> shift
		}
		return int64(uint64(n.a.int(s)) << shift >> shift)
	}
	return 0 // recordNode: addresses count from the record
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (n *node) binary(s *scope) int64 {
	a, b := n.a.int(s), n.b.int(s)
	switch n.operator {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/", "%":
		if b == 0 {
			s.short = true
			return 0
		}
		if n.operator == "/" {
			return a / b
		}
		return a % b
	case "<<":
		return a << (uint64(b) & 63)
	case ">>":
		if n.signed {
			return a >> (uint64(b) & 63)
		}
		return int64(uint64(a) >> (uint64(b) & 63))
	case "&":
		return a & b
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "==":
		return truth(a == b)
	case "!=":
		return truth(a != b)
	case "<":
		return truth(a < b)
	case "<=":
		return truth(a <= b)
	case ">":
		return truth(a > b)
	case ">=":
		return truth(a >= b)
	case "&&":
		return truth(a != 0 && b != 0)
	}
	return truth(a != 0 || b != 0) // ||
}

// element returns an element of an array, or a character of a literal.
func (n *node) element(s *scope) int64 {
	i := n.b.int(s)
	if n.a.kind == literalNode {
		if i < 0 || i >= int64(len(n.a.literal)) {
			s.short = true
			return '?'
		}
		return int64(n.a.literal[i])
	}
	f := n.a.field
	if f.array == 0 || i < 0 || i >= int64(f.array) {
		s.short = true
		return 0
	}
	f.size /= f.array
	f.offset += int(i) * f.size
	return f.int(s.record)
}

// bytes returns the bytes at the address that the expression is.
func (n *node) bytes(s *scope) []byte {
	switch n.kind {
	case fieldNode:
		data, ok := n.field.bytes(s.record)
		s.short = s.short || !ok
		return data
	case castNode:
		return n.a.bytes(s)
	}
	at := n.int(s)
	if at < 0 || at > int64(len(s.record)) {
		s.short = true
		return nil
	}
	return s.record[at:]
}

// text appends the text of an expression.
func (n *node) text(b []byte, s *scope) []byte {
	switch n.kind {
	case literalNode:
		return append(b, n.literal...)
	case fieldNode:
		if n.field.isInt() && n.field.loc == notLoc { // an address in the kernel
			address := uint64(n.field.int(s.record))
			if text, ok := s.printk[address]; ok {
				return append(b, text...)
			}
			return appendHex(append(b, "0x"...), address)
		}
	case condNode:
		if n.a.int(s) != 0 {
			return n.b.text(b, s)
		}
		return n.c.text(b, s)
	case castNode:
		return n.a.text(b, s)
	case symbolNode:
		return n.appendSymbol(b, s)
	case flagsNode:
		return n.appendFlags(b, s)
	case hexNode:
		data := n.a.bytes(s)
		return appendHexBytes(b, data[:min(len(data), max(0, int(n.b.int(s))))], ' ')
	case arrayNode:
		return n.appendArray(b, s)
	case stateNode:
		return appendHongMengState(b, n.a.int(s))
	case schedInfoNode:
		return n.appendSchedInfo(b, s)
	case cmdlineNode:
		tid := int32(n.a.int(s))
		if tid == 0 {
			return appendInt(append(b, "tppmgr-idle-"...), int64(s.cpu))
		}
		return append(b, s.names.comm(tid)...)
	case blockedNode:
		b = appendHex(append(b, "0x"...), uint64(n.b.int(s)))
		return appendInt(append(b, " cnode_idx="...), n.a.int(s))
	}
	return append(b, cString(n.bytes(s))...)
}

// appendSymbol appends the name of a value, else the value.
func (n *node) appendSymbol(b []byte, s *scope) []byte {
	v := n.a.int(s)
	for i := range n.symbols {
		if n.symbols[i].value == v {
			return append(b, n.symbols[i].name...)
		}
	}
	return appendHex(append(b, "0x"...), uint64(v))
}

// appendFlags appends the names of the flags that are set, and the rest as a number.
//
// Source: Linux, trace_output.c, trace_print_flags_seq.
func (n *node) appendFlags(b []byte, s *scope) []byte {
	v, from := n.a.int(s), len(b)
	for i := range n.symbols {
		mask := n.symbols[i].value
		if v&mask != mask || mask == 0 {
			continue
		}
		v &^= mask
		if len(b) > from {
			b = append(b, n.literal...)
		}
		b = append(b, n.symbols[i].name...)
	}
	if v != 0 {
		if len(b) > from {
			b = append(b, n.literal...)
		}
		b = appendHex(append(b, "0x"...), uint64(v))
	}
	return b
}

// appendArray appends elements in hexadecimal.
//
// Source: Linux, trace_output.c, trace_print_array_seq.
func (n *node) appendArray(b []byte, s *scope) []byte {
	data, count, size := n.a.bytes(s), n.b.int(s), n.c.int(s)
	element := field{size: int(size)}
	if !element.isInt() || count < 0 || count*size > int64(len(data)) {
		s.short = true
		return b
	}
	b = append(b, '{')
	for i := range int(count) {
		if i > 0 {
			b = append(b, ',')
		}
		element.offset = i * element.size
		b = appendHex(append(b, "0x"...), uint64(element.int(data)))
	}
	return append(b, '}')
}

// appendHongMengState appends a thread's state.
//
// Source: openharmony/hiviewdfx_hitrace, parse_functions.py.
func appendHongMengState(b []byte, state int64) []byte {
	switch state {
	case 0:
		return append(b, 'R')
	case 1:
		return append(b, 'S')
	case 2:
		return append(b, 'D')
	case 0x10:
		return append(b, 'X')
	case 0x100:
		return append(b, "R+"...)
	}
	return append(b, '?')
}

// schedInfoFields are the bits of the second word of the scheduler's information.
//
// Source: openharmony/hiviewdfx_hitrace, parse_functions.py.
var schedInfoFields = []struct{ shift, bits uint }{{0, 10}, {10, 2}, {12, 1}, {13, 3}, {16, 5}, {21, 7}}

// appendSchedInfo appends what next_info prints: a mask of processors, the load, and
// bit fields. n.number is how many of them.
func (n *node) appendSchedInfo(b []byte, s *scope) []byte {
	data := n.a.bytes(s)
	if len(data) < 8 {
		s.short = true
		return b
	}
	b = appendHex(b, uint64(binary.LittleEndian.Uint32(data)))
	word := uint64(binary.LittleEndian.Uint32(data[4:]))
	for i, f := range schedInfoFields[:n.number] {
		v := word >> f.shift & (1<<f.bits - 1)
		if i == 0 {
			v <<= 1 // the load is stored halved
		}
		b = appendPadded(append(b, ','), v, 0, ' ')
	}
	return b
}
