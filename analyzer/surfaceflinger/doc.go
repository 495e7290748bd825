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
package surfaceflinger
