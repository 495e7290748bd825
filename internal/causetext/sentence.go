// Package causetext puts the causes of late frames into words: sentences, titles, the names
// of waits and stages, and advice. Its texts contain names from the trace as they are;
// internal/text makes them safe to print.
//
//	why.Causes, Explanation ──▶ "waited 38.6 ms for storage (io_schedule) in FlushLayoutTask"
//	why.Share, Cost, Piece ───▶ "waiting for storage in FlushLayoutTask (io_schedule)"
//	why.Wait, why.Stage ──▶ "waiting for storage"
package causetext

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/diag"
	"ohframe/internal/place"
	"ohframe/internal/text"
)

// Sentence returns why a late frame was late, in one line without the frame's name:
//
//	waited 38.6 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
//
// It is empty for a frame that was not late.
func Sentence(c *why.Causes, e *why.Explanation) string {
	unknown := "; whether the thread ran or waited is unknown"
	if c.Limited {
		unknown += ": " + limited
	}
	return sentence(c, e, unknown)
}

// Brief is Sentence without what applies to all frames of a trace that has no
// scheduling events of their threads.
func Brief(c *why.Causes, e *why.Explanation) string { return sentence(c, e, "") }

// sentence returns the sentence of a frame. placeOnly follows the cause of a frame of
// which only the slices are known.
func sentence(c *why.Causes, e *why.Explanation, placeOnly string) string {
	switch e.Outcome {
	case why.NotLate:
		return ""
	case why.JustMissed:
		return "just missed its deadline"
	case why.NotKnown:
		return notKnown(c, e)
	case why.Mixed:
		return mixed(c, e) + slowdown(e)
	}
	first := &e.Shares[0]
	words := phraseIn(c, e, 0)
	if first.Wait != why.EarlierFrame {
		since := Since(e)
		if e.OverBudget && first.Usual > 0 && first.Task == nil {
			words += fmt.Sprintf("; %s fit into the budget", text.Milliseconds(first.Usual))
		} else {
			words += usual(first)
			if since != "" {
				since = "; late" + since
			}
		}
		words += since
	}
	words += with(first) + inside(e.FunctionOf(first))
	if e.Outcome == why.PlaceOnly {
		words += placeOnly
	}
	for i := 1; i < len(e.Shares) && e.Shares[i].Share*4 >= e.Lost; i++ {
		if also := cmp.Or(sameRun(e, i), phraseIn(c, e, i)); also != "" {
			words += "; also " + also
		}
	}
	return words + slowdown(e)
}

// sameRun describes a cause if one before it has the same time: the thread had more to do, and the CPU was
// slower. It is empty for others.
func sameRun(e *why.Explanation, i int) string {
	s := &e.Shares[i]
	for k := range e.Shares[:i] {
		x := &e.Shares[k]
		if x.Slice != s.Slice || s.Slice == "" || x.Value != s.Value {
			continue
		}
		part := " (" + text.Percent(s.Share, e.Lost) + " of the lateness)"
		switch {
		case x.Wait == why.RunSlow && s.Wait == why.Run:
			return "had more to do in it" + part
		case x.Wait == why.Run && s.Wait == why.RunSlow:
			return "ran it" + slower(s) + part
		}
	}
	return ""
}

// slowdown says that a slower CPU may be why a frame was late.
func slowdown(e *why.Explanation) string {
	if e.Slowdown == 0 {
		return ""
	}
	return "; " + Slowdown(e.Slowdown, e.Slowdown)
}

// Slowdown says that a slower CPU may be why all slices took from least to most times as long as usual.
func Slowdown(least, most float64) string {
	times := fmt.Sprintf("%.1f", least)
	if most > least {
		times += fmt.Sprintf(" to %.1f", most)
	}
	return "CPU frequencies are unknown, and every slice took about " + times + " times its usual time: a slower CPU may be why"
}

// Shown returns why a render frame was shown late, in one line without the frame's
// name; empty if it was not:
//
//	the render thread ran 14.9 ms in ApplyKawaseBlur; usual 0.0
//	the display was still busy with frame 50264, because of frame 50263: the render thread ran …
func Shown(c *why.Causes, e *why.Explanation) string {
	if !e.ShownLate() {
		return ""
	}
	first := &e.Shown.Shares[0]
	root := c.Of(e.Shown.Root)
	if !root.ShownLate() {
		return shown(c, e, first) + usualOf(first) + shownAlso(c, e)
	}
	cause := &root.Shown.Shares[0]
	return shown(c, e, first) + because(e.Shown.Root, first.Earlier) + ": " + shown(c, root, cause) + usualOf(cause) + shownAlso(c, root)
}

