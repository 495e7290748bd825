package reconstruct

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/refresh"
)

// setPeriods finds the refresh period of each frame. For an application it is
// the length of the expected interval, and for render_service too until 5.0
// made that interval two periods less a constant. If the ReceiveVsync does not name
// its receiver, the announced period decides which of the two it is, or the spacing
// of the vsyncs. It needs the kinds and expected intervals that place sets.
func (b *builder) setPeriods(render []*draft) {
	slices.SortStableFunc(b.periods, func(x, y generated) int { return cmp.Compare(x.at, y.at) })
	twoPeriods := spacedAsTwoPeriods(render)
	announced := 0
	for _, d := range b.drafts {
		f := d.frame
		for announced < len(b.periods) && b.periods[announced].at <= f.Actual.Start {
			announced++
		}
		switch {
		case f.Framework != analyzer.Platform && !f.Expected.Known(): // which need not follow the display
		case !f.Expected.Known():
			if announced > 0 {
				f.Period = b.periods[announced-1].period
			}
		case f.Kind == analyzer.RenderFrame && d.receiverIsRS:
			f.Period = refresh.OfTwo(f.Expected.Duration())
		case f.Kind == analyzer.RenderFrame && !d.namesReceiver:
			half := twoPeriods
			if announced > 0 {
				half = refresh.SpansTwo(b.periods[announced-1].period, f.Expected.Duration())
			}
			f.Period = f.Expected.Duration()
			if half {
				f.Period = refresh.OfTwo(f.Period)
			}
		default:
			f.Period = f.Expected.Duration()
		}
	}
}

// spacedAsTwoPeriods reports whether the vsyncs of the frames are spaced by
// half of their expected intervals and the lead, not by the whole interval.
func spacedAsTwoPeriods(frames []*draft) bool {
	var whole, half float64
	for i := 1; i < len(frames); i++ {
		gap := trace.Duration(frames[i].now - frames[i-1].now)
		expected := frames[i-1].frame.Expected.Duration()
		if frames[i-1].namesReceiver || gap <= 0 || gap > trace.Second || expected <= 0 || frames[i-1].now == 0 {
			continue
		}
		whole += refresh.Misfit(gap, expected)
		half += refresh.Misfit(gap, refresh.OfTwo(expected))
	}
	return half < whole
}
