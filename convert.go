package ohframe

import (
	"cmp"
	"context"
	"io"
	"slices"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	"ohframe/exporter/pftrace"
	"ohframe/internal/causetext"
	"ohframe/internal/diag"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/source/unpack"
)

// ConvertOptions decide how an input is converted.
type ConvertOptions struct {
	// Options decide how the input is read.
	Options
	// Events are the events that are written beside the frames.
	Events Events
	// Output decides what else is written.
	Output exporter.Options
	// PassThrough copies an input that Perfetto can open already, a Perfetto trace
	// or a tar archive, instead of returning an error that wraps ErrIsPerfetto.
	PassThrough bool
}

// Events selects the events of a text trace that are written.
type Events uint8

// The values of ConvertOptions.Events.
const (
	// ShownEvents are the events that Perfetto shows on tracks: markers, scheduling,
	// frequencies, binder calls, interrupts and a few others of the kernel.
	ShownEvents Events = iota
	// AllEvents are also the events of the kernel that are only rows of Perfetto's table
	// ftrace_event.
	AllEvents
	// NoEvents leaves the trace with frames and names.
	NoEvents
)

// Summary describes a conversion.
type Summary struct {
	// Trace is what was read. Of an input that was passed through it is the frames and causes that are in
	// it, and is zero if there are no frames.
	Trace
	// Exported counts the events in the output.
	Exported int
	// PassedThrough: the output is a copy of the input. Unpacked: the input was in a
	// container.
	PassedThrough, Unpacked bool
	// Details count, by reason, lines that were not understood, events that are not in the
	// output or have another form there, and markers that contradict each other. Some are
	// Warnings, too.
	Details []trace.Warning
}

// Convert reads the input in r and writes it to w as a Perfetto trace: a text trace with
// its events, a dump with its frames. The same input and options give the same bytes.
// The error is an *Error, or that of r, w or ctx. Like Read, Convert does not interrupt a
// reader that blocks. After an error the output is unusable.
func Convert(ctx context.Context, r io.Reader, w io.Writer, o ConvertOptions) (*Summary, error) {
	in, err := open(ctx, r, o.Options, o.PassThrough)
	if err != nil {
		return nil, err
	}
	defer in.content.Close()
	var s *Summary
	switch name := in.format.name; {
	case o.PassThrough && (name == perfettoTrace || name == tarArchive):
		s, err = passThrough(ctx, in, w, &o)
	case name == perfettoTrace:
		err = &diag.Error{What: ErrIsPerfetto.Error(), Hint: "open it in ui.perfetto.dev as it is", Err: ErrIsPerfetto}
	case in.format.isText():
		s, err = convertText(ctx, in.content, w, &o)
	default:
		s, err = convertFrames(ctx, in, w, &o)
	}
	if err != nil {
		return nil, in.explain(err)
	}
	s.Format, s.asked, s.Unpacked = in.name(), o.Causes, len(in.content.Layers()) > 0
	s.Warnings = append(s.Warnings, in.content.Warnings()...)
	return s, nil
}

func (o *ConvertOptions) exporter(ctx context.Context) pftrace.Options {
	return pftrace.Options{
		Reader: o.reader(ctx), Analyzer: o.analyzer(), AllEvents: o.Events == AllEvents, NoEvents: o.Events == NoEvents,
		Analysis: analysis.Options{Causes: o.Causes, SamplesOffset: o.Samples.Offset},
		Input:    o.Output.Input, Version: o.Output.Version, Attributes: o.Output.Attributes,
	}
}

func convertText(ctx context.Context, content *unpack.Content, w io.Writer, o *ConvertOptions) (*Summary, error) {
	text, err := openText(content, &o.Options, binarytrace.Nanoseconds)
	if err != nil {
		return nil, err
	}
	options := o.exporter(ctx)
	text.describe(&options.Analyzer)
	samples := text.samples(ctx, &o.Options)
	options.Complete, options.Analysis.Samples = text.complete, samples.read
	options.Log, options.Analysis.SystemEvents = text.log(), text.systemEvents()
	options.Tasks = text.tasks()
	s, err := pftrace.Convert(ctx, text.Reader, w, options)
	if s.Stacks != nil {
		s.Refused = &diag.Error{What: "the stacks have no times, so that they are not in the converted trace", Hint: diag.StacksAlone}
	}
	if err := text.check(s.Totals, samples.check(&s.Result, err)); err != nil {
		return nil, err
	}
	skipped := slices.Concat(text.warnings(), s.Totals.Warnings(), s.Timeline.Diagnostics.Warnings(), s.Timeline.OwnWarnings(), s.Over.Warnings())
	ofSamples := samples.warnings(&s.Result)
	return &Summary{
		Trace: Trace{
			Timeline: s.Timeline, Causes: s.Causes, Samples: s.Samples, Lines: linesOf(s.Totals), Quality: s.Quality,
			Warnings: slices.Concat(skipped, causetext.Warnings(s.Causes), ofSamples, s.LogWarnings),
			totals:   s.Totals, skipped: skipped, ofSamples: len(ofSamples),
		},
		Exported: s.Exported, Details: s.Details(),
	}, nil
}

func convertFrames(ctx context.Context, in *input, w io.Writer, o *ConvertOptions) (*Summary, error) {
	t, err := in.read(ctx, &o.Options)
	if err != nil {
		return nil, err
	}
	if len(t.Timeline.Frames) == 0 && len(t.Timeline.Summaries) > 0 {
		return nil, &diag.Error{What: dumpsys.ErrNoRows.Error(), Hint: rowsHint, Err: ErrNoFrames}
	}
	options := o.exporter(ctx)
	options.Complete = func(*hitrace.Totals) []trace.Warning { return append(t.Warnings, in.content.Warnings()...) }
	s, err := pftrace.ConvertTimeline(ctx, t.Timeline, t.Causes, w, options)
	if err != nil {
		return nil, err
	}
	return &Summary{Trace: *t, Exported: s.Exported, Details: s.Details()}, nil
}

// passThrough copies the input, and reads its frames on the way. It is no error if
// it has none, but a tar archive must be whole.
func passThrough(ctx context.Context, in *input, w io.Writer, o *ConvertOptions) (*Summary, error) {
	sink := &stickyWriter{w: w}
	content := io.TeeReader(in.content, sink)
	s := &Summary{PassedThrough: true}
	var cut error
	if in.format.name == tarArchive {
		cut = unpack.CheckTar(content)
	} else {
		read, about, _ := perfetto.Read(ctx, content, perfetto.Options{Limits: o.Limits})
		if read != nil {
			s.Trace = *newPerfetto(read, about)
		} else {
			s.Warnings = about.Warnings()
		}
	}
	if _, err := io.Copy(io.Discard, content); err != nil || cut != nil {
		return nil, cmp.Or(err, cut)
	}
	if sink.err != nil {
		return nil, sink.err
	}
	return s, nil
}

// stickyWriter writes nothing after its first error.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) Write(b []byte) (n int, err error) {
	if s.err == nil {
		n, s.err = s.w.Write(b)
	}
	return n, s.err
}