// shownAlso names the other causes with a quarter of the time by which a frame was shown late, and says
// whether only all of them together made it late.
func shownAlso(c *why.Causes, e *why.Explanation) (words string) {
	list := e.Shown.Shares
	enough := list[0].Gain > 0
	for i := 1; i < len(list); i++ {
		enough = enough || list[i].Gain > 0
		if list[i].Share*4 >= e.Shown.Lost {
			words += "; also " + shown(c, e, &list[i])
		}
	}
	if !enough && len(list) > 1 {
		words += "; " + noneAlone
	}
	return words
}

// noneAlone says that without one of several causes, frames would be late by as much.
const noneAlone = "shortening one of them alone gains nothing"

// because names the frame whose cause it was, unless that frame was just named.
func because(root, named *analyzer.Frame) string {
	if root == named {
		return ""
	}
	return ", because of " + frameName(root)
}

// usualOf says what is usual for the cause of a frame that was shown late.
func usualOf(s *why.Share) string {
	if s.Wait == why.EarlierFrame || s.Wait == why.Variation || s.Stage == why.StageDisplay && s.Earlier != nil {
		return ""
	}
	return usual(s) + with(s)
}

// shown says how a share made the display show a frame late.
func shown(c *why.Causes, e *why.Explanation, share *why.Share) string {
	s, first := *share, share == &e.Shown.Shares[0]
	if first && e.Shown.Root != nil {
		s.Culprit = nil // the root follows
	}
	switch {
	case s.Waited != nil:
		return fmt.Sprintf("the display waited %s after the commit for the GPU of layer %s", ms(s.Value), producer(s.Waited.Layer))
	case s.Stage == why.StageDisplay && s.Wait == why.WaitGPU && s.Earlier != nil:
		return "the GPU was still busy with " + frameName(s.Earlier)
	case s.Stage == why.StageDisplay && s.Wait == why.WaitGPU:
		return "the GPU worked for " + ms(s.Value) + " after the commit"
	case s.Stage == why.StageDisplay && s.Earlier != nil:
		return "the display was still busy with " + frameName(s.Earlier)
	case s.Stage == why.StageDisplay:
		return "the display needed " + ms(s.Value) + " after the commit"
	case s.Stage == why.StageCommitWait && s.Earlier != nil:
		return fmt.Sprintf("the commit waited %s for that of %s", ms(s.Value), frameName(s.Earlier))
	case s.Wait == why.Variation:
		return "every step took a little longer, together " + ms(s.Value-s.Usual)
	}
	if s.Stage == why.StageHandOver && first && e.Shown.Root != nil {
		return fmt.Sprintf("the main thread waited %s%s for %s on the render thread", ms(s.Value), where(s.Stage, s.Slice), frameName(s.Earlier))
	}
	if s.Wait == why.EarlierFrame && first && e.Shown.Root != nil {
		return fmt.Sprintf("the main thread began %s late: the thread was still busy with %s", ms(s.Value), frameName(s.Earlier))
	}
	return shownActor(s.Stage) + " " + phrase(c, &s)
}

// shownActor names what is busy in a stage on the way to the display.
func shownActor(s why.Stage) string {
	switch s {
	case why.StageDraw:
		return "the render thread"
	case why.StageCommitWait:
		return "before the commit, its thread"
	case why.StageComposer:
		return "the commit"
	}
	return "the main thread"
}

// Since says that a frame is late because the display runs at a higher rate than before: " since the
// display runs at 120 Hz (60 Hz before)". It is empty if it is not.
func Since(e *why.Explanation) string {
	if e == nil || e.PeriodBefore == 0 {
		return ""
	}
	hertz := func(d trace.Duration) int64 { return int64((trace.Second + d/2) / d) }
	return fmt.Sprintf(" since the display runs at %d Hz (%d Hz before)", hertz(e.Frame.Period), hertz(e.PeriodBefore))
}

// usual says how long frames on time spend in the same way, and in how many slices if that is another number.
func usual(s *why.Share) string {
	if s.Task != nil {
		return "; usual " + text.Milliseconds(s.Task.Usual)
	}
	words := "; usual " + text.Milliseconds(s.Usual)
	if n := s.UsualCalls; n != nil && *n > 0 && *n != s.Calls {
		words += " in " + text.Count(*n, "call")
	}
	return words
}

