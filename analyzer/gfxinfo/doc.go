// Package gfxinfo reads what `dumpsys gfxinfo PACKAGE framestats` prints: when
// hwui, which draws Android's applications, came to each stage of its last 120
// frames in every window, and what it has counted since the process started.
//
//	** Graphics info for pid 4321 [com.example.app] **
//
//	Stats since: 91522723936145ns            counted for the process
//	Total frames rendered: 6266
//	Janky frames: 489 (7.80%)
//	90th percentile: 24ms
//	Number Missed Vsync: 4
//	HISTOGRAM: 5ms=978 6ms=458 …
//
//	Profile data in ms:
//	        com.example.app/….ViewRootImpl@1c4b3d (visibility=0)
//	Window: com.example.app/….MainActivity   counted for the window
//	Total frames rendered: 120
//	…
//	---PROFILEDATA---                        a row for each frame
//	Flags,IntendedVsync,Vsync,…,FrameCompleted,…,
//	0,27965466202353,27965466202353,…,27965473797227,…,
//	---PROFILEDATA---
//
// Columns differ from version to version and are found by their names; times
// are nanoseconds of CLOCK_MONOTONIC. A row whose flags are not zero is of a
// frame unlike others, such as a window's first. It is counted, and is no frame.
//
// # Frames
//
// A row is an application frame of its process's main thread, from
// IntendedVsync to FrameCompleted. Its deadline is FrameDeadline where there is
// such a column, from Android 12 on, else one frame interval after
// IntendedVsync. Where DisplayPresentTime is known, it was taken by a render
// frame of that present time, whose process stands for SurfaceFlinger; of that,
// and of processes that are not named, the id is the first from 1 on that no
// other has.
//
// # Jank as hwui has it
//
// Until Android 11 a frame is janky if its duration is more than the frame
// interval. Whether it missed its deadline is another matter: buffers are
// swapped at the rate of the display, so the deadline of each swap is one
// interval after the last one's, or after the frame's own vsync if that is
// later. A frame that is in time, but begins while an earlier deadline is still
// ahead, waits behind that frame: high input latency. A frame that is not in
// time moves the next deadline to the first vsync after its end and one on, and
// causes are looked for, by how much of the interval its stages took:
//
//	missed vsync      IntendedVsync → Vsync                     1 ns
//	slow UI thread    Vsync → SyncStart                         0.5
//	slow bitmap       SyncStart → IssueDrawCommandsStart        0.2
//	slow draw         IssueDrawCommandsStart → FrameCompleted   0.75
//
// From Android 12 on a frame is janky if GpuCompleted is not before FrameDeadline,
// and the rules above are called legacy, with small changes. Which rules hold is
// told by the columns.
//
// A duration that spans SyncQueued leaves out the time from there to SyncStart,
// when the UI thread waits for the frame before. So a summary's durations can be
// shorter than the frames' intervals. What hwui forgives of waiting for a buffer
// depends on the device and is not in the dump; nor does it count for a window
// the frames that have left its 120 rows.
package gfxinfo
