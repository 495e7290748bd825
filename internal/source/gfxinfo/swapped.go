package gfxinfo

import "ohframe/analyzer/trace"

// FrameInfoNames in hwui's FrameInfo.cpp of Android 12 to 14 has FrameInterval and
// FrameStartTime in one order, enum FrameInfoIndex in FrameInfo.h in the other: the
// header of a table is printed from the former, the values from the latter. Android
// 15 corrected the names.
//
// Each row votes for or against swapped columns, or abstains, by these bounds of an
// interval and of a start's distance from IntendedVsync. Shortly after boot both
// values can be either: then the start is the value nearer to IntendedVsync. The
// majority decides for the whole table, so that an odd row does not matter.
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