// producer names a layer and its process.
func producer(l *analyzer.Layer) string {
	name := cmp.Or(l.Name, strconv.Itoa(l.ID))
	if l.Process != nil && l.Process.Name != "" {
		name += " (" + l.Process.Name + ")"
	}
	return name
}

// PickUp returns why an application frame was picked up late, in one line without
// the frame's name; empty if it was not:
//
//	render_service began 18.2 ms late: the thread was still busy with frame 50012
func PickUp(c *why.Causes, e *why.Explanation) string {
	p := e.PickUp
	if p == nil {
		return ""
	}
	passed := "render_service"
	if p.Passed != nil {
		passed = frameName(p.Passed) + " of render_service"
	}
	switch p.Outcome {
	case why.RenderBusy:
		return "render_service " + busy(c, &p.Shares[0])
	case why.NoVsync:
		return "render_service had no vsync for it"
	case why.Deferred:
		return passed + " left its transaction for a later one"
	case why.Unmarshalling:
		return passed + " applied transactions before this one was unmarshalled"
	case why.NoCommands:
		return passed + " applied no transactions"
	case why.SentLate:
		return passed + " had applied transactions before this one was sent"
	}
	if p.Passed != nil {
		return passed + " did not apply its transaction; the trace does not show why"
	}
	return "the trace does not show what render_service did"
}

// NotBegun returns why no frame began on the vsyncs before one, in one line without the frame's name; empty if
// one did, or was not wanted:
//
//	1 frame before it never began: the thread was busy with HandleTask for 11.3 ms, 0.8 ms past the vsync
func NotBegun(c *why.Causes, e *why.Explanation) string {
	n := e.NotBegun
	if n == nil {
		return ""
	}
	words := text.Count(e.Frame.NotBegun, "frame") + " before it never began: "
	if len(n.Shares) == 0 {
		return words + "the thread was busy for " + ms(e.Frame.Held.Duration())
	}
	s := &n.Shares[0]
	words += "the thread was busy with " + cmp.Or(s.Slice, "something else") + " for " + ms(e.Frame.Held.Duration()) + ", " + ms(n.Lost) + " past the vsync"
	if s.Task != nil {
		words += ", in which it " + inOne(c, tasks(n, s), s.Slice)
	}
	return words
}

func ms(d trace.Duration) string { return text.Milliseconds(d) + " ms" }

func notKnown(c *why.Causes, e *why.Explanation) string {
	if m := e.Missing(); m != why.NothingMissing {
		return "cause unknown: " + Missing(m)
	}
	return fmt.Sprintf("cause unknown: the thread's state is unknown for %s of %s; %s", ms(e.Unknown), ms(e.End.Sub(e.Start)), missing(c))
}

// limited says why the states of threads are unknown if a limit was reached.
const limited = "too many states of threads (limit: states)"

// Warnings returns what the user must know of the causes of an input.
func Warnings(c *why.Causes) []trace.Warning {
	if c == nil {
		return nil
	}
	var list diag.Warnings
	if c.Limited {
		list.Add(trace.WarnOverLimit, "causes of later frames are unknown: %s", limited)
	}
	if c.TooDeep > 0 {
		list.Add(trace.WarnOverLimit, "causes lack %d × slice nested too deep (limit: nesting)", c.TooDeep)
	}
	if c.Unlabeled > 0 {
		list.Add(trace.WarnOverLimit, "causes lack the arguments of %d × slice (limit: strings)", c.Unlabeled)
	}
	return list
}

// missing returns what the user can record to find more causes.
func missing(c *why.Causes) string {
	if c.Own {
		return "an application's own trace has no scheduling events"
	}
	if !c.Scheduled {
		return "record the tag sched"
	}
	if c.Limited {
		return limited
	}
	return "events were lost, or the trace begins too late"
}

const (
	maxMixed  = 3 // causes of a frame with several
	maxPlaces = 4 // of one cause
)

func mixed(c *why.Causes, e *why.Explanation) string {
	if words := inPlaces(e); words != "" {
		return words
	}
	var list []string
	for i := range e.Shares {
		words := phraseIn(c, e, i)
		if words == "" || len(list) == maxMixed {
			continue
		}
		share := e.Shares[i].Share
		if s := &e.Shares[i]; s.Task != nil {
			share = 0
			for _, of := range tasks(e, s) {
				share += of.Share
			}
			if share*5 >= e.Lost*3 {
				return words + usual(s)
			}
		}
		list = append(list, fmt.Sprintf("%s (%s)", words, text.Percent(share, e.Lost)))
	}
	return "several causes: " + strings.Join(list, ", ")
}

