package account

import (
	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
)

// works are the threads that worked for a frame of Android's frame timeline, and the times for
// which each of them counts:
//
//	thread       Choreographer#doFrame
//	RenderThread                        DrawFrames
//	GPU                                            until the frame timeline's end
//
// SurfaceFlinger's own frames end with its composition: what follows is the display's time, except
// for a frame that the GPU made late.
type works struct {
	span    Span
	tid     trace.TID
	drawTID trace.TID
	draw    analyzer.Interval
}

// worksOf returns nil for a frame whose threads are not known. A dropped frame has no meaningful
// end.
func worksOf(r *threads.Record, f *analyzer.Frame) *works {
	if f.Android.Timeline == nil || f.Facts.Has(analyzer.Dropped) || f.VsyncID == 0 || f.Process == nil {
		return nil
	}
	w := &works{span: Span{Start: f.Actual.Start, Actual: f.Actual.Start, Deadline: f.Deadline}}
	for _, p := range r.Parts(f.Process.PID, f.VsyncID, f.Actual) {
		end := min(p.End, f.Actual.End)
		switch {
		case p.Draws:
			if w.drawTID == 0 {
				w.drawTID, w.draw.Start = p.TID, p.Start
			}
			if w.drawTID == p.TID {
				w.draw.End = end
			}
		case w.tid == 0 || w.tid == p.TID:
			w.tid, w.span.End = p.TID, end
		}
	}
	if w.tid == 0 {
		return nil
	}
	if f.Expected.Start.Known() {
		w.span.Start = min(f.Expected.Start, w.span.Actual)
	}
	if f.Deadline.Known() {
		w.span.Start = min(w.span.Start, f.Deadline)
	}
	if w.draw.End > w.span.End && w.drawTID != w.tid {
		w.span.DrawEnd = w.draw.End
	}
	if f.Actual.End > w.span.Done() && (f.Kind == analyzer.ApplicationFrame || f.Facts.Has(analyzer.GPULate)) {
		w.span.GPUEnd = f.Actual.End
	}
	return w
}

// drawing returns the span of the thread that draws.
func (w *works) drawing() Span {
	s := &w.span
	return Span{Start: s.End, Actual: max(w.draw.Start, s.End), End: s.DrawEnd, Deadline: s.Deadline, GPUEnd: s.GPUEnd}
}
