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
	for f := range t.Complete() {
		if e := c.Of(f); e == nil && f.Android != nil && !f.Late() {
			continue
		} else if e == nil {
			list = append(list, fmt.Errorf("%s %d of thread %d has no explanation", f.Kind, f.VsyncID, f.TID))
		} else if err := e.validate(); err != nil {
			list = append(list, fmt.Errorf("%s %d of thread %d: %w", f.Kind, f.VsyncID, f.TID, err))
		}
	}
	for _, i := range t.Interactions {
		if r := c.Responses[i]; r != nil {
			err := r.Validate()
			if end := r.Steps[len(r.Steps)-1].End(); err == nil && i.FirstShown.Known() && end != i.FirstShown {
				err = fmt.Errorf("its steps end at %d, not %d", end, i.FirstShown)
			}
			if err != nil {
				list = append(list, fmt.Errorf("interaction %d: %w", i.ID, err))
			}
		}
	}
	for h, x := range c.Hangs {
		if err := x.Validate(h); err != nil {
			list = append(list, fmt.Errorf("hang at %d: %w", h.Start, err))
		}
	}
	for _, l := range t.Layers {
		for _, b := range l.Buffers {
			if x := c.Buffers[b]; x != nil {
				if err := x.Validate(); err != nil {
					list = append(list, fmt.Errorf("buffer of layer %d at %d: %w", l.ID, b.At(), err))
				}
			}
		}
	}
	return errors.Join(list...)
}

// Validate checks that there are steps, that each begins where the one before ends, and that
// what threads did in them adds up.
func (r *Response) Validate() error {
	if len(r.Steps) == 0 {
		return errors.New("a response without steps")
	}
	return validateSteps(r.Steps, r.Interaction.Span().Start, r.Steps[len(r.Steps)-1].End())
}

// sum returns the time of all that the thread did.
func (w *Work) sum() trace.Duration {
	sum := w.Idle
	for i := range w.Waits {
		sum += w.Waits[i].Value
	}
	return sum
}

// Validate checks that what the thread did in a hang adds up, and that no slice of the path is longer
// than the one around it.
func (x *Hang) Validate(h analyzer.Hang) error {
	if sum := x.Work.sum(); x.Work.Start != h.Start || x.Work.End != h.End || sum != h.Duration() {
		return fmt.Errorf("the thread did %d ns from %d to %d", sum, x.Work.Start, x.Work.End)
	}
	within := h.Duration()
	for _, s := range x.Path {
		if s.Value > within {
			return fmt.Errorf("%s of %d ns in %d", s.Slice, s.Value, within)
		}
		within = s.Value
	}
	return nil
}

func (e *Explanation) validate() error {
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
	case e.Overrun != e.Frame.Overrun() || e.Frame.Late() != e.Late():
		return fmt.Errorf("its overrun is %d ns, not %d, and it is late: %v, not %v", e.Overrun, e.Frame.Overrun(), e.Late(), e.Frame.Late())
	}
	sum = 0
	for _, s := range e.Shares {
		if s.Share < 0 || s.Share > s.Value-s.Usual {
			return fmt.Errorf("a share of %d ns for %d, usually %d", s.Share, s.Value, s.Usual)
		}
		sum += s.Share
	}
	if sum != e.Overrun {
		return fmt.Errorf("the sum of its shares is %d ns, not %d", sum, e.Overrun)
	}
	return nil
}
