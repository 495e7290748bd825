package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// Messages with lists in them are decoded by hand: an empty element takes two
// bytes in a packet and a hundred once it is an object.

// field is a field of a message.
type field struct {
	number protowire.Number
	value  uint64 // of a number; zero for others
	bytes  []byte // of a text or message; nil for others
}

// eachField hands the fields of a message to take, in order, and reports whether
// it is a message.
func eachField(b []byte, take func(field)) bool {
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		f := field{number: number}
		switch wire {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(number, wire, b)
		}
		if n < 0 {
			return false
		}
		b = b[n:]
		take(f)
	}
	return true
}

// maxName bounds the names of processes and threads that are kept, in bytes, and
// maxLayer those of layers.
const (
	maxName  = 255
	maxLayer = 1023
)

func shortened(name []byte, most int) string { return string(name[:min(len(name), most)]) }
