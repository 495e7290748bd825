package unpack

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The first bytes of frames. Those of a skippable frame follow a byte from
// 0x50 to 0x5f.
//
// Source: RFC 8878, section 3.1.
const (
	zstdMagic      = "\x28\xb5\x2f\xfd"
	skippableMagic = "\x2a\x4d\x18"
)

// maxWindow is the maximum window of a frame in bytes, which are kept in memory. It
// is the default of the zstd command.
const maxWindow = 128 << 20

func isZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte(zstdMagic)) ||
		len(head) > 0 && head[0]>>4 == 5 && bytes.HasPrefix(head[1:], []byte(skippableMagic))
}

func openZstd(c *Content, in *bufio.Reader) (io.Reader, error) {
	return c.newStream("zstd stream", newFrames(in)), nil
}

// frames reads zstd frames and translates the decoder's errors.
type frames struct {
	in  io.Reader
	any bool // there was content
}

// newFrames returns a decoder without goroutines, which needs no Close. An error of the
// first frame is one of Read.
func newFrames(in io.Reader) *frames {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err) // of the options
	}
	d.Reset(in)
	return &frames{in: d}
}

func (f *frames) Read(p []byte) (int, error) {
	n, err := f.in.Read(p)
	f.any = f.any || n > 0
	switch {
	case errors.Is(err, zstd.ErrMagicMismatch) && f.any:
		err = errTrailing
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		err = &Error{What: "zstd stream with a window larger than 128 MiB", Hint: "compress it without --ultra and with at most --long=27"}
	case errors.Is(err, zstd.ErrUnknownDictionary):
		err = &Error{What: "zstd stream that needs a dictionary", Hint: "decompress it first with zstd -d -D DICTIONARY"}
	}
	return n, err
}
