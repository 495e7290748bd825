package stats

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// maxWorst is the length of the list of worst frames.
const maxWorst = 10

// WorstFrame is a late frame and where to find it in the trace.
type WorstFrame struct {
	At       trace.Time     `json:"start_ns"`    // start of the frame
	Duration trace.Duration `json:"duration_ns"` // length of its actual interval
	// time by which its work, GPU work included, missed the deadline
	Overrun trace.Duration `json:"overrun_ns"`
	// the trace ends within the frame: both are the least that they can be
	Unfinished bool `json:"unfinished"`
	// the same in refresh periods; nil if the period is unknown
	OverrunPeriods *float64  `json:"overrun_periods"`
	Stage          *Stage    `json:"stage"` // its longest stage that ends by the deadline
	TID            trace.TID `json:"tid"`   // its thread, its vsync, and that of its render frame; 0 if unknown
	VsyncID        int64     `json:"vsync_id"`
	RenderVsyncID  int64     `json:"render_vsync_id"`
}

// worst returns the late frames with the largest overruns, the earlier first of equal
// ones. The frames are in order of start.
func worst(frames []*analyzer.Frame) []WorstFrame {
	list := []WorstFrame{}
	for _, f := range frames {
		j := f.Judgement()
		if j.Late != analyzer.Yes || !j.OverrunKnown {
			continue
		}
		w := WorstFrame{
			At: f.Actual.Start, Duration: f.Actual.Duration(), Overrun: j.Overrun, Unfinished: j.AtLeast,
			Stage: longestStage(f.Kind, stagesOf(f)), TID: f.TID, VsyncID: f.VsyncID,
		}
		if f.Render != nil {
			w.RenderVsyncID = f.Render.VsyncID
		}
		if period := periodOf(f); period > 0 {
			w.OverrunPeriods = number(float64(j.Overrun) / float64(period))
		}
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(a, b WorstFrame) int { return cmp.Compare(b.Overrun, a.Overrun) })
	return slices.Clip(list[:min(len(list), maxWorst)])
}
