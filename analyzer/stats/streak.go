package stats

import "ohframe/analyzer/trace"

// Streak is late frames in a row on one thread. A frame in time ends a streak,
// an empty one too; a frame without a deadline neither ends nor lengthens it.
// Of equally long streaks it is the first.
type Streak struct {
	Frames int       `json:"frames"`
	TID    trace.TID `json:"tid"`
	// At is when the first of the frames began, and VsyncID its vsync's; Until is
	// when the last ended.
	At      trace.Time `json:"at_ns"`
	VsyncID int64      `json:"vsync_id"`
	Until   trace.Time `json:"until_ns"`
}

// longestStreak returns nil if no frame is late. The samples are in order of start.
func longestStreak(samples []sample) *Streak {
	var longest *Streak
	current := map[trace.TID]*Streak{}
	for i := range samples {
		s := &samples[i]
		if !s.judged {
			continue
		}
		if !s.late() {
			delete(current, s.tid)
			continue
		}
		streak := current[s.tid]
		if streak == nil {
			streak = &Streak{TID: s.tid, At: s.start, VsyncID: s.vsyncID}
			current[s.tid] = streak
		}
		streak.Frames++
		streak.Until = s.end
		if longest == nil || streak.Frames > longest.Frames || streak.Frames == longest.Frames && streak.At < longest.At {
			longest = streak
		}
	}
	return longest
}
