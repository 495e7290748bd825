package unpack

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// byteOrderMark is how UTF-8 text may begin, though its bytes have one order only.
const byteOrderMark = "\xef\xbb\xbf"

func hasMark(head []byte) bool { return bytes.HasPrefix(head, []byte(byteOrderMark)) }

func skipMark(_ *Content, in *bufio.Reader) (io.Reader, error) {
	_, err := in.Discard(len(byteOrderMark))
	return in, err
}

func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

func openUTF16(_ *Content, in *bufio.Reader) (io.Reader, error) {
	return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(in), nil
}
