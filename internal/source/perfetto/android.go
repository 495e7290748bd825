package perfetto

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/refresh"
)

// judge sets facts according to the verdicts, and when render frames were shown.
func (a *assembly) judge() {
	for _, f := range a.frames {
		if f.Facts.Has(analyzer.Truncated) {
			continue
		}
		if f.Kind == analyzer.RenderFrame && !f.Facts.Has(analyzer.Dropped) {
			f.Present = f.Actual.End // a render frame's interval ends when it is shown
		}
		if late(f) {
			f.Facts |= lateFact(f)
		}
		if f.timeline.Jank.Has(analyzer.JankSFScheduling) {
			f.Facts |= analyzer.Misaligned
		}
	}
	for _, f := range a.frames {
		if f.Render != nil && f.Facts.Has(analyzer.Misaligned) {
			f.Render.Facts |= analyzer.Misaligned
		}
	}
}

// late reports whether the frame's work was finished after its deadline. The jank
// type decides if it is one of the frame's own, then on_time_finish, also for a
// frame without an expected interval. SurfaceFlinger writes on_time_finish as false
// also for a frame that it could not judge: that has no known present type. A
// dropped frame has no meaningful end. See SurfaceFrame::classifyJankLocked and
// traceActuals in AOSP's FrameTimeline.cpp.
func late(f frame) bool {
	own := analyzer.JankAppDeadlineMissed
	if f.Kind == analyzer.RenderFrame {
		own = analyzer.JankSFCPUDeadlineMissed | analyzer.JankSFGPUDeadlineMissed
	}
	switch {
	case f.timeline.Jank.Has(own):
		return true
	case f.Facts.Has(analyzer.Dropped):
		return false
	case f.timeline.OnTimeFinish == analyzer.Yes || f.timeline.OnTimeFinish == analyzer.NotSaid && f.timeline.Jank != 0:
		return false
	case f.timeline.OnTimeFinish == analyzer.No && f.timeline.Present.Known():
		return true
	case f.Kind == analyzer.RenderFrame || !f.Deadline.Known():
		// A render frame's interval ends when it is shown, not when its work is done.
		return false
	}
	return f.Actual.End > f.Deadline
}

// lateFact returns whether a late frame was late on the CPU or on the GPU.
func lateFact(f frame) analyzer.Facts {
	const cpu, gpu = analyzer.JankSFCPUDeadlineMissed, analyzer.JankSFGPUDeadlineMissed
	if f.Kind == analyzer.RenderFrame && f.timeline.Jank.Has(gpu) && !f.timeline.Jank.Has(cpu) {
		return analyzer.GPULate
	}
	return analyzer.MainLate
}

// Refresh periods are between shortestPeriod and longestPeriod. The period at a
// vsync comes from up to nearby gaps on either side: enough to find two vsyncs in
// a row where some were skipped, few enough to follow a change of the rate.
const (
	shortestPeriod = 2 * trace.Millisecond
	longestPeriod  = trace.Second
	nearby         = 8
)

// inferPeriods sets the refresh period of each frame, from the spacing of the ends of
// expected intervals. SurfaceFlinger predicts the ends on the display's vsync grid;
// the starts shift with its work duration. Render frames have the display's vsyncs. In
// a trace without render frames each application's own frames are used.
func (a *assembly) inferPeriods() {
	var display []trace.Time
	own := map[trace.PID][]trace.Time{}
	for _, f := range a.frames {
		if !f.Expected.Known() {
			continue
		}
		own[f.Process.PID] = append(own[f.Process.PID], f.Expected.End)
		if f.Kind == analyzer.RenderFrame {
			display = append(display, f.Expected.End)
		}
	}
	shared := newPeriods(display)
	periodsOf := map[trace.PID]*periods{}
	for _, f := range a.frames {
		p := shared
		if p.none() && f.Kind == analyzer.ApplicationFrame {
			pid := f.Process.PID
			if p = periodsOf[pid]; p == nil {
				p = newPeriods(own[pid])
				periodsOf[pid] = p
			}
		}
		f.Period = p.at(f.Actual.Start)
	}
}

// periods are the gaps between vsyncs, in order of time.
type periods struct {
	starts []trace.Time // of each gap
	gaps   []trace.Duration
}

// newPeriods sorts the vsyncs and returns the gaps between them.
func newPeriods(vsyncs []trace.Time) *periods {
	starts, gaps := refresh.Gaps(vsyncs, shortestPeriod, longestPeriod)
	return &periods{starts, gaps}
}

func (p *periods) none() bool { return len(p.gaps) == 0 }

// at returns the period at the given time, zero if it is unknown. Predictions jitter
// by some hundred microseconds. The shortest gap nearby is about one period. The mean
// of the gaps that are close to a multiple of it is a better estimate. A second round
// with that estimate selects the gaps more reliably.
func (p *periods) at(t trace.Time) trace.Duration {
	if p.none() {
		return 0
	}
	i, _ := slices.BinarySearch(p.starts, t)
	gaps := p.gaps[max(0, min(i-nearby, len(p.gaps)-1)):min(i+nearby, len(p.gaps))]
	period := slices.Min(gaps)
	for range 2 {
		period = refresh.Mean(gaps, period)
	}
	return period
}
