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
	Kind          Kind            `json:"kind"`     // "app" or "render"
	PID           trace.PID       `json:"pid"`      // process id; nil for a dump
	Name          string          `json:"name"`     // name of the main thread, or the full name if it is known; empty if unknown
	Observed      *Span           `json:"observed"` // from the start of the first complete frame to the end of the last
	Frames        Counts          `json:"frames"`   // counts of frames, by fact
	JankRate      *float64        `json:"jank_rate"`
	JankRateLater *float64        `json:"jank_rate_later_draws"`
	Lost          *trace.Duration `json:"lost_ns" sum:"lost_ns"`
	EmptyRate     *float64        `json:"empty_rate"`
	// why an application's frames are empty; nil if none is, or if "empty" is nil
	EmptyFrames *EmptyFrames `json:"empty_frames"`
	Refresh     []Refresh    `json:"refresh"` // refresh rates of the frames, lowest first
	// the refresh rate of a render service's display over time; nil of others, and if it is unknown
	Display *Display `json:"display"`
	FPS     *FPS     `json:"fps"`     // frames shown per second; nil if fewer than two are known
	Hitches *Hitches `json:"hitches"` // frames that were shown late; nil if it is unknown
	Hangs   *Hangs   `json:"hangs"`   // hangs of an application; nil of others and if the input does not show them
	// what became of the vsyncs that the process received; nil if that is unknown of all
	Vsyncs *VsyncUse `json:"vsyncs"`
	// frames of an application that never began; nil of others, and if the input cannot show them
	NotBegun *NotBegun `json:"not_begun"`
	// frames from the application's vsync to the end of rendering
	WholeFrames WholeFrames `json:"whole_frames"`
	// SurfaceFlinger's verdicts; nil if the trace has none
	SurfaceFlinger *Verdicts     `json:"surfaceflinger"`
	HWUI           []ClassFrames `json:"hwui"` // the jank classes of hwui, from framestats
	// the most late frames in a row on one thread; nil if no frame is judged
	LongestStreak      *Streak             `json:"longest_streak"`
	Stutter            Stutter             `json:"stutter"`              // late frames by overrun
	Durations          *Durations          `json:"durations"`            // durations of frames; nil without frames
	DurationsInPeriods *DurationsInPeriods `json:"durations_in_periods"` // the same in refresh periods
	// times from deadlines to ends; nil if no frame has a known deadline and end
	Overruns  *Overruns `json:"overruns"`
	Latencies Latencies `json:"latencies"` // times from a vsync or an input to what came of it
	// the screens that render frames were committed to, if there are several (docs/frames.md 6.10)
	Screens []ScreenFrames `json:"screens"`
	// nodes of ArkUI that frames measured and laid out; nil if no frame has any, as without ArkUI's debug parameters
	Nodes  *Nodes       `json:"nodes"`
	Stages []StageTimes `json:"stages"` // the stages of its frames, in order
	Worst  []WorstFrame `json:"worst"`  // the ten late frames with the greatest overrun, worst first

	// Built and Reused are the items of the components of an application.
	Built  int `json:"-" sum:"built_items"`
	Reused int `json:"-" sum:"reused_items"`

	// Android: it recorded the frames, whose ends and lateness follow its rules.
	Android bool `json:"-"`

	// Source is the process; nil of a process of several traces.
	Source *analyzer.Process `json:"-"`
	// Pool says what a process of several traces is made of; nil for one of a trace.
	Pool *Pool `json:"-"`

	records  records
	compared *compared // nil unless Options.Compare is set
}

// measure computes all measures from the records.
func (p *Process) measure() {
	p.records.normalize()
	r := &p.records
	p.Observed = observed(r)
	p.Frames = CountFrames(r.frames)
	p.Frames.Truncated = r.truncated
	p.Lost = lostTime(r.frames, &p.Frames)
	if p.Frames.JankKnown() {
		p.Frames.Rated, p.Frames.RatedLate = p.Frames.Judged, p.Frames.Late
	}
	p.EmptyFrames = emptyFrames(r)
	p.NotBegun = notBegun(p.Kind, r.frames)
	p.Refresh = refreshRates(r.frames)
	p.FPS = fps(r)
	p.Hitches = hitches(r)
	p.WholeFrames = r.whole
	p.SurfaceFlinger = verdicts(r.frames)
	p.Android = slices.ContainsFunc(r.frames, func(f *analyzer.Frame) bool { return f.Android != nil })
	if p.Android {
		p.Hangs = nil
	}
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
	setRatios(p, Measures, ProcessSums)
	if later := p.Frames.Judged - judgedFirstDraws(r.frames); p.Frames.FirstDraw > 0 && p.JankRate != nil && later > 0 {
		p.JankRateLater = number(float64(p.Frames.Late-p.Frames.LateFirstDraw) / float64(later))
	}
}

// ScreenFrames counts the render frames of one of several screens.
type ScreenFrames struct {
	ID int64 `json:"id"` // number of the screen, from 0
	// frames that were committed to the screen, and those of them with a known present time there
	Committed int `json:"committed"`
	Presented int `json:"presented"`
	Main      int `json:"main"` // frames whose commit and present are those of this screen
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
func lostTime(frames []*analyzer.Frame, c *Counts) *trace.Duration {
	var lost trace.Duration
	measured := false
	for _, f := range frames {
		j := f.Judgement()
		measured = measured || j.Late == analyzer.Yes && j.OverrunKnown
		lost = add(add(lost, j.Lost()), f.HeldOver())
	}
	if c.Judged == 0 || c.Late > 0 && !measured {
		return nil
	}
	return &lost
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

// Kind is which kind of frames a process makes: the name of its frames' analyzer.Kind.
type Kind string

const (
	// Application is a process that makes application frames.
	Application Kind = "app"
	// RenderService is a process that makes render frames.
	RenderService Kind = "render"
)

func kindOf(f *analyzer.Frame) Kind { return Kind(f.Kind.String()) }

// Frames has the complete frames of a timeline, by the processes of its report.
type Frames map[processKey][]*analyzer.Frame

// NewFrames groups the complete frames of a timeline by process. A nil timeline has no
// frames.
func NewFrames(t *analyzer.Timeline) Frames {
	frames := Frames{}
	if t == nil {
		return frames
	}
	for f := range t.Complete() {
		key := keyOf(kindOf(f), f.Process)
		frames[key] = append(frames[key], f)
	}
	return frames
}

// Of returns the frames of a process, in the order of the timeline.
func (f Frames) Of(p *Process) []*analyzer.Frame { return f[keyOf(p.Kind, p.Source)] }
