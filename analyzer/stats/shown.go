package stats

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// shown is a render frame that showed what a process had made: all of the
// display, for render_service; for an application, a transaction of its own.
type shown struct {
	tid             trace.TID
	start           trace.Time // with tid, which frame it is
	vsync           trace.Time // when its vsync was due
	commit, present trace.Time
	period          trace.Duration
	// due is the vsync on which there was first something for it to draw.
	due trace.Time
}

// shownByService returns a render frame as render_service has it: due when the
// earliest of the application frames that it took was.
func shownByService(render *analyzer.Frame) shown {
	s := newShown(render)
	for _, a := range render.Applications {
		s.due = min(s.due, pickUpDue(a, s.due))
	}
	return s
}

// shownFor returns a render frame as one of its application frames has it.
func shownFor(app, render *analyzer.Frame) shown {
	s := newShown(render)
	s.due = min(s.due, pickUpDue(app, s.due))
	return s
}

// newShown returns a render frame that is due on its own vsync, or on the first
// of those that had queued up.
func newShown(render *analyzer.Frame) shown {
	s := shown{
		tid: render.TID, start: render.Actual.Start, vsync: vsyncOf(render),
		commit: render.Commit.Start, present: render.Present, period: periodOf(render),
	}
	s.due = after(s.vsync, -times(render.Coalesced, s.period))
	return s
}

// pickUpDue returns when an application frame was to be picked up: at its
// deadline, earlier by the vsyncs that its thread was too busy to take.
func pickUpDue(app *analyzer.Frame, unknown trace.Time) trace.Time {
	if !app.Deadline.Known() {
		return unknown
	}
	return after(app.Deadline, -times(app.Coalesced, periodOf(app)))
}

// vsyncOf returns when the frame's vsync was due, as well as that is known.
func vsyncOf(f *analyzer.Frame) trace.Time {
	switch {
	case f.Vsync.Known():
		return f.Vsync
	case f.Expected.Known():
		return f.Expected.Start
	}
	return f.Actual.Start
}