// inPlaces describes a frame that ran longer in several slices of one stage, with their times. It is
// empty if these have less than 60 % of the overrun:
//
//	ran 17.7 ms: 6.2 in Measure[Foo], 5.9 in Measure[Bar], 5.6 in Measure[Baz]; usual 0.0
func inPlaces(e *why.Explanation) string {
	first := &e.Shares[0]
	if first.Wait != why.Run || first.Stage == why.NoStage {
		return ""
	}
	var places []string
	var value, usual, share trace.Duration
	others := 0
	for i := range e.Shares {
		s := &e.Shares[i]
		if s.Wait != first.Wait || s.Stage != first.Stage {
			continue
		}
		value, usual, share = value+s.Value, usual+s.Usual, share+s.Share
		if len(places) < maxPlaces && s.Slice != "" {
			places = append(places, text.Milliseconds(s.Value)+" in "+slice(s))
		} else {
			others++
		}
	}
	if share*5 < e.Lost*3 || len(places) < 2 {
		return ""
	}
	words := "ran " + ms(value) + ": " + strings.Join(places, ", ")
	if others > 0 {
		words += " and others"
	}
	return words + "; usual " + text.Milliseconds(usual)
}

// tasks returns the shares of what a thread was busy with before a frame, or its drawing, as one of them.
func tasks(e *why.Explanation, one *why.Share) (list []*why.Share) {
	for i := range e.Shares {
		if s := &e.Shares[i]; s.Task != nil && s.Stage == one.Stage {
			list = append(list, s)
		}
	}
	return list
}

// phraseIn describes a cause of a frame. What the thread was busy with before it is described together:
//
//	began 14.9 ms late: the thread was busy with HandleTask, in which it ran 13.0 ms in Parse and waited …
//
// It is empty for all but the first of these.
func phraseIn(c *why.Causes, e *why.Explanation, i int) string {
	s := &e.Shares[i]
	if s.Task == nil {
		return phrase(c, s)
	}
	list := tasks(e, s)
	if list[0] != s {
		return ""
	}
	words := fmt.Sprintf("%s %s late: the thread was busy with ", began(s), ms(s.Task.Delay))
	named := map[string]bool{}
	for _, of := range list {
		if named[of.Slice] || len(named) == maxMixed {
			continue
		}
		if len(named) > 0 {
			words += ", and with "
		}
		named[of.Slice] = true
		words += of.Slice + ", in which it " + inOne(c, list, of.Slice)
	}
	return words
}

// inOne says what a thread did in a task.
func inOne(c *why.Causes, list []*why.Share, task string) string {
	var all trace.Duration
	for _, s := range list {
		all += s.Value
	}
	var parts []string
	for _, s := range list {
		if s.Slice != task || len(parts) > 0 && s.Value*5 < all || len(parts) == maxPlaces {
			continue
		}
		in := why.Share{Wait: s.Task.Wait, Slice: s.Task.Slice, Calls: s.Task.Calls, Value: s.Value, Culprit: s.Culprit, Several: s.Several, Function: s.Function, Interrupt: s.Interrupt, GCReason: s.GCReason}
		if in.Slice == task && in.Wait != why.WaitUnknown {
			in.Slice = ""
		}
		parts = append(parts, phrase(c, &in))
	}
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + ", and " + parts[n-1]
	}
	return parts[0]
}

