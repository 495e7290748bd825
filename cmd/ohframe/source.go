package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// source is an input that was opened. A file is read as far as it went at that
// moment, so that reading ends though somebody may append faster.
type source struct {
	file     *os.File
	size     int64     // of what there is to read; unknown for a pipe
	left     int64     // of it
	modified time.Time // as it was opened
	err      error     // of the last read: some files fail only once
}

// unknown is the size of an input that tells none: a pipe, or a file of the
// kernel's, which claims to be empty.
const unknown = -1

// openInput opens the named trace, or standard input.
func openInput(ctx context.Context, name string) (*source, error) {
	if name == standard {
		return newSource(os.Stdin), nil
	}
	// Opening a pipe takes until somebody opens its other end.
	f, err := await(ctx, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return nil, fileError(name, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fileError(name, syscall.EISDIR)
	}
	return newSource(f), nil
}

func newSource(f *os.File) *source {
	s := &source{file: f, size: unknown, left: unknown}
	s.measure()
	return s
}

// measure finds out how much there is to read, if that can be known.
func (s *source) measure() {
	info, err := s.file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	at, err := s.file.Seek(0, io.SeekCurrent) // standard input may be used in part
	if err != nil {
		return
	}
	s.size = max(0, info.Size()-at)
	s.left, s.modified = s.size, info.ModTime()
}

// Read is an io.Reader's. A file that ends early is an error: what was read is
// then neither what was there nor what is there now.
func (s *source) Read(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.left == unknown {
		var n int
		n, s.err = s.file.Read(b)
		s.measure() // it may have been empty only at first
		return n, s.err
	}
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.file.Read(b[:min(int64(len(b)), s.left)])
	s.left -= int64(n)
	if err == io.EOF {
		err = s.shorter(s.size - s.left)
	}
	s.err = err
	return n, err
}

// ReadAt is an io.ReaderAt's.
func (s *source) ReadAt(b []byte, at int64) (int, error) {
	n, err := s.file.ReadAt(b, at)
	if err == io.EOF && at+int64(n) < s.size {
		err = s.shorter(at + int64(n))
	}
	return n, err
}

// shorter is the error of a file that ends before its size at first.
func (s *source) shorter(end int64) error {
	return fmt.Errorf("became shorter while it was read: %d of %d bytes were there", end, s.size)
}

// Stat describes the file.
func (s *source) Stat() (fs.FileInfo, error) { return s.file.Stat() }

// Close closes the file.
func (s *source) Close() error { return s.file.Close() }

// warnings says what of the input was not read.
func (s *source) warnings() []string {
	if s.size == unknown {
		return nil
	}
	info, err := s.file.Stat()
	if err != nil || info.ModTime().Equal(s.modified) {
		return nil
	}
	return []string{fmt.Sprintf("was written to while it was read; no more than the %d bytes that it had at first were", s.size)}
}
