package unpack

import (
	"bufio"
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipMagic is the beginning of each member.
//
// Source: RFC 1952, section 2.3.1.
const gzipMagic = "\x1f\x8b"

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte(gzipMagic)) }

func openGzip(c *Content, in *bufio.Reader) (io.Reader, error) {
	return c.newStream("gzip stream", &members{in: in}), nil
}

// members reads one gzip member after the other. The decoder can do that too, but
// reports trailing data as damage.
type members struct {
	in     *bufio.Reader
	member gzip.Reader
	inside bool // of a member
	any    bool // members were read
}

func (m *members) Read(p []byte) (int, error) {
	for {
		if !m.inside {
			if err := m.next(); err != nil {
				return 0, err
			}
		}
		n, err := m.member.Read(p)
		if err != io.EOF {
			return n, err
		}
		m.inside = false
		if n > 0 {
			return n, nil
		}
	}
}

// next starts the next member. It returns io.EOF at the end of the input.
func (m *members) next() error {
	if m.any {
		if err := skip(m.in, "\x00"); err != nil {
			return err
		}
		if head, _ := m.in.Peek(len(gzipMagic)); !isGzip(head) {
			return errTrailing
		}
	}
	err := m.member.Reset(m.in)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	m.member.Multistream(false)
	m.inside, m.any = err == nil, true
	return err
}

// skip skips all bytes that are in set. It returns io.EOF if nothing else follows,
// or the reader's error.
func skip(in *bufio.Reader, set string) error {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return err
		}
		if bytes.IndexByte([]byte(set), b) < 0 {
			return in.UnreadByte()
		}
	}
}
