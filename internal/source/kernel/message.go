package kernel

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

// field reads the field at the beginning of b: its number and type, its value or else its bytes,
// and its length. The length is 0 for a damaged field, and for a group, which no writer has. It is negative for bytes
// that end behind b; then data are those that b has.
func field(b []byte) (number protowire.Number, kind protowire.Type, value uint64, data []byte, n int) {
	if len(b) == 0 {
		return 0, 0, 0, nil, 0
	}
	tag := uint64(b[0])
	if n = 1; tag >= 0x80 {
		tag, n = varint(b)
	}
	if n <= 0 || tag>>3 == 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
		return 0, 0, 0, nil, 0
	}
	number, kind = protowire.Number(tag>>3), protowire.Type(tag&7)
	rest := b[n:]
	switch kind {
	case protowire.VarintType, protowire.BytesType:
		m := 1
		if len(rest) > 0 && rest[0] < 0x80 {
			value = uint64(rest[0])
		} else if value, m = varint(rest); m <= 0 {
			return 0, 0, 0, nil, 0
		}
		n += m
		switch rest = rest[m:]; {
		case kind == protowire.VarintType:
			return number, kind, value, nil, n
		case value > uint64(len(rest)):
			return number, kind, 0, rest, -1
		}
		return number, kind, 0, rest[:value], n + int(value)
	case protowire.Fixed64Type:
		if len(rest) >= 8 {
			return number, kind, binary.LittleEndian.Uint64(rest), nil, n + 8
		}
	case protowire.Fixed32Type:
		if len(rest) >= 4 {
			return number, kind, uint64(binary.LittleEndian.Uint32(rest)), nil, n + 4
		}
	}
	return 0, 0, 0, nil, 0
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

// Fields reads the fields of any message of protocol buffers one after another. It accepts lengths that are padded with
// zeros, as hiprofiler writes them.
type Fields struct {
	Rest []byte
	Cut  bool // the message is cut: its last field may be, too

	Number   protowire.Number
	IsBytes  bool
	Value    uint64 // of a number
	Data     []byte // of bytes
	CutShort bool   // Data ends early
	Bad      bool   // the message is damaged from here on
}

// Next reads a field and reports whether there is one.
func (f *Fields) Next() bool {
	if len(f.Rest) == 0 || f.CutShort {
		return false
	}
	number, kind, value, data, n := field(f.Rest)
	if n <= 0 && !(n < 0 && f.Cut) {
		f.Bad = !f.Cut
		return false
	}
	f.Number, f.IsBytes, f.Value, f.Data = number, kind == protowire.BytesType, value, data
	if n < 0 {
		f.CutShort, n = true, len(f.Rest)
	}
	f.Rest = f.Rest[n:]
	return true
}

// CString returns text up to its first NUL.
func CString(text []byte) []byte {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return text[:i]
	}
	return text
}
