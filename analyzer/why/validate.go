package why

import (
	"errors"
	"fmt"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Validate checks that all complete frames have explanations, except those of Android that were not
// late and whose threads the trace does not have, that these account for all the time of a frame and
// for all of its overrun, and that no share is larger than what its cause needed beyond the usual
// time; and that the steps of each response add up to it, and those of each late buffer. The error
// joins everything that is wrong.
func (c *Causes) Validate(t *analyzer.Timeline) error {
	var list []error
	check := func(err error, what string, args ...any) {
		if err != nil {
			list = append(list, fmt.Errorf(what+": %w", append(args, err)...))
		}
	}
	for f := range t.Complete() {
		if c.Of(f) == nil && (f.Android == nil || f.Late()) {
			list = append(list, fmt.Errorf("%s %d of thread %d has no explanation", f.Kind, f.VsyncID, f.TID))
		}
	}
	for f, e := range c.Frames {
		check(e.Validate(), "%s %d of thread %d", f.Kind, f.VsyncID, f.TID)
	}
	for _, i := range t.Interactions {
		if r := c.Responses[i]; r != nil {
			check(r.validateResponse(i), "interaction %d", i.ID)
		}
	}
	for h, x := range c.Hangs {
		check(x.validateHang(h), "hang at %d", h.Start)
	}
	for _, l := range t.Layers {
		for _, b := range l.Buffers {
			if x := c.Buffers[b]; x != nil {
				check(x.Validate(), "buffer of layer %d at %d", l.ID, b.At())
			}
		}
	}
	return errors.Join(list...)
}

// Assumed checks what is relied on of causes. That holds for those of a damaged trace, too, whose frames may not
// pass Validate. The error is the first that is found.
func (c *Causes) Assumed() error {
	for _, e := range c.Frames {
		if err := e.assumed(); err != nil {
			return err
		}
	}
	for h, x := range c.Hangs {
		if err := x.validateHang(h); err != nil {
			return err
		}
	}
	for _, e := range c.Responses {
		if err := e.Validate(); err != nil {
			return err
		}
	}
	for _, e := range c.Buffers {
		if err := e.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// assumed checks what is relied on of the explanation of a frame.
func (e *Explanation) assumed() error {
	p, n := e.PickUp, e.NotBegun
	switch {
	case e.Outcome > NotKnown, e.Late() && e.Outcome != NotKnown && len(e.Shares) == 0, e.Outcome == KnockOn && e.Shares[0].Earlier == nil:
		return fmt.Errorf("it has the outcome %s without a cause", e.Outcome)
	case e.PeriodBefore < 0, e.PeriodBefore > 0 && e.Frame.Period <= 0, e.Slowdown < 0:
		return errors.New("it has an impossible period or slowdown")
	case (n != nil) != (e.Frame.NotBegun > 0), n != nil && n.Lost != e.Frame.HeldOver():
		return errors.New("what it has of frames that never began is not that of the frame")
	case p != nil && e.Frame.Render == nil:
		return errors.New("it was not picked up")
	case p != nil && p.Outcome == RenderBusy && len(p.Shares) == 0:
		return errors.New("it was picked up late without a cause")
	case e.Lost != e.Frame.Overrun() || e.Frame.Late() != e.Late():
		return fmt.Errorf("its overrun is %d ns, not %d, and it is late: %v, not %v", e.Lost, e.Frame.Overrun(), e.Late(), e.Frame.Late())
	}
	for _, x := range [...]*Explanation{e, e.Shown, n} {
		if x != nil && !x.sharesWithin() {
			return fmt.Errorf("its shares are more than the %d ns that were lost", x.Lost)
		}
	}
	return nil
}

// sharesWithin reports whether the shares are parts of what was lost. No share is negative.
func (e *Explanation) sharesWithin() bool {
	left := e.Lost
	for i := range e.Shares {
		if left -= e.Shares[i].Share; left < 0 {
			return false
		}
	}
	return true
}

func (e *Explanation) validateResponse(i *analyzer.Interaction) error {
	if i.FirstShown.Known() && e.End != i.FirstShown {
		return fmt.Errorf("its steps end at %d, not %d", e.End, i.FirstShown)
	}
	return e.Validate()
}

func (e *Explanation) validateHang(h analyzer.Hang) error {
	if e.Start != h.Start || e.End != h.End || len(e.Steps) != 1 || len(e.Steps[0].Work) != 1 {
		return fmt.Errorf("it is explained from %d to %d", e.Start, e.End)
	}
	return e.Validate()
}

// Validate checks that the steps have no gaps and add up to the time that is explained, that what threads
// did in them adds up, and that the shares add up to what was lost.
func (e *Explanation) Validate() error {
	err := validateSteps(e.Steps, e.Start, e.End)
	switch {
	case err != nil:
		return err
	case e.Interaction != nil && (len(e.Steps) == 0 || e.Start != e.Interaction.Span().Start):
		return fmt.Errorf("a response of %d steps from %d", len(e.Steps), e.Start)
	case len(e.Shares) == 0 && (e.Outcome == DrawnLate || e.Outcome == NoFreeBuffer || e.Outcome == RenderBusy):
		return errors.New("it has a reason without a share")
	}
	if e.Buffer != nil {
		if err := e.validateBuffer(); err != nil {
			return err
		}
	}
	if e.Frame != nil {
		if err := e.validateFrame(); err != nil {
			return err
		}
	}
	if err := e.validateShares(); err != nil {
		return err
	}
	within := e.End.Sub(e.Start)
	for _, s := range e.Path {
		if s.Value > within {
			return fmt.Errorf("%s of %d ns in %d", s.Slice, s.Value, within)
		}
		within = s.Value
	}
	for _, x := range [...]*Explanation{e.Shown, e.PickUp, e.NotBegun} {
		if x != nil {
			if err := x.Validate(); err != nil {
				return err
			}
		}
	}
	return nil
}

// validateShares checks that shares add up to what was lost. Only a frame that was late has causes of all of it
// in any case.
func (e *Explanation) validateShares() error {
	sum := trace.Duration(0)
	for _, s := range e.Shares {
		if s.Share < 0 || e.Frame != nil && s.Share > s.Value-s.Usual {
			return fmt.Errorf("a share of %d ns for %d, usually %d", s.Share, s.Value, s.Usual)
		}
		sum += s.Share
	}
	if sum != e.Lost && (len(e.Shares) > 0 || e.Frame != nil) {
		return fmt.Errorf("the sum of its shares is %d ns, not %d", sum, e.Lost)
	}
	return nil
}

// validateBuffer checks that a buffer is late, and that its steps end when it was shown.
func (e *Explanation) validateBuffer() error {
	switch b := e.Buffer; {
	case b.Pace != analyzer.Late:
		return errors.New("it is not late")
	case e.Lost <= 0 || e.Lost != b.Overrun()-ByFrame(b):
		return errors.New("its frame is late, and explains it")
	case e.End != b.Present:
		return fmt.Errorf("its steps end at %d, not %d", e.End, b.Present)
	}
	return nil
}

// validateFrame checks that the parts of a frame add up to its time, and that it has causes if it was late.
func (e *Explanation) validateFrame() error {
	sum := trace.Duration(0)
	for _, p := range e.Parts {
		if p.Time <= 0 {
			return fmt.Errorf("a part of %d ns", p.Time)
		}
		sum += p.Time
	}
	start := e.Frame.Actual.Start
	if e.Frame.Expected.Start.Known() {
		start = min(start, e.Frame.Expected.Start)
	}
	switch span := e.End.Sub(e.Start); {
	case sum != span:
		return fmt.Errorf("the sum of its parts is %d ns, not %d", sum, span)
	case e.Start > start:
		return fmt.Errorf("it starts at %d, not %d", e.Start, start)
	case !e.Frame.Late() && (len(e.Shares) > 0 || e.Late()):
		return errors.New("it is on time and has causes")
	}
	return e.assumed()
}
