package stats

import (
	"cmp"
	"maps"
	"math"

	"ohframe/analyzer/trace"
)

// MinFrames is how many frames each side of a test must have at least. With
// fewer, one odd frame decides, and the normal approximations do not hold.
const MinFrames = 20

// Comparison is how a process's frames differ between two traces.
//
// The tests take frames for independent of each other. They are not quite: a
// slow frame often follows another, so p-values are smaller than they should
// be. Repeated traces say more than long ones, and the size of an effect more
// than its p-value.
type Comparison struct {
	// Base and New are the processes compared; nil if there is none.
	Base *Subject `json:"base"`
	New  *Subject `json:"new"`
	// RefreshDiffers says that more than a tenth of the frames would have to be
	// made at another refresh rate for both to have the same rates equally often.
	// Then DurationsInPeriods is the fairer test: more time for a frame makes
	// longer frames.
	RefreshDiffers bool `json:"refresh_differs"`
	// The tests are nil if either process has none of the frames in question, those
	// on durations also if either was read from JSON.
	Durations          *DurationTest          `json:"durations"`
	DurationsInPeriods *DurationInPeriodsTest `json:"durations_in_periods"`
	JankRate           *RateTest              `json:"jank_rate"`
}

// Subject says which process was compared.
type Subject struct {
	Kind Kind      `json:"kind"`
	PID  trace.PID `json:"pid"`
	Name string    `json:"name"`
}

// Compare compares what a process did in two traces. A process may be nil: then it
// is in one trace only, and there are no tests.
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

// refreshDiffers compares how the frames divide among refresh rates: half the
// sum of the differences of the shares is the share that would have to change.
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

// shares returns each whole number of hertz's share of the frames.
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
