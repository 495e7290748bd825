package unpack

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"io"
)

// The beginning of a stream is bzip2Magic, a level, and a block or the end of an empty
// stream.
const (
	bzip2Magic = "BZh"
	bzip2Block = "1AY&SY"
	bzip2End   = "\x17\x72\x45\x38\x50\x90"
)

func isBzip2(head []byte) bool {
	if len(head) < len(bzip2Magic)+1 || !bytes.HasPrefix(head, []byte(bzip2Magic)) || head[len(bzip2Magic)] < '1' || head[len(bzip2Magic)] > '9' {
		return false
	}
	rest := head[len(bzip2Magic)+1:]
	return bytes.HasPrefix(rest, []byte(bzip2Block)) || bytes.HasPrefix(rest, []byte(bzip2End))
}

func openBzip2(c *Content, in *bufio.Reader) (io.Reader, error) {
	return c.newStream("bzip2 stream", bzip2Reader{bzip2.NewReader(in)}), nil
}

// bzip2Reader translates the decoder's errors.
type bzip2Reader struct{ in io.Reader }

// The decoder's errors after the end of a stream, and for a wrong checksum.
const (
	bzip2Trailing = bzip2.StructuralError("bad magic value in continuation file")
	bzip2Checksum = bzip2.StructuralError("file checksum mismatch")
	bzip2BlockSum = bzip2.StructuralError("block checksum mismatch")
)

func (r bzip2Reader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	switch err {
	case bzip2Trailing:
		err = errTrailing
	case bzip2Checksum, bzip2BlockSum:
		err = errChecksum
	}
	return n, err
}
