// Package reconstruct finds frames: the events of a text trace in, a Timeline out. It does
// not know how events are spelled.
//
//	application       ReceiveVsync ─ OnVsyncEvent ─ MarshRSTransactionData
//	                                                          │ transaction [pid,index]
//	render_service    ReceiveVsync ─ DoComposition ─ ProcessCommandUni [pid,index]
//	  render thread                                RenderFrame │
//	  GPU                                            Frame queued … │
//	  hardware thread                                           CommitLayers
//	  fence thread                                 Waiting for Present Fence … shown
//
// A builder follows every thread's slices in one trace and collects drafts of frames.
// assemble then infers the clock offset, links the drafts and derives each frame's facts.
// An input has a builder for each trace in it, normally one, and joins their timelines.
package reconstruct
