package timeline

import (
	"slices"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/annotation"
	"ohframe/exporter/internal/packet"
)

// arrows are the flows that end at slices of stages. Perfetto draws an arrow from the end
// of a slice to the start of another. So that none goes back in time, an arrow leads to
// the first of the stages to come that begins after the slice has ended.
type arrows map[stageOf][]uint64

// stageOf is the slice of a stage: the frame, or the buffer, on its track.
type stageOf struct {
	frame  *analyzer.Frame
	track  string
	buffer *analyzer.Buffer
}

// from returns a new flow from a slice of a render frame to the first of the given stages
// that begins at its end or later; 0 if none does.
func (a arrows) from(w *trackWriter, f *analyzer.Frame, end trace.Time, stages ...string) uint64 {
	for _, track := range stages {
		start := f.Present
		if track == commitTrack {
			start = f.Commit.Start
			if !inOrder(f.Commit) {
				continue
			}
		}
		if start.Known() && end <= start {
			return a.to(w, f, track)
		}
	}
	return 0
}

// to returns a new flow to a stage.
func (a arrows) to(w *trackWriter, f *analyzer.Frame, track string) uint64 {
	return a.toStage(w, stageOf{frame: f, track: track})
}

func (a arrows) toStage(w *trackWriter, stage stageOf) uint64 {
	flow := w.newFlow()
	a[stage] = append(a[stage], flow)
	return flow
}

// atFrame returns the flows that end at a stage of a frame.
func (a arrows) atFrame(f *analyzer.Frame, track string) []uint64 {
	return a[stageOf{frame: f, track: track}]
}

// shownRenderFrame returns the render frame that picked up an application frame, nil if
// none did or it is not shown because it is truncated.
func shownRenderFrame(app *analyzer.Frame) *analyzer.Frame {
	if app.Render == nil || app.Render.Facts.Has(analyzer.Truncated) {
		return nil
	}
	return app.Render
}

func (p *pipeline) writeApplicationFrames(layers *layerTracks, arrows arrows) {
	var s slice
	for _, f := range p.applications {
		p.setFrame(&s, f)
		s.flow, s.terminates = 0, arrows.atFrame(f, framesTrack)
		s.further = layers.arrowsFrom(s.further[:0], f, arrows)
		if inOrder(f.Draw) && f.Actual.End <= f.Draw.Start {
			s.further = append(s.further, arrows.to(p.w, f, drawTrack))
		}
		if r := shownRenderFrame(f); r != nil && f.Actual.End <= r.Actual.Start {
			s.flow = arrows.to(p.w, r, framesTrack)
		}
		p.noteFramework(&s.annotations, f)
		p.noteJudge(&s.annotations, f)
		p.noteTransactions(&s.annotations, f)
		if whole, ok := f.Whole(); ok && whole.Late() {
			s.annotations.interned(annotation.Blame, p.w.text(whole.Blame.String()))
		}
		p.w.slice(p.threads[f.TID].track(f.Actual), &s)
	}
}

// noteFramework adds what draws an application frame, what its thread cost and whom it served.
func (p *pipeline) noteFramework(a *annotations, f *analyzer.Frame) {
	p.noteText(a, annotation.Framework, f.Framework.String())
	p.noteText(a, annotation.Pace, f.Pace.String())
	if f.CPUTime != 0 {
		a.milliseconds(annotation.CPUTime, f.CPUTime)
	}
	var syncs []byte
	for _, sync := range f.DisplaySyncs {
		p.entries = p.entries[:0]
		p.entries.number(uint64(annotation.EntryID), sync.ID)
		p.entries.interned(annotation.EntryType, p.w.text(sync.Type.String()))
		syncs = packet.AppendBytes(syncs, annotationArrayElement, p.entries)
	}
	if len(syncs) > 0 {
		a.add(annotation.DisplaySyncs, syncs)
	}
	a.interval(annotation.DrawAt, annotation.Draw, f.Draw)
	if f.DrawTID != 0 {
		a.number(annotation.DrawTID, int64(f.DrawTID))
	}
	a.interval(annotation.GPUAt, annotation.GPU, f.GPUSpan())
}

// noteJudge adds whose deadline the frame of a worker thread has (docs/frames.md 3.3).
func (p *pipeline) noteJudge(a *annotations, f *analyzer.Frame) {
	if f.Android != nil || f.Framework != analyzer.Platform || int32(f.TID) == int32(f.Process.PID) {
		return
	}
	by := "no deadline: the system expects nothing of this thread, and the main thread has no frame of this vsync"
	if f.Deadline.Known() {
		by = "the main thread's deadline for this vsync: the system expects nothing of this thread"
	}
	a.interned(annotation.JudgedBy, p.w.text(by))
}

