package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// source is an open input. A file is read up to the size that it had when it was
// opened, so that reading ends even if another program keeps appending.
type source struct {
	file     *os.File
	size     int64     // bytes to read, or unknown
	left     int64     // bytes of size that have not been read
	modified time.Time // when the file was opened
	err      error     // of the last read: some files fail only once
}

// unknown is the size of a pipe, or of a file of the kernel, which claims to be
// empty.
const unknown = -1

// openInput opens the named file, or standard input, which then cannot be an output.
func openInput(c *call, name string) (*source, error) {
	s, err := openSource(c.Context, name)
	if err != nil {
		return nil, err
	}
	c.used.add(s)
	return s, nil
}

// openSource opens the named file, or standard input.
func openSource(ctx context.Context, name string) (*source, error) {
	if name == standard {
		return newSource(os.Stdin), nil
	}
	// Opening a pipe blocks until its other end is opened.
	f, err := await(ctx, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return nil, fileError(name, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &failure{file: name, what: "is a directory"}
	}
	return newSource(f), nil
}

func newSource(f *os.File) *source {
	s := &source{file: f, size: unknown, left: unknown}
	s.measure()
	return s
}

// measure sets the size and the time of a regular file that is not empty.
func (s *source) measure() {
	info, err := s.file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	at, err := s.file.Seek(0, io.SeekCurrent) // standard input may have been read in part
	if err != nil {
		return
	}
	s.size = max(0, info.Size()-at)
	s.left, s.modified = s.size, info.ModTime()
}

// Read implements io.Reader. It fails if the file has become shorter: then the bytes read
// so far are a mixture of the old content and the new.
func (s *source) Read(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.left == unknown {
		var n int
		n, s.err = s.file.Read(b)
		s.measure() // a file may have been empty at first
		return n, s.err
	}
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.readFile(b[:min(int64(len(b)), s.left)])
	s.left -= int64(n)
	if err == io.EOF {
		err = s.shorter(s.size - s.left)
	}
	s.err = err
	return n, err
}

// ReadAt implements io.ReaderAt.
func (s *source) ReadAt(b []byte, at int64) (int, error) {
	n, err := s.file.ReadAt(b, at)
	if err == io.EOF && at+int64(n) < s.size {
		err = s.shorter(at + int64(n))
	}
	return n, err
}

// shorter returns the error for a file that ends before the size that it had.
func (s *source) shorter(end int64) error {
	return fmt.Errorf("became shorter while being read: %d of %d bytes", end, s.size)
}

// Stat returns information about the file.
func (s *source) Stat() (fs.FileInfo, error) { return s.file.Stat() }

// Close closes the file. It does nothing without one.
func (s *source) Close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}

// warnings returns a warning if the file was modified since it was opened.
func (s *source) warnings() []string {
	if s.size == unknown {
		return nil
	}
	info, err := s.file.Stat()
	if err != nil || info.ModTime().Equal(s.modified) {
		return nil
	}
	return []string{fmt.Sprintf("was modified while being read; only its first %d bytes were read", s.size)}
}
