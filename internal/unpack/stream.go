package unpack

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"ohframe/analyzer/limits"
)

// stream is what a decoder makes, within the limits and to the first damage.
type stream struct {
	content *Content
	what    string // "gzip stream"
	in      io.Reader
	n       int64 // bytes that came out
	err     error // of the last read
}

// newStream returns what in, a decoder, makes of a container.
func (c *Content) newStream(what string, in io.Reader) io.Reader {
	return &stream{content: c, what: what, in: c.inflation.Unpacked(in)}
}

func (s *stream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.in.Read(p)
	s.n += int64(n)
	if err != nil && err != io.EOF {
		err = s.damaged(err)
	}
	s.err = err
	return n, err
}

// damaged takes note of an error of the decoder and returns what to end with.
func (s *stream) damaged(err error) error {
	c := s.content
	if c.err != nil {
		return c.err
	}
	if over := (*limits.Error)(nil); errors.As(err, &over) {
		return c.fail(over)
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return c.fail(e)
	}
	if len(c.damages) > 0 {
		return io.EOF // of which this is a consequence
	}
	d := damage{fmt.Sprintf("%s is damaged after %d bytes of content", s.what, s.n), "what was before is read"}
	switch {
	case err == errTrailing:
		d = damage{fmt.Sprintf("something else follows after the end of the %s", s.what), "it is passed over"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		d.what = fmt.Sprintf("%s is cut after %d bytes of content", s.what, s.n)
	case isChecksum(err):
		d = damage{fmt.Sprintf("%s is damaged: %d bytes of content do not fit its checksum", s.what, s.n), "they are read all the same"}
	}
	if c.options.Strict {
		return c.fail(&Error{What: d.what})
	}
	c.damages = append(c.damages, d)
	return io.EOF
}

func isChecksum(err error) bool {
	return errors.Is(err, errChecksum) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zlib.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch)
}
