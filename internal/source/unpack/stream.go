package unpack

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"ohframe/internal/diag"
)

// stream reads the output of a decoder up to the first damage.
type stream struct {
	content *Content
	what    string // such as "gzip stream"
	in      io.Reader
	n       int64 // bytes read
	err     error // of the last Read
}

// newStream returns the output of the decoder in, within the limits.
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

// damaged records an error of the decoder and returns the error of Read: io.EOF if
// the damage is only a warning.
func (s *stream) damaged(err error) error {
	c := s.content
	if c.err != nil {
		return c.err
	}
	if over := (*LimitError)(nil); errors.As(err, &over) {
		return c.fail(over)
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return c.fail(e)
	}
	if len(c.damages) > 0 {
		return io.EOF // a consequence of the first damage
	}
	size := diag.Count(int(s.n), "byte")
	d := damage{fmt.Sprintf("%s is corrupt after %s of content", s.what, size), "the content before that is used"}
	switch {
	case err == errTrailing:
		d = damage{fmt.Sprintf("data after the end of the %s", s.what), "skipped"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		d.what = fmt.Sprintf("%s is truncated after %s of content", s.what, size)
	case isChecksum(err):
		d = damage{fmt.Sprintf("%s is corrupt: its content (%s) does not match its checksum", s.what, size), "the content is used"}
	}
	c.damages = append(c.damages, d)
	return io.EOF
}

func isChecksum(err error) bool {
	return errors.Is(err, zip.ErrChecksum) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zlib.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch)
}
