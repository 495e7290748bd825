package why

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Piece is a stretch of time in which the thread of a late frame did one thing.
type Piece struct {
	Start, End trace.Time
	Stage      Stage
	Wait       Wait
	// Slice is the innermost slice; empty outside of all slices, and if Several is set.
	Slice string
	// Several is set if the thread ran in several slices, each for a short time: a frame
	// with too many pieces has them in one.
	Several bool
	// Earlier is the frame that the thread was busy with, for EarlierFrame.
	Earlier *analyzer.Frame
	// Others are what the threads did that this one waited for, in order of time.
	// For waits for a processor, the order and the times are not those of the trace.
	Others []Activity
}

// Longest returns what was waited for the longest, nil if nothing is known.
func (p *Piece) Longest() *Activity {
	var best *Activity
	for i := range p.Others {
		if o := &p.Others[i]; best == nil || o.Time > best.Time {
			best = o
		}
	}
	return best
}

// Activity is what another thread did while a frame's thread waited for it. Culprit.Time
// is the time from Start to End.
type Activity struct {
	Start, End trace.Time
	Culprit
}

// SliceTime is the time that the thread of a frame spent in slices of one name, without the
// slices inside of them.
type SliceTime struct {
	Slice   string         `json:"slice"`
	Running trace.Duration `json:"running_ns"`
	Waiting trace.Duration `json:"waiting_ns"`
	Unknown trace.Duration `json:"unknown_ns"`
}

// Self returns the sum.
func (s *SliceTime) Self() trace.Duration { return s.Running + s.Waiting + s.Unknown }
