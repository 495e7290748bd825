package unpack

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/klauspost/compress/zlib"
)

// zlibHeaders are the headers of streams with the largest window, one for each
// level of compression. All common programs write one of them.
//
// Source: RFC 1950, section 2.2.
var zlibHeaders = []string{"\x78\x01", "\x78\x5e", "\x78\x9c", "\x78\xda"}

// traceLine is the line before the stream of hitrace -z in OpenHarmony 3.2 and 4.0.
// Messages about its progress may precede it.
const traceLine = "TRACE:"

// maxPreamble is the maximum size of those messages in bytes.
const maxPreamble = 4 << 10

func isZlib(head []byte) bool { return zlibOffset(head) >= 0 }

// zlibOffset returns the offset of the stream in head, or -1.
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
	for _, end := range []string{"\n", "\r\n"} {
		if rest, ok := bytes.CutPrefix(head[i:], []byte(end)); ok && isZlibHeader(rest) {
			return i + len(end)
		}
	}
	return -1
}

// isZlibHeader reports whether b is the beginning of a stream. One of the headers,
// "x^", may also begin a text.
func isZlibHeader(b []byte) bool {
	return slices.ContainsFunc(zlibHeaders, func(h string) bool { return bytes.HasPrefix(b, []byte(h)) }) && !isText(b[:min(len(b), 64)])
}

// isText reports whether b is UTF-8 text. Its last character may be incomplete.
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
	stream, err := zlib.NewReader(in)
	if err != nil {
		return nil, err
	}
	return c.newStream("zlib stream", &inflater{in, stream}), nil
}

// inflater reads a zlib stream.
type inflater struct {
	in     *bufio.Reader
	stream io.Reader
}

func (z *inflater) Read(p []byte) (int, error) {
	n, err := z.stream.Read(p)
	if err == io.EOF {
		// A shell may have written blank lines after it.
		if err = skip(z.in, "\x00\r\n\t "); err == nil {
			err = errTrailing
		}
	}
	return n, err
}
