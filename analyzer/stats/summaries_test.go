package stats_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

func TestSummaries(t *testing.T) {
	app, other := &analyzer.Process{PID: 7, Name: "app"}, &analyzer.Process{PID: 8, Name: "package", NoPID: true}
	timeline := &analyzer.Timeline{Summaries: []*analyzer.Summary{
		{Process: app, Frames: 200, Janky: ptr(50), P50: ptr(6), SlowUI: ptr(3), Histogram: []analyzer.SummaryBucket{{Name: 5, Frames: 9}, {Name: 133, Frames: 8}, {Name: 4950, Frames: 7}}},
		{Process: other, Janky: ptr(0), P50: ptr(4950), Filtered: true, Histogram: []analyzer.SummaryBucket{{Name: 149, Frames: 1}}},
		{Process: app, Frames: 3},
	}}
	list := stats.Compute(timeline, stats.Options{}).Summaries
	sameJSON(t, list, []stats.Summary{
		{PID: 7, Process: "app", Frames: 200, Janky: ptr(50), JankRate: ptr(0.25), P50: ptr(6), SlowUI: ptr(3), Histogram: []stats.Bucket{
			{Name: 5, From: 0, Below: ptr(6), Frames: 9}, {Name: 133, From: 132, Below: ptr(136), Frames: 8}, {Name: 4950, From: 4950, Frames: 7},
		}},
		{PID: trace.UnknownPID, Process: "package", Janky: ptr(0), Histogram: []stats.Bucket{}, Filtered: true},
		{PID: 7, Process: "app", Frames: 3, Histogram: []stats.Bucket{}},
	})
	selected := stats.Compute(timeline, stats.Options{Process: func(p *analyzer.Process) bool { return p == other }}).Summaries
	if len(selected) != 1 || selected[0].Process != "package" {
		t.Errorf("selected %v", selected)
	}
}

// The percentiles of one summary follow from its histogram: 300 frames, of which 2 are in no bucket.
// 50 %: 150 longer frames, 19 ms has 97 of them, 5 ms the others. 90 %: 30, 95 %: 15, in 19 ms. 99 %: 3, the
// third longest is in 19 ms.
func TestJoinSummaries(t *testing.T) {
	histogram := func(short, long, longest int) []stats.Bucket {
		return []stats.Bucket{{Name: 5, Below: ptr(6), Frames: short}, {Name: 19, From: 19, Below: ptr(20), Frames: long}, {Name: 4950, From: 4950, Frames: longest}}
	}
	day := &stats.Summary{PID: 7, Process: "app", Frames: 200, Janky: ptr(20), SlowUI: ptr(2), Histogram: histogram(150, 47, 1)}
	other := &stats.Summary{PID: 7, Process: "app", Frames: 100, Janky: ptr(10), SlowUI: ptr(1), MissedVsync: ptr(1), Histogram: histogram(50, 50, 0)[:2]}
	sameJSON(t, stats.JoinSummaries([]*stats.Summary{day, other}), &stats.Summary{
		PID: 7, Process: "app", Frames: 300, Janky: ptr(30), JankRate: ptr(0.1), SlowUI: ptr(3),
		P50: ptr(5), P90: ptr(19), P95: ptr(19), P99: ptr(19), Histogram: histogram(200, 97, 1),
	})
	without := &stats.Summary{PID: 7, Process: "app", Frames: 100, Janky: nil, Histogram: []stats.Bucket{}}
	sameJSON(t, stats.JoinSummaries([]*stats.Summary{day, without}), &stats.Summary{PID: 7, Process: "app", Frames: 300, Histogram: []stats.Bucket{}})
}
