package stats

import (
	"maps"
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Refresh is a refresh rate and the number of frames made at it. The display can change
// its rate at any time.
type Refresh struct {
	Rate float64 `json:"rate_hz"` // 1 s / "period_ns"
	// median of the periods that make the same whole number of hertz
	Period trace.Duration `json:"period_ns"`
	Frames int            `json:"frames"` // frames made at this rate
}

// Displays have between 1 and 1000 Hz. Other periods are treated as unknown, but for a tenth, by which
// the estimate of a period may be too long.
const (
	shortestPeriod = trace.Millisecond
	longestPeriod  = trace.Second + trace.Second/10
)

func periodOf(f *analyzer.Frame) trace.Duration {
	if f.Period < shortestPeriod || f.Period > longestPeriod {
		return 0
	}
	return f.Period
}

// refreshRates returns the rates of the frames with a known period.
func refreshRates(frames []*analyzer.Frame) []Refresh {
	periods := map[int][]trace.Duration{}
	for _, f := range frames {
		if p := periodOf(f); p > 0 {
			hertz := wholeHertz(p)
			periods[hertz] = append(periods[hertz], p)
		}
	}
	list := make([]Refresh, 0, len(periods))
	for _, hertz := range slices.Sorted(maps.Keys(periods)) {
		group := periods[hertz]
		slices.Sort(group)
		period := Percentile(group, 50)
		list = append(list, Refresh{1 / seconds(period), period, len(group)})
	}
	return list
}

func wholeHertz(period trace.Duration) int { return int(math.Round(1 / seconds(period))) }
