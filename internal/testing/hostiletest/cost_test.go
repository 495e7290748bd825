package hostiletest

import (
	"testing"
	"time"
)

var sink int

// steps does n steps of work.
func steps(n int) {
	for range n {
		sink = sink*31 + 1
	}
}

// Linear and quadratic work are distinguished by their cost.
func TestGrowth(t *testing.T) {
	for _, test := range []struct {
		name   string
		work   func(n int) int
		linear bool
	}{
		{"linear", func(n int) int { return 4000 * n }, true},
		{"quadratic", func(n int) int { return n * n }, false},
	} {
		const n = 1000
		small, large := time.Duration(1<<62), time.Duration(1<<62)
		for range attempts { // the least costs: disturbances only add to them
			small = min(small, Cost(func() { steps(test.work(n)) }))
			large = min(large, Cost(func() { steps(test.work(growth * n)) }))
			if float64(large) <= mostGrowth*float64(small) == test.linear {
				break
			}
		}
		if ratio := float64(large) / float64(small); ratio <= mostGrowth != test.linear {
			t.Errorf("%s work costs %v and %v, %.1f times as much", test.name, small, large, ratio)
		}
	}
}
