package binarytrace

import "ohframe/analyzer/trace"

// Clock is what a trace says about its clock.
type Clock struct {
	// Known: Offset is stated by the trace.
	Known bool
	// Offset is trace time minus CLOCK_MONOTONIC.
	Offset trace.Duration
	// Source is where the trace states it.
	Source ClockSource
	// Boot and Unix are a reading of CLOCK_BOOTTIME and of the time of day at the same
	// moment, in nanoseconds; 0 if the trace has none.
	Boot trace.Time
	Unix int64
	// Name is the kernel's trace_clock, such as "boot"; empty if the trace does not
	// say.
	Name string
}

// maxUnix is the last time of day that is read, in the year 2255.
const maxUnix = 9_000_000_000_000_000_000

// ClockSource is where a trace states its clock.
type ClockSource uint8

const (
	// ProfilerHeader: the clocks in the header of a file of hiprofiler.
	ProfilerHeader ClockSource = iota
	// ClocksDetail: the message clocks_detail of ftrace-plugin.
	ClocksDetail
	// TraceClockMono: events are in CLOCK_MONOTONIC.
	TraceClockMono
)
