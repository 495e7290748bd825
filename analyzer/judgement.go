package analyzer

import (
	"ohframe/analyzer/trace"
)

// Judgement is what is known of whether a frame was late or empty. Every number of late, judged
// and empty frames, and every lost time, comes from it (docs/frames.md 3.2, 3.4 and 3.8).
type Judgement struct {
	// Late reports whether the frame missed its deadline. A frame is judged if that is known.
	Late Answer
	// Empty reports whether the frame sent or applied nothing.
	Empty Answer
	// Overrun is from the deadline to the end of the frame: positive or zero if the frame was
	// late, negative or zero if it was on time. SurfaceFlinger has rules of its own: a frame
	// that it judged late although it ended before its deadline has zero. OverrunKnown is false,
	// and Overrun zero, if the frame is not judged, or if its deadline or its end is unknown.
	Overrun      trace.Duration
	OverrunKnown bool
	// AtLeast reports whether the frame was late by more than Overrun, because the trace does
	// not have its end.
	AtLeast bool
}

// Judgement returns what is known of whether the frame was late or empty.
func (f *Frame) Judgement() Judgement {
	j := Judgement{Late: f.lateness(), Empty: f.emptiness()}
	if j.Late == NotSaid || !f.Deadline.Known() {
		return j
	}
	d := f.End().Since(f.Deadline)
	switch {
	case j.Late == No:
		j.Overrun, j.OverrunKnown = min(0, d), true
	case d > 0 || !f.Facts.Has(GPULate) || f.Facts.Has(MainLate): // else the end of the GPU work is not in the trace
		j.Overrun, j.OverrunKnown = max(0, d), true
		j.AtLeast = f.Facts.Has(Unfinished)
	}
	return j
}

// Judged reports whether the frame is known to be late or on time.
func (j Judgement) Judged() bool { return j.Late != NotSaid }

// Lost returns by how much a late frame missed its deadline, zero for others and if that is unknown.
func (j Judgement) Lost() trace.Duration { return max(0, j.Overrun) }

func (f *Frame) emptiness() Answer {
	if f.Facts.Has(EmptyUnknown | Truncated) {
		return NotSaid
	}
	return AnswerOf(f.Facts.Has(Empty))
}
