package gfxinfo

import (
	"slices"

	"ohframe/analyzer/trace"
)

// findIntervals finds the frame interval of each window: the one that its rows
// state, else the given one, else the one inferred from its vsyncs, else the one
// inferred from the vsyncs of all windows, which are on one display.
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

// stated returns the interval that most of the rows state, or 0.
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

// Displays refresh at 10 to 500 Hz. Gaps of more than maxVsyncs are ignored because
// the jitter of vsyncs adds up.
const (
	shortestInterval = 2 * trace.Millisecond
	longestInterval  = 100 * trace.Millisecond
	maxVsyncs        = 8
)

// infer returns the frame interval, or 0 if it is unknown. The shortest gap between
// intended vsyncs is one interval, the others are multiples of it, and the interval
// is their average.
func infer(vsyncs []int64) trace.Duration {
	slices.Sort(vsyncs)
	var gaps []trace.Duration
	for i := 1; i < len(vsyncs); i++ {
		if gap := trace.Duration(vsyncs[i] - vsyncs[i-1]); gap >= shortestInterval {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	shortest := slices.Min(gaps)
	if shortest > longestInterval {
		return 0
	}
	var sum, count trace.Duration
	for _, gap := range gaps {
		n := (gap + shortest/2) / shortest
		if n <= maxVsyncs && (gap-n*shortest).Abs() <= shortest/10 {
			sum += gap
			count += n
		}
	}
	return sum / count
}
