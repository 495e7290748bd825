package sample

import "ohframe/analyzer/trace"

// Recording is the samples that a profiler took while a trace was recorded.
type Recording struct {
	Profile *Profile
	// Samples are in order of time. Their times are those of the trace.
	Samples   []Sample
	Alignment Alignment
	// Warnings are what was skipped.
	Warnings []trace.Warning
}

// Alignment is how times of a profile became times of a trace.
type Alignment struct {
	Source Source
	// Offset is trace time minus the time of the profile's clock at From, a time of that
	// clock, and Drift its growth in nanoseconds per second. If the clock of the trace jumps, a
	// stated offset changes with it: that is in neither. All are 0 without samples.
	Offset trace.Duration
	From   trace.Time
	Drift  float64
	// Checked is the number of samples that could be compared with when their threads ran, and
	// Hits that of those at moments when these ran. Samples outside of the trace, of threads
	// that did not run in it, and of processors of which events were lost cannot be checked.
	Checked, Hits int
	// Outside is the number of samples before the first or after the last event of the trace. If the
	// offset was found, it includes those that cannot be checked and are before or after all others, with a
	// time without events between in which the device may have slept. They are not in Recording.Samples.
	Outside int
}

// HitRate returns the share of samples at moments when their threads ran, from 0 to 1. It is 0
// if none could be checked.
func (a *Alignment) HitRate() float64 { return float64(a.Hits) / float64(max(a.Checked, 1)) }

// Source is where an offset comes from.
type Source uint8

// The sources.
const (
	// Stated: the profile states its clock, and the trace the offset to that.
	Stated Source = iota
	// Found: at this offset, threads have samples when they ran.
	Found
	// Given by the user.
	Given
)

// String returns the name of the source.
func (s Source) String() string { return [...]string{"stated", "found", "given"}[s] }
