package simulate

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// record collects the events of a running simulation.
type record struct {
	frames       []*Frame
	transactions []*transaction
	gpu          []Interval
	tellsPeriods bool // the vsync generator writes the period
	switches     bool // the trace has those of threads
}

// settle derives the facts that depend on several frames or on the ends of the trace.
// Nothing outside [from, to) can be known from the text, whose last line is at last; a zero to is
// no limit.
func (r *record) settle(t *Truth, from, to, last trace.Time) {
	if to == 0 {
		to = trace.Time(1<<63 - 1)
	}
	inside := func(t trace.Time) bool { return from <= t && t < to }
	for _, f := range r.frames {
		if f.End < from || f.Start >= to {
			f.Start, f.End = 0, 0
			continue
		}
		f.cut(inside)
		if f.Truncated || !r.switches {
			f.CPUTime = 0
		}
		if !r.tellsPeriods && !f.ExpectedEnd.Known() {
			f.Period = 0
		}
		t.Frames = append(t.Frames, f)
	}
	slices.SortStableFunc(t.Frames, func(a, b *Frame) int {
		// A frame that began before the trace is first.
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.TID, b.TID))
	})
	t.OutsideTransactions = r.settleTransactions(inside)
	t.OutsideGPU = r.settleGPU(t.Frames, inside)
	settleDeadlines(t.Frames, last)
	settleAlignment(t.Frames)
}

// cut removes the times of the frame itself that the text does not show.
func (f *Frame) cut(inside func(trace.Time) bool) {
	if !inside(f.Start) {
		// With the first marker go the vsync's id and times, which a commit is joined by.
		f.Start, f.ExpectedStart, f.ExpectedEnd, f.Deadline = 0, 0, 0, 0
		f.Vsync, f.Period, f.Coalesced, f.Commit = 0, 0, 0, 0
		f.Truncated = true
	}
	if !inside(f.End) {
		f.End = 0
		f.Truncated = true
	}
	if !inside(f.processed) {
		f.Sources = nil
	}
	if !inside(f.Commit) {
		f.Commit = 0
	}
	if f.Commit == 0 || !inside(f.Present) {
		f.Present, f.PresentEstimated = 0, false
	}
}

// settleTransactions assigns the visible transactions to their frames and counts those
// without a frame.
func (r *record) settleTransactions(inside func(trace.Time) bool) (outside int) {
	for _, tr := range r.transactions {
		if !inside(tr.sent) {
			continue
		}
		f := tr.frame
		switch {
		case f == nil, f.Start == 0 && f.End == 0, tr.byStamp && f.Start == 0:
			outside++
			continue
		}
		f.Indices = append(f.Indices, tr.index)
		f.sent = append(f.sent, tr)
	}
	for _, f := range r.frames {
		slices.SortFunc(f.sent, func(a, b *transaction) int { return cmp.Compare(a.index, b.index) })
		slices.Sort(f.Indices)
		if len(f.sent) > 0 {
			last := f.sent[len(f.sent)-1]
			if last.takenBy != nil && last.takenBy.Start.Known() && inside(last.takenAt) {
				f.TakenBy, f.Render = last.takenBy, last.takenBy.Vsync
			}
		}
		// The transactions of a frame without a visible end are unknown.
		f.Empty = f.Empty || f.Kind == AppFrame && len(f.Indices) == 0
		f.Empty = f.Empty && !f.Truncated
	}
	return outside
}

// settleGPU assigns each piece of work to the render frame in which it was queued.
func (r *record) settleGPU(frames []*Frame, inside func(trace.Time) bool) (outside int) {
	var renders []*Frame
	for _, f := range frames {
		if f.Kind == RenderFrame && f.Start.Known() {
			renders = append(renders, f)
		}
	}
	for _, work := range r.gpu {
		if !inside(work[0]) {
			continue
		}
		if !inside(work[1]) {
			work[1] = 0
		}
		// The last render frame that began before the work.
		i, _ := slices.BinarySearchFunc(renders, work[0]+1, func(f *Frame, t trace.Time) int { return cmp.Compare(f.Start, t) })
		if i == 0 || renders[i-1].End.Known() && renders[i-1].End < work[0] {
			outside++
			continue
		}
		renders[i-1].GPU = append(renders[i-1].GPU, work)
	}
	return outside
}

// settleDeadlines sets the deadlines of workers' frames and marks the late frames. A frame that is
// open at the end of the trace is late, too, if it is by more than a period.
func settleDeadlines(frames []*Frame, last trace.Time) {
	type key struct {
		pid   trace.PID
		vsync int64
	}
	expected := map[key]trace.Time{}
	for _, f := range frames {
		if f.Kind == AppFrame && f.ExpectedEnd.Known() {
			expected[key{f.PID, f.Vsync}] = f.ExpectedEnd
		}
	}
	for _, f := range frames {
		f.Deadline = f.ExpectedEnd
		if f.Kind == AppFrame && int(f.TID) != int(f.PID) {
			f.Deadline = expected[key{f.PID, f.Vsync}]
		}
		if f.Start.Known() && f.End == 0 && f.Deadline.Known() && f.Period > 0 && last.Sub(f.Deadline) > f.Period {
			f.End, f.Truncated, f.Unfinished = last, false, true
		}
		if !f.Deadline.Known() || f.Truncated {
			continue
		}
		f.Late = f.End > f.Deadline
		if f.Kind == RenderFrame {
			f.LateMain = f.Late
			for _, work := range f.GPU {
				f.LateGPU = f.LateGPU || work[1] > f.Deadline
			}
			f.Late = f.LateMain || f.LateGPU
		}
	}
}

// misalignment is the difference between a render frame's expected start and the expected
// end of an application frame from which the frames are misaligned.
const misalignment = trace.Millisecond

func settleAlignment(frames []*Frame) {
	for _, f := range frames {
		by := f.TakenBy
		if by == nil || !f.ExpectedEnd.Known() || !by.ExpectedStart.Known() {
			continue
		}
		if by.ExpectedStart.Sub(f.ExpectedEnd).Abs() >= misalignment {
			f.Misaligned, by.Misaligned = true, true
		}
	}
}
