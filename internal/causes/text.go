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
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

type textWriter struct {
	text.Writer
	Options
	causes *why.Causes
	start  trace.Time // of the trace
	// placesOnly reports that it is unknown of all late frames whether their threads
	// ran or waited.
	placesOnly bool
	// several inputs are written, so the list of each is short.
	several bool
}

// MaxCosts is the number of causes in a ranking. It is shorter if fewer have costShare
// of the lost time.
const (
	MaxCosts  = 8
	costShare = 0.9
)

// What the other lists show at most.
const (
	maxFrames  = 20
	maxOfInput = 5 // frames, of several inputs
	maxThreads = 8
	maxSlices  = 20
)

func (t *textWriter) write(in Input) {
	list := in.Processes
	t.causes, t.start = in.Causes, in.Start
	fmt.Fprintf(t, "%s\n", t.Bold(text.Shorten(text.Printable(in.Name), t.Width)))
	quality.Print(in.Quality, t.Writer, "", t.Width)
	t.placesOnly = PlacesOnly(list)
	if missing := Missing(t.causes, list, in.Quality); missing != "" && len(list) > 0 {
		for line := range strings.Lines(text.Wrap(missing, t.Width)) {
			fmt.Fprintln(t, t.Yellow(strings.TrimSpace(line), true))
		}
	}
	fmt.Fprintln(t)
	if len(list) == 0 {
		fmt.Fprintln(t, "no complete frames")
	}
	onTime, frames, unknown := 0, 0, 0
	for _, p := range list {
		if len(p.Late)+len(p.ShownLate)+len(p.PickedUpLate) == 0 {
			onTime++
			frames += p.Complete
			unknown += p.Complete - p.Judged
			continue
		}
		t.process(p)
	}
	if onTime > 0 {
		process := "process"
		if onTime < len(list) {
			process = "other process"
		}
		fmt.Fprintln(t, noneLate("in "+text.Count(frames, "frame")+" of "+text.Count(onTime, process), frames, unknown))
	}
}

// noneLate says that none of frames is known to be late. of names them, and unknown is the
// number of those without a deadline.
func noneLate(of string, frames, unknown int) string {
	switch {
	case unknown == frames:
		return "no deadlines " + of + ": which are late is unknown"
	case unknown > 0:
		return fmt.Sprintf("no late frames %s, %d without a deadline", of, unknown)
	}
	return "no late frames " + of
}

// vsyncID returns the vsync id of a frame for a list.
func vsyncID(f *analyzer.Frame) string {
	if f.VsyncID == 0 {
		return "–"
	}
	return fmt.Sprint(f.VsyncID)
}

func (t *textWriter) process(p *Process) {
	t.Heading(text.Shorten(processName(p.Name), t.Width/2), fmt.Sprintf(" · %s · pid %s", text.Kind(p.Kind), p.PID))
	if t.Vsync != 0 {
		list := slices.Clone(p.Late)
		slices.SortStableFunc(list, func(a, b *why.Explanation) int { return cmp.Compare(b.Overrun, a.Overrun) })
		for _, e := range list {
			name := fmt.Sprintf("frame %d", e.Frame.VsyncID)
			if len(list) > 1 {
				name += fmt.Sprintf(" of thread %d at +%s ms", e.Frame.TID, text.Number(float64(e.Frame.Actual.Start.Sub(t.start))/float64(trace.Millisecond), 2))
			}
			t.frame(e, name)
		}
		return
	}
	if len(p.Late) > 0 {
		t.late(p)
	} else {
		fmt.Fprintf(t, "  %s\n\n", t.Bold(noneLate(fmt.Sprintf("of %d", p.Complete), p.Complete, p.Complete-p.Judged)))
	}
	t.list(p.ShownLate, "shown late", func(e *why.Explanation) (trace.Duration, string) {
		return e.Shown.Late, causetext.Shown(t.causes, e)
	})
	t.list(p.PickedUpLate, "on time, but picked up late", func(e *why.Explanation) (trace.Duration, string) {
		return e.PickUp.Late, causetext.PickUp(t.causes, e)
	})
}

// late writes the ranking and the late frames. The ranking of several inputs is above.
func (t *textWriter) late(p *Process) {
	t.headline(p.Ranking, p.Judged)
	if !t.several {
		t.ranking(p.Ranking, nil)
	}
	t.frames(p.Late)
}

