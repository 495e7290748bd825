package report

import (
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

func known[T any](v T) *T { return &v }

const ms1 = trace.Millisecond

// gallery is the measures of an application with no unknown values. All numbers differ,
// so that a number in the wrong place shows.
func gallery() *stats.Process {
	return &stats.Process{
		Kind: stats.Application, PID: 20170, Name: "example.gallery",
		Observed: &stats.Span{From: 3_700_000_000_000, To: 3_702_500_000_000, Seconds: 2.5},
		Frames: stats.Counts{
			Complete: 150, Judged: 140, Late: 21, LateMain: 21, Empty: known(3), Misaligned: 9, Linked: 145, Truncated: 2,
		},
		JankRate: known(.15), Lost: known(180 * ms1), EmptyRate: known(.02),
		Refresh: []stats.Refresh{{Rate: 60, Period: 16_666_667, Frames: 110}, {Rate: 120.0000048, Period: 8_333_333, Frames: 40}},
		FPS:     &stats.FPS{Event: stats.Present, Frames: 144, First: 3_700_020_000_000, Last: 3_702_403_333_333, Rate: known(60.003), All: 143 / 2.383333333, Active: 2_383_333_333},
		Hitches: &stats.Hitches{
			Gaps: 143, Time: 2383 * ms1, Idle: 200 * ms1, Animated: 2183 * ms1, Hitches: 5, Hitch: 122 * ms1, LostFrames: 7,
			Ratio: known(51.196), Longest: 47 * ms1, LongestAt: known(trace.Time(3_701_000_000_001)),
		},
		WholeFrames: stats.WholeFrames{
			Judged: 139, Late: 25, LateRate: known(25.0 / 139),
			Blame: stats.Blames{Application: 16, RenderCPU: 4, RenderGPU: 2, PickUp: 3},
		},
		LongestStreak: &stats.Streak{Frames: 6, TID: known[trace.TID](20170), At: known[trace.Time](3_701_111_000_000), VsyncID: known[int64](10066), Until: known[trace.Time](3_701_222_000_000)},
		Stutter:       stats.Stutter{Slight: 12, Medium: 5, Severe: 1, Unknown: 3},
		Durations: &stats.Durations{
			Frames: 150, P50: 6_250_000, P90: 12_500_000, P95: known[trace.Duration](18_125_000), P99: known[trace.Duration](44_000_000), Max: 133_700_000,
			Histogram: []stats.Bucket{{Name: 6, From: 6, Below: known(7), Frames: 150}},
		},
		DurationsInPeriods: &stats.DurationsInPeriods{Frames: 150, P50: .375, P90: .751, P95: known(1.088), P99: known(2.64), Max: 8.022},
		Stages: []stats.StageTimes{
			{Stage: stats.Receive, Frames: 150, P50: known(300 * trace.Microsecond), P90: known(900 * trace.Microsecond), Max: known(2 * ms1), LongestOfLate: 1},
			{Stage: stats.UIWork, Frames: 150, P50: known(6 * ms1), P90: known(12 * ms1), Max: known(133 * ms1), LongestOfLate: 16},
			{Stage: stats.PickUp, Frames: 145, P50: known(4 * ms1), P90: known(8 * ms1), Max: known(30 * ms1), LongestOfLate: 4},
			{Stage: stats.RenderMain, Frames: 145, P50: known(2 * ms1), P90: known(3 * ms1), Max: known(5 * ms1)},
			{Stage: stats.RenderDraw, Frames: 145, P50: known(ms1), P90: known(2 * ms1), Max: known(4 * ms1)},
			{Stage: stats.RenderGPU},
			{Stage: stats.CommitLayers, Frames: 144, P50: known(500 * trace.Microsecond), P90: known(700 * trace.Microsecond), Max: known(ms1)},
			{Stage: stats.ToPresent},
		},
		Worst: []stats.WorstFrame{
			{At: 3_701_123_456_789, Duration: 133_700_000, Overrun: 117_040_000, OverrunPeriods: known(7.022), Stage: known(stats.UIWork), TID: 20170, VsyncID: 10071, RenderVsyncID: 50099},
			{At: 3_702_000_000_000, Duration: 44_000_000, Overrun: 27_340_000, TID: 20171},
		},
	}
}

// service is a render service that was never late.
func service() *stats.Process {
	return &stats.Process{
		Kind: stats.RenderService, PID: 1027, Name: "render_service",
		Frames:   stats.Counts{Complete: 30, Judged: 30, Empty: known(0), Misaligned: 1, Linked: 28, Presented: 29, PresentsEstimated: 3, CommitsEstimated: 1},
		JankRate: known(0.0), EmptyRate: known(0.0),
		Refresh: []stats.Refresh{{Rate: 90, Period: 11_111_111, Frames: 30}},
		FPS:     &stats.FPS{Event: stats.Commit, Frames: 30, First: 1_000_000_000, Last: 1_322_222_222, Rate: known(90.0), All: 29 / 0.322222222, Active: 322_222_222},
		Hitches: &stats.Hitches{Gaps: 29, Time: 322 * ms1, Animated: 322 * ms1, Ratio: known(0.0)}, LongestStreak: &stats.Streak{},
		WholeFrames: stats.WholeFrames{Judged: 28, LateRate: known(0.0)},
		Durations:   &stats.Durations{Frames: 30, P50: 2 * ms1, P90: 3 * ms1, P95: known(4 * ms1), Max: 5 * ms1},
		Stages:      []stats.StageTimes{{Stage: stats.RenderMain, Frames: 30, P50: known(2 * ms1), P90: known(3 * ms1), Max: known(5 * ms1)}},
		Worst:       []stats.WorstFrame{},
	}
}

// stranger is a process with one frame and only unknown values, with a name that would
// clear a terminal.
func stranger() *stats.Process {
	return &stats.Process{Kind: stats.Application, PID: trace.UnknownPID, Name: "\x1b[2Jevil\u202e", Frames: stats.Counts{Empty: known(0), Truncated: 1}}
}

func sample() []Input {
	return []Input{
		{Name: "trace.ftrace", Stats: &stats.Report{
			Span:      &stats.Span{From: 3_700_000_000_000, To: 3_702_600_000_000, Seconds: 2.6},
			Processes: []*stats.Process{gallery(), service()}, Interactions: []*stats.Interaction{}, Layers: []*stats.Layer{},
		}},
		{Name: "other.ftrace", Stats: &stats.Report{Processes: []*stats.Process{stranger()}, Interactions: []*stats.Interaction{}, Layers: []*stats.Layer{}}},
		{Name: "no-frames.ftrace", Stats: &stats.Report{Processes: []*stats.Process{}, Interactions: []*stats.Interaction{}, Layers: []*stats.Layer{}}},
	}
}

// film is a timeline with a frame of every mark, 100 ms apart, and its measures.
//
//	app     0 on time   1 late         2 on time       3 misaligned  4 empty      5 no deadline
//	render  0 on time   1 late on CPU  2 late on GPU   3 misaligned  4 empty      5 on both
func film() Input {
	app := &analyzer.Process{PID: 200, Name: "com.example.app", Threads: []analyzer.Thread{{TID: 200, Name: "com.example.app"}, {TID: 201, Name: "worker"}}}
	render := &analyzer.Process{PID: 100, Name: "render_service"}
	t := &analyzer.Timeline{
		Processes: []*analyzer.Process{render, app},
		Span:      analyzer.Interval{Start: 100 * trace.Time(trace.Second), End: 101 * trace.Time(trace.Second)},
	}
	add := func(kind analyzer.Kind, process *analyzer.Process, n int, took trace.Duration, facts analyzer.Facts) *analyzer.Frame {
		start := t.Span.Start.Add(trace.Duration(n)*100*ms1 + trace.Duration(kind)*50*ms1)
		f := &analyzer.Frame{
			Kind: kind, Process: process, TID: trace.TID(process.PID), VsyncID: int64(10*(kind+1)) + int64(n), Vsync: start,
			Actual: analyzer.Interval{Start: start, End: start.Add(took)}, Expected: analyzer.Interval{Start: start, End: start.Add(20 * ms1)},
			Deadline: start.Add(20 * ms1), Period: 20 * ms1, Facts: facts,
		}
		t.Frames = append(t.Frames, f)
		return f
	}
	for n, facts := range []analyzer.Facts{0, analyzer.MainLate, 0, analyzer.Misaligned, analyzer.Empty, 0} {
		took := 10 * ms1
		if facts == analyzer.MainLate {
			took = 32 * ms1
		}
		f := add(analyzer.ApplicationFrame, app, n, took, facts)
		if n == 5 {
			f.TID, f.Deadline, f.Expected, f.Period = 201, 0, analyzer.Interval{}, 0
		}
		both := analyzer.MainLate | analyzer.GPULate
		r := add(analyzer.RenderFrame, render, n, 8*ms1, []analyzer.Facts{0, analyzer.MainLate, analyzer.GPULate, analyzer.Misaligned, analyzer.Empty, both}[n])
		if r.Facts.Has(analyzer.MainLate) {
			r.Actual.End = r.Actual.Start.Add(25 * ms1)
		}
		if r.Facts.Has(analyzer.GPULate) {
			r.GPU = []analyzer.Interval{{Start: r.Actual.Start.Add(5 * ms1), End: r.Actual.Start.Add(30 * ms1)}}
		}
		if n == 1 {
			r.Present = r.Actual.Start.Add(40 * ms1)
			f.Render, r.Applications = r, []*analyzer.Frame{f}
			f.Transactions = []analyzer.Sent{{Index: 1, At: f.Actual.End, AppliedBy: r}}
		}
	}
	return Input{Name: "film.ftrace", Timeline: t, Stats: stats.Compute(t, stats.Options{})}
}
