package exporter

import (
	"math"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// counted is a value that a counter is to have.
type counted struct {
	pid   int64
	name  string
	unit  string
	at    int64
	value float64
}

// expectCounters derives the counters from the timeline, each value for itself.
func expectCounters(timeline *analyzer.Timeline) []counted {
	var list []counted
	for _, p := range timeline.Processes {
		rate := 0.0
		var all [3][]int64 // of presents, commits, and render frames
		seen := [3]map[int64]bool{{}, {}, {}}
		for _, f := range timeline.Frames {
			if f.Process != p || f.Facts&analyzer.Truncated != 0 {
				continue
			}
			var shown []*analyzer.Frame
			for _, transaction := range f.Transactions {
				shown = append(shown, transaction.AppliedBy)
			}
			if f.Kind == analyzer.RenderFrame && (f.Facts&analyzer.Empty == 0 || f.Commit.Start != 0 || f.Present != 0) {
				shown = append(shown, f)
			}
			for _, r := range shown {
				if r == nil || r.Facts&analyzer.Truncated != 0 {
					continue
				}
				for i, at := range []trace.Time{r.Present, r.Commit.Start, r.Actual.Start} {
					if at != 0 && !seen[i][int64(at)] {
						seen[i][int64(at)] = true
						all[i] = append(all[i], int64(at))
					}
				}
			}
			if f.Kind == analyzer.RenderFrame && f.Period != 0 {
				if hertz := math.Round(1e9 / float64(f.Period)); hertz != rate {
					rate = hertz
					list = append(list, counted{int64(p.PID), "Refresh rate", "Hz", int64(f.Actual.Start), hertz})
				}
			}
		}
		best := slices.IndexFunc(all[:], func(list []int64) bool { return len(list) > 1 })
		if best < 0 {
			continue
		}
		times := all[best]
		for _, at := range times {
			n, first, next := 0, at, int64(math.MaxInt64)
			for _, other := range times {
				if other <= at && other > at-1e9 {
					n++
					first = min(first, other)
				}
				if other > at {
					next = min(next, other)
				}
			}
			if n < 2 {
				continue
			}
			list = append(list, counted{int64(p.PID), "FPS", "fps", at, float64(n-1) * 1e9 / float64(at-first)})
			if at+1e9 <= min(next, int64(timeline.Span.End)) {
				list = append(list, counted{int64(p.PID), "FPS", "fps", at + 1e9, 0})
			}
		}
	}
	return list
}

func compareCounters(t *testing.T, c *conversion) {
	t.Helper()
	var want rows
	for _, s := range expectCounters(c.summary.Timeline) {
		want.add(s.pid, s.name, s.unit, s.at, s.value)
	}
	if len(want) == 0 {
		t.Error("nothing is counted")
	}
	compare(t, "counters", query(t, c.session, `
		SELECT pid, track.name, unit, ts, value
		FROM counter
		JOIN process_counter_track track ON counter.track_id = track.id
		JOIN process USING (upid)
		WHERE track.type GLOB '*_track_event'`), want)
}
