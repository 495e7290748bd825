package binarytrace

import "ohframe/internal/source/kernel"

// fields reads the fields of a message one after another. It accepts lengths that are
// padded with zeros, as hiprofiler writes them.
type fields struct {
	rest []byte
	cut  bool // the message is cut: its last field may be, too

	number   int
	isBytes  bool
	value    uint64 // of a number
	data     []byte // of bytes
	cutShort bool   // data ends early
	bad      bool   // the message is damaged from here on
}

// next reads a field and reports whether there is one.
func (f *fields) next() bool {
	if len(f.rest) == 0 || f.cutShort {
		return false
	}
	tag, value, data, n := kernel.Field(f.rest)
	if n <= 0 && !(n < 0 && f.cut) {
		f.bad = !f.cut
		return false
	}
	f.number, f.isBytes, f.value, f.data = int(min(tag>>3, maxNumber)), tag&7 == kernel.WireBytes, value, data
	if n < 0 {
		f.cutShort, n = true, len(f.rest)
	}
	f.rest = f.rest[n:]
	return true
}

// maxNumber is the maximum number of a field.
const maxNumber = 1<<29 - 1
