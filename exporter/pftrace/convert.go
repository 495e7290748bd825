package pftrace

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter/internal/ftrace"
	"ohframe/exporter/internal/packet"
	"ohframe/exporter/internal/samples"
	"ohframe/exporter/internal/timeline"
	"ohframe/internal/diag"
	"ohframe/internal/quality"
	"ohframe/internal/result"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/version"
)

// Options decide how a text trace is converted. Reader and Analyzer have limits of their
// own.
type Options struct {
	Reader   hitrace.Options
	Analyzer analysis.FrameOptions
	// AllEvents exports also the events of the kernel that are only rows of Perfetto's table
	// ftrace_event, NoEvents none, and no samples, so that the trace has frames and names.
	AllEvents, NoEvents bool
	// Analysis finds the causes of late frames and the samples of threads. The tracks show them.
	Analysis analysis.Options
	// Input is the name of the input, which Perfetto's overview page shows.
	Input string `fingerprint:"-"`
	// Version is that of the program, which that page shows, too.
	Version string
	// Attributes are further facts for that page, by name.
	Attributes map[string]string
	// Log, if it is not nil, calls its argument for each message of the system's log. The error is
	// that of the input.
	Log func(func(*binarytrace.LogMessage)) error `fingerprint:"-"`
	// Tasks, if it is not nil, calls its argument for each event of ffrt, and says whether its time is
	// known. The error is that of the input.
	Tasks func(func(e *binarytrace.TaskEvent, known bool)) error `fingerprint:"-"`
	// Complete, if it is not nil, is called after the input was read. It completes the counts
	// of lines, which are nil without text, and returns warnings about what could not be read.
	Complete func(*hitrace.Totals) []trace.Warning `fingerprint:"-"`
}

// Summary describes a conversion. Every line is in one of its counts: headers
// (Totals.Problems.Ignored), lines of hilog (Totals.Problems.Logged), malformed lines
// (Totals.Problems.Lost), lines outside the window (Totals.Outside), and events, which
// are Exported, Unmatched, Unencodable, Over or LeftOut.
type Summary struct {
	analysis.Result
	// Exported counts the events that are in the output.
	Exported int
	// Closed counts the ends that were added to those, of slices that are open
	// where another trace begins.
	Closed int
	// Ended counts the ends that were added of processes whose ids are those of others later.
	Ended int
	// Unmatched counts the ends of slices whose begin is not in the trace.
	Unmatched int
	// Unencodable counts the events that Perfetto has no form for.
	Unencodable int
	// Over counts the events that limits leave out.
	Over ftrace.Over
	// Misplaced counts the events of processors beyond the last that Perfetto
	// knows, which are exported as that one's.
	Misplaced int
	// LeftOut counts the events that options leave out.
	LeftOut int
	// Renumbered counts the frames whose vsync id was missing or not unique.
	Renumbered int
	// Sampled counts the samples.
	Sampled samples.Summary
	// Logged counts the messages of the system's log.
	Logged int
	// LogWarnings say which of them are not in the output.
	LogWarnings diag.Warnings
	// Quality is that of the trace, with the causes as far as they were looked for.
	Quality *stats.Quality
}

// Convert reads the text trace in r and writes it to w as a Perfetto trace. The error is
// that of r, w or ctx. After an error the output is unusable, and only the summary's Totals is set.
func Convert(ctx context.Context, r io.Reader, w io.Writer, options Options) (*Summary, error) {
	options.Reader = options.Reader.WithDefaults()
	out := bufio.NewWriterSize(w, 256<<10)
	packets := packet.NewWriter(ctx, out)
	hash := xxh3.New()
	summary := &Summary{}
	var sinks []hitrace.Sink
	planner := ftrace.NewPlanner(options.Analyzer.Limits)
	if !options.NoEvents {
		sinks = append(sinks, eventSink(planner, packets, summary, options))
	}
	writeSystemInfo(packets)
	packets.Flush()
	var err error
	summary.Result, err = analysis.Run(ctx, hashed(r, hash), options.Reader, options.Analyzer, options.Analysis, sinks...)
	if err != nil {
		return summary, err
	}
	summary.Closed, summary.Unmatched, summary.Over = planner.Closed, planner.Unmatched, planner.Over
	if options.NoEvents {
		summary.LeftOut = summary.Totals.Events
	}
	return finish(out, packets, summary, hash.Sum128(), options)
}

