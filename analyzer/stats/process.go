package stats

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Process has the measures of one process's frames. The frames of all UI threads are
// measured together, except that a streak is of one thread.
type Process struct {
	Kind Kind `json:"kind"`
	// PID is the process id, UnknownPID if the input does not have it.
	PID trace.PID `json:"pid"`
	// Name is the main thread's name, in text traces at most 15 bytes; empty if unknown.
	Name string `json:"name"`
	// Observed is from the start of the first complete frame to the end of the last, without
	// the time between traces; nil without complete frames.
	Observed *Span  `json:"observed"`
	Frames   Counts `json:"frames"`
	// JankRate is late frames / judged frames, 0 to 1; nil if no frame is judged, or if too
	// many are not.
	JankRate *float64 `json:"jank_rate"`
	// JankRateLater is JankRate of all but first draws; nil if no frame is one, or if JankRate is.
	JankRateLater *float64 `json:"jank_rate_later_draws"`
	// Lost is the sum of the overruns of late frames. It is nil if no frame is judged, or if
	// the overruns of all late frames are unknown.
	Lost *trace.Duration `json:"lost_ns"`
	// EmptyRate is empty frames / frames that are known to be empty or not, 0 to 1; nil without
	// complete frames, or if Frames.Empty is.
	EmptyRate *float64 `json:"empty_rate"`
	// EmptyFrames says why an application's frames are empty; nil if none is, or if
	// Frames.Empty is.
	EmptyFrames *EmptyFrames `json:"empty_frames"`
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
	// HWUI counts the frames in each jank class of hwui that occurs, in the order of
	// gfxinfo. Only frames of `dumpsys gfxinfo framestats` are in any.
	HWUI []ClassFrames `json:"hwui"`
	// LongestStreak is the longest run of late frames; nil if no frame is judged.
	LongestStreak *Streak `json:"longest_streak"`
	Stutter       Stutter `json:"stutter"`
	// Durations is nil without frames.
	Durations *Durations `json:"durations"`
	// DurationsInPeriods are the durations of the frames with a known refresh period,
	// each in its own periods; nil without such frames.
	DurationsInPeriods *DurationsInPeriods `json:"durations_in_periods"`
	// Overruns is nil if no frame has a known deadline and end.
	Overruns  *Overruns `json:"overruns"`
	Latencies Latencies `json:"latencies"`
	// Screens are those that a render service committed frames to, by id, if it has several.
	Screens []ScreenFrames `json:"screens"`
	// Nodes is nil if no frame has any.
	Nodes *Nodes `json:"nodes"`
	// Stages are the stages of the process's frames, in order; none for a dump, which has
	// only the times at which frames were done and shown.
	Stages []StageTimes `json:"stages"`
	// Worst are the late frames with the largest overruns, the largest first; at most
	// ten.
	Worst []WorstFrame `json:"worst"`

	// Source is the process; nil of a process of several traces.
	Source *analyzer.Process `json:"-"`

	records records
	sample  *sample // nil unless Options.Compare is set
}

// measure computes all measures from the records.
func (p *Process) measure() {
	p.records.normalize()
	r := &p.records
	p.Observed = observed(r)
	p.Frames = CountFrames(r.frames)
	p.Frames.Truncated = r.truncated
	p.Lost = lostTime(r.frames)
	if p.Frames.JankKnown() {
		p.JankRate = ratio(p.Frames.Late, p.Frames.Judged)
	}
	if n := p.Frames.FirstDraw; n > 0 && p.JankRate != nil {
		p.JankRateLater = ratio(p.Frames.Late-p.Frames.LateFirstDraw, p.Frames.Judged-judgedFirstDraws(r.frames))
	}
	if p.Frames.Empty != nil {
		p.EmptyRate = ratio(*p.Frames.Empty, p.Frames.EmptyKnown)
	}
	p.EmptyFrames = emptyFrames(r)
	p.Refresh = refreshRates(r.frames)
	p.FPS = fps(r)
	p.Hitches = hitches(r)
	p.WholeFrames = r.whole
	p.WholeFrames.LateRate = ratio(r.whole.Late, r.whole.Judged)
	p.SurfaceFlinger = verdicts(r.frames)
	p.HWUI = classes(r.frames)
	p.LongestStreak = longestStreak(r.frames)
	p.Stutter = stutter(r.frames)
	p.Durations = durations(r.frames)
	p.DurationsInPeriods = durationsInPeriods(r.frames)
	p.Nodes = nodes(r.frames)
	p.Overruns = overruns(r.frames)
	p.Latencies = latencies(r.frames, r.responses)
	p.Screens = screens(r.frames)
	p.Stages = []StageTimes{}
	if !r.dump {
		p.Stages = stageTimes(p.Kind, r.frames)
	} else if p.Kind == RenderService {
		p.Durations, p.DurationsInPeriods = nil, nil
	}
	p.Worst = worst(r.frames)
}

// ScreenFrames counts the render frames of one of several screens.
type ScreenFrames struct {
	ID int64 `json:"id"`
	// Committed counts the frames that were committed to the screen, Presented those of them with
	// a known present time there. Main counts the frames whose commit and present are those of this
	// screen.
	Committed int `json:"committed"`
	Presented int `json:"presented"`
	Main      int `json:"main"`
}

func screens(frames []*analyzer.Frame) []ScreenFrames {
	list := []ScreenFrames{}
	for _, f := range frames {
		for _, s := range f.Screens {
			i, ok := slices.BinarySearchFunc(list, s.ID, func(x ScreenFrames, id int64) int { return cmp.Compare(x.ID, id) })
			if !ok {
				list = slices.Insert(list, i, ScreenFrames{ID: s.ID})
			}
			x := &list[i]
			x.Committed++
			if s.Present.Known() {
				x.Presented++
			}
			if s.Commit == f.Commit {
				x.Main++
			}
		}
	}
	return list
}

// lostTime returns Process.Lost.
func lostTime(frames []*analyzer.Frame) *trace.Duration {
	var lost trace.Duration
	judged, late, measured := 0, 0, 0
	for _, f := range frames {
		j := f.Judgement()
		if j.Judged() {
			judged++
		}
		if j.Late == analyzer.Yes {
			late++
			if j.OverrunKnown {
				measured++
			}
		}
		lost = add(lost, j.Lost())
	}
	if judged == 0 || late > 0 && measured == 0 {
		return nil
	}
	return &lost
}

// ratio returns nil if the whole is zero.
func ratio(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return number(float64(part) / float64(whole))
}

// observed returns the time from the first frame's start to the last one's end. Without
// complete frames it returns nil.
func observed(r *records) *Span {
	var from, to trace.Time
	for i, f := range r.frames {
		if i == 0 {
			from, to = f.Actual.Start, f.End()
		}
		from, to = min(from, f.Actual.Start), max(to, f.End())
	}
	return newSpan(from, to, r.parts)
}
