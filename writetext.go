package ohframe

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/source/hitrace"
)

// TextOptions decide how an input is written as text. The fields that Options has are described there.
type TextOptions struct {
	Window trace.Window
	Entry  Entry
	Limits trace.Limits
	// Microseconds rounds the times of a binary trace half up to six digits, as hitrace's
	// converter does. They have nine otherwise. Times of a text trace stay as they are.
	Microseconds bool
}

// WriteText writes the input in r to w as the text that hitrace writes: the lines of a
// text trace as they are, or those that hitrace's converter makes of a binary trace.
// With a window, it writes headers and what is in the window, without the header's event
// counts, which describe the whole trace. It returns warnings about what could not be read. The error is an *Error, or that of r, w or ctx.
func WriteText(ctx context.Context, r io.Reader, w io.Writer, o TextOptions) ([]trace.Warning, error) {
	reading := Options{Window: o.Window, Entry: o.Entry, Limits: o.Limits}
	in, err := open(ctx, r, reading, false)
	if err != nil {
		return nil, err
	}
	defer in.content.Close()
	if !in.format.isText() {
		return nil, in.explain(&diag.Error{
			What: "has no text (" + in.format.name + ")", Err: ErrNotATrace,
			Hint: "text traces and binary traces of OpenHarmony have it",
		})
	}
	precision := binarytrace.Nanoseconds
	if o.Microseconds {
		precision = binarytrace.Microseconds
	}
	text, err := openText(in.content, &reading, precision)
	if err != nil {
		return nil, in.explain(err)
	}
	if err := text.copy(ctx, w, o.Window); err != nil {
		return nil, in.explain(err)
	}
	return append(text.warnings(), in.content.Warnings()...), nil
}

// copy writes the text in the window to w.
func (t *textInput) copy(ctx context.Context, w io.Writer, window trace.Window) error {
	if window.IsOpen() {
		n, err := io.Copy(contextWriter{ctx, w}, t.Reader)
		if err == nil && n == 0 {
			err = &diag.Error{What: ErrEmpty.Error(), Err: ErrEmpty}
		}
		return err
	}
	c := cutter{window: window}
	in := bufio.NewReaderSize(t, lineBuffer)
	out := bufio.NewWriterSize(contextWriter{ctx, w}, lineBuffer)
	whole := true // the last piece ended a line
	for {
		piece, err := in.ReadSlice('\n')
		if whole {
			c.line(bytes.TrimRight(piece, "\r\n"))
		}
		if c.inside && !c.stale {
			if _, err := out.Write(piece); err != nil {
				return err
			}
		}
		whole = err == nil
		if err == io.EOF {
			break
		}
		if err != nil && err != bufio.ErrBufferFull {
			return err
		}
	}
	if c.written == 0 {
		if !c.start.Known() {
			return notATrace("", "")
		}
		return outsideWindow(c.start, c.end)
	}
	return out.Flush()
}

// lineBuffer is longer than any line that is read as an event.
const lineBuffer = 256 << 10

// cutter decides which lines are in a window. A line without an event, such as a
// header, goes with the event before it.
type cutter struct {
	window     trace.Window
	start, end trace.Time // of the events seen
	inside     bool
	stale      bool // the line counts events of the whole trace
	written    int  // events
	parsed     hitrace.Line
}

// line sets inside for the next line.
func (c *cutter) line(text []byte) {
	c.stale = bytes.HasPrefix(text, []byte("# entries-in-buffer/"))
	switch hitrace.ParseLine(text, &c.parsed) {
	case hitrace.NoProblem:
	case hitrace.Ignorable:
		c.inside = c.inside || !c.start.Known()
		return
	default:
		return
	}
	t := c.parsed.Time
	if !c.start.Known() {
		c.start = t
	}
	c.end = t
	from, to := c.window.Bounds(c.start)
	if c.inside = t >= from && t < to; c.inside {
		c.written++
	}
}

// contextWriter writes until the context is cancelled.
type contextWriter struct {
	ctx context.Context
	out io.Writer
}

func (w contextWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.out.Write(b)
}
