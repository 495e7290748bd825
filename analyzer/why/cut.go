package why

import (
	"maps"

	"ohframe/analyzer"
)

// Cut removes what the causes have beyond a timeline, after Timeline.Cut. A cause that was outside of
// the window is unknown then.
func (c *Causes) Cut(t *analyzer.Timeline) {
	left := remains{map[*analyzer.Frame]bool{}, map[*analyzer.Buffer]bool{}}
	for _, f := range t.Frames {
		left.frames[f] = true
	}
	for _, l := range t.Layers {
		for _, b := range l.Buffers {
			left.buffers[b] = true
		}
	}
	maps.DeleteFunc(c.Frames, func(f *analyzer.Frame, e *Explanation) bool {
		if !left.frames[f] || f.Facts.Has(analyzer.Truncated) {
			return true
		}
		if !f.Present.Known() {
			e.Shown = nil
		}
		if f.Render == nil {
			e.PickUp = nil
		}
		if f.NotBegun == 0 {
			e.NotBegun = nil
		}
		left.cut(e)
		if e.Validate() != nil {
			*e = *unknown(f)
		}
		return false
	})
	maps.DeleteFunc(c.Buffers, func(b *analyzer.Buffer, e *Explanation) bool {
		left.cut(e)
		return !left.buffers[b] || e.Validate() != nil
	})
	interactions, hangs := map[*analyzer.Interaction]bool{}, map[analyzer.Hang]bool{}
	for _, i := range t.Interactions {
		interactions[i] = true
	}
	maps.DeleteFunc(c.Responses, func(i *analyzer.Interaction, e *Explanation) bool {
		left.cut(e)
		return !interactions[i] || e.validateResponse(i) != nil
	})
	for _, h := range t.Hangs {
		hangs[h] = true
	}
	maps.DeleteFunc(c.Hangs, func(h analyzer.Hang, e *Explanation) bool {
		left.cut(e)
		return !hangs[h] || e.validateHang(h) != nil
	})
}

// remains are the frames and buffers that a timeline has.
type remains struct {
	frames  map[*analyzer.Frame]bool
	buffers map[*analyzer.Buffer]bool
}

// cut removes what an explanation says of others.
func (r *remains) cut(e *Explanation) {
	if e == nil {
		return
	}
	frame := func(f **analyzer.Frame) {
		if !r.frames[*f] {
			*f = nil
		}
	}
	buffer := func(b **analyzer.Buffer) {
		if !r.buffers[*b] {
			*b = nil
		}
	}
	frame(&e.Root)
	frame(&e.Passed)
	buffer(&e.Dropped)
	for i := range e.Shares {
		frame(&e.Shares[i].Earlier)
		buffer(&e.Shares[i].Waited)
	}
	if e.Outcome == KnockOn && e.Shares[0].Earlier == nil {
		e.Outcome = NotKnown
	}
	r.cut(e.Shown)
	r.cut(e.PickUp)
	r.cut(e.NotBegun)
}

// unknown returns the explanation of a frame of which only the times are known.
func unknown(f *analyzer.Frame) *Explanation {
	e := &Explanation{Frame: f, Start: f.Actual.Start, End: f.End(), Lost: f.Overrun()}
	if f.Expected.Start.Known() {
		e.Start = min(e.Start, f.Expected.Start)
	}
	e.Unknown = e.End.Sub(e.Start)
	if e.Unknown > 0 {
		e.Parts = []Part{{Stage: StageFrame, Wait: WaitUnknown, Time: e.Unknown}}
	}
	if f.Late() {
		e.Outcome = NotKnown
		e.Shares = []Share{{Stage: StageFrame, Wait: WaitUnknown, Value: e.Lost, Share: e.Lost, Missing: MissingWork}}
	}
	return e
}
