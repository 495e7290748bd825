package hitrace

import (
	"runtime"

	"ohframe/analyzer/trace"
)

// Options decide how a trace is read.
type Options struct {
	// Limits are the limits Line, Traces and Examples.
	Limits trace.Limits
	// Window is the part of the trace to be read. Default: all of it.
	Window trace.Window
	// Workers is how many blocks are worked on at once. Default: the number of
	// processors; at most 64.
	Workers int `fingerprint:"-"`
	// blockSize is how many bytes of text are parsed at a time, rounded down to
	// whole lines. Tests vary it; the packets of an exported trace follow it, so
	// that for users it is one and the same.
	blockSize int `fingerprint:"-"`
}

// MaxWorkers bounds the memory of the workers, which is some megabytes each.
const MaxWorkers = 64

// defaultBlockSize is large enough to make the cost of a block small and small
// enough for its events to stay in a processor's cache.
const defaultBlockSize = 256 << 10

// WithDefaults returns a copy of the options with defaults for zero fields.
func (o Options) WithDefaults() Options {
	o.Limits = o.Limits.WithDefaults()
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Workers = min(o.Workers, MaxWorkers)
	if o.blockSize <= 0 {
		o.blockSize = defaultBlockSize
	}
	return o
}

// bufferSize is the size of a block's buffer. A line that fills it is too long,
// and must be seen to be.
func (o Options) bufferSize() int { return max(o.blockSize, o.Limits.Line+2) }
