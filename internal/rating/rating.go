// Package rating has the values from which measures are yellow or red, and says which interactions
// miss published limits.
package rating

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	Name  string // in --thresholds
	Label string // for people, with the unit
	// Warning is the lowest value of that level, Critical the highest that is not yet
	// critical.
	Warning, Critical float64
	// Source names who set the default values.
	Source string
}

// Thresholds are one threshold for each name.
type Thresholds [3]Threshold

// The names of the thresholds.
const (
	HitchRatio = "hitch_ratio"
	frameTime  = "frame_ms"
	Overrun    = "overrun_periods"
)

// Default has the field's values. docs/glossary.md lists them.
var Default = Thresholds{
	{HitchRatio, "hitch ratio, ms/s", 5, 10, "Apple: less than 5 is good, more than 10 critical"},
	{frameTime, "duration of a frame, ms", 16, 700, "Android: a slow frame, a frozen frame"},
	{Overrun, "overrun, refresh periods", 2, 6, "OpenHarmony's stutter levels (HapRay): medium from 2, severe above 6"},
}

// Named returns the threshold of a name, which must exist.
func (t *Thresholds) Named(name string) *Threshold {
	return &t[slices.IndexFunc(t[:], func(t Threshold) bool { return t.Name == name })]
}

// Of returns the level of a value. The name must be that of a threshold.
func (t *Thresholds) Of(name string, value float64) Level {
	switch threshold := t.Named(name); {
	case value > threshold.Critical:
		return Critical
	case value >= threshold.Warning:
		return Warning
	}
	return None
}

// OfMeasure returns the level of a value of a process, nil if it is unknown.
func (t *Thresholds) OfMeasure(m *stats.Measure, x *float64) Level {
	if x != nil && m.Rated != "" {
		return t.Of(m.Rated, *x)
	}
	return None
}

// Parse returns Default with the changes of a list such as "hitch_ratio=5:10,frame_ms=8:100",
// in which the values of a name are warning:critical.
func Parse(list string) (Thresholds, error) {
	t := Default
	if list == "" {
		return t, nil
	}
	for item := range strings.SplitSeq(list, ",") {
		name, values, _ := strings.Cut(item, "=")
		warning, critical, _ := strings.Cut(values, ":")
		w, errWarning := strconv.ParseFloat(warning, 64)
		c, errCritical := strconv.ParseFloat(critical, 64)
		if errWarning != nil || errCritical != nil || !(0 <= w && w <= c) {
			return t, fmt.Errorf("%q is not like %s=%g:%g, a warning and a critical value", item, HitchRatio, Default[0].Warning, Default[0].Critical)
		}
		found := false
		for i := range t {
			if t[i].Name == name {
				t[i].Warning, t[i].Critical, found = w, c, true
			}
		}
		if !found {
			return t, fmt.Errorf("%q is not one of %s, %s, %s", name, HitchRatio, frameTime, Overrun)
		}
	}
	return t, nil
}
