package binarytrace

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// program prints the payload of an event.
type program []step

// step prints text, and then what a conversion makes of an expression.
type step struct {
	literal []byte  // roomy
	print   printer // nil for nothing
}

// printer appends what is printed of a record.
type printer func(b []byte, s *scope) []byte

// scope is what a program prints, a record or a message, and where it finds what that lacks.
type scope struct {
	record  []byte
	message message
	cpu     int
	names   *names
	printk  map[uint64]string // strings by address
	symbols map[uint64]string // functions by address
	short   bool              // set if the record lacks what was to be printed
}

// append appends the payload of the scope's record, which has the length that the
// format needs at least.
func (p program) append(b []byte, s *scope) []byte {
	for i := range p {
		b = appendRoomy(b, p[i].literal)
		if print := p[i].print; print != nil {
			b = print(b, s)
		}
	}
	return b
}

// expression is a C expression of a print fmt, as functions of a record. Addresses
// count from the record.
type expression struct {
	number  func(s *scope) int64  // its value
	bytes   func(s *scope) []byte // what is at the address
	text    printer               // of %s
	signed  bool                  // a shift to the right copies the sign
	record  bool                  // it is the address of the record
	literal string                // "text", for an index
	field   *field                // it is a field
	plain   *field                // its value is that of this field
	masked  *field                // it is the lower half of this field, which refers to text
}

// computed returns an expression of a number, which may be an address.
func computed(number func(s *scope) int64) *expression {
	e := &expression{number: number}
	e.bytes = func(s *scope) []byte {
		at := number(s)
		if at < 0 || at > int64(len(s.record)) {
			s.short = true
			return nil
		}
		return s.record[at:]
	}
	e.text = func(b []byte, s *scope) []byte { return append(b, cString(e.bytes(s))...) }
	return e
}

func constant(n int64) *expression { return computed(func(*scope) int64 { return n }) }

// textual returns an expression of text, which has no value.
func textual(text printer) *expression {
	e := constant(0)
	e.text = text
	return e
}

// literal returns the expression of a string.
func literal(text string) *expression {
	e := textual(func(b []byte, _ *scope) []byte { return append(b, text...) })
	e.literal = text
	return e
}

// fieldOf returns the expression of a field.
func fieldOf(f *field) *expression {
	var e *expression
	switch {
	case f.loc != notLoc:
		e = computed(func(s *scope) int64 { return int64(binary.LittleEndian.Uint32(s.record[f.offset:])) })
	case f.isInt():
		e = computed(func(s *scope) int64 { return f.int(s.record) })
		e.plain = f
		e.text = func(b []byte, s *scope) []byte { // an address in the kernel
			address := uint64(f.int(s.record))
			if text, ok := s.printk[address]; ok {
				return append(b, text...)
			}
			return appendAddress(b, address)
		}
	default:
		e = constant(int64(f.offset))
	}
	e.field, e.signed = f, f.signed
	e.bytes = func(s *scope) []byte {
		data, ok := f.bytes(s.record)
		s.short = s.short || !ok
		return data
	}
	if e.plain == nil {
		e.text = func(b []byte, s *scope) []byte {
			data, ok := f.bytes(s.record)
			s.short = s.short || !ok
			return appendRoomy(b, cString(data))
		}
	}
	return e
}

// element returns an element of an array, or a character of a literal.
func (e *expression) element(index *expression) *expression {
	f := e.field
	if f == nil {
		return computed(func(s *scope) int64 {
			i := index.number(s)
			if i < 0 || i >= int64(len(e.literal)) {
				s.short = true
				return '?'
			}
			return int64(e.literal[i])
		})
	}
	return computed(func(s *scope) int64 {
		i := index.number(s)
		if i < 0 || i >= int64(f.array) {
			s.short = true
			return 0
		}
		size := f.size / f.array
		element := field{offset: f.offset + int(i)*size, size: size, signed: f.signed}
		return element.int(s.record)
	})
}

// cast returns the expression as a number of so many bits.
func (e *expression) cast(bits uint, signed bool) *expression {
	to := *e
	to.signed, to.field, to.masked = signed, nil, nil
	if shift := 64 - bits; shift > 0 {
		to.plain = nil
		to.number = func(s *scope) int64 { return int64(uint64(e.number(s)) << shift >> shift) }
		if signed {
			to.number = func(s *scope) int64 { return e.number(s) << shift >> shift }
		}
	}
	return &to
}

