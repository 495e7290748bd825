package diff

import (
	"fmt"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// conditionOutcome is the result of a condition for a pair, for what is missing in the new trace, or
// for nothing if the condition selects nothing.
type conditionOutcome struct {
	condition.Check
	// Pair is that of a condition on processes, Group that of one on interactions or layers; nil if it is missing.
	Pair    *Pair
	Group   *Group
	Measure string
	// Reason is why the status is unknown, otherwise empty.
	Reason string
	// Change is what the condition is on; nil if it is missing.
	Change *condition.Change

	of *condition.Condition
}

// checkConditions computes Outcomes. The conditions are a family of tests of their own.
func (d *Diff) checkConditions(o Options) {
	d.findOutcomes(o)
	var changes []*condition.Change
	for i := range d.Outcomes {
		if out := &d.Outcomes[i]; out.Change != nil {
			changes = append(changes, out.Change)
		}
	}
	condition.Decide(changes)
	for i := range d.Outcomes {
		out := &d.Outcomes[i]
		if out.SetResult(out.Change); out.Status != condition.Unknown {
			out.Reason = ""
		}
	}
}

// change returns a condition on the measure.
func (m *Measure) change(c *condition.Condition) *condition.Change {
	of := *c
	of.Unit = m.Unit // which is known of own measures only now
	return &condition.Change{
		Condition: &of, Base: m.Base, New: m.New, Delta: m.Delta, Series: m.series, Advice: m.advice,
	}
}

// findOutcomes finds what conditions are on. Each has an outcome: without one it would pass.
func (d *Diff) findOutcomes(o Options) {
	var onProcesses []*condition.Condition
	for i := range o.FailOn {
		if c := &o.FailOn[i]; c.On() == condition.Frames {
			onProcesses = append(onProcesses, c)
		}
	}
	if !d.haveFrames() {
		for _, c := range onProcesses {
			d.unknown(c, text.Printable(c.Process), "no process has complete frames in both traces")
		}
		onProcesses = nil
	}
	for _, p := range d.Pairs {
		for _, c := range onProcesses {
			if c.Applies(p.Base, p.New) && !d.background(c, p) {
				m := p.measure(c.Measure)
				d.check(c, m, p.whyUnknown(d, m), conditionOutcome{Pair: p, Check: condition.Check{Process: p.title()}})
			}
		}
	}
	for _, p := range d.OnlyBase {
		for _, c := range onProcesses {
			if hasFrames(p) && c.Selects(p) {
				d.unknown(c, text.Process(p), "the process is not in the new trace")
			}
		}
	}
	for _, p := range d.OnlyNew {
		for _, c := range onProcesses {
			if c.Applies(p) && (c.Process != "" || !hasFrames(p)) {
				d.unknown(c, text.Process(p), "the process is not in the base trace")
			}
		}
	}
	d.checkNames(onProcesses, o)
	for _, c := range onProcesses {
		if d.anyPair(c.Selects) && !d.anyPair(c.Applies) {
			d.unknown(c, text.Printable(c.Process), c.NoneApplies(slices.Concat(d.Base.Stats.Processes, d.New.Stats.Processes)...))
		}
	}
	for _, groups := range d.groups() {
		for i := range o.FailOn {
			if c := &o.FailOn[i]; c.On() == groups.kind.on && !d.checkGroups(c, groups) {
				d.notSelected(c, groups, o)
			}
		}
	}
	for i := range o.FailOn {
		c := &o.FailOn[i]
		if !slices.ContainsFunc(d.Outcomes, func(out conditionOutcome) bool { return out.of == c }) {
			d.unknown(c, text.Printable(c.Process), "not in both traces")
		}
	}
}

// checkNames finds the conditions whose process no frames have, or is not selected.
func (d *Diff) checkNames(list []*condition.Condition, o Options) {
	all := slices.Concat(d.Base.Stats.Processes, d.New.Stats.Processes)
	for _, c := range list {
		switch {
		case !c.Selects(all...):
			d.unknown(c, text.Printable(c.Process), condition.NoSuchProcess(all))
		case !c.Selects(o.wanted(all)...):
			d.unknown(c, text.Printable(c.Process), condition.NotSelected)
		}
	}
}

// background reports whether a condition is not on a process because it draws too little in all
// runs of both sides, as applications in the background do. A condition that names a process, or
// that is on such processes only, is on them.
func (d *Diff) background(c *condition.Condition, p *Pair) bool {
	return c.Process == "" && d.enoughUnits() && p.tooFewFrames(c.Measure) &&
		slices.ContainsFunc(d.Pairs, func(p *Pair) bool { return c.Applies(p.Base, p.New) && !p.tooFewFrames(c.Measure) })
}

// tooFewFrames reports whether no run of either side has enough frames for a tested measure.
func (p *Pair) tooFewFrames(measure string) bool {
	m := stats.Measures.Named(measure)
	enough := func(run *stats.Process) bool { return run != nil && run.Enough(m) }
	return slices.Contains(p.testable(), measure) && !slices.ContainsFunc(p.base, enough) && !slices.ContainsFunc(p.new, enough)
}

// anyPair reports whether a condition selects a compared process, or applies to one.
func (d *Diff) anyPair(by func(...*stats.Process) bool) bool {
	return slices.ContainsFunc(d.Pairs, func(p *Pair) bool { return by(p.Base, p.New) })
}

// checkGroups checks a condition on a measure of groups, and reports whether it is on any.
func (d *Diff) checkGroups(c *condition.Condition, groups *Groups) (selected bool) {
	for _, g := range groups.Both {
		if !g.selects(c) {
			continue
		}
		selected = true
		m := g.measure(c.PartMeasure())
		d.check(c, m, g.whyUnknown(d, m), conditionOutcome{Group: g, Check: condition.Check{Process: g.fullTitle()}})
	}
	for _, g := range groups.OnlyBase {
		if g.selects(c) {
			selected = true
			d.unknown(c, g.fullTitle(), "the new trace has no such "+groups.kind.noun)
		}
	}
	return selected
}

// wanted returns the processes of a list that Options.Process selects.
func (o Options) wanted(list []*stats.Process) []*stats.Process {
	return slices.DeleteFunc(slices.Clone(list), func(p *stats.Process) bool { return !o.wants(p) })
}

// notSelected adds why a condition is on none of the compared groups.
func (d *Diff) notSelected(c *condition.Condition, groups *Groups, o Options) {
	items := d.items()
	all := slices.Concat(d.Base.Stats.Processes, d.New.Stats.Processes, condition.Processes(items))
	why := ""
	switch {
	case !c.Selects(all...):
		why = condition.NoSuchProcess(all)
	case !c.Selects(o.wanted(all)...):
		why = condition.NotSelected
	case slices.ContainsFunc(groups.OnlyNew, func(g *Group) bool { return g.selects(c) }):
		why = "the base trace has no such " + groups.kind.noun
	default:
		why = c.None(items, true)
	}
	d.unknown(c, text.Printable(c.Process), why)
}

// items returns the interactions, layers and own measures of both sides.
func (d *Diff) items() *stats.Report {
	all := &stats.Report{}
	for _, run := range slices.Concat(d.Base.all(), d.New.all()) {
		r := run.Stats
		all.Interactions, all.Layers, all.Own = append(all.Interactions, r.Interactions...), append(all.Layers, r.Layers...), append(all.Own, ownKind.items(r)...)
	}
	return all
}

// check adds the outcome of a condition on a measure. out says what it is about, why why it cannot be
// checked if that turns out.
func (d *Diff) check(c *condition.Condition, m *Measure, why string, out conditionOutcome) {
	out.Change = m.change(c)
	out.Status, out.Reason, out.Text = condition.Unknown, why, why
	d.add(c, out)
}

// unknown adds the outcome of a condition that cannot be checked.
func (d *Diff) unknown(c *condition.Condition, process, why string) {
	d.add(c, conditionOutcome{Reason: why, Check: condition.Check{Process: process, Status: condition.Unknown, Text: why}})
}

func (d *Diff) add(c *condition.Condition, out conditionOutcome) {
	out.of, out.Measure, out.Condition, out.File, out.Line = c, c.Measure, c.String(), c.File, c.Line
	d.Outcomes = append(d.Outcomes, out)
}

// unknownSide says on which side the measure is unknown; empty if it is known. noun is what a side is.
func (m *Measure) unknownSide(noun string) string {
	switch {
	case m.Base == nil && m.New == nil:
		return "unknown in both " + noun + "s"
	case m.Base == nil:
		return "unknown in the base " + noun
	case m.New == nil:
		return "unknown in the new " + noun
	}
	return ""
}

// whyUnknown returns why a condition on a measure of the pair cannot be checked.
func (p *Pair) whyUnknown(d *Diff, m *Measure) string {
	_, _, ofCauses := condition.CauseMeasure(m.Name)
	switch {
	case m.incomparable == rulesDiffer:
		return rulesDiffer
	case ofCauses && p.causesDiffer:
		return "only some traces have scheduling events of the threads"
	case d.enoughUnits() && slices.Contains(p.testable(), m.Name) && !m.unknownOf(m.Base, p.base) && !m.unknownOf(m.New, p.new):
		return tooFew(m.Name)
	}
	return d.whyNotChecked(m)
}

// unknownOf reports whether the value of a side is unknown, although a run has enough frames.
func (m *Measure) unknownOf(value *float64, runs []*stats.Process) bool {
	return value == nil && slices.ContainsFunc(runs, func(run *stats.Process) bool { return run != nil && frames(run) >= m.definition.Least })
}

// tooFew is the reason why a tested measure of a process is not tested.
func tooFew(measure string) string {
	return fmt.Sprintf("too few frames: each run needs %d", stats.MinFrames(measure))
}

// whyNotChecked returns why a condition on a measure cannot be checked.
func (d *Diff) whyNotChecked(m *Measure) string {
	why := m.unknownSide("trace")
	switch {
	case why != "":
		return why
	case m.incomparable == unitsDiffer:
		return unitsDiffer
	case d.oneRunEach():
		return "cannot be checked with one run each"
	case !d.enoughUnits():
		return "cannot be checked with " + d.tooFew()
	case m.incomparable != "":
		return m.incomparable
	}
	return "too few " + d.unit + "s have a value"
}

// Checks returns the checks of Outcomes.
func (d *Diff) Checks() (list []condition.Check) {
	for _, o := range d.Outcomes {
		list = append(list, o.Check)
	}
	return list
}
