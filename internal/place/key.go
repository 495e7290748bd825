package place

import (
	"bytes"
	"unicode/utf8"
)

// maxKey is the longest key in bytes.
const maxKey = 96

// unnamed is the key of a label without a name: a bare number, punctuation.
var unnamed = []byte("unnamed")

// AppendKey appends the key of a slice to dst and returns the extended slice.
// Slices with equal keys are instances of the same thing: ids, sizes, times,
// addresses and paths of the label are gone, names of functions and components
// are left.
//
//	CustomNode:BuildItem [IconItem][self:38]   CustomNode:BuildItem[IconItem]
//	RSMainThread::DoComposition: 1234          RSMainThread::DoComposition
//	virtual int A::B::c(const int)             A::B::c
//
// label is the result of hitrace.Marker.Label, or a raw name with "H:" and the
// hitrace suffix. The key has 1 to maxKey bytes and is valid UTF-8 if the label
// is. The key of a key is the key itself. Nothing is allocated if dst has maxKey
// bytes of capacity left.
func AppendKey(dst, label []byte) []byte {
	base := len(dst)
	dst = appendPass(dst, label)
	// A pass never lengthens a key, so this ends. Most keys are left alone by
	// the second pass.
	for !isPlain(dst[base:]) {
		var next [maxKey]byte
		again := appendPass(next[:0], dst[base:])
		if bytes.Equal(again, dst[base:]) {
			break
		}
		dst = append(dst[:base], again...)
	}
	return dst
}

