package gfxinfo

import (
	"math"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/refresh"
)

// findIntervals sets the frame interval of each window. It comes from the window's rows,
// else from the options, else from its vsyncs, else from the vsyncs of all windows, which
// are on one display.
func (d *Dump) findIntervals(given trace.Duration) {
	var all []int64
	for _, p := range d.Processes {
		for _, w := range p.Windows {
			all = append(all, w.vsyncs()...)
		}
	}
	common := infer(all)
	for _, p := range d.Processes {
		for _, w := range p.Windows {
			w.Interval, w.IntervalFrom = w.stated(), IntervalStated
			if w.Interval == 0 {
				w.Interval, w.IntervalFrom = given, IntervalGiven
			}
			if w.Interval == 0 {
				w.Interval, w.IntervalFrom = infer(w.vsyncs()), IntervalInferred
			}
			if w.Interval == 0 {
				w.Interval = common
			}
			if w.Interval == 0 {
				w.IntervalFrom = IntervalUnknown
			}
		}
	}
}

// stated returns the interval of most rows, or 0 if no row has one.
func (w *Window) stated() trace.Duration {
	counts := map[int64]int{}
	var most int64
	for i := range w.rows {
		n := w.rows[i][frameInterval]
		if n <= 0 || n > int64(longestInterval) {
			continue
		}
		counts[n]++
		if counts[n] > counts[most] {
			most = n
		}
	}
	return trace.Duration(most)
}

// vsyncs returns the intended vsyncs of the window's rows.
func (w *Window) vsyncs() []int64 {
	list := make([]int64, len(w.rows))
	for i := range w.rows {
		list[i] = w.rows[i][intendedVsync]
	}
	return list
}

// Displays refresh at 10 to 500 Hz.
const (
	shortestInterval = 2 * trace.Millisecond
	longestInterval  = 100 * trace.Millisecond
)

// infer returns the frame interval, or 0 if it is unknown. The shortest gap between
// intended vsyncs is one interval, the others are multiples of it, and the interval
// is their average.
func infer(vsyncs []int64) trace.Duration {
	_, gaps := refresh.Gaps(vsyncs, shortestInterval, math.MaxInt64)
	if len(gaps) == 0 {
		return 0
	}
	shortest := slices.Min(gaps)
	if shortest > longestInterval {
		return 0
	}
	return refresh.Mean(gaps, shortest)
}
