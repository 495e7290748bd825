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
	if len(timeline.Frames) != 2 || counts.Unmatched != 0 {
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

// A jank type without a severity is not overruled by the severity of a layer without jank.
func TestLayersSeverity(t *testing.T) {
	unrated := appLate
	unrated.severe = pb.FrameTimelineEvent_SEVERITY_UNKNOWN.Enum()
	partial := appLate
	partial.severe = pb.FrameTimelineEvent_SEVERITY_PARTIAL.Enum()
	for _, test := range []struct {
		layers []verdict
		want   analyzer.JankSeverity
	}{
		{[]verdict{fine, unrated}, analyzer.SeverityUnknown},
		{[]verdict{unrated, fine}, analyzer.SeverityUnknown},
		{[]verdict{unrated, partial}, analyzer.SeverityPartial},
		{[]verdict{fine, fine}, analyzer.SeverityNone},
	} {
		m := &made{}
		for i, v := range test.layers {
			m.actualSurface(14, 15, []string{"Layer1", "Layer2"}[i], 150, 170, v)
		}
		timeline, _ := read(t, m.bytes)
		must.Equal(t, timeline.Frames[0].Verdict().Severity, test.want, "%+v: severity", test.layers)
	}
}

// Layers may be taken by several render frames. The last one shows the whole frame,
// and each of them counts as shown.
func TestLayersTakenApart(t *testing.T) {
	m := &made{}
	m.actualSurface(60, 190, "TX - main#0", 70_000_000, 90_000_000, appLate)
	m.actualSurface(60, 160, "TX - popup#1", 70_000_000, 90_000_000, fine)
	m.actualSurface(60, 170, "TX - lost#2", 70_000_000, 80_000_000, fine) // the trace does not have 170
	m.actualDisplay(160, 100_000_000, 116_000_000, fine)
	m.actualDisplay(190, 130_000_000, 146_000_000, fine)
	timeline, _ := read(t, m.bytes)
	f := frameOf(t, timeline, analyzer.ApplicationFrame, 60)
	must.EqualSlices(t, sentOf(f), [][3]int64{{60, 80_000_000, 0}, {60, 90_000_000, 160}, {60, 90_000_000, 190}}, "transactions")
	if f.Render.VsyncID != 190 || len(frameOf(t, timeline, analyzer.RenderFrame, 160).Applications) != 0 {
		t.Errorf("%s was taken by %s", f, f.Render)
	}
	for i, l := range f.Android.Timeline.Surfaces {
		var got int64
		if l.Render != nil {
			got = l.Render.VsyncID
		}
		if want := []int64{190, 160, 0}[i]; got != want {
			t.Errorf("layer %s was taken by %d, want %d", l.Name, got, want)
		}
	}
	fps := stats.Compute(timeline, stats.Options{}).Processes[0].FPS
	if fps == nil || fps.Event != stats.Present || fps.Frames != 2 || fps.First != 116_000_000 || fps.Last != 146_000_000 {
		t.Errorf("%+v, want both render frames", fps)
	}
}

// A frame is dropped if all its layers are. If only some are dropped, it keeps their jank
// types.
func TestLayersDropped(t *testing.T) {
	m := &made{}
	m.expectSurface(2, 3, 10, 20)
	m.actualSurface(2, 3, "shown", 10, 19, fine)
	m.actualSurface(2, 3, "dropped", 10, 55, layerDropped)
	m.actualDisplay(3, 60, 70, fine)
	m.expectSurface(4, 5, 100, 120)
	m.actualSurface(4, 5, "dropped", 100, 115, layerDropped)
	m.actualSurface(4, 5, "dropped too", 101, 130, verdict{jank: analyzer.JankBufferStuffing, present: dropped, prediction: valid, onTime: true})
	m.actualDisplay(5, 140, 150, fine)
	m.actualSurface(6, 7, "dropped first", 200, 255, layerDropped)
	m.actualSurface(6, 7, "shown", 201, 219, fine)
	timeline, counts := read(t, m.bytes)
	if f := frameOf(t, timeline, analyzer.ApplicationFrame, 6); f.Facts != 0 || f.Actual != between(200, 219) {
		t.Errorf("%s", f)
	}
	shown := frameOf(t, timeline, analyzer.ApplicationFrame, 2)
	want := analyzer.Verdict{
		Jank: analyzer.JankDropped, Present: analyzer.PresentOnTime, Prediction: analyzer.PredictionValid,
		Severity: analyzer.SeverityFull, OnTimeFinish: analyzer.Yes,
	}
	if shown.Facts != 0 || shown.Actual != between(10, 19) || shown.Verdict() != want || shown.Render == nil || !shown.Judged() {
		t.Errorf("%s: %+v, want %+v", shown, shown.Verdict(), want)
	}
	must.EqualSlices(t, sentOf(shown), [][3]int64{{2, 55, 0}, {2, 19, 3}}, "transactions")
	none := frameOf(t, timeline, analyzer.ApplicationFrame, 4)
	if none.Facts != analyzer.Dropped || none.Actual != between(100, 130) || none.Render != nil || none.Judged() {
		t.Errorf("%s: %+v, taken by %s", none, none.Verdict(), none.Render)
	}
	must.EqualSlices(t, sentOf(none), [][3]int64{{4, 130, 0}}, "transactions")
	if counts.Dropped != 1 {
		t.Errorf("%d frames dropped, want 1", counts.Dropped)
	}
	v := stats.Compute(timeline, stats.Options{}).Processes[0].SurfaceFlinger
	if v.Missed != 3 || v.MissedDropped != 3 {
		t.Errorf("%+v, want three frames missed as dropped, as Perfetto counts them", v)
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

// A frame is truncated if any layer does not end in the trace.
func TestLayerUnfinished(t *testing.T) {
	m := &made{}
	m.actualSurface(2, 3, "a", 10, 20, appLate)
	m.actualSurface(2, 3, "b", 11, unfinished, fine)
	m.actualDisplay(3, 30, 40, fine)
	timeline, counts := read(t, m.bytes)
	f := timeline.Frames[0]
	if f.Facts != analyzer.Truncated || f.Actual != between(10, 40) || f.Render != nil || counts.Unfinished != 1 {
		t.Errorf("%s, taken by %s; %+v", f, f.Render, counts)
	}
	if p := stats.Compute(timeline, stats.Options{}).Processes[0]; p.Frames.Truncated != 1 || p.Frames.Complete != 0 {
		t.Errorf("%+v", p.Frames)
	}
}