// unary returns an operator applied to an expression.
func (e *expression) unary(operator string) *expression {
	apply := map[string]func(n int64) int64{
		"-": func(n int64) int64 { return -n }, "~": func(n int64) int64 { return ^n },
		"!": func(n int64) int64 { return truth(n == 0) }, "+": func(n int64) int64 { return n },
	}[operator]
	return computed(func(s *scope) int64 { return apply(e.number(s)) })
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// operators are the binary operators. Those of a higher level bind more.
var operators = map[string]struct {
	level int
	apply func(a, b int64) int64
}{
	"||": {1, func(a, b int64) int64 { return truth(a != 0 || b != 0) }},
	"&&": {2, func(a, b int64) int64 { return truth(a != 0 && b != 0) }},
	"|":  {3, func(a, b int64) int64 { return a | b }},
	"^":  {4, func(a, b int64) int64 { return a ^ b }},
	"&":  {5, func(a, b int64) int64 { return a & b }},
	"==": {6, func(a, b int64) int64 { return truth(a == b) }},
	"!=": {6, func(a, b int64) int64 { return truth(a != b) }},
	"<=": {7, func(a, b int64) int64 { return truth(a <= b) }},
	">=": {7, func(a, b int64) int64 { return truth(a >= b) }},
	"<":  {7, func(a, b int64) int64 { return truth(a < b) }},
	">":  {7, func(a, b int64) int64 { return truth(a > b) }},
	"<<": {8, func(a, b int64) int64 { return a << (uint64(b) & 63) }},
	">>": {8, func(a, b int64) int64 { return a >> (uint64(b) & 63) }},
	"+":  {9, func(a, b int64) int64 { return a + b }},
	"-":  {9, func(a, b int64) int64 { return a - b }},
	"*":  {10, func(a, b int64) int64 { return a * b }},
	"/":  {10, func(a, b int64) int64 { return a / b }},
	"%":  {10, func(a, b int64) int64 { return a % b }},
}

// binary returns an operator applied to two expressions.
func (e *expression) binary(operator string, apply func(a, b int64) int64, other *expression) *expression {
	isDivision := operator == "/" || operator == "%"
	if operator == ">>" && !e.signed {
		apply = func(a, b int64) int64 { return int64(uint64(a) >> (uint64(b) & 63)) }
	}
	to := computed(func(s *scope) int64 {
		a, b := e.number(s), other.number(s)
		if isDivision && b == 0 {
			s.short = true
			return 0
		}
		return apply(a, b)
	})
	to.signed = e.signed
	// The macros of the kernel spell text as (char *)REC + (REC->__data_loc_name & 0xffff).
	switch {
	case operator == "&" && e.field != nil && e.field.loc == absLoc:
		to.masked = e.field
	case operator == "+" && e.record && other.masked != nil:
		to.text = fieldOf(other.masked).text
	}
	return to
}

// choose returns the expression "e ? a : b".
func (e *expression) choose(a, b *expression) *expression {
	to := computed(func(s *scope) int64 {
		if e.number(s) != 0 {
			return a.number(s)
		}
		return b.number(s)
	})
	to.text = func(out []byte, s *scope) []byte {
		if e.number(s) != 0 {
			return a.text(out, s)
		}
		return b.text(out, s)
	}
	return to
}

// conversion is a conversion specification of printf, such as %03d.
type conversion struct {
	verb      byte   // d, u, x, c, s, p or %
	bits      uint   // of the argument
	star      bool   // the width is an argument
	extension string // of %p
	plain     bool   // there is neither a flag, nor a width, nor a precision
	zeros     int    // the width if there is nothing but zeros to pad with
	spec      string // of package fmt
}

// newConversion returns what a match of conversionPattern specifies.
func newConversion(match []string) conversion {
	flags, width, precision, size, verb := match[1], match[2], match[3], match[4], match[5]
	c := conversion{verb: verb[0], bits: 32, star: width == "*", extension: verb[1:], plain: flags+width+precision == ""}
	switch {
	case size == "h":
		c.bits = 16
	case size == "hh":
		c.bits = 8
	case size != "":
		c.bits = 64
	}
	switch c.verb {
	case 'i':
		c.verb = 'd'
	case 'X':
		c.verb = 'x'
	}
	if flags == "0" && precision == "" {
		c.zeros, _ = strconv.Atoi(width)
	}
	c.spec = "%" + flags + width + precision + strings.Replace(string(c.verb), "u", "d", 1)
	return c
}

// separators are what is between bytes of %*ph.
var separators = map[string]string{"h": " ", "hC": ":", "hD": "-", "hN": ""}

// maxBytes is the maximum number of bytes that %*ph prints, as in the kernel.
//
// Source: Linux, lib/vsprintf.c, hex_string.
const maxBytes = 64

// printer returns what prints an expression; count is the argument for the star. It
// returns nil for a conversion that kernels do not have.
func (c conversion) printer(e, count *expression) printer {
	separator, isBytes := separators[c.extension]
	shift := 64 - c.bits
	switch {
	case c.star != isBytes:
		return nil
	case isBytes:
		return func(b []byte, s *scope) []byte {
			data := e.bytes(s)
			n := min(max(0, int(count.number(s))), maxBytes)
			if n > len(data) {
				s.short = true
				n = len(data)
			}
			return appendHexBytes(b, data[:n], separator)
		}
	case c.verb == 'p':
		return func(b []byte, s *scope) []byte { return appendAddress(b, uint64(e.number(s))) }
	case c.verb == 'c':
		return func(b []byte, s *scope) []byte { return append(b, byte(e.number(s))) }
	case c.verb == 's' && c.plain:
		return e.text
	case c.verb == 's':
		return func(b []byte, s *scope) []byte { return fmt.Appendf(b, c.spec, e.text(nil, s)) }
	case c.verb == 'd' && c.plain && e.plain != nil:
		f := e.plain // the most frequent case
		return func(b []byte, s *scope) []byte { return appendInt(b, f.int(s.record)<<shift>>shift) }
	case c.verb == 'd' && c.plain:
		return func(b []byte, s *scope) []byte { return appendInt(b, e.number(s)<<shift>>shift) }
	case c.verb == 'd' && c.zeros == 0:
		return func(b []byte, s *scope) []byte { return fmt.Appendf(b, c.spec, e.number(s)<<shift>>shift) }
	}
	return func(b []byte, s *scope) []byte {
		n := uint64(e.number(s)) << shift >> shift
		switch {
		case c.verb == 'd' && n>>(c.bits-1) != 0: // negative
			return fmt.Appendf(b, c.spec, int64(n<<shift)>>shift)
		case c.verb != 'x' && (c.plain || c.zeros > 0):
			return appendPadded(b, n, c.zeros, '0')
		case c.verb == 'x' && c.plain:
			return appendHex(b, n)
		}
		return fmt.Appendf(b, c.spec, n)
	}
}

func appendAddress(b []byte, address uint64) []byte { return appendHex(append(b, "0x"...), address) }

// appendHexBytes appends two digits for each byte.
func appendHexBytes(b, data []byte, separator string) []byte {
	for i, c := range data {
		if i > 0 {
			b = append(b, separator...)
		}
		b = append(b, hexDigits[c>>4], hexDigits[c&0xf])
	}
	return b
}

// symbol is a number's name.
type symbol struct {
	value int64
	name  string
}

// nameOf returns the name of a value, if it has one.
func nameOf(v int64, symbols []symbol) (string, bool) {
	for i := range symbols {
		if symbols[i].value == v {
			return symbols[i].name, true
		}
	}
	return "", false
}

// appendSymbols appends the names of the flags that are set, and the rest as a number.
//
// Source: Linux, trace_output.c, trace_print_flags_seq.
func appendSymbols(b []byte, v int64, separator string, symbols []symbol) []byte {
	from := len(b)
	for i := range symbols {
		mask := symbols[i].value
		if v&mask != mask || mask == 0 {
			continue
		}
		v &^= mask
		if len(b) > from {
			b = append(b, separator...)
		}
		b = append(b, symbols[i].name...)
	}
	if v != 0 {
		if len(b) > from {
			b = append(b, separator...)
		}
		b = appendAddress(b, uint64(v))
	}
	return b
}

// appendArray appends elements in hexadecimal.
//
// Source: Linux, trace_output.c, trace_print_array_seq.
func appendArray(b []byte, s *scope, data []byte, count, size int64) []byte {
	element := field{size: int(size)}
	if !element.isInt() || count < 0 || count > int64(len(data))/size {
		s.short = true
		return b
	}
	b = append(b, '{')
	for i := range int(count) {
		if i > 0 {
			b = append(b, ',')
		}
		element.offset = i * element.size
		b = appendAddress(b, uint64(element.int(data)))
	}
	return append(b, '}')
}

// hongmengStates are the states of a thread.
//
// Source: openharmony/hiviewdfx_hitrace, parse_functions.py.
var hongmengStates = []symbol{{0, "R"}, {1, "S"}, {2, "D"}, {0x10, "X"}, {0x100, "R+"}}

// schedInfoFields are the bits of the second word of the scheduler's information.
//
// Source: openharmony/hiviewdfx_hitrace, parse_functions.py.
var schedInfoFields = []struct{ shift, bits uint }{{0, 10}, {10, 2}, {12, 1}, {13, 3}, {16, 5}, {21, 7}}

// appendSchedInfo appends what next_info prints: a mask of processors, the load, and
// other bit fields, as many in all as count.
func appendSchedInfo(b []byte, s *scope, data []byte, count int) []byte {
	if len(data) < 8 {
		s.short = true
		return b
	}
	b = appendHex(b, uint64(binary.LittleEndian.Uint32(data)))
	word := uint64(binary.LittleEndian.Uint32(data[4:]))
	for i, f := range schedInfoFields[:count] {
		v := word >> f.shift & (1<<f.bits - 1)
		if i == 0 {
			v <<= 1 // the load is stored halved
		}
		b = appendPadded(append(b, ','), v, 0, ' ')
	}
	return b
}
