// Package gfxinfo reads the output of `dumpsys gfxinfo PACKAGE framestats`: the
// times at which hwui, Android's renderer of applications, reached each stage of
// the last 120 frames of every window. It ignores the summaries.
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
// Android 12 to 14 name two columns FrameInterval, FrameStartTime and print the
// values in the opposite order. The values of a table are swapped if in more rows
// the start is a possible interval (1 ms to 1 s) and the interval a possible start
// (within 10 s of IntendedVsync, and nearer to it than the other value) than the
// other way round.
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
// # Jank as hwui counts it
//
// The rules are those of JankTracker.cpp in the Android Open Source Project. The
// columns of a table show the version.
//
// Until Android 11 a frame is janky if its duration is more than the frame
// interval. Deadlines are separate: buffers are swapped at the rate of the display,
// so the deadline of a swap is one interval after the previous deadline, or after
// the frame's own vsync if that is later. A frame that is in time, but starts before
// an earlier deadline, waits behind that frame: high input latency. A frame that is
// not in time moves the last deadline to the first vsync after its end. Its causes
// are the stages that took at least this share of the interval, but less than 10 s:
//
//	missed vsync      IntendedVsync → Vsync                     1 ns
//	slow UI thread    Vsync → SyncStart                         0.5
//	slow bitmap       SyncStart → IssueDrawCommandsStart        0.2
//	slow draw         IssueDrawCommandsStart → FrameCompleted   0.75
//
// In Android 11 a frame waits only if the earlier deadline is more than a tenth of
// the interval ahead, and a frame that took less than the interval is in time. From
// Android 12 on a frame is janky if GpuCompleted is not before FrameDeadline.
// Android 6 to 8 only compare the duration and the stages with the interval; their
// rows are judged by the rules of Android 9.
//
// A duration that spans SyncQueued does not include the time from there to
// SyncStart, when the UI thread waits for the previous frame. How much waiting for
// a buffer hwui subtracts depends on the device and is not in the dump.
package gfxinfo
