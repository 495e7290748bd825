package fleet

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/diag"
	"ohframe/internal/diff"
	"ohframe/internal/text"
)

// Outcome is the result of a condition for a group of the base dataset.
type Outcome struct {
	condition.Check
	By  []string
	Key []*string // nil if the condition is on no group
	// Change is what the condition is on; nil if the group is missing.
	Change *condition.Change
}

// tableOfCondition returns the table that a condition is on.
func tableOfCondition(limit *condition.Condition) table {
	switch {
	case limit.OfInteractions():
		return ofInteractions
	case limit.OfLayers():
		return ofLayers
	}
	return ofFrames
}

// measureOf returns the compared measure of a condition; empty if it is not compared.
func measureOf(limit *condition.Condition) string {
	list, name := stats.Measures, limit.Measure
	switch {
	case limit.OfInteractions():
		list, name = stats.InteractionMeasures, limit.PartMeasure()
	case limit.OfLayers():
		list, name = stats.LayerMeasures, limit.PartMeasure()
	}
	if m := list.Named(name); m != nil {
		return tableOfCondition(limit).ofGroups(m)
	}
	return ""
}

// checkCondition returns an error if groups by these dimensions cannot be compared by a condition.
func checkCondition(limit *condition.Condition, by []string) error {
	t := tableOfCondition(limit)
	switch {
	case limit.Process != "" && !slices.Contains(t.like(by), "process"):
		return &diag.Error{What: fmt.Sprintf("--fail-on: %s: the groups are not those of processes", limit.Process), Hint: "--by process, or --process"}
	case measureOf(limit) != "":
		return nil
	}
	names := slices.Clone(compared[t])
	switch t {
	case ofInteractions:
		names = nil
		for i := range stats.InteractionMeasures {
			if m := &stats.InteractionMeasures[i]; t.ofGroups(m) != "" {
				names = append(names, m.Name)
			}
		}
	case ofLayers:
		for i, field := range names {
			names[i] = stats.LayerMeasures.At(field).Name
		}
	}
	return &diag.Error{What: fmt.Sprintf("--fail-on: %s is not compared", limit.Measure), Hint: "fleets compare " + strings.Join(names, ", ") + " of " + t.name()}
}

// judge checks the conditions, as ohframe diff does.
func (c *Comparison) judge(o CompareOptions) {
	var changes []*condition.Change
	for i := range o.FailOn {
		limit := &o.FailOn[i]
		x := c.Tables[slices.IndexFunc(c.Tables, func(x *TableComparison) bool { return x.table == tableOfCondition(limit) })]
		add := func(key []*string, change *condition.Change, why string) {
			c.Outcomes = append(c.Outcomes, Outcome{condition.Check{Process: x.name(limit, key), Condition: limit.String(), Status: condition.Unknown, Text: why, File: limit.File, Line: limit.Line}, x.By, key, change})
		}
		selected := false
		for _, p := range x.Pairs {
			if !x.selects(limit, p) {
				continue
			}
			selected = true
			m := p.Changes[slices.Index(x.measures, measureOf(limit))]
			changes = append(changes, m.Change(limit))
			add(p.Key, changes[len(changes)-1], c.whyUnknown(x, p, m))
		}
		for _, p := range x.OnlyBase {
			if x.selects(limit, p) {
				selected = true
				add(p.Key, nil, "the group is not in the new dataset")
			}
		}
		if !selected {
			add(nil, nil, x.whyNone(limit))
		}
	}
	condition.Decide(changes, o.Any)
	for i := range c.Outcomes {
		c.Outcomes[i].SetResult(c.Outcomes[i].Change)
	}
}

// selects reports whether a condition is on a group.
func (x *TableComparison) selects(c *condition.Condition, p *Pair) bool {
	switch x.table {
	case ofInteractions:
		return slices.ContainsFunc(x.interactions(p), c.SelectsInteraction)
	case ofLayers:
		return slices.ContainsFunc(x.layers(p), c.SelectsLayer)
	}
	return c.Selects(x.process(p))
}

