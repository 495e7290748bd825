package stats

import (
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Durations is how long frames took: the length of their actual intervals, the
// ones that a timeline shows. For a render frame that is its main thread's work;
// drawing, GPU work and commit follow it and are not in it. Empty frames count,
// dropped frames do not: they end when they are dropped.
//
// Percentiles are exact, by nearest rank: the P-th of n durations in order is
// number ⌈P·n/100⌉, always one that was measured.
type Durations struct {
	Frames int            `json:"frames"`
	P50    trace.Duration `json:"p50_ns"`
	P90    trace.Duration `json:"p90_ns"`
	P95    trace.Duration `json:"p95_ns"`
	P99    trace.Duration `json:"p99_ns"`
	Max    trace.Duration `json:"max_ns"`
	// Histogram has the buckets that are not empty, in order.
	Histogram []Bucket `json:"histogram"`
}

// DurationsInPeriods is the same with each duration in refresh periods, to the
// millionth: what compares across refresh rates.
type DurationsInPeriods struct {
	Frames int     `json:"frames"`
	P50    float64 `json:"p50_periods"`
	P90    float64 `json:"p90_periods"`
	P95    float64 `json:"p95_periods"`
	P99    float64 `json:"p99_periods"`
	Max    float64 `json:"max_periods"`
}

func durations(samples []sample) *Durations {
	list := sortedDurations(samples)
	n := len(list)
	if n == 0 {
		return nil
	}
	return &Durations{
		n, percentile(list, 50), percentile(list, 90), percentile(list, 95), percentile(list, 99), list[n-1],
		histogram(list),
	}
}

func durationsInPeriods(samples []sample) *DurationsInPeriods {
	list := sortedMicroperiods(samples)
	n := len(list)
	if n == 0 {
		return nil
	}
	at := func(p int) float64 { return percentile(list, p).periods() }
	return &DurationsInPeriods{n, at(50), at(90), at(95), at(99), list[n-1].periods()}
}

func sortedDurations(samples []sample) []trace.Duration {
	var list []trace.Duration
	for i := range samples {
		if !samples[i].facts.Has(analyzer.Dropped) {
			list = append(list, samples[i].duration)
		}
	}
	slices.Sort(list)
	return list
}

// microperiods is a duration in millionths of a refresh period. Whole numbers
// are equal or not; tests that rank them depend on that.
type microperiods int64

// maxMicroperiods is more than any duration has, if the period is one.
const maxMicroperiods = 1 << 62

func (m microperiods) periods() float64 { return float64(m) / 1e6 }

// sortedMicroperiods returns the durations of the frames whose period is known.
func sortedMicroperiods(samples []sample) []microperiods {
	var list []microperiods
	for i := range samples {
		if s := &samples[i]; s.period > 0 && !s.facts.Has(analyzer.Dropped) {
			list = append(list, microperiods(min(maxMicroperiods, math.Round(float64(s.duration)/float64(s.period)*1e6))))
		}
	}
	slices.Sort(list)
	return list
}

// percentile returns the p-th percentile of a sorted list by nearest rank, p
// from 1 to 100. The list must not be empty.
func percentile[T any](sorted []T, p int) T {
	return sorted[(p*len(sorted)+99)/100-1]
}
