// Package rating says which values of measures are yellow or red, and which interactions miss published limits.
package rating

import "ohframe/analyzer/stats"

// Level is how a value is coloured.
type Level uint8

// The levels, in order.
const (
	None Level = iota // not coloured
	Warning
	Critical
)

// Of returns the level of a value.
func Of(t *stats.Thresholds, value float64) Level {
	switch {
	case t.Critical > 0 && value > t.Critical:
		return Critical
	case value >= t.Warning:
		return Warning
	}
	return None
}

// OfShare returns the level of a share of late frames or buffers, 0 to 1.
func OfShare(late float64) Level { return Of(&stats.JankThresholds, 100*late) }

// OfMeasure returns the level of a value of a measure, nil if it is unknown.
func OfMeasure(m *stats.Measure, x *float64) Level {
	switch {
	case x == nil || m.Rated == nil:
		return None
	case m.Unit == stats.Share:
		return OfShare(*x)
	}
	return Of(m.Rated, *x)
}
