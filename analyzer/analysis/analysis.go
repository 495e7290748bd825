// Package analysis reads a text trace into frames, and finds why they were late:
//
//	text ─▶ hitrace ─┬─▶ reconstruct ─▶ Timeline ─┐
//	                 ├─▶ why/threads ─────────────┼─▶ why/judge ─▶ Causes
//	                 ├─▶ sampling ─▶ Recording ───┘
//	                 └─▶ sinks of the caller
//
// Only ohframe and its exporter use it: options and results have types of internal packages.
package analysis

import (
	"context"
	"fmt"
	"io"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/internal/sampling"
	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/internal/why/judge"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/diag"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfdata"
)

// FrameOptions decide how frames are reconstructed.
type FrameOptions = reconstruct.Options

// StatedOffset is an offset between clocks that an input states.
type StatedOffset = reconstruct.StatedOffset

// Options decide what Run finds beside frames.
type Options struct {
	// Causes finds why frames took their time.
	Causes bool
	// NoPieces leaves why.Explanation.Pieces and Slices of late frames out.
	NoPieces bool `fingerprint:"-"`
	// Samples, if not nil, returns the recording of a profiler, on its own clock, or nil if
	// there is none. It is called after the trace was read.
	Samples func() (*sample.Recording, error) `fingerprint:"-"`
	// SamplesOffset is trace time minus the time of the samples. Nil finds it.
	SamplesOffset *trace.Duration
	// SystemEvents, if not nil, calls its argument for each event of HiSysEvent beside those between the
	// lines of the text, in JSON. The error is that of a reader. It is called after the trace was read,
	// perhaps several times.
	SystemEvents func(func([]byte)) error `fingerprint:"-"`
}

// Result is the result of Run.
type Result struct {
	Timeline *analyzer.Timeline
	Causes   *why.Causes // nil without Options.Causes
	// Stacks are samples without times; nil if Options.Samples has others.
	Stacks   *why.Stacks
	Samples  *sample.Recording // on the clock of the trace; nil without samples
	Refused  error             // why Options.Samples has none
	Warnings []trace.Warning   // of Stacks
	Totals   *hitrace.Totals   // counts of lines, also after an error
	// SystemEvents is that of the options, with the lines of the text; nil without any.
	SystemEvents func(func([]byte)) error
}

// Run reads the text trace in r into a timeline, and finds from the same events what the options say. It
// passes the events to the sinks, too. The result has counts of lines also after an error, which is that of
// hitrace.Run.
func Run(ctx context.Context, r io.Reader, reading hitrace.Options, options FrameOptions, o Options, sinks ...hitrace.Sink) (Result, error) {
	var recorder *threads.Recorder
	if o.Causes {
		recorder = threads.NewRecorder(options.Limits)
		sinks = append(sinks, recorder.Sink())
	}
	var running *sampling.Running
	if o.Samples != nil {
		running = sampling.NewRunning(options.Limits)
		sinks = append(sinks, running.Sink())
	}
	var result Result
	var err error
	result.Timeline, result.Totals, err = reconstruct.Analyze(ctx, r, reading, options, sinks...)
	if err != nil {
		return Result{Totals: result.Totals}, err
	}
	if o.Samples != nil {
		result.readSamples(o, running)
	}
	result.SystemEvents = systemEvents(o.SystemEvents, result.Totals.SystemEvents.Lines)
	if o.Causes {
		var events []hitrace.SystemEvent
		if result.SystemEvents != nil && result.Timeline.Wall.At.Known() {
			if events, err = judge.Limiters(result.SystemEvents); err != nil {
				return result, err
			}
		}
		result.Causes = judge.Explain(recorder.Finish(), result.Timeline, result.Samples, events, !o.NoPieces, reading.WithDefaults().Workers)
	}
	return result, nil
}

// Causes finds why frames of a timeline that Run did not make took their time, from the kernel's events in
// r: text, or a hitrace.Source. The error is that of hitrace.Run.
func Causes(ctx context.Context, r io.Reader, reading hitrace.Options, t *analyzer.Timeline) (*why.Causes, error) {
	recorder := threads.NewRecorder(reading.Limits)
	recorder.KeepParts()
	if _, err := hitrace.Run(ctx, r, reading, recorder.Sink()); err != nil {
		return nil, err
	}
	return judge.Explain(recorder.Finish(), t, nil, nil, true, reading.WithDefaults().Workers), nil
}

// systemEvents returns what calls its argument for each of the lines, and for what others yields, which
// may be nil.
func systemEvents(others func(func([]byte)) error, lines [][]byte) func(func([]byte)) error {
	if len(lines) == 0 {
		return others
	}
	return func(yield func([]byte)) error {
		for _, line := range lines {
			yield(line)
		}
		if others == nil {
			return nil
		}
		return others(yield)
	}
}

// readSamples reads the samples and changes their times to those of the trace.
func (r *Result) readSamples(o Options, running *sampling.Running) {
	rec, err := o.Samples()
	if err == nil && rec != nil && rec.Profile.Clock.ID == sample.ClockNone {
		r.Stacks, r.Warnings, r.Refused = functions.Stacks(rec), rec.Warnings, foreign(rec, r.Timeline)
		return
	}
	if err == nil && rec != nil {
		err = sampling.Align(rec, running, r.Timeline, o.SamplesOffset)
	}
	if err != nil {
		rec = nil
	}
	r.Samples, r.Refused = rec, err
}

// foreign returns an error if stacks are those of a process that a trace does not have.
func foreign(rec *sample.Recording, t *analyzer.Timeline) error {
	if len(rec.Samples) == 0 {
		return &diag.Error{What: "no stacks"}
	}
	pid := rec.Samples[0].PID
	if pid == 0 || slices.ContainsFunc(t.Processes, func(p *analyzer.Process) bool { return int32(p.PID) == pid }) {
		return nil
	}
	return &diag.Error{What: fmt.Sprintf("the stacks are of process %d, which the trace does not have", pid)}
}

// ReadSamples reads all samples of a recording of a profiler, at most Limits.Samples. Their times are
// those of the profile's clock. The error is that of package perfdata.
func ReadSamples(r io.ReaderAt, size int64, o perfdata.Options) (*sample.Recording, error) {
	return sampling.Read(r, size, o)
}

// ReadScripts is ReadSamples for profiles of ArkTS.
func ReadScripts(r io.ReaderAt, s perfdata.Scripts, o perfdata.Options) (*sample.Recording, error) {
	return sampling.ReadScripts(r, s, o)
}

// Stacks returns the stacks of a recording without times; nil if it has none.
func Stacks(rec *sample.Recording) *why.Stacks { return functions.Stacks(rec) }
