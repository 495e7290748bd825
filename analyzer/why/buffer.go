package why

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// MaxLateBuffers is the maximum number of late buffers of a trace that are explained: those
// with the longest overruns.
const MaxLateBuffers = 1000

// LeastPause is the shortest time without buffers that is a pause if the producer only waited as it
// does between any two buffers.
const LeastPause = 250 * trace.Millisecond

// LateBuffer is why a buffer of a layer was shown late (docs/why.md 10).
type LateBuffer struct {
	Buffer *analyzer.Buffer
	// Due is the buffer that should have been shown in its place: the first of those that were
	// dropped after the one shown before, or else Buffer itself.
	Due    *analyzer.Buffer
	Reason BufferReason
	// Steps are in order of time, without gaps, from when the producer queued the buffer before
	// Due until Buffer was shown.
	Steps []Step
	// Ahead is for how long Due was ready before it should have been taken, for TakenLate.
	Ahead trace.Duration
	// Shares are the causes of the reason, the largest first. Their sum is Lost(), or the list
	// is empty.
	Shares []Share
	// Busy is what kept render_service from taking the buffer, for TakenLate; nil if unknown.
	// Its Share has no Usual.
	Busy *PickUp
	// Render is the frame that showed the buffer late, for ShownLate; nil if it is unknown, or
	// if that frame took no longer than others.
	Render *analyzer.Frame
}

// BufferReason is which part of a buffer's life made it late.
type BufferReason uint8

// The reasons, in the order of a buffer's life. Their codes are those of the JSON.
const (
	// BufferUnknown: the trace does not have the times of the buffer.
	BufferUnknown BufferReason = iota
	// NoFreeBuffer: the producer waited for a free buffer.
	NoFreeBuffer
	// QueuedLate: the producer queued the buffer too late.
	QueuedLate
	// DrawnLate: the producer's GPU was done too late.
	DrawnLate
	// DroppedBuffer: the one shown before came too early, and a buffer was dropped for it.
	DroppedBuffer
	// TakenLate: the buffer was ready, and render_service took it late, or a later one instead.
	TakenLate
	// ShownLate: render_service took it in time and showed it late.
	ShownLate

	bufferReasonEnd // stays last
)

// BufferReasonCount is the number of reasons.
const BufferReasonCount = int(bufferReasonEnd)

var bufferReasons = [BufferReasonCount]string{"unknown", "no_free_buffer", "queued_late", "gpu_late", "dropped", "taken_late", "shown_late"}

// String returns the reason's code.
func (r BufferReason) String() string { return bufferReasons[r] }

// ByFrame returns the part of a buffer's overrun that the late frame which drew it explains: the
// refreshes that it missed. The rest has a reason of its own if it is more than half a refresh.
func ByFrame(b *analyzer.Buffer) trace.Duration {
	over := b.Overrun()
	if over == 0 || b.Frame == nil || !b.Frame.Late() {
		return 0
	}
	if b.Render == nil || b.Render.Period <= 0 || !b.Frame.Deadline.Known() {
		return over
	}
	period := b.Render.Period
	missed := max((b.Frame.Overrun()+period-1)/period, 1) * period
	if over-missed <= period/2 {
		return over
	}
	return missed
}

// Step returns a step of the buffer; one without a time if it has none of that name.
func (l *LateBuffer) Step(name StepName) Step {
	for _, s := range l.Steps {
		if s.Name == name {
			return s
		}
	}
	return Step{Name: name}
}

// Lost returns the part of the buffer's overrun that its frame does not explain.
func (l *LateBuffer) Lost() trace.Duration { return l.Buffer.Overrun() - ByFrame(l.Buffer) }

// LateBuffer returns why a buffer was shown late, nil for a buffer without an explanation: it
// was not late, or the late frame that drew it explains all of it.
func (c *Causes) LateBuffer(b *analyzer.Buffer) *LateBuffer {
	if c == nil {
		return nil
	}
	if l := c.Buffers[b]; l != nil && l.Validate() == nil { // the timeline may have been cut afterwards
		return l
	}
	return nil
}

// Validate checks that the steps have no gaps and end when the buffer was shown, and that the
// shares add up to what it lost.
func (l *LateBuffer) Validate() error {
	b := l.Buffer
	switch {
	case b.Pace != analyzer.Late:
		return errors.New("it is not late")
	case l.Lost() <= 0:
		return errors.New("its frame is late, and explains it")
	case len(l.Shares) == 0 && (l.Reason == DrawnLate || l.Reason == NoFreeBuffer),
		l.Busy != nil && l.Busy.Reason == RenderBusy && l.Busy.Share == nil:
		return errors.New("it has a reason without a share")
	}
	if n := len(l.Steps); n > 0 {
		if err := validateSteps(l.Steps, l.Steps[0].Start, b.Present); err != nil {
			return err
		}
	}
	sum := trace.Duration(0)
	for _, s := range l.Shares {
		if s.Share < 0 {
			return fmt.Errorf("a share of %d ns", s.Share)
		}
		sum += s.Share
	}
	if len(l.Shares) > 0 && sum != l.Lost() {
		return fmt.Errorf("the sum of its shares is %d ns, not %d", sum, l.Lost())
	}
	return nil
}

// BufferCost is a cause and the time that it cost over the late buffers of a layer: a reason,
// and the wait, the slice and the kind of thread of its share.
type BufferCost struct {
	Reason BufferReason
	// Share is that of the worst buffer; nil if the reason is all that is known.
	Share *Share
	// Worst is the buffer that lost the most to it.
	Worst *LateBuffer
	// Buffers is the number of late buffers that have a share of it, and Lost the sum of the
	// shares.
	Buffers int
	Lost    trace.Duration
	worst   trace.Duration
}

// RankBuffers returns the causes of late buffers, those that lost the most first.
func RankBuffers(list []*LateBuffer) []*BufferCost {
	type id struct {
		reason   BufferReason
		wait     Wait
		slice    string
		inSlices bool
		kind     ThreadKind
	}
	var costs []*BufferCost
	by := map[id]*BufferCost{}
	for _, l := range list {
		seen := map[*BufferCost]bool{}
		add := func(k id, s *Share, lost trace.Duration) {
			c := by[k]
			if c == nil {
				c = &BufferCost{Reason: k.reason}
				by[k] = c
				costs = append(costs, c)
			}
			c.Lost += lost
			if !seen[c] {
				c.Buffers++
				seen[c] = true
			}
			if c.Worst == nil || lost > c.worst {
				c.Worst, c.Share, c.worst = l, s, lost
			}
		}
		if len(l.Shares) == 0 {
			add(id{reason: l.Reason}, nil, l.Lost())
			continue
		}
		for i := range l.Shares {
			if s := &l.Shares[i]; s.Share > 0 {
				add(id{l.Reason, s.Wait, s.Slice, s.InSlices(), s.Kind()}, s, s.Share)
			}
		}
	}
	slices.SortStableFunc(costs, func(a, b *BufferCost) int {
		return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Reason, b.Reason))
	})
	return costs
}
