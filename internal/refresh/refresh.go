// Package refresh estimates a display's refresh period.
package refresh

import (
	"slices"

	"ohframe/analyzer/trace"
)

// maxVsyncs is the number of periods up to which a gap is used. In longer ones the
// jitter of vsyncs adds up.
const maxVsyncs = 8

// Gaps sorts vsyncs and returns the gaps between them that are at least shortest and at
// most longest, and the vsync at which each of them begins.
func Gaps[T ~int64](vsyncs []T, shortest, longest trace.Duration) (starts []T, gaps []trace.Duration) {
	slices.Sort(vsyncs)
	for i := 1; i < len(vsyncs); i++ {
		if gap := trace.Duration(vsyncs[i] - vsyncs[i-1]); gap >= shortest && gap <= longest {
			starts = append(starts, vsyncs[i-1])
			gaps = append(gaps, gap)
		}
	}
	return starts, gaps
}

// Mean returns the mean period in the gaps between vsyncs that are close to a multiple of
// the given period. At least one gap must be.
func Mean(gaps []trace.Duration, period trace.Duration) trace.Duration {
	var sum, vsyncs trace.Duration
	for _, gap := range gaps {
		n := (gap + period/2) / period
		if n <= maxVsyncs && (gap-n*period).Abs() <= period/10 {
			sum += gap
			vsyncs += n
		}
	}
	return sum / vsyncs
}

// Lead is how long before the second vsync after its own a frame of render_service is
// expected to end, from 5.0 on (docs/frames.md 8.3).
const Lead = 5 * trace.Millisecond

// OfTwo returns the refresh period of a frame whose expected interval is two periods less
// the lead (docs/frames.md 8.3).
func OfTwo(expected trace.Duration) trace.Duration { return (expected + Lead) / 2 }

// SpansTwo reports whether an expected interval is two periods less the lead, and not one
// period: whether that fits better to the announced period.
func SpansTwo(announced, expected trace.Duration) bool {
	return (OfTwo(expected) - announced).Abs() < (expected - announced).Abs()
}

// Misfit returns how far a gap between vsyncs is from a whole number of periods, in
// periods, 0 to 0.5 (docs/frames.md 8.3).
func Misfit(gap, period trace.Duration) float64 {
	n := max(1, (gap+period/2)/period)
	return float64((gap - n*period).Abs()) / float64(period)
}
