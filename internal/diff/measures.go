package diff

import (
	"slices"
	"strings"

	"ohframe/analyzer/stats"
)

// Measure is a number of a process in both traces.
type Measure struct {
	// Name is how conditions call it.
	Name string `json:"measure"`
	// Field is its place in a process of a report.
	Field  string       `json:"field"`
	Unit   stats.Unit   `json:"unit"`
	Better stats.Better `json:"better"`
	// Base and New are nil if not known, and what follows then too.
	Base *float64 `json:"base"`
	New  *float64 `json:"new"`
	// Delta is New − Base, and Relative is Delta / Base; nil if Base is zero.
	Delta    *float64 `json:"delta"`
	Relative *float64 `json:"relative"`
	// Judgement is empty where neither way is better.
	Judgement Judgement `json:"judgement"`

	kind *stats.Measure
}

// Judgement says whether a change is for the better.
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

// measures are those of package stats, the main ones first.
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

// newMeasures returns the measures of a process in both traces, times in
// milliseconds.
func newMeasures(base, new *stats.Process) []Measure {
	list := make([]Measure, len(measures))
	for i := range measures {
		k := &measures[i]
		m := Measure{Name: k.Name, Field: k.Path, Unit: k.Unit, Better: k.Better, Base: value(k, base), New: value(k, new), kind: k}
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

// value returns the measure's value in the unit of its name; nil if unknown. The
// process may be nil.
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

// measure returns the pair's measure of the given name, which there must be.
func (p *Pair) measure(name string) *Measure {
	for i := range p.Measures {
		if p.Measures[i].Name == name {
			return &p.Measures[i]
		}
	}
	panic("no measure " + name)
}