// isPlain reports whether a key has nothing but letters and "::" in it, so that
// another pass would not change it.
func isPlain(key []byte) bool {
	for i := 0; i < len(key); i++ {
		if key[i] == ':' && i > 0 && i+2 < len(key) && key[i+1] == ':' {
			i++
			continue
		}
		if c := key[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// appendPass applies the rules once.
func appendPass(dst, label []byte) []byte {
	base := len(dst)
	name := cutFront(label)
	name = cutSignature(name)
	if fixed := markers().fixedKey(name); fixed != "" {
		return append(dst, fixed...)
	}
	if component, ok := bytes.CutPrefix(name, updatedComponent); ok {
		// As versions without "name:" write it.
		dst = append(dst, updatedComponent[:len(updatedComponent)-len("name:")]...)
		name = component
	}
	text, bracket := scan(name)
	text = trim(text)
	if len(text) == 0 {
		text, bracket = firstWord(label), nil
	}
	dst = append(dst, cutLength(text, maxKey-(len(dst)-base))...)
	if n := len(dst) - base; len(bracket) > 0 && n+len(bracket)+2 <= maxKey {
		dst = append(dst, '[')
		dst = append(dst, bracket...)
		dst = append(dst, ']')
	}
	return dst
}

// updatedComponent precedes the name of a component that is built anew, in
// arkui_ace_engine's master.
var updatedComponent = []byte("CustomNodeUpdate name:")

// cutFront drops what precedes the name: "H:", the ids of a call chain, an
// instance in brackets, punctuation.
func cutFront(s []byte) []byte {
	for {
		for len(s) > 0 && noBegin[s[0]] {
			s = s[1:]
		}
		switch {
		case len(s) >= 2 && s[0] == 'H' && s[1] == ':':
			s = s[2:]
		case len(s) > 0 && s[0] == '[':
			end := closing(s)
			s = s[min(end+1, len(s)):]
		default:
			return s
		}
	}
}

// closing returns the index of the bracket that closes the one at s[0], or
// len(s).
func closing(s []byte) int {
	depth := 0
	for i, c := range s {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// cutSignature returns the qualified name of a C++ function whose signature
// s begins with: the name that __PRETTY_FUNCTION__ writes, without return type
// and arguments. Other names are returned as they are.
func cutSignature(s []byte) []byte {
	if bytes.IndexByte(s, '(') < 0 {
		return s
	}
	angles := 0
	for i, c := range s {
		switch c {
		case '<':
			angles++
		case '>':
			angles--
		case '(':
			if bytes.HasPrefix(s[i:], anonymous) {
				continue
			}
			name := s[wordBefore(s[:i]):i]
			if bytes.Contains(name, []byte("::")) {
				if at := bytes.LastIndex(name, anonymous); at >= 0 {
					name = name[at+len(anonymous):]
				}
				return name
			}
			// Inside angle brackets, as in std::function<void(int)>, it is
			// part of the return type.
			if angles <= 0 {
				return s
			}
		case ',':
			if angles <= 0 {
				return s
			}
		case ';', '{', '|', '[', '\n':
			return s
		}
	}
	return s
}

// anonymous is how compilers write a namespace without a name.
var anonymous = []byte("(anonymous namespace)::")

// wordBefore returns where the last word of s begins. Blanks inside of angle
// brackets and parentheses do not end a word.
func wordBefore(s []byte) int {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case '>', ')':
			depth++
		case '<', '(':
			depth--
		case ' ', '*', '&':
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return 0
}

// scan returns the part of s before its first variable part, and the name in its
// first brackets if that is the end of it.
func scan(s []byte) (text, bracket []byte) {
	word := 0 // where the current word begins
	digits := 0
	for i, c := range s {
		if isDigit(c) {
			if endsHere(s, word, i) {
				return cutField(s[:i]), nil
			}
			// Nobody numbers functions in the ten thousands: it is an id.
			if digits++; digits == 5 {
				return cutField(s[:i-4]), nil
			}
			continue
		}
		digits = 0
		switch c {
		case ' ', '\t':
			word = i + 1
		case '[':
			if bracket = nameInBrackets(s[i:]); len(bracket) > 0 {
				return s[:i], bracket
			}
			if word > 0 {
				return cutField(s[:max(word, bytes.LastIndexByte(s[:i], ' '))]), nil
			}
			return s[:i], nil
		case ',', ';', '{', '}', '(', '|', '@', '"', '\n', '\r':
			return cutField(s[:i]), nil
		case '-':
			if i+1 < len(s) && isDigit(s[i+1]) && (i == word || s[i-1] == ':' || s[i-1] == '=') {
				return cutField(s[:i]), nil
			}
		case '/':
			if i == word {
				return cutField(s[:i]), nil
			}
			if s[i-1] == ':' { // scheme://
				if word > 0 {
					return s[:word], nil
				}
				return s[:i], nil
			}
		case ':', '=':
			if word > 0 && isName(s[word:i]) {
				return s[:word], nil
			}
		default:
			if c < ' ' {
				return s[:i], nil
			}
		}
	}
	return s, nil
}

// endsHere reports whether the digit at s[i] begins a number that ends the key:
// a word of its own, or one after a separator. word is where its word begins.
func endsHere(s []byte, word, i int) bool {
	if i > word {
		switch s[i-1] {
		case ':', '_', '#', '=', '-':
			return true
		}
		return false
	}
	if i > 0 {
		return true
	}
	// A name may begin with digits, as 3DScene does.
	for ; i < len(s) && isDigit(s[i]); i++ {
	}
	return i == len(s) || !isLetter(s[i]) || s[0] == '0' && s[i] == 'x'
}

// cutField drops the name of the field whose value follows s: "rate:",
// "address = ". The first word is no field but the name itself.
func cutField(s []byte) []byte {
	end := bytes.TrimRight(s, " \t")
	if len(end) == 0 || end[len(end)-1] != ':' && end[len(end)-1] != '=' {
		return s
	}
	end = bytes.TrimRight(end, ":= \t")
	if blank := bytes.LastIndexAny(end, " \t"); blank >= 0 {
		return end[:blank]
	}
	return end
}

// isName reports whether a field's name is that of a name: such values are
// individual surfaces and buffers.
func isName(field []byte) bool {
	n := len(field) - len("name")
	return n >= 0 && field[n]|0x20 == 'n' && string(field[n+1:]) == "ame"
}

// nameInBrackets returns the name inside the brackets that s begins with, or nil
// if they contain something else. Instance numbers at the end of the name are cut.
func nameInBrackets(s []byte) []byte {
	end := closing(s)
	if end == len(s) {
		return nil
	}
	s = s[1:end]
	if len(s) == 0 || !isLetter(s[0]) {
		return nil
	}
	for _, c := range s {
		if c == ':' || c == '=' || c == ',' {
			return nil
		}
	}
	digits := 0
	for i, c := range s {
		if isDigit(c) {
			digits++
			if s[i-1] == '_' || digits == 5 {
				s = s[:i-digits+1]
				break
			}
			continue
		}
		digits = 0
		if !isLetter(c) && c != '_' && c != '.' && c != '-' && c != '<' && c != '>' {
			s = s[:i]
			break
		}
	}
	for len(s) > 0 && (isDigit(s[len(s)-1]) || noEnd[s[len(s)-1]]) {
		s = s[:len(s)-1]
	}
	return s
}

// firstWord returns the first word of a label that has no other name.
func firstWord(label []byte) []byte {
	for len(label) > 0 && !isLetter(label[0]) && !isDigit(label[0]) {
		label = label[1:]
	}
	if len(label) == 0 || isDigit(label[0]) {
		return unnamed
	}
	for i, c := range label {
		if !isLetter(c) && c != '_' {
			return label[:i]
		}
	}
	return label
}

// Bytes that no key begins with, and that none ends with.
var (
	noBegin = byteSet(" \t:_-.#=,;|>)]}\r\n")
	noEnd   = byteSet(" \t:_-.#=,;|\r\n")
)

func byteSet(bytes string) (set [256]bool) {
	for i := range len(bytes) {
		set[bytes[i]] = true
	}
	return set
}

func trim(s []byte) []byte {
	for len(s) > 0 && noEnd[s[len(s)-1]] {
		s = s[:len(s)-1]
	}
	return s
}

// cutLength shortens s to n bytes or up to three less, so that no character is cut. Where
// s is not UTF-8, it is n bytes.
func cutLength(s []byte, n int) []byte {
	if len(s) <= n {
		return s
	}
	for i := n; i >= 0 && i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return trim(s[:i])
		}
	}
	return trim(s[:n])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter reports whether c is a letter, or a part of one beyond ASCII.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf }
