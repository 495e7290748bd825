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
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Interaction is an interaction with the late frames in it, and what its response was spent on.
type Interaction struct {
	*analyzer.Interaction
	// Judged is the number of its frames with a deadline, Late that of the late ones, and Lost
	// the sum of their overruns.
	Judged, Late int
	Lost         trace.Duration
	// Response is nil if nothing is known of it.
	Response *why.Response
	causes   *why.Causes
	others   []*why.Response // to the same scene of the same process
}

// Interactions returns the interactions of the wanted processes.
func Interactions(t *analyzer.Timeline, c *why.Causes, o Options) []*Interaction {
	type scene struct {
		kind          analyzer.InteractionKind
		process, name string
	}
	same := map[scene][]*why.Response{}
	sceneOf := func(i *analyzer.Interaction) scene { return scene{i.Kind, i.Process.Name, i.Scene} }
	for _, i := range t.Interactions {
		if r := c.ResponseTo(i); r != nil && i.FirstShown.Known() {
			same[sceneOf(i)] = append(same[sceneOf(i)], r)
		}
	}
	var list []*Interaction
	for _, i := range t.Interactions {
		if o.Process != nil && !o.Process(i.Process) || o.Interaction != nil && o.Interaction != i {
			continue
		}
		x := &Interaction{Interaction: i, Response: c.ResponseTo(i), causes: c, others: same[sceneOf(i)]}
		for _, f := range i.Frames {
			if f.Judged() {
				x.Judged++
			}
			if e := c.Of(f); e != nil && e.Overrun > 0 {
				x.Late++
				x.Lost += e.Overrun
			}
		}
		list = append(list, x)
	}
	return list
}

// Ranking returns the causes of its late frames.
func (i *Interaction) Ranking() *why.Ranking { return i.causes.Rank(i.Frames) }

// grade returns the grade of the response by published limits; empty if there is none.
func (i *Interaction) grade() (grade stats.Grade, limit *stats.Limit) {
	limit = stats.LimitOf(i.Interaction)
	if d, ok := i.Interaction.Response(); ok && limit != nil {
		return limit.Grade(d), limit
	}
	return "", nil
}

// slow reports whether the grade of the response is worse than A.
func (i *Interaction) slow() bool {
	grade, _ := i.grade()
	return grade == stats.GradeB || grade == stats.GradeBelow
}

