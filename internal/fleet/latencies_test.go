package fleet

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/testing/simulate"
)

// Percentiles of latencies and of overruns of all frames, before the deadline too, are within 1/128 of those of a
// report of the trace.
func TestLatencies(t *testing.T) {
	var text bytes.Buffer
	if _, err := (simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: simulate.CauseMix}).Generate(&text); err != nil {
		t.Fatal(err)
	}
	read, err := ohframe.Read(t.Context(), bytes.NewReader(text.Bytes()), ohframe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, find(t, folder(t, map[string]string{"a.ftrace": text.String()})), Options{})
	groups, _, err := opened(t, dir).Groups(t.Context(), Query{By: []string{"process"}, Stages: true})
	if err != nil {
		t.Fatal(err)
	}
	compared, negative := 0, 0
	for _, p := range stats.Compute(read.Timeline, stats.Options{}).Processes {
		for _, g := range groups {
			if *g.Key[0] != p.Name {
				continue
			}
			for _, name := range []string{"overrun_p50_ms", "overrun_p95_ms", "vsync_to_present_p50_ms", "vsync_to_present_p95_ms"} {
				m := &Measures[measureIndex(name)]
				got, want := g.Values[measureIndex(name)], m.Of(p)
				if got == nil || want == nil {
					t.Errorf("%s of %s: %v, want %v", name, p.Name, got, want)
					continue
				}
				ms := *want / 1e6
				if compared++; ms < 0 {
					negative++
				}
				if math.Abs(*got-ms) > math.Abs(ms)/128 {
					t.Errorf("%s of %s: %v ms, want %v", name, p.Name, *got, ms)
				}
			}
		}
	}
	if compared < 8 || negative == 0 {
		t.Errorf("%d values, %d of them negative", compared, negative)
	}
}

// Items of components are counted for their process: three built and one reused, a quarter of all.
func TestItems(t *testing.T) {
	text := func(name string, built, reused int) string {
		lines := []string{"B|200|H:ReceiveVsync name:ui dataCount: 24bytes now:1000000000 expectedEnd: 1016600000 vsyncId:5, fd:9", "B|200|H:OnVsyncEvent now:1000000000", "E|200", "E|200"}
		for range built {
			lines = append(lines, "B|200|H:CustomNode:BuildItem [Card][self:38][parent:37]", "E|200")
		}
		for range reused {
			lines = append(lines, "B|200|H:CustomNode:BuildRecycle [Card][self:38][parent:37]", "E|200")
		}
		all := ""
		for i, line := range lines {
			all += fmt.Sprintf("%s-200 (200) [001] .... 1.000%03d: print: %s\n", name, 100+i, line)
		}
		return all
	}
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, find(t, folder(t, map[string]string{
		"a.ftrace": text("app", 2, 1), "b.ftrace": text("app", 1, 0), "c.ftrace": text("other", 0, 0),
	})), Options{})
	groups, _, err := opened(t, dir).Groups(t.Context(), Query{By: []string{"process"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		share := g.Values[measureIndex("reused_share")]
		switch *g.Key[0] {
		case "app":
			if share == nil || *share != 0.25 || g.Sum("built_items") != 3 || g.Sum("reused_items") != 1 {
				t.Errorf("%d built, %d reused, share %v", g.Sum("built_items"), g.Sum("reused_items"), share)
			}
		default:
			if share != nil {
				t.Errorf("%s: share %v of no items", *g.Key[0], *share)
			}
		}
	}
	if len(groups) != 2 {
		t.Errorf("%d groups", len(groups))
	}
}
