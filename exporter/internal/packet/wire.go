package packet

import "google.golang.org/protobuf/encoding/protowire"

// Field numbers and values of packets that are encoded by hand.
const (
	TraceField = 1 // Trace.packet

	FieldTimestamp     = 8  // TracePacket.timestamp
	FieldSequenceID    = 10 // TracePacket.trusted_packet_sequence_id
	FieldTrackEvent    = 11 // TracePacket.track_event
	FieldInternedData  = 12 // TracePacket.interned_data
	FieldSequenceFlags = 13 // TracePacket.sequence_flags
	FieldDefaults      = 59 // TracePacket.trace_packet_defaults

	TrackEventType = 9  // TrackEvent.type
	TrackEventName = 23 // TrackEvent.name

	// Values of TracePacket.sequence_flags.
	StateCleared = 1 // earlier interned data is forgotten
	StateNeeded  = 2 // the packet refers to interned data
)

// AppendLength appends the tag and length of a field of the given size.
func AppendLength(buf []byte, number protowire.Number, size int) []byte {
	if number < 16 {
		return Append(append(buf, byte(number)<<3|byte(protowire.BytesType)), uint64(size))
	}
	return Append(protowire.AppendTag(buf, number, protowire.BytesType), uint64(size))
}

// Append is protowire.AppendVarint for numbers that are mostly small.
func Append(buf []byte, v uint64) []byte {
	for v >= 0x80 {
		buf = append(buf, byte(v)|0x80)
		v >>= 7
	}
	return append(buf, byte(v))
}

// Begin begins a field whose length is not known yet. End ends it, with the returned start.
func Begin(buf []byte, number protowire.Number) (field []byte, start int) {
	buf = protowire.AppendTag(buf, number, protowire.BytesType)
	return append(buf, 0), len(buf)
}

// End writes the length of the field that ends buf to where Begin left a byte for it.
func End(buf []byte, start int) []byte {
	size := len(buf) - start - 1
	if size < 0x80 {
		buf[start] = byte(size)
		return buf
	}
	var room [9]byte
	buf = append(buf, room[:protowire.SizeVarint(uint64(size))-1]...)
	copy(buf[len(buf)-size:], buf[start+1:start+1+size])
	protowire.AppendVarint(buf[:start], uint64(size))
	return buf
}

// AppendBytes appends a field of bytes, text or an encoded message.
func AppendBytes(buf []byte, number protowire.Number, value []byte) []byte {
	return append(AppendLength(buf, number, len(value)), value...)
}

// AppendVarint appends a field of a number of variable length.
func AppendVarint(buf []byte, number protowire.Number, value uint64) []byte {
	if number < 16 {
		return Append(append(buf, byte(number)<<3), value)
	}
	return Append(protowire.AppendTag(buf, number, protowire.VarintType), value)
}

// AppendFixed64 appends a field of 64 bits.
func AppendFixed64(buf []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(buf, number, protowire.Fixed64Type), value)
}

// LastCPU is the greatest number of a processor that Perfetto accepts: of a trace with a greater
// one, from a damaged input, it would load nothing at all.
const LastCPU = 1023
