package quality

import (
	"math"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

func TestRounded(t *testing.T) {
	for d, want := range map[trace.Duration]string{
		0: "0s", 4_079_139_062: "4.08s", 50_000_000: "50ms", 12_345_678: "12.3ms", 9_996_000_000: "10s", 71_260_000_000: "1m11.3s",
	} {
		must.Equal(t, rounded(d).String(), want, "%d ns", d)
	}
	if rounded(math.MaxInt64) <= 0 {
		t.Error("overflow")
	}
}
