// Package exporter writes Perfetto traces: a Timeline and the events around it
// in, packets out. It is a pure function of what it is given; the same input
// gives the same bytes.
//
// A Perfetto trace is packets, one after another; the reader sorts them by time:
//
//	SystemInfo           how to read the kernel's numbers
//	FtraceEventBundle …  markers and kernel events, as each block of text is
//	                     read: one bundle for each processor
//	TraceUuid            identity, from a hash of the input and the options
//	TraceAttributes      where the trace came from, what was left out of it
//	ClockSnapshot        trace time against CLOCK_MONOTONIC and the wall clock
//	ProcessTree          names of processes and threads
//	FrameTimelineEvent … each frame's expected and actual interval
//	TrackDescriptor …    tracks of our own: what becomes of each frame, stage by
//	TrackEvent …         stage, and counters
//
// What is known only at the end of the input is written there, so that neither
// input nor output need be held in memory.
package exporter
