package stats_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// A page asks for 12 vsyncs of 120 Hz for a callback at 60 Hz, which is called in every second frame and takes 2 ms there.
// The others send nothing, and run for 0.5 ms each. The second picture is found unchanged.
func TestRequesters(t *testing.T) {
	const start, period = trace.Time(10 * trace.Second), 8 * trace.Millisecond
	p := &analyzer.Process{PID: 3000, Name: "com.example.ticker"}
	service := &analyzer.Process{PID: 1027, Name: "render_service"}
	line := &analyzer.Timeline{
		Processes: []*analyzer.Process{service, p}, Span: analyzer.Interval{Start: start, End: start.Add(trace.Second)},
		Coverage: analyzer.Coverage{Switches: true},
	}
	windows := &analyzer.Requester{Name: "WM_3000", Process: p}
	for i := range 12 {
		at := start.Add(trace.Duration(i) * period)
		f := &analyzer.Frame{
			Process: p, TID: 3000, VsyncID: int64(i), Vsync: at, Actual: analyzer.Interval{Start: at, End: at.Add(3 * trace.Millisecond)},
			Period: period, CPUTime: trace.Millisecond / 2,
			DisplaySyncs: []analyzer.DisplaySync{{ID: 327, Type: analyzer.CallbackSync, Rate: 60, VsyncRate: 120, Every: 2, Skipped: i%2 == 1}},
		}
		line.Frames = append(line.Frames, f)
		if i%2 == 1 {
			f.Facts = analyzer.Empty
		} else {
			f.DisplaySyncs[0].Took, f.DisplaySyncs[0].CPUTime = 2*trace.Millisecond, trace.Millisecond
			f.Transactions = []analyzer.Sent{{Index: int64(i), At: at}}
			r := &analyzer.Frame{Kind: analyzer.RenderFrame, Process: service, TID: 1027, VsyncID: int64(i), Actual: analyzer.Interval{Start: f.Actual.End, End: f.Actual.End.Add(period / 2)}}
			f.Render, f.Transactions[0].AppliedBy, r.Applications = r, r, []*analyzer.Frame{f}
			if i == 2 {
				r.Facts = analyzer.Unchanged | analyzer.Empty | analyzer.CommitSkipped
			}
			line.Frames = append(line.Frames, r)
		}
		windows.Asked, windows.Vsyncs = append(windows.Asked, analyzer.Ask{At: at, Slice: []string{"FlushAnimation", "FlushTask", ""}[i%4%3]}), append(windows.Vsyncs, analyzer.Received{At: at, Frame: f})
	}
	line.Requesters = []*analyzer.Requester{windows}
	r := stats.Compute(line, stats.Options{})
	want := []stats.Requester{{
		Source: p, Name: "WM_3000", PID: 3000, Process: "com.example.ticker", Asked: new(12),
		VsyncUse: stats.VsyncUse{
			Received: 12, Judged: 12, Unused: 7, Share: new(7.0 / 12), CPU: new(3500 * trace.Microsecond), Ratio: new(3.5), Time: trace.Second,
		},
		NothingSent: 6, NothingShown: 1, Took: new(21.0), DisplaySync: &stats.UnusedSync{ID: 327, Type: new("callback"), Unused: 7},
		AskedIn: []stats.AskedIn{{Slice: "FlushAnimation", Asked: 6}, {Slice: "FlushTask", Asked: 3}},
	}}
	sameJSON(t, r.Requesters, want)
	sameJSON(t, r.Callbacks, []stats.Callback{{
		PID: 3000, Process: "com.example.ticker", ID: 327, Type: new("callback"), Rate: new(60), Vsync: new(120), Every: new(2), Frames: 12, Calls: 6,
		Took: &stats.Latency{Frames: 6, P50: 2 * trace.Millisecond, P95: nil, Max: 2 * trace.Millisecond}, Total: 12 * trace.Millisecond, CPU: new(6.0),
	}})
	for name, value := range map[string]float64{"unused_vsyncs": 7, "unused_vsync_share": 7.0 / 12, "unused_cpu_ratio": 3.5} {
		must.Equal(t, *stats.Measures.Named(name).Value(r.Processes[0]), value, name)
	}

	// Without scheduling events the processor time is unknown, and so is its ratio.
	line.Coverage.Switches = false
	u := stats.Compute(line, stats.Options{}).Processes[0]
	if m := stats.Measures.Named("unused_cpu_ratio").Value(u); m != nil || u.Vsyncs.CPU != nil {
		t.Errorf("processor time without scheduling events: %v", u.Vsyncs)
	}

	// In a window only what is in it counts.
	line.Cut(start.Add(4*period), trace.MaxTime)
	r = stats.Compute(line, stats.Options{})
	must.Equal(t, [3]int{*r.Requesters[0].Asked, r.Requesters[0].Received, r.Requesters[0].Unused}, [3]int{8, 8, 4})
}

