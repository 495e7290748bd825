package diff

import (
	"encoding/json"
	"math"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
)

// Measure is a measure of a process in both traces.
type Measure struct {
	// Name is the name in conditions.
	Name string `json:"measure"`
	// Field is the path in a process of a report's JSON.
	Field  string       `json:"field"`
	Unit   stats.Unit   `json:"unit"`
	Better stats.Better `json:"better"`
	// Base and New are nil if unknown. If either is, so are Delta and Relative.
	Base *float64 `json:"base"`
	New  *float64 `json:"new"`
	// Delta is New − Base. Relative is Delta / Base, or nil if Base is 0.
	Delta    *float64 `json:"delta"`
	Relative *float64 `json:"relative"`
	// Low and High are the ends of the confidence interval of Delta, P is the p-value; see
	// stats.Change. They are nil if the change was not tested.
	Low  *float64 `json:"delta_low"`
	High *float64 `json:"delta_high"`
	P    *float64 `json:"p_value"`
	// MinEffect is the smallest change that counts.
	MinEffect *float64 `json:"min_effect"`
	Verdict   Verdict  `json:"verdict"`

	definition *stats.Measure // nil for measures of causes
	runs       stats.Runs     // of measures of causes
}

// Verdict is the result of a test: Better or Worse if the change is more than chance, at
// stats.Level, and not smaller than the smallest change that counts.
type Verdict string

// The verdicts.
const (
	NotTested Verdict = ""
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	// Unclear: the change is not significant. That does not prove that nothing changed.
	Unclear Verdict = "unclear"
	// OneRunEach: the change is not significant, and each side has one run, which does not
	// show what differs from run to run.
	OneRunEach Verdict = "one_run_each"
)

// Significant reports whether something changed.
func (v Verdict) Significant() bool { return v == Better || v == Worse }

// MarshalJSON encodes NotTested as null.
func (v Verdict) MarshalJSON() ([]byte, error) {
	if v == NotTested {
		return []byte("null"), nil
	}
	return json.Marshal(string(v))
}

// NewMeasure returns a measure with its values on both sides, nil if unknown, and the
// result of a test with the default smallest changes that count.
func NewMeasure(k *stats.Measure, base, new *float64, c stats.Change) *Measure {
	m := newMeasure(k.Name, k.Unit, k.Better, base, new)
	m.Field, m.definition = k.Path, k
	m.judge(c, nil)
	return m
}

func newMeasure(name string, unit stats.Unit, better stats.Better, base, new *float64) *Measure {
	m := &Measure{Name: name, Unit: unit, Better: better, Base: base, New: new}
	if base != nil && new != nil {
		delta := *new - *base
		m.Delta = &delta
		if *base != 0 {
			relative := delta / *base
			m.Relative = &relative
		}
	}
	return m
}

// judge adds the result of a test.
func (m *Measure) judge(c stats.Change, limits map[string]condition.Limit) {
	if !c.Tested || m.Delta == nil {
		return
	}
	smallest := m.smallest(limits)
	low, high := min(c.Low, *m.Delta), max(c.High, *m.Delta) // an interval of no length may be beside it by rounding
	m.P, m.Low, m.High, m.MinEffect = &c.P, &low, &high, &smallest
	switch {
	case c.P > stats.Level || math.Abs(*m.Delta) < smallest:
		m.Verdict = Unclear
	case (*m.Delta < 0) == (m.Better == stats.Lower):
		m.Verdict = Better
	default:
		m.Verdict = Worse
	}
}

// smallest returns the smallest change of a known measure that counts, in its unit.
func (m *Measure) smallest(limits map[string]condition.Limit) float64 {
	limit, ok := limits[m.Name]
	switch {
	case ok && limit.Relative:
		return limit.Value * math.Abs(*m.Base)
	case ok:
		return limit.Value
	case m.Unit == stats.Share:
		return 0.01
	case m.Unit == stats.MillisecondsPS:
		return 1
	}
	return 0.02 * math.Abs(*m.Base)
}

// isTested reports whether changes of a measure are tested for significance.
func isTested(name string) bool {
	return slices.Contains(stats.Tested[:], name) || slices.Contains(stats.TestedAcrossRates[:], name)
}

// measures are the measures of package stats with the main ones first.
var measures = func() []stats.Measure {
	list := slices.Clone(stats.Measures)
	rank := func(m stats.Measure) int {
		if m.Main {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b stats.Measure) int { return rank(a) - rank(b) })
	return list
}()

// Measures returns all measures of the pair, in the order of docs/diff.md. They are computed
// when they are needed, because those of many pairs are large.
func (p *Pair) Measures() []*Measure {
	list := make([]*Measure, len(measures))
	for i := range measures {
		list[i] = p.compute(&measures[i])
	}
	return list
}

// compute returns a measure of the pair: the means of the runs of a side. Times are in
// milliseconds.
func (p *Pair) compute(k *stats.Measure) *Measure {
	for _, m := range p.tested {
		if m.definition == k {
			return m
		}
	}
	return NewMeasure(k, mean(values(k, p.base)), mean(values(k, p.new)), stats.Change{})
}

// values returns the measure's known values in the runs.
func values(m *stats.Measure, runs []*stats.Process) (list []float64) {
	for _, p := range runs {
		if p == nil {
			continue
		}
		if x := m.Value(p); x != nil {
			list = append(list, *x)
		}
	}
	return list
}

// mean returns the mean, nil of nothing.
func mean(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	mean := 0.0
	for i, x := range list {
		mean += (x - mean) / float64(i+1)
	}
	return &mean
}

// measure returns the pair's measure of the given name: one of measures, or of causes.
func (p *Pair) measure(name string) *Measure {
	for i := range measures {
		if measures[i].Name == name {
			return p.compute(&measures[i])
		}
	}
	return p.Causes.measure(name)
}
