package why

import (
	"fmt"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Sentence returns why a late frame was late, in one line without the frame's name:
//
//	waited 38.6 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
//
// It is empty for a frame that was not late.
func (c *Causes) Sentence(e *Explanation) string {
	unknown := "; whether the thread ran or waited is unknown"
	if c.Limited {
		unknown += ": " + limited
	}
	return c.sentence(e, unknown)
}

// Brief is Sentence without what applies to all frames of a trace that has no
// scheduling events of their threads.
func (c *Causes) Brief(e *Explanation) string { return c.sentence(e, "") }

// sentence returns the sentence of a frame. placeOnly follows the cause of a frame of
// which only the slices are known.
func (c *Causes) sentence(e *Explanation, placeOnly string) string {
	switch e.Outcome {
	case NotLate:
		return ""
	case JustMissed:
		return "just missed its deadline"
	case NotKnown:
		return c.notKnown(e)
	case Mixed:
		return c.mixed(e)
	}
	first := &e.Shares[0]
	text := c.phrase(first)
	if first.Wait != place.EarlierFrame {
		_, usual := first.time()
		text += "; usual " + Milliseconds(usual)
	}
	if e.Outcome == PlaceOnly {
		text += placeOnly
	}
	for i := 1; i < len(e.Shares) && e.Shares[i].Share*4 >= e.Overrun; i++ {
		text += "; also " + c.phrase(&e.Shares[i])
	}
	return text
}

// ShownSentence returns why a render frame was shown late, in one line without the frame's
// name; empty if it was not:
//
//	the render thread ran 14.9 ms in ApplyKawaseBlur; usual 0.0
func (c *Causes) ShownSentence(e *Explanation) string {
	if e.Shown == nil || len(e.Shown.Shares) == 0 {
		return ""
	}
	s := &e.Shown.Shares[0]
	d, usual := s.time()
	after := "; usual " + Milliseconds(usual)
	switch {
	case s.Stage == place.Display && s.Wait == place.GPU:
		return "the GPU worked for " + ms(d) + " after the commit" + after
	case s.Stage == place.Display && s.Earlier != nil:
		return fmt.Sprintf("the display was still busy with %s", frameName(s.Earlier))
	case s.Stage == place.Display:
		return "the display needed " + ms(d) + " after the commit" + after
	case s.Wait == place.Variation:
		return "every step took a little longer, together " + ms(d-usual)
	case s.Wait == place.EarlierFrame:
		after = ""
	}
	actor := "the main thread "
	switch s.Stage {
	case place.Draw:
		actor = "the render thread "
	case place.CommitWait:
		actor = "before the commit, its thread "
	case place.Composer:
		actor = "the commit "
	}
	return actor + c.phrase(s) + after
}

// PickUpSentence returns why an application frame was picked up late, in one line without
// the frame's name; empty if it was not:
//
//	render_service began 18.2 ms late: the thread was still busy with frame 50012
func (c *Causes) PickUpSentence(e *Explanation) string {
	p := e.PickUp
	if p == nil {
		return ""
	}
	passed := "render_service"
	if p.Passed != nil {
		passed = frameName(p.Passed) + " of render_service"
	}
	switch p.Reason {
	case RenderBusy:
		return "render_service " + c.busy(p.Share)
	case NoVsync:
		return "render_service had no vsync for it"
	case Deferred:
		return passed + " left its transaction for a later one"
	case Unmarshalling:
		return passed + " applied transactions before this one was unmarshalled"
	case NoCommands:
		return passed + " applied no transactions"
	case SentLate:
		return passed + " had applied transactions before this one was sent"
	}
	if p.Passed != nil {
		return passed + " did not apply its transaction; the trace does not show why"
	}
	return "the trace does not show what render_service did"
}

// Milliseconds formats a duration in milliseconds with one decimal, without a unit.
func Milliseconds(d trace.Duration) string { return fmt.Sprintf("%.1f", Tenths(d).Milliseconds()) }

// Tenths rounds a duration to tenths of a millisecond, halves away from zero.
func Tenths(d trace.Duration) trace.Duration {
	const tenth = trace.Millisecond / 10
	if d < 0 {
		return -Tenths(-d)
	}
	return (d + tenth/2) / tenth * tenth
}

func ms(d trace.Duration) string { return Milliseconds(d) + " ms" }

func (c *Causes) notKnown(e *Explanation) string {
	return fmt.Sprintf("cause unknown: the thread's state is unknown for %s of %s; %s", ms(e.Unknown), ms(e.End.Sub(e.Start)), c.missing())
}

// limited says why the states of threads are unknown if a limit was reached.
const limited = "too many states of threads (limit: states)"

// missing returns what the user can record to find more causes.
func (c *Causes) missing() string {
	if !c.Scheduled {
		return "record the tag sched"
	}
	if c.Limited {
		return limited
	}
	return "events were lost, or the trace begins too late"
}

func (c *Causes) mixed(e *Explanation) string {
	var list []string
	for i := range e.Shares[:min(3, len(e.Shares))] {
		s := &e.Shares[i]
		list = append(list, fmt.Sprintf("%s (%.0f %%)", c.phrase(s), 100*float64(s.Share)/float64(e.Overrun)))
	}
	return "several causes: " + strings.Join(list, ", ")
}

// time returns the time of the cause in its slice or, without one, in its stage, and
// what is usual there.
func (s *Share) time() (value, usual trace.Duration) {
	if s.Slice == "" {
		return s.Value, s.Usual
	}
	return s.SliceValue, s.SliceUsual
}

// phrase describes one cause.
func (c *Causes) phrase(s *Share) string {
	in := where(s.Stage, s.Slice)
	d, usual := s.time()
	value := ms(d)
	switch s.Wait {
	case place.WaitUnknown:
		return "spent " + value + in
	case place.EarlierFrame:
		return c.knockOn(s)
	case place.EarlierWork:
		return fmt.Sprintf("began %s late: the thread was busy with %s", value, s.Slice)
	case place.WaitVsync:
		text := "got its vsync " + value + " after it was due"
		if s.Culprit != nil {
			text += ": it came from " + s.Culprit.Name() + s.Culprit.did()
		}
		return text
	case place.WaitIRQ:
		return "lost " + value + " to interrupts" + in
	case place.Run:
		return "ran " + value + in
	case place.GCRun:
		return "collected garbage" + s.reason() + " for " + value + in
	case place.RunSlow:
		return "ran " + value + in + s.slower()
	case place.CPUPreempted, place.CPUWait:
		text := "waited " + value + in + " for a CPU"
		if s.Culprit != nil {
			text += fmt.Sprintf(" that %s had for %s", s.Culprit.Name(), ms(s.Culprit.Time))
		}
		return text
	case place.WaitGC:
		return "was stopped by garbage collection" + s.reason() + " for " + value + in
	case place.GPU:
		return "the GPU worked for " + value + " after the thread was done"
	case place.Variation:
		return "was a little slower everywhere, by " + ms(d-usual)
	case place.WaitBinder, place.WaitOwnThread, place.WaitOtherProcess, place.WaitRender, place.WaitSleep:
		// The slice of the culprit may follow. Only before it is the frame's own slice clear.
		return "waited " + value + in + " " + waitedFor(s)
	}
	text := "waited " + value + " " + waitFor[s.Wait]
	if s.Function != "" {
		text += " (" + s.Function + ")"
	}
	return text + in
}

// waitedFor names the thread that was waited for and says what it did.
func waitedFor(s *Share) string {
	text := waitFor[s.Wait]
	if s.Wait == place.WaitRender && s.Earlier != nil {
		text = fmt.Sprintf("for %s on the render thread", frameName(s.Earlier))
	}
	switch {
	case s.Culprit != nil:
		text += " " + s.Culprit.Name() + s.Culprit.did()
		if s.Culprit.collects() {
			text += s.reason()
		}
		return text
	case s.Wait == place.WaitBinder, s.Wait == place.WaitOtherProcess:
		return text + " another process"
	}
	return text
}

// slower says which processors were slower than usual.
func (s *Share) slower() string {
	switch {
	case s.Cores != "":
		return " on " + s.Cores
	case s.Frequency > 0 && s.UsualFrequency > 0:
		return fmt.Sprintf(" at %d MHz instead of %d", s.Frequency/1000, s.UsualFrequency/1000)
	}
	return " on a slower CPU"
}

// reason returns the reason of the garbage collection in parentheses, if it is known.
func (s *Share) reason() string {
	if s.Reason == "" {
		return ""
	}
	return " (" + s.Reason + ")"
}

// waitFor says what a blocked thread waited for, for the waits that phrase does not
// spell out.
var waitFor = [place.WaitCount]string{
	place.WaitBinder:       "for the reply of",
	place.WaitFence:        "for the GPU or the display",
	place.WaitBuffer:       "for a free buffer",
	place.WaitIO:           "for storage",
	place.WaitMem:          "for memory",
	place.WaitRender:       "for the render thread",
	place.WaitOwnThread:    "for its own thread",
	place.WaitOtherProcess: "for",
	place.WaitTimer:        "in a sleep or for a timeout",
	place.WaitKernel:       "in the kernel",
	place.WaitSleep:        "for something that is not in the trace",
}

func where(stage place.Stage, slice string) string {
	switch {
	case slice != "":
		return " in " + slice
	case stage == place.Start:
		return " before it began"
	case stage != place.NoStage:
		return " in the stage " + stage.Label()
	}
	return ""
}

func (c *Causes) knockOn(s *Share) string {
	return fmt.Sprintf("began %s late: the thread was still busy with %s%s", ms(s.Value), frameName(s.Earlier), c.root(s))
}

// root names the cause of a knock-on in parentheses, if it is known.
func (c *Causes) root(s *Share) string {
	root, _ := c.rootCause(s, nil)
	if root == s {
		return ""
	}
	return " (" + WaitName(root.Wait) + where(root.Stage, root.Slice) + ")"
}

// busy says what kept a thread from its next frame.
func (c *Causes) busy(s *Share) string {
	switch s.Wait {
	case place.EarlierFrame:
		return fmt.Sprintf("was still busy with %s for %s%s", frameName(s.Earlier), ms(s.Value), c.root(s))
	case place.EarlierWork:
		return fmt.Sprintf("was busy with %s for %s", s.Slice, ms(s.Value))
	}
	return c.phrase(s)
}

// Name returns "process:thread", the thread's name alone if the process is unknown, or
// the thread's id.
func (c *Culprit) Name() string {
	switch {
	case c.Thread == "":
		return fmt.Sprintf("thread %d", c.TID)
	case c.Process == "" || c.Process == c.Thread:
		return c.Thread
	}
	return c.Process + ":" + c.Thread
}

// collects reports whether the thread collected garbage.
func (c *Culprit) collects() bool {
	return c.Wait == place.Run && place.Lookup([]byte(c.Slice)).Class == place.ClassGC
}

func (c *Culprit) did() string {
	switch {
	case c.collects():
		return ", which collected garbage in " + c.Slice
	case c.Wait == place.Run && c.Slice != "":
		return ", which ran " + c.Slice
	case c.Wait == place.Run:
		return ", which ran"
	case c.Wait == place.WaitUnknown:
		return ""
	case c.Slice != "":
		return ", which was " + c.Wait.Label() + " in " + c.Slice
	}
	return ", which was " + c.Wait.Label()
}

// frameName returns how a sentence names a frame.
func frameName(f *analyzer.Frame) string {
	if f.VsyncID == 0 {
		return "another frame"
	}
	return fmt.Sprintf("frame %d", f.VsyncID)
}
