package binarytrace

import (
	"strconv"
	"strings"
)

// maxExpression is the maximum depth of expressions of a print fmt.
const maxExpression = 200

// maxOps is the maximum number of steps of a program: the longest format of Linux has
// some 60.
const maxOps = 1000

// parsePrint compiles a print fmt: a string of printf and C expressions.
func (f *format) parsePrint(text string) (program, bool) {
	x := &parser{rest: text, format: f}
	x.next()
	if x.kind != stringToken {
		return nil, false
	}
	template := x.text
	for x.next(); x.kind == stringToken; x.next() {
		template += x.text
	}
	var args []*node
	for x.accept(",") {
		args = append(args, x.conditional())
		if x.failed {
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
		f.require(&c)
	}
	return p, true
}

// assemble makes the program of a template and its arguments.
func assemble(template string, args []*node) (program, bool) {
	var p program
	literal := ""
	next := func() *node {
		if len(args) == 0 {
			return nil
		}
		a := args[0]
		args = args[1:]
		return a
	}
	for len(template) > 0 {
		i := strings.IndexByte(template, '%')
		if i < 0 {
			i = len(template)
		}
		literal += template[:i]
		template = template[i:]
		if template == "" {
			break
		}
		c, rest, star, extension, ok := parseConversion(template[1:])
		if !ok {
			return nil, false
		}
		template = rest
		if c.verb == '%' {
			literal += "%"
			continue
		}
		var count *node
		if star {
			if count = next(); count == nil {
				return nil, false
			}
		}
		value := next()
		if value == nil {
			return nil, false
		}
		o := op{literal: literal, conv: c, value: value}
		literal = ""
		switch {
		case c.verb == 'p' && strings.HasPrefix(extension, "h"):
			if count == nil {
				return nil, false
			}
			o.kind, o.more = opBytes, count
			switch extension {
			case "hD":
				o.conv.separator = '-'
			case "hC":
				o.conv.separator = ':'
			case "hN":
			default:
				o.conv.separator = ' '
			}
		case star:
			return nil, false
		case c.verb == 'p':
			o.kind = opPointer
		case c.verb == 'c':
			o.kind = opChar
		case c.verb == 's':
			o.kind = opString
			if c.width == 0 && c.precision < 0 {
				o.shortenText()
			}
		default:
			o.kind = opNumber
			o.shortenNumber()
		}
		if p = append(p, o); len(p) > maxOps {
			return nil, false
		}
	}
	if literal != "" {
		p = append(p, op{literal: literal})
	}
	return p, len(args) == 0
}

// shortenText makes the op copy a field if its expression is text of one.
func (o *op) shortenText() {
	n := o.value
	for n.kind == castNode {
		n = n.a
	}
	if n.kind == fieldNode && (!n.field.isInt() || n.field.loc != notLoc) {
		o.kind, o.field = opText, n.field
		return
	}
	// (char *)REC + (REC->__data_loc_name & 0xffff)
	if n.kind != binaryNode || n.operator != "+" || n.b.kind != binaryNode || n.b.operator != "&" {
		return
	}
	base, mask, loc := n.a, n.b.b, n.b.a
	for base.kind == castNode {
		base = base.a
	}
	if base.kind == recordNode && mask.kind == numberNode && mask.number == 0xffff && loc.kind == fieldNode && loc.field.loc == absLoc {
		o.kind, o.field = opText, loc.field
	}
}

// shortenNumber makes the op copy a field if its expression is one and the conversion
// has the field's size and sign, or a larger size.
func (o *op) shortenNumber() {
	n, c := o.value, &o.conv
	for n.kind == castNode && n.bits == 64 {
		n = n.a
	}
	if n.kind != fieldNode || !n.field.isInt() || n.field.loc != notLoc || c.width != 0 || c.prefix || uint(n.field.size)*8 > c.bits {
		return
	}
	same := uint(n.field.size)*8 == c.bits
	switch {
	case c.verb == 'd' && (n.field.signed || !same), c.verb == 'u' && !n.field.signed:
		o.kind, o.field = opDecimal, n.field
	case c.verb == 'x' && (!n.field.signed):
		o.kind, o.field = opHex, n.field
	}
}

// parseConversion parses a conversion specification after its percent sign.
func parseConversion(text string) (c conversion, rest string, star bool, extension string, ok bool) {
	c.precision, c.bits = -1, 32
	i := 0
	at := func() byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
flags:
	for ; ; i++ {
		switch at() {
		case '0':
			c.zero = true
		case '-':
			c.left = true
		case '#':
			c.prefix = true
		case '+', ' ':
		default:
			break flags
		}
	}
	const maxWidth = 1000
	number := func() int {
		n := 0
		for ; at() >= '0' && at() <= '9'; i++ {
			n = min(n*10+int(at()-'0'), maxWidth)
		}
		return n
	}
	if at() == '*' {
		star = true
		i++
	} else {
		c.width = number()
	}
	if at() == '.' {
		i++
		c.precision = number()
	}
	for ; strings.IndexByte("hlLqjzt", at()) >= 0 && at() != 0; i++ {
		switch at() {
		case 'h':
			c.bits /= 2
		default:
			c.bits = 64
		}
	}
	if c.bits < 8 {
		return c, "", false, "", false
	}
	switch c.verb = at(); c.verb {
	case 'd', 'i':
		c.verb = 'd'
	case 'u', 'x', 's', 'c', '%':
	case 'X':
		c.verb = 'x'
	case 'p':
		c.bits = 64
		from := i + 1
		for i+1 < len(text) && (text[i+1] >= 'a' && text[i+1] <= 'z' || text[i+1] >= 'A' && text[i+1] <= 'Z') {
			i++
		}
		extension = text[from : i+1]
	default:
		return c, "", false, "", false
	}
	return c, text[i+1:], star, extension, true
}

// parser parses C expressions.
type parser struct {
	rest   string
	kind   tokenKind
	text   string // of the token; without quotes and escapes for a string
	number int64
	format *format
	used   []field // fields that the expressions need
	depth  int
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
func (x *parser) fail() *node {
	x.failed = true
	return &node{}
}

// conditional parses an expression.
func (x *parser) conditional() *node {
	if x.depth++; x.depth > maxExpression {
		return x.fail()
	}
	defer func() { x.depth-- }()
	n := x.binary(0)
	if x.failed || !x.accept("?") {
		return n
	}
	b := x.conditional()
	x.expect(":")
	return &node{kind: condNode, a: n, b: b, c: x.conditional()}
}

// precedence lists the binary operators, those that bind least first.
var precedence = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (x *parser) binary(level int) *node {
	if level == len(precedence) {
		return x.unary()
	}
	n := x.binary(level + 1)
	for !x.failed {
		operator := ""
		for _, o := range precedence[level] {
			if x.accept(o) {
				operator = o
				break
			}
		}
		if operator == "" {
			break
		}
		n = &node{kind: binaryNode, operator: operator, signed: n.isSigned(), a: n, b: x.binary(level + 1)}
	}
	return n
}

// isSigned reports whether shifting the value to the right copies its sign.
func (n *node) isSigned() bool {
	switch n.kind {
	case fieldNode:
		return n.field.signed
	case castNode, binaryNode:
		return n.signed
	}
	return false
}

func (x *parser) unary() *node {
	if x.depth++; x.depth > maxExpression {
		return x.fail()
	}
	defer func() { x.depth-- }()
	for _, o := range []string{"-", "~", "!", "+"} {
		if x.accept(o) {
			return &node{kind: unaryNode, operator: o, a: x.unary()}
		}
	}
	if x.accept("&") || x.accept("*") { // of an address: the expression itself
		return x.unary()
	}
	if x.kind == operatorToken && x.text == "(" {
		if bits, signed, ok := x.cast(); ok {
			a := x.unary()
			if bits == 0 {
				bits = 64 // an address
			}
			return &node{kind: castNode, bits: bits, signed: signed, a: a}
		}
	}
	return x.postfix()
}

// typeBits are the sizes of C's types in bits.
var typeBits = map[string]uint{
	"char": 8, "short": 16, "int": 32, "long": 64, "bool": 8, "void": 64,
	"u8": 8, "u16": 16, "u32": 32, "u64": 64, "s8": 8, "s16": 16, "s32": 32, "s64": 64,
	"__u8": 8, "__u16": 16, "__u32": 32, "__u64": 64, "__s8": 8, "__s16": 16, "__s32": 32, "__s64": 64,
	"uint8_t": 8, "uint16_t": 16, "uint32_t": 32, "uint64_t": 64, "int8_t": 8, "int16_t": 16, "int32_t": 32, "int64_t": 64,
	"size_t": 64, "ssize_t": 64, "loff_t": 64, "sector_t": 64, "dev_t": 32, "pid_t": 32, "ino_t": 64, "pgoff_t": 64, "uintptr_t": 64, "gfp_t": 32,
}

// unsignedTypes are those of typeBits without a sign that do not begin with u.
var unsignedTypes = map[string]bool{"bool": true, "size_t": true, "sector_t": true, "dev_t": true, "ino_t": true, "pgoff_t": true, "gfp_t": true,
	"__u8": true, "__u16": true, "__u32": true, "__u64": true}

// cast parses "(TYPE)". It reads nothing if there is no type. bits is 0 for an address.
func (x *parser) cast() (bits uint, signed, ok bool) {
	saved := *x
	x.next()
	signed = true
	for x.kind == nameToken {
		switch size, known := typeBits[x.text]; {
		case x.text == "unsigned":
			signed, ok = false, true
			bits = max(bits, 32)
		case x.text == "signed" || x.text == "const" || x.text == "volatile":
			ok = true
			if x.text == "signed" {
				bits = max(bits, 32)
			}
		case x.text == "struct" || x.text == "enum" || x.text == "union":
			x.next() // its name
			ok, bits = true, 32
		case known:
			if size < 32 || bits < size { // "unsigned char" has 8 bits, "long int" has 64
				bits = size
			}
			ok = true
			signed = signed && x.text[0] != 'u' && !unsignedTypes[x.text]
		default:
			*x = saved
			return 0, false, false
		}
		x.next()
	}
	pointer := false
	for ok && x.accept("*") {
		pointer = true
	}
	if !ok || !x.accept(")") {
		*x = saved
		return 0, false, false
	}
	if pointer {
		bits = 0
	}
	return bits, signed, true
}

func (x *parser) postfix() *node {
	n := x.primary()
	for !x.failed {
		switch {
		case x.accept("["):
			index := x.conditional()
			x.expect("]")
			if n.kind != literalNode && n.kind != fieldNode {
				return x.fail()
			}
			n = &node{kind: elementNode, a: n, b: index}
		case x.accept("->"), x.accept("."):
			if n.kind != recordNode || x.kind != nameToken {
				return x.fail()
			}
			n = x.field(x.text)
			x.next()
		default:
			return n
		}
	}
	return n
}

// field returns the expression of a field. Macros of the kernel leave prefixes.
func (x *parser) field(name string) *node {
	c, ok := x.format.find(name)
	if !ok {
		name, _ = strings.CutPrefix(name, "__data_loc_")
		name, _ = strings.CutPrefix(name, "__rel_loc_")
		if c, ok = x.format.find(name); !ok {
			return x.fail()
		}
	}
	x.used = append(x.used, c)
	return &node{kind: fieldNode, field: c}
}

func (x *parser) primary() *node {
	switch x.kind {
	case numberToken:
		n := &node{kind: numberNode, number: x.number}
		x.next()
		return n
	case stringToken:
		n := &node{kind: literalNode, literal: x.text}
		for x.next(); x.kind == stringToken; x.next() {
			n.literal += x.text
		}
		return n
	case nameToken:
		name := x.text
		x.next()
		if name == "REC" {
			return &node{kind: recordNode}
		}
		if name == "true" || name == "false" {
			return &node{kind: numberNode, number: truth(name == "true")}
		}
		if x.accept("(") {
			n := x.call(name)
			x.expect(")")
			return n
		}
	case operatorToken:
		if x.accept("(") {
			n := x.conditional()
			x.expect(")")
			return n
		}
	}
	return x.fail()
}

// call parses the arguments of a function.
func (x *parser) call(name string) *node {
	switch name {
	case "__get_str", "__get_rel_str", "__get_dynamic_array", "__get_rel_dynamic_array", "__get_bitmask", "__get_cpumask":
		if x.kind != nameToken {
			return x.fail()
		}
		n := x.field(x.text)
		x.next()
		return n
	case "__get_dynamic_array_len":
		if x.kind != nameToken {
			return x.fail()
		}
		n := x.field(x.text)
		x.next()
		return &node{kind: binaryNode, operator: ">>", a: n, b: &node{kind: numberNode, number: 16}}
	case "sizeof":
		n := x.conditional()
		if n.kind != fieldNode {
			return x.fail()
		}
		return &node{kind: numberNode, number: int64(n.field.size)}
	case "__print_symbolic":
		n := &node{kind: symbolNode, a: x.conditional()}
		n.symbols = x.symbols()
		return n
	case "__print_flags":
		n := &node{kind: flagsNode, a: x.conditional()}
		x.expect(",")
		if x.kind != stringToken {
			return x.fail()
		}
		n.literal = x.text
		x.next()
		n.symbols = x.symbols()
		return n
	case "__print_hex", "__print_hex_str":
		return &node{kind: hexNode, a: x.conditional(), b: x.argument()}
	case "__print_array":
		return &node{kind: arrayNode, a: x.conditional(), b: x.argument(), c: x.argument()}
	case "hm_trace_tcb_state2str":
		return &node{kind: stateNode, a: x.conditional()}
	case "hm_trace_tcb_unpack_schedinfo":
		n := &node{kind: schedInfoNode, a: x.conditional(), number: int64(len(schedInfoFields))}
		if _, ok := x.format.find("cg"); ok {
			n.number = 4 // the two last bit fields are newer than cg
		}
		x.argument()
		return n
	case "trace_cmdline_of":
		n := &node{kind: cmdlineNode, a: x.conditional()}
		x.expect(",")
		x.next() // a variable of the kernel
		return n
	case "hm_trace_sched_blocked_reason_of":
		return &node{kind: blockedNode, a: x.conditional(), b: x.argument()}
	case "MAJOR":
		return &node{kind: binaryNode, operator: ">>", a: x.conditional(), b: &node{kind: numberNode, number: 20}}
	case "MINOR":
		return &node{kind: binaryNode, operator: "&", a: x.conditional(), b: &node{kind: numberNode, number: 1<<20 - 1}}
	}
	return x.fail()
}

// argument parses a comma and an expression.
func (x *parser) argument() *node {
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
			list = append(list, symbol{value.int(&scope{}), name})
		}
	}
	return list
}
