package threads

import "encoding/binary"

// Packed reads what the program has packed into bytes, to keep more of it in memory. It is written with
// package encoding/binary, and never comes from an input. What is left is an index: a slice that is
// stored for each byte costs more than to read it while the garbage collector marks.
type Packed struct {
	bytes []byte
	at    int
}

// Unpack returns a reader of bytes.
func Unpack(bytes []byte) Packed { return Packed{bytes: bytes} }

// Empty reports whether nothing is left.
func (p *Packed) Empty() bool { return p.at == len(p.bytes) }

// Byte reads a byte.
func (p *Packed) Byte() byte {
	v := p.bytes[p.at]
	p.at++
	return v
}

// Uint reads what binary.AppendUvarint has written.
func (p *Packed) Uint() uint64 {
	if v := p.bytes[p.at]; v < 0x80 {
		p.at++
		return uint64(v)
	}
	v, n := binary.Uvarint(p.bytes[p.at:])
	p.at += n
	return v
}

// signed reads what binary.AppendVarint has written.
func (p *Packed) signed() int64 {
	v := p.Uint()
	return int64(v>>1) ^ -int64(v&1)
}

// Part reads a number of bytes.
func (p *Packed) Part(n uint64) []byte {
	part := p.bytes[p.at : p.at+int(n) : p.at+int(n)]
	p.at += int(n)
	return part
}