// Vsyncs after which something was drawn, perhaps for another connection, count as used in the share, which is unknown
// if it is not known of half of the vsyncs, or of fewer than 10, what they led to.
func TestShareOfUnused(t *testing.T) {
	const nobody = -1.0
	for name, c := range map[string]struct {
		unused, used, perhaps, unknown int
		share                          float64
	}{
		"all known":         {30, 10, 0, 0, .75},
		"some perhaps":      {30, 10, 20, 0, .5},
		"half perhaps":      {20, 0, 20, 0, .5},
		"most perhaps":      {19, 0, 20, 0, nobody},
		"most unknown":      {19, 0, 0, 20, nobody},
		"all perhaps":       {0, 0, 20, 0, nobody},
		"ten":               {10, 0, 0, 0, 1},
		"too few":           {9, 0, 0, 0, nobody},
		"some are unknown":  {30, 10, 0, 20, .75},
		"used, none unused": {0, 40, 0, 0, 0},
	} {
		p := &analyzer.Process{PID: 3000, Name: "com.example.ticker"}
		start := trace.Time(10 * trace.Second)
		line := &analyzer.Timeline{
			Processes: []*analyzer.Process{p}, Span: analyzer.Interval{Start: start, End: start.Add(trace.Second)},
			Coverage: analyzer.Coverage{Switches: true},
			Frames:   []*analyzer.Frame{{Process: p, TID: 3000, Actual: analyzer.Interval{Start: start, End: start.Add(trace.Millisecond)}}},
		}
		r := &analyzer.Requester{Name: "Ticker", Process: p}
		for i, n := range []int{c.unused, c.used, c.perhaps, c.unknown} {
			v := analyzer.Received{At: start, TID: 3001, Took: trace.Millisecond, CPUTime: trace.Millisecond}
			v.Drew, v.Doubtful = []analyzer.Answer{analyzer.No, analyzer.Yes, analyzer.Yes, analyzer.NotSaid}[i], i == 2
			for range n {
				r.Vsyncs = append(r.Vsyncs, v)
			}
		}
		line.Requesters = []*analyzer.Requester{r}
		report := stats.Compute(line, stats.Options{})
		got := report.Requesters[0]
		must.Equal(t, [4]int{got.Received, got.Judged, got.Unused, got.PerhapsDrawn}, [4]int{c.unused + c.used + c.perhaps + c.unknown, c.unused + c.used, c.unused, c.perhaps}, name)
		value := func(x *float64) float64 {
			if x == nil {
				return nobody
			}
			return *x
		}
		must.Equal(t, value(got.Share), c.share, name)
		must.Equal(t, value(stats.Measures.Named("unused_vsync_share").Value(report.Processes[0])), c.share, name)
		must.Equal(t, stats.Measures.Named("unused_cpu_ratio").Value(report.Processes[0]) == nil, c.share == nobody, name)
	}
}
