package why_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/analyzer/why/place"
)

// The unknown part of the lost time is that of all late frames whose states are known
// otherwise: 2 ms of the first, and the 3 ms that it cost the second. Of the third only
// the slices are known.
func TestRankUnknown(t *testing.T) {
	const ms = trace.Millisecond
	frames := []*analyzer.Frame{{VsyncID: 1}, {VsyncID: 2}, {VsyncID: 3}}
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{
		frames[0]: {
			Frame: frames[0], End: trace.Time(20 * ms), Overrun: 3 * ms, Unknown: 8 * ms, Outcome: why.Mixed,
			Shares: []why.Share{{Wait: place.WaitUnknown, Share: 2 * ms}, {Wait: place.Run, Share: ms}},
		},
		frames[1]: {
			Frame: frames[1], End: trace.Time(20 * ms), Overrun: 3 * ms, Outcome: why.KnockOn,
			Shares: []why.Share{{Wait: place.EarlierFrame, Share: 3 * ms, Earlier: frames[0]}},
		},
		frames[2]: {
			Frame: frames[2], End: trace.Time(20 * ms), Overrun: 4 * ms, Unknown: 20 * ms, Outcome: why.PlaceOnly,
			Shares: []why.Share{{Wait: place.WaitUnknown, Slice: "FlushLayoutTask", Share: 4 * ms}},
		},
	}}
	r := c.Rank(frames)
	if r.Unknown != 5*ms || r.Lost != 10*ms || r.Late != 3 {
		t.Errorf("unknown %v of %v in %d frames, want 5ms of 10ms in 3", r.Unknown, r.Lost, r.Late)
	}
}
