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
