package refresh

import "ohframe/analyzer/trace"

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
