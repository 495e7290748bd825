package causetext

import (
	"fmt"
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
	"ohframe/internal/text"
)

var steps = map[why.StepName]string{
	why.StepProduce:     "producer",
	why.StepRequest:     "wait for a free buffer",
	why.StepFill:        "producer, with the buffer",
	why.StepGPU:         "GPU of the producer",
	why.StepQueue:       "wait for render_service",
	why.StepDispatch:    "dispatch of the input to the application",
	why.StepHandling:    "application, until the scene begins",
	why.StepVsync:       "wait for the vsync",
	why.StepApplication: "application frame",
	why.StepPickUp:      "wait for render_service",
	why.StepRender:      "render_service, main thread",
	why.StepDraw:        "render_service, drawing",
	why.StepCommitWait:  "render_service, wait for the commit",
	why.StepComposer:    "commit to the display",
	why.StepDisplay:     "display",
}

// Step names a step: a stage of a launch has its name first.
func Step(s *why.Step) string {
	switch name := steps[s.Name]; {
	case name == "" && s.Stage == "":
		return string(s.Name)
	case name == "":
		return s.Stage
	case s.Stage == "":
		return name
	default:
		return s.Stage + ": " + name
	}
}

// ShownStep names a step of a render frame on its way to the display.
func ShownStep(s *why.Step) string { return strings.TrimPrefix(Step(s), "render_service, ") }

const (
	maxWorkTerms  = 2                      // in the text of a thread's work, without those of a quarter of it
	leastWorkTerm = trace.Millisecond / 10 // of one
	leastWorkPart = 5                      // percent of the work, of one after the first
	idle          = "idle"                 // the thread had nothing to do
)

// work says what a thread did most of the time: "running 160.0 ms in JSMarshalling, idle 17.9 ms".
func work(w *why.Work) string {
	type term struct {
		text string
		time trace.Duration
	}
	var terms []term
	add := func(what string, d trace.Duration) {
		at := len(terms)
		for at > 0 && terms[at-1].time < d {
			at--
		}
		terms = append(terms[:at], append([]term{{what, d}}, terms[at:]...)...)
	}
	for i := range w.Waits {
		x := &w.Waits[i]
		s := workWait(w, x) + " " + ms(x.Value) + inSlices(x)
		if who := WorkCulprit(x); who != "" {
			switch c := x.Culprit; {
			case 10*c.Time >= 9*x.Value:
				s += ", for " + who
			case 2*c.Time >= x.Value:
				s += ", most for " + who + " (" + ms(c.Time) + ")"
			default:
				s += ", the longest for " + who + " (" + ms(c.Time) + ")"
			}
		}
		add(s, x.Value)
	}
	add(idle+" "+ms(w.Idle), w.Idle)
	var texts []string
	for _, t := range terms {
		if len(texts) >= maxWorkTerms && 4*t.time < w.End.Sub(w.Start) || t.time < leastWorkTerm || len(texts) > 0 && 100*t.time < leastWorkPart*w.End.Sub(w.Start) {
			break
		}
		texts = append(texts, t.text)
	}
	return strings.Join(texts, "; ")
}

// inSlices says in which slices a thread spent a time, and how much of it outside of all.
func inSlices(x *why.WaitTime) string {
	in := WorkSlice(x.Slice, x.Calls, x.Arguments)
	switch {
	case x.Slice == "":
		return ""
	case 10*x.SliceTime >= 9*x.Value:
		return " in " + in
	case 2*x.SliceTime >= x.Value:
		return ", most in " + in + " (" + ms(x.SliceTime) + ")"
	}
	if x.OtherSlices > 0 {
		in = fmt.Sprintf("%d slices, %s the most with %s", 1+x.OtherSlices, in, ms(x.SliceTime))
	}
	inside := x.SliceTime + x.OtherTime
	if outside := x.Value - inside; 10*outside >= x.Value {
		return fmt.Sprintf(": %s outside of slices and %s in %s", text.Milliseconds(outside), text.Milliseconds(inside), in)
	}
	return " in " + in
}

// WorkSlice names slices of a wait, or of the path of a hang: "40 × Decode (source size 40 × 40)".
func WorkSlice(slice string, calls int, arguments []why.Argument) string {
	if slice == "" {
		return ""
	}
	return times(calls) + text.Function(slice) + inParentheses(arguments)
}

// times says how many slices a name is of; empty for one.
func times(calls int) string {
	if calls <= 1 {
		return ""
	}
	return fmt.Sprintf("%d × ", calls)
}

// WorkCulprit names the thread that was waited for, and where it was: "app:TaskWorker in Migrate". It is
// empty if nothing was waited for, or if the thread is unknown.
func WorkCulprit(x *why.WaitTime) string {
	c := x.Culprit
	if c == nil || x.Wait == why.Run {
		return ""
	}
	if c.Slice == "" {
		return Culprit(c) + otherOf(c)
	}
	return Culprit(c) + " in " + text.Function(c.Slice) + otherOf(c)
}

