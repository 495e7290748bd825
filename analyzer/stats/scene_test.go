package stats_test

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

const ms = trace.Millisecond

// at returns a time by its milliseconds.
func at(n int) trace.Time { return trace.Time(n) * trace.Time(ms) }

func interval(from, to int) analyzer.Interval { return analyzer.Interval{Start: at(from), End: at(to)} }

// scene builds timelines by hand, for a display with a period of 10 ms. Times
// are in milliseconds.
type scene struct{ analyzer.Timeline }

func (s *scene) process(pid trace.PID, name string) *analyzer.Process {
	p := &analyzer.Process{PID: pid, Name: name}
	s.Processes = append(s.Processes, p)
	return p
}

func (s *scene) frame(kind analyzer.Kind, p *analyzer.Process, vsync, budget, start, end int, facts analyzer.Facts) *analyzer.Frame {
	f := &analyzer.Frame{
		Kind: kind, Process: p, TID: trace.TID(p.PID), VsyncID: int64(vsync), Vsync: at(vsync),
		Actual: interval(start, end), Expected: interval(vsync, vsync+budget), Deadline: at(vsync + budget),
		Period: 10 * ms, Facts: facts,
	}
	s.Frames = append(s.Frames, f)
	return f
}

// app adds an application frame, which has until the next vsync. The vsync's id
// is its time.
func (s *scene) app(p *analyzer.Process, vsync, start, end int, facts analyzer.Facts) *analyzer.Frame {
	return s.frame(analyzer.ApplicationFrame, p, vsync, 10, start, end, facts)
}

// render adds a render frame, which has two periods less 5 ms.
func (s *scene) render(p *analyzer.Process, vsync, start, end int, facts analyzer.Facts) *analyzer.Frame {
	return s.frame(analyzer.RenderFrame, p, vsync, 15, start, end, facts)
}

// send links an application frame to the render frame that takes its next
// transaction.
func send(app *analyzer.Frame, sent int, render *analyzer.Frame) {
	app.Transactions = append(app.Transactions, analyzer.Sent{Index: int64(len(app.Transactions)), At: at(sent), AppliedBy: render})
	if app.Render != nil {
		app.Render.Applications = slices.DeleteFunc(app.Render.Applications, func(a *analyzer.Frame) bool { return a == app })
	}
	app.Render = render
	if render != nil {
		render.Applications = append(render.Applications, app)
	}
}

// show commits a render frame's layers and has the display show them.
func show(render *analyzer.Frame, commit, committed, present int) {
	render.Commit, render.Present = interval(commit, committed), at(present)
}
