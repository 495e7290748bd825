package stats

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// maxWorst is how many of the worst frames are listed.
const maxWorst = 10

// WorstFrame is a late frame and where to find it.
type WorstFrame struct {
	// At is when the frame began: the time to go to in a timeline.
	At       trace.Time     `json:"at_ns"`
	Duration trace.Duration `json:"duration_ns"`
	// Overrun is by how much the frame's work, that on the GPU included, missed
	// the deadline.
	Overrun trace.Duration `json:"overrun_ns"`
	// OverrunPeriods is the same in refresh periods; nil if the period is not known.
	OverrunPeriods *float64 `json:"overrun_periods"`
	// Stage is the longest; nil if none is known.
	Stage *Stage    `json:"stage"`
	TID   trace.TID `json:"tid"`
	// VsyncID is the frame's vsync's, and RenderVsyncID that of the render frame
	// that took an application frame; zero if there is none or it is not known.
	VsyncID       int64 `json:"vsync_id"`
	RenderVsyncID int64 `json:"render_vsync_id"`
}

// worst returns the late frames that overran the most, of equals the earliest.
// The samples are in order of start.
func worst(samples []sample) []WorstFrame {
	list := []WorstFrame{}
	for i := range samples {
		s := &samples[i]
		overrun, known := s.overrun()
		if !known {
			continue
		}
		f := WorstFrame{
			At: s.start, Duration: s.duration, Overrun: overrun, Stage: s.longestStage(),
			TID: s.tid, VsyncID: s.vsyncID, RenderVsyncID: s.renderVsyncID,
		}
		if s.period > 0 {
			periods := float64(overrun) / float64(s.period)
			f.OverrunPeriods = &periods
		}
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b WorstFrame) int { return cmp.Compare(b.Overrun, a.Overrun) })
	return slices.Clip(list[:min(len(list), maxWorst)])
}
