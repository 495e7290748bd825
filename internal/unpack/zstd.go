package unpack

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The bytes that frames begin with. The first of a skippable frame's is one of 16.
//
// Source: RFC 8878, section 3.1.
const (
	zstdMagic      = "\x28\xb5\x2f\xfd"
	skippableMagic = "\x2a\x4d\x18"
)

// maxWindow is how far back a frame may refer, in bytes, which have to be kept. It
// is what the command zstd takes without being told to take more.
const maxWindow = 128 << 20

func isZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte(zstdMagic)) ||
		len(head) > 0 && head[0]>>4 == 5 && bytes.HasPrefix(head[1:], []byte(skippableMagic))
}

func openZstd(c *Content, in *bufio.Reader) (io.Reader, error) {
	f, err := newFrames(in)
	return c.newStream("zstd stream", f), err
}

// frames gives names to what the decoder says.
type frames struct {
	in  io.Reader
	any bool // content came out
}

// newFrames returns a decoder without goroutines, so that none has to be ended.
func newFrames(in io.Reader) (*frames, error) {
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	return &frames{in: d}, err
}

func (f *frames) Read(p []byte) (int, error) {
	n, err := f.in.Read(p)
	f.any = f.any || n > 0
	switch {
	case errors.Is(err, zstd.ErrMagicMismatch) && f.any:
		err = errTrailing
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		err = &Error{What: "zstd stream with a window of more than 128 MiB", Hint: "compress it without --ultra, and with --long=27 at the most"}
	case errors.Is(err, zstd.ErrUnknownDictionary):
		err = &Error{What: "zstd stream that needs a dictionary", Hint: "unzstd it first, with -D"}
	}
	return n, err
}
