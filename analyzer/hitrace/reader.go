package hitrace

import (
	"fmt"
	"io"
)

// Options bound what a Reader accepts.
type Options struct {
	// Strict makes the first line that is not understood an error.
	Strict bool
	// MaxLine is the longest line in bytes that is parsed; longer ones are
	// counted as LineTooLong and passed over. Default DefaultMaxLine.
	MaxLine int
}

const (
	// DefaultMaxLine is far above what a kernel prints (about 4 KiB) and bounds
	// what hostile input can make a reader hold.
	DefaultMaxLine = 64 << 10

	// blockSize is large enough to make the cost of a block small and small
	// enough for its events to stay in a processor's cache.
	blockSize = 256 << 10
)

// LineError is the first line that was not understood, in strict mode.
type LineError struct {
	Line    int // counted from 1
	Problem Problem
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Reader reads a trace event by event.
type Reader struct {
	options  Options
	blocks   *Blocks
	buffer   []byte
	batch    Batch
	next     int // index of the next event of batch
	strays   strays
	lines    int // lines before batch
	events   int
	problems Problems
}

// NewReader returns a reader of the trace in r.
func NewReader(r io.Reader, options Options) *Reader {
	if options.MaxLine <= 0 {
		options.MaxLine = DefaultMaxLine
	}
	return &Reader{options: options, blocks: NewBlocks(r), buffer: make([]byte, 0, max(blockSize, options.MaxLine+2))}
}

// ReadEvent returns the next event; it is valid until the next call. At the
// end of the trace it returns io.EOF. Lines that are not understood are counted
// in Problems; in strict mode the first is returned as a *LineError. Any other
// error is the source's.
func (r *Reader) ReadEvent() (*Event, error) {
	for r.next == len(r.batch.Events) {
		if err := r.readBatch(); err != nil {
			return nil, err
		}
	}
	event := &r.batch.Events[r.next]
	r.next++
	return event, nil
}

func (r *Reader) readBatch() error {
	block, err := r.blocks.Next(r.buffer)
	if err != nil {
		return err
	}
	before := r.lines
	r.batch.Parse(block, r.options.MaxLine)
	r.strays.drop(&r.batch)
	r.next = 0
	r.lines += r.batch.Lines
	r.events += len(r.batch.Events)
	for i := range r.batch.Events {
		r.batch.Events[i].Number += before
	}
	for _, p := range r.batch.Problems {
		r.problems.Add(p.Problem, before+p.Line)
	}
	if r.options.Strict {
		return r.problems.first()
	}
	return nil
}

// Lines returns the number of lines read, up to the block being read.
func (r *Reader) Lines() int { return r.lines }

// Events returns the number of events in those lines.
func (r *Reader) Events() int { return r.events }

// Problems returns what was not understood in those lines.
func (r *Reader) Problems() *Problems { return &r.problems }
