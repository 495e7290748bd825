package why

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// PickUp is why render_service picked an application frame up late, although the frame
// itself was on time (docs/why.md 8).
type PickUp struct {
	// Late is the time from the vsync on which the frame should have been picked up to that
	// on which it was.
	Late   trace.Duration
	Reason PickUpReason
	// Share is what delayed render_service, for RenderBusy. Value is for how long. It has no
	// Usual and no Share.
	Share *Share
	// Passed is the render frame that should have picked the frame up and did not; nil if
	// there was none.
	Passed *analyzer.Frame
}

// PickUpReason is the kind of reason of a PickUp.
type PickUpReason uint8

// The reasons.
const (
	// PickUpUnknown: the trace does not show why.
	PickUpUnknown PickUpReason = iota
	// RenderBusy: render_service's main thread began its next frame too late.
	RenderBusy
	// NoVsync: render_service had no vsync then.
	NoVsync
	// Deferred: render_service had the transaction and left it for a later frame.
	Deferred
	// Unmarshalling: the transaction was not unmarshalled yet.
	Unmarshalling
	// NoCommands: render_service's frame applied no transactions at all.
	NoCommands
	// SentLate: the transaction was sent after render_service had applied transactions.
	SentLate

	pickUpReasonEnd // stays last
)

// PickUpReasonCount is the number of reasons.
const PickUpReasonCount = int(pickUpReasonEnd)

var pickUpReasons = [PickUpReasonCount]string{"unknown", "render_busy", "no_vsync", "deferred", "unmarshalling", "no_commands", "sent_late"}

// String returns the reason's code.
func (p PickUpReason) String() string { return pickUpReasons[p] }

// pickedUpLate reports whether an application frame was on time and picked up late.
func pickedUpLate(f *analyzer.Frame) bool {
	return f.Kind == analyzer.ApplicationFrame && f.Android == nil && !f.Late() && analyzer.PickUpDelay(f) > 0
}

