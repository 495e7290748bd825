package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/internal/source/kernel"
)

// eachMessage calls do for the fields with the given number, which are messages, in
// order. It returns false if b or one of them is malformed. Messages that contain lists are
// decoded field by field: an empty element takes two bytes in a packet, and a hundred as an object.
func eachMessage(b []byte, number protowire.Number, do func([]byte) bool) bool {
	f, whole := kernel.Fields{Rest: b}, true
	for f.Next() {
		if f.Number == number {
			whole = do(f.Data) && whole
		}
	}
	return whole && !f.Bad
}

// Longer names are truncated: maxName is the limit for processes and threads, maxLayer
// for layers, in bytes.
const (
	maxName  = 255
	maxLayer = 1023
)

func truncated(name []byte, limit int) string { return string(name[:min(len(name), limit)]) }
