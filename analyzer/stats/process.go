package stats

import "ohframe/analyzer/trace"

// Process has the measures of one process's frames. The frames of all UI threads are
// measured together, except that a streak is of one thread.
type Process struct {
	Kind Kind      `json:"kind"`
	PID  trace.PID `json:"pid"`
	// Name is the main thread's name, in text traces at most 15 bytes; empty if unknown.
	Name string `json:"name"`
	// Observed is from the start of the first complete frame to the end of the last;
	// nil without complete frames.
	Observed *Span  `json:"observed"`
	Frames   Counts `json:"frames"`
	// JankRate is late frames / frames with a deadline, 0 to 1; nil if no frame
	// has a deadline.
	JankRate *float64 `json:"jank_rate"`
	// EmptyRate is empty frames / complete frames, 0 to 1; nil without complete frames.
	EmptyRate *float64 `json:"empty_rate"`
	// Refresh are the refresh rates at which frames were made, the lowest first.
	Refresh []Refresh `json:"refresh"`
	// FPS is nil if fewer than two frames have a known time of being shown.
	FPS *FPS `json:"fps"`
	// Hitches is nil without two consecutive presents, or if it is unknown whether a
	// gap between two is a hitch.
	Hitches *Hitches `json:"hitches"`
	// WholeFrames are those in which the process made the application frame or the
	// render frame.
	WholeFrames WholeFrames `json:"whole_frames"`
	// SurfaceFlinger counts its verdicts on the frames; nil if the trace has none.
	SurfaceFlinger *Verdicts `json:"surfaceflinger"`
	// LongestStreak is the longest run of late frames; nil if no frame was late.
	LongestStreak *Streak `json:"longest_streak"`
	Stutter       Stutter `json:"stutter"`
	// Durations is nil without frames.
	Durations *Durations `json:"durations"`
	// DurationsInPeriods are the durations of the frames with a known refresh period,
	// each in its own periods; nil without such frames.
	DurationsInPeriods *DurationsInPeriods `json:"durations_in_periods"`
	// Stages are the stages of the process's frames, in order.
	Stages []StageTimes `json:"stages"`
	// Worst are the late frames with the largest overruns, the largest first; at most
	// ten.
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

// observed returns the time from the first frame's start to the last one's end.
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
