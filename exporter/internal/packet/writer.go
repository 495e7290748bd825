// Package packet writes the packets of a Perfetto trace: whole messages, or bytes that
// are encoded by hand with the functions here.
package packet

import (
	"context"
	"io"

	"google.golang.org/protobuf/proto"

	"ohframe/internal/perfettopb"
)

// Packet sequences. Numbers of interned data and defaults are valid within their sequence.
const (
	SequenceID       = 1 // all packets but those of tracks and samples
	TrackSequenceID  = 2
	SampleSequenceID = 3  // and the following: one for each event
	ThreadSequenceID = 16 // and the following: one for each thread with slices, before all samples
)

// Writer appends packets to a trace. After the first error, which the end of the
// context is, too, it writes nothing.
type Writer struct {
	ctx    context.Context
	out    io.Writer
	buffer []byte
	err    error
}

// NewWriter returns a writer of packets to out.
func NewWriter(ctx context.Context, out io.Writer) *Writer {
	return &Writer{ctx: ctx, out: out}
}

// maxPending is the number of bytes that are collected before they are written.
const maxPending = 256 << 10

// Write appends a packet. It allocates.
func (w *Writer) Write(p *perfettopb.TracePacket) {
	if w.err != nil {
		return
	}
	p.OptionalTrustedPacketSequenceId = &perfettopb.TracePacket_TrustedPacketSequenceId{TrustedPacketSequenceId: SequenceID}
	w.buffer = AppendLength(w.buffer, TraceField, proto.Size(p))
	var err error
	w.buffer, err = proto.MarshalOptions{Deterministic: true, UseCachedSize: true}.MarshalAppend(w.buffer, p)
	if err != nil && w.err == nil {
		w.err = err
	}
	if len(w.buffer) >= maxPending {
		w.Flush()
	}
}

// WriteEncoded appends an encoded packet, without its tag and length in the trace.
func (w *Writer) WriteEncoded(packet []byte) {
	if w.err != nil {
		return
	}
	w.buffer = AppendBytes(w.buffer, TraceField, packet)
	if len(w.buffer) >= maxPending {
		w.Flush()
	}
}

// Flush writes the packets collected so far.
func (w *Writer) Flush() {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	w.WriteBytes(w.buffer)
	w.buffer = w.buffer[:0]
}

// Err returns the first error.
func (w *Writer) Err() error { return w.err }

// WriteBytes writes whole packets that are encoded at once. Packets collected before must be flushed first.
func (w *Writer) WriteBytes(b []byte) {
	if w.err == nil && len(b) > 0 {
		_, w.err = w.out.Write(b)
	}
}
