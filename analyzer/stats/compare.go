package stats

import (
	"cmp"
	"maps"
	"math"

	"ohframe/analyzer/trace"
)

// MinFrames is the minimum number of frames on each side of a test. With fewer, a single
// frame decides, and the normal approximations are not valid.
const MinFrames = 20

// Comparison is how a process's frames differ between two traces.
//
// The tests assume that frames are independent. In fact a slow frame often follows
// another, so p-values are too small. Repeated traces are better evidence than long
// ones, and the size of an effect is better than its p-value.
type Comparison struct {
	// Base and New are the processes compared; nil if a trace does not have it.
	Base *Subject `json:"base"`
	New  *Subject `json:"new"`
	// RefreshDiffers: more than a tenth of the frames would have to be made at another
	// refresh rate for both processes to use all rates equally often. Then
	// DurationsInPeriods is the better test, because frames take longer if they have
	// more time.
	RefreshDiffers bool `json:"refresh_differs"`
	// A test is nil if either process has no frames for it. Those on durations are also
	// nil if either process was read from JSON.
	Durations          *DurationTest          `json:"durations"`
	DurationsInPeriods *DurationInPeriodsTest `json:"durations_in_periods"`
	JankRate           *RateTest              `json:"jank_rate"`
}

// Subject identifies a process that was compared.
type Subject struct {
	Kind Kind      `json:"kind"`
	PID  trace.PID `json:"pid"`
	Name string    `json:"name"`
}

// Compare compares a process in two traces. Either may be nil, for a process that is in
// one trace only; then all tests are nil.
func Compare(base, new *Process) Comparison {
	c := Comparison{Base: base.subject(), New: new.subject()}
	if base == nil || new == nil {
		return c
	}
	c.RefreshDiffers = refreshDiffers(base.Refresh, new.Refresh)
	c.Durations = testDurations(sortedDurations(base.records.samples), sortedDurations(new.records.samples))
	c.DurationsInPeriods = testDurationsInPeriods(
		sortedMicroperiods(base.records.samples), sortedMicroperiods(new.records.samples))
	c.JankRate = testRates(base.Frames.Late, base.Frames.WithDeadline, new.Frames.Late, new.Frames.WithDeadline)
	return c
}

func (p *Process) subject() *Subject {
	if p == nil {
		return nil
	}
	return &Subject{p.Kind, p.PID, p.Name}
}

// maxRefreshDifference is the share of frames above which refresh rates differ.
const maxRefreshDifference = 0.1

// refreshDiffers compares the shares of frames at each refresh rate. Half the sum of
// the differences is the share of frames that would have to change.
func refreshDiffers(base, new []Refresh) bool {
	a, b := shares(base), shares(new)
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	difference := 0.0
	for hertz := range all {
		difference += math.Abs(a[hertz]-b[hertz]) / 2
	}
	return difference > maxRefreshDifference
}

// shares returns the share of frames at each refresh rate, in whole hertz.
func shares(list []Refresh) map[int]float64 {
	total := 0
	for _, r := range list {
		total += r.Frames
	}
	m := map[int]float64{}
	for _, r := range list {
		m[wholeHertz(r.Period)] += float64(r.Frames) / float64(total)
	}
	return m
}

// sign returns -1, 0 or 1.
func sign[T cmp.Ordered](x T) float64 {
	var zero T
	return float64(cmp.Compare(x, zero))
}
