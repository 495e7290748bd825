// Package perfetto reads frames out of Perfetto traces: the frame timeline that
// Android's SurfaceFlinger records, or that ohframe itself writes.
//
// A trace is a sequence of packets, each a field 1 of the file with its length.
// A packet has a time, in some clock, and one payload, of which few kinds
// matter here. All others are passed over without being decoded:
//
//	TracePacket                 field
//	  process_tree                  2   names of processes and threads
//	  clock_snapshot                6   several clocks, read at the same time
//	  timestamp                     8
//	  compressed_packets           50   packets, deflated
//	  timestamp_clock_id           58   boot time, if there is none
//	  frame_timeline_event         76   a slice of a frame timeline starts or ends
//	  trace_attributes            126   what ohframe says of its own traces
//	  zstd_compressed_packets     133
//
// From Perfetto v58.0 on frame_timeline_event is declared as an extension; the
// bytes are the same.
//
// # From packets to frames
//
// A FrameEnd ends the slice that has its cookie. A frame has two slices: the
// expected and the actual one, which share process and token.
//
//	ExpectedSurfaceFrame ─┐ pid, token
//	ActualSurfaceFrame   ─┴─▶ application frame ─┐
//	                                             │ display_frame_token
//	ExpectedDisplayFrame ─┐ pid, token           ▼
//	ActualDisplayFrame   ─┴─▶ render frame ◀─────┘
//
// Each layer of an application has a frame of its own. Frames without an end
// are truncated. What is sent from one to the other is not in the packets: an
// application frame has one transaction, numbered by its token and sent at its
// end, unless it was empty.
//
// # Android
//
// A SurfaceFrame ends when its buffer was queued and drawn. A DisplayFrame ends
// when the display showed it, both expected and actual: the end of the actual
// interval of a render frame is its present time, unless it was dropped. A
// dropped application frame was taken by no render frame.
//
// Late is Android's own verdict that the work was not finished in time
// (on_time_finish), where there was a prediction. Where the packet does not say,
// its jank type does, and without that the times. A render frame is late on the
// GPU if its jank type says so and does not say that the CPU was. Misaligned is
// the jank type SurfaceFlinger Scheduling. The period is the smallest distance
// between the predictions of render frames nearby.
//
// # Traces that ohframe wrote
//
// They are known by their attributes. Beside the frame timeline they have tracks
// with a slice for each frame, whose annotations say what Android's packets have
// no room for:
//
//	TracePacket                 field
//	  track_event                  11   a slice begins, with annotations
//	  interned_data                12   the annotations' names
//	  track_descriptor             60   a track "Frames" of a process
//
// With them a frame comes back as it was, and measures of the trace are those of
// the text, but for: truncated frames, and links to them; all but the first start
// and the last end of GPU work; when transactions before the last were sent, which
// of them other render frames took, and the order in which a render frame applied
// them; one end of an expected interval that is known alone; the idle process;
// diagnostics; the span of the trace.
//
// Without those tracks these come back: kind, process and its threads' names,
// thread, actual and expected interval, vsync id, vsync and deadline, the link,
// whether it is late, empty and misaligned, and the period where the expected
// interval tells it. The present time comes back to a few nanoseconds, where the
// frame has an expected interval. What is lost beside the above: the numbers of
// transactions and all but the last; the intervals of GPU work, drawing and
// commits, and which times were estimated; coalesced vsyncs; lateness on the GPU
// of a frame that was late on the CPU as well, or that was empty; whether a late
// application frame is misaligned by actual times, if the expected ones say
// otherwise; the expected interval of a second frame of the same process and vsync
// id; the vsync id of a frame that had to be given a number of its own; a period
// that only the vsync generator or the receiver's name tells.
//
// Of the trace the clock offset and its source come back in either case.
//
// # Hostile input
//
// Packets are read as a stream. What is remembered is bounded by Options.Limits;
// messages with lists are decoded field by field, so that a packet does not grow
// in memory; packets within a compressed one must not be compressed themselves.
package perfetto
