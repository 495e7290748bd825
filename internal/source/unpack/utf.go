package unpack

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// byteOrderMark is the byte order mark of UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

func hasByteOrderMark(head []byte) bool { return bytes.HasPrefix(head, []byte(byteOrderMark)) }

func skipByteOrderMark(_ *Content, in *bufio.Reader) (io.Reader, error) {
	_, err := in.Discard(len(byteOrderMark))
	return in, err
}

func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

func openUTF16(_ *Content, in *bufio.Reader) (io.Reader, error) {
	return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(in), nil
}
