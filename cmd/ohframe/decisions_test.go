package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/significance"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// writePair writes five traces before a change to the folder base, and five after it to new. Runs differ by
// chance. The change is small, about as large as what five runs show, or large, by the pair's number; every
// fourth pair has runs that are too short for some or all measures.
func writePair(t *testing.T, pair int) {
	t.Helper()
	for side, name := range []string{"base", "new"} {
		must.Do(t, os.Mkdir(name, 0o777))
		for n := range 5 {
			c := simulate.Default()
			c.Seed = uint64(1000*pair + 100*side + n)
			c.Duration = []trace.Duration{2000, 2000, 2000, 250, 2000, 2000, 2000, 1000}[pair%8] * trace.Millisecond
			usual, more := 0.03+0.01*float64((n+pair)%5), []float64{0.04, 0.08, 0.12, 0.08}[pair%4]*float64(side)
			c.Chances = simulate.Chances{AppLate: usual + more, AppStuck: usual / 6, AppPause: 0.01, RenderLate: usual/2 + more/2, RenderGPULate: 0.01}
			var b bytes.Buffer
			must.Get(simulate.Write(&b, c))(t)
			must.Do(t, os.WriteFile(filepath.Join(name, fmt.Sprintf("%d.ftrace", n)), b.Bytes(), 0o666))
		}
	}
}

// Traces, datasets of them, a side of each, and one dataset that is cut pass and fail the same conditions, with
// the same p-values.
func TestDecisions(t *testing.T) {
	slow.SkipRace(t)
	const conditions = "jank_rate>+0pp,p95_ms>+0%,p99_ms>+0%,hitch_ratio>+0%,fps<-0%"
	counts, all := map[string]float64{}, 0.
	for pair := range slow.Of(4, 32) {
		t.Chdir(t.TempDir())
		writePair(t, pair)
		for _, args := range []string{"base -o of-base", "new -o of-new --shards 2", "base new -o both --shards 3 --dim side=^(base|new)/"} {
			if code, _, stderr := ohframeHere(t, append([]string{"fleet", "run", "--no-causes"}, strings.Fields(args)...)...); code != 0 {
				t.Fatal(stderr)
			}
		}
		var want string
		for _, sides := range []string{"base new", "of-base of-new", "base of-new", "of-base new", "both --base side=base --new side=new"} {
			code, stdout, stderr := ohframeHere(t, append([]string{"diff", "--no-causes", "--fail-on", conditions, "--format", "json"}, strings.Fields(sides)...)...)
			var d struct {
				FailOn json.RawMessage `json:"fail_on"`
			}
			if err := json.Unmarshal([]byte(stdout), &d); err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			got := fmt.Sprint(code, string(d.FailOn))
			if want != "" {
				if got != want {
					t.Errorf("pair %d, %s: %s", pair, sides, firstDifference(got, want))
				}
				continue
			}
			want = got
			var decisions []struct {
				Condition, Status string
				P                 *float64 `json:"p_value"`
			}
			if must.Do(t, json.Unmarshal(d.FailOn, &decisions)); len(decisions) != 10 {
				t.Errorf("pair %d: %d decisions, want those of five conditions on two processes", pair, len(decisions))
			}
			for i, o := range decisions {
				p := math.NaN()
				if o.P != nil {
					p = *o.P
				}
				all++
				counts[o.Status]++
				if p > significance.Level/2 && p < 3*significance.Level {
					counts["near"]++
				}
				t.Logf("pair %d, process %d: %s %s, p %.4f", pair, i/5, o.Condition, o.Status, p)
			}
		}
	}
	for kind, share := range map[string]float64{"failed": 0.2, "passed": 0.3, "unknown": 0.1, "near": 0.1} {
		if counts[kind] < share*all {
			t.Errorf("%v of %v decisions are %s, want a share of %v", counts[kind], all, kind, share)
		}
	}
}
