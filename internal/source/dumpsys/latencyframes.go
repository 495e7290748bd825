package dumpsys

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// timeline returns the frames and buffers of the rows. SurfaceFlinger's process precedes those
// of the layers. If a layer asks for present times, it is unknown when its buffers were queued.
func timeline(layers []*Layer) *analyzer.Timeline {
	b := newBuilder(nil)
	b.surfaceFlinger()
	var shown []*analyzer.Layer
	for _, l := range layers {
		owner := b.addProcess(trace.UnknownPID, l.Name)
		slices.SortStableFunc(l.rows, func(x, y latencyRow) int { return cmp.Compare(x.present, y.present) })
		since, asks := wanted(l.rows), asksForTimes(l.rows)
		layer := &analyzer.Layer{ID: len(shown) + 1, Name: l.Name, Process: owner}
		for i, r := range l.rows {
			f := application(owner, l.Name, r, int64(i+1))
			f.Android.Latency.Wanted = since[i]
			b.addFrame(f, trace.Time(r.present), analyzer.Android{Latency: &analyzer.LayerLatency{}})
			buffer := &analyzer.Buffer{Layer: layer, Ready: known(r.ready), Present: f.Render.Present, Fate: analyzer.Shown, Frame: f, Render: f.Render}
			if queued := known(r.desired); !asks && queued <= buffer.Present {
				buffer.Queued = queued
			}
			layer.Buffers = append(layer.Buffers, buffer)
		}
		if len(layer.Buffers) > 0 {
			shown = append(shown, layer)
		}
	}
	t := b.finish()
	t.Layers = shown
	t.JudgeLayers()
	return t
}

// application returns the frame of a row. If its ready time is unknown, it ends at
// its present time. If its desired time is unknown, it starts at its end.
func application(owner *analyzer.Process, layer string, r latencyRow, index int64) *analyzer.Frame {
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
