package diff

import "ohframe/analyzer/stats"

// NewMeasure returns a measure with its values on both sides, which are nil if unknown, and
// the result of the test of its change.
func NewMeasure(k *stats.Measure, base, new *float64, c stats.Change) Measure {
	m := Measure{Name: k.Name, Field: k.Path, Unit: k.Unit, Better: k.Better, Base: base, New: new, definition: k}
	if base != nil && new != nil {
		delta := *new - *base
		m.Delta = &delta
		if *base != 0 {
			relative := delta / *base
			m.Relative = &relative
		}
	}
	m.set(c, nil)
	return m
}
