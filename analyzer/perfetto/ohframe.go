package perfetto

import (
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// restoreVsyncs takes back what ohframe had to change to number the frames: the
// highest tokens were made up where a vsync id was missing or taken. Each layer
// is a thread's, and workers share the vsync of their process's main thread.
func (a *assembly) restoreVsyncs(renumbered int64) {
	var highest int64
	for _, f := range a.frames {
		highest = max(highest, f.VsyncID)
	}
	type vsync struct {
		pid trace.PID
		id  int64
	}
	main := map[vsync]*analyzer.Frame{}
	for _, f := range a.frames {
		if f.VsyncID > highest-renumbered {
			f.VsyncID = 0
		}
		for _, l := range f.said.Layers {
			if tid, ok := layerThread(l.Name); ok {
				f.TID = tid
			}
		}
		if f.Kind == analyzer.ApplicationFrame && f.Expected.Known() && f.VsyncID != 0 {
			main[vsync{f.Process.PID, f.VsyncID}] = f.Frame
		}
	}
	for _, f := range a.frames {
		if m := main[vsync{f.Process.PID, f.VsyncID}]; m != nil && f.Kind == analyzer.ApplicationFrame && !f.Expected.Known() {
			f.Vsync, f.Deadline = m.Vsync, m.Deadline
		}
	}
}

// layerThread returns the thread in the name of a layer, "process#thread".
func layerThread(layer string) (trace.TID, bool) {
	i := strings.LastIndexByte(layer, '#')
	if i < 0 {
		return 0, false
	}
	tid, err := strconv.ParseInt(layer[i+1:], 10, 32)
	return trace.TID(tid), err == nil && tid >= 0
}

// restoreFacts finds the facts that ohframe told in Android's words. An empty
// frame's verdict says nothing else; what else holds, the times tell.
func (a *assembly) restoreFacts() {
	for _, f := range a.frames {
		if f.Facts.Has(analyzer.Truncated) {
			continue
		}
		const cpu, gpu = analyzer.JankSFCPUDeadlineMissed, analyzer.JankSFGPUDeadlineMissed
		switch {
		case f.said.Jank == analyzer.JankNonAnimating:
			f.Facts |= analyzer.Empty
			if f.Deadline.Known() && f.Actual.End > f.Deadline {
				f.Facts |= analyzer.MainLate
			}
		case f.Kind == analyzer.RenderFrame && f.said.Jank.Has(gpu) && !f.said.Jank.Has(cpu):
			f.Facts |= analyzer.GPULate
		case f.said.OnTimeFinish == analyzer.No:
			f.Facts |= analyzer.MainLate
		}
		if f.Kind == analyzer.RenderFrame && f.said.PresentDelayKnown && f.Expected.Known() {
			f.Present = max(0, f.Expected.End.Add(f.said.PresentDelay))
		}
	}
	for _, f := range a.frames {
		if misaligned(f) {
			f.Facts |= analyzer.Misaligned
			if f.Render != nil {
				f.Render.Facts |= analyzer.Misaligned
			}
		}
	}
}

// misaligned reports whether the application frame was taken on another vsync
// than it was made for. The verdict on a late frame does not say so itself:
// there it is its render frame's, and the expected times tell whether this is
// one of the frames that are meant.
func misaligned(f frame) bool {
	switch {
	case f.Kind == analyzer.RenderFrame || f.Facts.Has(analyzer.Truncated):
		return false
	case !f.Late():
		return f.said.Jank.Has(analyzer.JankSFScheduling)
	case f.Render == nil || f.Render.Facts.Has(analyzer.Truncated):
		return false
	}
	r := f.Render.Android.Timeline.Jank
	return (r.Has(analyzer.JankSFScheduling) || r == analyzer.JankNonAnimating) &&
		f.Expected.Known() && analyzer.IsMisaligned(f.Frame, analyzer.PhaseExpected)
}

// restorePeriods finds the refresh period as it is found in text: it is the
// length of the expected interval, of which for render frames there are two less
// a constant from 5.0 on.
func (a *assembly) restorePeriods() {
	two := a.twoPeriods()
	for _, f := range a.frames {
		f.Period = f.Expected.Duration()
		if f.Kind == analyzer.RenderFrame && two && f.Period > 0 {
			f.Period = analyzer.RenderPeriod(f.Period)
		}
	}
}

// twoPeriods reports whether the expected intervals of render frames are two
// periods less the lead. The intervals of the application frames before them
// tell, which are whole periods; else the spacing of their own vsyncs does.
func (a *assembly) twoPeriods() bool {
	var byApplications, bySpacing fit
	var application, render *analyzer.Frame // the last ones
	for _, f := range a.frames {
		switch {
		case !f.Expected.Known():
		case f.Kind == analyzer.ApplicationFrame:
			application = f.Frame
		default:
			if application != nil {
				byApplications.add(application.Expected.Duration(), f.Expected.Duration())
			}
			if render != nil && f.Vsync.Sub(render.Vsync) <= trace.Second {
				bySpacing.add(f.Vsync.Sub(render.Vsync), render.Expected.Duration())
			}
			render = f.Frame
		}
	}
	if byApplications.whole != byApplications.half {
		return byApplications.half < byApplications.whole
	}
	return bySpacing.half < bySpacing.whole
}

// fit is how far off it is to take expected intervals for one period each, and
// for two less the lead.
type fit struct{ whole, half float64 }

// add takes a number of periods and an expected interval of the same time.
func (f *fit) add(periods, expected trace.Duration) {
	if periods > 0 {
		f.whole += analyzer.PeriodMisfit(periods, expected)
		f.half += analyzer.PeriodMisfit(periods, analyzer.RenderPeriod(expected))
	}
}
