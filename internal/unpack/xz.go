package unpack

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// The parts of a stream: a header, blocks with a header each, an index of the blocks, and
// a footer.
//
// Source: The .xz File Format 1.2.1, sections 2 to 4.
const (
	xzMagic      = "\xfd7zXZ\x00"
	xzHeaderSize = 12
	xzFooterSize = 12
	lzma2Filter  = 0x21
	// maxDictionaryBits is the largest size of a dictionary in its encoding, 4 GiB − 1.
	maxDictionaryBits = 40
)

// xzCheckSizes are the sizes of checksums in bytes by their type.
var xzCheckSizes = [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

var ecma = crc64.MakeTable(crc64.ECMA)

func isXz(head []byte) bool { return bytes.HasPrefix(head, []byte(xzMagic)) }

// openXz reads the parts itself, and uses the library for the content of blocks: the
// library allocates whatever dictionary a block asks for.
func openXz(c *Content, in *bufio.Reader) (io.Reader, error) {
	return c.newStream("xz stream", &xzStreams{in: counted{in: in}}), nil
}

// xzStreams reads one stream after the other.
type xzStreams struct {
	in        counted
	checkType int
	check     hash.Hash // of the block; nil if its type is unknown or none
	block     io.Reader // nil between blocks
	inside    bool      // of a stream
	any       bool      // streams were read
}

// counted counts the bytes that are read. Sizes are padded to multiples of four.
type counted struct {
	in *bufio.Reader
	n  int64
}

func (r *counted) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.n += int64(n)
	return n, err
}

func (r *counted) ReadByte() (byte, error) {
	b, err := r.in.ReadByte()
	if err == nil {
		r.n++
	}
	return b, err
}

var errXz = errors.New("malformed xz stream")

func (x *xzStreams) Read(p []byte) (int, error) {
	for {
		if x.block == nil {
			if err := x.next(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := x.block.Read(p)
		if x.check != nil {
			x.check.Write(p[:n])
		}
		if err == io.EOF {
			x.block = nil
			err = x.endBlock()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next starts the next block, or reads what is between blocks. It returns io.EOF at the
// end of the input.
func (x *xzStreams) next() error {
	if !x.inside {
		return x.startStream()
	}
	x.in.n = 0
	size, err := x.in.ReadByte()
	switch {
	case err != nil:
		return unexpected(err)
	case size == 0:
		x.inside = false
		return x.endStream()
	}
	return x.startBlock(size)
}

func (x *xzStreams) startStream() error {
	if x.any {
		if err := skip(x.in.in, "\x00"); err != nil {
			return err
		}
		if head, _ := x.in.in.Peek(len(xzMagic)); !isXz(head) {
			return errTrailing
		}
	}
	var header [xzHeaderSize]byte
	if _, err := io.ReadFull(&x.in, header[:]); err != nil {
		return unexpected(err)
	}
	flags := header[len(xzMagic):8]
	if flags[0] != 0 || flags[1] > 15 || crc32.ChecksumIEEE(flags) != binary.LittleEndian.Uint32(header[8:]) {
		return errXz
	}
	x.checkType, x.inside, x.any = int(flags[1]), true, true
	return nil
}

// startBlock reads the header of a block, whose first byte is its size.
func (x *xzStreams) startBlock(size byte) error {
	header := make([]byte, (int(size)+1)*4)
	header[0] = size
	if _, err := io.ReadFull(&x.in, header[1:]); err != nil {
		return unexpected(err)
	}
	body, sum := header[:len(header)-4], binary.LittleEndian.Uint32(header[len(header)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return errXz
	}
	flags, rest := body[1], bytes.NewReader(body[2:])
	if flags&3 != 0 {
		return &Error{What: "xz stream with several filters", Hint: "unxz it first"}
	}
	for _, present := range []byte{0x40, 0x80} { // compressed and uncompressed size
		if flags&present != 0 {
			if _, err := binary.ReadUvarint(rest); err != nil {
				return errXz
			}
		}
	}
	filter, err1 := binary.ReadUvarint(rest)
	length, err2 := binary.ReadUvarint(rest)
	bits, err3 := rest.ReadByte()
	switch {
	case err1 != nil || err2 != nil || err3 != nil:
		return errXz
	case filter != lzma2Filter:
		return &Error{What: fmt.Sprintf("xz stream with filter %#x", filter), Hint: "unxz it first"}
	case length != 1 || bits > maxDictionaryBits:
		return errXz
	}
	dictionary := (2 | int64(bits&1)) << (bits/2 + 11)
	if dictionary > maxWindow {
		return &Error{What: "xz stream with a dictionary larger than 128 MiB", Hint: "unxz it first"}
	}
	x.check = newXzCheck(x.checkType)
	x.in.n = 0
	block, err := lzma.Reader2Config{DictCap: int(max(dictionary, lzma.MinDictCap))}.NewReader2(&x.in)
	if err != nil {
		return err
	}
	x.block = block
	return nil
}

func newXzCheck(kind int) hash.Hash {
	switch kind {
	case 1:
		return crc32.NewIEEE()
	case 4:
		return crc64.New(ecma)
	case 10:
		return sha256.New()
	}
	return nil
}

// endBlock reads the padding and the checksum of a block.
func (x *xzStreams) endBlock() error {
	if err := x.pad(); err != nil {
		return err
	}
	sum := make([]byte, xzCheckSizes[x.checkType])
	if _, err := io.ReadFull(&x.in, sum); err != nil {
		return unexpected(err)
	}
	if x.check == nil {
		return nil
	}
	want := x.check.Sum(nil) // CRCs are stored with the lowest byte first
	if x.checkType != 10 {
		for i := range len(want) / 2 {
			want[i], want[len(want)-1-i] = want[len(want)-1-i], want[i]
		}
	}
	if !bytes.Equal(sum, want) {
		return errChecksum
	}
	return nil
}

// endStream reads the index, whose first byte has been read, and the footer. They only
// repeat sizes.
func (x *xzStreams) endStream() error {
	records, err := binary.ReadUvarint(&x.in)
	for i := uint64(0); i < records && err == nil; i++ {
		if _, err = binary.ReadUvarint(&x.in); err == nil {
			_, err = binary.ReadUvarint(&x.in)
		}
	}
	if err != nil {
		return unexpected(err)
	}
	if err := x.pad(); err != nil {
		return err
	}
	var end [4 + xzFooterSize]byte // the checksum of the index is before the footer
	if _, err := io.ReadFull(&x.in, end[:]); err != nil {
		return unexpected(err)
	}
	if !bytes.HasSuffix(end[:], []byte("YZ")) {
		return errXz
	}
	return nil
}

// pad reads zeros up to a multiple of four bytes.
func (x *xzStreams) pad() error {
	for x.in.n%4 != 0 {
		b, err := x.in.ReadByte()
		if err != nil {
			return unexpected(err)
		}
		if b != 0 {
			return errXz
		}
	}
	return nil
}

// unexpected returns io.ErrUnexpectedEOF for io.EOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
