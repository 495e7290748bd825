package judge

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
)

// pickedUpLate reports whether an application frame was on time and picked up late. Those of
// other frameworks send buffers, which explainBuffers explains.
func pickedUpLate(f *analyzer.Frame) bool {
	return f.Kind == analyzer.ApplicationFrame && f.Framework == analyzer.Platform && f.Android == nil && !f.Late() && f.PickUpDelay() > 0
}

// newPickUp returns what the frames alone say about a late pick-up. renders are the render
// frames in order of their expected start.
func newPickUp(f *analyzer.Frame, renders []*analyzer.Frame) *why.Explanation {
	const near = trace.Millisecond // docs/frames.md 3.5
	planned := f.Expected.End
	picked := f.Render.Expected.Start
	p := &why.Explanation{Start: planned, End: picked, Lost: picked.Sub(planned), Outcome: why.NotKnown}
	i, _ := slices.BinarySearchFunc(renders, planned.Add(-near)+1, func(g *analyzer.Frame, t trace.Time) int {
		return cmp.Compare(g.Expected.Start, t)
	})
	for ; i < len(renders) && renders[i].Expected.Start < planned.Add(near); i++ {
		if g := renders[i]; g != f.Render && g.Process == f.Render.Process {
			p.Passed = g
		}
	}
	return p
}

// byExpectedStart returns the render frames in order of their expected start.
func byExpectedStart(t *analyzer.Timeline) []*analyzer.Frame {
	var list []*analyzer.Frame
	for _, f := range t.Frames {
		if f.Kind == analyzer.RenderFrame && f.Expected.Start.Known() {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *analyzer.Frame) int { return cmp.Compare(a.Expected.Start, b.Expected.Start) })
	return list
}

// explainPickUps finds out why frames that were on time were picked up late.
func (j *judge) explainPickUps(t *analyzer.Timeline) {
	renders := byExpectedStart(t)
	waits := map[trace.TID][]*account.Account{} // from the planned vsync to the begin of the frame
	pickUps := map[*account.Account]*why.Explanation{}
	for f := range t.Complete() {
		e := j.causes.Frames[f]
		if e == nil || !pickedUpLate(f) {
			continue
		}
		e.PickUp = newPickUp(f, renders)
		if e.PickUp.Passed != nil {
			e.PickUp.Outcome = j.passedBy(f, e.PickUp.Passed)
			continue
		}
		begin := f.Render.Actual.Start
		if f.Expected.End < begin {
			w := account.PartOfWay(f, f.Expected.End, begin, begin, why.NoStage)
			waits[f.Render.TID] = append(waits[f.Render.TID], w)
			pickUps[w] = e.PickUp
		}
	}
	for tid, list := range waits {
		j.delays(tid, list, pickUps)
	}
}

// passedBy returns why a render frame did not apply the transaction of an application
// frame.
func (j *judge) passedBy(f, passed *analyzer.Frame) why.Outcome {
	sent := f.Transactions[len(f.Transactions)-1]
	start, end := passed.Actual.Start, passed.Actual.End
	if j.record.Deferred(hitrace.Transaction{PID: f.Process.PID, Index: sent.Index}, start, end) {
		return why.Deferred
	}
	applied, ok := j.record.Applied(start, end)
	switch {
	case !ok:
		return why.NoCommands
	case sent.At > applied:
		return why.SentLate
	}
	begun, done, ok := j.record.Unmarshalled(f.Process.PID, sent.At)
	if ok && (!done.Known() || done > applied) && begun < f.Render.Actual.Start {
		return why.Unmarshalling
	}
	return why.NotKnown
}

// delays finds out what render_service's thread did until it began the frames that picked
// frames or buffers up late, and sets the reasons of the pick-ups.
func (j *judge) delays(tid trace.TID, waits []*account.Account, pickUps map[*account.Account]*why.Explanation) {
	slices.SortStableFunc(waits, func(a, b *account.Account) int { return cmp.Compare(a.End, b.End) })
	list := slices.Clone(waits)
	// from has the earliest start of each wait and those that end after it.
	from := make([]trace.Time, len(waits))
	for i := len(waits) - 1; i >= 0; i-- {
		from[i] = waits[i].Start
		if i+1 < len(waits) {
			from[i] = min(from[i], from[i+1])
		}
	}
	for _, a := range j.book.Threads[tid] {
		i, _ := slices.BinarySearchFunc(waits, a.Actual+1, func(w *account.Account, t trace.Time) int { return cmp.Compare(w.End, t) })
		if i < len(waits) && from[i] < a.End { // it overlaps one of the waits, or lies between two
			list = append(list, account.PartOfWay(a.Frame, a.Actual, a.Actual, a.End, why.NoStage))
		}
	}
	j.book.Distribute(tid, list)
	for _, w := range waits {
		// If the thread was busy when the vsync was due, the vsync was lost, even if the
		// thread was idle for longer afterwards.
		var most, busy account.Cell
		for cell := range w.Cells() {
			if cell.Time > most.Time {
				most = cell
			}
			if isBusy(cell.Wait) && cell.Time >= leastShare && cell.Time > busy.Time {
				busy = cell
			}
		}
		p := pickUps[w]
		switch {
		case busy.Time > 0:
			p.Outcome = why.RenderBusy
			p.Shares = j.busy(w, busy.Component, p.Lost)
		case most.Time == 0:
		case most.Wait != why.WaitUnknown:
			p.Outcome = why.NoVsync
		default:
			if period := w.Frame.Period; j.record.SentVsync(w.Start+1, trace.MaxTime) && !j.record.SentVsync(w.Start.Add(-period/4), w.Start.Add(period/2)) {
				p.Outcome = why.NoVsync
			}
		}
	}
}

// busy returns what kept a thread busy in a component for the longest, as the only cause of what was lost.
func (j *judge) busy(a *account.Account, id functions.Component, lost trace.Duration) []why.Share {
	all := sums(nil).components(a).of(id).time
	shares := j.allDetails(&judged{Account: a, of: &usual{}, late: all}, []excess{{Component: id, portion: portion{value: all, excess: all, share: all}}})
	shares[0].Share, shares[0].Gain = lost, 0
	return shares[:1:1]
}

// isBusy reports whether a thread with this wait before a frame was kept from it.
func isBusy(w why.Wait) bool {
	switch w {
	case why.EarlierFrame, why.EarlierWork, why.CPUWait, why.CPUPreempted, why.WaitIRQ:
		return true
	}
	return false
}
