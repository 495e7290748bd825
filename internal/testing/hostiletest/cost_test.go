package hostiletest

import "testing"

var sink int

// steps returns a function that does n steps of work.
func steps(n int) func() {
	return func() {
		for range n {
			sink = sink*31 + 1
		}
	}
}

// Linear and quadratic work are distinguished by their cost.
func TestGrowth(t *testing.T) {
	const n = 1000
	if costs, ok := compareCosts(steps(4000*n), steps(4000*growth*n), mostGrowth); !ok {
		t.Errorf("linear work %s", costs)
	}
	if costs, ok := compareCosts(steps(n*n), steps(growth*n*growth*n), mostGrowth); ok {
		t.Errorf("quadratic work %s", costs)
	}
}
