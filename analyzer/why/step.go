package why

import (
	"fmt"

	"ohframe/analyzer/trace"
)

// Step is a part of a response, of the life of a late buffer, or of a frame's way to the display. They
// are in order of time, without gaps.
type Step struct {
	Name StepName `json:"step"`
	// Stage is the name of the stage of a launch; empty for others.
	Stage string         `json:"stage,omitzero"`
	Start trace.Time     `json:"start_ns"`
	Time  trace.Duration `json:"ns"`
	// Usual is what is usual for a buffer of the layer at the same cadence, or for a frame that is shown on
	// time; 0 for a response.
	Usual trace.Duration `json:"usual_ns"`
	// Open: the stage has no known end; End is that of the slice with which it begins.
	Open bool `json:"open,omitzero"`
	// Work is what the thread did that the step is about. Stages of a launch may have a second
	// thread: the main thread of the new process. It is empty if nothing is known.
	Work []Work `json:"threads,omitzero"`
}

// End returns the end of the step.
func (s *Step) End() trace.Time { return s.Start.Add(s.Time) }

// After returns the part of the step that lies after a time; 0 if that is unknown.
func (s *Step) After(at trace.Time) trace.Duration {
	if !at.Known() {
		return 0
	}
	return max(s.End().Sub(max(s.Start, at)), 0)
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
	// Waits are what the thread did in the rest of the time, the longest first. Their sum with Idle is
	// End − Start. Each kind of threads that it waited for a quarter of a wait or more has its own.
	Waits []WaitTime `json:"waits,omitempty"`
	// Slices are those with the longest times, without the slices inside of them, at most
	// MaxWorkSlices.
	Slices []SliceTime `json:"slices,omitempty"`
}

// WaitTime is the time that a thread spent in one way.
type WaitTime struct {
	Wait Wait `json:"wait"`
	// Slice is the name of slices with the most time. If none has half of it, but names have that differ only
	// in numbers, these count as one, with * for the numbers. It is empty if all time lies outside of slices.
	Slice string         `json:"slice,omitzero"`
	Value trace.Duration `json:"value_ns"`
	// Calls is the number of these slices, SliceTime the time in them, and OtherTime that in OtherSlices slices
	// with other names. The rest of Value lies outside of all slices. Arguments are those that the Calls
	// slices have for 90 % of their time or more.
	Calls       int            `json:"calls,omitzero"`
	SliceTime   trace.Duration `json:"slice_ns,omitzero"`
	OtherTime   trace.Duration `json:"other_slices_ns,omitzero"`
	OtherSlices int            `json:"other_slices,omitzero"`
	Arguments   []Argument     `json:"arguments,omitempty"`
	// Culprit, Function and Interrupt are as of a Share.
	Culprit   *Culprit `json:"culprit,omitzero"`
	Function  string   `json:"function,omitzero"`
	Interrupt string   `json:"interrupt,omitzero"`
}

// NamedSlices are slices of one name, or of names that differ only in numbers.
type NamedSlices struct {
	Slice string         `json:"slice"` // with * for numbers that differ
	Value trace.Duration `json:"value_ns"`
	Calls int            `json:"calls"` // the number of slices
	// Arguments are those that the slices have for 90 % of their time or more.
	Arguments []Argument `json:"arguments,omitempty"`
}

// MaxWorkSlices bounds Work.Slices.
const MaxWorkSlices = 8

// StepName is the name of a step. New ones may be added.
type StepName string

// The steps, in order: of a buffer those up to the queue and, as of a frame's way to the display, from
// StepRender on; of a response the others. The first frame of a launch has those from StepApplication on.
const (
	StepProduce     StepName = "produce"     // since the buffer before, until the producer asks for a free one
	StepRequest     StepName = "request"     // until it has one
	StepFill        StepName = "fill"        // until the producer queues it
	StepGPU         StepName = "gpu"         // until the producer's GPU is done
	StepQueue       StepName = "queue"       // until render_service takes it
	StepLaunch      StepName = "launch"      // a stage of a launch before its first frame
	StepDispatch    StepName = "dispatch"    // until the application begins to handle the input
	StepHandling    StepName = "handling"    // the application handles the input and begins the scene
	StepVsync       StepName = "vsync"       // until the vsync of the first frame
	StepApplication StepName = "application" // the first frame in the application
	StepPickUp      StepName = "pick_up"     // until render_service begins the frame with it
	StepRender      StepName = "render"      // the main thread of render_service
	StepDraw        StepName = "draw"        // its render thread
	StepCommitWait  StepName = "commit_wait" // until the commit begins
	StepComposer    StepName = "composer"    // the commit to the display
	StepDisplay     StepName = "display"     // until the display shows the frame
	StepHang        StepName = "hang"        // all of a hang
)

// ShownSteps are the steps of the way to the display, and BufferSteps all steps of buffers, in order.
var (
	ShownSteps  = [...]StepName{StepRender, StepDraw, StepCommitWait, StepComposer, StepDisplay}
	BufferSteps = append([]StepName{StepProduce, StepRequest, StepFill, StepGPU, StepQueue}, ShownSteps[:]...)
)

// sum returns the time of all that the thread did.
func (w *Work) sum() trace.Duration {
	sum := w.Idle
	for i := range w.Waits {
		sum += w.Waits[i].Value
	}
	return sum
}

// validateSteps checks that steps have no gaps from start to end, and that what threads did in them adds
// up.
func validateSteps(list []Step, start, end trace.Time) error {
	if len(list) == 0 {
		return nil
	}
	at := start
	for i := range list {
		s := &list[i]
		if s.Start != at || s.Time < 0 {
			return fmt.Errorf("step %s %s is from %d to %d, and the one before ends at %d", s.Name, s.Stage, s.Start, s.End(), at)
		}
		at = s.End()
		for k := range s.Work {
			w := &s.Work[k]
			if w.Start < s.Start || w.End > at || w.sum() != w.End.Sub(w.Start) {
				return fmt.Errorf("in step %s %s, thread %d did %d ns from %d to %d", s.Name, s.Stage, w.TID, w.sum(), w.Start, w.End)
			}
		}
	}
	if at != end {
		return fmt.Errorf("its steps end at %d, not %d", at, end)
	}
	return nil
}
