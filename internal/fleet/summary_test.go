package fleet

import (
	"fmt"
	"testing"

	"ohframe/internal/testing/must"
)

// A process with summaries only has one row, the sum of these. Filtered ones do not count, nor do
// those of a process with rows of frames.
func TestSummaries(t *testing.T) {
	const head = "Total frames rendered: 100\nJanky frames: 5 (5.00%)\nHISTOGRAM: 5ms=90 32ms=7 4950ms=3\n"
	const rows = "Window: w\n---PROFILEDATA---\nFlags,IntendedVsync,FrameCompleted,\n0,1000000,2000000,\n---PROFILEDATA---\n"
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, find(t, folder(t, map[string]string{
		"days.txt":   "Package: app\nStats since: 1ns\n" + head + "Package: app\nStats since: 2ns\n" + head + "Package: app\nStats since: 3ns\nNote: Data has been filtered!\n" + head,
		"frames.txt": "** Graphics info for pid 7 [other] **\n" + head + rows,
	})), Options{})
	groups, _ := must.Get2(opened(t, dir).groups(t.Context(), Query{By: []string{"process"}, Stages: true}))(t)
	got := map[string]string{}
	for _, g := range groups {
		line := ""
		for _, name := range []string{"jank_rate", "p50_ms", "p95_ms", "p99_ms", "max_ms"} {
			if x := g.Values[measureIndex(name)]; x != nil {
				line += fmt.Sprintf("%s %.3g ", name, *x)
			}
		}
		got[*g.Key[0]] = fmt.Sprint(g.Sum("frames"), " frames: ", line)
	}
	// Values are within 1/128 of those of the dump.
	if want := "200 frames: jank_rate 0.05 p50_ms 5.01 p95_ms 32.1 p99_ms 4.93e+03 max_ms 4.95e+03 "; got["app"] != want {
		t.Errorf("got %q, want %q", got["app"], want)
	}
	if want := "1 frames: p50_ms 1 max_ms 1 "; len(got) != 2 || got["other"] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
