package causes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/rating"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// ExplainedInteraction is an interaction with the late frames in it, and what its response was spent on.
type ExplainedInteraction struct {
	*analyzer.Interaction
	Measures *stats.Interaction
	// Judged is the number of its judged frames, Late that of the late ones, and Lost
	// the sum of their overruns.
	Judged, Late int
	Lost         trace.Duration
	// Response is nil if nothing is known of it.
	Response *why.Explanation
	// KnockOn is the time of the response in which its thread was still busy with earlier late frames
	// (docs/why.md 9), and Root the explanation of that which made the one with the most time of it late.
	KnockOn trace.Duration
	Root    *why.Explanation
	causes  *why.Causes
	others  []*why.Explanation // to the same scene of the same process
}

// Interactions returns the interactions of the wanted processes.
func Interactions(t *analyzer.Timeline, c *why.Causes, o Options) []*ExplainedInteraction {
	type scene struct {
		kind          analyzer.InteractionKind
		process, name string
	}
	same := map[scene][]*why.Explanation{}
	sceneOf := func(i *analyzer.Interaction) scene { return scene{i.Kind, i.Process.Name, i.Scene} }
	for _, i := range t.Interactions {
		if r := c.ResponseTo(i); r != nil && i.FirstShown.Known() {
			same[sceneOf(i)] = append(same[sceneOf(i)], r)
		}
	}
	late := map[*analyzer.Process][]*analyzer.Frame{}
	for f := range t.Complete() {
		if f.Late() {
			late[f.Process] = append(late[f.Process], f)
		}
	}
	var list []*ExplainedInteraction
	for _, m := range stats.Interactions(t, stats.Options{Process: o.Process}) {
		if o.Interaction != nil && o.Interaction != m.Source {
			continue
		}
		x := newInteraction(m, c)
		x.others = same[sceneOf(m.Source)]
		x.setKnockOn(late[m.Source.Process])
		list = append(list, x)
	}
	return list
}

// newInteraction returns an interaction without the responses to others.
func newInteraction(m *stats.Interaction, c *why.Causes) *ExplainedInteraction {
	x := &ExplainedInteraction{Interaction: m.Source, Measures: m, Response: c.ResponseTo(m.Source), causes: c}
	counts := stats.CountFrames(x.Frames)
	x.Judged, x.Late = counts.Judged, counts.Late
	for _, f := range x.Frames {
		x.Lost += f.Overrun()
	}
	return x
}

// setKnockOn looks for earlier frames among the late ones of the process, which are in order of their start.
func (i *ExplainedInteraction) setKnockOn(late []*analyzer.Frame) {
	if i.Response == nil {
		return
	}
	within, tid := analyzer.Interval{Start: i.Response.Start, End: i.Response.End}, trace.TID(i.Process.PID)
	if f := i.First; f != nil && f.Process == i.Process {
		within.End, tid = f.Actual.Start, f.TID
	}
	begun, _ := slices.BinarySearchFunc(late, within.End, func(f *analyzer.Frame, at trace.Time) int { return cmp.Compare(f.Actual.Start, at) })
	most := trace.Duration(0)
	for _, f := range slices.Backward(late[max(0, begun-maxBefore):begun]) {
		d := min(f.Actual.End, within.End).Sub(max(f.Actual.Start, within.Start))
		if d <= 0 || f.TID != tid || slices.Contains(i.Frames, f) {
			continue
		}
		if i.KnockOn += d; d > most {
			most, i.Root = d, i.causes.Of(f)
		}
	}
	if i.Root != nil && i.Root.Root != nil {
		i.Root = i.causes.Of(i.Root.Root)
	}
}

// maxBefore bounds the late frames that are looked at for a response.
const maxBefore = 64

// MainCause names what an interaction lost the most time to, in its response or its late frames
// (docs/why.md 9); empty if it lost none.
func MainCause(m *stats.Interaction, c *why.Causes) string { return newInteraction(m, c).mainCause() }

// ranking returns the causes of its late frames.
func (i *ExplainedInteraction) ranking() *why.Ranking { return i.causes.Rank(i.Frames) }

// grade returns the grade of the response; empty if no published limit applies.
func (i *ExplainedInteraction) grade() stats.Grade {
	if g := i.Measures.Grade; g != nil {
		return *g
	}
	return ""
}

