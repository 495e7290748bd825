package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/internal/source/kernel"
)

// Messages that contain lists are decoded field by field: an empty element takes two
// bytes in a packet, and a hundred as an object.

// field is a field of a message.
type field struct {
	number protowire.Number
	value  uint64 // of a number; otherwise zero
	bytes  []byte // of a string or message; otherwise nil
}

// eachField calls do for the fields of a message, in order. It returns false if the
// message is malformed, as one with a group is.
func eachField(b []byte, do func(field)) bool {
	for len(b) > 0 {
		tag, value, data, n := kernel.Field(b)
		if n <= 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
			return false
		}
		do(field{protowire.Number(tag >> 3), value, data})
		b = b[n:]
	}
	return true
}

// eachMessage calls do for the fields with the given number, which are messages, in
// order. It returns false if b or one of them is malformed.
func eachMessage(b []byte, number protowire.Number, do func([]byte) bool) bool {
	whole := true
	ok := eachField(b, func(f field) {
		if f.number == number {
			whole = do(f.bytes) && whole
		}
	})
	return ok && whole
}

// Longer names are truncated: maxName is the limit for processes and threads, maxLayer
// for layers, in bytes.
const (
	maxName  = 255
	maxLayer = 1023
)

func truncated(name []byte, limit int) string { return string(name[:min(len(name), limit)]) }
