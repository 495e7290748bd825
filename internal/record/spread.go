package record

import (
	"math/rand/v2"
	"slices"
)

// Spread summarizes the values of a measure in several runs.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	// Interval is the 95 % confidence interval of the median, by bootstrap; nil with
	// fewer than minRuns values.
	Interval *[2]float64 `json:"interval"`
	Runs     int         `json:"runs"`
}

// minRuns is the number of values from which on an interval can be one of 95 %: the
// median is between the smallest and the largest of n values with probability 1 − 2^(1−n),
// which is 94 % for 5.
const minRuns = 6

// resamples is the number of samples of the bootstrap. The ends of the interval are the
// 50th and the 1950th.
const resamples = 2000

// NewSpread summarizes values, at least one. The same values give the same spread.
func NewSpread(values []float64) Spread {
	s := Spread{Median: median(values), Min: slices.Min(values), Max: slices.Max(values), Runs: len(values)}
	if len(values) < minRuns {
		return s
	}
	random := rand.New(rand.NewPCG(1, 1))
	medians, sample := make([]float64, resamples), make([]float64, len(values))
	for i := range medians {
		for k := range sample {
			sample[k] = values[random.IntN(len(values))]
		}
		medians[i] = median(sample)
	}
	slices.Sort(medians)
	s.Interval = &[2]float64{medians[resamples/40-1], medians[resamples-resamples/40-1]}
	return s
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