// headline writes what the late frames among those with a deadline lost.
func (t *textWriter) headline(r *why.Ranking, judged int) {
	headline := fmt.Sprintf("lost %s ms in %s of %d", text.Milliseconds(r.Lost), text.Count(r.Late, "late frame"), judged)
	if r.Unknown > 0 {
		headline += fmt.Sprintf("; the cause of %s ms is unknown", text.Milliseconds(r.Unknown))
	}
	fmt.Fprintf(t, "  %s\n\n", t.Bold(headline))
}

// ranking writes a ranking. If there are several inputs, input has that of each process.
func (t *textWriter) ranking(r *why.Ranking, input map[*analyzer.Process]string) {
	rows := Rows{Ranking: r, Shown: Leading(r, MaxCosts), More: "--all lists them", Input: input}
	if t.All {
		rows.Shown = r.Costs
	}
	for _, line := range rows.Lines(t.Width-2, t.Ink) {
		fmt.Fprintf(t, "  %s\n", line)
	}
	fmt.Fprintln(t)
}

// adviceIndent is the indent of advice below its cause. Most advice fits on a line.
const adviceIndent = "    "

// Rows are the first causes of a ranking.
type Rows struct {
	*why.Ranking
	Shown []*why.Cost
	More  string // says what lists the others
	// Input, if not nil, has the names of the inputs of frames, by their processes.
	Input map[*analyzer.Process]string
}

// Lines returns the causes, each with its advice, in lines of at most width cells.
func (r Rows) Lines(width int, ink text.Ink) []string {
	var lines []string
	digits := len(text.Milliseconds(r.Lost))
	share := len("< 1 %")
	for _, c := range r.Shown {
		share = max(share, len(text.Percent(c.Lost, r.Lost)))
	}
	add := func(lost trace.Duration, title string) {
		head := fmt.Sprintf("%*s  %*s ms  ", share, text.Percent(lost, r.Lost), digits, text.Milliseconds(lost))
		lines = append(lines, hang(head, title, width)...)
	}
	left := r.Lost
	for _, c := range r.Shown {
		left -= c.Lost
		title := text.Printable(causetext.CostTitle(c)+causetext.InStages(c)) + " · "
		if n := len(c.Frames); n > 1 {
			title += fmt.Sprintf("%d frames, worst %s", n, vsyncID(c.Worst))
		} else {
			title += fmt.Sprintf("frame %s", vsyncID(c.Worst))
		}
		if r.Input != nil {
			title += " of " + text.Printable(r.Input[c.Worst.Process])
		}
		if c.KnockOn > 0 {
			title += fmt.Sprintf(", %s ms knock-on", text.Milliseconds(c.KnockOn))
		}
		add(c.Lost, title)
		if advice := causetext.Advice(c.Advice); advice != "" {
			for line := range strings.Lines(text.Wrap(advice, width-len(adviceIndent))) {
				lines = append(lines, adviceIndent+ink.Dim(strings.TrimSpace(line)))
			}
		}
	}
	if n := len(r.Costs) - len(r.Shown); n > 0 && left >= tenth/2 {
		add(left, text.Count(n, "other cause")+"; "+r.More)
	}
	return lines
}

// Leading returns the n causes that cost the most, or those that have 90 % of the lost
// time.
func Leading(r *why.Ranking, n int) []*why.Cost {
	left := r.Lost
	for i, c := range r.Costs {
		if i == n || float64(left) <= float64(r.Lost)*(1-costShare) {
			return r.Costs[:i]
		}
		left -= c.Lost
	}
	return r.Costs
}

// hang breaks a text into lines of at most width cells. The first begins with head,
// the others with as many spaces.
func hang(head, s string, width int) []string {
	indent := text.Width(head)
	lines := strings.Split(text.Wrap(s, width-indent), "\n")
	for i, line := range lines {
		if i == 0 {
			lines[i] = head + strings.TrimRight(line, " ")
		} else {
			lines[i] = strings.Repeat(" ", indent) + strings.TrimSpace(line)
		}
	}
	return lines
}

// frames lists late frames in order of time: the worst ones, if there are many.
func (t *textWriter) frames(late []*why.Explanation) {
	t.list(late, "", func(e *why.Explanation) (trace.Duration, string) { return e.Overrun, t.sentence(e) })
}

