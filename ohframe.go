// Package ohframe reads traces of OpenHarmony, HarmonyOS and Android, finds late frames, and says why each was late.
//
//	any input ─┬─ Read ────▶ Trace ─┬─ Stats ─▶ measures of processes, interactions and layers
//	           │                    └─ Why ───▶ why a frame was late
//	           └─ Convert ─▶ Perfetto trace, and a Summary, which has the Trace
//
// What answers which question, each with an example:
//
//   - Which frames were late, how smooth was it? [Read] the trace. [Trace.Stats] has the frame rate, the late frames
//     and the hitches of each process, Trace.Timeline each frame.
//   - Why was a frame late? Read with Options.Causes, then [Trace.Why].
//   - What cost the most time? Trace.Causes.Rank adds up the causes of many frames, [Title] names each.
//   - Was it the application or render_service? WholeFrames of a process in [Trace.Stats].
//   - How fast did a fling, a click or a launch respond? Interactions of [Trace.Stats]; Trace.Causes.ResponseTo has
//     the steps.
//   - How smooth was a video, a game or a web page? Layers of [Trace.Stats], and [Trace.WhyBuffer].
//   - Which function? Read with Options.Samples: the answers of [Trace.Why] have functions.
//   - Is it better than before? Package ohframe/compare compares traces of two builds.
//   - How does it look in Perfetto? [Convert].
//
// Answers have types: an unknown number is a pointer that is nil, an answer to why has an [AnswerKind], a verdict on
// data is a stats.Verdict. Trace.Quality says how far the numbers can be trusted, Trace.Warnings what was skipped. Damage is no error if
// something can be read: one of Trace.Warnings then has the code trace.WarnDamaged, and Trace.Lines counts the lines
// that were not understood.
//
// An input is recognised by its content. It can be
//
//   - the text that hitrace writes, of every version of the system from 3.2 on;
//   - the raw kernel traces that devices write (.sys);
//   - the traces of hiprofiler (.htrace): their ftrace events;
//   - a Perfetto trace with a frame timeline, recorded on Android or written by Convert;
//   - the output of dumpsys gfxinfo PACKAGE framestats;
//   - the output of dumpsys SurfaceFlinger --latency LAYER;
//
// each plain or in gzip, zlib, zstd, zip, a systrace page, UTF-16, or several of these. All else is an error: there is
// no input for which Read or Convert silently return nothing. docs/commands.md describes inputs, docs/frames.md how
// frames are found, docs/why.md how causes are.
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
	"ohframe/internal/causetext"
	"ohframe/internal/quality"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/unpack"
	"ohframe/internal/tune"
)

// Options decide how an input is read. The zero Options read all of it.
type Options struct {
	// Causes finds why each late frame was late, for Trace.Why. Convert writes the causes on the tracks, too.
	Causes bool
	// Measures are measures of your own, such as "page=H:LoadBegin..H:LoadEnd": analyzer.ParseOwnMeasure has the
	// grammar. Of a Trace that was stored, those are left that it was stored with; without any all are.
	Measures []string
	// Window is the part of the trace to read. Frames at its edges are truncated.
	Window trace.Window
	// Samples are the call stacks of a profiler: causes name their functions, and Convert writes them.
	Samples Samples
	// Recording is what is known of how a text trace was recorded, and the trace does not say.
	Recording Recording
	// Entry selects a file of a zip archive with several.
	Entry Entry
	// Limits bound the memory that an input can make a reader use. Zero fields have
	// their defaults; docs/trouble.md lists them.
	Limits trace.Limits
}

// Samples say where the call stacks of a profiler are. The zero Samples are those that the input contains.
type Samples struct {
	// Input is a recording of hiperf that was made while a text trace was recorded; nil without one. It is
	// an error that wraps ErrSamples if it does not fit the trace.
	Input io.Reader `fingerprint:"-"`
	// Optional makes that a warning, as it is for a recording that the input contains.
	Optional bool
	// Offset is trace time minus the time of the samples. Nil finds it.
	Offset *trace.Duration
	// None ignores a recording that the input contains.
	None bool
}

// Recording is what is known of how a text trace was recorded. The zero Recording is what the trace says.
type Recording struct {
	// ClockOffset is trace time minus CLOCK_MONOTONIC. Nil infers it from the trace.
	ClockOffset *trace.Duration
	// FullNames are full names of applications. A text trace has the last 15 bytes.
	FullNames []string
	// SystemEvents has lines of `hisysevent -r` or -l, in JSON, of the time of the trace; nil without any.
	// Convert writes them as instants, and causes name those that say why the system limited a CPU. The
	// trace must state the time of day.
	SystemEvents io.Reader `fingerprint:"-"`
}

// Entry selects a file of a zip archive with several.
type Entry struct {
	// Name is its name, the last element of that, or a path.Match pattern for either.
	Name string
	// Optional reads an input that is no archive, which is otherwise an error.
	Optional bool
}

func (o *Options) reader(ctx context.Context) hitrace.Options {
	return hitrace.Options{Limits: o.Limits, Window: o.Window, Workers: tune.Of(ctx).Workers}
}

