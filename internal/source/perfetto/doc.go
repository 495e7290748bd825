// Package perfetto reads Perfetto traces: frames from the frame timeline that Android's
// SurfaceFlinger records, their causes from the kernel's events, and the result of the analysis
// from a trace that ohframe wrote.
//
//	packets ──▶ slices ──▶ frames ──▶ links, verdicts, periods ──▶ Timeline ──▶ Causes
//	     ├────▶ kernel's events ──▶ in order, as text ──▶ causes ────────────────┘
//	     └────▶ internal/result ──▶ Timeline, Causes, counts of lines
//
// A trace is a sequence of packets. Each is field 1 of the file, with its length. A
// packet has a time in some clock, and one payload. Only these fields are decoded:
//
//	TracePacket                 field
//	  ftrace_events                 1   the kernel's events of a processor
//	  process_tree                  2   names of processes and threads
//	  clock_snapshot                6   several clocks, read at the same time
//	  timestamp                     8
//	  trusted_packet_sequence_id   10
//	  interned_data                12   names of kernel functions
//	  system_info                  45   shows that ohframe wrote the trace
//	  compressed_packets           50   packets, deflated
//	  timestamp_clock_id           58   boot time if absent
//	  frame_timeline_event         76   a slice of a frame timeline starts or ends
//	  trace_attributes            126   the same
//	  zstd_compressed_packets     133
//	  the result                 8471   written by ohframe; there also 2000
//
// From Perfetto v58.0 on frame_timeline_event is declared as an extension; the
// bytes are the same.
//
// # From packets to frames
//
// A FrameEnd ends the slice with its cookie. A frame has two slices, the expected and
// the actual one, with the same process and token.
//
//	ExpectedSurfaceFrame ─┐ pid, token
//	ActualSurfaceFrame   ─┴─▶ application frame ─┐
//	                                             │ display_frame_token
//	ExpectedDisplayFrame ─┐ pid, token           ▼
//	ActualDisplayFrame   ─┴─▶ render frame ◀─────┘
//
// The layers of an application frame have the same token. Frames without an end are
// truncated. The packets have no transactions: an application frame gets one for each
// render frame that picked it up, with the frame's token as index.
//
// # Android
//
// A SurfaceFrame ends when its buffer was queued and drawn. A DisplayFrame, expected or
// actual, ends when the display shows it: the end of the actual interval is the present
// time, unless the frame was dropped. A dropped application frame has no render frame.
//
// The surface frames with one name and process are a layer, and those with a new picture its
// buffers. The cadence of a layer changes no verdict on a frame.
//
// The verdict decides whether a frame is late: its jank type if that is one of the
// frame's own, else on_time_finish, else the times. A render frame is late on the GPU
// if its jank type says so and does not also blame the CPU. A frame is misaligned if
// its jank type is SurfaceFlinger Scheduling. The period comes from the spacing of
// predictions nearby.
//
// Time zero stands for unknown: events at that time are read as 1 ns later.
//
// # Causes
//
// With Options.Kernel, the kernel's events that say something about threads are kept until the
// end of the trace: Perfetto writes them by processor, and the names of threads anywhere. Then
// they are put in order by merging the runs of processors and become the events of a text trace, so that causes are found as in those.
// Events in another clock than boot time need a clock snapshot, or a boot time in their bundle;
// without one they are skipped.
//
// # Traces that ohframe wrote
//
// The result is all that is read of them. A trace without it was edited, and its frame
// timeline lacks most facts: that is an error, and so are several results in one trace.
//
// # Hostile input
//
// Packets are read as a stream. Options.Limits bound what is kept. Messages with lists
// are decoded field by field, so that a packet does not grow in memory. A packet in a
// compressed packet must not be compressed itself.
package perfetto
