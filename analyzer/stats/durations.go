package stats

import (
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Durations are how long frames took: the lengths of their actual intervals
// (docs/frames.md 9.9). A render frame's is its main thread's work, without drawing, GPU
// work and commit. Empty frames are included. Dropped frames are not, because they end
// when they are dropped.
//
// Percentiles are exact, by nearest rank: the P-th percentile of n durations in order is
// number ⌈P·n/100⌉, which is always a measured value. P95 is nil for fewer than 20
// durations and P99 for fewer than 100: it would be the longest of them.
type Durations struct {
	Frames    int             `json:"frames"` // number of frames
	P50       trace.Duration  `json:"p50_ns"`
	P90       trace.Duration  `json:"p90_ns"`
	P95       *trace.Duration `json:"p95_ns"`
	P99       *trace.Duration `json:"p99_ns"`
	Max       trace.Duration  `json:"max_ns" peak:"duration_max_ns"`
	Histogram []Bucket        `json:"histogram"` // the buckets of `dumpsys gfxinfo` that are not empty, in order
}

// DurationsInPeriods has each duration in refresh periods, rounded to a millionth. It is
// comparable across refresh rates.
type DurationsInPeriods struct {
	Frames int      `json:"frames"` // number of frames
	P50    float64  `json:"p50_periods"`
	P90    float64  `json:"p90_periods"`
	P95    *float64 `json:"p95_periods"`
	P99    *float64 `json:"p99_periods"`
	Max    float64  `json:"max_periods"`
}

func durations(frames []*analyzer.Frame) *Durations {
	list := sortedDurations(frames)
	n := len(list)
	if n == 0 {
		return nil
	}
	return &Durations{
		n, Percentile(list, 50), Percentile(list, 90), tailPercentile(list, 95), tailPercentile(list, 99), list[n-1],
		histogram(list),
	}
}

func durationsInPeriods(frames []*analyzer.Frame) *DurationsInPeriods {
	list := sortedMicroperiods(frames)
	n := len(list)
	if n == 0 {
		return nil
	}
	tail := func(p int) *float64 {
		if at := tailPercentile(list, p); at != nil {
			return number(at.periods())
		}
		return nil
	}
	return &DurationsInPeriods{n, Percentile(list, 50).periods(), Percentile(list, 90).periods(), tail(95), tail(99), list[n-1].periods()}
}

func sortedDurations(frames []*analyzer.Frame) []trace.Duration {
	var list []trace.Duration
	for _, f := range frames {
		if !f.Facts.Has(analyzer.Dropped) {
			list = append(list, f.Actual.Duration())
		}
	}
	slices.Sort(list)
	return list
}

// microperiods is a duration in millionths of a refresh period. It is an integer because
// rank tests need exact equality.
type microperiods int64

// maxMicroperiods is more than any duration has at a possible period.
const maxMicroperiods = 1 << 62

func (m microperiods) periods() float64 { return float64(m) / 1e6 }

// inPeriods returns a duration in refresh periods.
func inPeriods(d, period trace.Duration) microperiods {
	return microperiods(min(maxMicroperiods, math.Round(float64(d)/float64(period)*1e6)))
}

// sortedMicroperiods returns the durations of the frames with a known period.
func sortedMicroperiods(frames []*analyzer.Frame) []microperiods {
	var list []microperiods
	for _, f := range frames {
		if period := periodOf(f); period > 0 && !f.Facts.Has(analyzer.Dropped) {
			list = append(list, inPeriods(f.Actual.Duration(), period))
		}
	}
	slices.Sort(list)
	return list
}

// Percentile returns the p-th percentile of a sorted list by nearest rank, p
// from 1 to 100. The list must not be empty.
func Percentile[T any](sorted []T, p int) T {
	return sorted[(p*len(sorted)+99)/100-1]
}

// tailPercentile is Percentile, or nil if the list has too few values to have one beyond
// it (docs/frames.md 9.9).
func tailPercentile[T any](sorted []T, p int) *T {
	if len(sorted) < leastOf(p) {
		return nil
	}
	at := Percentile(sorted, p)
	return &at
}
