package diff

import (
	"math"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/text"
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
	// Significant is whether the change is more than chance, at stats.Level, and larger
	// than the smallest change that counts; nil if it was not tested.
	Significant *bool `json:"significant"`
	// P is the p-value, Low and High the ends of the confidence interval of Delta; see
	// stats.Change.
	P    *float64 `json:"p_value"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	// MinEffect is the smallest change that counts.
	MinEffect *float64 `json:"min_effect"`
	// Judgement is empty if the change was not tested.
	Judgement Judgement `json:"judgement"`

	definition *stats.Measure
}

// equal reports whether both values are known and printed alike. A significant change is
// never equal.
func (m *Measure) equal() bool {
	return m.Delta != nil && m.Judgement != Worsened && m.Judgement != Improved && text.Value(m.Unit, m.Base) == text.Value(m.Unit, m.New)
}

// Judgement is whether a change is an improvement.
type Judgement string

// The judgements.
const (
	Improved Judgement = "better"
	Worsened Judgement = "worse"
	// Unclear: the change is not significant. That does not prove that nothing changed.
	Unclear Judgement = "unclear"
)

// text returns the judgement in tables and pages. As benchstat does, they print "~" for a
// change that is not significant.
func (j Judgement) text() string {
	if j == Unclear {
		return "~"
	}
	return string(j)
}

// set adds the result of a test.
func (m *Measure) set(c stats.Change, smallest map[string]condition.Limit) {
	if !c.Tested || m.Delta == nil {
		return
	}
	effect := m.smallest(smallest)
	significant := c.P <= stats.Level && math.Abs(*m.Delta) >= effect
	m.Significant, m.P, m.Low, m.High, m.MinEffect = &significant, &c.P, &c.Low, &c.High, &effect
	switch {
	case !significant:
		m.Judgement = Unclear
	case (*m.Delta < 0) == (m.Better == stats.Lower):
		m.Judgement = Improved
	default:
		m.Judgement = Worsened
	}
}

// smallest returns the smallest change of a known measure that counts, in its unit.
func (m *Measure) smallest(given map[string]condition.Limit) float64 {
	limit, ok := given[m.Name]
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
	slices.SortStableFunc(list, func(a, b stats.Measure) int {
		switch {
		case a.Main == b.Main:
			return 0
		case a.Main:
			return -1
		}
		return 1
	})
	return list
}()

// testedMeasures are those of measures that stats.Compare tests.
var testedMeasures = func() (list []*stats.Measure) {
	for i := range measures {
		if isTested(measures[i].Name) {
			list = append(list, &measures[i])
		}
	}
	return list
}()

// Measures returns all measures of the pair, in the order of docs/diff.md. They are computed
// when they are needed, because those of many pairs are large.
func (p *Pair) Measures() []Measure {
	list := make([]Measure, len(measures))
	for i := range measures {
		list[i] = *p.compute(&measures[i])
	}
	return list
}

// compute returns a measure of the pair: the means of the runs of a side. Times are in
// milliseconds.
func (p *Pair) compute(k *stats.Measure) *Measure {
	for i := range p.changes {
		if p.changes[i].definition == k {
			return &p.changes[i]
		}
	}
	m := &Measure{Name: k.Name, Field: k.Path, Unit: k.Unit, Better: k.Better, Base: value(k, p.base), New: value(k, p.new), definition: k}
	if m.Base != nil && m.New != nil {
		delta := *m.New - *m.Base
		m.Delta = &delta
		if *m.Base != 0 {
			relative := delta / *m.Base
			m.Relative = &relative
		}
	}
	return m
}

// values returns the measure's known values in the unit of its name.
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

// value returns the mean of the measure's known values in the unit of its name, or nil if
// none is known.
func value(m *stats.Measure, runs []*stats.Process) *float64 {
	list := values(m, runs)
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
