package ohframe

import (
	"cmp"
	"context"
	"io"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter"
	"ohframe/exporter/pftrace"
	"ohframe/internal/causetext"
	"ohframe/internal/diag"
	"ohframe/internal/quality"
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
	// Timeline has the frames; nil if the input was passed through and has none.
	Timeline *analyzer.Timeline
	// Causes are the causes of late frames; nil unless Options.Causes is set.
	Causes *why.Causes
	// Samples are those of a profiler, on the clock of the trace; nil without any.
	Samples *sample.Recording
	// Lines counts the lines of a text trace, or of the text of a binary trace; nil for
	// other inputs.
	Lines *Lines
	// Exported counts the events in the output.
	Exported int
	// Quality says how far measures of the frames can be trusted; nil without Timeline.
	Quality *stats.Quality
	// PassedThrough: the output is a copy of the input. Unpacked: the input was in a
	// container.
	PassedThrough, Unpacked bool
	// Warnings are what was skipped or is unknown.
	Warnings []trace.Warning
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
	s.Unpacked = len(in.content.Layers()) > 0
	s.Warnings = append(s.Warnings, in.content.Warnings()...)
	return s, nil
}

func (o *ConvertOptions) exporter() pftrace.Options {
	return pftrace.Options{
		Reader: o.reader(), Analyzer: o.analyzer(), AllEvents: o.Events == AllEvents, NoEvents: o.Events == NoEvents, Analysis: analysis.Options{Causes: o.Causes, SamplesOffset: o.SamplesOffset},
		NoTracks: o.Output.NoTracks, AndroidCompat: o.Output.AndroidCompat, Compress: o.Output.Compress,
		Input: o.Output.Input, Version: o.Output.Version, Attributes: o.Output.Attributes,
	}
}

func convertText(ctx context.Context, content *unpack.Content, w io.Writer, o *ConvertOptions) (*Summary, error) {
	text, err := openText(content, &o.Options, binarytrace.Nanoseconds)
	if err != nil {
		return nil, err
	}
	options := o.exporter()
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
	return newSummary(s, slices.Concat(text.warnings(), s.Totals.Warnings(), s.Timeline.Diagnostics.Warnings(), s.Timeline.OwnWarnings(), s.Over.Warnings(), causetext.Warnings(s.Causes), samples.warnings(&s.Result), s.LogWarnings)), nil
}

func newSummary(s *pftrace.Summary, warnings []trace.Warning) *Summary {
	return &Summary{
		Timeline: s.Timeline, Causes: s.Causes, Samples: s.Samples, Lines: linesOf(s.Totals), Exported: s.Exported, Quality: s.Quality,
		Warnings: warnings, Details: s.Details(),
	}
}

func convertFrames(ctx context.Context, in *input, w io.Writer, o *ConvertOptions) (*Summary, error) {
	t, err := in.read(ctx, &o.Options)
	if err != nil {
		return nil, err
	}
	if len(t.Timeline.Frames) == 0 && len(t.Timeline.Summaries) > 0 {
		return nil, &diag.Error{What: dumpsys.ErrNoRows.Error(), Hint: rowsHint, Err: ErrNoFrames}
	}
	options := o.exporter()
	options.Complete = func(*hitrace.Totals) []trace.Warning { return append(t.Warnings, in.content.Warnings()...) }
	s, err := pftrace.ConvertTimeline(ctx, t.Timeline, t.Causes, w, options)
	if err != nil {
		return nil, err
	}
	return newSummary(s, t.Warnings), nil
}

// passThrough copies the input, and reads its frames on the way. It is no error if
// it has none, but a tar archive must be whole.
func passThrough(ctx context.Context, in *input, w io.Writer, o *ConvertOptions) (*Summary, error) {
	sink := &stickyWriter{w: w}
	content := io.TeeReader(in.content, sink)
	var read *perfetto.Trace
	var cut error
	if in.format.name == tarArchive {
		cut = unpack.CheckTar(content)
	} else {
		read, _, _ = perfetto.Read(ctx, content, perfetto.Options{Strict: o.FailOnDamage, Limits: o.Limits})
	}
	if _, err := io.Copy(io.Discard, content); err != nil || cut != nil {
		return nil, cmp.Or(err, cut)
	}
	if sink.err != nil {
		return nil, sink.err
	}
	s := &Summary{PassedThrough: true}
	if read != nil {
		s.Timeline, s.Causes = read.Timeline, read.Causes
		s.Quality = quality.Of(read.Timeline, read.Lines, read.Causes)
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
