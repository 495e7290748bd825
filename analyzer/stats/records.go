package stats

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// records are what the measures of a process are computed from.
type records struct {
	samples   []sample
	shown     []shown
	truncated int
	whole     WholeFrames
	breaks    []trace.Time // when traces begin that follow others in one input, in order
}

// apart reports whether one time is of another trace than a later one.
func (r *records) apart(a, b trace.Time) bool {
	i, _ := slices.BinarySearch(r.breaks, a+1)
	return i < len(r.breaks) && r.breaks[i] <= b
}

// sample is what the measures need of one complete frame.
type sample struct {
	tid           trace.TID
	vsyncID       int64
	renderVsyncID int64 // of the render frame that took an application frame
	start, end    trace.Time
	duration      trace.Duration
	deadline      trace.Time
	period        trace.Duration
	facts         analyzer.Facts
	judged        bool                    // it is known whether the frame is late
	timeline      *analyzer.FrameTimeline // nil if SurfaceFlinger says nothing of it
	linked        bool
	presented     bool
	stages        [stagesCount]trace.Duration // unknownStage where not known
}

func newSample(f *analyzer.Frame) sample {
	s := sample{
		tid: f.TID, vsyncID: f.VsyncID,
		start: f.Actual.Start, end: f.End(), duration: f.Actual.Duration(),
		deadline: f.Deadline, period: periodOf(f), facts: f.Facts, judged: f.Judged(),
		linked: f.Render != nil || len(f.Applications) > 0, presented: f.Present.Known(),
		stages: stagesOf(f),
	}
	if f.Render != nil {
		s.renderVsyncID = f.Render.VsyncID
	}
	if f.Android != nil {
		s.timeline = f.Android.Timeline
	}
	return s
}

func (s *sample) late() bool { return s.facts.Has(analyzer.MainLate | analyzer.GPULate) }

// overrun returns by how much a late frame missed its deadline; ok is false if
// that is not known. Android finds frames late by rules of its own: one that
// ended before its deadline has not overrun.
func (s *sample) overrun() (d trace.Duration, ok bool) {
	if s.end <= s.deadline && s.facts.Has(analyzer.GPULate) && !s.facts.Has(analyzer.MainLate) {
		return 0, false // what was late is not in the trace
	}
	return max(0, since(s.deadline, s.end)), s.late() && s.deadline.Known()
}

func (r *records) addFrame(f *analyzer.Frame) {
	if f.Facts.Has(analyzer.Truncated) {
		r.truncated++
		return
	}
	r.samples = append(r.samples, newSample(f))
	if f.Kind == analyzer.RenderFrame {
		for _, a := range f.Applications {
			r.whole.add(a)
		}
		if !f.Facts.Has(analyzer.Empty) || f.Commit.Start.Known() || f.Present.Known() {
			r.shown = append(r.shown, shownByService(f))
		}
		return
	}
	r.whole.add(f)
	for _, t := range f.Transactions {
		if t.Taken != nil && !t.Taken.Facts.Has(analyzer.Truncated) {
			r.shown = append(r.shown, shownFor(f, t.Taken))
		}
	}
}

// normalize puts the records in one order, whatever the order in which they
// came, and joins those of a render frame that several application frames gave.
func (r *records) normalize() {
	slices.SortStableFunc(r.samples, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.tid, b.tid),
			cmp.Compare(a.vsyncID, b.vsyncID), cmp.Compare(a.end, b.end))
	})
	slices.SortFunc(r.shown, func(a, b shown) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.tid, b.tid), cmp.Compare(a.due, b.due))
	})
	// Of several records of one frame the first is due earliest.
	joined := r.shown[:0]
	for _, s := range r.shown {
		if n := len(joined); n > 0 && joined[n-1].start == s.start && joined[n-1].tid == s.tid {
			joined[n-1].unsure = joined[n-1].unsure || s.unsure
		} else {
			joined = append(joined, s)
		}
	}
	r.shown = joined
}
