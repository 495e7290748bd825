package binarytrace

import (
	"strconv"
	"strings"
)

const (
	// maxDepth and maxOperators limit the expressions of a print fmt.
	maxDepth     = 200
	maxOperators = 1000
	// maxSteps is the maximum number of steps of a program. The longest format of
	// Linux has some 60.
	maxSteps = 1000
)

// parsePrint compiles a print fmt: a string of printf and C expressions.
func (f *format) parsePrint(text string) (program, bool) {
	x := &parser{rest: text, format: f}
	x.next()
	if x.kind != stringToken {
		return nil, false
	}
	template := x.strings()
	var args []*expression
	for x.accept(",") {
		args = append(args, x.conditional())
		if x.failed || len(args) > 2*maxSteps { // a step has two at most
			return nil, false
		}
	}
	if x.kind != endToken {
		return nil, false
	}
	p, ok := assemble(template, args)
	if !ok || x.failed {
		return nil, false
	}
	for _, c := range x.used {
		f.require(c)
	}
	return p, true
}

// assemble makes the program of a template and its arguments.
func assemble(template string, args []*expression) (program, bool) {
	var p program
	literal := ""
	for {
		text, rest, found := strings.Cut(template, "%")
		literal += text
		if !found {
			break
		}
		c, rest, ok := parseConversion(rest)
		if template = rest; !ok {
			return nil, false
		}
		if c.verb == '%' {
			literal += "%"
			continue
		}
		var count *expression
		if c.star && len(args) > 0 {
			count, args = args[0], args[1:]
		}
		if len(args) == 0 || len(p) >= maxSteps {
			return nil, false
		}
		print := c.printer(args[0], count)
		if print == nil {
			return nil, false
		}
		p = append(p, step{roomy(literal), print})
		literal, args = "", args[1:]
	}
	if literal != "" {
		p = append(p, step{literal: roomy(literal)})
	}
	return p, len(args) == 0
}

// parseConversion parses a conversion specification after its percent sign.
func parseConversion(text string) (c conversion, rest string, ok bool) {
	c.precision, c.bits = -1, 32
	at := func() byte {
		if text == "" {
			return 0
		}
		return text[0]
	}
	for ; at() != 0 && strings.IndexByte("0-#+ ", at()) >= 0; text = text[1:] {
		c.zero = c.zero || at() == '0'
		c.left = c.left || at() == '-'
		c.prefix = c.prefix || at() == '#'
	}
	const maxWidth = 1000
	number := func() (n int) {
		for ; at() >= '0' && at() <= '9'; text = text[1:] {
			n = min(n*10+int(at()-'0'), maxWidth)
		}
		return n
	}
	if c.star = at() == '*'; c.star {
		text = text[1:]
	} else {
		c.width = number()
	}
	if at() == '.' {
		text = text[1:]
		c.precision = number()
	}
	for ; at() != 0 && strings.IndexByte("hlLqjzt", at()) >= 0; text = text[1:] {
		if c.bits /= 2; at() != 'h' {
			c.bits = 64
		}
	}
	if text == "" || c.bits < 8 {
		return c, "", false
	}
	c.verb, rest = at(), text[1:]
	switch c.verb {
	case 'i':
		c.verb = 'd'
	case 'X':
		c.verb = 'x'
	case 'd', 'u', 'x', 's', 'c', '%':
	case 'p':
		other := strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		c.extension, rest = rest[:len(rest)-len(other)], other
	default:
		return c, "", false
	}
	return c, rest, true
}

// parser parses C expressions.
type parser struct {
	rest   string
	kind   tokenKind
	text   string // of the token; without quotes and escapes for a string
	number int64
	format *format
	used   []*field // fields that the expressions need
	depth  int
	binary int // operators
	failed bool
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	stringToken
	operatorToken
	badToken
)

