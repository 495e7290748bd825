package stats

import (
	"math"

	"ohframe/analyzer/trace"
)

// RankTest tests whether the frames of one trace tend to take longer than those of
// another: the Mann–Whitney U test, also called Wilcoxon rank-sum test. It assumes no
// distribution of durations. If there are too few frames, all results are nil.
type RankTest struct {
	BaseFrames int `json:"base_frames"`
	NewFrames  int `json:"new_frames"`
	// TooFewFrames: a side has fewer than MinFrames frames.
	TooFewFrames bool `json:"too_few_frames"`
	// U counts the pairs of a new and a base frame in which the new one took longer. A
	// pair of equal durations counts half.
	U *float64 `json:"u"`
	// Z is U's distance from its mean in standard deviations, by the normal
	// approximation with corrections for ties and for continuity.
	Z *float64 `json:"z"`
	// P is the two-sided p-value: the probability of a difference at least as large, in
	// either direction, between samples of the same distribution. It is 0 if it is too
	// small for a float64.
	P *float64 `json:"p"`
	// CliffsDelta is the size of the effect: the share of pairs in which the new frame
	// took longer, minus the share in which the base frame did. It is −1 if all new
	// frames are shorter and 1 if all are longer.
	CliffsDelta *float64 `json:"cliffs_delta"`
}

// DurationTest is the test on the lengths of actual intervals.
type DurationTest struct {
	RankTest
	// Shift is how much longer new frames typically take, by the Hodges–Lehmann
	// estimator: the median of the differences of all pairs, new − base.
	Shift *float64 `json:"shift_ms"`
}

// DurationInPeriodsTest is the test on durations in refresh periods, of the frames with
// a known period.
type DurationInPeriodsTest struct {
	RankTest
	// Shift is as in DurationTest, in periods.
	Shift *float64 `json:"shift_periods"`
}

// testDurations returns nil if a side is empty. Both lists are sorted.
func testDurations(base, new []trace.Duration) *DurationTest {
	if len(base) == 0 || len(new) == 0 {
		return nil
	}
	t := &DurationTest{RankTest: rankTest(base, new)}
	if !t.TooFewFrames {
		t.Shift = number(hodgesLehmann(base, new) / float64(trace.Millisecond))
	}
	return t
}

// testDurationsInPeriods returns nil if a side is empty. Both lists are sorted.
func testDurationsInPeriods(base, new []microperiods) *DurationInPeriodsTest {
	if len(base) == 0 || len(new) == 0 {
		return nil
	}
	t := &DurationInPeriodsTest{RankTest: rankTest(base, new)}
	if !t.TooFewFrames {
		t.Shift = number(hodgesLehmann(base, new) / 1e6)
	}
	return t
}

func rankTest[T ~int64](base, new []T) RankTest {
	t := RankTest{BaseFrames: len(base), NewFrames: len(new)}
	if t.TooFewFrames = min(len(base), len(new)) < MinFrames; t.TooFewFrames {
		return t
	}
	u, z := mannWhitney(base, new)
	t.U, t.Z, t.P = &u, &z, number(twoSided(z))
	t.CliffsDelta = number(2*u/(float64(len(base))*float64(len(new))) - 1)
	return t
}

// twoSided returns the probability that the absolute value of a standard normal
// variable is at least that of z.
func twoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// mannWhitney returns U of the new values and its standard score, which is zero if all
// values are equal. Both lists are sorted and not empty.
func mannWhitney[T ~int64](base, new []T) (u, z float64) {
	n, m := float64(len(base)), float64(len(new))
	ties := 0.0
	for i, j := 0, 0; i < len(base) || j < len(new); {
		var value T
		if j == len(new) || i < len(base) && base[i] <= new[j] {
			value = base[i]
		} else {
			value = new[j]
		}
		below := i
		for i < len(base) && base[i] == value {
			i++
		}
		first := j
		for j < len(new) && new[j] == value {
			j++
		}
		equalBase, equalNew := float64(i-below), float64(j-first)
		u += equalNew * (float64(below) + equalBase/2)
		t := equalBase + equalNew
		ties += t*t*t - t
	}
	all := n + m
	variance := n * m / 12 * (all + 1 - ties/(all*(all-1)))
	if variance <= 0 {
		return u, 0
	}
	distance := u - n*m/2
	return u, sign(distance) * max(0, math.Abs(distance)-0.5) / math.Sqrt(variance)
}

// hodgesLehmann returns the median of new − base over all pairs. For an even number of
// pairs it is the mean of the two in the middle. Both lists are sorted and not empty.
func hodgesLehmann[T ~int64](base, new []T) float64 {
	pairs := len(base) * len(new)
	low := kthDifference(base, new, (pairs+1)/2)
	if pairs%2 == 1 {
		return float64(low)
	}
	return (float64(low) + float64(kthDifference(base, new, pairs/2+1))) / 2
}

// kthDifference returns the k-th smallest of all differences new − base, k from 1. There
// can be too many to list, so it is a binary search for the value, which counts the
// differences up to it in one pass over both lists. Values are not negative, so
// differences do not overflow; the distance of two differences may.
func kthDifference[T ~int64](base, new []T, k int) T {
	low, high := new[0]-base[len(base)-1], new[len(new)-1]-base[0]
	for low < high {
		middle := low + T((uint64(high)-uint64(low))/2)
		if countDifferences(base, new, middle) >= k {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// countDifferences counts the pairs in which new − base is at most limit.
func countDifferences[T ~int64](base, new []T, limit T) int {
	count, i := 0, 0
	for _, x := range new {
		for i < len(base) && x-base[i] > limit {
			i++
		}
		count += len(base) - i
	}
	return count
}
