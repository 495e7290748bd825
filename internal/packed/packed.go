// Package packed reads what the program has packed into bytes, to keep more of it in memory.
// It is written with package encoding/binary, and never comes from an input.
package packed

import "encoding/binary"

// Bytes are what is left to be read.
type Bytes []byte

// Byte reads a byte.
func (b *Bytes) Byte() byte {
	v := (*b)[0]
	*b = (*b)[1:]
	return v
}

// Uint reads what binary.AppendUvarint has written.
func (b *Bytes) Uint() uint64 {
	if v := (*b)[0]; v < 0x80 {
		*b = (*b)[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(*b)
	*b = (*b)[n:]
	return v
}

// Int reads what binary.AppendVarint has written.
func (b *Bytes) Int() int64 {
	v, n := binary.Varint(*b)
	*b = (*b)[n:]
	return v
}
