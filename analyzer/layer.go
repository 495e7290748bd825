package analyzer

import (
	"cmp"
	"math"
	"slices"

	"ohframe/analyzer/trace"
)

// Layer is a queue of buffers that a compositor shows: render_service, or SurfaceFlinger on
// Android. The queue of the buffers that render_service draws for the screen is not a layer.
// One with the framework OutsideFrames has transactions in place of buffers.
type Layer struct {
	ID   int // counts up from 1, by the first line
	Name string
	// Queue is the id of the queue; zero if the trace has none.
	Queue int64
	// Process is the producer; nil if unknown.
	Process *Process
	// Framework is what draws the buffers, where frames of it are known.
	Framework Framework
	// Buffers are in the order in which they were queued, or else taken.
	Buffers []*Buffer
	// Cadences are the layer's own intervals between buffers, one for each stretch of time, in
	// order and without gaps; empty if it has none (docs/frames.md 16.4).
	Cadences []Cadence
}

// Buffer is a buffer on its way from the producer through a layer's queue to the display.
// Unknown times are zero.
type Buffer struct {
	Layer    *Layer
	Sequence int64     // the buffer's id, which is used again; zero if unknown
	TID      trace.TID // the thread that queued it, in the producer or on its behalf
	// Requested is while the producer asked for a free buffer.
	Requested Interval
	// Queued is when the producer handed the buffer over.
	Queued trace.Time
	// Ready is when the acquire fence was signaled: the producer's GPU was done.
	Ready trace.Time
	// Acquired is when the compositor took the buffer.
	Acquired trace.Time
	// Present is when the display showed the buffer first. PresentEstimated: it was shown
	// earlier, see Frame.
	Present          trace.Time
	PresentEstimated bool
	Fate             Fate
	// Begins: what the producer showed before is unknown, or not of the layer. The interval before
	// the present does not count for the layer.
	Begins bool
	// Frame is the producer's frame that drew the buffer; nil if unknown.
	Frame *Frame
	// Render is the render frame that took the buffer; nil if unknown.
	Render *Frame
	// Surface is what Android's frame timeline has of the buffer; nil elsewhere.
	Surface *SurfaceFrame

	// JudgeLayers sets what follows, for buffers that were shown at a known time.

	// Pace compares the interval since the present of the buffer before with the cadence.
	Pace Pace
	// Interval is that interval; zero if one of both presents is unknown, or if the layer had
	// paused (docs/frames.md 16.5).
	Interval trace.Duration
	// Deadline is when a late buffer should have been taken; zero if the compositor took
	// it in time.
	Deadline trace.Time
}

// Unit names what the producer sends: "buffer" or "transaction".
func (l *Layer) Unit() string {
	if l.Framework == OutsideFrames {
		return "transaction"
	}
	return "buffer"
}

// Fate is what became of a buffer.
type Fate uint8

const (
	// Waiting: the trace ends before the buffer was shown or dropped.
	Waiting Fate = iota
	// Shown: the buffer went to the display.
	Shown
	// Discarded: a later buffer was shown instead.
	Discarded
)

// String returns "waiting", "shown" or "dropped".
func (f Fate) String() string { return [...]string{"waiting", "shown", "dropped"}[f] }

// Pace is how the interval before a buffer's present compares with the layer's cadence.
type Pace uint8

const (
	// Unpaced: one of both is unknown, or the layer had paused.
	Unpaced Pace = iota
	// Even: they differ by no more than half a vsync.
	Even
	// Early: the interval is shorter.
	Early
	// Long: the interval is longer, but only because a display has whole vsyncs: a video of
	// 25 frames a second on 60 Hz is shown for 2 or 3.
	Long
	// Late: the interval is longer than that.
	Late
)

// String returns "", "even", "early", "long" or "late".
func (p Pace) String() string { return [...]string{"", "even", "early", "long", "late"}[p] }

// Overrun returns by how much the interval before a late buffer was longer than the cadence;
// zero for others.
func (b *Buffer) Overrun() trace.Duration {
	if b.Pace != Late {
		return 0
	}
	return b.Excess()
}

