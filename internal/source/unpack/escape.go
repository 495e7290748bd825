package unpack

// escape resolves the escape sequences of systrace's strings: line ends, quotes and
// backslashes. A backslash before any other character is kept.
type escape struct {
	begun    bool // after a backslash
	lineEnds bool // after a backslash and a CR, to which an LF belongs
}

// escaped maps the character after a backslash to its meaning, or to 0 if systrace
// does not escape it.
var escaped = [256]byte{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\'': '\'', '\\': '\\', '/': '/'}

// resolve writes the meaning of text to b until either ends. It returns the number
// of bytes written to b and read from text.
func (e *escape) resolve(b, text []byte) (n, used int) {
	for used < len(text) && n < len(b) {
		c := text[used]
		before := *e
		*e = escape{}
		switch {
		case before.lineEnds && c == '\n', before.begun && c == '\n':
			// A line continuation.
		case before.begun && c == '\r':
			e.lineEnds = true
		case before.begun && escaped[c] != 0:
			b[n] = escaped[c]
			n++
		case before.begun:
			b[n] = '\\'
			n++
			continue // handle c again, without the backslash
		case c == '\\':
			e.begun = true
		default:
			b[n] = c
			n++
		}
		used++
	}
	return n, used
}

// resolved returns the meaning of the beginning of a string.
func resolved(text []byte) []byte {
	var e escape
	b := make([]byte, min(len(text), maxHead))
	n, _ := e.resolve(b, text)
	return b[:n]
}

// maxHead is the number of bytes in which the content of a string is recognised.
const maxHead = 4 << 10