// value returns the value of a dimension of a group; empty if it is unknown.
func (x *TableComparison) value(p *Pair, dim string) string {
	if i := slices.Index(x.By, dim); i >= 0 && p.Key[i] != nil {
		return *p.Key[i]
	}
	return ""
}

// process, interactions and layers return what a group is of, for conditions.
func (x *TableComparison) process(p *Pair) *stats.Process {
	return &stats.Process{PID: trace.UnknownPID, Name: x.value(p, "process")}
}

func (x *TableComparison) interactions(p *Pair) (list []*stats.Interaction) {
	for _, rows := range p.rows {
		for of := range rows.of {
			i := &stats.Interaction{Kind: string(of.kind), Scene: x.value(p, sceneDim), Process: x.value(p, "process"), PID: trace.UnknownPID}
			if of.input != "" {
				i.Input = &of.input
			}
			list = append(list, i)
		}
	}
	return list
}

func (x *TableComparison) layers(p *Pair) (list []*stats.Layer) {
	for _, rows := range p.rows {
		for of := range rows.of {
			name := x.value(p, layerDim)
			l := &stats.Layer{Name: name, Source: &analyzer.Layer{Name: name}}
			if process := x.value(p, "process"); process != "" {
				l.Process = &process
			}
			if of.cadence {
				l.Cadence = new(float64)
			}
			list = append(list, l)
		}
	}
	return list
}

// whyNone returns why a condition is on no group.
func (x *TableComparison) whyNone(c *condition.Condition) string {
	if slices.ContainsFunc(x.OnlyNew, func(p *Pair) bool { return x.selects(c, p) }) {
		return "the group is not in the base dataset"
	}
	var processes []*stats.Process
	var interactions []*stats.Interaction
	var layers []*stats.Layer
	for _, p := range slices.Concat(x.Pairs, x.OnlyBase, x.OnlyNew) {
		processes = append(processes, x.process(p))
		interactions, layers = append(interactions, x.interactions(p)...), append(layers, x.layers(p)...)
	}
	switch {
	case len(processes) == 0:
		return "no " + x.table.name()
	case !c.Selects(processes...):
		return "no such process in the datasets"
	case x.table == ofLayers:
		return c.NoLayer(layers, true)
	}
	return c.NoInteraction(interactions, true)
}

// name names a group that a condition is on.
func (x *TableComparison) name(c *condition.Condition, key []*string) string {
	if key == nil {
		return text.Printable(c.Process)
	}
	return groupText(key)
}

// whyUnknown returns why a condition cannot be checked.
func (c *Comparison) whyUnknown(x *TableComparison, p *Pair, change *diff.Measure) string {
	if why := change.UnknownSide("dataset"); why != "" {
		return why
	}
	if min(p.Units[0], p.Units[1]) < minUnits {
		return "too few to test: " + c.tooFew(p) + "; --fail-on-any compares the values"
	}
	_, noun := x.table.counts()
	return fmt.Sprintf("each dataset needs %d %ss with %d %ss; --fail-on-any compares the values", minUnits, c.Unit, stats.MinFrames(change.Name), noun)
}

// tooFew says how many units a pair has and needs.
func (c *Comparison) tooFew(p *Pair) string {
	return fmt.Sprintf("%s and %s, each dataset needs %d", text.Count(p.Units[0], c.Unit), text.Count(p.Units[1], c.Unit), minUnits)
}

// Checks returns the checks of Outcomes, and one for each dataset without all shards: conditions
// on it cannot be checked.
func (c *Comparison) Checks() (list []condition.Check) {
	for _, o := range c.Outcomes {
		list = append(list, o.Check)
	}
	for _, d := range []*Dataset{c.Base, c.New} {
		for _, warning := range d.Warnings() {
			if len(c.Outcomes) > 0 {
				list = append(list, condition.Check{Input: text.Printable(d.Dir), Condition: "all shards", Status: condition.Unknown, Text: warning})
			}
		}
	}
	return list
}
