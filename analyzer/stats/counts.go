package stats

import "ohframe/analyzer"

// Counts counts a process's frames, and the frames to which each fact applies.
type Counts struct {
	Complete int `json:"complete" sum:"frames"`
	Judged   int `json:"judged" sum:"judged"`
	// Rated and RatedLate are Judged and Late, zero if the share of late frames is unknown.
	Rated     int `json:"-" sum:"rated"`
	RatedLate int `json:"-" sum:"rated_late"`
	// Framework counts the frames that the platform does not draw itself.
	Framework int `json:"-" sum:"framework"`
	// Unjudged counts the frames of other frameworks that drew and are not known to be late
	// or on time, although late ones would be known.
	Unjudged  int  `json:"-" sum:"unjudged"`
	Late      int  `json:"late" sum:"late"`
	LateEmpty int  `json:"late_empty" sum:"late_empty"`
	LateMain  int  `json:"late_main" sum:"late_main"`
	LateGPU   int  `json:"late_gpu" sum:"late_gpu"`
	Empty     *int `json:"empty" sum:"empty"`
	// EmptyKnown counts the frames that are known to be empty or not.
	EmptyKnown        int `json:"-" sum:"empty_known"`
	FirstDraw         int `json:"first_draw"`
	LateFirstDraw     int `json:"late_first_draw"`
	Misaligned        int `json:"misaligned" sum:"misaligned"`
	Linked            int `json:"linked" sum:"linked"`
	Presented         int `json:"presented" sum:"presented"`
	PresentsEstimated int `json:"presents_estimated"`
	CommitsEstimated  int `json:"commits_estimated"`
	DeadlinesInferred int `json:"deadlines_inferred"`
	Dropped           int `json:"dropped" sum:"dropped"`
	Truncated         int `json:"truncated" sum:"truncated"`
}

// mostUnjudged is the share of unjudged frames up to which the others stand for them. A few are
// unjudged in every trace: the first buffer of a layer has no interval before it.
const mostUnjudged = 0.1

// JankKnown reports whether late frames are a share of the judged ones. It is not if on-time
// frames of a framework cannot be known.
func (c *Counts) JankKnown() bool {
	return float64(c.Unjudged) <= mostUnjudged*float64(c.Judged+c.Unjudged)
}

// NeverJudged reports whether a framework made all frames, and none of them can be late or on
// time: those of Android's SurfaceFlinger, and those that drew nothing.
func (c *Counts) NeverJudged() bool {
	return c.Complete > 0 && c.Framework == c.Complete && c.Judged+c.Unjudged == 0
}

// NotJudged says that no frame is judged, and why; empty if one is. A complete frame of the platform that was not dropped
// lacks a deadline; so does one of a framework that drew.
func (c *Counts) NotJudged() string {
	switch {
	case c.Judged > 0:
		return ""
	case c.Complete == 0:
		return "no complete frame"
	case c.Dropped == c.Complete:
		return "no frame is judged: all were dropped"
	case c.NeverJudged():
		return "no frame is judged"
	}
	return "no frame is judged: deadlines are unknown"
}

// CountFrames counts complete frames of a process.
func CountFrames(frames []*analyzer.Frame) Counts {
	c := Counts{Complete: len(frames)}
	empty := 0
	for _, f := range frames {
		j := f.Judgement()
		for _, n := range []struct {
			count   *int
			applies bool
		}{
			{&c.Judged, j.Judged()},
			{&c.Framework, f.Framework != analyzer.Platform},
			{&c.Unjudged, f.Unjudged()},
			{&c.Late, j.Late == analyzer.Yes},
			{&c.LateEmpty, j.Late == analyzer.Yes && j.Empty == analyzer.Yes},
			{&c.LateMain, f.Facts.Has(analyzer.MainLate)},
			{&c.LateGPU, f.Facts.Has(analyzer.GPULate)},
			{&empty, j.Empty == analyzer.Yes},
			{&c.EmptyKnown, j.Empty != analyzer.NotSaid},
			{&c.FirstDraw, f.Facts.Has(analyzer.FirstDraw)},
			{&c.LateFirstDraw, j.Late == analyzer.Yes && f.Facts.Has(analyzer.FirstDraw)},
			{&c.Misaligned, f.Facts.Has(analyzer.Misaligned)},
			{&c.DeadlinesInferred, j.Judged() && f.Facts.Has(analyzer.DeadlineInferred)},
			{&c.Dropped, f.Facts.Has(analyzer.Dropped)},
			{&c.Linked, f.Render != nil || len(f.Applications) > 0},
			{&c.Presented, f.Present.Known()},
			{&c.PresentsEstimated, f.Present.Known() && f.PresentEstimated},
			{&c.CommitsEstimated, f.Commit.Known() && f.CommitEstimated},
		} {
			if n.applies {
				*n.count++
			}
		}
	}
	if c.EmptyKnown > 0 || c.Complete == 0 {
		c.Empty = &empty
	}
	return c
}

// judgedFirstDraws returns the number of first draws that are known to be late or on time.
func judgedFirstDraws(frames []*analyzer.Frame) (n int) {
	for _, f := range frames {
		if f.Facts.Has(analyzer.FirstDraw) && f.Judged() {
			n++
		}
	}
	return n
}