// usual returns how long a step takes in the other interactions of the scene: the median, the
// lower one of two; ok is false if there are none with the step.
func (i *Interaction) usual(s *why.ResponseStep) (d trace.Duration, ok bool) {
	var times []trace.Duration
	for _, other := range i.others {
		if other == i.Response {
			continue
		}
		at := slices.IndexFunc(other.Steps, func(x why.ResponseStep) bool { return x.Step == s.Step && x.Stage == s.Stage })
		if at >= 0 {
			times = append(times, other.Steps[at].Duration())
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
func (i *Interaction) mainCause() string {
	var texts []string
	if i.slow() || i.Launch() {
		texts = append(texts, causetext.LongestStep(i.Response))
	}
	if i.Late > 0 {
		r := i.Ranking()
		if 2*r.Unknown > r.Lost {
			texts = append(texts, "unknown cause")
		} else {
			texts = append(texts, causetext.CostName(r.Costs[0]))
		}
	}
	return text.Printable(strings.Join(texts, "; "))
}

// summary says in a sentence how long the response took and how many frames were late.
func (i *Interaction) summary() string {
	s := fmt.Sprintf("%s of %s: ", text.Interaction(i.Interaction), text.ProcessName(i.Process.Name))
	if d, ok := i.Interaction.Response(); ok {
		s += "response " + text.Milliseconds(d) + " ms"
		if grade, _ := i.grade(); grade != "" {
			s += ", grade " + string(grade)
		}
	} else {
		s += "response unknown"
	}
	switch r := i.Ranking(); {
	case i.Judged == 0:
		return s
	case i.Late == 0:
		return s + fmt.Sprintf("; no late frames of %d", i.Judged)
	case 2*r.Unknown > r.Lost:
		return s + fmt.Sprintf("; %d of %s late", i.Late, text.Count(i.Judged, "frame"))
	default:
		return s + fmt.Sprintf("; %d of %s late, %s of the lost time is %s", i.Late, text.Count(i.Judged, "frame"), text.Percent(r.Costs[0].Lost, r.Lost), text.Printable(causetext.CostTitle(r.Costs[0])))
	}
}

// start returns when an interaction starts, since the start of the trace.
func (i *Interaction) start(in *Input) string {
	return text.Since(in.Start, i.Span().Start)
}

const unknown = "–"

func (i *Interaction) response() string {
	if d, ok := i.Interaction.Response(); ok {
		return text.Milliseconds(d)
	}
	return unknown
}

// interactionsTable lists the interactions of an input: those that lost the most time if they
// are too many.
func interactionsTable(in *Input, o Options) (blocks []view.Block) {
	if len(in.Interactions) == 0 || o.Vsync != 0 || o.Interaction != nil {
		return nil
	}
	listed := in.Interactions
	worse := func(a, b *Interaction) int {
		slow := func(i *Interaction) int {
			if i.slow() {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(slow(b), slow(a)))
	}
	ranked := slices.Clone(listed)
	slices.SortStableFunc(ranked, worse)
	if limit := maxFrames; !o.All && len(listed) > limit {
		listed = slices.Clone(ranked[:limit])
		slices.SortStableFunc(listed, func(a, b *Interaction) int { return cmp.Compare(a.ID, b.ID) })
	}
	table := view.Table{Label: "Interactions", Columns: []view.Column{
		{Title: "#"}, {Title: "Interaction"}, {Title: "At", Number: true, Drop: 1}, {Title: "Response ms", Number: true}, {Title: "Late", Number: true},
		{Title: "Lost ms", Number: true}, {Title: "Main cause"},
	}}
	for _, i := range listed {
		late, lost, response := unknown, unknown, i.response()
		if i.Judged > 0 {
			late, lost = fmt.Sprintf("%d of %d", i.Late, i.Judged), text.Milliseconds(i.Lost)
		}
		if g, _ := i.grade(); g != "" {
			response += " " + string(g)
		}
		r := row(fmt.Sprint(i.ID), text.Interaction(i.Interaction), i.start(in), response, late, lost, i.mainCause())
		r.Cells[1].About = text.ProcessName(i.Process.Name)
		if i.slow() {
			r.Cells[3].Level = view.Warning
		}
		table.Rows = append(table.Rows, r)
	}
	if n := len(in.Interactions) - len(listed); n > 0 {
		table.More = fmt.Sprintf("… and %s that lost less; --all lists them", text.Count(n, "interaction"))
	}
	s := view.Section{Title: text.Count(len(in.Interactions), "interaction"), Blocks: []view.Block{table}}
	if in.Why != nil {
		s.Blocks = append(s.Blocks, view.Note{Label: "Explain one", Text: in.Why(ranked[0].ID)})
	}
	return []view.Block{s}
}

// interactionBlocks returns all that is known about the interaction of Options.Interaction
// besides its late frames.
func interactionBlocks(in *Input) (blocks []view.Block) {
	for _, i := range in.Interactions {
		about := []string{text.ProcessName(i.Process.Name)}
		if i.Page != "" {
			about = append(about, text.Printable(i.Page))
		}
		s := view.Section{
			Article: true, Title: fmt.Sprintf("Interaction %d: %s", i.ID, text.InteractionName(i.Interaction)),
			About: strings.Join(append(about, i.start(in)), " · "),
		}
		if reasons := i.reasons(); reasons != "" {
			s.Blocks = append(s.Blocks, view.Note{Text: reasons, Level: view.Warning})
		}
		s.Blocks = append(s.Blocks, i.responseBlocks()...)
		blocks = append(blocks, s)
	}
	return blocks
}

// reasonTexts say why something about an interaction is unknown.
var reasonTexts = map[analyzer.Reasons]string{
	analyzer.ReasonBeginCut:          "the trace begins within the interaction",
	analyzer.ReasonEndCut:            "the trace ends within the interaction",
	analyzer.ReasonBeginLost:         "the line of its begin is missing",
	analyzer.ReasonEndLost:           "the line of its end is missing",
	analyzer.ReasonInputUnseen:       "the trace lacks its input: the response counts from its begin",
	analyzer.ReasonInputAstray:       "the time of its input is wrong: the response counts from its begin",
	analyzer.ReasonNoFences:          "the trace has no present times: the response is an estimate",
	analyzer.ReasonNotShown:          "no frame of it is known to be shown: the response is unknown",
	analyzer.ReasonProcessUnseen:     "the trace has no line of its process",
	analyzer.ReasonDeviceContradicts: "",
}

func (i *Interaction) reasons() string {
	var texts []string
	for bit := analyzer.Reasons(1); int(bit) < analyzer.ReasonsEnd; bit <<= 1 {
		if s := reasonTexts[i.Reasons&bit]; s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "; ")
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

// responseBlocks returns what the response was spent on.
func (i *Interaction) responseBlocks() []view.Block {
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
	if grade, limit := i.grade(); limit != nil {
		s.Title += fmt.Sprintf(": grade %s", grade)
		s.About = "(limits: S " + text.Number(limit.S.Milliseconds(), 0)
		if limit.A > 0 {
			s.About += ", A " + text.Number(limit.A.Milliseconds(), 0) + ", B " + text.Number(limit.B.Milliseconds(), 0)
		}
		s.About += " ms)"
	}
	steps := i.Response.Steps
	table := view.Table{Label: "What the response was spent on", Columns: []view.Column{
		{Title: "Step"}, {Title: "ms", Number: true}, {Title: "Usual", Number: true}, {Title: "Excess", Number: true}, {Title: "Mostly"},
	}}
	compared := false
	for n := range steps {
		step := &steps[n]
		usual, excess := "", ""
		if d, ok := i.usual(step); ok {
			compared = true
			usual, excess = text.Milliseconds(d), number(step.Duration()-d)
		}
		ms := text.Milliseconds(step.Duration())
		if step.Open {
			ms = "≥ " + ms
		}
		table.Rows = append(table.Rows, row(text.Printable(causetext.ResponseStep(step)), ms, usual, excess, text.Printable(causetext.StepWork(step))))
	}
	if known {
		sum := row("sum", text.Milliseconds(total), "", "", "")
		sum.Strong = true
		table.Rows = append(table.Rows, sum)
	}
	if compared {
		table.More = "Usual: the median of the other interactions of the scene"
	} else {
		table.Columns = slices.Delete(table.Columns, 2, 4)
		for n := range table.Rows {
			table.Rows[n].Cells = slices.Delete(table.Rows[n].Cells, 2, 4)
		}
	}
	s.Blocks = append(s.Blocks, table)
	for _, step := range i.detailed() {
		for w := range step.Work {
			work := &step.Work[w]
			title := text.Printable(causetext.ResponseStep(step))
			if thread := causetext.WorkThread(work); thread != "" {
				title += ", " + text.Printable(thread)
			}
			detail := view.Section{Title: title}
			if slices.ContainsFunc(work.Waits, func(x why.WorkWait) bool { return x.Wait != why.WaitUnknown }) {
				detail.Blocks = append(detail.Blocks, workTable(work))
			}
			detail.Blocks = append(detail.Blocks, sliceTable(work.Slices, maxStepSlices))
			s.Blocks = append(s.Blocks, detail)
		}
	}
	return []view.Block{s}
}

// detailed returns the steps to which all that their threads did is shown: those with the most
// time of which anything but the display is known.
func (i *Interaction) detailed() []*why.ResponseStep {
	var list []*why.ResponseStep
	sum := trace.Duration(0)
	for n := range i.Response.Steps {
		s := &i.Response.Steps[n]
		sum += s.Duration()
		busy := func(w why.Work) bool { return float64(w.Idle) < idleShare*float64(w.End.Sub(w.Start)) }
		if s.Step != why.StepDisplay && s.Duration() >= leastDetailed && slices.ContainsFunc(s.Work, busy) {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *why.ResponseStep) int { return cmp.Compare(b.Duration(), a.Duration()) })
	list = slices.DeleteFunc(list, func(s *why.ResponseStep) bool { return float64(s.Duration()) < detailedShare*float64(sum) })
	list = list[:min(len(list), maxDetailed)]
	slices.SortStableFunc(list, func(a, b *why.ResponseStep) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// workTable returns what a thread did, and whom it waited for.
func workTable(w *why.Work) view.Table {
	table := view.Table{Label: "What the thread did", Columns: []view.Column{{Title: "State"}, {Title: "ms", Number: true}, {Title: "Most in slice"}, {Title: "ms", Number: true}, {Title: "Waited for"}}}
	add := func(state string, d trace.Duration, slice string, in trace.Duration, culprit string) {
		if d >= tenth/2 {
			table.Rows = append(table.Rows, row(state, text.Milliseconds(d), text.Printable(slice), number(in), text.Printable(culprit)))
		}
	}
	for n := range w.Waits {
		x := &w.Waits[n]
		state, culprit := causetext.Wait(x.Wait), x.Function
		if x.Wait == why.WaitUnknown {
			state = causetext.WaitTitle(x.Wait)
		}
		if c := x.Culprit; c != nil && x.Wait != why.Run {
			culprit = causetext.Culprit(c)
			if c.Slice != "" {
				culprit += " in " + c.Slice
			}
		}
		add(state, x.Time, x.Slice, x.SliceTime, culprit)
	}
	add("idle", w.Idle, "", 0, "")
	return table
}