func phrase(c *why.Causes, s *why.Share) string {
	if s.Missing != why.NothingMissing {
		return "lost " + ms(s.Share) + " to what is unknown: " + Missing(s.Missing)
	}
	in := whereOf(s)
	value := ms(s.Value)
	switch s.Wait {
	case why.WaitUnknown:
		return "spent " + value + in
	case why.EarlierFrame:
		return knockOn(c, s)
	case why.EarlierWork:
		return fmt.Sprintf("%s %s late: the thread was busy with %s", began(s), value, s.Slice)
	case why.WaitVsync:
		words := "got its vsync " + value + " after it was due"
		if s.Culprit != nil {
			words += ": it came from " + culprits(s) + did(s.Culprit)
		}
		return words
	case why.WaitIRQ:
		return "lost " + value + " to interrupts" + in
	case why.Run:
		return "ran " + value + in
	case why.GCRun:
		return "collected garbage" + reason(s) + " for " + value + in
	case why.RunSlow:
		return "ran " + value + in + slower(s)
	case why.CPUPreempted, why.CPUWait:
		words := "waited " + value + in + " for a CPU"
		switch {
		case s.Culprit != nil:
			words += " that " + culprits(s) + " had"
		case severalThreads(s):
			words += ": " + culprits(s) + " had it, " + foremost(s)
		}
		return words
	case why.WaitGC:
		return "was stopped by garbage collection" + reason(s) + " for " + value + in
	case why.WaitGPU:
		return "the GPU worked for " + value + " after the thread was done"
	case why.Variation:
		return "was a little slower everywhere, by " + ms(s.Value-s.Usual)
	case why.WaitBinder, why.WaitOwnThread, why.WaitOtherProcess, why.WaitRender, why.WaitSleep:
		// The slice of the culprit may follow. Only before it is the frame's own slice clear.
		return "waited " + value + in + " " + waitedFor(s)
	}
	by := cmp.Or(s.Function, s.Interrupt)
	switch {
	case by != "":
		by = " (" + by + ")"
	case s.Wait == why.WaitInterrupt:
		return "waited " + value + in + " for an interrupt that the trace does not name"
	}
	return "waited " + value + " " + waitFor[s.Wait] + by + in
}

// waitedFor names the thread that was waited for and says what it did.
func waitedFor(s *why.Share) string {
	words := waitFor[s.Wait]
	if s.Wait == why.WaitRender && s.Earlier != nil {
		words = fmt.Sprintf("for %s on the render thread", frameName(s.Earlier))
	}
	switch {
	case severalThreads(s):
		return "for " + culprits(s) + ", " + foremost(s) + did(s.Several.Culprit)
	case s.Culprit != nil:
		switch {
		case s.Wait == why.WaitOwnThread && s.Several != nil && s.Several.Threads > 1:
			words = fmt.Sprintf("for %d of its own threads %s", s.Several.Threads, Kind(s.Culprit.Kind()))
		case s.Wait == why.WaitOwnThread && trace.PID(s.Culprit.TID) == s.Culprit.PID:
			words = "for its main thread " + culprits(s)
		default:
			words += " " + culprits(s)
		}
		words += did(s.Culprit)
		if place.CollectsGarbage(s.Culprit.Wait, s.Culprit.Slice) {
			words += reason(s)
		}
		return words
	case s.Wait == why.WaitBinder, s.Wait == why.WaitOtherProcess:
		return words + " another process"
	}
	return words
}

// slower says which processors were slower than usual.
func slower(s *why.Share) string {
	switch {
	case s.Cores != nil:
		return " on " + Cores(s.Cores)
	case s.Frequency > 0 && s.UsualFrequency > 0:
		words := fmt.Sprintf(" at %d MHz instead of %d", s.Frequency/1000, s.UsualFrequency/1000)
		if s.FrequencyLimit > 0 {
			words += fmt.Sprintf(", as the system limited the CPU to %d of %d MHz", s.FrequencyLimit/1000, s.HighestFrequency/1000)
			if s.LimitReason != "" {
				words += " (" + s.LimitReason + ")"
			}
		}
		return words
	}
	return " on a slower CPU"
}

// reason returns the reason of the garbage collection in parentheses, if it is known.
func reason(s *why.Share) string {
	if s.GCReason == "" {
		return ""
	}
	return " (" + s.GCReason + ")"
}

// culprits names the threads that were waited for: how many, if they are several.
func culprits(s *why.Share) string {
	x := s.Several
	switch {
	case x == nil || x.Threads < 2:
		return Culprit(s.Culprit)
	case s.Culprit != nil:
		return fmt.Sprintf("%d threads %s", x.Threads, Kind(s.Culprit.Kind()))
	case x.Processes == x.Threads:
		return text.Count(x.Threads, "process")
	case x.Processes > 1:
		return fmt.Sprintf("%d threads of %s", x.Threads, text.Count(x.Processes, "process"))
	}
	return text.Count(x.Threads, "thread")
}

// severalThreads reports whether threads of several kinds were waited for.
func severalThreads(s *why.Share) bool { return s.Kind().Several }