// Excess returns by how much the interval before a judged buffer is longer than the cadence;
// negative if it is shorter.
func (b *Buffer) Excess() trace.Duration { return b.Interval - b.Layer.CadenceOf(b) }

// At returns the first known time of the buffer: the start of its surface frame, if it has one.
func (b *Buffer) At() trace.Time {
	if b.Surface != nil {
		return b.Surface.Actual.Start
	}
	return cmp.Or(b.Requested.Start, b.Queued, b.Acquired, b.Present)
}

// Last returns the last known time of the buffer until it was shown. One that was dropped has
// the end of its surface frame.
func (b *Buffer) Last() trace.Time {
	last := max(b.Requested.End, b.Queued, b.Acquired, b.Present)
	if !last.Known() && b.Surface != nil {
		last = b.Surface.Actual.End
	}
	return last
}

// InQueue returns how long the buffer waited until the compositor took it; zero if unknown.
func (b *Buffer) InQueue() trace.Duration {
	if !b.Queued.Known() || b.Acquired < b.Queued {
		return 0
	}
	return b.Acquired.Sub(b.Queued)
}

// GPUWait returns how long the producer's GPU went on after the buffer was queued; zero if
// unknown.
func (b *Buffer) GPUWait() trace.Duration {
	if !b.Queued.Known() || b.Ready < b.Queued {
		return 0
	}
	return b.Ready.Sub(b.Queued)
}

const (
	// MinPause is the shortest time without buffers that is a pause: nothing was late.
	MinPause = trace.Second
	// jitter is the share of a vsync, 1/jitter, by which the present times of a display
	// differ from whole vsyncs.
	jitter = 20
)

// JudgeLayers finds the cadences of all layers, and which buffers were early or late by them
// (docs/frames.md 16.4 to 16.6). Producers' frames without a deadline get that of their
// buffer. Late ones get their facts.
func (t *Timeline) JudgeLayers() {
	for _, l := range t.Layers {
		l.judge(t)
	}
}

func (l *Layer) judge(t *Timeline) {
	for _, b := range l.Buffers {
		b.SetPaused()
	}
	shown, after := l.shown()
	l.Cadences = findCadences(t, l.Buffers, shown)
	for i, b := range shown {
		if i > 0 && !after[b] && t.EndOf(shown[i-1].Present) == t.EndOf(b.Present) && !b.judge(shown[i-1], MinPause) {
			b.judgeFrame()
		}
	}
}

// shown returns the buffers with a present time, by that, and which of them follow a shown one
// without a present time.
func (l *Layer) shown() (shown []*Buffer, after map[*Buffer]bool) {
	unknown := false // the present time of the buffer before
	after = map[*Buffer]bool{}
	for _, b := range l.Buffers {
		unknown = unknown || b.Begins
		if b.Fate != Shown {
			continue
		}
		if !b.Present.Known() {
			unknown = b.Surface == nil // on Android it has no display frame, and counts as not shown
			continue
		}
		if unknown {
			after[b], unknown = true, false
		}
		shown = append(shown, b)
	}
	slices.SortStableFunc(shown, func(a, b *Buffer) int { return cmp.Compare(a.Present, b.Present) })
	return shown, after
}

// JudgePauses judges the buffers after pauses as if there were none, and returns those that are late
// then. Buffer.SetPaused makes one a pause again.
func (t *Timeline) JudgePauses() (late []*Buffer) {
	for _, l := range t.Layers {
		if len(l.Cadences) == 0 {
			continue
		}
		shown, after := l.shown()
		for i := 1; i < len(shown); i++ {
			b, last := shown[i], shown[i-1]
			if b.Interval > 0 || b.Present.Sub(last.Present) < MinPause || after[b] || t.EndOf(last.Present) != t.EndOf(b.Present) {
				continue
			}
			if f := b.Frame; f != nil && (f.Pace != Unpaced || !f.Deadline.Known()) {
				continue // its frame would be late because of it
			}
			if b.judge(last, math.MaxInt64); b.Pace == Late {
				late = append(late, b)
			} else {
				b.SetPaused()
			}
		}
	}
	return late
}

