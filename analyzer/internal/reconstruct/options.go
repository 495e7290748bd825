package reconstruct

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Options decide how frames are reconstructed.
type Options struct {
	// ClockOffset, if not nil, is trace time minus CLOCK_MONOTONIC; otherwise it
	// is inferred.
	ClockOffset *trace.Duration
	// Stated, if not nil, is the offset that the input states beside its lines.
	// ClockOffset overrides it, and so does a trace that contradicts it.
	Stated *StatedOffset
	// Wall, if known, is used if no line of the trace states the time of day.
	Wall analyzer.WallClock
	// Dump, if not nil, has names of processes and threads that the input states
	// beside its events. It is looked at when all events are read.
	Dump *hitrace.ProcessDump `fingerprint:"-"`
	// FullNames are full names of applications. A process whose name is the last 15
	// bytes of one, or the last 14 in an application's own trace, has that name.
	FullNames []string
	// Measures are those of the user, for analyzer.ParseOwnMeasure.
	Measures []string
	// Limits are the limits Threads, Frames, Records and Examples.
	Limits trace.Limits
}

// StatedOffset is an offset that an input states.
type StatedOffset struct {
	Offset trace.Duration // trace time minus CLOCK_MONOTONIC
	Source analyzer.ClockSource
}
