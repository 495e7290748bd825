package ohframe

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/diag"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/source/unpack"
	"ohframe/internal/tune"
)

// format is a format of inputs, behind all containers.
type format struct {
	name string
	// recognise reports whether an input that begins with head has the format.
	recognise func(head []byte) bool
	// read reads the input. Nil for a format that is not read.
	read func(ctx context.Context, content *unpack.Content, o *Options) (*Trace, error)
	// hint is advice for an input in an unsupported format.
	hint string
}

// isText reports whether the format is a text trace, or one that is read as text.
func (f *format) isText() bool {
	return f.name == textTrace || f.name == rawTrace || f.name == hiprofilerTrace
}

const traceHint = "a trace is what hitrace writes: " + diag.RecordCommand

const recordHint = "record a trace instead: " + diag.RecordCommand

// formats are tried in this order. The last one matches everything.
var formats = []format{
	{perfettoTrace, perfetto.Sniff, readPerfetto, ""},
	{"gfxinfo framestats", dumpsys.SniffGfxinfo, readGfxinfo, ""},
	{"SurfaceFlinger latency", dumpsys.SniffLatency, readLatency, ""},
	{"PNG image", magic(0, "\x89PNG\r\n"), nil, ""},
	{"JPEG image", magic(0, "\xff\xd8\xff"), nil, ""},
	{"MP4 video", magic(4, "ftyp"), nil, recordHint},
	{"Matroska or WebM video", magic(0, "\x1a\x45\xdf\xa3"), nil, recordHint},
	{hiprofilerTrace, binarytrace.IsHtrace, readText, ""},
	{rawTrace, binarytrace.IsSys, readText, ""},
	{"xz", magic(0, "\xfd7zXZ\x00"), nil, "decompress it first with xz -d"},
	{"bzip2", magic(4, "1AY&SY"), nil, "decompress it first with bzip2 -d"}, // after BZh and a digit
	{"hiperf data", perfdata.Sniff, nil, diag.SamplesAlone},
	{"stacks of a main thread", perfdata.SniffStacks, nil, diag.StacksAlone},
	{"Git LFS pointer", magic(0, "version https://git-lfs"), nil, "the file itself is elsewhere: git lfs pull fetches it"},
	{tarArchive, magic(257, "ustar"), nil, "unpack it first: tar xf"}, // after the first file's name and attributes
	{textTrace, anything, readText, ""},
}

// The formats that Convert distinguishes. It passes Perfetto traces and archives through,
// as Perfetto opens both.
const (
	perfettoTrace   = "Perfetto trace"
	tarArchive      = "tar archive"
	textTrace       = "text trace"
	rawTrace        = "raw kernel trace"
	hiprofilerTrace = "hiprofiler trace"
)

// lookalikes are formats whose first bytes a text trace may also have. Their error is
// returned only if no event was found. The last one matches everything.
var lookalikes = []format{
	{perfettoTrace, func(head []byte) bool { return len(head) > 2 && head[0] == 0x0a && hasControl(head) }, nil, "open it in ui.perfetto.dev as it is"},
	{"pages of trace_pipe_raw", isKernelPage, nil, "they lack the formats of their events; a raw kernel trace is read as the .sys file of hitrace --raw"},
	{"binary data", hasControl, nil, traceHint},
	{"JSON", func(head []byte) bool {
		text := bytes.TrimSpace(head)
		return bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte("["))
	}, nil, recordHint},
	{"", anything, nil, traceHint},
}

func anything([]byte) bool { return true }

// magic matches bytes at an offset.
func magic(at int, text string) func([]byte) bool {
	return func(head []byte) bool { return len(head) > at && bytes.HasPrefix(head[at:], []byte(text)) }
}

// isKernelPage reports whether head begins like a page of the kernel's ring buffer: with a time,
// and with the number of bytes that follow, whose upper bits are flags.
func isKernelPage(head []byte) bool {
	if len(head) < 16 {
		return false
	}
	n := binary.LittleEndian.Uint64(head[8:]) &^ (3 << 30)
	return hasControl(head) && n > 0 && n <= 4096-16
}

