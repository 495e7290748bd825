package causetext

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
	"ohframe/internal/text"
)

// Title names the cause in a few words: "waiting for storage in FlushLayoutTask
// (io_schedule)".
func Title(s *why.Share) string {
	if s.Missing != why.NothingMissing {
		return unknownCause(s.Missing)
	}
	in := ""
	if s.Slice == "" && s.Stage != why.NoStage {
		in = ", " + Stage(s.Stage)
	}
	who := ""
	switch x := s.Several; {
	case x != nil && x.Threads > 1:
		who = culprits(s)
	case s.Culprit != nil:
		who = Culprit(s.Culprit)
	}
	if t := s.Task; t != nil {
		in += inTask(s.Slice, t.Wait, t.Slice)
	}
	return title(s.Wait, s.Slice, s.InSlices(), who, s.Function, in)
}

// inTask says what a thread did in a task: ", waiting for storage in ReadFile". It is empty if it ran in
// the outermost slice of the task itself.
func inTask(task string, wait why.Wait, slice string) string {
	switch {
	case slice == "":
		return ", " + WaitTitle(wait)
	case slice != task:
		return ", " + WaitTitle(wait) + " in " + slice
	case wait == why.Run:
		return ""
	}
	return ", " + WaitTitle(wait)
}

// Short names the cause of a late frame in a few words: "waiting for storage in
// FlushLayoutTask", "knock-on of 10030", "several causes".
func Short(e *why.Explanation) string {
	switch e.Outcome {
	case why.JustMissed:
		return "just missed"
	case why.NotKnown:
		return "unknown"
	case why.Mixed:
		return "several causes"
	case why.KnockOn:
		return fmt.Sprintf("knock-on of %d", e.Shares[0].Earlier.VsyncID)
	}
	s, in := &e.Shares[0], ""
	if t := s.Task; t != nil {
		in = inTask(s.Slice, t.Wait, t.Slice)
	}
	return title(s.Wait, s.Slice, s.InSlices(), "", "", in)
}

// CostTitle names the cause in a few words, as Title does, without its stages. Two costs of
// a ranking never have the same title.
func CostTitle(c *why.Cost) string {
	switch c.Outcome {
	case why.NotLate:
	case why.NeverBegan:
		return costName(c, c.Share.Function) + neverBegan
	default:
		return bufferTitle(c)
	}
	return cmp.Or(displayTitle(c.Stage(), c.Wait, waited(c)), costName(c, c.Share.Function))
}

// CostAdvice returns the advice for a cause, as Advice does.
func CostAdvice(c *why.Cost) string {
	switch {
	case c.Outcome == why.DroppedBuffer:
		return Advice(why.AdviseQueue)
	case c.Share != nil && waited(c) != nil && c.Share.Advice == why.AdviseFence:
		return strings.Replace(Advice(why.AdviseFence), "GPU work", "the GPU work of layer "+producer(waited(c)), 1)
	case c.Share != nil && c.Wait == why.WaitBinder && c.Share.Advice == why.AdviseBuffer:
		return "the reply waited for a free buffer, because " + Advice(why.AdviseBuffer)
	case c.Share != nil:
		return Advice(c.Share.Advice)
	}
	return ""
}

// waited returns the layer whose GPU the display waited for in all late frames or buffers of a cause; nil if it is not
// one layer.
func waited(c *why.Cost) *analyzer.Layer {
	if c.Share == nil || c.Share.Waited == nil {
		return nil
	}
	layer := c.Share.Waited.Layer
	for _, e := range c.Late {
		shares := e.Shares
		if e.Buffer == nil {
			shares = e.Shown.Shares
		}
		for i := range shares {
			if s := &shares[i]; s.Stage == why.StageDisplay && s.Wait == why.WaitGPU && s.Earlier == nil && (s.Waited == nil || s.Waited.Layer != layer) {
				return nil
			}
		}
	}
	return layer
}

// CostName names the cause as CostTitle does, without the function of its worst frame. A
// cause has the same name in all traces.
func CostName(c *why.Cost) string {
	if c.Outcome == why.NeverBegan {
		return costName(c, "") + neverBegan
	}
	return costName(c, "")
}

// neverBegan follows the name of a cause of frames that did not begin.
const neverBegan = " (frames that never began)"

func costName(c *why.Cost, function string) string {
	if c.Missing != why.NothingMissing {
		return unknownCause(c.Missing)
	}
	who := Kind(c.Kind)
	if d := c.Did; d != nil {
		who += doing(d)
	}
	in := ""
	if c.In != (why.SliceWait{}) {
		in = inTask(c.Slice, c.In.Wait, c.In.Slice)
	}
	return title(c.Wait, c.Slice, c.InSlices, who, function, in)
}

// doing says what threads did: " running Db::Query".
func doing(d *why.SliceWait) string {
	switch {
	case d.Wait == why.Run && d.Slice != "":
		return " running " + d.Slice
	case d.Slice != "":
		return " " + WaitTitle(d.Wait) + " in " + d.Slice
	}
	return " " + WaitTitle(d.Wait)
}

