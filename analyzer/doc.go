// Package analyzer reconstructs frames: events in, a Timeline out. It knows
// neither how events are spelled nor how frames are shown.
//
// On OpenHarmony a frame is made twice. An application builds it on a vsync and
// sends a transaction to the process render_service, which takes it on a vsync
// of its own, draws, commits to the display and learns from the present fence
// when it was shown:
//
//	application       ReceiveVsync ─ OnVsyncEvent ─ MarshRSTransactionData
//	                                                          │ transaction [pid,index]
//	render_service    ReceiveVsync ─ DoComposition ─ ProcessCommandUni [pid,index]
//	  render thread                                RenderFrame │
//	  GPU                                            Frame queued … │
//	  hardware thread                                           CommitLayers
//	  fence thread                                 Waiting for Present Fence … shown
//
// A Builder follows every thread's slices of one trace and collects what they say;
// assemble then infers the clock offset, connects the pieces and derives each frame's
// facts. An Input has a Builder for each of the traces that follow one another in it,
// mostly one, and joins their timelines.
// The facts of a frame are independent of each other; the single Flag that the
// system's own tools show is derived from them.
package analyzer