// hasControl reports whether there is a control character that text does not have.
func hasControl(head []byte) bool {
	return bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' })
}

// formatOf returns the format in list of an input that begins with head.
func formatOf(head []byte, list []format) *format {
	i := slices.IndexFunc(list, func(f format) bool { return f.recognise(head) })
	return &list[i]
}

// read reads the input, if its format is one that is read.
func (in *input) read(ctx context.Context, o *Options) (*Trace, error) {
	f := in.format
	if f.read == nil {
		return nil, notATrace(f.name, f.hint)
	}
	t, err := f.read(ctx, in.content, o)
	if err == nil && !f.isText() {
		err = t.keepMeasures(o.Measures)
	}
	return t, err
}

// notATrace is the error of an input that has another format; name may be empty.
func notATrace(name, hint string) error {
	e := &diag.Error{What: ErrNotATrace.Error(), Hint: hint, Err: ErrNotATrace}
	if name != "" {
		e.What += " (" + name + ")"
	}
	return e
}

// outsideWindow returns the error of a trace without an event in the window.
func outsideWindow(start, end trace.Time) error {
	return &diag.Error{
		What: fmt.Sprintf("%s: the trace is from %s to %s", ErrOutsideWindow, start, end), Hint: "a time from the start has a plus sign, as in +1.5s", Err: ErrOutsideWindow,
	}
}

// checkText returns err. If an input that begins with head was read as a text trace and
// has no event, it returns an *Error with the input's likely format instead.
func checkText(head []byte, totals *hitrace.Totals, err error) error {
	switch {
	case err != nil || totals.Events > 0:
		return err
	case totals.Outside > 0:
		return outsideWindow(totals.Start, totals.End)
	case len(head) == 0:
		return &diag.Error{What: ErrEmpty.Error(), Err: ErrEmpty}
	case err == nil && totals.Problems.Total(hitrace.LineTooLong) > 0 && formatOf(head, lookalikes).name == "":
		return noEvent(totals, hitrace.LineTooLong, "lines of a trace have a few hundred bytes")
	case err == nil && totals.Problems.Total(hitrace.TimeTooLarge) > 0:
		return noEvent(totals, hitrace.TimeTooLarge, "")
	case hitrace.HasHeader(head) && err == nil && totals.Problems.Total(hitrace.BadTime) > 0:
		what := fmt.Sprintf("%s: %d × %s", ErrNoEvents, totals.Problems.Total(hitrace.BadTime), hitrace.BadTime)
		return &diag.Error{What: what, Hint: "were times recorded in ticks, as with --trace_clock uptime? record without it", Err: ErrNoEvents}
	case hitrace.HasHeader(head) && err == nil:
		return &diag.Error{What: ErrNoEvents.Error(), Hint: "was tracing on, with tags such as graphic, ace and sched?", Err: ErrNoEvents}
	case hitrace.HasHeader(head):
		return err
	}
	l := formatOf(head, lookalikes)
	return notATrace(l.name, l.hint)
}

// noEvent is the error of a text in which a problem of its lines leaves no event.
func noEvent(totals *hitrace.Totals, p hitrace.Problem, hint string) error {
	return &diag.Error{What: fmt.Sprintf("no event: %d × %s", totals.Problems.Total(p), p), Hint: hint, Err: ErrNotATrace}
}

// cut applies the window to a timeline that was read whole, and to its causes if they are known.
func (o *Options) cut(t *analyzer.Timeline, c *why.Causes) {
	if o.Window.IsOpen() {
		return
	}
	t.Cut(o.Window.Bounds(t.Origin()))
	if c != nil {
		c.Cut(t)
	}
}

