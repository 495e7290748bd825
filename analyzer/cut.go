package analyzer

import (
	"slices"

	"ohframe/analyzer/trace"
)

// Cut limits the timeline to times from from on and before to. It removes frames outside
// and truncates frames that cross an edge.
func (t *Timeline) Cut(from, to trace.Time) {
	gone := map[*Frame]bool{}
	for _, f := range t.Frames {
		switch {
		case f.Actual.Start >= to || f.Actual.End < from:
			gone[f] = true
		case f.Actual.Start < from || f.Actual.End >= to:
			if late := f.Facts.Has(MainLate) && f.Android == nil; f.Actual.Start < from || !late || !f.Leave(to) {
				f.Facts = Truncated
			}
			f.Actual = Interval{max(f.Actual.Start, from), min(f.Actual.End, to)}
			f.GPU, f.CPUTime = nil, 0
		}
	}
	isGone := func(f *Frame) bool { return gone[f] }
	t.Frames = slices.DeleteFunc(t.Frames, isGone)
	for _, f := range t.Frames {
		if f.Held.Start < from || f.Facts.Has(Truncated) {
			f.NotBegun, f.Held = 0, Interval{}
		}
		f.Applications = slices.DeleteFunc(f.Applications, isGone)
		if gone[f.Render] {
			f.Render = nil
		}
		for i := range f.Transactions {
			if gone[f.Transactions[i].AppliedBy] {
				f.Transactions[i].AppliedBy = nil
			}
		}
		if f.Present >= to {
			f.Present, f.PresentEstimated = 0, false
		}
		if f.Commit.Start >= to {
			f.Commit, f.CommitEstimated = Interval{}, false
		}
		f.CutScreens(to)
	}
	slices.SortStableFunc(t.Frames, func(a, b *Frame) int { return int(a.Actual.Start - b.Actual.Start) })
	t.Parts = slices.DeleteFunc(t.Parts, func(p Part) bool { return p.Span.Start >= to || p.Span.End < from })
	if len(t.Parts) == 0 {
		t.Parts = nil // as a result that is read has it
	}
	for i := range t.Parts {
		span := &t.Parts[i].Span
		span.Start, span.End = max(span.Start, from), min(span.End, to)
	}
	t.cutInteractions(from, to)
	t.cutLayers(from, to, isGone)
	t.cutRequesters(from, to, isGone)
	t.cutOwn(from, to)
	t.origin = t.Origin()
	t.Span.Start, t.Span.End = max(t.Span.Start, from), min(t.Span.End, to)
}

// Leave makes a frame Unfinished that the trace ends within, if it is late by more than a refresh
// period by then. It reports whether it is.
func (f *Frame) Leave(end trace.Time) bool {
	if !f.Deadline.Known() || f.Period <= 0 || end.Since(f.Deadline) <= f.Period {
		return false
	}
	f.Facts = f.Facts&(FirstDraw|DeadlineInferred) | Unfinished | MainLate
	if len(f.Transactions)+len(f.Applications) == 0 { // it may send or apply one yet
		f.Facts |= EmptyUnknown
	}
	return true
}

// CutScreens removes the frame's commits to screens from a time on, and makes presents from then on
// unknown.
func (f *Frame) CutScreens(to trace.Time) {
	f.Screens = slices.DeleteFunc(f.Screens, func(s Screen) bool { return s.Commit.Start >= to })
	for i := range f.Screens {
		if s := &f.Screens[i]; s.Present >= to {
			s.Present, s.PresentEstimated = 0, false
		}
	}
}

// cutLayers removes buffers whose known times are all outside, and layers without others.
// Times from the end on are unknown, so that a buffer that is shown then waits.
func (t *Timeline) cutLayers(from, to trace.Time, isGone func(*Frame) bool) {
	for _, l := range t.Layers {
		l.Buffers = slices.DeleteFunc(l.Buffers, func(b *Buffer) bool {
			return b.At() >= to || b.Last() < from
		})
		for _, b := range l.Buffers {
			if b.Frame != nil && isGone(b.Frame) {
				b.Frame = nil
			}
			if b.Render != nil && isGone(b.Render) {
				b.Render = nil
			}
			b.cut(from, to)
		}
	}
	t.Layers = slices.DeleteFunc(t.Layers, func(l *Layer) bool { return len(l.Buffers) == 0 })
}

// cut makes the buffer's times from to on unknown, and an interval that begins before from.
func (b *Buffer) cut(from, to trace.Time) {
	if b.Present >= to || b.Present.Add(-b.Interval) < from {
		b.Pace, b.Interval, b.Deadline = Unpaced, 0, 0
	}
	if b.Present >= to || b.Fate == Shown && b.Acquired >= to {
		b.Present, b.PresentEstimated, b.Fate = 0, false, Waiting
	}
	b.Requested.End = min(b.Requested.End, to)
	for _, at := range []*trace.Time{&b.Queued, &b.Ready, &b.Acquired} {
		if *at >= to {
			*at = 0
		}
	}
}