// list lists frames in order of time, each with by how much it was late and why: the worst
// ones, if there are many. what, if not empty, is what all of them were.
func (t *textWriter) list(all []*why.Explanation, what string, of func(*why.Explanation) (trace.Duration, string)) {
	if len(all) == 0 {
		return
	}
	shown := all
	if !t.All {
		n := maxFrames
		if t.several {
			n = maxOfInput
		}
		shown = worst(all, n, func(e *why.Explanation) trace.Duration {
			d, _ := of(e)
			return d
		})
	}
	vsync, late := len("Frame"), len("Late")
	for _, e := range shown {
		d, _ := of(e)
		vsync = max(vsync, text.Width(vsyncID(e.Frame)))
		late = max(late, len(text.Milliseconds(d))+len(" ms"))
	}
	if what != "" {
		fmt.Fprintf(t, "  %s\n\n", t.Bold(text.Count(len(all), "frame")+" "+what))
	}
	fmt.Fprintln(t, t.Dim(fmt.Sprintf("  %*s  %*s  Cause", vsync, "Frame", late, "Late")))
	for _, e := range shown {
		d, sentence := of(e)
		head := fmt.Sprintf("  %*s  %*s  ", vsync, vsyncID(e.Frame), late, text.Milliseconds(d)+" ms")
		for _, line := range hang(head, text.Line(sentence), t.Width) {
			fmt.Fprintln(t, line)
		}
	}
	if n := len(all) - len(shown); n > 0 {
		fmt.Fprintln(t, t.Dim(fmt.Sprintf("  … and %s that were late by less; --all lists them", text.Count(n, "frame"))))
	}
	fmt.Fprintln(t)
}

// Worst returns the n explanations with the largest overruns, in order of time.
func Worst(late []*why.Explanation, n int) []*why.Explanation {
	return worst(late, n, func(e *why.Explanation) trace.Duration { return e.Overrun })
}

// worst returns the n explanations that are late the most, in order of time.
func worst(late []*why.Explanation, n int, by func(*why.Explanation) trace.Duration) []*why.Explanation {
	if len(late) <= n {
		return late
	}
	worst := slices.Clone(late)
	slices.SortStableFunc(worst, func(a, b *why.Explanation) int { return cmp.Compare(by(b), by(a)) })
	worst = worst[:n]
	slices.SortStableFunc(worst, func(a, b *why.Explanation) int { return cmp.Compare(a.Start, b.Start) })
	return worst
}

// sentence returns why a frame was late, with what is unsure about it.
func (t *textWriter) sentence(e *why.Explanation) string {
	s := causetext.Sentence(t.causes, e)
	if t.placesOnly {
		s = causetext.Brief(t.causes, e)
	}
	s = text.Line(s)
	if e.Cause() != nil && e.Confidence > 0 {
		s += " (" + e.Confidence.String() + " confidence)"
	}
	return s
}

// frame writes all that is known about one frame, which is called name.
func (t *textWriter) frame(e *why.Explanation, name string) {
	sum := NewSum(e)
	head := fmt.Sprintf("%s took %s ms", name, text.Milliseconds(sum.Took))
	if e.Overrun == 0 {
		fmt.Fprintf(t, "  %s\n", t.Bold(head+" and was not late"))
	} else {
		fmt.Fprintf(t, "  %s\n", t.Bold(fmt.Sprintf("%s and was %s ms late", head, text.Milliseconds(sum.Overrun))))
		for _, line := range hang("  ", t.sentence(e), t.Width) {
			fmt.Fprintln(t, line)
		}
	}
	for _, s := range []string{sum.Span(), sum.Waterfall(e)} {
		if s == "" {
			continue
		}
		for _, line := range hang("  ", s, t.Width) {
			fmt.Fprintln(t, line)
		}
	}
	fmt.Fprintln(t)
	t.components(e, sum)
	t.threads(e)
	t.slices(e)
	t.shown(e)
	if reason := causetext.PickUp(t.causes, e); reason != "" {
		for _, line := range hang("  ", fmt.Sprintf("picked up %s ms late: %s", text.Milliseconds(e.PickUp.Late), reason), t.Width) {
			fmt.Fprintln(t, line)
		}
		fmt.Fprintln(t)
	}
}