func readPerfetto(ctx context.Context, content *unpack.Content, o *Options) (*Trace, error) {
	read, stats, err := perfetto.Read(ctx, content, perfetto.Options{Kernel: o.Causes, Limits: o.Limits})
	switch {
	case errors.Is(err, perfetto.ErrNoFrames) && (stats.Cut || stats.Garbage >= 0):
		return nil, &diag.Error{What: "a Perfetto trace that is cut or damaged before its first frame", Err: ErrNoFrames}
	case errors.Is(err, perfetto.ErrNoFrames) && stats.Malformed > 0:
		return nil, &diag.Error{What: "a Perfetto trace without frames: " + strings.Join(diag.Texts(stats.Warnings()), "; "), Err: ErrNoFrames}
	case errors.Is(err, perfetto.ErrNoFrames):
		return nil, &diag.Error{
			What: "a Perfetto trace without frames", Err: ErrNoFrames,
			Hint: "record Android's with the data source android.surfaceflinger.frametimeline",
		}
	case errors.Is(err, perfetto.ErrNoResult):
		return nil, &diag.Error{What: err.Error(), Hint: "run this on the original trace, or convert that again", Err: ErrNoFrames}
	case errors.Is(err, perfetto.ErrSeveralResults):
		return nil, &diag.Error{What: err.Error(), Hint: "run this on each of them", Err: ErrNoFrames}
	case errors.Is(err, perfetto.ErrNotATrace):
		return nil, notATrace("", "")
	case err != nil:
		return nil, err
	}
	o.cut(read.Timeline, read.Causes)
	if read.Kernel != nil {
		read.Causes, err = analysis.Causes(ctx, read.Kernel, hitrace.Options{Limits: o.Limits, Workers: tune.Of(ctx).Workers}, read.Timeline)
		if err != nil {
			return nil, err
		}
		read.Causes.Limited = read.Causes.Limited || stats.Over.States > 0
	}
	if !o.Causes {
		read.Causes = nil
	}
	return newPerfetto(read, stats), nil
}

// newPerfetto returns what was read of a Perfetto trace, with warnings about damage.
func newPerfetto(read *perfetto.Trace, stats *perfetto.Stats) *Trace {
	said := stats.Warnings()
	if stats.Ours {
		said = append(said, warnings(read.Warnings, read.Timeline, read.Lines)...)
	}
	t := newTrace(read.Timeline, read.Causes, read.Lines, said)
	t.Converted = stats.Ours
	return t
}

func readLatency(ctx context.Context, content *unpack.Content, o *Options) (*Trace, error) {
	timeline, stats, err := dumpsys.ReadLatency(ctx, content, dumpsys.Options{Limits: o.Limits})
	switch {
	case errors.Is(err, dumpsys.ErrNoLayer):
		return nil, &diag.Error{What: "only a refresh period: there is no layer of that name", Hint: "dumpsys SurfaceFlinger --list prints the names", Err: ErrNoFrames}
	case errors.Is(err, dumpsys.ErrNothingShown):
		e := &diag.Error{What: err.Error(), Err: ErrNoFrames}
		if !slices.ContainsFunc(stats.Layers, func(l *dumpsys.Layer) bool { return l.Waiting > 0 }) {
			e.Hint = "name the layer that has the buffers: dumpsys SurfaceFlinger --list prints it with (BLAST) or #number in the name"
		}
		return nil, e
	case err != nil:
		return nil, err
	}
	o.cut(timeline, nil)
	return newTrace(timeline, nil, nil, stats.Warnings()), nil
}

// rowsHint is how to get rows of frames.
const rowsHint = "dumpsys gfxinfo PACKAGE framestats prints them"

func readGfxinfo(ctx context.Context, content *unpack.Content, o *Options) (*Trace, error) {
	timeline, dump, err := dumpsys.ReadGfxinfo(ctx, content, dumpsys.Options{Limits: o.Limits})
	switch {
	case errors.Is(err, dumpsys.ErrNoRows) && len(dump.NotRunning) > 0:
		return nil, &diag.Error{What: err.Error(), Hint: "start the application before dumpsys gfxinfo PACKAGE framestats", Err: ErrNoFrames}
	case errors.Is(err, dumpsys.ErrNoRows):
		return nil, &diag.Error{What: err.Error(), Hint: rowsHint, Err: ErrNoFrames}
	case errors.Is(err, dumpsys.ErrNoFrames):
		return nil, &diag.Error{What: err.Error(), Err: ErrNoFrames}
	case err != nil:
		return nil, err
	}
	o.cut(timeline, nil)
	return newTrace(timeline, nil, nil, dump.Warnings()), nil
}
