package reconstruct

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// The frames of Android's frameworks, in a container or on Android itself:
//
//	main thread    Choreographer#doFrame ID (… resynced to ID in 20.3ms; jitterNanos)
//	RenderThread                             DrawFrames ID ─▶ a buffer
//	SurfaceFlinger commit ID ─▶ composite ID
//
// In a container, buffers go to render_service directly. SurfaceFlinger has a part only in
// where and whether they are visible.

// frameKey is a frame of a framework, by its process and number.
type frameKey struct {
	pid    trace.PID
	number int64
}

// newFrameworkDraft begins a frame of a framework, which lasts as long as the slice.
func (b *builder) newFrameworkDraft(t *thread, e *hitrace.Event, framework analyzer.Framework, number int64) *draft {
	b.push(t, e)
	d := b.newDraft(t, e, e.Time)
	d.frame.Framework, d.frame.VsyncID = framework, number
	t.lastOpen().draft = d
	return d
}

func (b *builder) endFrameworkFrame(t *thread, s *openSlice, e *hitrace.Event) {
	s.draft.handled, s.draft.handledCPU = e.Time, b.cpuTime(s.draft, t, e)
}

// framework returns the frame of a framework that is open on the thread, nil if none is.
func (t *thread) framework() *draft {
	for i := t.open.Len() - 1; i >= 0; i-- {
		if d := t.open.At(i).draft; d != nil && d.frame.Framework != analyzer.Platform {
			return d
		}
	}
	return nil
}

func (b *builder) beginChoreographerFrame(t *thread, e *hitrace.Event) {
	number := hitrace.ParseFrameNumber(e.Marker.Name)
	b.frameworks.add(frameKey{t.pid, number}, b.newFrameworkDraft(t, e, analyzer.Choreographer, number))
}

// beginResynced reads that a frame began so late that it is made for another vsync.
func (b *builder) beginResynced(t *thread, e *hitrace.Event) {
	d := t.framework()
	if d == nil || d.frame.Framework != analyzer.Choreographer {
		return
	}
	id, left := hitrace.ParseResynced(e.Marker.Name)
	if id != 0 {
		d.frame.VsyncID = id
		b.frameworks.add(frameKey{t.pid, id}, d)
	}
	if left != 0 {
		d.deadline = e.Time.Add(left)
	}
}

// readJitter reads how long after its vsync a frame began.
func (b *builder) readJitter(t *thread, e *hitrace.Event) {
	if d := t.framework(); d != nil && e.Marker.Value >= 0 && trace.Duration(e.Marker.Value) <= maxAstray {
		d.due = e.Time.Add(-trace.Duration(e.Marker.Value))
	}
}

// beginDrawFrames begins the drawing of a frame, which may be on another thread than the frame.
func (b *builder) beginDrawFrames(t *thread, e *hitrace.Event) {
	if d := b.frameworks.frames[frameKey{t.pid, hitrace.ParseFrameNumber(e.Marker.Name)}]; d != nil {
		b.push(t, e)
		t.lastOpen().draft = d
	}
}

func (b *builder) endDrawFrames(t *thread, s *openSlice, e *hitrace.Event) {
	s.draft.draw, s.draft.drawTID = analyzer.Interval{Start: s.start, End: e.Time}, t.tid
}

// beginSurfaceName reads the full name of an application.
func (b *builder) beginSurfaceName(_ *thread, e *hitrace.Event) {
	if name, ok := b.text(hitrace.ParseSurfaceName(e.Marker.Name), e); ok && name != "" {
		b.interactions.bundles.add(name)
	}
}

func (b *builder) endDequeueBuffer(t *thread, s *openSlice, e *hitrace.Event) {
	t.dequeued = analyzer.Interval{Start: s.start, End: e.Time}
}

func (b *builder) beginCompositorCommit(t *thread, e *hitrace.Event) {
	number := hitrace.ParseFrameNumber(e.Marker.Name)
	b.frameworks.add(frameKey{t.pid, number}, b.newFrameworkDraft(t, e, analyzer.Compositor, number))
}

// beginCompositorComposite goes on with the frame that its commit began.
func (b *builder) beginCompositorComposite(t *thread, e *hitrace.Event) {
	d := b.frameworks.frames[frameKey{t.pid, hitrace.ParseFrameNumber(e.Marker.Name)}]
	if d != nil && d.thread == t && d.frame.Framework == analyzer.Compositor {
		b.push(t, e)
		t.lastOpen().draft = d
	}
}

// frameworks finds the frames of frameworks by number.
type frameworks struct {
	frames map[frameKey]*draft
	// natives are the ReceiveVsync slices of threads that are no main threads. Which of
	// them are frames depends on who produces buffers.
	natives []*draft
}

func (f *frameworks) add(key frameKey, d *draft) {
	if !d.dropped {
		f.frames[key] = d
	}
}

// placeFramework sets what a frame of a framework has instead of the fields of a ReceiveVsync.
func (d *draft) placeFramework() {
	f := d.frame
	f.Draw, f.DrawTID, f.Deadline = d.draw, d.drawTID, d.deadline
	if d.due.Known() {
		f.Vsync = d.due
	}
}
