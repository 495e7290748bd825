package ohframe

import (
	"context"
	"io"
	"slices"

	"ohframe/internal/causetext"
	"ohframe/internal/exporter"
	"ohframe/internal/failure"
	"ohframe/internal/quality"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/source/unpack"
)

// ConvertOptions decide how an input is converted.
type ConvertOptions struct {
	Options
	// Events are the events that are written beside the frames.
	Events Events
	// NoTracks leaves out the tracks that show frames beside Perfetto's own frame
	// timeline.
	NoTracks bool
	// AndroidCompat adds the slices and names that Perfetto's queries for Android need.
	AndroidCompat bool
	// Compress compresses packets within the trace, to about a third of the size.
	Compress bool
	// PassThrough copies an input that Perfetto can open already, a Perfetto trace
	// or a tar archive, instead of returning an error that wraps ErrIsPerfetto.
	PassThrough bool
	// Input is the name of the input and Version that of the program. Perfetto's
	// overview page shows them.
	Input, Version string
	// Attributes are further facts about the trace, which that page shows too.
	Attributes []Attribute
}

// Events selects the events that are written.
type Events = exporter.Events

// The values of ConvertOptions.Events.
const (
	ShownEvents = exporter.ShownEvents
	AllEvents   = exporter.AllEvents
	NoEvents    = exporter.NoEvents
)

// Attribute is a fact about a trace, such as the device that recorded it.
type Attribute = exporter.Attribute

// Summary describes a conversion.
type Summary struct {
	// Summary counts frames and lines. Its Totals are nil if the input is not a text
	// trace. Its Timeline is nil if the input was passed through and has no frames.
	exporter.Summary
	// PassedThrough: the output is a copy of the input. Unpacked: the input was in a
	// container.
	PassedThrough, Unpacked bool
	// Warnings describes what was skipped or is unknown, one sentence each.
	Warnings []string
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
		s, err = passThrough(ctx, in.content, w, &o)
	case name == perfettoTrace:
		err = &failure.Error{What: ErrIsPerfetto.Error(), Hint: "open it in ui.perfetto.dev as it is", Err: ErrIsPerfetto}
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

func (o *ConvertOptions) exporter() exporter.Options {
	return exporter.Options{
		Reader: o.reader(), Analyzer: o.analyzer(),
		Events: o.Events, NoTracks: o.NoTracks, Causes: o.Causes, AndroidCompat: o.AndroidCompat, Compress: o.Compress,
		Input: o.Input, Version: o.Version, Attributes: o.Attributes,
	}
}

func convertText(ctx context.Context, content *unpack.Content, w io.Writer, o *ConvertOptions) (*Summary, error) {
	text, err := openText(content, &o.Options, binarytrace.Nanoseconds)
	if err != nil {
		return nil, err
	}
	options := o.exporter()
	text.describe(&options.Analyzer)
	options.Complete = text.complete
	s, err := exporter.Convert(ctx, text, w, options)
	if err := text.check(s.Totals, err); err != nil {
		return nil, err
	}
	return &Summary{Summary: *s, Warnings: slices.Concat(text.warnings(), s.Totals.Warnings(), s.Timeline.Diagnostics.Warnings(), s.Over.Warnings(), causetext.Warnings(s.Causes))}, nil
}

func convertFrames(ctx context.Context, in *input, w io.Writer, o *ConvertOptions) (*Summary, error) {
	t, err := in.read(ctx, &o.Options)
	if err != nil {
		return nil, err
	}
	options := o.exporter()
	options.Complete = func(*hitrace.Totals) []string { return append(t.Warnings, in.content.Warnings()...) }
	s, err := exporter.ConvertTimeline(ctx, t.Timeline, w, options)
	if err != nil {
		return nil, err
	}
	return &Summary{Summary: *s, Warnings: t.Warnings}, nil
}

// passThrough copies the input, and reads its frames on the way. It is no error if
// it has none.
func passThrough(ctx context.Context, content *unpack.Content, w io.Writer, o *ConvertOptions) (*Summary, error) {
	sink := &stickyWriter{w: w}
	in := io.TeeReader(content, sink)
	read, _, _ := perfetto.Read(ctx, in, perfetto.Options{Strict: o.FailOnDamage, Limits: o.Limits})
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, err
	}
	if sink.err != nil {
		return nil, sink.err
	}
	s := &Summary{PassedThrough: true}
	if read != nil {
		s.Timeline, s.Causes = read.Timeline, read.Causes
		s.Quality = quality.Of(read.Timeline, read.Lines, causetext.Warnings(read.Causes))
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