// slow reports whether the grade of the response is worse than A.
func (i *ExplainedInteraction) slow() bool {
	grade := i.Measures.ResponseGrade()
	return grade == stats.GradeB || grade == stats.GradeBelow
}

// explained reports whether the longest step of the response is a cause that is shown: of all
// launches, and of responses with a grade below A.
func (i *ExplainedInteraction) explained() bool { return i.slow() || i.Launch() }

// usual returns how long a step takes in the other interactions of the scene. ok is false if no
// other interaction has the step.
func (i *ExplainedInteraction) usual(s *why.Step) (d trace.Duration, ok bool) {
	return i.median(func(other *why.Explanation) (trace.Duration, bool) {
		at := slices.IndexFunc(other.Steps, func(x why.Step) bool { return x.Name == s.Name && x.Stage == s.Stage })
		if at < 0 {
			return 0, false
		}
		return other.Steps[at].Time, true
	})
}

// usualSum returns how long the steps of the other interactions of the scene take together, which
// is not the sum of what is usual of each.
func (i *ExplainedInteraction) usualSum() (d trace.Duration, ok bool) {
	return i.median(func(other *why.Explanation) (sum trace.Duration, ok bool) {
		for _, s := range other.Steps {
			sum += s.Time
		}
		return sum, len(other.Steps) > 0
	})
}

// median returns the median of a time of the other interactions of the scene, the lower one of two;
// false if none has it.
func (i *ExplainedInteraction) median(of func(*why.Explanation) (trace.Duration, bool)) (trace.Duration, bool) {
	var times []trace.Duration
	for _, other := range i.others {
		if other == i.Response {
			continue
		}
		if d, ok := of(other); ok {
			times = append(times, d)
		}
	}
	if len(times) == 0 {
		return 0, false
	}
	slices.Sort(times)
	return times[(len(times)-1)/2], true
}

// mainCause names the longest step of a launch, and of a response with a grade below A, and what
// late frames lost the most time to (docs/why.md 9); empty for others.
func (i *ExplainedInteraction) mainCause() string {
	var texts []string
	if i.explained() {
		if step := causetext.LongestStep(i.Response); step != "" {
			texts = append(texts, step)
		}
	}
	if i.Late > 0 {
		r := i.ranking()
		if 2*r.Unknown > r.Lost || !r.LostKnown() || len(r.Costs) == 0 {
			texts = append(texts, "unknown cause")
		} else {
			texts = append(texts, causetext.CostName(r.Costs[0]))
		}
	}
	return text.Printable(strings.Join(texts, "; "))
}

// summary says in a sentence how long the response took and how many frames were late.
func (i *ExplainedInteraction) summary() string {
	s := fmt.Sprintf("%s of %s: ", text.Interaction(i.Interaction), text.Shorten(text.ProcessName(i.Process.Name), MaxSubject))
	response, completion := i.causes.AtLeast(i.Interaction)
	switch d, ok := i.Interaction.Response(); {
	case ok:
		s += "response " + text.Milliseconds(d) + " ms"
		if grade := i.grade(); grade != "" {
			s += ", grade " + string(grade)
		}
	case response > 0:
		s += "response at least " + text.Milliseconds(response) + " ms"
	default:
		s += "response unknown"
	}
	if completion > response {
		s += ", completion at least " + text.Milliseconds(completion) + " ms"
	}
	switch r := i.ranking(); {
	case i.Judged == 0:
		return s
	case i.Late == 0:
		return s + fmt.Sprintf("; no late frames of %d", i.Judged)
	default:
		return mostly(s+fmt.Sprintf("; %d of %s late", i.Late, text.Count(i.Judged, "frame"))+lost(r.Lost), r, causetext.CostTitle)
	}
}

// start returns when an interaction starts, since the start of the trace.
func (i *ExplainedInteraction) start(in *Input) string {
	return text.Since(in.Start, i.Span().Start)
}

const unknown = "–"

func (i *ExplainedInteraction) response() string {
	if d, ok := i.Interaction.Response(); ok {
		return text.Milliseconds(d)
	}
	if d, _ := i.causes.AtLeast(i.Interaction); d > 0 {
		return text.AtLeast(d, true)
	}
	return unknown
}

