package unpack

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/klauspost/compress/zlib"
)

// zlibHeaders are what a stream with the largest window begins with, one for each
// level of compression: every program that matters writes one of them.
//
// Source: RFC 1950, section 2.2.
var zlibHeaders = []string{"\x78\x01", "\x78\x5e", "\x78\x9c", "\x78\xda"}

// traceLine is the end of what hitrace -z of 3.2 and 4.0 writes before the stream.
// Lines about its progress may come before, where it shares their output.
const traceLine = "TRACE:"

// maxPreamble bounds those lines.
const maxPreamble = 4 << 10

func isZlib(head []byte) bool { return zlibOffset(head) >= 0 }

// zlibOffset returns where the stream begins; negative if there is none.
func zlibOffset(head []byte) int {
	if isZlibHeader(head) {
		return 0
	}
	preamble := head[:min(len(head), maxPreamble)]
	i := bytes.Index(preamble, []byte(traceLine))
	if i < 0 || !isText(preamble[:i]) {
		return -1
	}
	i += len(traceLine)
	if rest, ok := bytes.CutPrefix(head[i:], []byte("\n")); ok && isZlibHeader(rest) {
		return i + len("\n")
	}
	if rest, ok := bytes.CutPrefix(head[i:], []byte("\r\n")); ok && isZlibHeader(rest) {
		return i + len("\r\n")
	}
	return -1
}

// isZlibHeader reports whether a stream begins with b. One of its headers, x^, may
// be that of a text as well.
func isZlibHeader(b []byte) bool {
	return slices.ContainsFunc(zlibHeaders, func(h string) bool { return bytes.HasPrefix(b, []byte(h)) }) && !isText(b[:min(len(b), 64)])
}

// isText reports whether b is text, but for a character that its end may cut.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && utf8.FullRune(b) || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return false
		}
		b = b[n:]
	}
	return true
}

func openZlib(c *Content, in *bufio.Reader) (io.Reader, error) {
	head, _ := in.Peek(headSize)
	if _, err := in.Discard(zlibOffset(head)); err != nil {
		return nil, err
	}
	return c.newStream("zlib stream", &inflater{in: in}), nil
}

// inflater reads a zlib stream.
type inflater struct {
	in     *bufio.Reader
	stream io.Reader
}

func (z *inflater) Read(p []byte) (int, error) {
	if z.stream == nil {
		stream, err := zlib.NewReader(z.in)
		if err != nil {
			return 0, err
		}
		z.stream = stream
	}
	n, err := z.stream.Read(p)
	if err == io.EOF {
		// The shell that it was written to may have said something more.
		if err = skip(z.in, "\x00\r\n\t "); err == nil {
			err = errTrailing
		}
	}
	return n, err
}
