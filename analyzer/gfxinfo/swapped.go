package gfxinfo

import "ohframe/analyzer/trace"

// Android 12 to 14 print "FrameInterval,FrameStartTime" in the header of a table
// and the values of these two columns in the opposite order: FrameInfoNames in
// hwui's FrameInfo.cpp has one order, enum FrameInfoIndex in FrameInfo.h the
// other. Android 15 corrected the names.
//
// Each row votes. It votes for swapped columns if the value below FrameStartTime
// is possible as an interval, from 1 ms to 1 s, and the value below FrameInterval
// is possible as a start, at most 10 s from IntendedVsync. It votes against them
// if that holds the other way round. If both hold, as they may shortly after
// boot, the value that is nearer to IntendedVsync is the start. Other rows do not
// vote. The columns of a table are swapped if more rows vote for it than against
// it: a single odd row cannot change how the others are read.
const (
	shortestPeriod = trace.Millisecond
	longestPeriod  = trace.Second
	farthestStart  = 10 * trace.Second
)

// votes returns 1 if the row votes for swapped columns, -1 if it votes against
// them, else 0.
func (r *row) votes() int {
	if r.startsAt(frameInterval, frameStartTime) {
		return 1
	}
	if r.startsAt(frameStartTime, frameInterval) {
		return -1
	}
	return 0
}

// startsAt reports whether the row has a start in one column and an interval in
// the other.
func (r *row) startsAt(start, interval column) bool {
	vsync := r.time(intendedVsync)
	period := trace.Duration(r[interval])
	away := r.time(start).Sub(vsync).Abs()
	return vsync.Known() && period >= shortestPeriod && period <= longestPeriod &&
		away <= farthestStart && away < r.time(interval).Sub(vsync).Abs()
}

// swap swaps the values of the two columns.
func (r *row) swap() {
	r[frameInterval], r[frameStartTime] = r[frameStartTime], r[frameInterval]
}