// judge compares the interval between two buffers that were shown one after the other with the
// cadence. A late buffer has a deadline only if it was taken late, too: if not, the compositor
// delayed it. It reports whether the buffer is not judged, as after a pause of at least minPause.
func (b *Buffer) judge(last *Buffer, minPause trace.Duration) (unjudged bool) {
	interval := b.Present.Sub(last.Present)
	period := trace.Duration(0)
	for _, r := range []*Frame{last.Render, b.Render} {
		if r != nil {
			period = max(period, r.Period)
		}
	}
	cadence := b.Layer.CadenceOf(b)
	if before := b.Layer.CadenceOf(last); (interval - before).Abs() < (interval - cadence).Abs() {
		cadence = before // the cadence changes here
	}
	paused := cadence > 0 && interval >= minPause && (!b.Queued.Known() || b.Queued.Sub(last.Present) >= minPause-cadence)
	if interval <= 0 || paused {
		return true
	}
	b.Interval = interval
	if cadence == 0 || period <= 0 {
		return true
	}
	limit := period/2 + period/jitter
	allowed := max(cadence, wholeVsyncs(cadence, period))
	taken, exact := b.takenLate(last, cadence, period)
	switch excess := interval - cadence; {
	case b.Interval-allowed > limit && (!exact || taken+b.Present.Sub(last.Present)-b.Acquired.Sub(last.Acquired) > limit):
		b.Pace = Late
	case excess > limit:
		b.Pace = Long
	case excess < -limit:
		b.Pace = Early
	default:
		b.Pace = Even
	}
	if exact {
		if b.Pace == Late && taken > 0 {
			b.Deadline = b.Acquired.Add(-taken)
		}
	} else if b.Pace == Late && b.Acquired.Known() && last.Acquired.Known() {
		if excess := b.Acquired.Sub(last.Acquired) - allowed; excess > limit {
			b.Deadline = b.Acquired.Add(-(excess + period/2) / period * period)
		}
	}
	return false
}

// takenLate returns how many whole periods a picture of a layer outside frames was taken late. When it was sent is known
// exactly: it was due a cadence after the last one. exact reports whether that is known; other layers have only the intervals.
func (b *Buffer) takenLate(last *Buffer, cadence, period trace.Duration) (late trace.Duration, exact bool) {
	if b.Layer.Framework != OutsideFrames || !b.Queued.Known() || !last.Queued.Known() || !b.Acquired.Known() || !last.Acquired.Known() {
		return 0, false
	}
	due := last.Queued.Add(cadence)
	if b.Queued.Sub(due) <= period/4 {
		if due = max(due, b.Queued); b.InQueue() <= period+period/4 {
			return 0, true
		}
	}
	return max(0, b.Acquired.Sub(due)/period*period), true
}

// SetPaused notes that the producer paused before the buffer, which is not late then.
func (b *Buffer) SetPaused() { b.Pace, b.Interval, b.Deadline = Unpaced, 0, 0 }

// wholeVsyncs returns the whole vsyncs for which a display shows a buffer at most to follow a
// cadence. A quarter of a vsync more is not another one: cadences are measured.
func wholeVsyncs(cadence, period trace.Duration) trace.Duration {
	return max(1, (cadence-period/4+period-1)/period) * period
}

// judgeFrame sets the pace of a producer's frame without a deadline, the deadline of a late one,
// and its facts. Of several buffers the first late one counts. Android judges its frames itself.
func (b *Buffer) judgeFrame() {
	f := b.Frame
	if f == nil || f.Pace == Unpaced && f.Deadline.Known() || f.Facts.Has(Truncated) || f.Android != nil {
		return
	}
	if f.Pace = max(f.Pace, b.Pace); !f.Deadline.Known() {
		f.Deadline = b.Deadline
		f.Judge()
	}
}
