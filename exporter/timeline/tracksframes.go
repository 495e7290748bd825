package timeline

import (
	"slices"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// annotation is a fact that a slice says of its frame. Perfetto puts "debug."
// before the name. Times (_ts) are nanoseconds of trace time, as a slice's own
// ts; lengths (_ms) are milliseconds, exact to the nanosecond when multiplied by
// 1e6 and rounded. A fact that does not hold, or is not known, is not there.
type annotation uint8

const (
	// Of frames of both kinds.
	noteVsyncID    annotation = iota + 1 // of the text; the slice's name
	noteToken                            // the frame's name on the frame timeline, where that is another
	noteTID                              // where it is not the main thread
	noteFlag                             // 1 late, 2 empty, 3 misaligned
	noteExpectedAt                       // when the work should have begun
	noteVsyncAt                          // when the vsync was due, where nothing was expected then
	noteDeadlineAt                       // when the work should have ended
	notePeriod                           // of the display's refresh
	noteCoalesced                        // vsyncs queued up behind this one
	noteOverrun                          // by how much a late frame missed its deadline
	noteMainLate                         // on its thread
	noteGPULate                          // on the GPU
	noteEmpty                            // made no picture
	noteMisaligned                       // picked up on another vsync
	// Of application frames, and of whole frames the render token.
	noteTransactions // the indexes of those sent
	noteSentAt       // when the last of them was sent
	noteRenderToken  // the frame timeline's name for the render frame that took it
	noteAlsoTakenBy  // and for those that took transactions before the last
	noteWantedAt     // since when a layer of Android waited for it
	noteWantedUnknown
	// Of render frames.
	noteApplications // how many application frames it took
	noteDrawAt       // the render thread's work
	noteDraw
	noteGPUAt // from the first work on the GPU to the end of the last
	noteGPU
	noteCommitAt // layers on their way to the display
	noteCommit
	noteCommitEstimated // matched by time, not by vsync
	notePresentAt       // when the display showed it
	notePresentEstimated
	// Of late whole frames: which part it was.
	noteBlame
	annotationsEnd
)

var annotationNames = [annotationsEnd]string{
	noteVsyncID: "vsync_id", noteToken: "token", noteTID: "tid", noteFlag: "flag",
	noteExpectedAt: "expected_ts", noteVsyncAt: "vsync_ts", noteDeadlineAt: "deadline_ts", notePeriod: "period_ms", noteCoalesced: "coalesced",
	noteOverrun: "overrun_ms", noteMainLate: "main_late", noteGPULate: "gpu_late", noteEmpty: "empty", noteMisaligned: "misaligned",
	noteTransactions: "transactions", noteSentAt: "sent_ts", noteRenderToken: "render_token", noteAlsoTakenBy: "also_taken_by",
	noteWantedAt: "wanted_ts", noteWantedUnknown: "wanted_unknown",
	noteApplications: "applications", noteDrawAt: "draw_ts", noteDraw: "draw_ms", noteGPUAt: "gpu_ts", noteGPU: "gpu_ms",
	noteCommitAt: "commit_ts", noteCommit: "commit_ms", noteCommitEstimated: "commit_estimated",
	notePresentAt: "present_ts", notePresentEstimated: "present_estimated",
	noteBlame: "blame",
}

// arrows are the flows that go out from frames.
type arrows map[*analyzer.Frame]uint64

// toRender reports whether an arrow can be drawn to the render frame that took
// the application frame: not back in time, from a frame that began later.
func toRender(app *analyzer.Frame) bool {
	r := shownRenderFrame(app)
	return r != nil && app.Actual.Start <= r.Actual.Start
}

// shownRenderFrame returns the render frame that took an application frame, nil
// if none did or it is not shown because it is truncated.
func shownRenderFrame(app *analyzer.Frame) *analyzer.Frame {
	if app.Render == nil || app.Render.Facts.Has(analyzer.Truncated) {
		return nil
	}
	return app.Render
}

func (p *pipeline) writeApplicationFrames(arrows arrows) {
	var s slice
	for _, f := range p.applications {
		p.setFrame(&s, f)
		s.flow = 0
		if toRender(f) {
			s.flow = p.w.newFlow()
			arrows[f] = s.flow
		}
		p.noteTransactions(&s.annotations, f)
		if f.Android != nil && f.Android.Latency != nil {
			wanted := f.Android.Latency.Wanted
			s.annotations.at(noteWantedAt, wanted)
			s.annotations.mark(noteWantedUnknown, !wanted.Known())
		}
		p.w.slice(p.thread(f.TID).track(f.Actual), &s)
	}
}

// noteTransactions notes what an application frame sent, and to whom it came.
func (p *pipeline) noteTransactions(a *annotations, f *analyzer.Frame) {
	var indexes, others []int64
	for i := range f.Transactions {
		t := &f.Transactions[i]
		indexes = append(indexes, t.Index)
		token, shown := p.tokens[t.Taken]
		if shown && t.Taken != f.Render && !slices.Contains(others, token) {
			others = append(others, token)
		}
	}
	a.numbers(noteTransactions, indexes)
	if n := len(f.Transactions); n > 0 {
		a.at(noteSentAt, f.Transactions[n-1].At)
	}
	if r := shownRenderFrame(f); r != nil {
		a.number(noteRenderToken, p.tokens[r])
	}
	a.numbers(noteAlsoTakenBy, others)
}

func (p *pipeline) writeRenderFrames(arrows arrows) {
	var s slice
	for _, f := range p.renders {
		p.setFrame(&s, f)
		s.flow, s.terminates = 0, s.terminates[:0]
		if len(f.GPU) > 0 || f.Commit.Known() || f.Present.Known() {
			s.flow = p.w.newFlow()
			arrows[f] = s.flow
		}
		for _, app := range f.Applications {
			if flow := arrows[app]; flow != 0 {
				s.terminates = append(s.terminates, flow)
			}
		}
		a := &s.annotations
		a.number(noteApplications, int64(len(f.Applications)))
		a.interval(noteDrawAt, noteDraw, f.Draw)
		if n := len(f.GPU); n > 0 {
			work := f.GPU[0]
			for _, g := range f.GPU {
				work.End = max(work.End, g.End)
			}
			a.interval(noteGPUAt, noteGPU, work)
		}
		a.interval(noteCommitAt, noteCommit, f.Commit)
		a.mark(noteCommitEstimated, f.CommitEstimated)
		a.at(notePresentAt, f.Present)
		a.mark(notePresentEstimated, f.PresentEstimated)
		p.w.slice(p.thread(f.TID).track(f.Actual), &s)
	}
}

// setFrame sets what frames of both kinds have.
func (p *pipeline) setFrame(s *slice, f *analyzer.Frame) {
	s.Interval, s.annotations = f.Actual, s.annotations[:0]
	s.setName(p.label(f), f.Late(), f.Overrun())
	a := &s.annotations
	token := p.tokens[f]
	if f.VsyncID != 0 {
		a.number(noteVsyncID, f.VsyncID)
	}
	if token != f.VsyncID {
		a.number(noteToken, token)
	}
	if int32(f.TID) != int32(f.Process.PID) {
		a.number(noteTID, int64(f.TID))
	}
	if flag := f.Flag(); flag != analyzer.FlagOnTime {
		a.number(noteFlag, int64(flag))
	}
	a.at(noteExpectedAt, f.Expected.Start)
	if f.Vsync != f.Expected.Start {
		a.at(noteVsyncAt, f.Vsync)
	}
	a.at(noteDeadlineAt, f.Deadline)
	if f.Period != 0 {
		a.milliseconds(notePeriod, f.Period)
	}
	if f.Coalesced != 0 {
		a.number(noteCoalesced, int64(f.Coalesced))
	}
	if f.Late() {
		a.milliseconds(noteOverrun, f.Overrun())
	}
	a.mark(noteMainLate, f.Facts.Has(analyzer.MainLate))
	a.mark(noteGPULate, f.Facts.Has(analyzer.GPULate))
	a.mark(noteEmpty, f.Facts.Has(analyzer.Empty))
	a.mark(noteMisaligned, f.Facts.Has(analyzer.Misaligned))
}

// label returns the number that a frame's slices are named after: its vsync id,
// or where that is not known the frame's number on the frame timeline.
func (p *pipeline) label(f *analyzer.Frame) int64 {
	if f.VsyncID != 0 {
		return f.VsyncID
	}
	return p.tokens[f]
}

// setName names and files a slice: "10033", or "10033 late 12.4 ms". Perfetto
// colours slices by their names without the digits, so that all late ones have
// one colour, which with this wording happens to be red.
func (s *slice) setName(label int64, late bool, by trace.Duration) {
	s.late = late
	s.name = strconv.AppendInt(s.name[:0], label, 10)
	if !late {
		return
	}
	s.name = append(s.name, " late"...)
	if by > 0 {
		s.name = strconv.AppendFloat(append(s.name, ' '), by.Milliseconds(), 'f', 1, 64)
		s.name = append(s.name, " ms"...)
	}
}
