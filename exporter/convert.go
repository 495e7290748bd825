package exporter

import (
	"fmt"
	"io"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
)

// Options decide how a text trace is converted.
type Options struct {
	Reader   hitrace.Options
	Analyzer analyzer.Options
	// Input is the name of the input and Version that of the program; they are
	// shown on Perfetto's overview page.
	Input, Version string
}

// Summary is what a conversion found.
type Summary struct {
	Timeline *analyzer.Timeline
	// Problems are the lines that were not understood.
	Problems *hitrace.Problems
	// Lines is how many lines were read, Events how many of them had an event.
	Lines, Events int
	// Unexported counts the events that are not in the output, by kind.
	Unexported Unexported
	// Renumbered counts the frames whose vsync id was missing or taken.
	Renumbered int
}

// Unexported counts events that were understood and are not in the output.
type Unexported struct {
	KernelEvents int // events of the kernel
	UnmatchedEnd int // ends of slices that began before the trace
}

// Convert reads the text trace in r and writes it to w as a Perfetto trace. What
// it returns as an error is the source's, the sink's or, in strict mode, a
// *hitrace.LineError; in each case what was written is of no use.
func Convert(r io.Reader, w io.Writer, options Options) (*Summary, error) {
	hash := xxh3.New()
	reader := hitrace.NewReader(io.TeeReader(r, hash), options.Reader)
	builder := analyzer.NewBuilder(options.Analyzer)
	packets := &packetWriter{out: w}
	bundles := &bundles{packets: packets}
	markers := newMarkers(bundles)
	summary := &Summary{Problems: reader.Problems()}

	writeSystemInfo(packets)
	for packets.err == nil {
		event, err := reader.ReadEvent()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		builder.Add(event)
		if event.Marker.Phase == hitrace.NotAMarker {
			summary.Unexported.KernelEvents++
			continue
		}
		markers.add(event)
	}
	bundles.flushAll()

	summary.Timeline = builder.Timeline()
	summary.Lines, summary.Events = reader.Lines(), reader.Events()
	summary.Unexported.UnmatchedEnd = markers.dropped
	tokens, renumbered := newTokens(summary.Timeline)
	summary.Renumbered = renumbered
	sum := hash.Sum128()
	id := [2]uint64{sum.Hi, sum.Lo}
	writeUUID(packets, identity(id, options))
	writeAttributes(packets, attributes(summary, id, options))
	writeClocks(packets, summary.Timeline)
	writeProcesses(packets, summary.Timeline.Processes, summary.Timeline.Span.Start)
	writeFrames(packets, summary.Timeline, tokens)
	return summary, packets.err
}

// identity returns the trace's UUID: the input's hash and the options' together,
// so that two conversions of one input are two traces.
func identity(input [2]uint64, o Options) [2]uint64 {
	given := "auto"
	if o.Analyzer.ClockOffset != nil {
		given = o.Analyzer.ClockOffset.String()
	}
	sum := xxh3.HashString128(fmt.Sprintf("%x %s %d %s", input, given, o.Analyzer.PhaseRule, o.Version))
	return [2]uint64{sum.Hi, sum.Lo}
}

// attributes are the facts of the conversion that Perfetto's overview shows.
func attributes(s *Summary, hash [2]uint64, o Options) []attribute {
	clock := &s.Timeline.Clock
	list := []attribute{
		{name: "ohframe.version", text: o.Version},
		{name: "ohframe.input", text: o.Input},
		{name: "ohframe.input_xxh3", text: fmt.Sprintf("%016x%016x", hash[0], hash[1])},
		{name: "ohframe.clock_offset_ns", number: int64(clock.Offset)},
		{name: "ohframe.clock_offset_source", text: clock.Source.String()},
		{name: "ohframe.lines", number: int64(s.Lines)},
		{name: "ohframe.lines_not_understood", number: int64(s.Problems.Lost())},
		{name: "ohframe.kernel_events_left_out", number: int64(s.Unexported.KernelEvents)},
		{name: "ohframe.ends_without_begin", number: int64(s.Unexported.UnmatchedEnd)},
		{name: "ohframe.frames_renumbered", number: int64(s.Renumbered)},
	}
	counts := s.Timeline.Counts()
	return append(list,
		attribute{name: "ohframe.frames", number: int64(counts.Frames)},
		attribute{name: "ohframe.frames_truncated", number: int64(counts.Truncated)},
		attribute{name: "ohframe.frames_late", number: int64(counts.Late)},
		attribute{name: "ohframe.frames_empty", number: int64(counts.Empty)},
		attribute{name: "ohframe.frames_misaligned", number: int64(counts.Misaligned)},
	)
}

