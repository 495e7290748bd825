package hitrace

import (
	"bytes"
	"io"
)

// blocks cuts a trace into pieces that end where a line ends, so that each can
// be parsed by itself. Where the cuts fall depends on the input and the size
// of the buffers alone, never on how the source hands out its bytes.
type blocks struct {
	source io.Reader
	carry  []byte // the beginning of a line whose end has not been read yet
	skip   bool   // inside a line that is longer than a block
	err    error
}

// newBlocks returns the blocks of the trace in r.
func newBlocks(r io.Reader) *blocks { return &blocks{source: r} }

// Next reads the next block into buffer and returns it. The buffer's capacity is the size
// of a block. If a line is longer, Next returns its beginning, as long as the buffer, and
// skips the rest. At the end it returns io.EOF. It returns other errors of the source
// after all blocks that could be read before them.
func (b *blocks) Next(buffer []byte) ([]byte, error) {
	for {
		buffer = append(buffer[:0], b.carry...)
		b.carry = b.carry[:0]
		if b.err == nil {
			var n int
			n, b.err = io.ReadFull(b.source, buffer[len(buffer):cap(buffer)])
			buffer = buffer[:len(buffer)+n]
			if b.err == io.ErrUnexpectedEOF {
				b.err = io.EOF
			}
		}
		if b.skip {
			end := bytes.IndexByte(buffer, '\n')
			if end < 0 {
				if b.err != nil {
					return nil, b.err
				}
				continue
			}
			b.skip = false
			b.carry = append(b.carry, buffer[end+1:]...)
			continue
		}
		if len(buffer) == 0 {
			return nil, b.err
		}
		if b.err != nil { // the last block; its last line may lack its end
			return buffer, nil
		}
		end := bytes.LastIndexByte(buffer, '\n')
		if end < 0 {
			b.skip = true
			return buffer, nil
		}
		b.carry = append(b.carry, buffer[end+1:]...)
		return buffer[:end+1], nil
	}
}
