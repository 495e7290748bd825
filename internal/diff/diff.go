// Package diff compares the frames of two traces by process and by measure, and
// tests whether changes are more than chance. It checks conditions on the changes,
// and merges two traces into an archive that Perfetto shows on one timeline.
//
//	Side, Side ─> Compare ─> Diff ─┬─> Write: table, json, html
//	                               ├─> Outcomes: results of --fail-on
//	                               └─> Merge: an archive of both traces
//
// Measures and tests are those of package stats. Unknown values are "–" in tables
// and pages, and null in JSON. The same inputs give the same bytes. docs/diff.md
// describes the output.
package diff

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/failure"
	"ohframe/internal/text"
)

// Side is one of the two traces.
type Side struct {
	// Name is usually the file's name.
	Name string
	// Timeline has the measured frames. Charts and Merge need it.
	Timeline *analyzer.Timeline
	// Stats has the measures of all processes of the trace.
	Stats *stats.Report
}

// Options are the options of Compare.
type Options struct {
	// Map pairs processes with different names.
	Map []Mapping
	// Process selects processes; nil selects all. A pair is kept if either of its
	// processes is selected.
	Process func(*analyzer.Process) bool
	// FailOn are the conditions to check for each pair.
	FailOn Conditions
}

// Diff is a comparison of two traces.
type Diff struct {
	Base, New Side
	// Pairs are the processes in both traces, in the order of base.
	Pairs []*Pair
	// OnlyBase and OnlyNew are the processes in one trace only.
	OnlyBase, OnlyNew []*stats.Process
	// Outcomes has each condition for each pair: ordered by pair, then by
	// condition.
	Outcomes []Outcome
}

// Pair is a process in both traces.
type Pair struct {
	Base, New *stats.Process
	MatchedBy Match
	// Measures are all measures, in the order of docs/diff.md.
	Measures []Measure
	// Tests has the tests on durations and on the jank rate.
	Tests stats.Comparison
}

// Error is why two traces cannot be compared.
type Error = failure.Error

// Compare compares new with base. It returns an *Error if no process has complete
// frames in both traces, or if Options.Map names a process that does not exist.
func Compare(base, new Side, o Options) (*Diff, error) {
	if err := checkFrames(base, new); err != nil {
		return nil, err
	}
	d := &Diff{Base: base, New: new, Outcomes: []Outcome{}}
	matches, err := matchProcesses(base, new, o.Map)
	if err != nil {
		return nil, err
	}
	wanted := func(p *stats.Process) bool {
		return p != nil && (o.Process == nil || o.Process(&analyzer.Process{PID: p.PID, Name: p.Name}))
	}
	for _, m := range matches {
		switch {
		case !wanted(m.base) && !wanted(m.new):
		case m.new == nil:
			d.OnlyBase = append(d.OnlyBase, m.base)
		case m.base == nil:
			d.OnlyNew = append(d.OnlyNew, m.new)
		default:
			d.Pairs = append(d.Pairs, newPair(m))
		}
	}
	if err := d.checkPairs(o); err != nil {
		return nil, err
	}
	for _, p := range d.Pairs {
		for _, c := range o.FailOn {
			d.Outcomes = append(d.Outcomes, c.judge(p))
		}
	}
	return d, nil
}

func newPair(m match) *Pair {
	p := &Pair{Base: m.base, New: m.new, MatchedBy: m.by, Tests: stats.Compare(m.base, m.new)}
	p.Measures = newMeasures(m.base, m.new)
	return p
}

// Failed returns the outcomes of conditions that failed.
func (d *Diff) Failed() []Outcome { return d.outcomes(Failed) }

// Unknown returns the outcomes of conditions on unknown measures.
func (d *Diff) Unknown() []Outcome { return d.outcomes(Unknown) }

func (d *Diff) outcomes(status Status) (list []Outcome) {
	for _, o := range d.Outcomes {
		if o.Status == status {
			list = append(list, o)
		}
	}
	return list
}

// checkFrames returns an *Error if a side has no complete frames.
func checkFrames(base, new Side) error {
	switch b, n := hasFrames(base.Stats.Processes...), hasFrames(new.Stats.Processes...); {
	case !b && !n:
		return &Error{What: "nothing to compare: neither trace has complete frames"}
	case !b:
		return &Error{What: fmt.Sprintf("nothing to compare: %s has no complete frames", text.Printable(base.Name))}
	case !n:
		return &Error{What: fmt.Sprintf("nothing to compare: %s has no complete frames", text.Printable(new.Name))}
	}
	return nil
}

// checkPairs returns an *Error if no pair has complete frames on both sides.
func (d *Diff) checkPairs(o Options) error {
	for _, p := range d.Pairs {
		if hasFrames(p.Base) && hasFrames(p.New) {
			return nil
		}
	}
	e := &Error{What: "nothing to compare: no process has complete frames in both traces"}
	if o.Process != nil {
		e.What = "nothing to compare: none of the selected processes has complete frames in both traces"
	}
	if len(d.OnlyBase) > 0 && len(d.OnlyNew) > 0 {
		e.Hint = fmt.Sprintf("--map OLD=NEW pairs processes: %s has %s, %s has %s",
			text.Printable(d.Base.Name), text.Names(d.OnlyBase), text.Printable(d.New.Name), text.Names(d.OnlyNew))
	}
	return e
}

func hasFrames(list ...*stats.Process) bool {
	for _, p := range list {
		if p.Frames.Complete > 0 {
			return true
		}
	}
	return false
}