// worseInteraction compares interactions: the one that lost the most time is first.
func worseInteraction(a, b *ExplainedInteraction) int {
	slow := func(i *ExplainedInteraction) int {
		if i.slow() {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(slow(b), slow(a)))
}

// interactionsTable lists the interactions of an input: those that lost the most time if they
// are too many.
func interactionsTable(in *Input, o Options) (blocks []view.Block) {
	if len(in.Interactions) == 0 || o.Vsync != 0 || o.Interaction != nil {
		return nil
	}
	listed := in.Interactions
	if !o.All {
		listed = text.First(listed, maxFrames, worseInteraction)
	}
	table := view.Table{Label: "Interactions", Cards: true, Columns: []view.Column{
		{Title: "#", Number: true}, {Title: "Interaction"}, {Title: "Late", Number: true}, {Title: "Lost ms", Number: true}, {Title: "Response ms", Number: true},
		{Title: "At", Number: true, Drop: 1}, {Title: "Main cause"},
	}}
	for _, i := range listed {
		late, lost, response := unknown, unknown, i.response()
		if i.Judged > 0 {
			late, lost = fmt.Sprintf("%d of %d", i.Late, i.Judged), text.Milliseconds(i.Lost)
		}
		g := i.grade()
		if g != "" {
			response += " " + string(g)
		}
		r := row(fmt.Sprint(i.ID), text.Interaction(i.Interaction), late, lost, response, i.start(in), i.mainCause())
		r.Cells[1].About = text.ProcessName(i.Process.Name)
		r.Cells[4].Level = view.LevelOf(rating.OfGrade(g))
		table.Rows = append(table.Rows, r)
	}
	setMin(&table, 1, len(table.Columns)-1)
	if n := len(in.Interactions) - len(listed); n > 0 {
		table.More = fmt.Sprintf("… and %s that lost less; --all lists all", text.Count(n, "interaction"))
	}
	s := view.Section{Title: text.Count(len(in.Interactions), "interaction"), Blocks: []view.Block{table}}
	switch {
	case in.Commands == nil:
	case o.Page:
		s.Blocks = append(s.Blocks, view.Note{Label: "Explain interaction N", Text: in.Commands.WhyAnyInteraction(), Command: true})
	default:
		s.Blocks = append(s.Blocks, view.Note{Label: "Explain one", Text: in.Commands.WhyInteraction(slices.MinFunc(listed, worseInteraction).ID)})
	}
	return []view.Block{s}
}

// interactionBlocks returns all that is known about the interaction of Options.Interaction.
func interactionBlocks(in *Input, o Options) (blocks []view.Block) {
	for _, i := range in.Interactions {
		about := []string{text.ProcessName(i.Process.Name)}
		if i.Page != "" {
			about = append(about, text.Printable(i.Page))
		}
		s := view.Section{
			Article: true, Title: fmt.Sprintf("Interaction %d: %s", i.ID, text.Interaction(i.Interaction)),
			About: strings.Join(append(about, i.start(in)), " · "),
		}
		if reasons := text.ReasonsOf(i.Measures); len(reasons) > 0 {
			s.Blocks = append(s.Blocks, view.Note{Text: strings.Join(reasons, "; "), Level: view.Warning})
		}
		response, frames := i.responseBlocks(o.All), frameCauses(in, o)
		if _, known := i.Interaction.Response(); known && i.Response == nil && len(in.Causes.Responses) == why.MaxResponses {
			note := fmt.Sprintf("What the response was spent on is known of the %d longest ones of a trace.", why.MaxResponses)
			response = []view.Block{view.Note{Text: note, Level: view.Soft}}
		}
		if i.Late > 0 && !i.slow() { // the frames are what the user noticed
			response, frames = frames, response
		}
		s.Blocks = append(append(s.Blocks, response...), frames...)
		blocks = append(blocks, s)
	}
	return blocks
}

// frameCauses returns the causes of the late frames of the interaction. It names the process if
// that is render_service.
func frameCauses(in *Input, o Options) (blocks []view.Block) {
	drawn := 0
	for _, p := range in.Processes {
		if p.onTime() {
			blocks = append(blocks, view.Note{Text: p.subject().Summary()})
			continue
		}
		for _, b := range p.Blocks(in.Causes, o, &drawn) {
			if s, ok := b.(view.Section); ok && p.Kind == stats.RenderService {
				s.About = "frames of " + text.ProcessName(p.Name)
				b = s
			}
			blocks = append(blocks, b)
		}
	}
	return blocks
}

var inputTexts = map[analyzer.Input]string{
	analyzer.NoInput: "its begin", analyzer.FirstMove: "the first move of the finger", analyzer.LastUp: "when the finger left", analyzer.LastDown: "when the finger touched",
}

const (
	maxDetailed   = 3    // steps with all that their threads did
	detailedShare = 0.1  // of the response, of a step with details
	idleShare     = 0.95 // of a thread's time, of one that did nothing
	leastDetailed = 2 * trace.Millisecond
	maxStepSlices = 6
)

// brief reports whether the steps of a response say enough: its grade is S or A, and no more
// than a tenth of it is above what is usual.
func (i *ExplainedInteraction) brief() bool {
	grade := i.grade()
	if i.Launch() || grade != stats.GradeS && grade != stats.GradeA {
		return false
	}
	excess, sum := trace.Duration(0), trace.Duration(0)
	for n := range i.Response.Steps {
		step := &i.Response.Steps[n]
		sum += step.Time
		if usual, ok := i.usual(step); ok {
			excess += max(0, step.Time-usual)
		}
	}
	return float64(excess) <= detailedShare*float64(sum)
}

// responseBlocks returns what the response was spent on. all adds what the threads did in the
// longest steps, even if the response is fast.
func (i *ExplainedInteraction) responseBlocks(all bool) []view.Block {
	if i.Response == nil {
		return nil
	}
	s := view.Section{Title: "Stages of the launch, until its last known time"}
	total, known := i.Interaction.Response()
	if known {
		s.Title = fmt.Sprintf("Response %s ms, from %s", text.Milliseconds(total), inputTexts[i.Input])
		if i.Launch() {
			s.Title = fmt.Sprintf("First frame shown after %s ms", text.Milliseconds(total))
		}
	}
	if grade := i.grade(); grade != "" {
		limit := stats.LimitOf(i.Interaction)
		s.Title += fmt.Sprintf(": grade %s", grade)
		s.About = "(limits: S " + text.Number(limit.S.Milliseconds(), 0)
		if limit.A > 0 {
			s.About += ", A " + text.Number(limit.A.Milliseconds(), 0) + ", B " + text.Number(limit.B.Milliseconds(), 0)
		}
		s.About += " ms)"
		s.Blocks = append(s.Blocks, view.Note{Text: rating.LimitsNote, Level: view.Soft})
	}
	steps := i.Response.Steps
	table := view.Table{Label: "What the response was spent on", Cards: true, Columns: []view.Column{
		{Title: "Step"}, {Title: "ms", Number: true}, {Title: "Usual", Number: true}, {Title: "Excess", Number: true}, {Title: "Mostly"},
	}}
	compared := false
	for n := range steps {
		step := &steps[n]
		usual, excess := "", ""
		if d, ok := i.usual(step); ok {
			compared = true
			usual, excess = text.Milliseconds(d), number(step.Time-d)
		}
		ms := text.Milliseconds(step.Time)
		if step.Open {
			ms = "≥ " + ms
		}
		table.Rows = append(table.Rows, row(text.Printable(causetext.Step(step)), ms, usual, excess, text.Printable(causetext.StepWork(step))))
	}
	if known {
		sum := row("sum", text.Milliseconds(total), "", "", "")
		if d, ok := i.usualSum(); ok {
			sum.Cells[2].Text, sum.Cells[3].Text = text.Milliseconds(d), number(total-d)
		}
		sum.Strong = true
		table.Rows = append(table.Rows, sum)
	}
	if compared {
		table.More = "Usual: the median of the other interactions of the scene"
	} else {
		table.RemoveColumns(2, 4)
	}
	setMin(&table, 0, len(table.Columns)-1)
	s.Blocks = append(s.Blocks, table)
	if i.Root != nil {
		note := fmt.Sprintf("the thread was still busy with earlier late frames for %s ms, because of frame %s: %s", text.Milliseconds(i.KnockOn), text.Vsync(i.Root.Frame.VsyncID), causetext.Sentence(i.causes, i.Root))
		s.Blocks = append(s.Blocks, view.Note{Label: "Knock-on", Text: text.Line(note)})
	}
	if i.explained() {
		if advice := causetext.StepAdvice(i.Response, i.Process.PID); advice != "" {
			s.Blocks = append(s.Blocks, view.Note{Label: "Advice for the longest step", Text: advice})
		}
	}
	if !all && i.brief() {
		return []view.Block{s}
	}
	for _, step := range i.detailed() {
		for w := range step.Work {
			work := &step.Work[w]
			title := text.Printable(causetext.Step(step))
			if thread := causetext.WorkThread(work); thread != "" {
				title += ", " + text.Printable(thread)
			}
			s.Blocks = append(s.Blocks, view.Section{Title: title, Blocks: workBlocks(work)})
		}
	}
	return []view.Block{s}
}

// detailed returns the steps whose threads are shown in detail: the longest ones in which a
// thread was busy, without the display.
func (i *ExplainedInteraction) detailed() []*why.Step {
	var list []*why.Step
	sum := trace.Duration(0)
	for n := range i.Response.Steps {
		s := &i.Response.Steps[n]
		sum += s.Time
		busy := func(w why.Work) bool { return float64(w.Idle) < idleShare*float64(w.End.Sub(w.Start)) }
		if s.Name != why.StepDisplay && s.Time >= leastDetailed && slices.ContainsFunc(s.Work, busy) {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *why.Step) int { return cmp.Compare(b.Time, a.Time) })
	list = slices.DeleteFunc(list, func(s *why.Step) bool { return float64(s.Time) < detailedShare*float64(sum) })
	list = list[:min(len(list), maxDetailed)]
	slices.SortStableFunc(list, func(a, b *why.Step) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// workBlocks returns what is known of a thread.
func workBlocks(w *why.Work) (blocks []view.Block) {
	if slices.ContainsFunc(w.Waits, func(x why.WaitTime) bool { return x.Wait != why.WaitUnknown }) {
		blocks = append(blocks, workTable(w))
	}
	return append(blocks, workSlices(w))
}

// workTable returns what a thread did, and whom it waited for.
func workTable(w *why.Work) view.Table {
	table := view.Table{Label: "What the thread did", Cards: true, Columns: []view.Column{{Title: "State"}, {Title: "ms", Number: true}, {Title: "Most in slice"}, {Title: "ms in it", Number: true}, {Title: "Waited for"}}}
	add := func(state string, d trace.Duration, slice string, in trace.Duration, culprit string) {
		if d >= tenth/2 {
			table.Rows = append(table.Rows, row(state, text.Milliseconds(d), text.Printable(slice), number(in), text.Printable(culprit)))
		}
	}
	for n := range w.Waits {
		x := &w.Waits[n]
		state := causetext.Wait(x.Wait)
		if x.Wait == why.WaitUnknown {
			state = causetext.WaitTitle(x.Wait)
		}
		add(state, x.Value, causetext.WorkSlice(x.Slice, x.Calls, x.Arguments), x.SliceTime, cmp.Or(causetext.WorkCulprit(x), x.Function))
	}
	add("idle", w.Idle, "", 0, "")
	return table
}

// workSlices returns the slices in which a thread was the longest, and the time in others or in none. How many
// others there are may be unknown.
func workSlices(w *why.Work) view.Table {
	if len(w.Slices) < why.MaxWorkSlices {
		return sliceTable(w.Slices, maxStepSlices)
	}
	table := sliceTable(w.Slices[:maxStepSlices], maxStepSlices)
	var rest trace.Duration
	for i := range w.Waits {
		rest += w.Waits[i].Value
	}
	for i := range w.Slices[:maxStepSlices] {
		rest -= w.Slices[i].Self()
	}
	if rest >= tenth/2 {
		table.More = fmt.Sprintf("… and %s ms in other slices or in none", text.Milliseconds(rest))
	}
	return table
}

// setMin makes columns so wide that none of their words is broken, if it is not too long.
func setMin(t *view.Table, columns ...int) {
	for _, c := range columns {
		for _, r := range t.Rows {
			for _, word := range strings.Fields(r.Cells[c].Text + " " + r.Cells[c].About) {
				t.Columns[c].Min = min(max(t.Columns[c].Min, text.Width(word)), maxWord)
			}
		}
	}
}

// maxWord is the widest word that a column has room for.
const maxWord = 44
