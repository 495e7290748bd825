package significance

import (
	"math"
	"sort"
)

// Power is the probability with which a change of Detectable is found.
const Power = 0.8

// minNeeded is the smallest number of units that Needed returns: with fewer, little is known of how they
// differ.
const minNeeded = 3

// Detectable returns the smallest change in the direction of the hypothesis that units such as
// these would have shown with the probability Power: it is significant, and beyond Limit. It is
// not negative. A larger value varies more: what differs between units grows with it, and what
// differs within them with its root.
func (r *Result) Detectable() float64 {
	e := r.estimate
	e.deviation *= 1 + 1/(2*float64(r.freedom)) // a variance that came out too small finds too little
	size := r.smallest(r.critical, e)
	if r.hypothesis.Direction == Down || r.base <= 0 || r.variance <= 0 {
		return size
	}
	least := e.deviation
	for range iterations {
		growth := min(maxGrowth, 1+size/r.base)
		between := max(0, r.variance-r.within) * growth * growth
		e.deviation = least * math.Sqrt((1+(between+min(r.within, r.variance)*growth)/r.variance)/2)
		size = r.smallest(r.critical, e)
	}
	return size
}

const (
	// iterations are enough for Detectable: it changes by a few percent in the last.
	iterations = 5
	// maxGrowth bounds what a value grows by, so that the iterations end.
	maxGrowth = 3
)

// smallest returns the smallest change that is found if it has a standard error and must exceed a
// critical value.
func (r *Result) smallest(critical float64, e estimate) float64 {
	chance := quantile(1-Power, e.freedom) * e.deviation
	than := r.hypothesis.Than
	if r.hypothesis.Direction == Down {
		than = -than
	}
	return max(0, critical*e.deviation+than, r.hypothesis.Limit) + chance
}

// Needed returns the number of units of each side that would find the observed change with the
// probability Power, if each was observed so many times as long. It returns 0 if the change is on
// the wrong side of the hypothesis or below Limit, or if more than most are needed.
func (r *Result) Needed(longer float64, most int) int {
	size := r.Delta
	switch r.hypothesis.Direction {
	case Either:
		size = math.Abs(size)
	case Down:
		size = -size
	}
	if size <= negligible {
		return 0
	}
	level := upperTail(r.critical, r.freedom)
	variance := max(0, r.variance-r.within) + r.within/longer
	found := func(n int) bool {
		e := estimate{deviation: math.Sqrt(2 * variance / float64(n)), freedom: r.prior + 2*n - 2}
		return size >= r.smallest(quantile(level, e.freedom), e)
	}
	n := minNeeded + sort.Search(most-minNeeded+1, func(n int) bool { return found(minNeeded + n) })
	if n > most {
		return 0
	}
	return n
}
