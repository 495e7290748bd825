// Package rating has the values from which measures are yellow or red, and says which interactions
// miss published limits.
package rating

import (
	"slices"

	"ohframe/analyzer/stats"
)

// Level is how a value is coloured.
type Level uint8

// The levels, in order.
const (
	None Level = iota // not coloured
	Warning
	Critical
)

// Threshold has the values from which a measure is coloured.
type Threshold struct {
	Name  string
	Label string // for people, with the unit
	// Warning is the lowest value of that level, Critical the highest that is not yet
	// critical.
	Warning, Critical float64
	// Source names who set the values.
	Source string
}

// The names of the thresholds.
const (
	HitchRatio = "hitch_ratio"
	Jank       = "jank_rate"
	frameTime  = "frame_ms"
	Overrun    = "overrun_periods"
)

// thresholds are the field's. docs/glossary.md lists them.
var thresholds = [...]Threshold{
	{HitchRatio, "hitch ratio, ms/s", stats.HitchLimit, stats.HitchCritical, "Apple: less than 5 is good, more than 10 critical"},
	{Jank, "share of late frames, %", 5, 25, "from 5 %, P95 is late; Google Play: a session with more than 25 % slow frames is slow"},
	{frameTime, "duration of a frame, ms", 16, 700, "Android: a slow frame, a frozen frame"},
	{Overrun, "overrun, refresh periods", 2, 6, "OpenHarmony's stutter levels (HapRay): medium from 2, severe above 6"},
}

// Named returns the threshold of a name, which must exist.
func Named(name string) *Threshold {
	return &thresholds[slices.IndexFunc(thresholds[:], func(t Threshold) bool { return t.Name == name })]
}

// Of returns the level of a value. The name must be that of a threshold.
func Of(name string, value float64) Level {
	switch threshold := Named(name); {
	case value > threshold.Critical:
		return Critical
	case value >= threshold.Warning:
		return Warning
	}
	return None
}

// OfShare returns the level of a share of late frames or buffers, 0 to 1.
func OfShare(late float64) Level { return Of(Jank, 100*late) }

// OfMeasure returns the level of a value of a process, nil if it is unknown.
func OfMeasure(m *stats.Measure, x *float64) Level {
	switch {
	case x == nil || m.Rated == "":
		return None
	case m.Unit == stats.Share:
		return OfShare(*x)
	}
	return Of(m.Rated, *x)
}
