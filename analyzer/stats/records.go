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
	// emptyKnown: some frame of the same kind in the trace is not empty.
	emptyKnown bool

	// fps and hitches fill these.
	gaps      []gap
	idleKnown bool
	presents  []present
}

// overrunOf returns the time by which a late frame missed its deadline; ok is false if
// that is unknown. Android has other rules for lateness: the overrun of a late frame that
// ended before its deadline is zero.
func overrunOf(f *analyzer.Frame) (d trace.Duration, ok bool) {
	if !f.Late() || !f.Deadline.Known() {
		return 0, false
	}
	end := f.End()
	if end <= f.Deadline && f.Facts.Has(analyzer.GPULate) && !f.Facts.Has(analyzer.MainLate) {
		return 0, false // the end of the GPU work is not in the trace
	}
	return max(0, since(f.Deadline, end)), true
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
		if !f.Facts.Has(analyzer.Empty) || f.Commit.Start.Known() || f.Present.Known() {
			r.shown = append(r.shown, shownByService(f))
		}
		return
	}
	r.whole.add(f)
	for _, t := range f.Transactions {
		if t.AppliedBy != nil && !t.AppliedBy.Facts.Has(analyzer.Truncated) {
			r.shown = append(r.shown, shownFor(f, t.AppliedBy))
		}
	}
}

// ofFrameworks reports whether all frames are of frameworks.
func (r *records) ofFrameworks() bool {
	return !slices.ContainsFunc(r.frames, func(f *analyzer.Frame) bool { return f.Framework == analyzer.Platform })
}

// knownByBuffers reports whether it is known which frames of frameworks are empty: some have
// buffers, or are (docs/frames.md 16.7).
func (r *records) knownByBuffers() bool {
	return slices.ContainsFunc(r.frames, func(f *analyzer.Frame) bool { return len(f.Transactions) > 0 || f.Facts.Has(analyzer.Empty) })
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
		} else {
			joined = append(joined, s)
		}
	}
	r.shown = joined
}
