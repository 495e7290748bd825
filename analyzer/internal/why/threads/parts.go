package threads

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// AndroidPart is what a thread did for a frame of Android, in a slice with the frame's number:
//
//	application      Choreographer#doFrame 641493 ── DrawFrames 641493, on its render thread
//	SurfaceFlinger   commit 641499, composite 641499
type AndroidPart struct {
	PID    trace.PID
	Number int64
	// Draws: the thread drew the frame, after another one had made it.
	Draws bool
	TID   trace.TID
	analyzer.Interval
}

// beginPart begins a part of a frame. It returns what openSlice.part is.
func (r *Recorder) beginPart(t *thread, e *hitrace.Event) uint32 {
	p := &r.passages
	switch e.Word {
	case hitrace.ChoreographerFrame, hitrace.DrawFrames, hitrace.CompositorCommit, hitrace.CompositorComposite:
		number := hitrace.ParseFrameNumber(e.Marker.Name)
		if number == 0 || r.limited() {
			return 0
		}
		r.entries++
		p.parts = append(p.parts, AndroidPart{PID: t.pid, Number: number, Draws: e.Word == hitrace.DrawFrames, TID: t.tid, Interval: analyzer.Interval{Start: e.Time}})
		return uint32(len(p.parts))
	case hitrace.Resynced: // the frame began so late that it has the number of a later vsync
		number, _ := hitrace.ParseResynced(e.Marker.Name)
		for i := len(t.slices) - 1; i >= 0 && number != 0; i-- {
			if part := t.slices[i].part; part != 0 {
				p.parts[part-1].Number = number
				break
			}
		}
	}
	return 0
}

func (p *Passages) endPart(part uint32, at trace.Time) {
	if part != 0 {
		p.parts[part-1].End = at
	}
}

func comparePart(a, b AndroidPart) int {
	return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.Number, b.Number))
}

// sortParts sorts the parts that have ended.
func (p *Passages) sortParts() {
	p.parts = slices.DeleteFunc(p.parts, func(part AndroidPart) bool { return !part.End.Known() })
	slices.SortStableFunc(p.parts, func(a, b AndroidPart) int { return cmp.Or(comparePart(a, b), cmp.Compare(a.Start, b.Start)) })
}

// Parts returns the parts of a frame of a process, in order of time, without those that do not
// overlap an interval: Android uses numbers again after a restart.
func (p *Passages) Parts(pid trace.PID, number int64, within analyzer.Interval) []AndroidPart {
	i, _ := slices.BinarySearchFunc(p.parts, AndroidPart{PID: pid, Number: number}, comparePart)
	var list []AndroidPart
	for ; i < len(p.parts) && p.parts[i].PID == pid && p.parts[i].Number == number; i++ {
		if part := p.parts[i]; part.Start < within.End && part.End > within.Start {
			list = append(list, part)
		}
	}
	return list
}
