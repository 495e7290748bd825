package significance

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

const (
	// From so many divisions on, a permutation finds as much as a t-test. With several hypotheses it
	// finds more from fewer divisions on, as it makes use of their correlation.
	minDivisions        = 1000
	minDivisionsSeveral = 50
	several             = 5
	// maxEnumerated is the number of units up to which all divisions can be counted.
	maxEnumerated = 20
	// Numbers of random divisions: within these bounds as many as work allows, in units that are
	// divided.
	leastDrawn = 999
	mostDrawn  = 9999
	work       = 50_000_000
)

// canPermute reports whether units can be permuted in enough ways.
func canPermute(tests []*test, hypotheses int) bool {
	enough := float64(minDivisions)
	if hypotheses >= several {
		enough = minDivisionsSeveral
	}
	base, new := len(tests[0].Base), len(tests[0].New)
	return ways(base+new, new) >= enough
}

// ways returns the number of ways to choose k of n.
func ways(n, k int) float64 {
	w := 1.0
	for i := range k {
		w *= float64(n-i) / float64(i+1)
	}
	return math.Round(w)
}

// draws returns how many random divisions or orders of units are drawn for so many tests.
func draws(units, tests int) int { return min(mostDrawn, max(leastDrawn, work/(units*tests))) }

// permute tests against the largest statistic of each division of the units (Westfall and Young,
// 1993, single step), which corrects for the number of hypotheses and makes use of their
// correlation. It tries all divisions, or a random choice, which depends on their number only.
func (f *Family) permute(tests []*test) {
	base, new := len(tests[0].Base), len(tests[0].New)
	all := base + new
	drawn := draws(all, len(tests))
	isNew := make([]bool, all)
	var maxima []float64 // of each division
	add := func() {
		largest := math.Inf(-1)
		for _, x := range tests {
			largest = max(largest, x.statistic(x.divide(func(i int) bool { return isNew[i] })))
		}
		maxima = append(maxima, largest)
	}
	observed := 0 // 1 if the observed division is not among them
	if all <= maxEnumerated && ways(all, new) <= float64(drawn) {
		for chosen := range uint64(1) << all {
			if bits.OnesCount64(chosen) == new {
				for i := range isNew {
					isNew[i] = chosen>>i&1 == 1
				}
				add()
			}
		}
	} else {
		random := rand.New(rand.NewPCG(uint64(base), uint64(new)))
		for range drawn {
			clear(isNew)
			for _, i := range random.Perm(all)[:new] {
				isNew[i] = true
			}
			add()
		}
		observed = 1
	}
	f.Resamples = len(maxima)
	slices.Sort(maxima)
	total := float64(len(maxima) + observed)
	critical := maxima[len(maxima)-1-max(0, int(Level*total)-observed)]
	for _, x := range tests {
		t := x.statistic(x.observed)
		t -= 1e-9 * math.Abs(t) // the same division, summed in another order, may differ by rounding
		below, _ := slices.BinarySearch(maxima, t)
		x.set(float64(len(maxima)-below+observed)/total, critical)
	}
}
