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
	stated := make([]trace.Duration, len(b.periods))
	for i := range b.periods {
		stated[i] = b.periods[i].period
	}
	slices.Sort(stated)
	stated = slices.Compact(stated)
	announced := 0
	for _, d := range b.drafts {
		f := d.frame
		for announced < len(b.periods) && b.periods[announced].at <= f.Actual.Start {
			announced++
		}
		last := trace.Duration(0)
		if announced > 0 {
			last = b.periods[announced-1].period
		}
		switch {
		case f.Framework != analyzer.Platform && !f.Expected.Known(): // which need not follow the display
		case !f.Expected.Known():
			f.Period = last
		case f.Kind == analyzer.RenderFrame && d.receiverIsRS:
			f.Period = statedPeriod(refresh.OfTwo(f.Expected.Duration()), last, stated)
		case f.Kind == analyzer.RenderFrame && !d.namesReceiver:
			half := twoPeriods
			if announced > 0 {
				half = refresh.SpansTwo(last, f.Expected.Duration())
			}
			f.Period = f.Expected.Duration()
			if half {
				f.Period = statedPeriod(refresh.OfTwo(f.Period), last, stated)
			}
		default:
			f.Period = f.Expected.Duration()
		}
	}
}

// statedPeriod returns the period of an expected interval, or the last one that was stated if that is
// close to it and none of those stated, in order, is the same: then the interval has another lead.
func statedPeriod(period, last trace.Duration, stated []trace.Duration) trace.Duration {
	same := func(other trace.Duration) bool { return (period-other).Abs()*20 <= other }
	if last == 0 || same(last) || (period-last).Abs()*5 > last {
		return period
	}
	i, _ := slices.BinarySearch(stated, period)
	if i > 0 && same(stated[i-1]) || i < len(stated) && same(stated[i]) {
		return period
	}
	return last
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
