// Package input reads frames from whatever holds some: it takes a trace out of its
// containers, recognises it by its content and hands it to the package that reads
// it. All give the same Timeline.
package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/gfxinfo"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/perfetto"
	"ohframe/analyzer/surfaceflinger"
	"ohframe/internal/container"
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
type Error = container.Error

// format is a kind of input: each says whether an input is its own.
type format struct {
	name  string
	sniff func(head []byte) bool
	read  func(ctx context.Context, content *container.Content, o Options) (*Input, error)
}

// formats are asked in this order; the last takes what no other does.
var formats = []format{
	{"Perfetto trace", perfetto.Sniff, readPerfetto},
	{"gfxinfo framestats", gfxinfo.Sniff, readGfxinfo},
	{"SurfaceFlinger latency", surfaceflinger.Sniff, readLatency},
	{"text trace", func([]byte) bool { return true }, readText},
}

// Open takes what is in r out of its containers, as Read and others will read it.
// It is to be closed.
func Open(ctx context.Context, r io.Reader, o hitrace.Options) (*container.Content, error) {
	return container.Open(ctx, r, container.Options{Strict: o.Strict, Limits: o.Limits})
}

// Read reads the input in r. The error is an *Error, a *hitrace.LineError, the
// reader's or the context's.
func Read(ctx context.Context, r io.Reader, o Options) (*Input, error) {
	content, err := Open(ctx, r, o.Reader)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	in, err := read(ctx, content, o)
	if err != nil {
		return nil, Explain(content, err)
	}
	in.Format += content.In()
	in.Warnings = append(in.Warnings, content.Warnings()...)
	return in, nil
}

// Explain returns the error of a use that the content was put to, with what the
// container has to do with it: where that is cut, so is the last line.
func Explain(content *container.Content, err error) error {
	if line := (*hitrace.LineError)(nil); errors.As(err, &line) && content.Err() != nil {
		return content.Err()
	}
	return content.Explain(err)
}

func read(ctx context.Context, content *container.Content, o Options) (*Input, error) {
	head := content.Head()
	for _, f := range formats {
		if !f.sniff(head) {
			continue
		}
		in, err := f.read(ctx, content, o)
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

func readText(ctx context.Context, content *container.Content, o Options) (*Input, error) {
	head := bytes.Clone(content.Head())
	if err := CheckHead(head); err != nil {
		return nil, err
	}
	timeline, totals, err := analyzer.Analyze(ctx, content, o.Reader, o.Analyzer)
	if err := CheckText(head, totals, err); err != nil {
		return nil, err
	}
	return &Input{Timeline: timeline, Totals: totals, Warnings: slices.Concat(totals.Warnings(), timeline.Diagnostics.Warnings())}, nil
}

// CheckHead returns an *Error where an input that begins with head is of a kind
// that has no lines to be read: trying would take as long as it is large.
func CheckHead(head []byte) error {
	if format := hitrace.Sniff(head); format.IsBinary() {
		return notATrace(format)
	}
	return nil
}

func notATrace(format hitrace.Format) error {
	return &Error{What: "not a trace" + format.Description(), Hint: format.Hint()}
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
	case err == nil && totals.Problems.Total(hitrace.LineTooLong) > 0:
		return &Error{
			What: fmt.Sprintf("no event: %d × %s", totals.Problems.Total(hitrace.LineTooLong), hitrace.LineTooLong),
			Hint: "a trace has lines of a few hundred bytes",
		}
	case format == hitrace.TextTrace && err == nil:
		return &Error{What: "a trace without events", Hint: "was tracing on, with tags such as graphic, ace and sched?"}
	case format == hitrace.TextTrace:
		return err
	default:
		return notATrace(format)
	}
}

// cut leaves the window in the timeline of an input that was read whole.
func cut(t *analyzer.Timeline, w hitrace.Window) {
	if !w.IsOpen() {
		t.Cut(w.Bounds(t.Span.Start))
	}
}

func readPerfetto(ctx context.Context, content *container.Content, o Options) (*Input, error) {
	timeline, stats, err := perfetto.Read(ctx, content, perfetto.Options{Strict: o.Reader.Strict, Limits: o.Reader.Limits})
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

func readLatency(ctx context.Context, content *container.Content, o Options) (*Input, error) {
	timeline, stats, err := surfaceflinger.Read(ctx, content, surfaceflinger.Options{Strict: o.Reader.Strict, Limits: o.Reader.Limits})
	switch {
	case errors.Is(err, surfaceflinger.ErrNoLayer):
		return nil, &Error{What: "only a refresh period: there is no layer of that name", Hint: "dumpsys SurfaceFlinger --list prints the names"}
	case err != nil:
		return nil, err
	}
	cut(timeline, o.Reader.Window)
	return &Input{Timeline: timeline, Warnings: stats.Warnings()}, nil
}

func readGfxinfo(ctx context.Context, content *container.Content, o Options) (*Input, error) {
	timeline, dump, err := gfxinfo.Read(ctx, content, gfxinfo.Options{Strict: o.Reader.Strict, Limits: o.Reader.Limits})
	switch {
	case errors.Is(err, gfxinfo.ErrNoRows) && len(dump.NotRunning) > 0:
		return nil, &Error{What: err.Error(), Hint: "start the application before dumpsys gfxinfo PACKAGE framestats"}
	case errors.Is(err, gfxinfo.ErrNoRows):
		return nil, &Error{What: err.Error(), Hint: "dumpsys gfxinfo PACKAGE framestats prints them"}
	case errors.Is(err, gfxinfo.ErrNoFrames):
		return nil, &Error{What: err.Error()}
	case err != nil:
		return nil, err
	}
	cut(timeline, o.Reader.Window)
	return &Input{Timeline: timeline, Gfxinfo: dump, Warnings: dump.Warnings()}, nil
}
