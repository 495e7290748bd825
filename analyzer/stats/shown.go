package stats

import (
	"cmp"

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
	// due is the vsync on which there was first something for it to draw. If
	// unsure is set, that vsync may have been an earlier one.
	due    trace.Time
	unsure bool
}

// shownByService returns a render frame as render_service has it: due when the
// earliest of the application frames that it took was.
func shownByService(render *analyzer.Frame) shown {
	s := newShown(render)
	for _, a := range render.Applications {
		s.take(a)
	}
	return s
}

// shownFor returns a render frame as one of its application frames has it.
func shownFor(app, render *analyzer.Frame) shown {
	s := newShown(render)
	s.take(app)
	return s
}

// newShown returns a render frame that is due on its own vsync, or on the first
// of those that had queued up.
func newShown(render *analyzer.Frame) shown {
	s := shown{
		tid: render.TID, start: render.Actual.Start, vsync: vsyncOf(render),
		commit: render.Commit.Start, present: render.Present, period: periodOf(render),
	}
	if len(render.Applications) > 0 && layerRow(render.Applications[0]) != nil && s.present.Known() {
		// A dump tells neither when work began nor on which other vsync.
		s.start, s.vsync = s.present, s.present
	}
	s.due = after(s.vsync, -times(render.Coalesced, s.period))
	return s
}

// take makes the render frame due when the application frame was to be picked up,
// if that is earlier: at the frame's deadline, or if that is not known a period
// after its vsync; earlier by the vsyncs that its thread was too busy to take.
func (s *shown) take(app *analyzer.Frame) {
	period := periodOf(app)
	if row := layerRow(app); row != nil {
		if row.Wanted.Known() {
			s.due = min(s.due, after(row.Wanted, period))
		} else {
			s.unsure = true
		}
		return
	}
	due := app.Deadline
	if !due.Known() {
		budget := cmp.Or(period, s.period)
		if budget == 0 {
			return
		}
		due = after(vsyncOf(app), budget)
	}
	s.due = min(s.due, after(due, -times(app.Coalesced, period)))
}

// layerRow returns what a dump of SurfaceFlinger's latencies says of the
// application frame, nil if the frame is not from one.
func layerRow(app *analyzer.Frame) *analyzer.LayerLatency {
	if app.Android == nil {
		return nil
	}
	return app.Android.Latency
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
