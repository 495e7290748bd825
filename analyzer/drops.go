package analyzer

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// Drops are the dropped buffers of a layer with one reason (docs/frames.md 16.9).
type Drops struct {
	Reason  DropReason
	Buffers int
	// First is the first known time of the first of them.
	First trace.Time
	// Period is the display's refresh period, for SlowDisplay. Before is the period until Since,
	// when it became longer; both are zero if the trace does not have that.
	Period, Before trace.Duration
	Since          trace.Time
}

// DropReason is why a buffer was dropped.
type DropReason uint8

const (
	// DropUnknown: the trace does not have the times of the buffer.
	DropUnknown DropReason = iota
	// SameVsync: a later buffer came before the next vsync.
	SameVsync
	// SlowDisplay: buffers come more often than the display shows new pictures.
	SlowDisplay
	// CaughtUp: the producer was late, and then queued buffers faster than the display shows them.
	CaughtUp
	// TakenTooLate: the compositor did not take it for a refresh period or longer.
	TakenTooLate
)

// String returns the reason's code.
func (r DropReason) String() string {
	return [...]string{"unknown", "same_vsync", "display_rate", "caught_up", "taken_late"}[r]
}

// Drops returns why buffers of layers were dropped, the most frequent reason of each layer first.
func (t *Timeline) Drops() map[*Layer][]*Drops {
	all := map[*Layer][]*Drops{}
	var before map[*Frame]displayed
	for _, l := range t.Layers {
		var next *Buffer // that was shown
		var caught map[*Buffer]bool
		for _, b := range slices.Backward(l.Buffers) {
			if b.Fate == Shown {
				next = b
			}
			if b.Fate != Discarded {
				continue
			}
			if before == nil {
				before = t.refreshes()
			}
			if caught == nil {
				caught = l.caughtUp(t)
			}
			all[l] = addDrop(all[l], b.whyDropped(next, before, caught))
		}
		slices.SortStableFunc(all[l], func(a, b *Drops) int {
			return cmp.Or(cmp.Compare(b.Buffers, a.Buffers), cmp.Compare(a.First, b.First))
		})
	}
	return all
}

// addDrop adds a buffer that was dropped before those of the list.
func addDrop(list []*Drops, d Drops) []*Drops {
	for _, x := range slices.Backward(list) {
		if x.Reason == d.Reason && x.Since == d.Since && (x.Period-d.Period).Abs()*slower <= d.Period {
			x.Buffers++
			x.First = cmp.Or(d.First, x.First)
			return list
		}
	}
	return append(list, &d)
}

// whyDropped returns why a buffer was dropped, given the one that was shown next, or nil.
func (b *Buffer) whyDropped(next *Buffer, before map[*Frame]displayed, caught map[*Buffer]bool) Drops {
	d := Drops{Buffers: 1, First: b.At()}
	if next == nil || next.Render == nil || next.Render.Period <= 0 || !b.Queued.Known() || !next.Acquired.Known() {
		return d
	}
	r := before[next.Render]
	period := cmp.Or(r.period, next.Render.Period)
	switch c := b.Layer.StretchOf(b); {
	case c != nil && c.Buffers == 1 && caught[b]:
		d.Reason = CaughtUp
	case c != nil && c.Buffers == 1 && c.Every < period-period/slower:
		d.Reason, d.Period, d.Before, d.Since = SlowDisplay, period, r.before, r.since
	case next.Acquired.Sub(b.Queued) <= period+period/jitter:
		d.Reason = SameVsync
	default:
		d.Reason = TakenTooLate
	}
	return d
}

// caughtUp returns the buffers that a producer queued while it caught up, with the late one, if the
// display showed the lack of it.
func (l *Layer) caughtUp(t *Timeline) map[*Buffer]bool {
	list, _ := arrivals(t, l.Buffers, func(b *Buffer) trace.Time { return b.Queued })
	var queued []*Buffer
	for _, b := range l.Buffers {
		if b.Queued.Known() {
			queued = append(queued, b)
		}
	}
	caught := map[*Buffer]bool{}
	for i, end := range caughtUp(list) {
		run := queued[i:end]
		for _, b := range queued[i:] {
			if b.Fate == Shown {
				if b.Pace != Late && b.Pace != Unpaced {
					run = nil
				}
				break
			}
		}
		for _, b := range run {
			caught[b] = true
		}
	}
	return caught
}

// displayed is the refresh period of a display, and the one before, until since, if it was shorter.
type displayed struct {
	period, before trace.Duration
	since          trace.Time
}

// refreshes returns what the display's refresh period was before each render frame, in which the
// buffers came that the frame took.
func (t *Timeline) refreshes() map[*Frame]displayed {
	before := map[*Frame]displayed{}
	of := map[*Process][]*Refresh{}
	for _, r := range t.Refreshes() {
		of[r.Process] = append(of[r.Process], r)
	}
	for _, f := range t.Frames {
		list := of[f.Process]
		for len(list) > 1 && list[1].Start < f.due() {
			list = list[1:]
		}
		if of[f.Process] = list; f.Kind != RenderFrame || len(list) == 0 || list[0].Start >= f.due() {
			continue
		}
		d := displayed{period: list[0].Period}
		if p := list[0].Before; p > 0 && longer(d.period, p) {
			d.before, d.since = p, list[0].Start
		}
		before[f] = d
	}
	return before
}
