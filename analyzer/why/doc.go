// Package why finds out why frames were late. It follows what every thread does, and
// compares each late frame with frames on time.
//
// The input is the events of a text trace, one at a time and in order, and the Timeline
// that analyzer makes of the same events. The output is Causes: an Explanation for each
// complete frame, with its time by stage and wait, and for a late frame the causes with
// their shares of the overrun. Rank sums the causes of many frames. docs/why.md defines the
// terms and has the rules; internal/causetext puts causes into words.
//
//	events ─▶ Recorder.Track ─▶ states and slices of all threads
//	                                     │
//	                                     ▼
//	                            a log for each thread that makes frames
//	                                     │
//	Timeline ─▶ Recorder.Explain ────────┤
//	                                     ▼
//	                            an account for each frame: the time by stage, wait and slice
//	                                     │
//	                 usual: the median ──┤ of frames on time
//	                                     ▼
//	                            shares of the overrun ─▶ outcome, confidence ─▶ Causes
//
// The order of the work, and its files:
//
//	while events arrive
//	  prepare, parse    workers parse events at the same time
//	  recorder, log     all events in order, and what is stored of them
//	  keys              names of slices, each with a number
//	  thread, machine   the states of threads, and who ended a wait
//	  loss              lost events: what is unknown then
//	  calls             synchronous calls between processes, requests for storage
//	  follow            what other threads did during a wait
//	  passages          where a frame passes from one thread to the next
//	at the end, Explain
//	  explain           the span of each frame, and every nanosecond of it in an account
//	  waits             what a blocked thread waited for
//	  pieces            the same time in order, for a track, and by slice
//	  usual, shares     what is usual, and the distribution of the overrun
//	  verdict           outcome, confidence, the slice and the culprit of a cause
//	  clusters          processors with lower frequencies
//	  shown, pickup     render frames shown late, application frames picked up late
//	for the output
//	  culprit           threads that frames waited for, and those that do the same
//	  rank              causes over many frames
//	  restore           Causes from what a converted trace has stored
//
// Track stores only threads that make frames. Of all others it keeps the last few changes,
// which are enough because a wait is followed at the wakeup that ends it. limits.States
// bounds the logs.
package why