// shown writes how a render frame got to the display.
func (t *textWriter) shown(e *why.Explanation) {
	s := e.Shown
	if s == nil {
		return
	}
	total := fmt.Sprintf("shown %s ms after its vsync", text.Milliseconds(s.At.Sub(e.Start)))
	if s.Late > 0 {
		total += fmt.Sprintf(", %s ms late: %s", text.Milliseconds(s.Late), causetext.Shown(t.causes, e))
	}
	for _, line := range hang("  ", text.Line(total), t.Width) {
		fmt.Fprintln(t, line)
	}
	if s.Delay >= tenth {
		fmt.Fprintf(t, "  the commit was put off by %s ms on purpose\n", text.Milliseconds(s.Delay))
	}
	fmt.Fprintln(t)
	g := text.NewTable(t.Ink, "Step", "ms →", "Usual →", "After the deadline →")
	for _, step := range s.Stages {
		usual := ""
		if s.Due.Known() {
			usual = number(step.Usual)
		}
		g.AppendRow(text.Row{causetext.Step(step.Stage), number(step.Time), usual, number(step.After)})
	}
	t.Print(g)
}

// Sum is the times of one frame as they are printed: in tenths of a millisecond, so that
// terms add up to their sum wherever they are shown.
type Sum struct {
	// Before is the time from the frame's vsync to its actual start, Took the length of its
	// actual interval, GPU the time from there to the end of its GPU work.
	Before, Took, GPU trace.Duration
	// Length is Before + Took + GPU. It is also Budget + Overrun.
	Length, Budget, Overrun trace.Duration
	// Shares are those of Explanation.Shares. Their sum is Overrun.
	Shares []trace.Duration
}

// NewSum rounds the times of a frame.
func NewSum(e *why.Explanation) *Sum {
	f := e.Frame
	s := &Sum{
		Before: text.Tenths(f.Actual.Start.Sub(e.Start)), Took: text.Tenths(f.Actual.Duration()), GPU: text.Tenths(e.End.Sub(f.Actual.End)),
		Overrun: text.Tenths(e.Overrun),
	}
	s.Length = s.Before + s.Took + s.GPU
	s.Budget = s.Length - s.Overrun
	s.Shares = round(e.Shares, s.Overrun)
	return s
}

// round rounds shares to tenths so that they add up to sum: those with the largest
// remainders are rounded up.
func round(shares []why.Share, sum trace.Duration) []trace.Duration {
	rounded := make([]trace.Duration, len(shares))
	order := make([]int, len(shares))
	for i := range shares {
		order[i] = i
		rounded[i] = shares[i].Share / tenth * tenth
		sum -= rounded[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b].Share%tenth, shares[a].Share%tenth) })
	for _, i := range order[:min(len(order), int(max(0, sum/tenth)))] {
		rounded[i] += tenth
	}
	return rounded
}

// Span returns how the time from a frame's vsync to its end adds up. It is empty if the
// frame began with its vsync and has no GPU work after its end.
func (s *Sum) Span() string {
	if s.Length == s.Took {
		return ""
	}
	from, terms := "start", ""
	if s.Before > 0 {
		from, terms = "vsync", fmt.Sprintf("waited %s before it began + ", text.Milliseconds(s.Before))
	}
	terms += "took " + text.Milliseconds(s.Took)
	if s.GPU > 0 {
		terms += fmt.Sprintf(" + %s on the GPU after that", text.Milliseconds(s.GPU))
	}
	return fmt.Sprintf("%s ms from %s to end: %s", text.Milliseconds(s.Length), from, terms)
}

// Waterfall returns how the budget and the shares add up to the time from the vsync to the
// end of a late frame. It is empty if the frame is not late.
func (s *Sum) Waterfall(e *why.Explanation) string {
	if e.Overrun == 0 {
		return ""
	}
	terms := "budget " + text.Milliseconds(s.Budget)
	left := s.Overrun
	for i := range e.Shares {
		if i == maxTerms || s.Shares[i] < tenth {
			break
		}
		left -= s.Shares[i]
		terms += fmt.Sprintf(" + %s %s", component(e.Shares[i].Stage, e.Shares[i].Wait), text.Milliseconds(s.Shares[i]))
	}
	if left > 0 {
		terms += " + other " + text.Milliseconds(left)
	}
	return terms + " = " + text.Milliseconds(s.Length) + " ms"
}

