// Package exporter writes Perfetto traces: a text trace or a Timeline in, packets out.
// The same input gives the same bytes.
//
//	ftrace    events: markers, scheduling, the kernel's own
//	timeline  frames: the frame timeline and further tracks
//	samples   samples of a profiler
//	packet    the writer of packets
//
// A Perfetto trace is packets, one after another; Perfetto sorts them by time:
//
//	SystemInfo           how to read the kernel's numbers
//	TrackEvent …         slices and instants of threads, as each block of text is read; the
//	                     packets of a thread begin with a ThreadDescriptor
//	FtraceEventBundle …  other markers and kernel events: one bundle for each processor
//	                     and block
//	ClockSnapshot        trace time against CLOCK_MONOTONIC and the wall clock
//	PerfSample …         samples of a profiler, with their stacks
//	TraceUuid            identity, from a hash of the input, the samples and the options
//	TraceAttributes      where the trace came from, what was left out of it
//	ProcessTree          names of processes and threads
//	FrameTimelineEvent … each frame's expected and actual interval
//	TrackDescriptor …    further tracks: each frame, stage by stage, and
//	TrackEvent …         counters
//
// Packets that depend on the whole input are written at its end, so that neither input
// nor output is buffered in memory.
package pftrace