// noteTransactions adds the transactions that an application frame sent, and the render
// frames that applied them.
func (p *pipeline) noteTransactions(a *annotations, f *analyzer.Frame) {
	var indexes, others []int64
	for i := range f.Transactions {
		t := &f.Transactions[i]
		indexes = append(indexes, t.Index)
		token, shown := p.tokens[t.AppliedBy]
		if shown && t.AppliedBy != f.Render && !slices.Contains(others, token) {
			others = append(others, token)
		}
	}
	a.numbers(annotation.Transactions, indexes)
	if n := len(f.Transactions); n > 0 {
		a.at(annotation.SentAt, f.Transactions[n-1].At)
	}
	if r := shownRenderFrame(f); r != nil {
		a.number(annotation.RenderToken, p.tokens[r])
	}
	a.numbers(annotation.AlsoTakenBy, others)
}

func (p *pipeline) writeRenderFrames(arrows arrows) {
	var s slice
	for _, f := range p.renders {
		p.setFrame(&s, f)
		s.flow = arrows.from(p.w, f, f.Actual.End, commitTrack, presentTrack)
		s.terminates = arrows.atFrame(f, framesTrack)
		a := &s.annotations
		a.number(annotation.Applications, int64(len(f.Applications)))
		a.interval(annotation.DrawAt, annotation.Draw, f.Draw)
		a.interval(annotation.GPUAt, annotation.GPU, f.GPUSpan())
		a.interval(annotation.CommitAt, annotation.Commit, f.Commit)
		a.mark(annotation.CommitEstimated, f.CommitEstimated)
		a.at(annotation.PresentAt, f.Present)
		a.mark(annotation.PresentEstimated, f.PresentEstimated)
		p.w.slice(p.threads[f.TID].track(f.Actual), &s)
	}
}

// setFrame sets the fields of a slice that both kinds of frames have. The UI shows
// annotations in this order: first those that say why the frame was late, and by how much.
func (p *pipeline) setFrame(s *slice, f *analyzer.Frame) {
	s.Interval, s.annotations = f.Actual, s.annotations[:0]
	unfinished := f.Facts.Has(analyzer.Unfinished)
	s.setName(p.label(f), f.Late(), f.Overrun(), unfinished)
	s.colour = frameColour(f)
	if f.Facts.Has(analyzer.Misaligned) && !f.Late() {
		s.name = append(s.name, " misaligned"...)
	}
	a := &s.annotations
	e := p.causes.Of(f)
	p.noteFinding(a, f, e)
	token := p.tokens[f]
	if f.VsyncID != 0 {
		a.number(annotation.VsyncID, f.VsyncID)
	}
	if token != f.VsyncID {
		a.number(annotation.Token, token)
	}
	if int32(f.TID) != int32(f.Process.PID) {
		a.number(annotation.TID, int64(f.TID))
	}
	if flag, ok := f.Flag(); ok && flag != 0 {
		a.number(annotation.Flag, int64(flag))
	}
	a.at(annotation.ExpectedAt, f.Expected.Start)
	if f.Vsync != f.Expected.Start {
		a.at(annotation.VsyncAt, f.Vsync)
	}
	a.at(annotation.DeadlineAt, f.Deadline)
	if f.Period != 0 {
		a.milliseconds(annotation.Period, f.Period)
	}
	if f.Coalesced != 0 {
		a.number(annotation.Coalesced, int64(f.Coalesced))
	}
	if f.NotBegun != 0 {
		a.number(annotation.NotBegun, int64(f.NotBegun))
	}
	if f.Late() {
		if stage, ok := stats.LongestStage(f); ok {
			a.interned(annotation.LongestStage, p.w.text(stage.String()))
		}
	}
	a.mark(annotation.DeadlineInferred, f.Facts.Has(analyzer.DeadlineInferred))
	a.mark(annotation.MainLate, f.Facts.Has(analyzer.MainLate))
	a.mark(annotation.GPULate, f.Facts.Has(analyzer.GPULate))
	a.mark(annotation.Empty, f.Facts.Has(analyzer.Empty))
	a.mark(annotation.EmptyUnknown, f.Facts.Has(analyzer.EmptyUnknown))
	a.mark(annotation.Unfinished, unfinished)
	a.mark(annotation.FirstDraw, f.Facts.Has(analyzer.FirstDraw))
	a.mark(annotation.Misaligned, f.Facts.Has(analyzer.Misaligned))
	if e != nil {
		p.noteCauses(a, e)
	}
}

// label returns the number that a frame's slices are named after: its vsync id,
// or where that is not known the frame's number on the frame timeline.
func (p *pipeline) label(f *analyzer.Frame) int64 {
	if f.VsyncID != 0 {
		return f.VsyncID
	}
	return p.tokens[f]
}

// setName names a slice, and puts it into the category of late ones: "10033", or
// "10033 late 12.4 ms".
func (s *slice) setName(label int64, late bool, by trace.Duration, atLeast bool) {
	s.late = late
	s.name = strconv.AppendInt(s.name[:0], label, 10)
	if !late {
		return
	}
	s.name = append(s.name, " late"...)
	if by > 0 {
		if atLeast {
			s.name = append(s.name, " ≥"...)
		}
		s.name = strconv.AppendFloat(append(s.name, ' '), by.Milliseconds(), 'f', 1, 64)
		s.name = append(s.name, " ms"...)
	}
}
