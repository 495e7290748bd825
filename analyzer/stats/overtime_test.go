package stats_test

import (
	"math"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// Two seconds are observed, so moments are 50 ms long, the shortest. The application draws on every
// vsync of 10 ms in the first second and on every second one in the other, where all of its
// frames are late. It has nothing to draw in between.
func TestMoments(t *testing.T) {
	s := &scene{}
	app, service := s.process(1, "app"), s.process(2, "render_service")
	add := func(vsync int, facts analyzer.Facts) {
		f := s.app(app, vsync, vsync, vsync+5, facts)
		r := s.render(service, vsync+10, vsync+10, vsync+12, 0)
		send(f, vsync+5, r)
		show(r, vsync+13, vsync+14, vsync+20)
	}
	for vsync := 1000; vsync < 2000; vsync += 10 {
		add(vsync, 0)
	}
	for vsync := 2000; vsync <= 3000; vsync += 20 {
		add(vsync, analyzer.MainLate)
	}
	report := stats.Compute(&s.Timeline, stats.Options{})
	moments := stats.NewMoments(&s.Timeline)
	list := moments.Of(report.Processes[0])
	if len(list) != 41 {
		t.Fatalf("%d moments, want 2000 ms / 50 ms and one for the last frame", len(list))
	}
	for i, m := range list {
		if want := at(1000 + 50*i); m.From != want || m.To != want.Add(50*ms) {
			t.Errorf("moment %d is from %v to %v", i, m.From, m.To)
		}
		// The first 50 ms: five frames, all on time, at 100 Hz.
		want := stats.Moment{Judged: 5}
		switch {
		case i == 40:
			want = stats.Moment{Judged: 1, Late: 1}
		case i >= 20: // vsyncs on multiples of 20 ms
			want = stats.Moment{Judged: 2 + (i+1)%2, Late: 2 + (i+1)%2}
		}
		if m.Judged != want.Judged || m.Late != want.Late || m.Refresh != 100 {
			t.Errorf("moment %d: %+v", i, m)
		}
		if i < 20 && i > 0 && (m.FPS == nil || math.Abs(*m.FPS-100) > 1e-9) {
			t.Errorf("moment %d: FPS %v, want 100", i, m.FPS)
		}
	}
	if stats.NewMoments(nil).Of(report.Processes[0]) != nil {
		t.Error("no timeline has moments")
	}
}

// A trace of any length has few moments.
func TestMomentsOfAnyLength(t *testing.T) {
	for _, last := range []trace.Time{0, 1, at(1), at(50), at(12_000), at(1e9), math.MaxInt64 - 1} {
		p := &analyzer.Process{PID: 1}
		timeline := &analyzer.Timeline{Processes: []*analyzer.Process{p}, Frames: []*analyzer.Frame{
			{Process: p, Actual: analyzer.Interval{Start: 1, End: 1}},
			{Process: p, Actual: analyzer.Interval{Start: 1 + last, End: 1 + last}},
		}}
		list := stats.NewMoments(timeline).Of(stats.Compute(timeline, stats.Options{}).Processes[0])
		if n := len(list); n < 1 || n > 240 || list[0].From != 1 || list[n-1].To <= last && last < math.MaxInt64-1 {
			t.Errorf("%d: %d moments", last, len(list))
		}
	}
}
