package perfetto

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// judge derives facts and present times from Android's verdicts.
func (a *assembly) judge() {
	for _, f := range a.frames {
		if f.Facts.Has(analyzer.Truncated) {
			continue
		}
		if f.Kind == analyzer.RenderFrame && f.said.Present != analyzer.PresentDropped {
			f.Present = f.Actual.End
		}
		if late(f) {
			f.Facts |= lateFact(f)
		}
		if f.said.Jank.Has(analyzer.JankSFScheduling) {
			f.Facts |= analyzer.Misaligned
		}
	}
	for _, f := range a.frames {
		if f.Render != nil && f.Facts.Has(analyzer.Misaligned) {
			f.Render.Facts |= analyzer.Misaligned
		}
	}
}

// late reports whether the frame's work was not finished by its deadline.
func late(f frame) bool {
	own := analyzer.JankAppDeadlineMissed
	if f.Kind == analyzer.RenderFrame {
		own = analyzer.JankSFCPUDeadlineMissed | analyzer.JankSFGPUDeadlineMissed
	}
	switch {
	case f.said.Present == analyzer.PresentDropped || !f.Deadline.Known():
		return false
	case f.said.Jank.Has(own):
		return true
	case f.said.OnTimeFinish != analyzer.NotSaid:
		return f.said.OnTimeFinish == analyzer.No
	case f.said.Jank != 0 || f.Kind == analyzer.RenderFrame:
		// The end of a render frame's interval is when it was shown, not when
		// its work was done.
		return false
	}
	return f.Actual.End > f.Deadline
}

// lateFact returns which part of a late frame was.
func lateFact(f frame) analyzer.Facts {
	const cpu, gpu = analyzer.JankSFCPUDeadlineMissed, analyzer.JankSFGPUDeadlineMissed
	if f.Kind == analyzer.RenderFrame && f.said.Jank.Has(gpu) && !f.said.Jank.Has(cpu) {
		return analyzer.GPULate
	}
	return analyzer.MainLate
}

// Vsyncs nearer to each other than shortestPeriod are not of one display, and
// nearby is how many on either side tell the period at a vsync: enough to find
// two in a row where not all were used, few enough to follow a change of the rate.
const (
	shortestPeriod = 2 * trace.Millisecond
	longestPeriod  = trace.Second
	nearby         = 8
)

// inferPeriods gives each frame the refresh period at its time: the smallest
// distance between vsyncs nearby. The compositor's vsyncs are those of the
// display; without them each application's have to do.
func (a *assembly) inferPeriods() {
	var display []trace.Time
	own := map[trace.PID][]trace.Time{}
	for _, f := range a.frames {
		if !f.Vsync.Known() {
			continue
		}
		own[f.Process.PID] = append(own[f.Process.PID], f.Vsync)
		if f.Kind == analyzer.RenderFrame {
			display = append(display, f.Vsync)
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

// periods is how far apart vsyncs are, as time goes.
type periods struct {
	starts []trace.Time // of each gap between vsyncs
	gaps   []trace.Duration
}

// newPeriods returns the gaps between vsyncs, which it puts in order.
func newPeriods(vsyncs []trace.Time) *periods {
	slices.Sort(vsyncs)
	p := &periods{}
	for i := 1; i < len(vsyncs); i++ {
		if gap := vsyncs[i].Sub(vsyncs[i-1]); gap >= shortestPeriod && gap <= longestPeriod {
			p.starts = append(p.starts, vsyncs[i-1])
			p.gaps = append(p.gaps, gap)
		}
	}
	return p
}

func (p *periods) none() bool { return len(p.gaps) == 0 }

// at returns the period at the given time, zero if it is not known.
func (p *periods) at(t trace.Time) trace.Duration {
	if p.none() {
		return 0
	}
	i, _ := slices.BinarySearch(p.starts, t)
	return slices.Min(p.gaps[max(0, min(i-nearby, len(p.gaps)-1)):min(i+nearby, len(p.gaps))])
}
