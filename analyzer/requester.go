package analyzer

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// RenderConnection is the name of render_service's own connection.
const RenderConnection = "rs"

// Requester is a connection on which a process asks render_service for vsyncs (docs/frames.md 19).
type Requester struct {
	// Name is that of the connection, such as "WM_3000" or RenderConnection; empty before OpenHarmony 5.1 if nothing says it.
	Name string
	// Process is the one that asks; nil if the trace does not say which.
	Process *Process
	// Asked are its requests for vsyncs, and Sent is when render_service sent them, in order. They
	// are empty if the trace does not show them, or not which process they belong to.
	Asked []Ask
	Sent  []trace.Time
	// Vsyncs are those that it received, in order.
	Vsyncs []Received
}

// Ask is a request for a vsync.
type Ask struct {
	At trace.Time // when it arrived
	// Slice is the name of the innermost slice in which a thread that receives the vsyncs of the connection then was for some
	// time; empty if it is unknown.
	Slice string
}

// Received is a vsync that a Requester received.
type Received struct {
	At  trace.Time
	TID trace.TID // of the thread that received it
	// Frame is what became of it; nil if that is no frame.
	Frame *Frame
	// Took and CPUTime are how long the thread that received it handled it, and ran in that; zero if unknown, or
	// if Frame has them: a render frame has no CPUTime.
	Took, CPUTime trace.Duration
	// Drew is whether something was drawn until the next vsync, if Frame does not say so. Doubtful: that may be
	// due to another connection of the process, or another process.
	Drew     Answer
	Doubtful bool
}

// Outcome is what a vsync led to.
type Outcome uint8

const (
	// OutcomeUnknown: the trace does not say.
	OutcomeUnknown Outcome = iota
	// Drawn: a picture was drawn.
	Drawn
	// PerhapsDrawn: something was drawn, perhaps for another connection or by another process.
	PerhapsDrawn
	// NothingSent: the process had nothing to draw.
	NothingSent
	// NothingShown: the process drew, or sent something, and render_service found that nothing had changed.
	NothingShown
)

// Outcome returns what the vsync led to.
func (r *Received) Outcome() Outcome {
	if f := r.Frame; f != nil {
		if o := f.Outcome(); o != OutcomeUnknown || f.Framework == Platform || f.Facts.Has(Truncated|Unfinished) {
			return o
		}
	}
	switch {
	case r.Drew == Yes && r.Doubtful:
		return PerhapsDrawn
	case r.Drew == Yes:
		return Drawn
	case r.Drew == No:
		return NothingSent
	}
	return OutcomeUnknown
}

// Outcome returns what the vsync of the frame led to.
func (f *Frame) Outcome() Outcome {
	switch empty := f.Judgement().Empty; {
	case f.Facts.Has(Truncated | Unfinished | Dropped):
		return OutcomeUnknown
	case f.Facts.Has(Unchanged):
		return NothingShown
	case f.Kind == RenderFrame && f.Commit.Start.Known():
		return Drawn
	case f.Kind == RenderFrame, empty == NotSaid:
		return OutcomeUnknown
	case empty == Yes:
		return NothingSent
	case f.Render != nil && f.Render.Facts.Has(Unchanged):
		return NothingShown
	}
	return Drawn
}

// Times returns how long the vsync was handled and for how long the thread ran in that; zero if they
// are unknown.
func (r *Received) Times() (took, cpu trace.Duration) {
	if f := r.Frame; f != nil && !f.Facts.Has(Truncated) {
		return f.Actual.Duration(), cmp.Or(f.CPUTime, r.CPUTime)
	}
	return r.Took, r.CPUTime
}

// cutRequesters removes requests and vsyncs outside of a time, and requesters without others.
func (t *Timeline) cutRequesters(from, to trace.Time, isGone func(*Frame) bool) {
	outside := func(at trace.Time) bool { return at < from || at >= to }
	for _, r := range t.Requesters {
		r.Asked = slices.DeleteFunc(r.Asked, func(a Ask) bool { return outside(a.At) })
		r.Sent = slices.DeleteFunc(r.Sent, outside)
		r.Vsyncs = slices.DeleteFunc(r.Vsyncs, func(v Received) bool {
			return outside(v.At) || v.Frame != nil && isGone(v.Frame)
		})
	}
	t.Requesters = slices.DeleteFunc(t.Requesters, func(r *Requester) bool { return len(r.Asked)+len(r.Sent)+len(r.Vsyncs) == 0 })
}
