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
	// Changes has every measure, in the order of the report.
	Changes []Change `json:"changes"`
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

// Change is a measure in both traces.
type Change struct {
	// Measure is the measure's path in a process's JSON, with a stage's name for
	// its place in the list of stages: "durations.p90_ns", "stages.ui_work.p50_ns".
	Measure string `json:"measure"`
	// Better says which way is an improvement.
	Better Better `json:"better"`
	// Base and New are nil if not known, and the change then too.
	Base *float64 `json:"base"`
	New  *float64 `json:"new"`
	// Delta is New − Base, and Relative is Delta / Base; nil if Base is zero.
	Delta    *float64 `json:"delta"`
	Relative *float64 `json:"relative"`
}

// Better is which way of a measure is an improvement.
type Better string

const (
	Lower   Better = "lower"
	Higher  Better = "higher"
	Neither Better = "neither" // a fact, or a count that grows with the trace
)

// Compare compares what a process did in two traces. A process may be nil:
// then it is in one trace only, and all changes are unknown.
func Compare(base, new *Process) Comparison {
	c := Comparison{Base: base.subject(), New: new.subject(), Changes: make([]Change, 0, len(measures))}
	for i := range measures {
		c.Changes = append(c.Changes, measures[i].change(base, new))
	}
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

// CompareReports compares the processes of two traces that have the same kind
// and name, in the order of base, then those that are only in new. Process ids
// differ from run to run: they decide only where a name is not known, and of
// several processes of one name the first is compared with the first.
func CompareReports(base, new *Report) []Comparison {
	type identity struct {
		kind Kind
		name string
		pid  trace.PID // where there is no name
	}
	identityOf := func(p *Process) identity {
		if p.Name == "" {
			return identity{kind: p.Kind, pid: p.PID}
		}
		return identity{kind: p.Kind, name: p.Name}
	}
	waiting := map[identity][]*Process{}
	for _, p := range new.Processes {
		id := identityOf(p)
		waiting[id] = append(waiting[id], p)
	}
	list := []Comparison{}
	for _, p := range base.Processes {
		id := identityOf(p)
		var match *Process
		if others := waiting[id]; len(others) > 0 {
			match, waiting[id] = others[0], others[1:]
		}
		list = append(list, Compare(p, match))
	}
	for _, p := range new.Processes { // of equals those wait that come last
		id := identityOf(p)
		if rest := waiting[id]; len(rest) > 0 && rest[0] == p {
			list = append(list, Compare(nil, p))
			waiting[id] = rest[1:]
		}
	}
	return list
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
