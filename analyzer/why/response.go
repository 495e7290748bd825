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
	Steps []ResponseStep
}

// Step is a step of a response. New ones may be added.
type Step string

// The steps of a response to a scene, in order. The first frame of a launch has those from
// StepApplication on.
const (
	StepDispatch    Step = "dispatch"    // until the application begins to handle the input
	StepHandling    Step = "handling"    // the application handles the input and begins the scene
	StepVsync       Step = "vsync"       // until the vsync of the first frame
	StepApplication Step = "application" // the first frame in the application
	StepPickUp      Step = "pick_up"     // until render_service begins the frame with it
	StepRender      Step = "render"      // the main thread of render_service
	StepDraw        Step = "draw"        // its render thread
	StepCommitWait  Step = "commit_wait" // until the commit begins
	StepComposer    Step = "composer"    // the commit to the display
	StepDisplay     Step = "display"     // until the display shows the frame
	// StepLaunch is a stage of a launch before its first frame.
	StepLaunch Step = "launch"
)

// ResponseStep is a step of a response, and what threads did in it.
type ResponseStep struct {
	Step Step
	// Stage is the name of the stage of a launch; empty for a scene.
	Stage      string
	Start, End trace.Time
	// Open: the stage has no known end; End is that of the slice with which it begins.
	Open bool
	// Work is what the thread did that the step is about. Stages of a launch may have a second
	// thread: the main thread of the new process. It is empty if nothing is known.
	Work []Work
}

// Duration returns the length of the step.
func (s *ResponseStep) Duration() trace.Duration { return s.End.Sub(s.Start) }

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
	// Waits are what the thread did in the rest of the time, the longest first. Their sum
	// with Idle is End − Start.
	Waits []WorkWait `json:"waits"`
	// Slices are those with the longest times, without the slices inside of them, at most
	// MaxWorkSlices.
	Slices []SliceTime `json:"slices,omitempty"`
}

// MaxWorkSlices bounds Work.Slices.
const MaxWorkSlices = 8

// WorkWait is the time that a thread spent in one way. Each kind of threads that it waited for a quarter of
// that or more has its own.
type WorkWait struct {
	Wait Wait           `json:"wait"`
	Time trace.Duration `json:"ns"`
	// Slice is the slice with the most time, and SliceTime the time in all Calls slices of that name;
	// empty and zero outside of all slices. If no name has half of the time, but names have that
	// differ only in numbers, they count as one, with * for the numbers. OtherSlices is the number
	// of other names, and OtherTime the time in them. The rest lies outside of all slices.
	Slice       string         `json:"slice,omitzero"`
	SliceTime   trace.Duration `json:"slice_ns,omitzero"`
	OtherTime   trace.Duration `json:"other_slices_ns,omitzero"`
	Calls       int            `json:"calls,omitzero"`
	OtherSlices int            `json:"other_slices,omitzero"`
	// Arguments are those that these slices have for 90 % of their time or more; nil without any.
	Arguments []Argument `json:"arguments,omitempty"`
	// Culprit is the thread that was waited for, Function the kernel function in which the
	// thread waited the longest, and Interrupt the interrupt that ended most of it; nil and empty if
	// they are unknown.
	Culprit   *Culprit `json:"culprit,omitzero"`
	Function  string   `json:"function,omitzero"`
	Interrupt string   `json:"interrupt,omitzero"`
}

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
	case i.FirstShown.Known() && r.Steps[len(r.Steps)-1].End == i.FirstShown:
		return r
	case i.FirstShown.Known() || !i.Launch():
		return nil
	}
	// The stages that are left of a launch.
	cut := &Response{Interaction: i}
	for _, s := range r.Steps {
		at := slices.IndexFunc(i.Stages, func(l analyzer.LaunchStage) bool { return l.Name == s.Stage })
		if s.Step != StepLaunch || at < 0 || !s.Open && i.Stages[at].End != s.End {
			break
		}
		cut.Steps = append(cut.Steps, s)
	}
	if len(cut.Steps) == 0 {
		return nil
	}
	return cut
}
