package exporter

import (
	"context"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/protos/perfettopb"
)

// sequenceID names the one writer of all packets.
const sequenceID = 1

// packetField is the number of Trace.packet.
const packetField = 1

// packetWriter appends packets to a trace. The first error stays, and nothing is
// written after it; the end of the context is one.
type packetWriter struct {
	ctx      context.Context
	out      io.Writer
	buffer   []byte
	compress *compressor // nil if packets are written as they are
	err      error
}

// newPacketWriter returns a writer of packets to out, compressed if so wanted.
func newPacketWriter(ctx context.Context, out io.Writer, compress bool) *packetWriter {
	w := &packetWriter{ctx: ctx, out: out}
	if compress {
		w.compress = newCompressor()
	}
	return w
}

// maxPending is how many bytes of rare packets are written at a time: what is
// compressed together must stay below 512 KiB.
const maxPending = 256 << 10

// write appends a packet that is made rarely: it allocates.
func (w *packetWriter) write(p *perfettopb.TracePacket) {
	if w.err != nil {
		return
	}
	p.OptionalTrustedPacketSequenceId = &perfettopb.TracePacket_TrustedPacketSequenceId{TrustedPacketSequenceId: sequenceID}
	w.buffer = appendLength(w.buffer, packetField, proto.Size(p))
	var err error
	w.buffer, err = proto.MarshalOptions{Deterministic: true, UseCachedSize: true}.MarshalAppend(w.buffer, p)
	if err != nil && w.err == nil {
		w.err = err
	}
	if len(w.buffer) >= maxPending {
		w.flush()
	}
}

// flush writes the packets that wait.
func (w *packetWriter) flush() {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.compress != nil {
		w.writeBytes(w.compress.packet(w.buffer))
	} else {
		w.writeBytes(w.buffer)
	}
	w.buffer = w.buffer[:0]
}

// writeBytes appends packets that are encoded, and compressed, already.
func (w *packetWriter) writeBytes(b []byte) {
	if w.err == nil && len(b) > 0 {
		_, w.err = w.out.Write(b)
	}
}

// compressedPackets is the number of TracePacket.compressed_packets.
const compressedPackets = 50

// appendCompressed appends a packet that holds deflated packets.
func appendCompressed(buf, deflated []byte) []byte {
	size := protowire.SizeTag(compressedPackets) + protowire.SizeBytes(len(deflated))
	return appendBytes(appendLength(buf, packetField, size), compressedPackets, deflated)
}
