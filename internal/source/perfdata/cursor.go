package perfdata

import (
	"encoding/binary"

	"ohframe/internal/source/kernel"
)

// cursor reads the fields of a record or section one after another. After a field that runs over
// the end, short is true and all fields are 0.
type cursor struct {
	rest  []byte
	short bool
}

func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.rest, c.short = nil, true
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// skip skips n fields of 8 bytes.
func (c *cursor) skip(n uint64) {
	if n > uint64(len(c.rest))/8 {
		c.rest, c.short = nil, true
		return
	}
	c.rest = c.rest[n*8:]
}

// list returns n fields of 8 bytes.
func (c *cursor) list(n uint64) []byte {
	all := c.rest
	if c.skip(n); c.short {
		return nil
	}
	return all[:n*8]
}

// text returns a text after its length, up to its first zero byte.
func (c *cursor) text() []byte { return kernel.CString(c.take(uint64(c.u32()))) }

// cText returns a text that a zero byte ends.
func (c *cursor) cText() []byte {
	text := kernel.CString(c.rest)
	c.take(uint64(len(text)) + 1)
	return text
}
