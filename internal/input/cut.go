package input

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
)

// cut leaves in the timeline what lies in the window, as reading a text trace
// does: frames outside are gone, frames that the window cuts are truncated.
func cut(t *analyzer.Timeline, w hitrace.Window) {
	if w.IsOpen() {
		return
	}
	from, to := w.Bounds(t.Span.Start)
	gone := map[*analyzer.Frame]bool{}
	for _, f := range t.Frames {
		switch {
		case f.Actual.Start >= to || f.Actual.End < from:
			gone[f] = true
		case f.Actual.Start < from || f.Actual.End >= to:
			f.Facts = analyzer.Truncated
		}
	}
	isGone := func(f *analyzer.Frame) bool { return gone[f] }
	t.Frames = slices.DeleteFunc(t.Frames, isGone)
	for _, f := range t.Frames {
		f.Applications = slices.DeleteFunc(f.Applications, isGone)
		if gone[f.Render] {
			f.Render = nil
		}
		for i := range f.Transactions {
			if gone[f.Transactions[i].Taken] {
				f.Transactions[i].Taken = nil
			}
		}
		if f.Present >= to {
			f.Present, f.PresentEstimated = 0, false
		}
		if f.Commit.Start >= to {
			f.Commit, f.CommitEstimated = analyzer.Interval{}, false
		}
	}
	t.Span.Start, t.Span.End = max(t.Span.Start, from), min(t.Span.End, to)
}
