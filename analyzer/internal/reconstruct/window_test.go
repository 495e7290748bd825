package reconstruct_test

import (
	"os"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// A window keeps the frames in it as they are in the whole trace: the
// clock, facts and links are those of the whole, frames at its edges truncated.
func TestWindow(t *testing.T) {
	read := func(w trace.Window) *analyzer.Timeline {
		f := must.Get(os.Open("../../../testdata/demo.ftrace"))(t)
		defer f.Close()
		timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), f, hitrace.Options{Window: w}, reconstruct.Options{}))(t)
		must.Do(t, timeline.Validate())
		return timeline
	}
	whole := read(trace.Window{})
	var w trace.Window
	w.From = must.Get(trace.ParseEdge("3700.160000"))(t)
	w.To = must.Get(trace.ParseEdge("3700.265000"))(t)
	from, to := w.Bounds(0)
	part := read(w)
	if part.Clock != whole.Clock {
		t.Errorf("clock is %+v, of the whole %+v", part.Clock, whole.Clock)
	}
	var inside, cut []*analyzer.Frame
	for f := range whole.Complete() {
		switch {
		case f.Actual.Start >= from && f.Actual.End < to:
			inside = append(inside, f)
		case f.Actual.End >= from && f.Actual.Start < to:
			cut = append(cut, f)
		}
	}
	if len(inside) < 15 || len(cut) == 0 {
		t.Fatalf("%d frames inside and %d cut: the window is badly chosen", len(inside), len(cut))
	}
	got := part.Counts()
	if got.Frames != len(inside) || got.Truncated != len(cut) {
		t.Errorf("%d frames and %d truncated, want %d and %d", got.Frames, got.Truncated, len(inside), len(cut))
	}
	i := 0
	for f := range part.Complete() {
		if want := inside[i]; f.VsyncID != want.VsyncID || f.Facts != want.Facts || f.Actual != want.Actual || f.Expected != want.Expected {
			t.Errorf("frame is %v, of the whole %v", f, want)
		}
		i++
	}
}
