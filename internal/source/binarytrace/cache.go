package binarytrace

import "io"

// cache reads a file in blocks and keeps those that were used last: pieces of one time, or of one processor, are
// side by side.
type cache struct {
	in     io.ReaderAt
	blocks []block
	clock  int // counts uses of blocks
}

type block struct {
	at   int64
	data []byte
	used int
}

const (
	blockSize = 32 << 10
	maxBlocks = 32 // more than most devices have processors
)

// ReadAt implements io.ReaderAt.
func (c *cache) ReadAt(b []byte, at int64) (n int, err error) {
	if len(b) >= blockSize {
		return c.in.ReadAt(b, at)
	}
	for n < len(b) {
		from := (at + int64(n)) % blockSize
		data, err := c.block(at + int64(n) - from)
		if err != nil {
			return n, err
		}
		if from >= int64(len(data)) {
			return n, io.EOF
		}
		n += copy(b[n:], data[from:])
	}
	return n, nil
}

// block returns the block at an offset. Only the last one of a file is shorter.
func (c *cache) block(at int64) ([]byte, error) {
	c.clock++
	oldest := 0
	for i := range c.blocks {
		b := &c.blocks[i]
		if b.at == at {
			b.used = c.clock
			return b.data, nil
		}
		if b.used < c.blocks[oldest].used {
			oldest = i
		}
	}
	if len(c.blocks) < maxBlocks {
		oldest = len(c.blocks)
		c.blocks = append(c.blocks, block{data: make([]byte, blockSize)})
	}
	b := &c.blocks[oldest]
	n, err := c.in.ReadAt(b.data[:blockSize], at)
	if err != nil && err != io.EOF {
		b.at = -1
		return nil, err
	}
	b.at, b.data, b.used = at, b.data[:n], c.clock
	return b.data, nil
}
