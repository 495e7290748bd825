// Package threads follows what every thread of a trace does, and stores that of threads that
// make frames.
//
// The input is the events of a text trace, in order, through Recorder.Sink. The output of
// Recorder.Finish is a Record: a Log for each thread that makes frames, with changes of its
// state and its slices; the Wait of each state in which the thread did not run; and the
// Leaf of each thread that it waited for.
//
//	 workers          in order
//	events ─▶ names ─▶ states, slices, calls of all threads ─▶ logs ─▶ Record
//	                                │                           ▲
//	                                └─ at each wakeup, what the ┘
//	                                   waker did meanwhile
//
// The Recorder keeps the last few changes of threads that make no frames. They are enough
// because a wait is followed at the wakeup that ends it. trace.Limits.States bounds what is stored.
//
//	vocabulary, keys  names of slices, each with a number
//	recorder          all events, and slices
//	sched             switches, wakeups, frequencies, interrupts
//	thread, log       the state of a thread, and what is stored of it
//	loss              lost events: what is unknown then
//	calls             synchronous calls between processes, requests for storage
//	waits, follow,    what a wait was for, and what other threads did during it
//	leaves
//	passages          where a frame passes from one thread to the next
package threads