// newPickUp returns what the frames alone say about a late pick-up. renders are the render
// frames in order of their expected start.
func newPickUp(f *analyzer.Frame, renders []*analyzer.Frame) *PickUp {
	const near = trace.Millisecond // docs/frames.md 3.5
	planned := f.Expected.End
	p := &PickUp{Late: f.Render.Expected.Start.Sub(planned)}
	i, _ := slices.BinarySearchFunc(renders, planned.Add(-near), func(g *analyzer.Frame, t trace.Time) int {
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
func (r *Recorder) explainPickUps(c *Causes, t *analyzer.Timeline, threads map[trace.TID][]*account, logs map[trace.TID][]*log) {
	renders := byExpectedStart(t)
	slices.Sort(r.passages.applied)
	slices.Sort(r.passages.vsyncs)
	slices.SortStableFunc(r.passages.deferred, func(a, b deferred) int { return cmp.Compare(a.at, b.at) })
	slices.SortStableFunc(r.passages.arrivals, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(a.pid, b.pid), cmp.Compare(a.start, b.start))
	})
	waits := map[trace.TID][]*account{} // from the planned vsync to the begin of the frame
	for f := range t.Complete() {
		e := c.Frames[f]
		if e == nil || !pickedUpLate(f) {
			continue
		}
		e.PickUp = newPickUp(f, renders)
		if e.PickUp.Passed != nil {
			e.PickUp.Reason = r.passedBy(f, e.PickUp.Passed)
			continue
		}
		begin := f.Render.Actual.Start
		if f.Expected.End < begin {
			waits[f.Render.TID] = append(waits[f.Render.TID], &account{
				frame: f, span: span{start: f.Expected.End, actual: begin, end: begin}, aside: true,
			})
		}
	}
	for tid, list := range waits {
		r.delays(c, list, threads[tid], logs[tid])
	}
}

// passedBy returns why a render frame did not apply the transaction of an application
// frame.
func (r *Recorder) passedBy(f, passed *analyzer.Frame) PickUpReason {
	sent := f.Transactions[len(f.Transactions)-1]
	p := &r.passages
	i, _ := slices.BinarySearchFunc(p.deferred, passed.Actual.Start, func(d deferred, at trace.Time) int { return cmp.Compare(d.at, at) })
	for ; i < len(p.deferred) && p.deferred[i].at <= passed.Actual.End; i++ {
		if d := p.deferred[i]; d.PID == f.Process.PID && d.Index <= sent.Index {
			return Deferred
		}
	}
	i, _ = slices.BinarySearch(p.applied, passed.Actual.Start)
	if i == len(p.applied) || p.applied[i] > passed.Actual.End {
		return NoCommands
	}
	applied := p.applied[i]
	if sent.At > applied {
		return SentLate
	}
	i, _ = slices.BinarySearchFunc(p.arrivals, sent.At, func(a arrival, at trace.Time) int {
		return cmp.Or(cmp.Compare(a.pid, f.Process.PID), cmp.Compare(a.start, at))
	})
	if i < len(p.arrivals) {
		if a := p.arrivals[i]; a.pid == f.Process.PID && (!a.end.Known() || a.end > applied) && a.start < f.Render.Actual.Start {
			return Unmarshalling
		}
	}
	return PickUpUnknown
}

// delays finds out what render_service's thread did until it began the frames that picked
// others up late. frames are all frames of the thread.
func (r *Recorder) delays(c *Causes, waits, frames []*account, logs []*log) {
	slices.SortStableFunc(waits, func(a, b *account) int { return cmp.Compare(a.span.end, b.span.end) })
	list := slices.Clone(waits)
	// from has the earliest start of each wait and those that end after it.
	from := make([]trace.Time, len(waits))
	for i := len(waits) - 1; i >= 0; i-- {
		from[i] = waits[i].span.start
		if i+1 < len(waits) {
			from[i] = min(from[i], from[i+1])
		}
	}
	for _, a := range frames {
		i, _ := slices.BinarySearchFunc(waits, a.span.actual+1, func(w *account, t trace.Time) int { return cmp.Compare(w.span.end, t) })
		if i < len(waits) && from[i] < a.span.end { // it overlaps one of the waits, or lies between two
			list = append(list, &account{
				frame: a.frame, span: span{start: a.span.actual, actual: a.span.actual, end: a.span.end}, aside: true,
			})
		}
	}
	slices.SortStableFunc(list, func(a, b *account) int { return cmp.Compare(a.span.actual, b.span.actual) })
	r.fill(list, logs)
	for _, w := range waits {
		// If the thread was busy when the vsync was due, the vsync was lost, even if the
		// thread was idle for longer afterwards.
		var most, busy *cell
		for i := range w.cells {
			cell := &w.cells[i]
			if most == nil || cell.time > most.time {
				most = cell
			}
			if isBusy(cell.wait) && cell.time >= leastShare && (busy == nil || cell.time > busy.time) {
				busy = cell
			}
		}
		p := c.Frames[w.frame].PickUp
		switch {
		case busy != nil:
			p.Reason = RenderBusy
			share := r.detail(w, list, &usual{}, excess{component: component{busy.stage, busy.wait}, value: busy.time})
			p.Share = &share
		case most == nil:
		case most.wait != place.WaitUnknown:
			p.Reason = NoVsync
		default:
			if n := len(r.passages.vsyncs); n > 0 && r.passages.vsyncs[n-1] > w.span.start && !r.sentVsync(w.span.start, w.frame.Period) {
				p.Reason = NoVsync
			}
		}
	}
}

// isBusy reports whether a thread with this wait before a frame was kept from it.
func isBusy(w place.Wait) bool {
	switch w {
	case place.EarlierFrame, place.EarlierWork, place.CPUWait, place.CPUPreempted, place.WaitIRQ:
		return true
	}
	return false
}

// sentVsync reports whether render_service was sent the vsync of a time.
func (r *Recorder) sentVsync(at trace.Time, period trace.Duration) bool {
	i, _ := slices.BinarySearch(r.passages.vsyncs, at.Add(-period/4))
	return i < len(r.passages.vsyncs) && r.passages.vsyncs[i] < at.Add(period/2)
}
