package diff

import (
	"fmt"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// Outcome is the result of a condition for a pair, for a process that is missing in the
// new trace, or for no process if the condition selects none.
type Outcome struct {
	condition.Check
	Pair    *Pair // nil without a pair
	Measure string
	// Reason is why the status is unknown, otherwise empty.
	Reason string
}

// checkConditions computes Outcomes.
func (d *Diff) checkConditions(o Options) {
	add := func(c *condition.Condition, p *Pair, process string, status condition.Status, text string) {
		out := Outcome{Pair: p, Measure: c.Measure, Check: condition.Check{
			Process: process, Condition: c.String(), Status: status, Text: text, File: c.File, Line: c.Line,
		}}
		if status == condition.Unknown {
			out.Reason = text
		}
		d.Outcomes = append(d.Outcomes, out)
	}
	for _, p := range d.Pairs {
		for i := range o.FailOn {
			c := &o.FailOn[i]
			if !c.Selects(p.Base, p.New) {
				continue
			}
			m := p.measure(c.Measure)
			change := condition.Change{Base: m.Base, New: m.New, Delta: m.Delta, Low: m.Low, High: m.High}
			if status := c.CheckChange(change, o.Any); status == condition.Unknown {
				add(c, p, p.title(), status, p.whyUnknown(m))
			} else {
				add(c, p, p.title(), status, c.DescribeChange(change, o.Any))
			}
		}
	}
	for _, p := range d.OnlyBase {
		for i := range o.FailOn {
			if c := &o.FailOn[i]; hasFrames(p) && c.Selects(p) {
				add(c, nil, text.Process(p), condition.Unknown, "the process is not in the new trace")
			}
		}
	}
	all := slices.Concat(d.Base.Stats.Processes, d.New.Stats.Processes)
	for i := range o.FailOn {
		if c := &o.FailOn[i]; !c.Selects(all...) {
			add(c, nil, text.Printable(c.Process), condition.Unknown, condition.NoSuchProcess(all))
		}
	}
}

// tooFew is the reason why a measure is unknown or not tested.
func tooFew(measure string) string {
	return fmt.Sprintf("too few frames: each run needs %d", stats.MinFrames(measure))
}

// whyUnknown returns why a condition on a measure of the pair cannot be checked.
func (p *Pair) whyUnknown(m *Measure) string {
	_, _, ofCauses := condition.CauseMeasure(m.Name)
	switch {
	case (m.Base == nil || m.New == nil) && (m.Name == "p95_ms" || m.Name == "p99_ms"):
		return tooFew(m.Name)
	case ofCauses && p.causesDiffer:
		return "only some traces have scheduling events of the threads"
	case m.Base == nil && m.New == nil:
		return "unknown in both traces"
	case m.Base == nil:
		return "unknown in the base trace"
	case m.New == nil:
		return "unknown in the new trace"
	case ofCauses:
		return "fewer than three runs on a side; --fail-on-any compares the values"
	case !isTested(m.Name):
		return "not tested for significance; --fail-on-any compares the values"
	case !slices.Contains(p.testable(), m.Name):
		return "not comparable, the refresh rates differ; --fail-on-any compares the values"
	}
	return tooFew(m.Name)
}

// Checks returns the checks of Outcomes.
func (d *Diff) Checks() (list []condition.Check) {
	for _, o := range d.Outcomes {
		list = append(list, o.Check)
	}
	return list
}
