package stats

import (
	"math"
	"math/bits"

	"ohframe/analyzer/trace"
)

// Times come from traces and can have any value. Sums, differences and products of them
// saturate at the largest or the smallest value instead of overflowing.

func add[T ~int | ~int64](a, b T) T {
	sum := a + b
	if a > 0 && b > 0 && sum < 0 {
		return math.MaxInt64
	}
	if a < 0 && b < 0 && sum >= 0 {
		return math.MinInt64
	}
	return sum
}

func after(t trace.Time, d trace.Duration) trace.Time { return add(t, trace.Time(d)) }

// times returns n times d. Both must not be negative.
func times(n int, d trace.Duration) trace.Duration {
	high, low := bits.Mul64(uint64(n), uint64(d))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return trace.Duration(low)
}
