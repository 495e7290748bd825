package stats

import (
	"cmp"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// shown is a render frame that showed frames of a process. For render_service these are
// all its frames, for an application those that applied its transactions.
type shown struct {
	tid             trace.TID
	start           trace.Time // start and tid identify the render frame
	vsync           trace.Time // vsync time
	commit, present trace.Time
	period          trace.Duration
	// work: it took application frames, or was late.
	work bool
	// due is the first vsync on which there was something to draw. If unsure is set, it
	// may have been an earlier one.
	due    trace.Time
	unsure bool
	// begun is the vsync of the first work on it, and asked the first vsync of render_service
	// that could have shown that. An application that asks for fewer vsyncs is due later.
	begun, asked trace.Time
}

// newShown returns a record that is due on the render frame's own vsync, or on the first
// of its coalesced vsyncs, or with the earliest of application frames that it picked up.
func newShown(render *analyzer.Frame, apps ...*analyzer.Frame) shown {
	s := shown{
		tid: render.TID, start: render.Actual.Start, vsync: vsyncOf(render),
		commit: render.Commit.Start, present: render.Present, period: periodOf(render),
		work: len(render.Applications) > 0 || render.Judgement().Late == analyzer.Yes,
	}
	if len(render.Applications) > 0 && layerRow(render.Applications[0]) != nil && s.present.Known() {
		// A dump has neither the start of the work nor its vsync.
		s.start, s.vsync = s.present, s.present
	}
	if !s.commit.Known() && len(render.Screens) > 0 {
		s.commit = render.Screens[0].Commit.Start // to another screen than the main one
	}
	s.due = after(s.vsync, -times(render.Coalesced, s.period))
	s.begun, s.asked = s.due, s.due
	for _, app := range apps {
		s.advance(app)
	}
	return s
}

// advance makes the render frame due when the application frame should have been picked
// up, if that is earlier: at that frame's deadline, or if that is unknown one period
// after its vsync, and earlier by its coalesced vsyncs.
func (s *shown) advance(app *analyzer.Frame) {
	period := periodOf(app)
	if row := layerRow(app); row != nil {
		if row.Wanted.Known() {
			s.due = min(s.due, after(row.Wanted, period))
			s.begun, s.asked = min(s.begun, row.Wanted), min(s.asked, s.due)
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
	passed := times(app.Coalesced+app.NotBegun, period)
	s.due = min(s.due, after(due, -passed))
	begun := after(vsyncOf(app), -passed)
	s.begun = min(s.begun, begun)
	s.asked = min(s.asked, s.due, after(begun, cmp.Or(s.period, period)))
}

// layerRow returns the row of the application frame in a dump of SurfaceFlinger's
// latencies, nil if the frame does not come from one.
func layerRow(app *analyzer.Frame) *analyzer.LayerLatency {
	if app.Android == nil {
		return nil
	}
	return app.Android.Latency
}

// vsyncOf returns the best known estimate of the frame's vsync time.
func vsyncOf(f *analyzer.Frame) trace.Time {
	switch {
	case f.Vsync.Known():
		return f.Vsync
	case f.Expected.Known():
		return f.Expected.Start
	}
	return f.Actual.Start
}
