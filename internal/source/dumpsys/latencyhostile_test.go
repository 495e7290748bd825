package dumpsys_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/testing/must"
)

const goodLatency = "first\n16666667\n10\t100\t20\n"

func TestLatencyExtremes(t *testing.T) {
	ends := []int64{math.MinInt64, -1, 0, 1, math.MaxInt64 / 4, math.MaxInt64/4 + 1, math.MaxInt64 - 1, math.MaxInt64}
	var b strings.Builder
	b.WriteString("0\n")
	for _, x := range ends {
		for _, y := range ends {
			for _, z := range ends {
				fmt.Fprintln(&b, x, y, z)
			}
		}
	}
	if !dumpsys.SniffLatency([]byte("0\n1 2 3\n")) || dumpsys.SniffLatency([]byte("0\n")) || dumpsys.SniffLatency([]byte("0\n0\n1 2 3\n")) {
		t.Error("a period of zero is one only before a row")
	}
	timeline, stats := readLatency(t, b.String(), dumpsys.Options{})
	for _, f := range timeline.Frames {
		if f.Actual.Start <= 0 || f.Actual.End > math.MaxInt64/4 || f.Period != 0 {
			t.Fatalf("%s", f)
		}
	}
	// Present at 1 and at the longest time that can be, with all desired and ready
	// times; later than that cannot be, but for those that wait.
	n := len(ends) * len(ends)
	if l := stats.Layers[0]; len(timeline.Frames) != 2*n+2 || l.Waiting != n || l.Pending != 4*n || stats.Damaged != 2*n {
		t.Errorf("%d frames, %+v", len(timeline.Frames), stats)
	}
	said := strings.Join(diag.Texts(stats.Warnings()), "\n")
	must.Contain(t, said, `1 dump without a refresh period: "layer"`, "warnings")
}

// Names do not reach a terminal as they are.
func TestNamesInWarnings(t *testing.T) {
	name := "evil\u202e" + strings.Repeat("x", 200)
	_, stats := readLatency(t, goodLatency+name+"\n16666667\n", dumpsys.Options{})
	if w := diag.Texts(stats.Warnings()); len(w) != 1 || !strings.Contains(w[0], `"evil\u202exxx`) || len(w[0]) > 150 {
		t.Errorf("warnings %q", w)
	}
}
