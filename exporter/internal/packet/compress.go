package packet

import (
	"bytes"

	"github.com/klauspost/compress/zlib"
	"google.golang.org/protobuf/encoding/protowire"
)

// Compressor deflates packets into packets. Each worker has one.
type Compressor struct {
	deflated bytes.Buffer
	writer   *zlib.Writer
	out      []byte
}

// NewCompressor returns a compressor.
func NewCompressor() *Compressor {
	c := &Compressor{}
	// The default level: the output is a third smaller than at the fastest, and
	// compression is still faster than its input.
	c.writer, _ = zlib.NewWriterLevel(&c.deflated, zlib.DefaultCompression)
	return c
}

// Packet returns a packet that contains the given ones, or nil if packets is empty. It
// is valid until the next call.
func (c *Compressor) Packet(packets []byte) []byte {
	if len(packets) == 0 {
		return nil
	}
	c.deflated.Reset()
	c.writer.Reset(&c.deflated)
	c.writer.Write(packets) // a bytes.Buffer returns no errors
	c.writer.Close()
	c.out = appendCompressed(c.out[:0], c.deflated.Bytes())
	return c.out
}

// compressedPackets is the number of TracePacket.compressed_packets.
const compressedPackets = 50

// appendCompressed appends a packet that contains deflated packets.
func appendCompressed(buf, deflated []byte) []byte {
	size := protowire.SizeTag(compressedPackets) + protowire.SizeBytes(len(deflated))
	return AppendBytes(AppendLength(buf, TraceField, size), compressedPackets, deflated)
}
