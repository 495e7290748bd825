package perfdata

import (
	"bytes"
	"io"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// The limits of a file. Each is far above what devices record.
const (
	maxSection = 64 << 20 // bytes of a section of symbols or stacks, or of a message
	maxDepth   = 1024     // calls of a stack; the kernel records at most 127 by default
	maxName    = 1023     // bytes of a name or path
	maxCPU     = 8192     // as in Linux
)

// Options are the options of Open.
type Options struct {
	// Limits limit the number of threads and processes by Threads.
	Limits trace.Limits
}

// Reader yields the samples of a file in the order of the file. Those of several processors are
// not in order of time.
type Reader struct {
	log    *diag.DamageLog
	source source
	tables *tables
}

// source is a format of files.
type source interface {
	// next reads the next sample. The error is that of the file, or io.EOF.
	next(s *sample.Sample) error
}

// Sniff reports whether a file that begins with head is one that this package reads.
func Sniff(head []byte) bool {
	return bytes.HasPrefix(head, []byte(perfMagic)) || bytes.HasPrefix(head, []byte(protoMagic))
}

// sniffed is the number of bytes at the beginning of a file that show its format: of a stack, the
// first line.
const sniffed = 4096

// Open reads what stands beside the samples in r, which has size bytes. The error is an *Error
// or that of r.
func Open(r io.ReaderAt, size int64, o Options) (*Reader, error) {
	l := kinds.NewLog()
	t := &Reader{log: l, tables: newTables(l, o.Limits.WithDefaults().Threads)}
	head := make([]byte, min(size, sniffed))
	if err := readAt(r, head, 0); err != nil {
		return nil, err
	}
	var err error
	switch {
	case bytes.HasPrefix(head, []byte(perfMagic)):
		t.source, err = openPerf(r, size, t.tables)
	case bytes.HasPrefix(head, []byte(protoMagic)):
		t.source, err = openProto(r, size, t.tables)
	case SniffStacks(head):
		t.source, err = openStacks(r, size, t.tables)
	case bytes.HasPrefix(head, []byte("2ELIFREP")):
		err = &Error{What: "perf data of a big-endian machine", Err: ErrUnsupported}
	default:
		err = &Error{What: "not perf data", Err: ErrUnsupported}
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Next reads the next sample into s. At the end of the file the error is io.EOF. Other errors are
// that of the file.
func (r *Reader) Next(s *sample.Sample) error {
	err := r.source.next(s)
	if err == io.EOF && !r.tables.unnamed {
		r.log.Set(unknownThread, r.tables.nameless())
	}
	return err
}

// Profile returns what the samples share. Its tables grow until Next has returned io.EOF.
func (r *Reader) Profile() *sample.Profile { return &r.tables.profile }

// Warnings describe, in words, the damage in the part that has been read.
func (r *Reader) Warnings() []trace.Warning { return r.log.Warnings() }

// readAt reads all of b. The end of the file before that is an error.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}
