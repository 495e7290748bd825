package ohframe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/unpack"
	"ohframe/internal/tune"
)

// textInput is the text of a text trace or of a binary trace.
type textInput struct {
	io.Reader
	head    []byte // the beginning of the text
	content *unpack.Content
	binary  *binarytrace.Reader  // nil for a text trace
	file    io.ReaderAt          // with the binary trace
	beside  hitrace.SystemEvents // those of Options.Recording
}

// openText opens the text of an input that is a text trace, or is read as one.
func openText(content *unpack.Content, o *Options, precision binarytrace.Precision) (*textInput, error) {
	head := content.Head()
	t := &textInput{Reader: content, head: bytes.Clone(head), content: content}
	if o.Recording.SystemEvents != nil {
		if err := t.beside.Read(o.Recording.SystemEvents); err != nil {
			return nil, err
		}
	}
	if !binarytrace.IsSys(head) && !binarytrace.IsHtrace(head) {
		return t, nil
	}
	file, size, err := content.File("binary trace")
	if err != nil {
		return nil, err
	}
	r, err := binarytrace.Open(file, size, binarytrace.Options{Limits: o.Limits, Precision: precision})
	if e := (*diag.Error)(nil); errors.As(err, &e) && errors.Is(err, binarytrace.ErrNoEvents) {
		return nil, &diag.Error{What: e.What, Hint: e.Hint, Err: ErrNoEvents}
	}
	if err != nil {
		return nil, err
	}
	t.Reader, t.head, t.binary, t.file = r, []byte(binarytrace.Header), r, file
	if text := r.Text(); text != nil {
		t.Reader = text
	}
	return t, nil
}

// describe completes the options with what the input states beside its lines.
func (t *textInput) describe(o *analysis.FrameOptions) {
	o.Dump, _ = t.content.Lists().(*hitrace.ProcessDump)
	if t.binary == nil {
		return
	}
	if names := t.binary.Processes(); len(names) > 0 {
		o.Dump = hitrace.NewProcessDump(len(names))
		for pid, name := range names {
			o.Dump.AddProcess(pid, name)
		}
	}
	clock := t.binary.Clock()
	if clock.Boot.Known() && clock.Unix > 0 && (clock.Name == "" || clock.Name == "boot") {
		o.Wall = analyzer.WallClock{At: clock.Boot, Unix: clock.Unix}
	}
	if clock.Known {
		o.Stated = &analysis.StatedOffset{Offset: clock.Offset, Source: clockSources[clock.Source]}
	}
}

var clockSources = map[binarytrace.ClockSource]analyzer.ClockSource{
	binarytrace.ProfilerHeader: analyzer.ClockHeader,
	binarytrace.ClocksDetail:   analyzer.ClockDetails,
	binarytrace.TraceClockMono: analyzer.ClockMono,
}

// log returns what reads the messages of hilog of a binary trace; nil if it has none.
func (t *textInput) log() func(func(*binarytrace.LogMessage)) error {
	if t.binary == nil || !t.binary.HasLog() {
		return nil
	}
	return t.binary.Log
}

// systemEvents returns what yields the events of the system beside the text; nil without any.
func (t *textInput) systemEvents() func(func([]byte)) error {
	inBinary := t.binary != nil && t.binary.HasSystemEvents()
	if !inBinary && len(t.beside.Lines) == 0 {
		return nil
	}
	return func(yield func([]byte)) error {
		for _, line := range t.beside.Lines {
			yield(line)
		}
		if !inBinary {
			return nil
		}
		return t.binary.SystemEvents(yield)
	}
}

// tasks returns what reads the events of ffrt of a binary trace; nil if it has none.
func (t *textInput) tasks() func(func(*binarytrace.TaskEvent, bool)) error {
	if t.binary == nil || !t.binary.HasTasks() {
		return nil
	}
	return t.binary.Tasks
}

// warnings describes the parts of a binary trace, and of what is beside the text, that could not be read.
func (t *textInput) warnings() []trace.Warning {
	if t.binary == nil {
		return t.beside.Warnings()
	}
	return append(t.binary.Warnings(), t.beside.Warnings()...)
}

// complete adds what only a binary trace has to the counts of its lines. It returns warnings
// about what could not be read.
func (t *textInput) complete(totals *hitrace.Totals) []trace.Warning {
	if t.binary != nil {
		totals.Lost += t.binary.Lost()
		totals.Longest = hitrace.Longest{} // the lines are not those of the input
	}
	damage := t.content.Warnings()
	totals.Cut = totals.Cut && len(damage) == 0 // where a container is truncated, a line is, too
	return append(t.warnings(), damage...)
}

// check returns the error of reading the text.
func (t *textInput) check(totals *hitrace.Totals, err error) error {
	return checkText(t.head, totals, err)
}

func readText(ctx context.Context, content *unpack.Content, o *Options) (*Trace, error) {
	text, err := openText(content, o, binarytrace.Nanoseconds)
	if err != nil {
		return nil, err
	}
	frames := o.analyzer()
	text.describe(&frames)
	samples := text.samples(ctx, o)
	r, err := analysis.Run(ctx, text.Reader, o.reader(ctx), frames, analysis.Options{
		Causes: o.Causes, NoPieces: tune.Of(ctx).NoPieces, Samples: samples.read, SamplesOffset: o.Samples.Offset, SystemEvents: text.systemEvents(),
	})
	if err := text.check(r.Totals, samples.check(&r, err)); err != nil {
		return nil, err
	}
	text.complete(r.Totals)
	t := newTrace(r.Timeline, r.Causes, r.Totals, warnings(text.warnings(), r.Timeline, r.Totals))
	t.Samples, t.Stacks = r.Samples, r.Stacks
	if r.Refused != nil {
		t.Stacks = nil
	}
	ofSamples := samples.warnings(&r)
	t.Warnings, t.ofSamples = append(t.Warnings, ofSamples...), len(ofSamples)
	return t, nil
}

// warnings are what the user must know about a trace, but those about causes. skipped describes what
// could not be read. lines may be nil.
func warnings(skipped []trace.Warning, t *analyzer.Timeline, lines *hitrace.Totals) []trace.Warning {
	if lines != nil {
		skipped = append(skipped, lines.Warnings()...)
	}
	return slices.Concat(skipped, t.Diagnostics.Warnings(), t.OwnWarnings())
}