// operators are tried in this order.
var operators = []string{"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "?", ":", ",", "(", ")", "[", "]", "{", "}", "."}

// next reads the next token.
func (x *parser) next() {
	x.rest = strings.TrimLeft(x.rest, " \t")
	x.kind, x.text = badToken, ""
	switch {
	case x.rest == "":
		x.kind = endToken
	case x.rest[0] == '"':
		x.readString()
	case x.rest[0] == '\'' && len(x.rest) > 2 && x.rest[2] == '\'':
		x.kind, x.number, x.rest = numberToken, int64(x.rest[1]), x.rest[3:]
	case isNameByte(x.rest[0]):
		i := 0
		for i < len(x.rest) && isNameByte(x.rest[i]) {
			i++
		}
		x.text, x.rest = x.rest[:i], x.rest[i:]
		x.kind = nameToken
		if c := x.text[0]; c >= '0' && c <= '9' {
			n, err := strconv.ParseUint(strings.TrimRight(x.text, "uUlL"), 0, 64)
			if x.kind, x.number = numberToken, int64(n); err != nil {
				x.kind = badToken
			}
		}
	default:
		for _, o := range operators {
			if strings.HasPrefix(x.rest, o) {
				x.kind, x.text, x.rest = operatorToken, o, x.rest[len(o):]
				return
			}
		}
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (x *parser) readString() {
	var text []byte
	for i := 1; i < len(x.rest); i++ {
		switch c := x.rest[i]; {
		case c == '"':
			x.kind, x.text, x.rest = stringToken, string(text), x.rest[i+1:]
			return
		case c == '\\' && i+1 < len(x.rest):
			i++
			switch x.rest[i] {
			case 'n':
				text = append(text, '\n')
			case 't':
				text = append(text, '\t')
			default:
				text = append(text, x.rest[i])
			}
		default:
			text = append(text, c)
		}
	}
}

// accept reads an operator if it is next.
func (x *parser) accept(operator string) bool {
	if x.kind == operatorToken && x.text == operator {
		x.next()
		return true
	}
	return false
}

// expect reads an operator that must be next.
func (x *parser) expect(operator string) {
	if !x.accept(operator) {
		x.failed = true
	}
}

// fail returns an expression of no meaning.
func (x *parser) fail() *expression {
	x.failed = true
	return constant(0)
}

// strings reads one or more strings, which are one.
func (x *parser) strings() string {
	var text strings.Builder
	for ; x.kind == stringToken; x.next() {
		text.WriteString(x.text)
	}
	return text.String()
}

// conditional parses an expression.
func (x *parser) conditional() *expression {
	if x.depth++; x.depth > maxDepth {
		return x.fail()
	}
	defer func() { x.depth-- }()
	e := x.operators(0)
	if x.failed || !x.accept("?") {
		return e
	}
	a := x.conditional()
	x.expect(":")
	return e.choose(a, x.conditional())
}

// operators parses an expression of binary operators from a level of precedence on.
func (x *parser) operators(level int) *expression {
	if level == len(binaryOperators) {
		return x.unary()
	}
	e := x.operators(level + 1)
	for !x.failed && x.kind == operatorToken {
		operator := x.text
		apply := binaryOperators[level][operator]
		if apply == nil {
			break
		}
		if x.binary++; x.binary > maxOperators {
			return x.fail()
		}
		x.next()
		e = e.binary(operator, apply, x.operators(level+1))
	}
	return e
}

func (x *parser) unary() *expression {
	if x.depth++; x.depth > maxDepth {
		return x.fail()
	}
	defer func() { x.depth-- }()
	for _, o := range []string{"-", "~", "!", "+"} {
		if x.accept(o) {
			return x.unary().unary(o)
		}
	}
	if x.accept("&") || x.accept("*") { // of an address: the expression itself
		return x.unary()
	}
	if x.kind == operatorToken && x.text == "(" {
		if bits, signed, ok := x.cast(); ok {
			return x.unary().cast(bits, signed)
		}
	}
	return x.postfix()
}

// typeBits are the sizes of C's types in bits, negative for unsigned ones.
var typeBits = map[string]int{
	"char": 8, "short": 16, "int": 32, "long": 64, "void": 64, "loff_t": 64, "ssize_t": 64, "pid_t": 32,
	"bool": -8, "size_t": -64, "sector_t": -64, "ino_t": -64, "pgoff_t": -64, "uintptr_t": -64, "dev_t": -32, "gfp_t": -32,
	"s8": 8, "s16": 16, "s32": 32, "s64": 64, "u8": -8, "u16": -16, "u32": -32, "u64": -64,
	"__s8": 8, "__s16": 16, "__s32": 32, "__s64": 64, "__u8": -8, "__u16": -16, "__u32": -32, "__u64": -64,
	"int8_t": 8, "int16_t": 16, "int32_t": 32, "int64_t": 64, "uint8_t": -8, "uint16_t": -16, "uint32_t": -32, "uint64_t": -64,
}

// cast parses "(TYPE)". It reads nothing if there is no type.
func (x *parser) cast() (bits uint, signed, ok bool) {
	saved := *x
	x.next()
	signed = true
	for ; x.kind == nameToken; x.next() {
		size, known := typeBits[x.text]
		switch x.text {
		case "const", "volatile":
		case "unsigned", "signed":
			signed = x.text == "signed"
			bits = max(bits, 32)
		case "struct", "enum", "union":
			x.next() // its name
			bits = 32
		default:
			if !known {
				*x = saved
				return 0, false, false
			}
			if size < 0 {
				size, signed = -size, false
			}
			if size < 32 || bits < uint(size) { // "unsigned char" has 8 bits, "long int" has 64
				bits = uint(size)
			}
		}
		ok = true
	}
	for ok && x.accept("*") {
		bits = 64 // an address
	}
	if !ok || !x.accept(")") {
		*x = saved
		return 0, false, false
	}
	return bits, signed, true
}

func (x *parser) postfix() *expression {
	e := x.primary()
	for !x.failed {
		switch {
		case x.accept("["):
			index := x.conditional()
			x.expect("]")
			if e.literal == "" && e.field == nil {
				return x.fail()
			}
			e = e.element(index)
		case x.accept("->"), x.accept("."):
			if !e.record {
				return x.fail()
			}
			e = x.field()
		default:
			return e
		}
	}
	return e
}

// field reads the name of a field. Macros of the kernel leave prefixes.
func (x *parser) field() *expression {
	name := x.text
	if x.kind != nameToken {
		return x.fail()
	}
	x.next()
	c, ok := x.format.find(name)
	if !ok {
		name, _ = strings.CutPrefix(name, "__data_loc_")
		name, _ = strings.CutPrefix(name, "__rel_loc_")
		if c, ok = x.format.find(name); !ok {
			return x.fail()
		}
	}
	x.used = append(x.used, &c)
	return fieldOf(&c)
}

func (x *parser) primary() *expression {
	switch x.kind {
	case numberToken:
		e := constant(x.number)
		x.next()
		return e
	case stringToken:
		return literal(x.strings())
	case nameToken:
		name := x.text
		x.next()
		switch {
		case name == "REC":
			e := constant(0)
			e.record = true
			return e
		case name == "true", name == "false":
			return constant(truth(name == "true"))
		case x.accept("("):
			e := x.call(name)
			x.expect(")")
			return e
		}
	case operatorToken:
		if x.accept("(") {
			e := x.conditional()
			x.expect(")")
			return e
		}
	}
	return x.fail()
}

// call parses the arguments of a function.
func (x *parser) call(name string) *expression {
	switch name {
	case "__get_str", "__get_rel_str", "__get_dynamic_array", "__get_rel_dynamic_array", "__get_bitmask", "__get_cpumask":
		return x.field()
	case "__get_dynamic_array_len":
		length := x.field().number
		return computed(func(s *scope) int64 { return length(s) >> 16 })
	}
	a := x.conditional()
	switch name {
	case "sizeof":
		if a.field == nil {
			return x.fail()
		}
		return constant(int64(a.field.size))
	case "__print_symbolic":
		symbols := x.symbols()
		return textual(func(b []byte, s *scope) []byte {
			v := a.number(s)
			if name, ok := nameOf(v, symbols); ok {
				return append(b, name...)
			}
			return appendAddress(b, uint64(v))
		})
	case "__print_flags":
		x.expect(",")
		if x.kind != stringToken {
			return x.fail()
		}
		separator := x.text
		x.next()
		symbols := x.symbols()
		return textual(func(b []byte, s *scope) []byte { return appendSymbols(b, a.number(s), separator, symbols) })
	case "__print_hex", "__print_hex_str":
		count := x.argument().number
		return textual(func(b []byte, s *scope) []byte {
			data := a.bytes(s)
			return appendHexBytes(b, data[:min(len(data), max(0, int(count(s))))], " ")
		})
	case "__print_array":
		count, size := x.argument().number, x.argument().number
		return textual(func(b []byte, s *scope) []byte { return appendArray(b, s, a.bytes(s), count(s), size(s)) })
	case "hm_trace_tcb_state2str":
		return textual(func(b []byte, s *scope) []byte {
			name, ok := nameOf(a.number(s), hongmengStates)
			if !ok {
				name = "?"
			}
			return append(b, name...)
		})
	case "hm_trace_tcb_unpack_schedinfo":
		count := len(schedInfoFields)
		if _, ok := x.format.find("cg"); ok {
			count = 4 // the two last bit fields are newer than cg
		}
		x.argument()
		return textual(func(b []byte, s *scope) []byte { return appendSchedInfo(b, s, a.bytes(s), count) })
	case "trace_cmdline_of":
		x.expect(",")
		x.next() // a variable of the kernel
		return textual(func(b []byte, s *scope) []byte {
			tid := int32(a.number(s))
			if tid == 0 {
				return appendInt(append(b, "tppmgr-idle-"...), int64(s.cpu))
			}
			return append(b, s.names.comm(tid)...)
		})
	case "hm_trace_sched_blocked_reason_of":
		caller := x.argument().number
		return textual(func(b []byte, s *scope) []byte {
			b = appendAddress(b, uint64(caller(s)))
			return appendInt(append(b, " cnode_idx="...), a.number(s))
		})
	case "MAJOR":
		return computed(func(s *scope) int64 { return int64(uint64(a.number(s)) >> 20) })
	case "MINOR":
		return computed(func(s *scope) int64 { return a.number(s) & (1<<20 - 1) })
	}
	return x.fail()
}

// argument parses a comma and an expression.
func (x *parser) argument() *expression {
	x.expect(",")
	return x.conditional()
}

// symbols parses ", { VALUE, "NAME" }" for each symbol.
func (x *parser) symbols() []symbol {
	var list []symbol
	for !x.failed && x.accept(",") {
		x.expect("{")
		fields := len(x.used)
		value := x.conditional()
		x.failed = x.failed || len(x.used) > fields // a value must be constant
		x.expect(",")
		if x.kind != stringToken {
			x.failed = true
			return nil
		}
		name := x.text
		x.next()
		x.expect("}")
		if !x.failed {
			list = append(list, symbol{value.number(&scope{}), name})
		}
	}
	return list
}