func (o *Options) analyzer() analysis.FrameOptions {
	return analysis.FrameOptions{ClockOffset: o.Recording.ClockOffset, FullNames: o.Recording.FullNames, Measures: o.Measures, Limits: o.Limits}
}

// Trace is what was read of an input. Stats measures it, and Why explains its late frames.
type Trace struct {
	// Timeline has the frames. It may have none if the input is a trace without any.
	Timeline *analyzer.Timeline
	// Causes are the causes of late frames; nil unless Options.Causes is set and the input is a
	// text trace, a Perfetto trace of Android, or one that Convert wrote with causes.
	Causes *why.Causes
	// Quality says how far measures of the frames can be trusted.
	Quality *stats.Quality
	// Warnings are what was skipped or is unknown.
	Warnings []trace.Warning
	// Format is the format and its containers, for example "text trace in gzip".
	Format string
	// Converted reports whether the input is a Perfetto trace that Convert wrote.
	Converted bool
	// Lines counts the lines of a text trace, or of the text of a binary trace, also of
	// one that was converted; nil for other formats.
	Lines *Lines
	// Samples are those of a profiler, on the clock of the trace; nil without any.
	Samples *sample.Recording
	// Stacks are those of Options.Samples if they have no times; nil otherwise.
	Stacks *why.Stacks

	asked     bool            // Options.Causes was set
	totals    *hitrace.Totals // of Lines
	skipped   []trace.Warning // the first of Warnings; those about causes follow
	ofSamples int             // how many of the next are about samples
}

// Stats returns the measures of the trace: its processes, interactions and layers, with their frame rates, late
// frames and hitches. stats.Compute selects processes.
func (t *Trace) Stats() *stats.Report {
	return stats.Compute(cmp.Or(t.Timeline, &analyzer.Timeline{}), stats.Options{})
}

// Lines counts the lines of a text.
type Lines struct {
	// Total is the sum of the others.
	Total int
	// Events have an event inside Options.Window, Outside one outside of it.
	Events, Outside int
	// Headers are headers and blank lines, Logged lines of hilog and HiSysEvent.
	Headers, Logged int
	// NotUnderstood could not be parsed, or are lines of another trace that are not read.
	NotUnderstood int
}

// linesOf returns the counts of the lines of a text, nil if there was none.
func linesOf(t *hitrace.Totals) *Lines {
	if t == nil {
		return nil
	}
	p := &t.Problems
	return &Lines{Total: t.Lines, Events: t.Events, Outside: t.Outside, Headers: p.Ignored(), Logged: p.Logged(), NotUnderstood: p.Lost()}
}

// newTrace returns a trace that was read. totals are those of a text, or nil; skipped are the warnings
// but those about causes.
func newTrace(t *analyzer.Timeline, causes *why.Causes, totals *hitrace.Totals, skipped []trace.Warning) *Trace {
	return &Trace{
		Timeline: t, Causes: causes, Lines: linesOf(totals), Quality: quality.Of(t, totals, causes),
		Warnings: slices.Concat(skipped, causetext.Warnings(causes)), totals: totals, skipped: skipped,
	}
}

// keepMeasures leaves the measures of the user that are asked for, and warns of those that the input does not have.
func (t *Trace) keepMeasures(asked []string) error {
	err := t.Timeline.KeepOwnMeasures(asked)
	for _, m := range t.Timeline.OwnMeasures {
		if m.Unread {
			t.Warnings = append(t.Warnings, m.Warning())
		}
	}
	return err
}

// Read reads the frames of the input in r. If r is a regular *os.File, or has its
// ReadAt and Stat methods, a zip archive is read in place; otherwise it is copied to
// a temporary file. The error is an *Error, or that of r or ctx. When ctx ends, Read
// returns after the current call of r.Read: it does not interrupt a reader that blocks.
func Read(ctx context.Context, r io.Reader, o Options) (*Trace, error) {
	in, err := open(ctx, r, o, false)
	if err != nil {
		return nil, err
	}
	defer in.content.Close()
	t, err := in.read(ctx, &o)
	if err != nil {
		return nil, in.explain(err)
	}
	t.Format, t.asked = in.name(), o.Causes
	t.Warnings = append(t.Warnings, in.content.Warnings()...)
	return t, nil
}

// input is an input whose format is known.
type input struct {
	content *unpack.Content
	format  *format
}

// name returns the name of the format and its containers.
func (in *input) name() string { return in.format.name + in.content.In() }

// open opens the containers of an input and recognises its format. keepTar is as in
// unpack.Options.
func open(ctx context.Context, r io.Reader, o Options, keepTar bool) (*input, error) {
	content, err := unpack.Open(ctx, r, unpack.Options{
		Limits: o.Limits, Entry: o.Entry.Name, EntryIfArchive: o.Entry.Optional, KeepTar: keepTar,
		Lists: hitrace.NewProcessDump(o.Limits.WithDefaults().Threads),
	})
	if err != nil {
		return nil, asError(err)
	}
	return &input{content, formatOf(content.Head(), formats)}, nil
}
