package stats

import (
	"math"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// The time between traces that follow one another is nobody's: of a trace that is
// there twice, an hour apart, rates are those of the trace alone.
func TestComputeJoined(t *testing.T) {
	const ms = trace.Millisecond
	service := &analyzer.Process{PID: 1}
	part := func(start trace.Time) (frames []*analyzer.Frame, span analyzer.Interval) {
		at := start
		for i := range 20 {
			gap := 10 * ms
			if i == 7 {
				gap = 50 * ms // a hitch of four periods
			}
			at = at.Add(gap)
			frames = append(frames, &analyzer.Frame{
				Kind: analyzer.RenderFrame, Process: service, TID: 1, VsyncID: int64(i + 1), Period: 10 * ms, Vsync: trace.Time(int64(start) + int64(i+1)*int64(10*ms)),
				Actual: analyzer.Interval{Start: at, End: at.Add(ms)}, Commit: analyzer.Interval{Start: at.Add(2 * ms), End: at.Add(3 * ms)}, Present: at.Add(4 * ms),
			})
		}
		return frames, analyzer.Interval{Start: start, End: at.Add(5 * ms)}
	}
	first, span := part(1_000_000_000)
	second, later := part(3_601_000_000_000)
	alone := Compute(&analyzer.Timeline{Frames: first, Span: span, Processes: []*analyzer.Process{service}}, Options{})
	both := Compute(&analyzer.Timeline{
		Frames: append(first, second...), Processes: []*analyzer.Process{service}, Span: analyzer.Interval{Start: span.Start, End: later.End},
		Parts: []analyzer.Part{{Span: later}, {Span: span}},
	}, Options{})
	a, b := alone.Processes[0], both.Processes[0]
	if want := 19 / 0.230; math.Abs(a.FPS.All-want) > 1e-9 || math.Abs(b.FPS.All-want) > 1e-9 || b.FPS.Frames != 40 {
		t.Errorf("%g and %g FPS of %d frames, want %g", a.FPS.All, b.FPS.All, b.FPS.Frames, want)
	}
	if math.Abs(*a.Hitches.Ratio-*b.Hitches.Ratio) > 1e-9 || b.Hitches.Gaps != 2*a.Hitches.Gaps || b.Hitches.Hitch != 2*a.Hitches.Hitch || a.Hitches.Hitch == 0 {
		t.Errorf("hitches %+v and %+v", a.Hitches, b.Hitches)
	}
	// Each trace ends 4 ms after its last frame, and begins 10 ms before its first one.
	if want := 0.231; math.Abs(a.Observed.Seconds-want) > 1e-9 || math.Abs(b.Observed.Seconds-(2*want+0.004+0.010)) > 1e-9 || b.Observed.Length != 476*ms {
		t.Errorf("observed for %g and %g s", a.Observed.Seconds, b.Observed.Seconds)
	}
	if math.Abs(a.FPS.Seconds()-0.230) > 1e-9 || math.Abs(b.FPS.Seconds()-39/a.FPS.All) > 1e-9 {
		t.Errorf("frames shown in %g and %g s", a.FPS.Seconds(), b.FPS.Seconds())
	}
	if want := 0.245; math.Abs(alone.Span.Seconds-want) > 1e-9 || math.Abs(both.Span.Seconds-2*want) > 1e-9 {
		t.Errorf("%g and %g s", alone.Span.Seconds, both.Span.Seconds)
	}
}
