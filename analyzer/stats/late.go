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

// Stutter counts the late frames by their overrun in their own refresh periods
// (docs/frames.md 9.4).
type Stutter struct {
	Slight  int `json:"slight" sum:"stutter_slight"`
	Medium  int `json:"medium" sum:"stutter_medium"`
	Severe  int `json:"severe" sum:"stutter_severe"`
	Unknown int `json:"unknown"`
}

func stutter(frames []*analyzer.Frame) (st Stutter) {
	for _, f := range frames {
		period := periodOf(f)
		switch j := f.Judgement(); {
		case j.Late != analyzer.Yes:
		case !j.OverrunKnown || period <= 0:
			st.Unknown++
		case j.Overrun < 2*period:
			st.Slight++
		case j.Overrun <= 6*period:
			st.Medium++
		default:
			st.Severe++
		}
	}
	return st
}

// Streak is a run of late frames on one thread (docs/frames.md 9.3). A frame that is on
// time ends it, even an empty one. A frame that is not judged neither ends nor extends
// it. If several are equally long, the first counts.
type Streak struct {
	Frames  int         `json:"frames" peak:"longest_streak"`
	TID     *trace.TID  `json:"tid"`      // the thread; nil, as all that follow, if no frame was late
	At      *trace.Time `json:"start_ns"` // start of the first
	VsyncID *int64      `json:"vsync_id"` // its vsync; 0 if unknown
	Until   *trace.Time `json:"end_ns"`   // end of the last
}

// longestStreak returns nil if no frame is judged. The frames are in order of start.
func longestStreak(frames []*analyzer.Frame) *Streak {
	var longest *Streak
	current := map[trace.TID]*Streak{}
	for _, f := range frames {
		j := f.Judgement()
		if !j.Judged() {
			continue
		}
		if longest == nil {
			longest = &Streak{}
		}
		if j.Late == analyzer.No {
			delete(current, f.TID)
			continue
		}
		streak := current[f.TID]
		if streak == nil {
			streak = &Streak{TID: clone(f.TID), At: clone(f.Actual.Start), VsyncID: clone(f.VsyncID)}
			current[f.TID] = streak
		}
		streak.Frames++
		streak.Until = clone(f.End())
		if streak.Frames > longest.Frames || streak.Frames == longest.Frames && *streak.At < *longest.At {
			longest = streak
		}
	}
	return longest
}

// ClassFrames counts the frames in a jank class of hwui. A frame may be in several.
type ClassFrames struct {
	Class  string `json:"class"`  // gfxinfo's name of the class
	Frames int    `json:"frames"` // frames in it
}

// classes returns the classes that any of the frames is in.
func classes(frames []*analyzer.Frame) []ClassFrames {
	list := []ClassFrames{}
	for class := analyzer.StatsJanky; class <= analyzer.StatsDavey; class <<= 1 {
		n := 0
		for _, f := range frames {
			if f.Android != nil && f.Android.Stats != nil && f.Android.Stats.Jank.Has(class) {
				n++
			}
		}
		if n > 0 {
			list = append(list, ClassFrames{class.String(), n})
		}
	}
	return list
}
