package condition

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// part is an interaction or a layer that a condition is on.
type part struct {
	process *stats.Process // nil if unknown
	name    string         // "interaction 2 (APP_LIST_FLING)"
	value   *float64       // nil if unknown
	why     func() string  // why it is unknown; may be empty
	unit    stats.Unit     // of the value
}

// ofProcesses reports whether the condition is on processes, not on parts.
func (c *Condition) ofProcesses() bool { return !c.OfInteractions() && !c.OfLayers() && !c.OfOwn() }

// PartMeasure returns the name of the measure of a condition on interactions or layers, without
// what it is on: "fps" of "fling.fps<55".
func (c *Condition) PartMeasure() string {
	switch {
	case c.OfLayers():
		return c.layers.measure.Name
	case c.OfOwn():
		return c.own.measure
	}
	return c.group.measure.Name
}

// parts returns what the condition is on.
func (c *Condition) parts(r *stats.Report) []part {
	switch {
	case c.OfLayers():
		return c.layerParts(r.Layers)
	case c.OfOwn():
		return c.ownParts(r.Own)
	}
	return c.interactionParts(r.Interactions)
}

// noPart returns why a condition cannot be checked that is on none of the report's parts.
func (c *Condition) noPart(r *stats.Report) string {
	switch {
	case c.OfLayers():
		return c.NoLayer(r.Layers, false)
	case c.OfOwn():
		return c.NoOwn(r.Own)
	}
	return c.NoInteraction(r.Interactions, false)
}

// checkParts checks conditions on interactions and layers: for each process, the condition
// fails if one of its parts does.
func (list Conditions) checkParts(input string, r *stats.Report, all []*analyzer.Process) (checks []Check) {
	var shown, others []*stats.Process
	for _, i := range r.Interactions {
		shown = append(shown, processOf(i))
	}
	for _, l := range r.Layers {
		if p := ProducerOf(l); p != nil {
			shown = append(shown, p)
		}
	}
	shown = append(shown, r.Processes...)
	for _, p := range all {
		others = append(others, &stats.Process{PID: p.PID, Name: p.Name})
	}
	others = append(others, shown...)
	for k := range list {
		c := &list[k]
		found := map[string][]part{}
		var names []string
		for _, p := range c.parts(r) {
			name := ""
			if p.process != nil {
				name = p.process.Name
			}
			if found[name] == nil {
				names = append(names, name)
			}
			found[name] = append(found[name], p)
		}
		for _, name := range names {
			worst, status, why := c.checkValues(found[name])
			checks = append(checks, c.judged(c.result(input, found[name][0].process, status, why), worst))
		}
		switch {
		case len(names) > 0:
		case c.OfOwn():
			checks = append(checks, c.result(input, nil, Unknown, c.noPart(r)))
		case !c.Selects(others...):
			checks = append(checks, c.result(input, nil, Unknown, NoSuchProcess(others)))
		case !c.Selects(shown...):
			checks = append(checks, c.result(input, nil, Unknown, NotSelected))
		default:
			checks = append(checks, c.result(input, nil, Unknown, c.noPart(r)))
		}
	}
	return checks
}

// checkValues checks the values of one part or more, and names the worst. The value is nil if
// the condition cannot be checked.
func (c *Condition) checkValues(list []part) (*float64, Status, string) {
	var worst, unknown *part
	beyond := 0
	for k := range list {
		p := &list[k]
		if p.value == nil {
			if unknown == nil {
				unknown = p
			}
			continue
		}
		if c.check(*p.value) == Failed {
			beyond++
		}
		if worst == nil || c.Above == (*p.value > *worst.value) && *p.value != *worst.value {
			worst = p
		}
	}
	unit := c.Unit
	if worst != nil {
		unit = worst.unit
	}
	switch {
	case beyond > 0:
		s := text.Beyond(unit, *worst.value, c.Limit) + text.UnitAfter(unit) + " in " + worst.name
		if len(list) > 1 {
			s += fmt.Sprintf("; %d of %d are beyond the limit", beyond, len(list))
		}
		return worst.value, Failed, s
	case unknown != nil:
		s := "unknown in " + unknown.name
		if why := unknown.why(); why != "" {
			s += ": " + why
		}
		return nil, Unknown, s
	}
	s := text.Value(unit, worst.value) + text.UnitAfter(unit) + " in " + worst.name
	if len(list) > 1 {
		s += fmt.Sprintf(", the worst of %d", len(list))
	}
	return worst.value, Passed, s
}
