package binarytrace

import "io"

// The pages of all processors lie near each other in a file, or those of one do.
const (
	blockSize   = 32 << 10
	cacheBlocks = 64
)

// cache reads a file in blocks.
type cache struct {
	in     io.ReaderAt
	size   int64
	blocks [cacheBlocks]block
}

type block struct {
	number int64 // offset / blockSize, counted from 1; 0 if the entry is not used
	data   []byte
}

// read reads all of b.
func (c *cache) read(b []byte, at int64) error {
	if len(b) > blockSize {
		return readAt(c.in, b, at)
	}
	for len(b) > 0 {
		number := at / blockSize
		k := &c.blocks[number%cacheBlocks]
		if k.number != number+1 {
			k.number = 0
			n := min(blockSize, c.size-number*blockSize)
			if n <= 0 {
				return io.ErrUnexpectedEOF
			}
			if k.data == nil {
				k.data = make([]byte, blockSize)
			}
			k.data = k.data[:n]
			if err := readAt(c.in, k.data, number*blockSize); err != nil {
				return err
			}
			k.number = number + 1
		}
		from := int(at % blockSize)
		if from >= len(k.data) {
			return io.ErrUnexpectedEOF
		}
		n := copy(b, k.data[from:])
		b, at = b[n:], at+int64(n)
	}
	return nil
}
