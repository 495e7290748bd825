package simulate

import (
	"slices"

	"ohframe/analyzer/trace"
)

// Pause is a time in which an application draws nothing, from the first vsync.
type Pause struct {
	At, Length trace.Duration
}

// paused reports whether the application draws nothing on a vsync.
func (p *app) paused(v vsync) bool {
	return slices.ContainsFunc(p.Pauses, func(x Pause) bool {
		return v.now >= firstVsync.add(x.At) && v.now < firstVsync.add(x.At+x.Length)
	})
}

// budget is how long the application has for a frame. One that asks for fewer vsyncs than the
// display has them has longer.
func (p *app) budget(v vsync) trace.Duration {
	if p.Own {
		return v.period * trace.Duration(p.Interval)
	}
	return v.period
}