// displayTitle names a wait between the commit and the display, for the GPU of a layer if it is known; empty for other
// stages.
func displayTitle(stage why.Stage, wait why.Wait, of *analyzer.Layer) string {
	switch {
	case stage != why.StageDisplay:
		return ""
	case wait == why.WaitGPU && of != nil:
		return "waiting for the GPU of layer " + producer(of)
	case wait == why.WaitGPU:
		return "waiting for a GPU after the commit"
	}
	return "waiting for the display"
}

// unknownCause names the cause of late frames, or of a part of their overruns, that is unknown.
func unknownCause(m why.Missing) string { return "unknown: " + Missing(m) }

// Missing says what the trace lacks for the cause of a late frame.
func Missing(m why.Missing) string {
	if m == why.MissingStates {
		return limited
	}
	return "the trace has no " + missingWords[m]
}

// WithoutCause says how many late frames have no cause because the trace lacks what would show it, and
// what the first of them lacks; empty if all have one.
func WithoutCause(list iter.Seq[*why.Explanation]) (string, why.Missing) {
	var first why.Missing
	late, unknown := 0, 0
	for e := range list {
		if !e.Late() {
			continue
		}
		late++
		if m := e.Missing(); m != why.NothingMissing && e.Outcome == why.NotKnown {
			first = cmp.Or(first, m)
			unknown++
		}
	}
	if unknown == 0 {
		return "", first
	}
	return fmt.Sprintf("the cause of %d of %s is unknown: %s", unknown, text.Count(late, "late frame"), Missing(first)), first
}

// MissingRecord says what to record so that it is not missing; empty if nothing helps.
func MissingRecord(m why.Missing) string {
	switch m {
	case why.MissingSlices, why.MissingComposition:
		return "record with the categories gfx and view of atrace, and with sched_switch"
	}
	return ""
}

var missingWords = [why.MissingCount]string{
	why.MissingSlices:      "Choreographer#doFrame of the frame",
	why.MissingComposition: "commit or composite of the frame",
	why.MissingDeadline:    "deadline of the frame",
	why.MissingWork:        "work of the frame after its deadline",
}

// InStages names the stages in brackets: " [build, layout]". It is empty if no stage is
// known, or if the slice already names the only one.
func InStages(c *why.Cost) string {
	if c.Missing != why.NothingMissing {
		return ""
	}
	only := c.Stage()
	if len(c.Stages) == 1 && (only == why.NoStage || only == why.StageDisplay || only == place.Lookup([]byte(c.Slice)).Stage) {
		return ""
	}
	var labels []string
	for _, s := range c.Stages {
		if s.Stage == why.NoStage {
			labels = append(labels, "several")
			continue
		}
		labels = append(labels, Stage(s.Stage))
	}
	return " [" + strings.Join(labels, ", ") + "]"
}

func title(wait why.Wait, slice string, several bool, who, function, suffix string) string {
	text := WaitTitle(wait)
	switch {
	case several:
		text += " in several slices"
	case slice != "":
		text += " in " + slice
	}
	text += suffix
	switch {
	case who != "":
		text += ": " + who
	case function != "":
		text += " (" + function + ")"
	}
	return text
}

// Culprit returns "process:thread", the thread's name alone if the process is unknown, "OS_IPC_3_1500 of
// process 1490" if pools of several processes have it, as Kind does, or "thread 42" with the thread's id.
func Culprit(c *why.Culprit) string {
	if c.Thread == "" {
		return thread(c.TID)
	}
	name := c.Name()
	if c.Process == "" { // only then a kind has a process
		if pid := c.Kind().PID; pid != 0 {
			name += fmt.Sprintf(" of process %d", pid)
		}
	}
	return name
}

func thread(tid trace.TID) string { return fmt.Sprintf("thread %d", tid) }

// Kind names a kind of threads: "media:OS_IPC*". It is empty for the zero value.
func Kind(k why.ThreadKind) string {
	switch {
	case k.Several:
		return "several threads"
	case k.TID != 0:
		return thread(k.TID)
	case k.PID != 0:
		return fmt.Sprintf("%s of process %d", k.Name, k.PID)
	}
	return k.Name
}

// PieceTitle names the piece in a few words: "waiting for storage · FlushLayoutTask", "busy
// with an earlier frame · 10030".
func PieceTitle(p *why.Piece) string {
	text := WaitTitle(p.Wait)
	switch {
	case p.Earlier != nil:
		text += fmt.Sprintf(" · %d", p.Earlier.VsyncID)
	case p.Slice != "":
		text += " · " + p.Slice
	case p.Several:
		text += " · several slices (" + Stage(p.Stage) + ")"
	case p.Stage != why.NoStage:
		text += " · " + Stage(p.Stage)
	}
	if o := p.Longest(); o != nil {
		text += " · " + Culprit(&o.Culprit)
	}
	return text
}

// ActivityTitle names the thread and what it did: "media.service:OS_IPC_3 · running · Decode".
func ActivityTitle(a *why.Activity) string {
	text := Culprit(&a.Culprit) + " · " + WaitTitle(a.Wait)
	if a.Slice != "" {
		text += " · " + a.Slice
	}
	return text
}