const (
	// maxTerms is the number of causes in a waterfall.
	maxTerms = 3
	// tenth is the smallest part of a millisecond that is printed. What rounds to
	// nothing is left out of the tables of one frame.
	tenth = trace.Millisecond / 10
)

// component names a wait in a stage.
func component(stage why.Stage, wait why.Wait) string {
	name := causetext.WaitTitle(wait)
	if stage != why.NoStage {
		name += " (" + causetext.Stage(stage) + ")"
	}
	return name
}

// Component is the time of a frame in a stage and wait beside what is usual. Cost is the
// share that is printed.
type Component struct {
	Stage                      why.Stage
	Wait                       why.Wait
	Value, Usual, Excess, Cost trace.Duration
}

// Components returns where the time of a late frame went, and what is usual there but
// did not occur.
func Components(e *why.Explanation, sum *Sum) []Component {
	type id struct {
		stage why.Stage
		wait  why.Wait
	}
	var list []Component
	at := map[id]int{}
	of := func(stage why.Stage, wait why.Wait) *Component {
		i, ok := at[id{stage, wait}]
		if !ok {
			i = len(list)
			at[id{stage, wait}] = i
			list = append(list, Component{Stage: stage, Wait: wait})
		}
		return &list[i]
	}
	for _, p := range e.Parts {
		of(p.Stage, p.Wait).Value = p.Time
	}
	for _, p := range e.Usual {
		of(p.Stage, p.Wait).Usual = p.Time
	}
	for i, s := range e.Shares {
		c := of(s.Stage, s.Wait)
		c.Cost = sum.Shares[i]
		if len(e.Usual) == 0 { // a converted trace has only what is usual for the causes
			c.Usual = s.Usual
		}
		if s.Stage == why.NoStage { // a sum over components that are listed
			c.Value, c.Usual = 0, 0
		}
	}
	for i := range list {
		if c := &list[i]; len(e.Usual) > 0 || c.Cost > 0 {
			c.Excess = max(0, c.Value-c.Usual)
		}
	}
	slices.SortStableFunc(list, func(a, b Component) int {
		return cmp.Or(cmp.Compare(noStageLast(a.Stage), noStageLast(b.Stage)), cmp.Compare(a.Wait, b.Wait))
	})
	return list
}

// noStageLast orders stages, with causes of several stages at the end.
func noStageLast(s why.Stage) int { return (int(s) + why.StageCount - 1) % why.StageCount }

func (t *textWriter) components(e *why.Explanation, total *Sum) {
	columns := []string{"Stage", "Wait", "ms →", "Usual →", "Excess →", "Share →", " →"}
	if e.Overrun == 0 {
		columns = columns[:3]
	}
	g := text.NewTable(t.Ink, columns...)
	g.Wrap(0, 20)
	g.Wrap(1, 32)
	var usual trace.Duration
	list := Components(e, total)
	shares := percents(list, total.Overrun)
	for i, c := range list {
		stage, share := causetext.Stage(c.Stage), ""
		if c.Stage == why.NoStage {
			stage = "several"
		}
		if c.Cost > 0 {
			share = shares[i]
		}
		usual += c.Usual
		if max(c.Value, c.Usual, c.Cost) < tenth/2 {
			continue
		}
		excess := c.Excess
		if excess > 0 { // so that it is the difference of the printed times
			excess = text.Tenths(c.Value) - text.Tenths(c.Usual)
		}
		row := text.Row{stage, causetext.Wait(c.Wait), number(c.Value), number(c.Usual), number(excess), number(c.Cost), share}
		if e.Overrun == 0 {
			row = row[:3]
		}
		g.AppendRow(row)
	}
	sum := text.Row{"sum", "", text.Milliseconds(total.Length)}
	if e.Overrun > 0 {
		sum = append(sum, number(usual), "", text.Milliseconds(total.Overrun), "")
	}
	g.AppendRow(sum)
	fmt.Fprintln(t, g.Render())
	fmt.Fprintln(t)
}

// Thread is what a thread did while a frame's thread waited for it.
type Thread struct {
	*why.Culprit
	// Waited is what the frame's thread waited for, and At when it first did, since
	// the frame's Start.
	Waited why.Wait
	At     trace.Duration
	Time   trace.Duration
}

