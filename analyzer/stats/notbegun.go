package stats

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// NotBegun counts the frames of an application that never began, because its main thread was busy with
// something else on their vsyncs (docs/frames.md 3.12).
type NotBegun struct {
	Frames  int            `json:"frames" sum:"not_begun_frames"`
	Time    trace.Duration `json:"time_ns" sum:"not_begun_ns"`
	Longest trace.Duration `json:"longest_ns" peak:"longest_not_begun_ns"`
	Rate    *float64       `json:"rate"`
	// Wanted are they and the frames that began.
	Wanted int `json:"-" sum:"wanted_frames"`
}

// notBegun returns nil without frames of ArkUI with a known refresh period.
func notBegun(kind Kind, frames []*analyzer.Frame) *NotBegun {
	n := &NotBegun{}
	for _, f := range frames {
		if kind != Application || f.Framework != analyzer.Platform || f.Android != nil || f.Period <= 0 {
			continue
		}
		missed := f.Missed()
		n.Frames, n.Time, n.Longest = n.Frames+f.NotBegun, add(n.Time, missed), max(n.Longest, missed)
		n.Wanted += 1 + f.NotBegun
	}
	if n.Wanted == 0 {
		return nil
	}
	return n
}
