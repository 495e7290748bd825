package causes

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/brief"
)

// The lengths of lists before the document is fitted.
const (
	maxAnswers  = brief.MaxAnswers
	maxWorst    = 5 // frames, buffers, slices
	longAnswers = 2 // by how many fewer elements the lists of processes after the first have
)

// cutters returns the lists of the document, the least important first. What the question is about
// keeps an element, and so do the process and the cause that lost the most.
func (d *evidence) cutters() (list []brief.Cutter) {
	ofFrames := func(frames []*evidenceFrame) {
		for _, f := range frames {
			list = append(list, brief.Shorten(&f.LeftOut, "slices", &f.Slices, 0), brief.Shorten(&f.LeftOut, "functions", &f.Functions, 0), brief.Shorten(&f.LeftOut, "waited_for", &f.Threads, 0), brief.Shorten(&f.LeftOut, "instances", &f.Instances, 0))
		}
	}
	for i, p := range slices.Backward(d.Processes) {
		ofFrames(p.LateFrames)
		start := len(list)
		list = append(list,
			brief.Shorten(&p.LeftOut, "functions", &p.Functions, 0), brief.Shorten(&p.LeftOut, "picked_up_late", &p.PickedUp, 0),
			brief.Shorten(&p.LeftOut, "shown_late", &p.ShownLate, 0), brief.Shorten(&p.LeftOut, "late_frames", &p.LateFrames, 0))
		for _, c := range slices.Backward(slices.Concat(p.Causes, p.ShownCauses)) {
			list = append(list, brief.Shorten(&c.LeftOut, "arguments", &c.Arguments, 0), brief.Shorten(&c.LeftOut, "against", &c.Against, 1))
		}
		list = append(list, brief.Shorten(&p.LeftOut, "refresh", &p.Refresh, 0), brief.Shorten(&p.LeftOut, "shown_causes", &p.ShownCauses, 1), brief.Shorten(&p.LeftOut, "causes", &p.Causes, 1), brief.Shorten(&p.LeftOut, "against", &p.Against, 1))
		if i > 0 {
			for k := start; k < len(list); k++ {
				list[k] = list[k].Fewer(longAnswers)
			}
		}
	}
	for _, h := range slices.Backward(d.Hangs) {
		list = append(list, brief.Shorten(&h.LeftOut, "slices", &h.Slices, 0), brief.Shorten(&h.LeftOut, "path", &h.Path, 0))
	}
	for _, l := range slices.Backward(d.Layers) {
		list = append(list, brief.Shorten(&l.LeftOut, "buffers", &l.Buffers, 0), brief.Shorten(&l.LeftOut, "causes", &l.Causes, 1))
		list = append(list, brief.Shorten(&l.LeftOut, "cadences", &l.Cadences, 0), brief.Shorten(&l.LeftOut, "drops", &l.Drops, 1))
	}
	for _, i := range slices.Backward(d.Interactions) {
		list = append(list, brief.Shorten(&i.LeftOut, "steps", &i.Steps, 1), brief.Shorten(&i.LeftOut, "against", &i.Against, 0))
	}
	for _, s := range slices.Backward(d.Stacks) {
		list = append(list, brief.Shorten(&s.LeftOut, "path", &s.Path, 1), brief.Shorten(&s.LeftOut, "functions", &s.Functions, 1))
	}
	layers, interactions, stacks := 0, 0, 0
	if len(d.Processes) == 0 {
		stacks = 1
	}
	if d.about.Layer != nil {
		layers = 1
	}
	if d.about.Interaction != nil {
		interactions = 1
	}
	return append(list,
		brief.Shorten(&d.LeftOut, "stacks", &d.Stacks, stacks), brief.Shorten(&d.LeftOut, "hangs", &d.Hangs, 0), brief.Shorten(&d.LeftOut, "layers", &d.Layers, layers), brief.Shorten(&d.LeftOut, "interactions", &d.Interactions, interactions),
		brief.Shorten(&d.LeftOut, "processes", &d.Processes, 1-layers), brief.Shorten(&d.LeftOut, "inputs", &d.Inputs, 1),
		brief.Shorten(&d.LeftOut, "record", &d.Record, 1), brief.Shorten(&d.LeftOut, "against", &d.Against, 1))
}

// latest returns a copy of a list of frames, sorted by how late they are, the latest first.
func latest(list []located, late func(*why.Explanation) trace.Duration) []located {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b located) int { return cmp.Compare(late(b.Explanation), late(a.Explanation)) })
	return list
}
