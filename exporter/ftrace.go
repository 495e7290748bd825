package exporter

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
)

// Field numbers of the messages that are encoded by hand, because there is one
// for every line of the trace. A test holds them against the schema.
const (
	packetFtraceEvents = 1  // TracePacket.ftrace_events
	packetSequenceID   = 10 // TracePacket.trusted_packet_sequence_id

	bundleCPU   = 1 // FtraceEventBundle.cpu
	bundleEvent = 2 // FtraceEventBundle.event

	eventTimestamp = 1 // FtraceEvent.timestamp
	eventPID       = 2 // FtraceEvent.pid
	eventPrint     = 3 // FtraceEvent.print

	printBuf = 2 // PrintFtraceEvent.buf
)

// maxBundle is the size in bytes at which a bundle is written: larger packets
// are slower to load, and Perfetto's own stay below 512 KiB.
const maxBundle = 256 << 10

// bundles collects each processor's events until there are enough for a packet.
type bundles struct {
	packets *packetWriter
	byCPU   []bundle // sorted by cpu
	scratch []byte
}

type bundle struct {
	cpu    trace.CPU
	events []byte
}

// of returns the processor's bundle.
func (b *bundles) of(cpu trace.CPU) *bundle {
	i, found := slices.BinarySearchFunc(b.byCPU, cpu, func(x bundle, cpu trace.CPU) int { return int(x.cpu - cpu) })
	if !found {
		b.byCPU = slices.Insert(b.byCPU, i, bundle{cpu: cpu})
	}
	return &b.byCPU[i]
}

// add appends an event, which body encodes all but the time and the thread of.
func (b *bundles) add(cpu trace.CPU, at trace.Time, tid trace.TID, body []byte) {
	to := b.of(cpu)
	header := protowire.SizeTag(eventTimestamp) + protowire.SizeVarint(uint64(at)) +
		protowire.SizeTag(eventPID) + protowire.SizeVarint(uint64(tid))
	buf := protowire.AppendTag(to.events, bundleEvent, protowire.BytesType)
	buf = protowire.AppendVarint(buf, uint64(header+len(body)))
	buf = protowire.AppendTag(buf, eventTimestamp, protowire.VarintType)
	buf = protowire.AppendVarint(buf, uint64(at))
	buf = protowire.AppendTag(buf, eventPID, protowire.VarintType)
	buf = protowire.AppendVarint(buf, uint64(tid))
	to.events = append(buf, body...)
	if len(to.events) >= maxBundle {
		b.flush(to)
	}
}

// flushAll writes what is left, processor by processor.
func (b *bundles) flushAll() {
	for i := range b.byCPU {
		b.flush(&b.byCPU[i])
	}
}

func (b *bundles) flush(from *bundle) {
	if len(from.events) == 0 {
		return
	}
	size := protowire.SizeTag(bundleCPU) + protowire.SizeVarint(uint64(from.cpu)) + len(from.events)
	packet := protowire.SizeTag(packetSequenceID) + protowire.SizeVarint(sequenceID) +
		protowire.SizeTag(packetFtraceEvents) + protowire.SizeBytes(size)
	buf := protowire.AppendTag(b.scratch[:0], packetField, protowire.BytesType)
	buf = protowire.AppendVarint(buf, uint64(packet))
	buf = protowire.AppendTag(buf, packetSequenceID, protowire.VarintType)
	buf = protowire.AppendVarint(buf, sequenceID)
	buf = protowire.AppendTag(buf, packetFtraceEvents, protowire.BytesType)
	buf = protowire.AppendVarint(buf, uint64(size))
	buf = protowire.AppendTag(buf, bundleCPU, protowire.VarintType)
	buf = protowire.AppendVarint(buf, uint64(from.cpu))
	b.packets.writeBytes(buf)
	b.packets.writeBytes(from.events)
	b.scratch, from.events = buf, from.events[:0]
}
