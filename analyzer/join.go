package analyzer

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// join makes one timeline of those of several traces of a device, which share their
// processes. Its clock is that of the first.
func join(list []*Timeline, diagnostics *Diagnostics) *Timeline {
	t := list[0]
	if len(list) == 1 {
		return t
	}
	for _, next := range list[1:] {
		t.Frames = append(t.Frames, next.Frames...)
		t.Parts = append(t.Parts, next.Parts...)
	}
	slices.SortStableFunc(t.Frames, func(x, y *Frame) int { return cmp.Compare(x.Actual.Start, y.Actual.Start) })
	truncateOverlaps(t, diagnostics)
	return t
}

// truncateOverlaps truncates frames of different traces as checkOrder does those of
// one: traces whose lines are out of order may overlap.
func truncateOverlaps(t *Timeline, diagnostics *Diagnostics) {
	byThread := map[trace.TID][]*Frame{}
	for f := range t.Complete() {
		byThread[f.TID] = append(byThread[f.TID], f)
	}
	for _, list := range byThread {
		var last *Frame
		for i, f := range list {
			over := i+2 < len(list) && f.Actual.End > list[i+2].Actual.Start
			if over || last != nil && f.Actual.Start < last.Actual.End {
				diagnostics.add(FrameAstray, 0)
				f.Facts, f.GPU = Truncated, nil
				continue
			}
			last = f
		}
	}
}
