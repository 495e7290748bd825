package perfetto

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

// bufferSize is larger than the usual packets.
const bufferSize = 1 << 20

// source is a buffered input.
type source struct {
	*bufio.Reader
	ctx   context.Context
	used  int64        // bytes of the whole input
	err   error        // why it ended; io.EOF at the end
	large bytes.Buffer // a packet that does not fit into the other buffer
}

func newSource(ctx context.Context, in io.Reader) *source {
	s := &source{Reader: bufio.NewReaderSize(nil, bufferSize), ctx: ctx}
	s.reset(in)
	return s
}

// reset starts with another input.
func (s *source) reset(in io.Reader) {
	s.Reset(input{s.ctx, in})
	s.used, s.err = 0, nil
}

// input ends with the error of a context.
type input struct {
	ctx context.Context
	in  io.Reader
}

func (i input) Read(b []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.in.Read(b)
}

// peek returns the next n bytes, which must fit into the buffer, or fewer if the
// input ends before. They are valid until the next call.
func (s *source) peek(n int) []byte {
	b, err := s.Peek(n)
	s.note(err)
	return b
}

// use skips n bytes, which must be in the buffer.
func (s *source) use(n int) {
	_, _ = s.Discard(n) // they are there
	s.used += int64(n)
}

// take returns the next n bytes, or fewer if the input ends before. They are valid until the next call.
func (s *source) take(n int) []byte {
	if n <= bufferSize {
		b := s.peek(n)
		s.use(len(b))
		return b
	}
	s.large.Reset()
	s.copy(&s.large, int64(n))
	return s.large.Bytes()
}

// copy writes the next n bytes, or fewer if the input ends before, and reports whether it does not.
func (s *source) copy(to io.Writer, n int64) bool {
	copied, err := io.CopyN(to, s.Reader, n)
	s.used += copied
	s.note(err)
	return err == nil
}

// note keeps an error of the input.
func (s *source) note(err error) {
	if s.err == nil {
		s.err = err
	}
}
