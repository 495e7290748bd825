package perfetto

import (
	"context"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// bufferSize holds the packets that usual recordings have; larger ones are
// passed over piece by piece.
const bufferSize = 1 << 20

// source is a window onto the input.
type source struct {
	in         io.Reader
	ctx        context.Context
	buffer     []byte
	start, end int    // of what is in the buffer and not used
	used       int64  // bytes, of all input
	err        error  // why the buffer cannot be filled any more
	spare      []byte // for what does not fit into the buffer
}

func newSource(ctx context.Context, in io.Reader, size int) *source {
	return &source{ctx: ctx, in: in, buffer: make([]byte, size)}
}

// reset begins with another input.
func (s *source) reset(in io.Reader) { s.in, s.start, s.end, s.used, s.err = in, 0, 0, 0, nil }

// use passes over n bytes that are in the buffer.
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

// fill reads until there are n bytes, or err.
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

// skip passes over n bytes and reports whether there were as many.
func (s *source) skip(n uint64) bool {
	for {
		here := uint64(s.end - s.start)
		if n <= here {
			s.use(int(n))
			return true
		}
		n -= here
		s.use(int(here))
		if len(s.peek(1)) == 0 {
			return false
		}
	}
}

// append appends the next n bytes to buf and reports whether there were as many.
func (s *source) append(buf []byte, n uint64) ([]byte, bool) {
	for n > 0 {
		if len(s.peek(1)) == 0 {
			return buf, false
		}
		part := s.peek(int(min(n, uint64(s.end-s.start))))
		buf = append(buf, part...)
		s.use(len(part))
		n -= uint64(len(part))
	}
	return buf, true
}

// varint reads a varint of at most limit bytes; n is its length, or not positive
// if there is none.
func (s *source) varint(limit uint64) (v uint64, n int) {
	v, n = protowire.ConsumeVarint(s.peek(int(min(limit, maxVarint))))
	if n > 0 {
		s.use(n)
	}
	return v, n
}

// maxVarint is the length of the longest varint.
const maxVarint = 10

// Read makes a source an io.Reader of what is left.
func (s *source) Read(b []byte) (int, error) {
	if len(s.peek(1)) == 0 {
		return 0, s.err
	}
	n := copy(b, s.buffer[s.start:s.end])
	s.use(n)
	return n, nil
}
