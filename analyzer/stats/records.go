package stats

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// records are what the measures of a process are computed from.
type records struct {
	frames    []*analyzer.Frame // complete ones
	shown     []shown
	truncated int
	dump      bool // Timeline.Dump
	whole     WholeFrames
	parts     parts
	responses []trace.Duration // of interactions of the process
	activity  *activity        // nil without one
	animation bool             // all frames are those of one scene, in which nothing is idle

	// unshown are the frames that no render frame showed, and busy all of the time in which
	// nothing is idle.
	unshown, busy []analyzer.Interval

	// fps and hitches fill these.
	gaps      []gap
	idleKnown bool
	presents  []present
}

func (r *records) addFrame(f *analyzer.Frame) {
	if f.Facts.Has(analyzer.Truncated) {
		r.truncated++
		return
	}
	r.frames = append(r.frames, f)
	if f.Kind == analyzer.RenderFrame {
		for _, a := range f.Applications {
			r.whole.add(a)
		}
		if f.Judgement().Empty == analyzer.No || f.Commit.Start.Known() || f.Present.Known() {
			r.shown = append(r.shown, newShown(f, f.Applications...))
		} else {
			r.addUnshown(f)
		}
		return
	}
	r.whole.add(f)
	n := len(r.shown)
	for _, t := range f.Transactions {
		if t.AppliedBy != nil && !t.AppliedBy.Facts.Has(analyzer.Truncated|analyzer.CommitSkipped) {
			r.shown = append(r.shown, newShown(t.AppliedBy, f))
		}
	}
	if n == len(r.shown) {
		r.addUnshown(f)
	}
}

// ofFrameworks reports whether all frames are of frameworks.
func (r *records) ofFrameworks() bool {
	return !slices.ContainsFunc(r.frames, func(f *analyzer.Frame) bool { return f.Framework == analyzer.Platform })
}

// normalize sorts the records, so that the result does not depend on the order of the
// frames, and joins the records of one render frame from several application frames.
func (r *records) normalize() {
	slices.SortStableFunc(r.frames, func(a, b *analyzer.Frame) int {
		order := cmp.Or(cmp.Compare(a.Actual.Start, b.Actual.Start), cmp.Compare(a.TID, b.TID), cmp.Compare(a.VsyncID, b.VsyncID))
		if order != 0 {
			return order
		}
		return cmp.Compare(a.End(), b.End())
	})
	slices.SortFunc(r.shown, func(a, b shown) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.tid, b.tid), cmp.Compare(a.due, b.due))
	})
	// The first record of a frame has the earliest due time.
	joined := r.shown[:0]
	for _, s := range r.shown {
		if n := len(joined); n > 0 && joined[n-1].start == s.start && joined[n-1].tid == s.tid {
			joined[n-1].unsure = joined[n-1].unsure || s.unsure
			joined[n-1].begun, joined[n-1].asked = min(joined[n-1].begun, s.begun), min(joined[n-1].asked, s.asked)
		} else {
			joined = append(joined, s)
		}
	}
	r.shown = joined
}
