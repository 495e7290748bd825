package binarytrace

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
)

const (
	// maxDepth and maxOperators limit the expressions of a print fmt.
	maxDepth     = 200
	maxOperators = 1000
	// maxSteps is the maximum number of steps of a program, maxTokens that of tokens of a
	// print fmt. The longest format of Linux has some 60 steps.
	maxSteps  = 1000
	maxTokens = 20_000
)

// parsePrint compiles a print fmt: a string of printf and C expressions.
func (f *format) parsePrint(text string) (program, bool) {
	tokens, ok := tokenize(text)
	if !ok || tokens[0].kind != scanner.String {
		return nil, false
	}
	x := &parser{token: tokens[0], rest: tokens[1:], format: f}
	template := x.strings()
	var args []*expression
	for x.accept(",") {
		args = append(args, x.conditional())
		if x.failed || len(args) > 2*maxSteps { // a step has two at most
			return nil, false
		}
	}
	if x.kind != scanner.EOF {
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

// conversionPattern matches a conversion specification after its percent sign: flags, a
// width, a precision, the size of the argument, and the verb.
var conversionPattern = regexp.MustCompile(`^([-+ #0]*)(\*|\d{0,3})((?:\.\d{0,3})?)(hh|h|[lLqjzt]*)([diuxXsc%]|p[A-Za-z]*)`)

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
		match := conversionPattern.FindStringSubmatch(rest)
		if match == nil {
			return nil, false
		}
		template = rest[len(match[0]):]
		c := newConversion(match)
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

// token is a token of C.
type token struct {
	kind   rune   // as the scanner returns it
	text   string // without quotes and escapes for a string
	number int64
}

// longOperators are the operators of two characters.
var longOperators = []string{"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"}

// tokenize returns the tokens of a text. The last is the end.
func tokenize(text string) (tokens []token, ok bool) {
	var in scanner.Scanner
	in.Init(strings.NewReader(text))
	in.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanChars | scanner.ScanStrings
	in.Error = func(*scanner.Scanner, string) { ok = false }
	for ok = true; ok && len(tokens) < maxTokens; {
		t := token{kind: in.Scan(), text: in.TokenText()}
		var err error
		switch t.kind {
		case scanner.EOF:
			return append(tokens, t), ok
		case scanner.Ident:
		case scanner.Int:
			for strings.ContainsRune("uUlL", in.Peek()) {
				in.Next()
			}
			var n uint64
			n, err = strconv.ParseUint(t.text, 0, 64)
			t.number = int64(n)
		case scanner.Char:
			var c rune
			c, _, _, err = strconv.UnquoteChar(t.text[1:], '\'')
			t.number = int64(c)
		case scanner.String:
			t.text, err = strconv.Unquote(t.text)
		default:
			if long := t.text + string(in.Peek()); slices.Contains(longOperators, long) {
				in.Next()
				t.text = long
			}
		}
		ok = ok && err == nil
		tokens = append(tokens, t)
	}
	return tokens, false
}

// parser parses C expressions.
type parser struct {
	token
	rest   []token // the last is the end
	format *format
	used   []*field // fields that the expressions need
	depth  int
	binary int // operators
	failed bool
}

// next reads the next token.
func (x *parser) next() {
	if len(x.rest) > 0 {
		x.token, x.rest = x.rest[0], x.rest[1:]
	}
}

// isOperator reports whether the token is an operator.
func (x *parser) isOperator() bool { return x.kind >= 0 }

// accept reads an operator if it is next.
func (x *parser) accept(operator string) bool {
	if x.isOperator() && x.text == operator {
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
	for ; x.kind == scanner.String; x.next() {
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
	e := x.operators(1)
	if x.failed || !x.accept("?") {
		return e
	}
	a := x.conditional()
	x.expect(":")
	return e.choose(a, x.conditional())
}

// operators parses an expression of binary operators that bind at least as much as a
// level.
func (x *parser) operators(level int) *expression {
	e := x.unary()
	for !x.failed && x.isOperator() {
		operator, ok := operators[x.text]
		if !ok || operator.level < level {
			break
		}
		if x.binary++; x.binary > maxOperators {
			return x.fail()
		}
		text := x.text
		x.next()
		e = e.binary(text, operator.apply, x.operators(operator.level+1))
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
	if x.isOperator() && x.text == "(" {
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
	for ; x.kind == scanner.Ident; x.next() {
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
	if x.kind != scanner.Ident {
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
	case scanner.Int, scanner.Char:
		e := constant(x.number)
		x.next()
		return e
	case scanner.String:
		return literal(x.strings())
	case scanner.Ident:
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
	default:
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
	case "__get_str", "__get_rel_str", "__get_dynamic_array", "__get_rel_dynamic_array":
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
		if x.kind != scanner.String {
			return x.fail()
		}
		separator := x.text
		x.next()
		symbols := x.symbols()
		return textual(func(b []byte, s *scope) []byte { return appendSymbols(b, a.number(s), separator, symbols) })
	case "__print_hex":
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
		if x.kind != scanner.String {
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
