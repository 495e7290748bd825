package analyzer

import (
	"fmt"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// PhaseRule decides which times make a pick-up misaligned.
type PhaseRule uint8

const (
	// PhaseExpected compares render_service's expected start with the
	// application's expected end (docs/frames.md 3.5). It needs no
	// clock conversion and forgives an application that finishes early.
	PhaseExpected PhaseRule = iota
	// PhaseActual compares the actual start with the actual end; more than 1 ms
	// apart is misaligned.
	PhaseActual
)

// ParsePhaseRule parses "expected" or "actual".
func ParsePhaseRule(s string) (PhaseRule, error) {
	switch s {
	case "expected":
		return PhaseExpected, nil
	case "actual":
		return PhaseActual, nil
	}
	return 0, fmt.Errorf("%q is not expected or actual", s)
}

// Options decide how frames are reconstructed.
type Options struct {
	// ClockOffset, if not nil, is trace time minus CLOCK_MONOTONIC; otherwise it
	// is inferred.
	ClockOffset *trace.Duration
	// Stated, if not nil, is the offset that the input states beside its lines.
	// ClockOffset overrides it, and so does a trace that contradicts it.
	Stated *StatedOffset
	// Wall, if known, is used if no line of the trace states the time of day.
	Wall      WallClock
	PhaseRule PhaseRule
	// Dump, if not nil, has names of processes and threads that the input states
	// beside its events. It is looked at when all events are read.
	Dump *hitrace.ProcessDump `fingerprint:"-"`
	// FullNames are full names of applications. A process whose name is the last 15
	// bytes of one has that name.
	FullNames []string
	// Limits are the limits Threads, Frames, Records and Examples.
	Limits trace.Limits
}

// StatedOffset is an offset that an input states.
type StatedOffset struct {
	Offset trace.Duration // trace time minus CLOCK_MONOTONIC
	Source ClockSource
}

// ParseClockOffset parses "auto", "none" (zero) or a duration such as
// "4756.467s" for Options.ClockOffset.
func ParseClockOffset(s string) (*trace.Duration, error) {
	switch s {
	case "auto":
		return nil, nil
	case "none":
		return new(trace.Duration), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return nil, fmt.Errorf("%q is not auto, none or a duration such as 4756.467s", s)
	}
	offset := trace.Duration(d)
	return &offset, nil
}