// hashed returns r, and hashes what is read of it.
func hashed(r io.Reader, hash *xxh3.Hasher) io.Reader {
	if source, ok := r.(hitrace.Source); ok {
		return &hashedSource{source, hash}
	}
	return io.TeeReader(r, hash)
}

type hashedSource struct {
	hitrace.Source
	hash *xxh3.Hasher
}

// Next implements hitrace.Source.
func (h *hashedSource) Next(b *hitrace.Batch, size int) error {
	err := h.Source.Next(b, size)
	var time [8]byte
	for i := range b.Events {
		e := &b.Events[i]
		binary.LittleEndian.PutUint64(time[:], uint64(e.Time))
		h.hash.Write(time[:])
		h.hash.Write(e.Args)
	}
	return err
}

// ConvertTimeline writes a timeline from another source than a text trace, and its causes,
// which may be nil, to w as a Perfetto trace. It ignores the options for reading.
func ConvertTimeline(ctx context.Context, t *analyzer.Timeline, causes *why.Causes, w io.Writer, options Options) (*Summary, error) {
	out := bufio.NewWriterSize(w, 256<<10)
	packets := packet.NewWriter(ctx, out)
	writeSystemInfo(packets)
	return finish(out, packets, &Summary{Result: analysis.Result{Timeline: t, Causes: causes}}, xxh3.HashString128(t.String()), options)
}

// finish writes the packets that are known only at the end of the input.
func finish(out *bufio.Writer, packets *packet.Writer, s *Summary, hash xxh3.Uint128, options Options) (*Summary, error) {
	tokens, renumbered := timeline.NewTokens(s.Timeline)
	s.Renumbered = renumbered
	var warnings []trace.Warning
	if options.Complete != nil {
		warnings = options.Complete(s.Totals)
	}
	s.Quality = quality.Of(s.Timeline, s.Totals, s.Causes)
	// First the clocks: the engine moves the times of a merged trace as it reads them, and
	// those of packets before a clock snapshot stay where they were.
	writeClocks(packets, s.Timeline)
	sampled := writeSamples(packets, s, &options)
	writeUUID(packets, identity(hash, s.Sampled.Hash, options))
	writeResult(packets, &result.Stored{Timeline: s.Timeline, Causes: s.Causes, Lines: s.Totals, Warnings: warnings})
	writeAttributes(packets, attributes(s, hash, options))
	if err := writeLog(packets, s, &options); err != nil {
		return s, err
	}
	if err := writeSystemEvents(packets, s, &options); err != nil {
		return s, err
	}
	if err := writeTasks(packets, s, &options); err != nil {
		return s, err
	}
	processes := addThreads(s.Timeline.Processes, sampled)
	s.Ended = writeEnds(packets, processes, s.Timeline.Span, s.Totals != nil && !options.NoEvents)
	writeProcesses(packets, processes, s.Timeline.Span)
	timeline.Write(packets, s.Timeline, tokens, s.Causes)
	packets.Flush()
	if err := packets.Err(); err != nil {
		return s, err
	}
	return s, out.Flush()
}

// eventSink returns the sink that writes the events of an input and counts them.
func eventSink(planner *ftrace.Planner, packets *packet.Writer, s *Summary, options Options) hitrace.Sink {
	workers := make([]struct {
		encoder *ftrace.Encoder
		outcome []byte
	}, options.Reader.Workers)
	for i := range workers {
		workers[i].encoder = ftrace.NewEncoder(options.Reader.Limits.Strings, options.AllEvents)
	}
	return hitrace.Sink{
		Fields: true,
		Begin:  planner.Begin,
		Track:  func(i int, batch *hitrace.Batch) { planner.Plan(batch, workers[i].encoder) },
		Encode: func(i int, _ *hitrace.Batch) {
			workers[i].outcome = workers[i].encoder.Encode()
		},
		Write: func(i int) error {
			e := workers[i].encoder
			s.Exported += e.Exported
			s.Unencodable += e.Lost
			s.Misplaced += e.Misplaced
			s.LeftOut += e.LeftOut
			packets.WriteBytes(workers[i].outcome)
			return packets.Err()
		},
	}
}

