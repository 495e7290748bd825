package perfetto

import (
	"context"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// bufferSize is larger than the usual packets. Larger ones are read in pieces.
const bufferSize = 1 << 20

// source is a buffered input.
type source struct {
	in         io.Reader
	ctx        context.Context
	buffer     []byte
	start, end int    // of the unused bytes in the buffer
	used       int64  // bytes of the whole input
	err        error  // of the last read; io.EOF at the end
	spare      []byte // for payloads that do not fit into the buffer
	interned   []byte // the same for interned data
}

func newSource(ctx context.Context, in io.Reader, size int) *source {
	return &source{ctx: ctx, in: in, buffer: make([]byte, size)}
}

// reset starts with another input.
func (s *source) reset(in io.Reader) { s.in, s.start, s.end, s.used, s.err = in, 0, 0, 0, nil }

// use skips n bytes, which must be in the buffer.
func (s *source) use(n int) {
	s.start += n
	s.used += int64(n)
}

// peek returns the next n bytes, which must fit into the buffer, or fewer if the
// input ends before. They are valid until the next call.
func (s *source) peek(n int) []byte {
	if s.end-s.start < n {
		s.fill(n)
	}
	return s.buffer[s.start:min(s.start+n, s.end)]
}

// fill reads until the buffer has n bytes, or until an error.
func (s *source) fill(n int) {
	s.end = copy(s.buffer, s.buffer[s.start:s.end])
	s.start = 0
	for idle := 0; s.end < n && s.err == nil; {
		if s.err = s.ctx.Err(); s.err != nil {
			return
		}
		var got int
		got, s.err = s.in.Read(s.buffer[s.end:])
		s.end += got
		if got > 0 {
			idle = 0
		} else if idle++; idle == 100 && s.err == nil {
			s.err = io.ErrNoProgress
		}
	}
}

// skip skips n bytes. It returns false if the input ends before.
func (s *source) skip(n uint64) bool {
	for {
		buffered := uint64(s.end - s.start)
		if n <= buffered {
			s.use(int(n))
			return true
		}
		n -= buffered
		s.use(int(buffered))
		if len(s.peek(1)) == 0 {
			return false
		}
	}
}

// append appends the next n bytes to buf. It returns false if the input ends before.
func (s *source) append(buf []byte, n uint64) ([]byte, bool) {
	for n > 0 {
		if len(s.peek(1)) == 0 {
			return buf, false
		}
		chunk := s.peek(int(min(n, uint64(s.end-s.start))))
		buf = append(buf, chunk...)
		s.use(len(chunk))
		n -= uint64(len(chunk))
	}
	return buf, true
}

// varint reads a varint of at most limit bytes. Its length n is not positive if there
// is no valid one.
func (s *source) varint(limit uint64) (v uint64, n int) {
	v, n = protowire.ConsumeVarint(s.peek(int(min(limit, maxVarint))))
	if n > 0 {
		s.use(n)
	}
	return v, n
}

// maxVarint is the length of the longest varint.
const maxVarint = 10
