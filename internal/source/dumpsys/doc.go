// Package dumpsys reads dumps of Android: the frames and summaries that an application's renderer
// counts, and when SurfaceFlinger showed the frames of a layer.
//
// # gfxinfo
//
// It reads the output of `dumpsys gfxinfo PACKAGE framestats`: the
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
// # Frames of gfxinfo
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
// # Summaries of gfxinfo
//
// A summary counts all frames of a process since the time that it states, or those of a package
// on a day. Summaries of windows are ignored, as those of their processes count the same frames.
//
// docs/frames.md 10.17 to 10.20 has the rules; jank.go those by which hwui counts jank.
//
// # Latencies
//
// It reads the output of `dumpsys SurfaceFlinger --latency
// LAYER`: when the last frames of a layer were shown.
//
// The first line is the display's refresh period. Up to 127 rows with three times
// follow, the oldest frame first. All values are nanoseconds; times are
// CLOCK_MONOTONIC:
//
//	16666667
//	23761666738507	23761705288823	23761672407674
//	desired present	actual present	frame ready
//
// The actual present time is when the present fence was signaled: the display
// showed the frame. It is 0 in an unused row, and the largest int64 in the row of a
// frame that waits; such rows are skipped. Frame ready is when the acquire fence was
// signaled: drawing had finished.
//
// # Several dumps of latencies
//
// An input may contain several dumps. A dump does not name its layer: a line of text
// before the period does. All dumps without a name belong to one layer. Equal rows in two dumps of a layer are one frame.
//
// # Frames of latencies
//
// A row is an application frame of a process that represents the layer. Each present
// time is a render frame of a process that represents SurfaceFlinger. It picks up the
// frames of all layers shown then, so that measures count how often the display
// changed, for each layer and in total. The dump has no process ids: SurfaceFlinger
// gets 1, the layers get 2 and up.
//
//	application frame   from desired present, if that is earlier, to ready
//	render frame        from ready to shown
//
// Together they are the latency that the dump is named after. Neither has a deadline,
// so no frame is late: a desired present time is not a promise of the system.
//
// A row is also a shown buffer of the layer. It was queued at the desired time, unless the
// layer asks for present times.
//
// # Hitches
//
// A long gap between two present times is a hitch if the application was slow, but
// not if it had nothing to draw. Few dumps show which. An application may ask for a
// present time, for example with eglPresentationTimeANDROID; that is then the desired
// present time. Otherwise Android fills in the time of queueing, after all work on the
// CPU (Surface::queueBuffer, and for BLAST layers Transaction::setBuffer).
//
// The time since which a layer waited for a frame is therefore known only if the layer
// asks for times, or if the frame was queued so soon after the previous one that the
// application cannot have been idle. LayerLatency.Wanted is that time, or 0 if it is
// unknown.
package dumpsys
