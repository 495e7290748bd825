// Package perfettopb is the part of Perfetto's trace format that ohframe
// writes, as Go types generated from the schema in protos/perfetto.
//
//	Trace
//	└── packet*  TracePacket: time, clock, sequence, interned strings, and one of
//	    ├── trace_uuid, trace_attributes, system_info, clock_snapshot   the trace as a whole
//	    ├── process_tree                                                names of processes and threads
//	    ├── ftrace_events      one CPU: event*, compact_sched           kernel events and markers
//	    ├── perf_sample                                                 samples of a profiler
//	    ├── frame_timeline_event                                        frames, expected and actual
//	    ├── track_descriptor, track_event                               tracks of our own
//	    └── compressed_packets                                          any of these, deflated
//
// The schema is a subset of Perfetto v57.2's: files, names, numbers and types
// are the same, so what is written is a Perfetto trace, and fields that the
// subset leaves out survive reading and writing as unknown fields. `make
// protos-check` proves it against a checkout of Perfetto, `make protos` writes
// the Go anew. The messages register under their upstream names: a program
// cannot link this package and another Go copy of Perfetto's schema.
package perfettopb
