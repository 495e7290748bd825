package diff

import (
	"slices"
	"strings"

	"ohframe/analyzer/stats"
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
	// Judgement is empty if the change is unknown or neither direction is better.
	Judgement Judgement `json:"judgement"`

	definition *stats.Measure
}

// Judgement is whether a change is an improvement.
type Judgement string

// The judgements.
const (
	Improved  Judgement = "better"
	Worsened  Judgement = "worse"
	Unchanged Judgement = "same"
)

// judge returns the judgement of a change.
func judge(better stats.Better, delta *float64) Judgement {
	switch {
	case delta == nil || better == stats.Neither:
		return ""
	case *delta == 0:
		return Unchanged
	case (*delta < 0) == (better == stats.Lower):
		return Improved
	}
	return Worsened
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

// newMeasures returns the measures of a pair. Times are in milliseconds.
func newMeasures(base, new *stats.Process) []Measure {
	list := make([]Measure, len(measures))
	for i := range measures {
		k := &measures[i]
		m := Measure{Name: k.Name, Field: k.Path, Unit: k.Unit, Better: k.Better, Base: value(k, base), New: value(k, new), definition: k}
		if m.Base != nil && m.New != nil {
			delta := *m.New - *m.Base
			m.Delta = &delta
			if *m.Base != 0 {
				relative := delta / *m.Base
				m.Relative = &relative
			}
		}
		m.Judgement = judge(m.Better, m.Delta)
		list[i] = m
	}
	return list
}

// value returns the measure's value in the unit of its name, or nil if it is
// unknown. The process may be nil.
func value(m *stats.Measure, p *stats.Process) *float64 {
	if p == nil {
		return nil
	}
	x := m.Of(p)
	if x == nil || !strings.HasSuffix(m.Path, "_ns") {
		return x
	}
	ms := *x / 1e6
	return &ms
}

// measure returns the pair's measure of the given name, which must exist.
func (p *Pair) measure(name string) *Measure {
	for i := range p.Measures {
		if p.Measures[i].Name == name {
			return &p.Measures[i]
		}
	}
	panic("no measure " + name)
}