// Threads returns the n threads that a late frame waited for the longest, in order of
// time.
func Threads(e *why.Explanation, n int) []*Thread {
	type id struct {
		waited, wait why.Wait
		tid          trace.TID
		slice        string
	}
	var list []*Thread
	at := map[id]*Thread{}
	for i := range e.Pieces {
		p := &e.Pieces[i]
		if p.Wait == why.WaitVsync {
			continue
		}
		for j := range p.Others {
			a := &p.Others[j]
			k := id{p.Wait, a.Wait, a.TID, a.Slice}
			if at[k] == nil {
				at[k] = &Thread{Culprit: &a.Culprit, Waited: p.Wait, At: a.Start.Sub(e.Start)}
				list = append(list, at[k])
			}
			at[k].Time += a.End.Sub(a.Start)
		}
	}
	list = slices.DeleteFunc(list, func(t *Thread) bool { return t.Time < tenth/2 })
	slices.SortStableFunc(list, func(a, b *Thread) int { return cmp.Compare(b.Time, a.Time) })
	list = list[:min(n, len(list))]
	slices.SortStableFunc(list, func(a, b *Thread) int { return cmp.Compare(a.At, b.At) })
	return list
}

func (t *textWriter) threads(e *why.Explanation) {
	list := Threads(e, maxThreads)
	if len(list) == 0 {
		return
	}
	g := text.NewTable(t.Ink, "At ms →", "Waited for thread", "ms →", "It was", "Slice")
	names, waits := 0, 0
	for _, c := range list {
		names = max(names, text.Width(text.Printable(causetext.Culprit(c.Culprit))))
		waits = max(waits, text.Width(causetext.Wait(c.Wait)))
	}
	names, waits = min(names, 32), min(waits, 24)
	// The slice has what is left of a line: the other columns and the gaps have up to 24 cells.
	for column, width := range map[int]int{1: names, 3: waits, 4: t.Width - 24 - names - waits} {
		g.Wrap(column, width)
	}
	for _, c := range list {
		g.AppendRow(text.Row{text.Milliseconds(c.At), text.Printable(causetext.Culprit(c.Culprit)), text.Milliseconds(c.Time), causetext.Wait(c.Wait), text.Printable(c.Slice)})
	}
	t.Print(g)
}

// slices writes the times in slices. What rounds to nothing, or comes after the longest, is
// one row.
func (t *textWriter) slices(e *why.Explanation) {
	shown := e.Slices[:min(maxSlices, len(e.Slices))]
	if n := slices.IndexFunc(shown, func(s why.SliceTime) bool { return s.Self() < tenth/2 }); n >= 0 {
		shown = shown[:n]
	}
	if len(shown) == 0 {
		return
	}
	g := text.NewTable(t.Ink, "Slice, without those inside", "ms →", "Running →", "Waiting →", "Unknown →")
	g.Wrap(0, 56)
	row := func(s *why.SliceTime) {
		g.AppendRow(text.Row{text.Printable(s.Slice), text.Milliseconds(s.Self()), number(s.Running), number(s.Waiting), number(s.Unknown)})
	}
	for i := range shown {
		row(&shown[i])
	}
	rest := e.Slices[len(shown):]
	others := why.SliceTime{Slice: text.Count(len(rest), "other slice")}
	for _, s := range rest {
		others.Running += s.Running
		others.Waiting += s.Waiting
		others.Unknown += s.Unknown
	}
	if others.Self() >= tenth/2 {
		row(&others)
	}
	t.Print(g)
}

// number formats a time in milliseconds; nothing for what rounds to zero.
func number(d trace.Duration) string {
	if d < tenth/2 {
		return ""
	}
	return text.Milliseconds(d)
}

// processName returns the name of a process for people.
func processName(name string) string { return text.Process(&stats.Process{Name: name}) }

// percents returns the costs as shares of their sum, without decimals. Those with the largest
// remainders are rounded up, so that the shares add up to 100 %.
func percents(list []Component, sum trace.Duration) []string {
	shares := make([]why.Share, len(list))
	for i := range list {
		shares[i].Share = trace.Duration(100 * float64(tenth) * float64(list[i].Cost) / float64(max(sum, 1)))
	}
	var texts []string
	for i, p := range round(shares, 100*tenth) {
		part, whole := p/tenth, trace.Duration(100)
		if cost := list[i].Cost; part == 0 || part == whole {
			part, whole = cost, sum // Percent marks shares that only round to 0 or 100 %
		}
		texts = append(texts, text.Percent(part, whole))
	}
	return texts
}
