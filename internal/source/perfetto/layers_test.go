package perfetto_test

import (
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
)

// sentOf returns a frame's transactions: number, time, and the render frame that took
// each, or zero.
func sentOf(f *analyzer.Frame) (list [][3]int64) {
	for _, s := range f.Transactions {
		var taken int64
		if s.AppliedBy != nil {
			taken = s.AppliedBy.VsyncID
		}
		list = append(list, [3]int64{s.Index, int64(s.At), taken})
	}
	return list
}

// The layers of one token are one frame. It has the worst verdict of any of them.
func TestLayers(t *testing.T) {
	gpu := fine
	gpu.gpu = true
	scheduling := verdict{jank: analyzer.JankSFScheduling, present: early, prediction: expired, onTime: true, severe: pb.FrameTimelineEvent_SEVERITY_PARTIAL.Enum()}
	m := &made{}
	m.expectSurface(14, 15, 150, 170)
	m.actualSurface(14, 15, "Layer1", 150, 167, gpu)
	m.expectSurface(14, 15, 150, 170) // each layer repeats it
	m.actualSurface(14, 15, "Layer2", 155, 180, appLate)
	m.actualSurface(14, 15, "Layer3", 156, 160, scheduling)
	m.expectDisplay(15, 190, 196)
	m.actualDisplay(15, 190, 197, fine)
	timeline, counts := read(t, m.bytes)
	if len(timeline.Frames) != 2 {
		t.Fatalf("%d frames, want 2; %+v", len(timeline.Frames), counts)
	}
	f := timeline.Frames[0]
	want := analyzer.Verdict{
		Jank: analyzer.JankSFScheduling | analyzer.JankAppDeadlineMissed, Present: analyzer.PresentLate,
		Prediction: analyzer.PredictionValid, Severity: analyzer.SeverityFull, OnTimeFinish: analyzer.No,
	}
	if f.Verdict() != want || f.Actual != between(150, 180) || f.Overrun() != 10 || !f.Facts.Has(analyzer.Misaligned) {
		t.Errorf("%s: %+v, want %+v", f, f.Verdict(), want)
	}
	if got := f.LayerNames(); !slices.Equal(got, []string{"Layer1", "Layer2", "Layer3"}) || f.Android.Timeline.GPUComposition != analyzer.Yes {
		t.Errorf("layers %q, composed by the GPU: %s", got, f.Android.Timeline.GPUComposition)
	}
	for i, l := range f.Android.Timeline.Surfaces {
		if interval := []analyzer.Interval{between(150, 167), between(155, 180), between(156, 160)}[i]; l.Actual != interval || l.Render != f.Render || l.DisplayToken != 15 {
			t.Errorf("layer %d: %+v", i, l)
		}
	}
	// They were sent at once, when the last was done, with the frame's own number.
	must.EqualSlices(t, sentOf(f), [][3]int64{{14, 180, 15}}, "transactions")
	if f.Render != timeline.Frames[1] || len(f.Render.Applications) != 1 {
		t.Errorf("%s took %d frames, want one", f.Render, len(f.Render.Applications))
	}
	app := stats.Compute(timeline, stats.Options{}).Processes[0]
	if app.Frames.Complete != 1 || app.Frames.Late != 1 || app.Durations.Max != 30 || len(app.Worst) != 1 {
		t.Errorf("%+v, longest %s, %d of the worst", app.Frames, app.Durations.Max, len(app.Worst))
	}
}

// Events with the same token are one frame only in some of these cases.
func TestSameToken(t *testing.T) {
	const half = 500_000_000
	for _, test := range []struct {
		name   string
		record func(m *made)
		want   string // frames: their layers
	}{
		{"half a second apart", func(m *made) {
			m.actualSurface(2, 3, "a", 10, 20, fine)
			m.actualSurface(2, 3, "b", 10+half, 20+half, fine)
			m.actualSurface(2, 3, "c", 10+2*half, 20+2*half, fine)
		}, "a b c"},
		{"more than that: restarted", func(m *made) {
			m.actualSurface(2, 3, "a", 10, 20, fine)
			m.actualSurface(2, 3, "b", 11+half, 20+half, fine)
			m.actualSurface(2, 3, "c", 12+half, 20+half, fine)
		}, "a, b c"},
		{"two frames at a time", func(m *made) {
			m.actualSurface(2, 3, "a", 10, 20, fine)
			m.actualSurface(4, 5, "b", 11, 20, fine)
			m.actualSurface(2, 3, "c", 12, 20, fine)
		}, "a c, b"},
		{"two processes", func(m *made) {
			m.actualSurface(2, 3, "a", 10, 20, fine)
			m.slice(11, 20, func(cookie int64) *pb.FrameTimelineEvent { return actualSurface(cookie, 2, 3, second, "b", fine) })
		}, "a, b"},
		{"no token", func(m *made) {
			m.actualSurface(0, 0, "a", 10, 20, fine)
			m.actualSurface(0, 0, "b", 11, 20, fine)
			m.actualSurface(-1, -1, "c", 12, 20, fine)
			m.actualSurface(-1, -1, "d", 13, 20, fine)
		}, "a, b, c, d"},
		{"display frames", func(m *made) {
			m.actualDisplay(2, 10, 20, fine)
			m.actualDisplay(2, 11, 20, fine)
		}, ", "},
	} {
		m := &made{}
		test.record(m)
		timeline, _ := read(t, m.bytes)
		var frames []string
		for _, f := range timeline.Frames {
			frames = append(frames, strings.Join(f.LayerNames(), " "))
		}
		must.Equal(t, strings.Join(frames, ", "), test.want, "%s: frames of", test.name)
	}
}
