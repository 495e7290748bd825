package unpack

import (
	"io"
	"io/fs"
)

// source is the input. It ends with the context, and keeps the input's own error,
// of which decoders make another.
type source struct {
	content *Content
	in      io.Reader
}

func (s source) Read(p []byte) (int, error) {
	if err := s.content.ctx.Err(); err != nil {
		return 0, s.content.fail(err)
	}
	n, err := s.in.Read(p)
	if err != nil && err != io.EOF {
		s.content.fail(err)
	}
	return n, err
}

// file is an input that can be read anywhere.
type file interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// asFile returns the input as a file if it is a regular one, else nil.
func asFile(input io.Reader) file {
	f, ok := input.(file)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return f
}

// sourceAt is as source, for an input that can be read anywhere.
type sourceAt struct {
	content *Content
	in      io.ReaderAt
}

func (s sourceAt) ReadAt(p []byte, at int64) (int, error) {
	if err := s.content.ctx.Err(); err != nil {
		return 0, s.content.fail(err)
	}
	n, err := s.in.ReadAt(p, at)
	if err != nil && err != io.EOF {
		s.content.fail(err)
	}
	return n, err
}
