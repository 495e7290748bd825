package stats

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// DurationOf returns how long a frame took, as in Durations; ok is false for a dropped
// frame.
func DurationOf(f *analyzer.Frame) (d trace.Duration, ok bool) {
	return f.Actual.Duration(), !f.Facts.Has(analyzer.Dropped)
}

// LongestStage returns the stage of a frame in WorstFrame; ok is false if all are unknown.
func LongestStage(f *analyzer.Frame) (s Stage, ok bool) {
	if longest := longestStage(f.Kind, stagesOf(f)); longest != nil {
		return *longest, true
	}
	return 0, false
}
