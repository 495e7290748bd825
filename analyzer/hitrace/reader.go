package hitrace

import (
	"fmt"
	"io"
	"runtime"

	"ohframe/analyzer/limits"
)

// Options bound what is accepted of a trace and how it is read.
type Options struct {
	// Strict makes the first line that is not understood an error.
	Strict bool
	// Limits bound what is accepted. Of them a reader has a use for Line, longer
	// lines being counted as LineTooLong, and for Examples.
	Limits limits.Limits
	// Window is the part of the trace to be read. Default: all of it.
	Window Window
	// Workers is how many blocks are worked on at once. Default: the number of
	// processors; at the most 64. A Reader has one.
	Workers int
	// blockSize is how many bytes of text are parsed at a time, rounded down to
	// whole lines. Tests vary it; the packets of an exported trace follow it, so
	// that for users it is one and the same.
	blockSize int
}

// maxWorkers bounds the memory that workers hold, some megabytes each.
const maxWorkers = 64

// defaultBlockSize is large enough to make the cost of a block small and small
// enough for its events to stay in a processor's cache.
const defaultBlockSize = 256 << 10

// WithDefaults returns the options with what is not set set to its default.
func (o Options) WithDefaults() Options {
	o.Limits = o.Limits.WithDefaults()
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Workers = min(o.Workers, maxWorkers)
	if o.blockSize <= 0 {
		o.blockSize = defaultBlockSize
	}
	return o
}

// bufferSize is the size of a block's buffer. A line that fills it is too long,
// and must be seen to be.
func (o Options) bufferSize() int { return max(o.blockSize, o.Limits.Line+2) }

// LineError is the first line that was not understood, in strict mode.
type LineError struct {
	Line    int // counted from 1
	Problem Problem
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Reader reads a trace event by event.
type Reader struct {
	options Options
	blocks  *Blocks
	buffer  []byte
	batch   Batch
	next    int // index of the next event of batch
	strays  strays
	joins   joins
	totals  Totals
}

// NewReader returns a reader of the trace in r.
func NewReader(r io.Reader, options Options) *Reader {
	options = options.WithDefaults()
	return &Reader{options: options, blocks: NewBlocks(r), buffer: make([]byte, 0, options.bufferSize())}
}

// ReadEvent returns the next event; it is valid until the next call. At the
// end of the trace it returns io.EOF. Lines that are not understood are counted
// in Problems; in strict mode the first is returned as a *LineError. Any other
// error is the source's.
func (r *Reader) ReadEvent() (*Event, error) {
	for {
		for ; r.next < len(r.batch.Events); r.next++ {
			if event := &r.batch.Events[r.next]; !event.Skip {
				r.next++
				return event, nil
			}
		}
		block, err := r.blocks.Next(r.buffer)
		if err != nil {
			return nil, err
		}
		r.batch.Parse(block, r.options.Limits.Line)
		r.next = 0
		if err := r.batch.settle(&r.strays, &r.joins, &r.totals, r.options); err != nil {
			return nil, err
		}
	}
}

// Lines returns the number of lines read, up to the block being read.
func (r *Reader) Lines() int { return r.totals.Lines }

// Events returns the number of events in those lines.
func (r *Reader) Events() int { return r.totals.Events }

// Problems returns what was not understood in those lines.
func (r *Reader) Problems() *Problems { return &r.totals.Problems }
