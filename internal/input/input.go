// Package input reads frames from whatever holds some: it recognises a trace by
// its content and hands it to the package that reads it. All give the same
// Timeline.
package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"ohframe/analyzer"
	"ohframe/analyzer/gfxinfo"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/perfetto"
	"ohframe/analyzer/surfaceflinger"
)

// Options decide how inputs are read. What an input has no use for is ignored.
type Options struct {
	Reader   hitrace.Options
	Analyzer analyzer.Options
}

// Input is what was read.
type Input struct {
	Timeline *analyzer.Timeline
	// Format is what the input turned out to be.
	Format string
	// Totals counts the lines of a text trace; nil for others.
	Totals *hitrace.Totals
	// Gfxinfo is what a framestats dump says beyond its frames; nil for others.
	Gfxinfo *gfxinfo.Dump
	// Warnings say in words what of the input could not be read.
	Warnings []string
}

// Error is why an input was not read.
type Error struct {
	What string
	Hint string // what to do about it; may be empty
}

func (e *Error) Error() string { return e.What }

// headSize is how much of an input is looked at to recognise it.
const headSize = 64 << 10

// format is a kind of input: each says whether an input is its own.
type format struct {
	name  string
	sniff func(head []byte) bool
	read  func(ctx context.Context, r io.Reader, o Options) (*Input, error)
}

// formats are asked in this order; the last takes what no other does.
var formats = []format{
	{"Perfetto trace", perfetto.Sniff, readPerfetto},
	{"gfxinfo framestats", gfxinfo.Sniff, readGfxinfo},
	{"SurfaceFlinger latency", surfaceflinger.Sniff, readLatency},
	{"text trace", func([]byte) bool { return true }, readText},
}

// Peek returns the beginning of an input without taking it from the reader.
func Peek(r *bufio.Reader) []byte {
	head, _ := r.Peek(r.Size()) // an error comes again when it is read
	return head
}

// NewReader returns a reader of which Peek sees enough to tell a format.
func NewReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, headSize) }

// Read reads the input in r. The error is an *Error, a *hitrace.LineError, the
// reader's or the context's.
func Read(ctx context.Context, r io.Reader, o Options) (*Input, error) {
	reader := NewReader(r)
	head := Peek(reader)
	for _, f := range formats {
		if !f.sniff(head) {
			continue
		}
		in, err := f.read(ctx, reader, o)
		if err != nil {
			return nil, err
		}
		in.Format = f.name
		return in, nil
	}
	panic("the last format takes everything")
}

// IsText reports whether an input that begins with head is read as a text trace.
func IsText(head []byte) bool {
	for _, f := range formats[:len(formats)-1] {
		if f.sniff(head) {
			return false
		}
	}
	return true
}

func readText(ctx context.Context, r io.Reader, o Options) (*Input, error) {
	var head []byte
	if b, ok := r.(*bufio.Reader); ok {
		head = bytes.Clone(Peek(b))
	}
	timeline, totals, err := analyzer.Analyze(ctx, r, o.Reader, o.Analyzer)
	if err := CheckText(head, totals, err); err != nil {
		return nil, err
	}
	return &Input{Timeline: timeline, Totals: totals}, nil
}

// CheckText returns err, or, where an input that begins with head was read as a
// text trace and has not a single event, an *Error that says what it is instead.
func CheckText(head []byte, totals *hitrace.Totals, err error) error {
	line := (*hitrace.LineError)(nil)
	if err != nil && !errors.As(err, &line) || totals.Events > 0 {
		return err
	}
	if totals.Outside > 0 {
		return &Error{What: fmt.Sprintf("nothing in the window: the trace runs from %s to %s", totals.Start, totals.End)}
	}
	switch format := hitrace.Sniff(head); {
	case len(head) == 0:
		return &Error{What: "empty"}
	case format == hitrace.TextTrace && err == nil:
		return &Error{What: "a trace without events", Hint: "was tracing on, with tags such as graphic, ace and sched?"}
	case format == hitrace.TextTrace:
		return err
	default:
		return &Error{What: "not a trace" + format.Description(), Hint: format.Hint()}
	}
}

// cut leaves the window in the timeline of an input that was read whole.
func cut(t *analyzer.Timeline, w hitrace.Window) {
	if !w.IsOpen() {
		t.Cut(w.Bounds(t.Span.Start))
	}
}

func readPerfetto(ctx context.Context, r io.Reader, o Options) (*Input, error) {
	timeline, stats, err := perfetto.Read(ctx, r, perfetto.Options{Strict: o.Reader.Strict})
	switch {
	case errors.Is(err, perfetto.ErrNoFrames) && (stats.Cut || stats.Garbage >= 0):
		return nil, &Error{What: "a Perfetto trace that is cut or damaged before its first frame"}
	case errors.Is(err, perfetto.ErrNoFrames):
		return nil, &Error{
			What: "a Perfetto trace without frames",
			Hint: "record Android's with the data source android.surfaceflinger.frametimeline",
		}
	case err != nil:
		return nil, err
	}
	cut(timeline, o.Reader.Window)
	return &Input{Timeline: timeline, Warnings: stats.Warnings()}, nil
}

func readLatency(ctx context.Context, r io.Reader, o Options) (*Input, error) {
	timeline, stats, err := surfaceflinger.Read(ctx, r, surfaceflinger.Options{Strict: o.Reader.Strict})
	switch {
	case errors.Is(err, surfaceflinger.ErrNoLayer):
		return nil, &Error{What: "only a refresh period: there is no layer of that name", Hint: "dumpsys SurfaceFlinger --list prints the names"}
	case err != nil:
		return nil, err
	}
	cut(timeline, o.Reader.Window)
	return &Input{Timeline: timeline, Warnings: stats.Warnings()}, nil
}

func readGfxinfo(ctx context.Context, r io.Reader, o Options) (*Input, error) {
	timeline, dump, err := gfxinfo.Read(ctx, r, gfxinfo.Options{Strict: o.Reader.Strict})
	if err != nil {
		return nil, err
	}
	cut(timeline, o.Reader.Window)
	return &Input{Timeline: timeline, Gfxinfo: dump, Warnings: dump.Warnings()}, nil
}
