package stats

import "math"

// RateMethod names the test on two rates.
type RateMethod string

const (
	// FisherExact is Fisher's exact test, two-sided: the sum of the probabilities of
	// all tables with the same marginal sums that are at most as probable as the
	// observed one. It is used if a cell of the table has an expected count below 5.
	FisherExact RateMethod = "fisher_exact"
	// TwoProportionZ is the two-proportion z-test with the pooled rate, two-sided,
	// without a correction for continuity.
	TwoProportionZ RateMethod = "two_proportion_z"
)

// RateTest tests whether frames are late more often in one trace than in another.
type RateTest struct {
	// BaseFrames and NewFrames count the frames with a deadline.
	BaseFrames int `json:"base_frames"`
	BaseLate   int `json:"base_late"`
	NewFrames  int `json:"new_frames"`
	NewLate    int `json:"new_late"`
	// TooFewFrames: a side has fewer than MinFrames frames; then there is no test.
	TooFewFrames bool `json:"too_few_frames"`
	// Method is empty if there is no test.
	Method RateMethod `json:"method"`
	// Difference is the new rate − the base rate, −1 to 1, even with too few frames for
	// a test.
	Difference float64 `json:"difference"`
	// P is the two-sided p-value; nil if there are too few frames.
	P *float64 `json:"p"`
}

// minExpected is the smallest expected count of a cell for which the normal
// approximation is used (Cochran's rule).
const minExpected = 5

// testRates returns nil if a side has no frames.
func testRates(baseLate, base, newLate, new int) *RateTest {
	if base == 0 || new == 0 {
		return nil
	}
	t := &RateTest{BaseFrames: base, BaseLate: baseLate, NewFrames: new, NewLate: newLate}
	t.Difference = float64(newLate)/float64(new) - float64(baseLate)/float64(base)
	if t.TooFewFrames = min(base, new) < MinFrames; t.TooFewFrames {
		return t
	}
	late := baseLate + newLate
	rarer := float64(min(late, base+new-late)) / float64(base+new)
	if rarer*float64(min(base, new)) < minExpected {
		t.Method, t.P = FisherExact, number(fisher(baseLate, base, newLate, new))
		return t
	}
	t.Method, t.P = TwoProportionZ, number(twoSided(twoProportionZ(baseLate, base, newLate, new)))
	return t
}

// twoProportionZ returns the difference of two rates in standard deviations. The
// rates must not both be 0 or both be 1.
func twoProportionZ(a, n, b, m int) float64 {
	pooled := float64(a+b) / float64(n+m)
	deviation := math.Sqrt(pooled * (1 - pooled) * (1/float64(n) + 1/float64(m)))
	return (float64(b)/float64(m) - float64(a)/float64(n)) / deviation
}

// fisher returns the p-value of a late frames of n against b of m.
func fisher(a, n, b, m int) float64 {
	late := a + b
	// The probability that x of the late frames are among the n.
	logChance := func(x int) float64 { return logChoose(n, x) + logChoose(m, late-x) - logChoose(n+m, late) }
	// Tables as probable as the observed one must be included in spite of rounding.
	found := logChance(a) + 1e-7
	p := 0.0
	for x := max(0, late-m); x <= min(n, late); x++ {
		if chance := logChance(x); chance <= found {
			p += math.Exp(chance)
		}
	}
	return min(1, p)
}

// logChoose returns the logarithm of the number of ways to choose k of n.
func logChoose(n, k int) float64 {
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}

func logFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n) + 1)
	return l
}
