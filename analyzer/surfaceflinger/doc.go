// Package surfaceflinger reads what `dumpsys SurfaceFlinger --latency LAYER`
// prints: when the last frames of one layer were shown.
//
// The first line is the display's refresh period, then come up to 127 rows with
// three times, the oldest frame first. All are in nanoseconds, the times of
// CLOCK_MONOTONIC:
//
//	16666667
//	23761666738507	23761705288823	23761672407674
//	desired present	actual present	frame ready
//
// The actual present time is when the present fence was signaled: the display
// showed the frame. It is zero in a row that was never used, and the highest
// number there is while the frame waits; such rows are no frames. Frame ready is
// when the acquire fence was signaled: drawing had finished.
//
// # Several dumps
//
// Dumps may follow each other. The dump does not name its layer: a line of text
// before the period does, or Options.Layers do, in order. Dumps without a name
// are of one layer, made one after another. Rows that two dumps of a layer share
// are one frame.
//
// # Frames
//
// A row is an application frame of a process that stands for the layer. Every
// present time is a render frame of a process that stands for SurfaceFlinger,
// which took the frames of all layers shown then: that is how often the display
// changed, in all and for each layer, and what measures count. A process has no
// id in the dump; SurfaceFlinger is 1, the layers count from 2.
//
//	application frame   from desired present, if that is earlier, to ready
//	render frame        from ready to shown
//
// The two together are the latency that the dump is named after. Neither has a
// deadline, so that none is late: what a layer desires is no promise of the
// system's.
//
// # Hitches
//
// A long gap between two present times is a hitch if the application was slow, and
// none if it had nothing to draw. Few dumps tell which. An application may ask for
// a present time, for example with eglPresentationTimeANDROID; that is then the
// desired present time. For most frames Android fills in when they were queued,
// after all work on the CPU (Surface::queueBuffer, and for BLAST layers
// Transaction::setBuffer).
//
// Since when a layer waited for a frame is therefore known only if the layer asks
// for times, or if the frame was queued so soon after the one before it that the
// application cannot have been idle. LayerLatency.Wanted has that time, and is zero
// where it is not known.
package surfaceflinger
