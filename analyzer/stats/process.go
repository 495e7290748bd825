package stats

import "ohframe/analyzer/trace"

// Process is the measures of one process's frames. An application that has more
// than one UI thread is measured as one; only streaks are of a single thread.
type Process struct {
	Kind Kind      `json:"kind"`
	PID  trace.PID `json:"pid"`
	// Name is the main thread's, at most 15 bytes; empty if not known.
	Name string `json:"name"`
	// Observed is from the start of the first complete frame to the end of the
	// last; nil if there are none.
	Observed *Span  `json:"observed"`
	Frames   Counts `json:"frames"`
	// JankRate is late frames / frames with a deadline, 0 to 1; nil if no frame
	// has a deadline.
	JankRate *float64 `json:"jank_rate"`
	// EmptyRate is empty frames / frames, 0 to 1: for an application, work
	// without a picture. Nil if there are no frames.
	EmptyRate *float64 `json:"empty_rate"`
	// Refresh are the refresh rates at which frames were made, the lowest first.
	Refresh []Refresh `json:"refresh"`
	// FPS is nil if fewer than two frames are known to have been shown.
	FPS *FPS `json:"fps"`
	// Hitches is nil if there are no two presents between which to look for them,
	// or if it is not known of a gap between two whether it is a hitch.
	Hitches *Hitches `json:"hitches"`
	// WholeFrames are the frames from the application to the end of rendering
	// that the process had a part in.
	WholeFrames WholeFrames `json:"whole_frames"`
	// SurfaceFlinger is its verdicts on the frames; nil if the trace has none.
	SurfaceFlinger *Verdicts `json:"surfaceflinger"`
	// LongestStreak is the most late frames in a row; nil if no frame was late.
	LongestStreak *Streak `json:"longest_streak"`
	Stutter       Stutter `json:"stutter"`
	// Durations is nil if there are no frames.
	Durations *Durations `json:"durations"`
	// DurationsInPeriods are the same of the frames whose refresh period is
	// known, each in periods of its own; nil if there are none.
	DurationsInPeriods *DurationsInPeriods `json:"durations_in_periods"`
	// Stages are those that the process's frames go through, in that order.
	Stages []StageTimes `json:"stages"`
	// Worst are the late frames that overran a known deadline the most, the worst
	// first; at most ten.
	Worst []WorstFrame `json:"worst"`

	records records
}

// measure computes all measures from the records.
func (p *Process) measure() {
	p.records.normalize()
	r := &p.records
	p.Observed = observed(r.samples)
	p.Frames = count(r)
	p.JankRate = ratio(p.Frames.Late, p.Frames.WithDeadline)
	p.EmptyRate = ratio(p.Frames.Empty, p.Frames.Complete)
	p.Refresh = refreshRates(r.samples)
	p.FPS = fps(r)
	p.Hitches = hitches(r)
	p.WholeFrames = r.whole
	p.WholeFrames.LateRate = ratio(r.whole.Late, r.whole.Judged)
	p.SurfaceFlinger = verdicts(r.samples)
	p.LongestStreak = longestStreak(r.samples)
	p.Stutter = stutter(r.samples)
	p.Durations = durations(r.samples)
	p.DurationsInPeriods = durationsInPeriods(r.samples)
	p.Stages = stageTimes(p.Kind, r.samples)
	p.Worst = worst(r.samples)
}

// ratio returns nil if the whole is zero.
func ratio(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := float64(part) / float64(whole)
	return &r
}

// observed returns from when to when the frames last.
func observed(samples []sample) *Span {
	var from, to trace.Time
	for i := range samples {
		if i == 0 || samples[i].start < from {
			from = samples[i].start
		}
		if i == 0 || samples[i].end > to {
			to = samples[i].end
		}
	}
	return newSpan(from, to)
}
