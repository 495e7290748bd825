// Package gfxinfo reads the output of `dumpsys gfxinfo PACKAGE framestats`: the
// times at which hwui, Android's renderer of applications, reached each stage of
// the last 120 frames of every window, and the summaries of processes. It also reads
// `dumpsys gfxinfo` without framestats, and `dumpsys graphicsstats`: summaries only.
//
//	** Graphics info for pid 4321 [com.example.app] **
//
//	Stats since: 91522723936145ns            summary of the process
//	Total frames rendered: 6266
//	Janky frames: 489 (7.80%)
//	90th percentile: 24ms
//	Number Missed Vsync: 4
//	HISTOGRAM: 5ms=978 6ms=458 …
//
//	Profile data in ms:
//	        com.example.app/….ViewRootImpl@1c4b3d (visibility=0)
//	Window: com.example.app/….MainActivity   summary of the window
//	Total frames rendered: 120
//	…
//	---PROFILEDATA---                        a row for each frame
//	Flags,IntendedVsync,Vsync,…,FrameCompleted,…,
//	0,27965466202353,27965466202353,…,27965473797227,…,
//	---PROFILEDATA---
//
// A part of a dump is enough, also a table without the markers around it. Columns
// differ between versions and are found by their names. Times are nanoseconds of
// CLOCK_MONOTONIC.
//
// # Frames
//
// A row is an application frame of its process's main thread, from
// IntendedVsync to FrameCompleted. Its deadline is FrameDeadline where there is
// such a column, from Android 12 on, otherwise one frame interval after
// IntendedVsync. If DisplayPresentTime is known, a render frame with that present
// time picked it up. The process of render frames represents SurfaceFlinger. It,
// and processes without an id, get the first free process ids from 1 on.
//
// Rows with the flag SurfaceCanvas, which hwui exempts from jank, or SkippedFrame,
// which were not drawn, are skipped. Rows with any other flag are frames.
//
// # Summaries
//
// A summary counts all frames of a process since the time that it states, or those of a package
// on a day. Summaries of windows are ignored, as those of their processes count the same frames.
//
// docs/frames.md 10.17 to 10.26 has the rules, with those by which hwui counts jank.
package gfxinfo
