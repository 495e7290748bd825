package exporter

import (
	"io"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/protos/perfettopb"
)

// sequenceID names the one writer of all packets.
const sequenceID = 1

// packetField is the number of Trace.packet.
const packetField = 1

// packetWriter appends packets to a trace. The first error stays.
type packetWriter struct {
	out    io.Writer
	buffer []byte
	err    error
}

// write appends a packet that is made rarely: it allocates.
func (w *packetWriter) write(p *perfettopb.TracePacket) {
	p.OptionalTrustedPacketSequenceId = &perfettopb.TracePacket_TrustedPacketSequenceId{TrustedPacketSequenceId: sequenceID}
	w.buffer = protowire.AppendTag(w.buffer[:0], packetField, protowire.BytesType)
	w.buffer = protowire.AppendVarint(w.buffer, uint64(proto.Size(p)))
	var err error
	w.buffer, err = proto.MarshalOptions{Deterministic: true, UseCachedSize: true}.MarshalAppend(w.buffer, p)
	if err != nil {
		w.fail(err)
		return
	}
	w.writeBytes(w.buffer)
}

// writeBytes appends packets that are encoded already.
func (w *packetWriter) writeBytes(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}

func (w *packetWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}
