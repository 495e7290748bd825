package unpack

// escape resolves what is escaped in a string of a script, as far as systrace did
// that: line ends, quotes, backslashes. Before anything else a backslash stays.
type escape struct {
	begun    bool // after a backslash
	lineEnds bool // after a backslash and a CR: an LF belongs to them
}

// escaped maps what follows a backslash to what it stands for; 0 for what systrace
// does not escape.
var escaped = [256]byte{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\'': '\'', '\\': '\\', '/': '/'}

// resolve resolves text into b, up to the end of either. It returns how many bytes
// it wrote and how many it used up.
func (e *escape) resolve(b, text []byte) (n, used int) {
	for used < len(text) && n < len(b) {
		c := text[used]
		before := *e
		*e = escape{}
		switch {
		case before.lineEnds && c == '\n', before.begun && c == '\n':
			// The string goes on in the next line.
		case before.begun && c == '\r':
			e.lineEnds = true
		case before.begun && escaped[c] != 0:
			b[n] = escaped[c]
			n++
		case before.begun:
			b[n] = '\\'
			n++
			continue // with c alone
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

// resolved returns what a string begins with.
func resolved(text []byte) []byte {
	var e escape
	b := make([]byte, min(len(text), maxHead))
	n, _ := e.resolve(b, text)
	return b[:n]
}

// maxHead is how much of a string is looked at to see what it is.
const maxHead = 4 << 10
