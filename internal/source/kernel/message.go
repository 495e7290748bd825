package kernel

import (
	"encoding/binary"
	"math/bits"
)

// The types of fields of a message.
//
// Source: the encoding of protocol buffers, message structure.
const (
	WireVarint  = 0
	WireFixed64 = 1
	WireBytes   = 2
	WireFixed32 = 5
)

// Field reads the field at the beginning of b: its number times eight plus its type, its value or else its bytes,
// and its length. The length is 0 for a damaged field, and for a group, which no writer has. It is negative for bytes
// that end behind b; then data are those that b has.
func Field(b []byte) (tag, value uint64, data []byte, n int) {
	if len(b) == 0 {
		return 0, 0, nil, 0
	}
	if tag, n = uint64(b[0]), 1; tag >= 0x80 {
		tag, n = varint(b)
	}
	if n <= 0 || tag>>3 == 0 {
		return 0, 0, nil, 0
	}
	rest := b[n:]
	switch tag & 7 {
	case WireVarint, WireBytes:
		m := 1
		if len(rest) > 0 && rest[0] < 0x80 {
			value = uint64(rest[0])
		} else if value, m = varint(rest); m <= 0 {
			return 0, 0, nil, 0
		}
		n += m
		switch rest = rest[m:]; {
		case tag&7 == WireVarint:
			return tag, value, nil, n
		case value > uint64(len(rest)):
			return tag, 0, rest, -1
		}
		return tag, 0, rest[:value], n + int(value)
	case WireFixed64:
		if len(rest) >= 8 {
			return tag, binary.LittleEndian.Uint64(rest), nil, n + 8
		}
	case WireFixed32:
		if len(rest) >= 4 {
			return tag, uint64(binary.LittleEndian.Uint32(rest)), nil, n + 4
		}
	}
	return 0, 0, nil, 0
}

// varint returns the number at the beginning of b, and its length. The length is not positive if there is no number. Lengths
// may be padded with zeros, as hiprofiler writes them.
func varint(b []byte) (v uint64, n int) {
	if len(b) >= 8 {
		v = binary.LittleEndian.Uint64(b)
		if ends := ^v & 0x8080808080808080; ends != 0 { // the number ends in the first byte without that bit
			v &= (ends ^ (ends - 1)) & 0x7f7f7f7f7f7f7f7f
			v = v&0x007f007f007f007f | v&0x7f007f007f007f00>>1
			v = v&0x00003fff00003fff | v&0x3fff00003fff0000>>2
			v = v&0x000000000fffffff | v&0x0fffffff00000000>>4
			return v, bits.TrailingZeros64(ends)/8 + 1
		}
	}
	return binary.Uvarint(b)
}
