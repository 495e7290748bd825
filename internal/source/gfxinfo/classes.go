package gfxinfo

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// statesDeadlines reports whether the rows are from Android 12 or later.
func (w *Window) statesDeadlines() bool {
	return w.has.has(frameDeadline) && w.has.has(frameInterval) && w.has.has(gpuCompleted)
}

// classes returns the jank that hwui counts in each row, by the rules of the
// version that printed them. It is 0 for all rows if the interval is unknown.
func (w *Window) classes() []analyzer.StatsJank {
	list := make([]analyzer.StatsJank, len(w.rows))
	if w.Interval == 0 {
		return list
	}
	// Of the versions without deadlines, only Android 11 has the column GpuCompleted.
	swaps := swapTracker{interval: w.Interval, lenient: w.has.has(gpuCompleted)}
	var deadlines deadlineTracker
	for i := range w.rows {
		if w.statesDeadlines() {
			list[i] = deadlines.classes(&w.rows[i], w.intervalOf(&w.rows[i]))
		} else {
			list[i] = swaps.classes(&w.rows[i])
		}
	}
	return list
}

// intervalOf returns the frame interval of a row.
func (w *Window) intervalOf(r *row) trace.Duration {
	if n := r[frameInterval]; n > 0 && n <= int64(longestInterval) {
		return trace.Duration(n)
	}
	return w.Interval
}
