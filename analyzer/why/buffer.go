package why

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// LeastPause is the shortest time without buffers that is a pause if the producer only waited as it
// does between any two buffers.
const LeastPause = 250 * trace.Millisecond

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

// Step returns the step with a name; without a time if the buffer does not have it.
func (e *Explanation) Step(name StepName) Step {
	for _, s := range e.Steps {
		if s.Name == name {
			return s
		}
	}
	return Step{Name: name}
}

// Wanted returns the buffer that should have been shown when a late one was: Dropped or the late one.
func (e *Explanation) Wanted() *analyzer.Buffer { return cmp.Or(e.Dropped, e.Buffer) }

// OutcomeOf returns the reason of a share of a late buffer: of one that was queued late and shown late as well, each has
// some.
func (e *Explanation) OutcomeOf(s *Share) Outcome {
	if e.Outcome == QueuedLate && s.Stage != StageProduce && s.Stage != NoStage {
		return ShownLate
	}
	return e.Outcome
}

// Divided reports whether a late buffer that was queued late has shares of render_service as well.
func (e *Explanation) Divided() bool {
	return slices.ContainsFunc(e.Shares, func(s Share) bool { return e.OutcomeOf(&s) != e.Outcome })
}

// Work returns what the thread of a hang did.
func (e *Explanation) Work() *Work { return &e.Steps[0].Work[0] }

// LateBuffer returns why a buffer was shown late, nil for a buffer without an explanation: it
// was not late, or the late frame that drew it explains all of it.
func (c *Causes) LateBuffer(b *analyzer.Buffer) *Explanation {
	if c == nil {
		return nil
	}
	if l := c.Buffers[b]; l != nil && l.Validate() == nil { // the timeline may have been cut afterwards
		return l
	}
	return nil
}

// OfHang returns what a hang was spent on, nil if nothing is known of it.
func (c *Causes) OfHang(h analyzer.Hang) *Explanation {
	if c == nil {
		return nil
	}
	return c.Hangs[h]
}

// AtLeast returns how long the response and the completion of an interaction are at least if the end of
// the trace cuts it: up to the last frame shown, of a launch up to the end of what is known of its last
// stage. They are 0 if they are known, or if no bound is. A launch has one frame, for both.
func (c *Causes) AtLeast(i *analyzer.Interaction) (response, completion trace.Duration) {
	if i.Reasons&analyzer.ReasonEndCut == 0 || i.LastShown.Known() || !i.From().Known() {
		return 0, 0
	}
	seen := i.SeenTo
	if n := len(i.Stages); n > 0 {
		seen = max(seen, i.Stages[n-1].Begin)
	}
	if r := c.ResponseTo(i); r != nil {
		seen = max(seen, r.End)
	}
	completion = max(0, seen.Sub(i.From()))
	if i.Launch() {
		response = completion
	}
	return response, completion
}

// ResponseTo returns the response to an interaction, nil if nothing is known of it. The
// response of an interaction that was cut afterwards is unknown.
func (c *Causes) ResponseTo(i *analyzer.Interaction) *Explanation {
	if c == nil {
		return nil
	}
	r := c.Responses[i]
	switch {
	case r == nil || r.Start != i.Span().Start:
		return nil
	case i.FirstShown.Known() && r.End == i.FirstShown:
		return r
	case i.FirstShown.Known() || !i.Launch():
		return nil
	}
	// The stages that are left of a launch.
	cut := &Explanation{Interaction: i, Start: r.Start}
	for _, s := range r.Steps {
		at := slices.IndexFunc(i.Stages, func(l analyzer.LaunchStage) bool { return l.Name == s.Stage })
		if s.Name != StepLaunch || at < 0 || !s.Open && i.Stages[at].End != s.End() {
			break
		}
		cut.Steps, cut.End = append(cut.Steps, s), s.End()
	}
	if len(cut.Steps) == 0 {
		return nil
	}
	return cut
}
