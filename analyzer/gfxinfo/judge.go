package gfxinfo

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// judge computes the summaries of the process's windows, and its own.
func (p *Process) judge() {
	p.Computed = &Summary{Histogram: Buckets()}
	p.Computed.set(TotalFrames, 0)
	for _, w := range p.Windows {
		w.judge()
		for _, l := range Lines() {
			if n, ok := w.Computed.Value(l); ok && (l < Percentile50 || l > Percentile99) {
				p.Computed.add(l, n)
			}
		}
		for i, b := range w.Computed.Histogram {
			p.Computed.Histogram[i].Frames += b.Frames
		}
	}
	p.Computed.setPercentiles()
}

// judge computes the summary of the window's rows, by the rules of the version
// that printed them.
func (w *Window) judge() {
	s := &Summary{Histogram: Buckets()}
	w.Computed = s
	s.set(TotalFrames, len(w.rows))
	for i := range w.rows {
		s.Histogram[bucketOf(w.rows[i].between(intendedVsync, frameCompleted))].Frames++
	}
	s.setPercentiles()
	if w.Interval == 0 {
		return
	}
	for _, l := range []Line{JankyFrames, MissedVsync, HighInputLatency, SlowUIThread, SlowBitmapUploads, SlowIssueDrawCommands, MissedDeadline} {
		s.set(l, 0)
	}
	classes := w.classes()
	for _, c := range classes {
		s.count(c)
	}
	if !w.statesDeadlines() || !w.has.has(swapBuffersCompleted) {
		return
	}
	s.set(JankyFramesLegacy, 0)
	s.set(MissedDeadlineLegacy, 0)
	legacy := swapTracker{interval: w.Interval, lenient: true, legacy: true}
	for i := range w.rows {
		c := legacy.judge(&w.rows[i])
		s.addIf(JankyFramesLegacy, c.Has(analyzer.StatsJanky))
		s.addIf(MissedDeadlineLegacy, c.Has(analyzer.StatsMissedDeadline))
		s.addIf(HighInputLatency, c.Has(analyzer.StatsHighInputLatency)) // hwui counts both
	}
}

// statesDeadlines reports whether the rows are from Android 12 or later.
func (w *Window) statesDeadlines() bool {
	return w.has.has(frameDeadline) && w.has.has(frameInterval) && w.has.has(gpuCompleted)
}

// classes returns the jank that hwui counts in each row; none if the interval is
// not known.
func (w *Window) classes() []analyzer.StatsJank {
	list := make([]analyzer.StatsJank, len(w.rows))
	if w.Interval == 0 {
		return list
	}
	// Of the versions without deadlines, Android 11 alone has the column.
	swaps := swapTracker{interval: w.Interval, lenient: w.has.has(gpuCompleted)}
	var deadlines deadlineTracker
	for i := range w.rows {
		if w.statesDeadlines() {
			list[i] = deadlines.judge(&w.rows[i], w.intervalOf(&w.rows[i]))
		} else {
			list[i] = swaps.judge(&w.rows[i])
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

// count counts a frame's classes.
func (s *Summary) count(c analyzer.StatsJank) {
	s.addIf(JankyFrames, c.Has(analyzer.StatsJanky))
	s.addIf(MissedVsync, c.Has(analyzer.StatsMissedVsync))
	s.addIf(HighInputLatency, c.Has(analyzer.StatsHighInputLatency))
	s.addIf(SlowUIThread, c.Has(analyzer.StatsSlowUI))
	s.addIf(SlowBitmapUploads, c.Has(analyzer.StatsSlowSync))
	s.addIf(SlowIssueDrawCommands, c.Has(analyzer.StatsSlowDraw))
	s.addIf(MissedDeadline, c.Has(analyzer.StatsMissedDeadline))
}

func (s *Summary) addIf(l Line, yes bool) {
	if yes {
		s.add(l, 1)
	}
}

// setPercentiles sets the percentiles that follow from the histogram.
func (s *Summary) setPercentiles() {
	for l, percent := range map[Line]int{Percentile50: 50, Percentile90: 90, Percentile95: 95, Percentile99: 99} {
		s.set(l, percentile(s.Histogram, percent, s.values[TotalFrames]))
	}
}