// foremost names that of several threads with the most time.
func foremost(s *why.Share) string {
	return fmt.Sprintf("%s the most with %s", Culprit(s.Several.Culprit), ms(s.Several.Culprit.Time))
}

// slice names the slices of a cause, and how many they are: "20 × CustomNode:BuildItem[Card]". It is empty
// without one.
func slice(s *why.Share) string {
	if s.Slice == "" {
		return ""
	}
	return times(s.Calls) + s.Slice
}

// whereOf says in which slice, or in how many, the time of a cause lies.
func whereOf(s *why.Share) string {
	if !s.InSlices() {
		return where(s.Stage, slice(s))
	}
	return fmt.Sprintf(" in %s, the most in %s (%s)", text.Count(s.Several.Slices, "slice"), s.Several.Slice, ms(s.Several.SliceTime))
}

func where(stage why.Stage, slice string) string {
	switch {
	case slice != "":
		return " in " + slice
	case stage == why.StageStart:
		return " before it began"
	case stage != why.NoStage:
		return " in the stage " + Stage(stage)
	}
	return ""
}

func knockOn(c *why.Causes, s *why.Share) string {
	return fmt.Sprintf("%s %s late: the thread was still busy with %s%s", began(s), ms(s.Value), earlier(s), root(c, s))
}

// earlier names the earlier frames that a thread was busy with.
func earlier(s *why.Share) string {
	if s.Several == nil {
		return frameName(s.Earlier)
	}
	return fmt.Sprintf("%s and %s", frameName(s.Earlier), text.Count(s.Several.Frames-1, "other frame"))
}

// began says what began late: the frame, or its drawing on another thread.
func began(s *why.Share) string {
	if s.Stage == why.StageHandOver {
		return "was drawn"
	}
	return "began"
}

// root names the cause of a knock-on in parentheses, if it is known.
func root(c *why.Causes, s *why.Share) string {
	root, of := c.RootCause(s, nil)
	if root == s {
		return ""
	}
	words := WaitTitle(root.Wait) + where(root.Stage, root.Slice)
	if root.Share*2 < of.Lost {
		words += " and other causes"
	}
	return " (" + words + ")"
}

// busy says what kept a thread from its next frame.
func busy(c *why.Causes, s *why.Share) string {
	switch s.Wait {
	case why.EarlierFrame:
		return fmt.Sprintf("was still busy with %s for %s%s", earlier(s), ms(s.Value), root(c, s))
	case why.EarlierWork:
		return fmt.Sprintf("was busy with %s for %s", s.Slice, ms(s.Value))
	}
	return phrase(c, s)
}

// did says what a thread did most of the time that it was waited for.
func did(c *why.Culprit) string {
	words := ", which was " + waitOf(c)
	switch {
	case c.Wait == why.WaitUnknown:
		return ""
	case place.CollectsGarbage(c.Wait, c.Slice):
		words = ", which collected garbage in " + c.Slice
	case c.Wait == why.Run && c.Slice != "":
		words = ", which ran " + c.Slice + inParentheses(c.Arguments)
	case c.Wait == why.Run:
		words = ", which ran"
	case c.Slice != "":
		words += " in " + c.Slice + inParentheses(c.Arguments)
	}
	if c.Did*10 < c.Time*9 {
		words += " for " + ms(c.Did) + " of it"
	}
	return words + otherOf(c)
}

// Was says what a thread that was waited for did, and why it waited itself:
//
//	preempted: perf_monitor_t had its CPU for 3.7 ms
//	waiting for storage (io_schedule)
func Was(c *why.Culprit) string { return waitOf(c) + otherOf(c) }

func waitOf(c *why.Culprit) string {
	words := Wait(c.Wait)
	if by := cmp.Or(c.Function, c.Interrupt); by != "" {
		words += " (" + by + ")"
	}
	return words
}

// otherOf names the thread that a culprit waited for, with the time of that thread.
func otherOf(c *why.Culprit) string {
	if c.For == nil {
		return ""
	}
	words := ": " + cmp.Or(c.For.Name(), thread(c.For.TID))
	if c.Unfollowed() {
		return words + " for " + ms(c.For.Time) + ", which is not followed further"
	}
	return words + " had its CPU for " + ms(c.For.Time)
}

// frameName returns how a sentence names a frame.
func frameName(f *analyzer.Frame) string {
	if f.VsyncID == 0 {
		return "another frame"
	}
	return fmt.Sprintf("frame %d", f.VsyncID)
}
