package stats

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// maxWorst is the length of the list of worst frames.
const maxWorst = 10

// WorstFrame is a late frame and where to find it in the trace.
type WorstFrame struct {
	// At is the start of the frame's actual interval.
	At       trace.Time     `json:"at_ns"`
	Duration trace.Duration `json:"duration_ns"`
	// Overrun is the time by which the frame's work, GPU work included, missed the
	// deadline.
	Overrun trace.Duration `json:"overrun_ns"`
	// OverrunPeriods is Overrun in refresh periods; nil if the period is unknown.
	OverrunPeriods *float64 `json:"overrun_periods"`
	// Stage is the longest stage; nil if all are unknown.
	Stage *Stage    `json:"stage"`
	TID   trace.TID `json:"tid"`
	// VsyncID is the frame's vsync id, RenderVsyncID that of the render frame that took
	// an application frame; zero if unknown, or if no render frame took it.
	VsyncID       int64 `json:"vsync_id"`
	RenderVsyncID int64 `json:"render_vsync_id"`
}

// worst returns the late frames with the largest overruns, the earlier first of equal
// ones. The samples are in order of start.
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
