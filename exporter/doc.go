// Package exporter writes Perfetto traces: a text trace or a Timeline in, packets out.
// The same input gives the same bytes.
//
//	exporter/ftrace    events: markers, scheduling, the kernel's own
//	exporter/timeline  frames: the frame timeline and tracks of our own
//	exporter/packet    the writer of packets, plain or compressed
//
// A Perfetto trace is packets, one after another; Perfetto sorts them by time:
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
