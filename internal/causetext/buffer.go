package causetext

import (
	"fmt"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/text"
)

var bufferReasons = [why.OutcomeCount]string{
	why.NotKnown:      "unknown cause",
	why.NoFreeBuffer:  "no free buffer",
	why.QueuedLate:    "queued late",
	why.DrawnLate:     "GPU done late",
	why.DroppedBuffer: "dropped for a later buffer",
	why.TakenLate:     "taken late by render_service",
	why.ShownLate:     "shown late by render_service",
}

// bufferReason names which part of a buffer's life made it late.
func bufferReason(r why.Outcome) string { return bufferReasons[r] }

// Buffer returns why a buffer was late, in one line without its name:
//
//	queued late: the producer waited 26.4 ms for storage (io_schedule); usual 0.0
func Buffer(c *why.Causes, l *why.Explanation) string {
	words := bufferReason(l.Outcome)
	switch l.Outcome {
	case why.NotKnown:
		return words
	case why.QueuedLate, why.NoFreeBuffer:
		words += ": " + production(c, l)
		if l.Divided() {
			shown := trace.Duration(0)
			for i := range l.Shares {
				if s := &l.Shares[i]; l.OutcomeOf(s) == why.ShownLate {
					shown += s.Share
				}
			}
			words += fmt.Sprintf("; %s of the %s: %s", text.Milliseconds(shown), ms(l.Lost), showing(c, l))
		}
	case why.DrawnLate:
		s := &l.Shares[0]
		words += ": " + ms(l.Wanted().GPUWait()) + " after the buffer was queued"
		if l.Wanted().Ready > l.Buffer.Acquired {
			words += ", " + ms(s.Value) + " after render_service took it"
		}
		words += "; usual " + text.Milliseconds(s.Usual)
	case why.DroppedBuffer:
		words += ": the one shown before came too early, in the same vsync as another one"
	case why.TakenLate:
		b := l.Wanted()
		words += ": ready " + ms(l.Due.Sub(max(b.Queued, b.Ready))) + " before it should have been taken; " + taking(c, l)
	case why.ShownLate:
		words += ": " + showing(c, l)
	}
	if l.Dropped != nil {
		words += "; a buffer was dropped"
	}
	if lost := why.ByFrame(l.Buffer); lost > 0 {
		words += fmt.Sprintf("; its late %s explains %s of the %s", frameName(l.Buffer.Frame), text.Milliseconds(lost), ms(l.Buffer.Overrun()))
	}
	return words
}

// production says what the producer did, or how long its step took if that is unknown.
func production(c *why.Causes, l *why.Explanation) string {
	request := l.Step(why.StepRequest)
	var s why.Share // the largest of the producer
	if i := slices.IndexFunc(l.Shares, func(s why.Share) bool { return l.OutcomeOf(&s) == l.Outcome }); i >= 0 {
		s = l.Shares[i]
	}
	switch {
	case l.Outcome == why.NoFreeBuffer && request.Time == 0:
		return "how long is unknown"
	case l.Outcome == why.NoFreeBuffer:
		return fmt.Sprintf("the producer waited %s for one; usual %s", ms(request.Time), text.Milliseconds(request.Usual))
	case len(l.Shares) == 0, s.Wait == why.WaitUnknown && s.Slice == "":
		d := l.Step(why.StepProduce).Time + request.Time + l.Step(why.StepFill).Time
		if d == 0 {
			return "what its producer did is unknown"
		}
		words := ms(d) + " after the " + l.Buffer.Layer.Unit() + " before"
		if d >= why.LeastPause && len(l.Shares) == 0 {
			words += ", and whether it paused is unknown"
		}
		return words + "; usual " + text.Milliseconds(l.Buffer.Layer.CadenceOf(l.Buffer))
	}
	if s.Wait == why.WaitVsync {
		return "the producer waited " + ms(s.Value) + " for its vsync; usual " + text.Milliseconds(s.Usual)
	}
	if s.Stage == why.StageProduce {
		s.Stage = why.NoStage // the reason says so
	}
	return "the producer " + phrase(c, &s) + "; usual " + text.Milliseconds(s.Usual)
}

// stepOf says how long a step took.
func stepOf(s why.Step) string {
	return fmt.Sprintf("%s took %s; usual %s", Step(&s), ms(s.Time), text.Milliseconds(s.Usual))
}

// taking says what render_service did instead of taking a buffer.
func taking(c *why.Causes, l *why.Explanation) string {
	switch p := l.PickUp; {
	case p == nil:
		return "the trace does not show what render_service did"
	case p.Passed != nil:
		return frameName(p.Passed) + " of render_service did not take it"
	case p.Outcome == why.RenderBusy:
		return "render_service " + busy(c, &p.Shares[0])
	case p.Outcome == why.NoVsync:
		return "render_service had no vsync for it"
	}
	return "the trace does not show what render_service did"
}

// showing says what made render_service show a buffer late that it had taken in time.
func showing(c *why.Causes, l *why.Explanation) string {
	if e := c.Of(l.Buffer.Render); e.ShownLate() {
		return frameName(e.Frame) + " of render_service was shown late: " + Shown(c, e)
	}
	if s := longestExcess(l); s != nil {
		return stepOf(*s)
	}
	return "no step took longer than usual"
}

// longestExcess returns the step after a buffer was taken that was longer than usual by the
// most; nil if none was.
func longestExcess(l *why.Explanation) *why.Step {
	var longest *why.Step
	taken := false
	for i := range l.Steps {
		s := &l.Steps[i]
		if taken = taken || s.Start >= l.Buffer.Acquired; !taken || s.Time <= s.Usual {
			continue
		}
		if longest == nil || s.Time-s.Usual > longest.Time-longest.Usual {
			longest = s
		}
	}
	return longest
}

// bufferTitle names a cause of late buffers in a few words: "queued late: waiting for storage
// in ReadFrame (io_schedule)".
func bufferTitle(c *why.Cost) string {
	title := bufferReason(c.Outcome)
	if c.Share == nil || c.Outcome == why.DrawnLate || c.Outcome == why.NoFreeBuffer {
		return title
	}
	s := *c.Share
	if words := displayTitle(s.Stage, s.Wait, waited(c)); words != "" {
		return title + ": " + words
	}
	s.Stage = why.NoStage // the reason says so
	return title + ": " + Title(&s)
}
