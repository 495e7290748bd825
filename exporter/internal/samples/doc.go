// Package samples writes the samples of a profiler as packets: a sample.Recording in, PerfSample
// packets out. Perfetto shows them as marks on threads, and as flame graphs.
//
// The samples of an event are a packet sequence:
//
//	TracePacketDefaults  the event, which Perfetto names tracks and flame graphs after
//	InternedData …       functions, files, addresses and stacks, before the first sample that
//	                     refers to them
//	PerfSample …         processor, thread, mode, period, and the number of the stack
//
// PerfSample.timebase_count is the period of the sample. It should be the count since the
// profiler began, but Perfetto's UI weights its flame graphs by the values themselves, so that
// with increasing values late samples would outweigh early ones.
package samples
