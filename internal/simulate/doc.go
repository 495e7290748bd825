// Package simulate makes OpenHarmony text traces whose frames are known.
//
// It plays the devices of the picture pipeline on a common grid of vsyncs and
// writes down both what a tracer would have seen, line by line, and what really
// happened:
//
//	vsync ──▶ application ──transaction──▶ render_service ──▶ GPU
//	            UI threads     [pid,index]    main, draw        │
//	                                             │              │
//	                                             └──▶ commit ◀──┘──▶ display
//	                                                  thread        present fence
//
// The package is an independent witness for the readers of such traces. It
// never parses text, and it must not import the packages that do: the truth it
// reports comes from its own state alone. The same [Config] gives the same
// bytes on every machine and with every version of Go.
//
// A simulation advances one vsync at a time. Each device plans its work as
// events in the queue, possibly far ahead; everything that is earlier than the
// next vsync can no longer change, so it is sorted by time, put on a processor
// and written. That makes the memory needed independent of the trace's length.
package simulate
