// Package condition has the conditions of --fail-on and of files of budgets: their grammar,
// and how values and changes are checked.
//
//	--fail-on text  ─> Parse     ─┐
//	--budgets file  ─> ParseFile ─┴─> Conditions ─┬─> CheckReport: values of one trace
//	                                              └─> Change, Decide: changes
//
// A condition without a sign, such as "fps<55", is on a value: ohframe report checks it. One
// with a sign, such as "fps<-5%", is on a change: ohframe diff checks
// it. A caller names the kind that it checks. A measure after the name of a group, such as
// "fling.hitch>5", is one of interactions; after "layer", it is one of layers. docs/ci.md describes the grammar.
package condition

import (
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
)

// Conditions are conditions in the order in which they were given.
type Conditions []Condition

// Condition is a limit on a measure. A value or a change that is beyond the limit fails, one
// that is equal to it passes.
type Condition struct {
	// Process selects processes as --process does; empty selects all. See Selects.
	Process string
	Measure string
	Unit    stats.Unit // of the measure
	// Above: what is above the limit fails. Otherwise what is below it does.
	Above bool
	// Limit is in the measure's unit or, if Relative, a share of the value in the base: 0.05
	// is 5 %. Only limits on changes are relative.
	Limit    float64
	Relative bool
	// Surely: a change fails only if it is significantly beyond the limit, instead of
	// significant and beyond it.
	Surely bool
	// File and Line say where the condition is from; empty and zero for a flag.
	File string
	Line int

	text    string
	matches func(*analyzer.Process) bool // nil: all
	subject subject                      // nil of a condition on processes
}

// String returns the condition without its process and without blanks.
func (c *Condition) String() string { return c.text }

// Selects reports whether Process selects one of the processes, which may be nil.
func (c *Condition) Selects(list ...*stats.Process) bool {
	if c.matches == nil {
		return true
	}
	for _, p := range list {
		if p != nil && c.matches(&analyzer.Process{PID: p.PID, Name: p.Name}) {
			return true
		}
	}
	return false
}

// Applies reports whether the condition is on one of the processes, which may be nil: whether it
// selects it, and the measure is one that frames such as its own can have. One of hangs is also on applications
// without complete frames and, without the name of a process, on applications only, as one of frames that never
// began is. One of displays is on render services.
func (c *Condition) Applies(list ...*stats.Process) bool {
	return slices.ContainsFunc(list, func(p *stats.Process) bool {
		switch {
		case p == nil || !c.Selects(p):
			return false
		case c.ofHangs() && (c.Process == "" || p.Frames.Complete == 0):
			return p.Kind == stats.Application
		case c.ofDisplays():
			return p.Kind == stats.RenderService && p.Frames.Complete > 0
		case c.of("not_begun.") && c.Process == "" && p.Kind != stats.Application:
			return false
		}
		return p.Frames.Complete > 0 && (c.Measure != "jank_rate" || !p.Frames.NeverJudged())
	})
}

// ofHangs reports whether the measure is one of hangs.
func (c *Condition) ofHangs() bool { return c.of("hangs.") }

// of reports whether the measure is one of those below a path.
func (c *Condition) of(path string) bool {
	m := stats.Measures.Named(c.Measure)
	return m != nil && strings.HasPrefix(m.Path, path)
}

// ofDisplays reports whether the measure is one of the refresh rates of displays, which render services have.
func (c *Condition) ofDisplays() bool {
	m := stats.Measures.Named(c.Measure)
	return m != nil && (strings.HasPrefix(m.Path, "display.") || strings.HasPrefix(m.Name, rateSubject))
}

// NoneApplies is why the condition cannot be checked if it selects some of the processes, and applies to none.
func (c *Condition) NoneApplies(list ...*stats.Process) string {
	switch {
	case c.ofHangs():
		return "no application"
	case c.ofDisplays():
		return "no render service"
	case !slices.ContainsFunc(list, func(p *stats.Process) bool { return c.Selects(p) && p.Frames.Complete > 0 }):
		return "no complete frames"
	}
	return "no frame of the selected processes can be late or on time"
}

// OfCauses reports whether the measure is one of causes, which only traces have.
func (c *Condition) OfCauses() bool {
	_, _, ok := CauseMeasure(c.Measure)
	return ok
}

// Status is the result of a condition.
type Status string

// The statuses.
const (
	Failed  Status = "failed" // the value or the change is beyond the limit
	Passed  Status = "passed"
	Unknown Status = "unknown" // it cannot be checked
)

// rounding is larger than a floating-point error, such as that of 0.07 − 0.05, and
// smaller than any real change: a nanosecond is 1e-6 ms.
const rounding = 1e-9

func (c *Condition) check(x float64) Status {
	if c.excess(x) > rounding {
		return Failed
	}
	return Passed
}

// excess returns how far a value is beyond the limit.
func (c *Condition) excess(x float64) float64 {
	if c.Above {
		return x - c.Limit
	}
	return c.Limit - x
}
