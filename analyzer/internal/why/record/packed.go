package record

import "encoding/binary"

// Packed is what is left to be read of what the program has packed into bytes, to keep more of it in
// memory. It is written with package encoding/binary, and never comes from an input.
type Packed []byte

// Byte reads a byte.
func (b *Packed) Byte() byte {
	v := (*b)[0]
	*b = (*b)[1:]
	return v
}

// Uint reads what binary.AppendUvarint has written.
func (b *Packed) Uint() uint64 {
	if v := (*b)[0]; v < 0x80 {
		*b = (*b)[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(*b)
	*b = (*b)[n:]
	return v
}

// Int reads what binary.AppendVarint has written.
func (b *Packed) Int() int64 {
	v, n := binary.Varint(*b)
	*b = (*b)[n:]
	return v
}
