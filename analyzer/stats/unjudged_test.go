package stats_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
)

// A tenth of a framework's frames may be unjudged: then the late ones are a share of the others.
// With more, which of them were on time is unknown, and late ones count among all.
func TestUnjudged(t *testing.T) {
	for _, c := range []struct {
		judged, unjudged, empty int
		onTime                  bool
		rate                    float64 // negative: unknown
		among                   int
	}{
		{judged: 10, rate: .1, among: 10},
		{judged: 9, unjudged: 1, rate: 1. / 9, among: 9},
		{judged: 8, unjudged: 1, rate: -1, among: 9},
		{judged: 8, unjudged: 1, empty: 3, rate: -1, among: 12},
		{judged: 9, unjudged: 1, empty: 3, rate: 1. / 9, among: 9},
		{judged: 8, unjudged: 2, onTime: true, rate: -1, among: 8},
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
		if rate != c.rate || got.Frames.Among() != c.among {
			t.Errorf("%+v: rate %v, among %d", c, rate, got.Frames.Among())
		}
	}
}
