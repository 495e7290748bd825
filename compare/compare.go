// Package compare compares the frames of two builds, and tests whether changes are more than chance.
//
//	traces of the old build, of the new one ──▶ Traces ──▶ Comparison ──▶ measures of each process, with a verdict
//
// One trace of each build shows changes, but does not tell them from chance: record five or more.
// Interactions, layers and Options.Measures are not compared. docs/ci.md has the rules.
package compare

import (
	"errors"
	"fmt"
	"slices"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/diff"
	"ohframe/internal/text"
)

// Verdict is the result of a test.
type Verdict uint8

// The verdicts.
const (
	// NotTested: there are too few traces or frames for a test, or the measure is not tested.
	NotTested Verdict = iota
	// Unclear: the change may be chance. That does not prove that nothing changed.
	Unclear
	Better
	Worse
)

// String returns "not tested", "unclear", "better" or "worse".
func (v Verdict) String() string { return [...]string{"not tested", "unclear", "better", "worse"}[v] }

var verdicts = map[diff.Verdict]Verdict{diff.Unclear: Unclear, diff.Better: Better, diff.Worse: Worse}

// Comparison is what changed from the base to the new build.
type Comparison struct {
	// Processes are those in traces of both builds.
	Processes []Process
	// OnlyBase and OnlyNew are the names of processes in traces of one build only.
	OnlyBase, OnlyNew []string
}

// Process is what changed of a process.
type Process struct {
	Name string
	// Measures are those that are known of a build, significant changes first. testdata/api/measures.md
	// lists them.
	Measures []Measure
	// Causes are what late frames lost the most time to in a build, in milliseconds per second; empty unless all traces
	// were read with Options.Causes.
	Causes []Measure
}

// Measure is a measure of a process, or what a cause cost it, in both builds: the means of their traces.
type Measure struct {
	Name string // "jank_rate", or "waiting for storage in FlushLayoutTask"
	Unit stats.Unit
	// Base and New are nil if they are unknown.
	Base, New *float64
	Verdict   Verdict
	// P is the p-value, corrected for all tests of the comparison; nil without a test.
	P *float64
}

// String returns the measure in one line: "jank_rate: 10.8 % → 1.2 %, better".
func (m Measure) String() string {
	unit := text.UnitAfter(m.Unit)
	return fmt.Sprintf("%s: %s%s → %s%s, %s", m.Name, text.Value(m.Unit, m.Base), unit, text.Value(m.Unit, m.New), unit, m.Verdict)
}

// Measure returns the measure with a name. It has no values if the process has no such measure.
func (p *Process) Measure(name string) Measure {
	if i := slices.IndexFunc(p.Measures, func(m Measure) bool { return m.Name == name }); i >= 0 {
		return p.Measures[i]
	}
	return Measure{Name: name}
}

// Traces compares traces of a new build with those of a base. The error is an *ohframe.Error if a trace is missing or has no
// complete frames, or if nothing is in both.
func Traces(base, new []*ohframe.Trace) (*Comparison, error) {
	var sides [2]diff.Side
	for i, traces := range [2][]*ohframe.Trace{base, new} {
		var err error
		if sides[i], err = side([2]string{"base", "new"}[i], traces); err != nil {
			return nil, err
		}
	}
	d, err := diff.Compare(sides[0], sides[1], diff.Options{})
	if e := (*diff.Error)(nil); errors.As(err, &e) {
		return nil, &ohframe.Error{What: e.What} // hints are about the command
	}
	if err != nil {
		return nil, err
	}
	c := &Comparison{OnlyBase: names(d.OnlyBase), OnlyNew: names(d.OnlyNew)}
	for _, p := range d.Pairs {
		process := Process{Name: p.New.Name}
		for _, m := range p.Known() {
			process.Measures = append(process.Measures, measure(m.Name, m))
		}
		if p.Causes != nil {
			for _, cause := range p.Causes.Causes {
				process.Causes = append(process.Causes, measure(string(cause.Title), cause.Measure))
			}
		}
		c.Processes = append(c.Processes, process)
	}
	return c, nil
}

// side measures the traces of a side. It is an error to leave one out: there would be fewer runs than traces.
func side(name string, traces []*ohframe.Trace) (diff.Side, error) {
	var runs []diff.Side
	for i, t := range traces {
		what := "is missing"
		if t != nil && t.Timeline != nil {
			measured := stats.Compute(t.Timeline, stats.Options{Compare: true})
			costs := diff.NewCosts(measured, t.Timeline, t.Causes, nil)
			run := diff.Side{Name: name, Timeline: t.Timeline, Stats: measured, Costs: costs, Quality: t.Quality}
			if run.HasFrames() {
				runs = append(runs, run)
				continue
			}
			what = "has no complete frames"
		}
		return diff.Side{}, &ohframe.Error{What: fmt.Sprintf("trace %d of %d of %s %s", i+1, len(traces), name, what)}
	}
	return diff.Join(name, runs), nil
}

func measure(name string, m *diff.Measure) Measure {
	return Measure{Name: name, Unit: m.Unit, Base: m.Base, New: m.New, Verdict: verdicts[m.Verdict], P: m.P}
}

func names(processes []*stats.Process) (list []string) {
	for _, p := range processes {
		list = append(list, p.Name)
	}
	return list
}
