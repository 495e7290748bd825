package perfetto

import "google.golang.org/protobuf/encoding/protowire"

// highestField is above all field numbers of a TracePacket, extensions included.
const highestField = 10_000

// Sniff reports whether the input that begins with b is a Perfetto trace: whether b
// consists of packets. The last packet may be incomplete. A few hundred bytes are
// enough. Text can begin like a packet, with a line feed and a letter as the length.
// But then that many bytes are rarely fields, with another line feed after them.
func Sniff(b []byte) bool {
	packets := 0
	for len(b) > 0 {
		field, wire, n := protowire.ConsumeTag(b)
		if n < 0 || field != tracePacket || wire != protowire.BytesType {
			return false
		}
		size, m := protowire.ConsumeVarint(b[n:])
		if m < 0 {
			return packets > 0
		}
		b = b[n+m:]
		seen := b[:min(uint64(len(b)), size)]
		if !fields(seen, size) {
			return false
		}
		b = b[len(seen):]
		packets++
	}
	return packets > 0
}

// fields reports whether b is the beginning of a packet of the given size.
func fields(b []byte, size uint64) bool {
	rest := size
	whole := uint64(len(b)) == size
	for len(b) > 0 {
		tag, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return !whole
		}
		field, wire := protowire.DecodeTag(tag)
		if field < 1 || field > highestField {
			return false
		}
		b, rest = b[n:], rest-uint64(n)
		var length uint64
		switch wire {
		case protowire.VarintType, protowire.BytesType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return !whole
			}
			b, rest = b[n:], rest-uint64(n)
			if wire == protowire.BytesType {
				length = v
			}
		case protowire.Fixed32Type:
			length = 4
		case protowire.Fixed64Type:
			length = 8
		default:
			return false
		}
		if length > rest {
			return false
		}
		b = b[min(uint64(len(b)), length):] // b may end within the field
		rest -= length
	}
	return true
}
