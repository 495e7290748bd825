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
	// The default level: a third smaller than the fastest, and still faster than
	// what follows reads.
	c.writer, _ = zlib.NewWriterLevel(&c.deflated, zlib.DefaultCompression)
	return c
}

// Packet returns a packet that holds the given ones, or nothing if there are none. It
// is valid until the next call.
func (c *Compressor) Packet(packets []byte) []byte {
	if len(packets) == 0 {
		return nil
	}
	c.deflated.Reset()
	c.writer.Reset(&c.deflated)
	c.writer.Write(packets) // a buffer takes everything
	c.writer.Close()
	c.out = appendCompressed(c.out[:0], c.deflated.Bytes())
	return c.out
}

// compressedPackets is the number of TracePacket.compressed_packets.
const compressedPackets = 50

// appendCompressed appends a packet that holds deflated packets.
func appendCompressed(buf, deflated []byte) []byte {
	size := protowire.SizeTag(compressedPackets) + protowire.SizeBytes(len(deflated))
	return AppendBytes(AppendLength(buf, TraceField, size), compressedPackets, deflated)
}
