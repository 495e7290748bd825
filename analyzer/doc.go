// Package analyzer reconstructs frames: events in, a Timeline out. It knows
// neither how events are spelled nor how frames are shown.
//
// On OpenHarmony a frame has two halves. An application builds it on a vsync and sends a
// transaction to the process render_service. On a vsync of its own, render_service picks
// the transaction up, draws, and commits the layers to the display. The present fence
// signals when the display shows them:
//
//	application       ReceiveVsync ─ OnVsyncEvent ─ MarshRSTransactionData
//	                                                          │ transaction [pid,index]
//	render_service    ReceiveVsync ─ DoComposition ─ ProcessCommandUni [pid,index]
//	  render thread                                RenderFrame │
//	  GPU                                            Frame queued … │
//	  hardware thread                                           CommitLayers
//	  fence thread                                 Waiting for Present Fence … shown
//
// A Builder follows every thread's slices in one trace and collects drafts of frames.
// assemble then infers the clock offset, links the drafts and derives each frame's facts.
// An Input has a Builder for each trace in it, normally one, and joins their timelines.
//
// The facts of a frame are independent of each other; the single Flag that the
// system's own tools show is derived from them.
package analyzer
