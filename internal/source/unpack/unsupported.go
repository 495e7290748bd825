package unpack

import (
	"bufio"
	"bytes"
	"io"
)

// The first bytes of a bzip2 stream are bzip2Magic, a level from 1 to 9, and a block or
// the end of an empty stream.
const (
	xzMagic    = "\xfd7zXZ\x00"
	bzip2Magic = "BZh"
	bzip2Block = "1AY&SY"
	bzip2End   = "\x17\x72\x45\x38\x50\x90"
)

func isXz(head []byte) bool { return bytes.HasPrefix(head, []byte(xzMagic)) }

func isBzip2(head []byte) bool {
	rest, ok := bytes.CutPrefix(head, []byte(bzip2Magic))
	if !ok || len(rest) == 0 || rest[0] < '1' || rest[0] > '9' {
		return false
	}
	return bytes.HasPrefix(rest[1:], []byte(bzip2Block)) || bytes.HasPrefix(rest[1:], []byte(bzip2End))
}

// unsupported rejects a format that is recognised but not read: no device writes it, and a
// stream of xz asks for up to 4 GiB of memory in its first 60 bytes.
func unsupported(name string) func(*Content, *bufio.Reader) (io.Reader, error) {
	return func(*Content, *bufio.Reader) (io.Reader, error) {
		return nil, &Error{What: name + " is not supported", Hint: "decompress it first with " + name + " -d"}
	}
}
