package stats

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

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
