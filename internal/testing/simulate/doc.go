// Package simulate generates OpenHarmony text traces whose frames are known.
//
// It simulates the stages of the graphics pipeline on a common grid of vsyncs. It
// writes the lines that a tracer would record, and the frames that really happened:
//
//	vsync ──▶ application ──transaction──▶ render_service ──▶ GPU
//	            UI threads     [pid,index]    main, draw        │
//	                                             │              │
//	                                             └──▶ commit ◀──┘──▶ display
//	                                                  thread        present fence
//
// The package checks the readers of such traces independently: it never parses text
// and must not import the packages that do. Its truth comes from its own state. The
// same [Config] gives the same bytes on every machine and with every version of Go.
//
// Everything that happens is done by threads that compete for processors, wait for each
// other and are interrupted, see [machine]. They write the trace in order of time, so
// memory use does not depend on its length.
//
// A [Scene] is a short trace with late frames of a known cause. An [Interaction] is what a
// user does, and a [Launch] the start of an application, with the lines that applications,
// the ability framework and render_service write about them. A [Layer] is a queue of buffers
// that a video, a game or an application of another framework fills.
//
// A [Recording] is what hiperf samples at the same time: the functions that follow from the open
// slices of a thread, or the hot function of the cause that is injected. Its truth has each sample.
package simulate
