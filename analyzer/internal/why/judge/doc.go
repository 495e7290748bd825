// Package judge finds out why frames were late: it compares the account of each late frame
// with those of frames on time.
//
//	accounts of frames on time ─▶ usual: the medians
//	                                │
//	account of a late frame ────────┴─▶ shares of the overrun ─▶ outcome, confidence
//	                                          │
//	                                          └─ detail: slice, thread, advice
//
// The result is the why.Causes of an input.
//
//	analyze  a text trace, with or without causes
//	judge    all frames; outcome and confidence
//	usual    what is usual, and for which frames
//	shares   the distribution of the overrun
//	detail   the slice, the thread and the advice of a share
//	functions the functions in which frames were longer, by the samples of a profiler
//	shown    render frames that were shown late
//	pickup   application frames that were picked up late
//	hang     what hangs of main threads were spent on
//	response what responses to interactions were spent on
package judge
