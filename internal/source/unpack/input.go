package unpack

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"

	"golang.org/x/text/encoding/unicode"
)

// input reads an input until the context is cancelled. It stores the input's error
// in content, because decoders replace it.
type input struct {
	content *Content
	in      io.Reader
}

func (s input) Read(p []byte) (int, error) {
	if err := s.content.ctx.Err(); err != nil {
		return 0, s.content.fail(err)
	}
	n, err := s.in.Read(p)
	if err != nil && err != io.EOF {
		s.content.fail(err)
	}
	return n, err
}

// file is an input with random access.
type file interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// asFile returns r if it is a regular file, else nil.
func asFile(r io.Reader) file {
	f, ok := r.(file)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return f
}

// inputAt is like input for a file.
type inputAt struct {
	content *Content
	in      io.ReaderAt
}

func (s inputAt) ReadAt(p []byte, at int64) (int, error) {
	if err := s.content.ctx.Err(); err != nil {
		return 0, s.content.fail(err)
	}
	n, err := s.in.ReadAt(p, at)
	if err != nil && err != io.EOF {
		s.content.fail(err)
	}
	return n, err
}

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
