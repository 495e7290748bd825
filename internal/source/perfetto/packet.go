package perfetto

import (
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/internal/result"
	"ohframe/internal/source/kernel"
)

// Field numbers of the messages that are decoded field by field. A test compares them
// with the schema.
const (
	tracePacket = 1 // Trace.packet

	packetKernelEvents   = 1 // of TracePacket
	packetProcessTree    = 2
	packetClockSnapshot  = 6
	packetTimestamp      = 8
	packetSequence       = 10
	packetInterned       = 12
	packetSystemInfo     = 45
	packetCompressed     = 50
	packetClockID        = 58
	packetFrameTimeline  = 76
	packetMachine        = 98 // not in the schema's subset
	packetAttributes     = 126
	packetZstdCompressed = 133 // not in the schema's subset
	packetResult         = result.PacketField
	packetAllocated      = result.AllocatedField // the same, in a trace that ohframe wrote

	systemNames         = 1 // SystemInfo.utsname
	systemName          = 1 // Utsname.sysname
	attributesAttribute = 1 // TraceAttributes.attribute
	attributeKey        = 1 // of Attribute
)

// packet has the fields of a TracePacket that are needed.
type packet struct {
	timestamp uint64
	timed     bool             // timestamp is set
	clock     uint64           // a BuiltinClock; zero is boot time
	kind      protowire.Number // the payload's field; zero if it is not needed
	payload   []byte           // valid until the next packet
	// sequence is who wrote the packet, and interned the names that it defines.
	sequence uint32
	interned []byte
	machine  uint64 // zero is the host
}

// matters reports whether the field is a payload that is decoded.
func matters(field protowire.Number) bool {
	switch field {
	case packetKernelEvents, packetInterned, packetFrameTimeline, packetProcessTree, packetClockSnapshot, packetSystemInfo, packetAttributes, packetCompressed, packetZstdCompressed, packetResult, packetAllocated:
		return true
	}
	return false
}

// parse decodes a packet. It returns false if that is malformed.
func (p *packet) parse(b []byte) bool {
	*p = packet{}
	f := kernel.Fields{Rest: b}
	for f.Next() {
		switch {
		case f.IsBytes && f.Number == packetInterned:
			p.interned = f.Data
		case f.IsBytes && matters(f.Number):
			p.kind, p.payload = f.Number, f.Data
		case f.IsBytes:
		case f.Number == packetTimestamp:
			p.timestamp, p.timed = f.Value, true
		case f.Number == packetClockID:
			p.clock = f.Value
		case f.Number == packetSequence:
			p.sequence = uint32(f.Value)
		case f.Number == packetMachine:
			p.machine = f.Value
		}
	}
	return !f.Bad
}

// outcome is the result of reading a packet.
type outcome uint8

const (
	whole   outcome = iota
	damaged         // the packet is malformed; its length is valid
	cut             // the input ends within the packet
	end             // the input ends before the packet
	garbage         // the next bytes are not a packet, and the next packet cannot be found
)

// next reads the next packet.
func (s *source) next(p *packet) outcome {
	head := s.peek(1 + maxVarint)
	if len(head) == 0 {
		return end
	}
	field, wire, n := protowire.ConsumeTag(head)
	if n < 0 || field != tracePacket || wire != protowire.BytesType {
		return garbage
	}
	size, m := protowire.ConsumeVarint(head[n:])
	if m < 0 {
		if len(head) < 1+maxVarint {
			return cut
		}
		return garbage
	}
	s.use(n + m)
	if size > maxPacket {
		if !s.copy(io.Discard, int64(min(size, math.MaxInt64))) {
			return cut
		}
		return damaged
	}
	b := s.take(int(size))
	if uint64(len(b)) < size {
		return cut
	}
	if !p.parse(b) {
		return damaged
	}
	return whole
}

// maxVarint is the length of the longest varint.
const maxVarint = 10

// maxPacket is the limit for a packet, in bytes. The largest process trees are far smaller.
const maxPacket = 64 << 20
