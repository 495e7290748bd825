package binarytrace

import (
	"encoding/binary"
	"math/bits"
)

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
	b, ok := f.rest, true
	tag := uint64(b[0])
	if tag < 0x80 {
		b = b[1:]
	} else {
		tag, b, ok = varint(b)
	}
	f.number, f.isBytes, f.value, f.data = int(min(tag>>3, maxNumber)), false, 0, nil
	switch tag & 7 {
	case wireVarint:
		if len(b) > 0 && b[0] < 0x80 {
			f.value, b = uint64(b[0]), b[1:]
		} else if ok {
			f.value, b, ok = varint(b)
		}
	case wireFixed64:
		if ok = ok && len(b) >= 8; ok {
			f.value, b = binary.LittleEndian.Uint64(b), b[8:]
		}
	case wireFixed32:
		if ok = ok && len(b) >= 4; ok {
			f.value, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
		}
	case wireBytes:
		f.isBytes = true
		var length uint64
		if len(b) > 0 && b[0] < 0x80 {
			length, b = uint64(b[0]), b[1:]
		} else if ok {
			length, b, ok = varint(b)
		}
		switch {
		case !ok:
		case length <= uint64(len(b)):
			f.data, b = b[:length], b[length:]
		case f.cut:
			f.data, f.cutShort, b = b, true, b[len(b):]
		default:
			ok = false
		}
	default: // groups, which no writer has
		ok = false
	}
	if !ok || tag>>3 == 0 {
		f.bad = !f.cut
		return false
	}
	f.rest = b
	return true
}

// The kinds of fields.
//
// Source: the encoding of protocol buffers, message structure.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// maxNumber is the maximum number of a field.
const maxNumber = 1<<29 - 1

// varint returns the number at the beginning of b, and the rest.
func varint(b []byte) (v uint64, rest []byte, ok bool) {
	if len(b) >= 8 {
		v = binary.LittleEndian.Uint64(b)
		if ends := ^v & 0x8080808080808080; ends != 0 { // the number ends in the first byte without that bit
			v &= (ends ^ (ends - 1)) & 0x7f7f7f7f7f7f7f7f
			v = v&0x007f007f007f007f | v&0x7f007f007f007f00>>1
			v = v&0x00003fff00003fff | v&0x3fff00003fff0000>>2
			v = v&0x000000000fffffff | v&0x0fffffff00000000>>4
			return v, b[bits.TrailingZeros64(ends)/8+1:], true
		}
	}
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}
