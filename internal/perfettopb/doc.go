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
// The schema is a subset of Perfetto v58.2's: names, numbers and types
// are the same, so what is written is a Perfetto trace, and fields that the
// subset leaves out survive reading and writing as unknown fields. From v58.0 on,
// frame_timeline_event is an extension of TracePacket, declared in
// frameworks_native_trace_packet.proto: here it is a field, which has the same
// bytes and needs no registry. `make protos-check` proves it against a checkout of Perfetto,
// of any release from v55 on; `make protos` writes the Go anew. The messages register under their upstream names: a program
// cannot link this package and another Go copy of Perfetto's schema.
package perfettopb
