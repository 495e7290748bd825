package condition

import (
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
)

// Conditions are on the summaries of processes without frames; those of one process are added up: 60 of
// 300 frames. Summaries of processes with frames do not count.
func TestCheckSummaries(t *testing.T) {
	summary := func(process string, frames, janky int) stats.Summary {
		return stats.Summary{Process: process, Frames: frames, Janky: &janky, JankRate: known(float64(janky) / float64(frames)), Histogram: []stats.Bucket{{Name: 5, Frames: frames}}}
	}
	filtered := summary("filtered", 10, 1)
	filtered.Filtered = true
	r := &stats.Report{
		Processes: []*stats.Process{{Name: "drawing", PID: 2, JankRate: known(.5), Frames: stats.Counts{Complete: 4, Judged: 4, Late: 2}}},
		Summaries: []stats.Summary{summary("app", 100, 10), summary("drawing", 100, 0), summary("app", 200, 50), filtered},
	}
	all := []*analyzer.Process{{Name: "drawing", PID: 2}}
	for conditions, want := range map[string][]string{
		"jank_rate>25%":       {"failed drawing: jank_rate>25%: 50.0 %", "passed app: jank_rate>25%: 20.0 %", "unknown filtered: jank_rate>25%: unknown: the summary is filtered"},
		"app: p95_ms>4":       {"failed app: p95_ms>4: 5.0 ms"},
		"app: fps<55":         {"unknown app: fps<55: unknown: summaries do not have the measure"},
		"other: jank_rate>1%": {"unknown other: jank_rate>1%: no process with frames matches; the trace has drawing, app, filtered"},
	} {
		list := must.Get(Parse(conditions, OfValues))(t)
		var got []string
		for _, c := range list.CheckReport("", r, all) {
			got = append(got, string(c.Status)+" "+c.String())
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	list := must.Get(Parse("jank_rate>15%", OfValues))(t)
	if got := list.CheckReport("", &stats.Report{Summaries: r.Summaries[:1]}, nil); len(got) != 1 || got[0].Status != Passed || got[0].Process != "app" {
		t.Errorf("without frames: %v, want that of app", got)
	}
}
