package report

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// androidTimeline has three frames of an application: one of two layers that was shown
// late for two reasons, one on time, which has no deadline, and one dropped.
func androidTimeline() *analyzer.Timeline {
	p, sf := &analyzer.Process{PID: 7, Name: "app"}, &analyzer.Process{PID: 5, Name: "surfaceflinger"}
	ms := func(n int64) trace.Time { return trace.Time(n) * trace.Time(ms1) }
	at := func(start, end int64) analyzer.Interval { return analyzer.Interval{Start: ms(start), End: ms(end)} }
	render := &analyzer.Frame{
		Kind: analyzer.RenderFrame, Process: sf, TID: 5, VsyncID: 20, Actual: at(1050, 1060), Expected: at(1050, 1055), Deadline: ms(1055), Present: ms(1060),
		Android: &analyzer.Android{Timeline: &analyzer.FrameTimeline{Verdict: analyzer.Verdict{OnTimeFinish: analyzer.Yes}}},
	}
	late := analyzer.Verdict{
		Jank: analyzer.JankAppDeadlineMissed | analyzer.JankPredictionError, Present: analyzer.PresentLate, OnTimeFinish: analyzer.No,
	}
	frame := func(id, start, end int64, facts analyzer.Facts, v analyzer.Verdict, layers ...string) *analyzer.Frame {
		f := &analyzer.Frame{
			Process: p, TID: 7, VsyncID: id, Actual: at(start, end), Facts: facts, Transactions: []analyzer.Sent{{Index: id}},
			Android: &analyzer.Android{Timeline: &analyzer.FrameTimeline{Token: id, Verdict: v}},
		}
		for _, name := range layers {
			f.Android.Timeline.Surfaces = append(f.Android.Timeline.Surfaces, analyzer.SurfaceFrame{Name: name, Verdict: v})
		}
		return f
	}
	shown := frame(10, 1000, 1048, analyzer.MainLate, late, "main#1", "popup#2")
	shown.Expected, shown.Deadline = at(1000, 1020), ms(1020)
	shown.Transactions[0].AppliedBy, shown.Render = render, render
	render.Applications = []*analyzer.Frame{shown}
	return &analyzer.Timeline{Span: at(1000, 1200), Processes: []*analyzer.Process{sf, p}, Frames: []*analyzer.Frame{
		shown, render,
		frame(30, 1100, 1110, 0, analyzer.Verdict{Jank: analyzer.JankNone, Present: analyzer.PresentOnTime, OnTimeFinish: analyzer.Yes}, "main#1"),
		frame(40, 1120, 1130, analyzer.Dropped, analyzer.Verdict{Jank: analyzer.JankDropped, Present: analyzer.PresentDropped}, "main#1"),
	}}
}

// The compositor has its own name on each system.
func TestLatencyOfCompositor(t *testing.T) {
	for android, want := range map[bool]string{true: "50.0 ms to SurfaceFlinger's vsync", false: "50.0 ms to render_service's vsync"} {
		p := &stats.Process{Android: android, Latencies: stats.Latencies{VsyncToPresent: &stats.Latency{}, VsyncToRenderVsync: &stats.Latency{P50: 50 * ms1}}}
		must.Equal(t, latencyParts(p), want)
	}
}

func TestAndroidTable(t *testing.T) {
	timeline := androidTimeline()
	got := write(t, []Input{{Name: "a", Stats: stats.Compute(timeline, stats.Options{}), Timeline: timeline}}, "table", Options{Verbose: true})
	got = strings.Join(strings.Fields(got), " ") // long lines are wrapped
	for _, want := range []string{
		"Frames 3 1 dropped",
		"Picked up by a render frame 1 of 3 Picked up on another vsync 0",
		"Jank 50.0 % 1 late of 2 judged",
		// The dropped frame is one of the two whole frames; the one on time was not taken.
		"Late whole frames 2 of 2, 100 %",
		"application 1 · prediction error 1 · dropped 1",
		"SurfaceFlinger 2 frames missed: 1 by the application, 1 by SurfaceFlinger, 1 dropped",
		"None 1 Prediction Error 1 App Deadline Missed 1 Dropped Frame 1",
	} {
		must.Contain(t, got, want)
	}
}
