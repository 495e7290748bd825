package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
)

// counted returns a side of one run, whose frames Android counted.
func counted(name string, summaries ...stats.Summary) Side {
	return Side{Name: name, Stats: &stats.Report{Summaries: summaries}}
}

// janky returns a summary of 1000 frames, with all but the janky ones in the shortest bucket.
func janky(process string, n int) stats.Summary {
	return *stats.JoinSummaries([]*stats.Summary{{Process: process}, {Process: process, Frames: 1000, Janky: &n, Histogram: []stats.Bucket{
		{Name: 5, Frames: 1000 - n}, {Name: 32, From: 32, Frames: n},
	}}})
}

func TestSummaries(t *testing.T) {
	filtered := janky("filtered", 1)
	filtered.Filtered = true
	zero := 0
	empty := stats.Summary{Process: "a", Janky: &zero} // of another version: adds nothing
	base := counted("base", janky("a", 20), empty, janky("gone", 1), filtered)
	new := counted("new", janky("a", 120), filtered, janky("came", 1))
	d := compare(t, repeated(4, base), repeated(4, new), Options{})
	if len(d.Summaries) != 1 || len(d.OnlyBaseSummaries) != 1 || len(d.OnlyNewSummaries) != 1 || len(d.Pairs) != 0 {
		t.Fatalf("%d, %d and %d summaries", len(d.Summaries), len(d.OnlyBaseSummaries), len(d.OnlyNewSummaries))
	}
	p := d.Summaries[0]
	if p.Process != "a" || d.OnlyBaseSummaries[0].Process != "gone" || d.OnlyNewSummaries[0].Process != "came" || p.counts() != "4000 → 4000" {
		t.Errorf("%s: %s, without %s and %s", p.Process, p.counts(), d.OnlyBaseSummaries[0].Process, d.OnlyNewSummaries[0].Process)
	}
	for name, want := range map[string]struct {
		base, new float64
		verdict   Verdict
	}{"jank_rate": {0.02, 0.12, Worse}, "p50_ms": {5, 5, Unclear}, "p90_ms": {5, 32, Worse}, "p95_ms": {5, 32, Worse}, "p99_ms": {32, 32, Unclear}} {
		if m := p.measure(name); !near(m.Base, want.base) || !near(m.New, want.new) || m.Verdict != want.verdict {
			t.Errorf("%s, want %+v", describe(m), want)
		}
	}
	if d.SummaryChanges != 5 {
		t.Errorf("%d changes", d.SummaryChanges)
	}
	if want := "worse: a (Jank rate, Duration P90, Duration P95)"; !strings.HasPrefix(d.verdict(), want) {
		t.Errorf("verdict %q, want %q", d.verdict(), want)
	}
	var document struct {
		Summaries []struct {
			Process   string
			Base, New struct{ Summaries, Frames int }
		}
		Base []string `json:"summaries_only_in_base"`
		New  []string `json:"summaries_only_in_new"`
	}
	if err := json.Unmarshal([]byte(write(t, d, "json", WriteOptions{})), &document); err != nil {
		t.Fatal(err)
	}
	if s := document.Summaries; len(s) != 1 || s[0].Base.Summaries != 8 || s[0].New.Frames != 4000 || document.Base[0] != "gone" || document.New[0] != "came" {
		t.Errorf("document %+v", document)
	}
	if _, err := Compare(counted("base", filtered), counted("new", filtered), Options{}); err == nil {
		t.Error("filtered summaries were compared")
	}
}

// Conditions on frames are on the summaries of processes without frames.
func TestSummaryConditions(t *testing.T) {
	base := counted("base", janky("a", 20), janky("gone", 1), janky("also", 1))
	new := counted("new", janky("a", 120), janky("also", 1), janky("came", 1))
	d := compare(t, repeated(4, base), repeated(4, new), Options{FailOn: conditions(t, "jank_rate>+2pp, also: p95_ms>+5%, also: fps<-1%, other: p50_ms>+1")})
	var got []string
	for _, o := range d.Outcomes {
		got = append(got, fmt.Sprintf("%s %s: %s", o.Status, o.Process, o.Condition))
	}
	slices.Sort(got)
	want := []string{
		"failed a: jank_rate>+2pp", "passed also: jank_rate>+2pp", "passed also: p95_ms>+5%",
		"unknown also: fps<-1%", "unknown gone: jank_rate>+2pp", "unknown other: p50_ms>+1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
