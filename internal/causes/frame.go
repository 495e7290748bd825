package causes

import (
	"cmp"
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

const (
	maxThreads = 8
	maxSlices  = 20
	maxShares  = 8
)

// frameBlocks returns all that is known about the frames with Options.Vsync: the latest one
// first.
func (p *ExplainedProcess) frameBlocks(in *Input, page bool) (blocks []view.Block) {
	list := slices.Clone(p.Late)
	slices.SortStableFunc(list, later(overrun))
	for _, e := range list {
		name := fmt.Sprintf("Frame %d", e.Frame.VsyncID)
		if len(list) > 1 {
			name += fmt.Sprintf(" of thread %d at +%s ms", e.Frame.TID, text.Milliseconds(e.Frame.Actual.Start.Sub(in.Start)))
		}
		blocks = append(blocks, frame(in.Causes, e, name, page))
	}
	return blocks
}

func frame(c *why.Causes, e *why.Explanation, name string, page bool) view.Section {
	sum := newSum(e)
	s := view.Section{Title: name + " " + frameTitle(sum, e)}
	add := func(line string) {
		if line != "" {
			s.Blocks = append(s.Blocks, view.Note{Text: text.Line(line)})
		}
	}
	if e.Late() {
		if page {
			list := view.Cases{Key: "Frame", Amount: "Late", Text: "Cause", List: []view.Case{{Key: text.Vsync(e.Frame.VsyncID), Amount: overrunText(e.Frame), Text: text.Line(Sentence(c, e, e.PlacesOnly())), Open: true}}}
			draw(&list, []*why.Explanation{e}, e.PlacesOnly())
			s.Blocks = append(s.Blocks, list)
		} else {
			add(Sentence(c, e, e.PlacesOnly()))
		}
	}
	numbers := []view.Block{components(e, sum), threads(e), sliceTable(e.Slices, maxSlices)}
	if e.Late() && page { // its lanes have the sums, and show the rest
		numbers = []view.Block{view.Fold{Title: "Stages, threads and slices in numbers", Blocks: numbers}}
	} else {
		add(sum.span())
		add(sum.waterfall(e))
	}
	s.Blocks = append(s.Blocks, frameFunctions(e), view.Page(flame(e)), sharesTable(e))
	s.Blocks = append(append(s.Blocks, numbers...), instancesTable(e))
	if e.Shown != nil {
		s.Blocks = append(s.Blocks, shownBlocks(c, e)...)
	}
	if reason := causetext.NotBegun(c, e); reason != "" {
		add(reason)
	}
	if reason := causetext.PickUp(c, e); reason != "" {
		add(fmt.Sprintf("picked up %s ms late: %s", text.Milliseconds(e.PickUp.Lost), reason))
	}
	for _, l := range lateBuffers(c, e.Frame) {
		layer := l.Buffer.Layer
		add(fmt.Sprintf("its buffer of %s was shown %s ms late: %s; ohframe why --layer %d has more", layerName(layer), text.Milliseconds(l.Buffer.Overrun()), causetext.Buffer(c, l), layer.ID))
	}
	return s
}

// frameTitle says how long a frame took, and by how much it was late.
func frameTitle(sum *sum, e *why.Explanation) string {
	took := "took " + text.AtLeast(sum.Took, unfinished(e.Frame)) + " ms and was "
	switch j := e.Frame.Judgement(); {
	case j.Late == analyzer.NotSaid:
		return took + "not judged"
	case j.Late == analyzer.No:
		return took + "not late"
	case !j.OverrunKnown:
		return took + "late, by how much is unknown"
	case j.AtLeast:
		return took + "at least " + text.Milliseconds(sum.Overrun) + " ms late"
	}
	return took + text.Milliseconds(sum.Overrun) + " ms late"
}

// unfinished reports whether the trace has only a part of a late frame.
func unfinished(f *analyzer.Frame) bool { return f.Facts.Has(analyzer.Unfinished) }

// sharesTable returns the causes of a late frame, if they are several: each with its part of the time by which
// the frame was late, and by how much less it would be late without that cause.
func sharesTable(e *why.Explanation) view.Table {
	table := view.Table{Label: "Causes", Cards: true, Columns: []view.Column{{Title: "Cause"}, {Title: "ms", Number: true}, {Title: "Usual", Number: true}, {Title: "Cost", Number: true}, {Title: "Gain", Number: true}}}
	if len(e.Shares) < 2 {
		return table
	}
	for i := range e.Shares {
		if s := &e.Shares[i]; i < maxShares && s.Missing == why.NothingMissing {
			table.Rows = append(table.Rows, row(text.Printable(causetext.Title(s)), number(s.Value), number(s.Usual), number(s.Share), number(s.Gain)))
		}
	}
	if n := len(e.Shares) - maxShares; n > 0 {
		table.More = "… and " + text.Count(n, "other cause")
	}
	return table
}

// instancesTable returns the slices of the causes of a frame that have arguments.
func instancesTable(e *why.Explanation) view.Table {
	table := view.Table{Label: "Arguments", Cards: true, Columns: []view.Column{{Title: "Slice of a cause"}, {Title: "ms", Number: true}, {Title: "Arguments"}}}
	shares := e.Shares
	if e.Shown != nil {
		shares = slices.Concat(shares, e.Shown.Shares)
	}
	others := 0
	for i := range shares {
		if n := len(shares[i].Instances); n > 0 {
			others += max(0, shares[i].Calls-n)
		}
		for _, x := range shares[i].Instances {
			table.Rows = append(table.Rows, row(text.Printable(text.Function(shares[i].Slice)), text.Milliseconds(x.Time), text.Printable(causetext.Arguments(x.Arguments))))
		}
	}
	if others > 0 {
		table.More = "… and " + text.Count(others, "other slice")
	}
	return table
}

// lateBuffers returns those of the late buffers with reasons that a frame drew, in order.
func lateBuffers(c *why.Causes, f *analyzer.Frame) (list []*why.Explanation) {
	for b := range c.Buffers {
		if late := c.LateBuffer(b); late != nil && b.Frame == f {
			list = append(list, late)
		}
	}
	slices.SortFunc(list, func(a, b *why.Explanation) int {
		return cmp.Or(cmp.Compare(a.Buffer.Layer.ID, b.Buffer.Layer.ID), cmp.Compare(a.Buffer.Present, b.Buffer.Present))
	})
	return list
}

// shownBlocks returns how a render frame got to the display.
func shownBlocks(c *why.Causes, e *why.Explanation) []view.Block {
	s := e.Shown
	total := fmt.Sprintf("shown %s ms after its vsync", text.Milliseconds(s.End.Sub(e.Start)))
	if s.Lost > 0 {
		total += fmt.Sprintf(", %s ms late: %s", text.Milliseconds(s.Lost), causetext.Shown(c, e))
	}
	if s.Delay >= tenth {
		total += fmt.Sprintf("; the commit was put off by %s ms on purpose", text.Milliseconds(s.Delay))
	}
	steps := view.Table{Label: "Steps to the display", Cards: true, Columns: []view.Column{{Title: "Step"}, {Title: "ms", Number: true}, {Title: "Usual", Number: true}, {Title: "After the deadline", Number: true}}}
	for _, step := range s.Steps {
		usual := ""
		if s.Due.Known() {
			usual = number(step.Usual)
		}
		steps.Rows = append(steps.Rows, row(causetext.ShownStep(&step), number(step.Time), usual, number(step.After(e.Frame.Deadline))))
	}
	return []view.Block{view.Note{Text: text.Line(total)}, steps}
}

func row(cells ...string) view.Row {
	r := view.Row{}
	for _, c := range cells {
		r.Cells = append(r.Cells, view.Cell{Text: c})
	}
	return r
}

// stagePart is the time of a frame in a stage and wait beside what is usual. Cost is the
// share that is printed.
type stagePart struct {
	Stage                      why.Stage
	Wait                       why.Wait
	Value, Usual, Excess, Cost trace.Duration
}

// mainComponents returns where the time of a late frame went, and what is usual there but
// did not occur.
func mainComponents(e *why.Explanation, sum *sum) []stagePart {
	type id struct {
		stage why.Stage
		wait  why.Wait
	}
	var list []stagePart
	at := map[id]int{}
	of := func(stage why.Stage, wait why.Wait) *stagePart {
		i, ok := at[id{stage, wait}]
		if !ok {
			i = len(list)
			at[id{stage, wait}] = i
			list = append(list, stagePart{Stage: stage, Wait: wait})
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
		c.Cost += sum.Shares[i]
		if len(e.Usual) == 0 { // a converted trace has only what is usual for the causes
			c.Usual += s.Usual
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
	slices.SortStableFunc(list, func(a, b stagePart) int {
		return cmp.Or(cmp.Compare(noStageLast(a.Stage), noStageLast(b.Stage)), cmp.Compare(a.Wait, b.Wait))
	})
	return list
}

// noStageLast orders stages, with causes of several stages at the end.
func noStageLast(s why.Stage) int { return (int(s) + why.StageCount - 1) % why.StageCount }

func components(e *why.Explanation, total *sum) view.Table {
	table := view.Table{Label: "Where the time went", Cards: true, Columns: []view.Column{
		{Title: "Stage"}, {Title: "Wait"}, {Title: "ms", Number: true}, {Title: "Usual", Number: true}, {Title: "Excess", Number: true}, {Title: "Cost", Number: true}, {Title: "Share", Number: true},
	}}
	var usual trace.Duration
	list := mainComponents(e, total)
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
		table.Rows = append(table.Rows, row(stage, causetext.Wait(c.Wait), number(c.Value), number(c.Usual), number(excess), number(c.Cost), share))
	}
	sum := row("sum", "", text.Milliseconds(total.Length), number(usual), "", text.Milliseconds(total.Overrun), "")
	sum.Strong = true
	table.Rows = append(table.Rows, sum)
	if e.Lost == 0 {
		table.Columns = table.Columns[:3]
		for i := range table.Rows {
			table.Rows[i].Cells = table.Rows[i].Cells[:3]
		}
	}
	return table
}

func threads(e *why.Explanation) view.Table {
	table := view.Table{Label: "Threads that it waited for", Cards: true, Columns: []view.Column{
		{Title: "At ms", Number: true}, {Title: "Waited for thread"}, {Title: "ms", Number: true}, {Title: "It was"}, {Title: "Slice"},
	}}
	list, others := longestThreads(e, maxThreads)
	for _, c := range list {
		table.Rows = append(table.Rows, row(text.Milliseconds(c.At), text.Printable(causetext.Culprit(c.Culprit)), text.Milliseconds(c.Time), text.Printable(causetext.Was(c.Culprit)), text.Printable(c.Slice)))
	}
	if others > 0 {
		table.More = fmt.Sprintf("… and %s", text.Count(others, "other thread"))
	}
	return table
}

// sliceTable returns the n longest times in slices. What rounds to nothing, or comes after
// them, is one row.
func sliceTable(list []why.SliceTime, n int) view.Table {
	table := view.Table{Label: "Slices", Cards: true, Columns: []view.Column{
		{Title: "Slice, without those inside"}, {Title: "ms", Number: true}, {Title: "Running", Number: true}, {Title: "Waiting", Number: true}, {Title: "Unknown", Number: true},
	}}
	shown := list[:min(n, len(list))]
	if n := slices.IndexFunc(shown, func(s why.SliceTime) bool { return s.Self() < tenth/2 }); n >= 0 {
		shown = shown[:n]
	}
	add := func(s *why.SliceTime) {
		table.Rows = append(table.Rows, row(text.Printable(text.Function(s.Slice)), text.Milliseconds(s.Self()), number(s.Running), number(s.Waiting), number(s.Unknown)))
	}
	for i := range shown {
		add(&shown[i])
	}
	rest := list[len(shown):]
	others := why.SliceTime{Slice: text.Count(len(rest), "other slice")}
	for _, s := range rest {
		others.Running += s.Running
		others.Waiting += s.Waiting
		others.Unknown += s.Unknown
	}
	if others.Self() >= tenth/2 {
		add(&others)
	}
	return table
}