// WorkThread names the thread of a work; empty for the display.
func WorkThread(w *why.Work) string {
	switch {
	case w.TID == 0:
		return ""
	case int32(w.TID) == int32(w.PID) && w.Process != "":
		return w.Process
	}
	return Culprit(&why.Culprit{PID: w.PID, TID: w.TID, Process: w.Process, Thread: w.Thread})
}

func longestStep(r *why.Explanation) *why.Step {
	longest := &r.Steps[0]
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Time > longest.Time {
			longest = s
		}
	}
	return longest
}

// StepAdvice returns the advice for what the thread did most of the time in the longest step of
// a response, as Advice does. app is the process of the application. The advice is that for
// frames; work outside of a frame counts as work that delays one.
func StepAdvice(r *why.Explanation, app trace.PID) string {
	s := longestStep(r)
	w := mostWork(s)
	if w == nil || s.Name == why.StepDisplay {
		return ""
	}
	x := &w.Waits[0]
	c := place.Cause{Wait: x.Wait, Place: placeOf(x), Interrupt: x.Interrupt, Scheduled: true, OthersScheduled: true}
	if w.PID != app {
		c.Reader = place.System
	}
	switch s.Name {
	case why.StepDispatch, why.StepHandling, why.StepVsync, why.StepLaunch:
		if x.Wait == why.Run {
			c.Wait = why.EarlierWork
		}
	case why.StepApplication:
		if x.Wait == why.Run && c.Place.Stage == why.NoStage {
			c.Place.Stage = why.StageFrame
		}
	}
	c.WaitedFor(x.Culprit, w.PID)
	a := c.Advice()
	if x.Wait == why.WaitUnknown && (a == why.AdviseLost || a == why.AdviseStates) {
		return "" // what to record is said of the whole trace
	}
	return Advice(a)
}

// placeOf returns what the slice of a wait means, if that has at least half of the time.
func placeOf(x *why.WaitTime) place.Place {
	if 2*x.SliceTime < x.Value {
		return place.Place{}
	}
	return place.Lookup([]byte(x.Slice))
}

// mostWork returns the work of the thread that did the same for the longest time in a step, of two the new
// process; nil if they had nothing to do for longer.
func mostWork(s *why.Step) (most *why.Work) {
	longest := trace.Duration(0)
	for i := range s.Work {
		w := &s.Work[i]
		if len(w.Waits) == 0 || w.Idle > w.Waits[0].Value {
			continue
		}
		d := w.Waits[0].Value
		if w.Waits[0].Wait == why.WaitUnknown {
			d = w.Waits[0].SliceTime // outside of slices, nothing is known
		}
		if most == nil || d >= longest {
			most, longest = w, d
		}
	}
	return most
}

// LongestStep says which step of a response took the longest, and what a thread did in most of
// it, with the time of that if it is less; empty for nil.
func LongestStep(r *why.Explanation) string {
	if r == nil {
		return ""
	}
	longest := longestStep(r)
	s := Step(longest) + " " + ms(longest.Time)
	if len(longest.Work) == 0 {
		return s
	}
	w := mostWork(longest)
	if w == nil {
		return s + ": " + idle
	}
	x := &w.Waits[0]
	d, in := x.Value, ""
	switch {
	case 2*x.SliceTime >= x.Value && x.Slice != "":
		d, in = x.SliceTime, " in "+text.Function(x.Slice)
	case x.Wait == why.WaitUnknown: // outside of most slices, nothing is known
		return s
	}
	s += ": " + workWait(w, x)
	if 10*d < 9*longest.Time {
		s += " " + ms(d)
	}
	return s + in
}

// workWait names a wait of a thread in a step.
func workWait(w *why.Work, x *why.WaitTime) string {
	switch {
	case x.Wait == why.WaitFence && w.TID == 0:
		return "until the next refresh"
	case x.Wait == why.WaitUnknown && x.Slice != "":
		return WaitTitle(x.Wait)
	}
	return Wait(x.Wait)
}

// StepWork says what the threads of a step did most of the time: the new process, if a stage
// of a launch has one.
func StepWork(s *why.Step) string {
	var texts []string
	for i := range s.Work {
		w := &s.Work[i]
		t := work(w)
		if thread := WorkThread(w); t != "" && len(s.Work) > 1 && thread != "" {
			t = thread + ": " + t
		}
		if unknown := len(w.Waits) > 0 && w.Waits[0].Wait == why.WaitUnknown && w.Waits[0].Slice == ""; t != "" && !(unknown && len(s.Work) > 1) {
			texts = append(texts, t)
		}
	}
	return strings.Join(texts, " / ")
}