// identity returns the trace's UUID: the hashes of the input, its samples and the options
// together, so that two conversions of one input are two traces.
func identity(input, sampled xxh3.Uint128, o Options) xxh3.Uint128 {
	o.Reader, o.Analyzer.Limits = o.Reader.WithDefaults(), o.Analyzer.Limits.WithDefaults()
	return xxh3.HashString128(fmt.Sprintf("%x\n%s", [...]uint64{input.Hi, input.Lo, sampled.Hi, sampled.Lo}, version.Fingerprint(o)))
}

// attributes are the facts of the conversion that Perfetto's overview shows.
func attributes(s *Summary, hash xxh3.Uint128, o Options) []attribute {
	clock, counts := &s.Timeline.Clock, s.Timeline.Counts()
	totals := cmp.Or(s.Totals, &hitrace.Totals{})
	list := []attribute{
		{name: "ohframe.version", text: o.Version},
		{name: "ohframe.input", text: o.Input},
		{name: "ohframe.input_xxh3", text: fmt.Sprintf("%016x%016x", hash.Hi, hash.Lo)},
		{name: "ohframe.clock_offset_ns", number: int64(clock.Offset)},
		{name: "ohframe.clock_offset_source", text: clock.Source.String()},
		{name: "ohframe.start_ns", number: int64(s.Timeline.Span.Start)},
		{name: "ohframe.end_ns", number: int64(s.Timeline.Span.End)},
		{name: "ohframe.lines", number: int64(totals.Lines)},
		{name: "ohframe.lines_not_understood", number: int64(totals.Problems.Lost())},
		{name: "ohframe.lines_of_hilog", number: int64(totals.Problems.Logged())},
		{name: "ohframe.lines_outside_window", number: int64(totals.Outside)},
		{name: "ohframe.events_exported", number: int64(s.Exported)},
		{name: "ohframe.events_unencodable", number: int64(s.Unencodable)},
		{name: "ohframe.events_over_limits", number: int64(s.Over.Total())},
		{name: "ohframe.events_left_out", number: int64(s.LeftOut)},
		{name: "ohframe.ends_without_begin", number: int64(s.Unmatched)},
		{name: "ohframe.frames", number: int64(counts.Frames)},
		{name: "ohframe.frames_truncated", number: int64(counts.Truncated)},
		{name: "ohframe.frames_judged", number: int64(counts.Judged)},
		{name: "ohframe.frames_late", number: int64(counts.Late)},
		{name: "ohframe.frames_misaligned", number: int64(counts.Misaligned)},
		{name: "ohframe.frames_renumbered", number: int64(s.Renumbered)},
		{name: "ohframe.quality", text: s.Quality.String()},
	}
	if counts.EmptyKnown > 0 || counts.Frames == 0 {
		list = append(list, attribute{name: "ohframe.frames_empty", number: int64(counts.Empty)})
	}
	for _, name := range slices.Sorted(maps.Keys(o.Attributes)) {
		list = append(list, attribute{name: name, text: o.Attributes[name]})
	}
	if s.Causes != nil {
		list = append(list, attribute{name: "ohframe.causes_from", text: evidence(s.Causes)})
	}
	if s.Samples != nil {
		a := &s.Samples.Alignment
		list = append(list,
			attribute{name: "ohframe.samples", number: int64(s.Sampled.Written)},
			attribute{name: "ohframe.samples_outside", number: int64(a.Outside)},
			attribute{name: "ohframe.samples_clock", text: a.Source.String()},
			attribute{name: "ohframe.samples_offset_ns", number: int64(a.Offset)},
			attribute{name: "ohframe.samples_hit_rate", text: strconv.FormatFloat(a.HitRate(), 'f', 3, 64)})
	}
	return list
}

// evidence lists the kinds of events that causes were found in.
func evidence(c *why.Causes) string {
	list := []string{"slices"}
	for _, kind := range []struct {
		has  bool
		name string
	}{{c.Scheduled, "switches"}, {c.Woken, "wakeups"}, {c.BlockedReasons, "blocked reasons"}} {
		if kind.has {
			list = append(list, kind.name)
		}
	}
	return strings.Join(list, ", ")
}
