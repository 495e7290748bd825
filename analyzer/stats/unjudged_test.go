package stats_test

import (
	"math"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// A tenth of a framework's frames may be unjudged: then the late ones are a share of the others.
// With more, which of them were on time is unknown.
func TestUnjudged(t *testing.T) {
	for _, c := range []struct {
		judged, unjudged, empty int
		onTime                  bool
		rate                    float64 // negative: unknown
	}{
		{judged: 10, rate: .1},
		{judged: 9, unjudged: 1, rate: 1. / 9},
		{judged: 8, unjudged: 1, rate: -1},
		{judged: 8, unjudged: 1, empty: 3, rate: -1},
		{judged: 9, unjudged: 1, empty: 3, rate: 1. / 9},
		{judged: 8, unjudged: 2, onTime: true, rate: -1},
	} {
		p := &analyzer.Process{PID: 1, Name: "app"}
		tl := &analyzer.Timeline{Processes: []*analyzer.Process{p}}
		for n := range c.judged + c.unjudged + c.empty {
			at := analyzer.Interval{Start: 1e9, End: 1e9 + 5e6}
			f := &analyzer.Frame{Process: p, TID: 1, Framework: analyzer.Flutter, Actual: at, Transactions: []analyzer.Sent{{Index: 1, At: at.End}}}
			switch {
			case n == 0 && !c.onTime:
				f.Deadline = at.Start + 1e6
				f.Judge()
			case n < c.judged:
				f.Pace = analyzer.Even
			case n >= c.judged+c.unjudged:
				f.Facts, f.Transactions = analyzer.Empty, nil
			}
			tl.Frames = append(tl.Frames, f)
		}
		got := stats.Compute(tl, stats.Options{}).Processes[0]
		rate := -1.
		if got.JankRate != nil {
			rate = *got.JankRate
		}
		if rate != c.rate || got.Frames.Judged != c.judged {
			t.Errorf("%+v: rate %v, %d judged", c, rate, got.Frames.Judged)
		}
	}
}

// Why no frame of a process is judged follows from what its frames are.
func TestNotJudged(t *testing.T) {
	end := analyzer.Interval{Start: 1e9, End: 1e9 + 5e6}
	plain := analyzer.Frame{Actual: end}
	onTime, dropped, web, empty, compositor := plain, plain, plain, plain, plain
	onTime.Deadline = 1e9 + 9e6
	dropped.Facts, dropped.Deadline = analyzer.Dropped, onTime.Deadline
	web.Framework, empty.Framework, compositor.Framework = analyzer.Web, analyzer.Web, analyzer.Compositor
	empty.Facts = analyzer.Empty
	const unknown = "no frame is judged: deadlines are unknown"
	for _, test := range []struct {
		frames []*analyzer.Frame
		want   string
	}{
		{nil, "no complete frame"},
		{[]*analyzer.Frame{&onTime, &plain}, ""},
		{[]*analyzer.Frame{&plain, &plain}, unknown},
		{[]*analyzer.Frame{&dropped, &dropped}, "no frame is judged: all were dropped"},
		{[]*analyzer.Frame{&dropped, &plain}, unknown},
		{[]*analyzer.Frame{&web, &empty}, unknown},
		{[]*analyzer.Frame{&empty, &empty}, "no frame is judged"},
		{[]*analyzer.Frame{&compositor}, "no frame is judged"},
	} {
		c := stats.CountFrames(test.frames)
		must.Equal(t, c.NotJudged(), test.want, "%d frames, %d dropped, %d of frameworks", c.Complete, c.Dropped, c.Framework)
	}
}

// Two frames of a framework are shown 180 ms apart: 5.6 frames a second, because it is an estimate
// when the second was due. Of three, the rate is without idle time. Two of ArkUI's are no animation.
func TestIdleTimeOfTwoFrames(t *testing.T) {
	const ms = trace.Millisecond
	for _, c := range []struct {
		framework analyzer.Framework
		shown     []int // ms
		rate      float64
		known     bool
		rated     bool
	}{
		{analyzer.Choreographer, []int{20, 200}, 1 / .18, false, true},
		{analyzer.Choreographer, []int{20, 30, 200}, 2 / .02, true, true},
		{analyzer.Platform, []int{20, 200}, 0, true, false},
	} {
		app, service := &analyzer.Process{PID: 1, Name: "app"}, &analyzer.Process{PID: 2, Name: "render_service"}
		tl := &analyzer.Timeline{Processes: []*analyzer.Process{app, service}}
		for _, at := range c.shown {
			present := trace.Time(1e9).Add(trace.Duration(at) * ms)
			start := present.Add(-10 * ms)
			r := &analyzer.Frame{Kind: analyzer.RenderFrame, Process: service, TID: 2, Vsync: start, Period: 10 * ms, Actual: analyzer.Interval{Start: start, End: start.Add(ms)}, Present: present}
			f := &analyzer.Frame{Process: app, TID: 1, Framework: c.framework, Render: r, Actual: analyzer.Interval{Start: start.Add(-10 * ms), End: start.Add(-9 * ms)}}
			f.Transactions = []analyzer.Sent{{Index: 1, At: f.Actual.End, AppliedBy: r}}
			r.Applications = []*analyzer.Frame{f}
			tl.Frames = append(tl.Frames, f, r)
		}
		p := stats.Compute(tl, stats.Options{}).Processes
		i := slices.IndexFunc(p, func(p *stats.Process) bool { return p.Name == "app" })
		if f := p[i].FPS; (f.Rate != nil) != c.rated || c.rated && math.Abs(*f.Rate-c.rate) > 1e-9 || (f.IdleShare != nil) != c.known || (f.OfRefresh != nil) != (c.known && c.rated) || (p[i].Hitches != nil) != c.known {
			t.Errorf("%s, %d frames: %+v, hitches %v", c.framework, len(c.shown), f, p[i].Hitches)
		}
	}
}
