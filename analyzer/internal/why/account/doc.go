// Package account finds out where the time of frames went.
//
// The input is what threads did, from package threads, and the Timeline of the same events.
// The output is an Account for each frame that can have a cause: its span, and every
// nanosecond of that in one cell by stage, wait and slice.
//
//	threads.Log ─▶ replay ─▶ Cells   what the thread did or waited for, and how long
//	                      ─▶ waits   what other threads did meanwhile
//	                      ─▶ pieces  the same time in order, of late frames
//	                      ─▶ sampled the functions that it ran, or waited in
//
// A caller can also make accounts of parts of a frame's way: PartOfWay, Book.Distribute and
// Account.Join.
//
//	account   spans, cells
//	replay    from logs to cells
//	waits     the threads that a frame waited for
//	pieces    the time in order, and by slice
//	path      the slices with most of the time of a stretch
//	sampled   the time by function
//	pack      cells of frames on time in few bytes
//	clusters  processors with lower frequencies
package account
