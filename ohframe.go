// Package ohframe reads frames from traces of OpenHarmony, HarmonyOS and Android,
// and writes them as Perfetto traces.
//
//	                     ┌─ Read ────▶ Trace, with its Timeline ──▶ analyzer/stats
//	any input ──▶ format ┤
//	                     └─ Convert ─▶ Perfetto trace, Summary
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
// each plain or in gzip, zlib, zstd, zip, a systrace page, UTF-16, or several of
// these. Docs/commands.md describes them, docs/frames.md how frames are found.
//
// Everything else is an error: there is no input for which Read or Convert silently
// return nothing.
package ohframe

import (
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
)

// Options decide how an input is read. The zero Options read all of it, with the
// default limits, on all processors.
type Options struct {
	// FailOnDamage turns damage that is otherwise skipped and reported as a warning into
	// an error: a line that is not understood, a truncated container.
	FailOnDamage bool
	// Limits bound the memory that an input can make a reader use. Zero fields have
	// their defaults; docs/trouble.md lists them.
	Limits trace.Limits
	// Window is the part of the trace to read. Frames at its edges are truncated.
	Window trace.Window
	// Workers is how many blocks of text are parsed concurrently, 1 to 64. Zero is
	// GOMAXPROCS. The result does not depend on it.
	Workers int `fingerprint:"-"`
	// Entry selects a file of a zip archive with several: by its name, by the last
	// element of its name, or by a path.Match pattern for either.
	Entry string
	// EntryIfArchive reads an input that is no archive although Entry is set.
	EntryIfArchive bool
	// ClockOffset is trace time minus CLOCK_MONOTONIC. Nil infers it from the trace.
	ClockOffset *trace.Duration
	// PhaseRule decides which times make a frame misaligned.
	PhaseRule analyzer.PhaseRule
	// FullNames are full names of applications. A text trace has the last 15 bytes.
	FullNames []string
	// Measures are those of the user, such as "page=H:LoadBegin..H:LoadEnd": analyzer.ParseOwnMeasure has the
	// grammar. Of a Trace that was stored, those are left that it was stored with; without any all are.
	Measures []string
	// Causes finds the cause of every late frame of a text trace or of a Perfetto trace of
	// Android, or reads those that Convert stored. Convert writes them on the tracks, too.
	Causes bool
	// NoPieces leaves why.Explanation.Pieces and Slices of late frames of a text trace out. Finding
	// causes is faster without them. Convert always writes them.
	NoPieces bool `fingerprint:"-"`
	// Samples is a recording of hiperf, made while a text trace was recorded; nil if there is
	// none but one that the input contains. Causes name the functions of its samples, and
	// Convert writes them. It is an error that wraps ErrSamples if they do not fit the trace.
	Samples io.Reader `fingerprint:"-"`
	// SamplesOptional makes that a warning, as it is for a recording that the input contains.
	SamplesOptional bool
	// SamplesOffset is trace time minus the time of the samples. Nil finds it.
	SamplesOffset *trace.Duration
	// SystemEvents has lines of `hisysevent -r` or -l, in JSON, of the time of a text trace. Convert writes
	// them as instants, and causes name those that say why the system limited a CPU. The trace must state the
	// time of day. Nil if only the input itself has events.
	SystemEvents io.Reader `fingerprint:"-"`
	// NoSamples ignores a recording that the input contains.
	NoSamples bool
}

func (o *Options) reader() hitrace.Options {
	return hitrace.Options{Strict: o.FailOnDamage, Limits: o.Limits, Window: o.Window, Workers: o.Workers}
}

func (o *Options) analyzer() analysis.FrameOptions {
	return analysis.FrameOptions{ClockOffset: o.ClockOffset, PhaseRule: o.PhaseRule, FullNames: o.FullNames, Measures: o.Measures, Limits: o.Limits}
}

// Trace is the result of reading an input.
type Trace struct {
	// Timeline has the frames. It may have none if the input is a trace without any.
	Timeline *analyzer.Timeline
	// Format is the format and its containers, for example "text trace in gzip".
	Format string
	// Converted reports whether the input is a Perfetto trace that Convert wrote.
	Converted bool
	// Causes are the causes of late frames; nil unless Options.Causes is set and the input is a
	// text trace, a Perfetto trace of Android, or one that Convert wrote with causes.
	Causes *why.Causes
	// Samples are those of a profiler, on the clock of the trace; nil without any.
	Samples *sample.Recording
	// Stacks are those of Options.Samples if they have no times; nil otherwise.
	Stacks *why.Stacks
	// Lines counts the lines of a text trace, or of the text of a binary trace, also of
	// one that was converted; nil for other formats.
	Lines *Lines
	// Quality says how far measures of the frames can be trusted.
	Quality *stats.Quality
	// Warnings are what was skipped or is unknown.
	Warnings []trace.Warning

	totals    *hitrace.Totals // of Lines
	skipped   []trace.Warning // the first of Warnings; those about causes follow
	ofSamples int             // how many of the next are about samples
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
	t.Format = in.format.name + in.content.In()
	t.Warnings = append(t.Warnings, in.content.Warnings()...)
	return t, nil
}

// input is an input whose format is known.
type input struct {
	content *unpack.Content
	format  *format
}

// open opens the containers of an input and recognises its format. keepTar is as in
// unpack.Options.
func open(ctx context.Context, r io.Reader, o Options, keepTar bool) (*input, error) {
	content, err := unpack.Open(ctx, r, unpack.Options{
		Strict: o.FailOnDamage, Limits: o.Limits, Entry: o.Entry, EntryIfArchive: o.EntryIfArchive, KeepTar: keepTar,
		Lists: hitrace.NewProcessDump(o.Limits.WithDefaults().Threads),
	})
	if err != nil {
		return nil, asError(err)
	}
	return &input{content, formatOf(content.Head(), formats)}, nil
}

// Why returns why a frame was late, in one line: "waited 38.6 ms for storage (io_schedule) in
// FlushLayoutTask; usual 0.0". Of a late frame without a known cause it says why that is unknown,
// "cause unknown: the trace has no Choreographer#doFrame of the frame", also if c is nil. It is
// empty for a frame that was on time, and for one of which it is unknown whether it was late.
func Why(c *why.Causes, f *analyzer.Frame) string {
	switch e := c.Of(f); {
	case !f.Late():
		return ""
	case e == nil:
		return "cause unknown: Options.Causes was not set"
	default:
		return causetext.Sentence(c, e)
	}
}
