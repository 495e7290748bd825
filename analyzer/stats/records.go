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
	breaks    []trace.Time // the starts of further traces in the same input, in order
}

// apart reports whether a later time b belongs to another trace than a.
func (r *records) apart(a, b trace.Time) bool {
	i, _ := slices.BinarySearch(r.breaks, a+1)
	return i < len(r.breaks) && r.breaks[i] <= b
}

// sample has the values of one complete frame that the measures need.
type sample struct {
	tid           trace.TID
	vsyncID       int64
	renderVsyncID int64 // of the render frame that took an application frame
	start, end    trace.Time
	duration      trace.Duration
	deadline      trace.Time
	period        trace.Duration
	facts         analyzer.Facts
	judged        bool                    // the frame is known to be late or on time
	timeline      *analyzer.FrameTimeline // nil without a verdict of SurfaceFlinger
	linked        bool
	presented     bool
	stages        [stagesCount]trace.Duration // unknownStage if unknown
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

// overrun returns the time by which a late frame missed its deadline; ok is false if
// that is unknown. Android has other rules for lateness: the overrun of a late frame
// that ended before its deadline is zero.
func (s *sample) overrun() (d trace.Duration, ok bool) {
	if s.end <= s.deadline && s.facts.Has(analyzer.GPULate) && !s.facts.Has(analyzer.MainLate) {
		return 0, false // the end of the GPU work is not in the trace
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

// normalize sorts the records, so that the result does not depend on the order of the
// frames, and joins the records of one render frame from several application frames.
func (r *records) normalize() {
	slices.SortStableFunc(r.samples, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.tid, b.tid),
			cmp.Compare(a.vsyncID, b.vsyncID), cmp.Compare(a.end, b.end))
	})
	slices.SortFunc(r.shown, func(a, b shown) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.tid, b.tid), cmp.Compare(a.due, b.due))
	})
	// The first record of a frame has the earliest due time.
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
