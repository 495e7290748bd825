package condition

import (
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
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

// subject is what a condition is on that is not on processes, with a measure of it.
type subject interface {
	items() Items // not Frames
	measured() *stats.Measure
	// has reports whether the condition is on an item, a *stats.Interaction, *stats.Layer or *stats.Own.
	has(c *Condition, item any) bool
	part(item any) part
	// none returns why a condition cannot be checked that is on no item of one trace or of several.
	none(c *Condition, r *stats.Report, several bool) string
}

// Items says what a condition is on.
type Items int

// What conditions are on: frames of processes, or items.
const (
	Frames Items = iota
	Interactions
	Layers
	OwnMeasures
)

// On returns what the condition is on.
func (c *Condition) On() Items {
	if c.subject == nil {
		return Frames
	}
	return c.subject.items()
}

// Has reports whether a condition that is not on processes is on an item, a *stats.Interaction, *stats.Layer or *stats.Own.
func (c *Condition) Has(item any) bool { return c.subject != nil && c.subject.has(c, item) }

// None returns why such a condition cannot be checked that is on no item of one trace or of several.
func (c *Condition) None(r *stats.Report, several bool) string { return c.subject.none(c, r, several) }

// PartMeasure returns the name of the measure of such a condition, without what it is on: "fps" of "fling.fps<55".
func (c *Condition) PartMeasure() string { return c.subject.measured().Name }

// parts returns what the condition is on.
func (c *Condition) parts(r *stats.Report) []part {
	return slices.Concat(partsOf(c, r.Interactions), partsOf(c, r.Layers), partsOf(c, r.Own))
}

func partsOf[T any](c *Condition, list []*T) (parts []part) {
	for _, x := range list {
		if c.Has(x) {
			parts = append(parts, c.subject.part(x))
		}
	}
	return parts
}

// Processes returns the known processes of the interactions and the layers of a report.
func Processes(r *stats.Report) (list []*stats.Process) {
	for _, i := range r.Interactions {
		if p := processOf(i); p.Name != "" || p.PID != trace.UnknownPID { // unknown of groups by other dimensions
			list = append(list, p)
		}
	}
	for _, l := range r.Layers {
		if p := ProducerOf(l); p != nil {
			list = append(list, p)
		}
	}
	return list
}

// checkParts checks conditions on interactions and layers: for each process, the condition
// fails if one of its parts does.
func (list Conditions) checkParts(input string, r *stats.Report, all []*analyzer.Process) (checks []Check) {
	shown, others := append(Processes(r), r.Processes...), []*stats.Process{}
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
		case !c.Selects(others...):
			checks = append(checks, c.result(input, nil, Unknown, NoSuchProcess(others)))
		case !c.Selects(shown...):
			checks = append(checks, c.result(input, nil, Unknown, NotSelected))
		default:
			checks = append(checks, c.result(input, nil, Unknown, c.None(r, false)))
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
