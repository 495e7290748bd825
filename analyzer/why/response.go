package why

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// MaxResponses is the maximum number of responses of a trace that are explained: those that
// took the longest.
const MaxResponses = 1000

// Response is what the response to an interaction was spent on (docs/why.md 9).
type Response struct {
	Interaction *analyzer.Interaction
	// Steps are in order of time, without gaps, from the input or, without one, from the begin
	// until the first frame is shown. Of a launch whose first frame is unknown, they are the
	// stages as far as they are known.
	Steps []Step
}

// Work is what a thread did from Start to End. The display has no TID.
type Work struct {
	PID     trace.PID  `json:"pid"`
	TID     trace.TID  `json:"tid,omitzero"`
	Process string     `json:"process,omitzero"` // empty if unknown
	Thread  string     `json:"thread,omitzero"`  // empty if unknown
	Start   trace.Time `json:"start_ns"`
	End     trace.Time `json:"end_ns"`
	// Idle is the time in which the thread waited outside of all slices: it had nothing to do.
	Idle trace.Duration `json:"idle_ns"`
	// Waits are what the thread did in the rest of the time, the longest first, without usual times and
	// shares. Their sum with Idle is End − Start. Each kind of threads that it waited for a quarter of a
	// wait or more has its own.
	Waits []Share `json:"waits"`
	// Slices are those with the longest times, without the slices inside of them, at most
	// MaxWorkSlices.
	Slices []SliceTime `json:"slices,omitempty"`
}

// MaxWorkSlices bounds Work.Slices.
const MaxWorkSlices = 8

// ResponseTo returns the response to an interaction, nil if nothing is known of it. The
// response of an interaction that was cut afterwards is unknown.
func (c *Causes) ResponseTo(i *analyzer.Interaction) *Response {
	if c == nil {
		return nil
	}
	r := c.Responses[i]
	switch {
	case r == nil || r.Steps[0].Start != i.Span().Start:
		return nil
	case i.FirstShown.Known() && r.Steps[len(r.Steps)-1].End() == i.FirstShown:
		return r
	case i.FirstShown.Known() || !i.Launch():
		return nil
	}
	// The stages that are left of a launch.
	cut := &Response{Interaction: i}
	for _, s := range r.Steps {
		at := slices.IndexFunc(i.Stages, func(l analyzer.LaunchStage) bool { return l.Name == s.Stage })
		if s.Name != StepLaunch || at < 0 || !s.Open && i.Stages[at].End != s.End() {
			break
		}
		cut.Steps = append(cut.Steps, s)
	}
	if len(cut.Steps) == 0 {
		return nil
	}
	return cut
}
