package judge

import (
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// explainNotBegun finds out what kept threads from frames that they did not begin: all that they did from the
// begin of the slice over the first vsync to the end of that over the last.
func (j *judge) explainNotBegun(t *analyzer.Timeline) {
	held := map[trace.TID][]*account.Account{}
	for f := range t.Complete() {
		e := j.causes.Frames[f]
		if e == nil || f.NotBegun == 0 {
			continue
		}
		e.NotBegun = &why.Explanation{Start: f.Held.Start, End: f.Held.End, Lost: f.HeldOver(), Outcome: why.NeverBegan}
		a := account.PartOfWay(f, f.Held.Start, f.Held.End, f.Held.End, why.NoStage)
		a.Watch()
		held[f.TID] = append(held[f.TID], a)
	}
	for _, tid := range slices.Sorted(maps.Keys(held)) {
		j.book.Distribute(tid, held[tid])
		for _, a := range held[tid] {
			j.setHeld(a, j.causes.Frames[a.Frame].NotBegun)
		}
	}
}

// setHeld sets the causes of frames that did not begin.
func (j *judge) setHeld(a *account.Account, e *why.Explanation) {
	var list []excess
	for _, c := range sums(nil).components(a) {
		if isBusy(c.Wait) {
			list = append(list, excess{Component: c.Component, portion: portion{value: c.time, excess: c.time, share: c.time}})
		}
	}
	if len(list) == 0 { // ends of slices were lost, so that the thread seems to have done something it had not begun
		e.Shares = []why.Share{{Wait: why.WaitUnknown, Value: e.End.Sub(e.Start), Share: e.Lost}}
		return
	}
	f := a.Frame
	first := f.Vsync.Add(-f.Missed())
	saved := func(d trace.Duration) trace.Duration { return min(max(d, 0), f.Held.End.Sub(first)) }
	e.Shares = j.allDetails(&judged{Account: a, of: &usual{}, late: e.Lost, saved: saved}, list)
	divideAgain(e.Shares, e.Lost)
	for i := range e.Shares {
		e.Shares[i].Gain = max(e.Shares[i].Gain, e.Shares[i].Share)
	}
}
