package surfaceflinger

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// timeline returns the frames of the rows.
func timeline(layers []*Layer) *analyzer.Timeline {
	renderer := process(1, analyzer.SurfaceFlinger)
	t := &analyzer.Timeline{Dump: true, Processes: []*analyzer.Process{renderer}}
	shown := map[trace.Time]*analyzer.Frame{}
	for i, l := range layers {
		owner := process(trace.PID(i+2), l.Name)
		t.Processes = append(t.Processes, owner)
		slices.SortStableFunc(l.rows, func(x, y row) int { return cmp.Compare(x.present, y.present) })
		since := wanted(l.rows)
		for n, r := range l.rows {
			f := application(owner, l.Name, r, int64(n+1))
			f.Android.Latency.Wanted = since[n]
			at := trace.Time(r.present)
			render := shown[at]
			if render == nil {
				render = &analyzer.Frame{
					Kind: analyzer.RenderFrame, Process: renderer, TID: trace.TID(renderer.PID),
					Actual: analyzer.Interval{Start: at, End: at}, Present: at, Period: r.period,
					Android: &analyzer.Android{Latency: &analyzer.LayerLatency{}},
				}
				shown[at] = render
				t.Frames = append(t.Frames, render)
			}
			render.Actual.Start = waited(render, f)
			f.Render, f.Transactions[0].AppliedBy = render, render
			render.Applications = append(render.Applications, f)
			t.Frames = append(t.Frames, f)
		}
	}
	slices.SortStableFunc(t.Frames, func(x, y *analyzer.Frame) int { return cmp.Compare(x.Actual.Start, y.Actual.Start) })
	for _, f := range t.Frames {
		if !t.Span.Start.Known() {
			t.Span.Start = f.Actual.Start
		}
		t.Span.End = max(t.Span.End, f.Actual.End)
	}
	return t
}

// process returns a process to which the dump gives no id.
func process(pid trace.PID, name string) *analyzer.Process {
	return &analyzer.Process{PID: pid, NoPID: true, Name: name, Threads: []analyzer.Thread{{TID: trace.TID(pid), Name: name}}}
}

// application returns the frame of a row. If its ready time is unknown, it ends at
// its present time. If its desired time is unknown, it starts at its end.
func application(owner *analyzer.Process, layer string, r row, index int64) *analyzer.Frame {
	end := cmp.Or(known(r.ready), trace.Time(r.present))
	start := end
	if desired := known(r.desired); desired.Known() {
		start = min(desired, end)
	}
	return &analyzer.Frame{
		Kind: analyzer.ApplicationFrame, Process: owner, TID: trace.TID(owner.PID),
		Actual: analyzer.Interval{Start: start, End: end}, Period: r.period,
		Transactions: []analyzer.Sent{{Index: index, At: end}},
		Android: &analyzer.Android{Latency: &analyzer.LayerLatency{
			Layer: layer, Desired: known(r.desired), Ready: known(r.ready),
		}},
	}
}

// known returns the time, or 0 if it is unknown or implausible.
func known(ns int64) trace.Time {
	if ns <= 0 || ns > trace.MaxTime {
		return 0
	}
	return trace.Time(ns)
}

// waited returns the start of a render frame with the added frame f: when the last
// of its layers was ready.
func waited(render, f *analyzer.Frame) trace.Time {
	start := min(f.Actual.End, render.Present)
	if len(render.Applications) > 0 {
		start = max(start, render.Actual.Start)
	}
	return start
}
