package hostiletest

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"ohframe/internal/testing/slow"
)

// cost returns the processor time that the process uses during run. Unlike the time of
// the clock, it hardly changes when other programs use the machine.
func cost(run func()) time.Duration {
	runtime.GC()
	begun := ProcessorTime()
	run()
	return ProcessorTime() - begun
}

const (
	// growth is how much longer the second input of CheckLinear is.
	growth = 8
	// mostGrowth is how much more the second input may cost: between 8, which is
	// linear, and 64, which is quadratic.
	mostGrowth = 24
	// littleCost is a cost that is fine for the second input, whatever the first one costs.
	littleCost = 20 * time.Millisecond
)

// CheckLinear fails the test if the function that prepare returns costs more than 24
// times as much for 4n as for n/2. Unless slow tests run, it runs the function once, for
// n.
func CheckLinear(t *testing.T, n int, prepare func(n int) (run func())) {
	t.Helper()
	if !slow.Enabled() {
		prepare(n)()
		return
	}
	small, large := prepare(n/2), prepare(growth*(n/2))
	CompareCosts(t, small, large, mostGrowth)
}

// CompareCosts fails the test if large costs more than most times as much as small.
func CompareCosts(t *testing.T, small, large func(), most float64) {
	t.Helper()
	costs, ok := compareCosts(small, large, most)
	if !ok {
		t.Errorf("%s, want at most %.0f", costs, most)
	}
	t.Log(costs)
}

// compareCosts describes the costs of small and large, and reports whether large costs little
// or at most most times as much. It runs both in turn and compares the least costs:
// disturbances only add to them.
func compareCosts(small, large func(), most float64) (costs string, ok bool) {
	leastSmall, leastLarge := time.Duration(1<<62), time.Duration(1<<62)
	for range attempts {
		leastSmall, leastLarge = min(leastSmall, cost(small)), min(leastLarge, cost(large))
		if ok = leastLarge < littleCost || float64(leastLarge) <= most*float64(leastSmall); ok {
			break
		}
	}
	return fmt.Sprintf("costs %v and %v, %.1f times as much", leastSmall, leastLarge, float64(leastLarge)/float64(leastSmall)), ok
}
