// Package diff compares the frames of two traces: process by process, measure by
// measure, and says of what has changed whether it is more than chance. It also
// judges conditions on the changes, for a build to fail on, and merges the two
// traces into one that Perfetto shows on one timeline.
//
//	Side, Side ─> Compare ─> Diff ─┬─> Write: table, json, html
//	                               ├─> Outcomes: what of --fail-on holds
//	                               └─> Merge: an archive of both traces
//
// It measures nothing itself: measures and tests are those of package stats.
// What is not known is "–" for people and null in JSON, never zero. The same
// inputs give the same bytes. docs/diff.md describes all that it writes.
package diff

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/failure"
	"ohframe/internal/words"
)

// Side is one of the two traces.
type Side struct {
	// Name is what the user calls it, usually a file name.
	Name string
	// Timeline has the frames that were measured, for curves and for merging.
	Timeline *analyzer.Timeline
	// Stats are the measures of all of its processes.
	Stats *stats.Report
}

// Options decide what is compared with what.
type Options struct {
	// Map pairs processes that do not have the same name.
	Map []Mapping
	// Process, if not nil, leaves in what it reports of either trace.
	Process func(*analyzer.Process) bool
	// FailOn are the conditions to judge for each pair.
	FailOn Conditions
}

// Diff is how two traces differ.
type Diff struct {
	Base, New Side
	// Pairs are the processes that were compared, in the order of base.
	Pairs []*Pair
	// OnlyBase and OnlyNew are the others.
	OnlyBase, OnlyNew []*stats.Process
	// Outcomes has every condition for every pair: pair by pair, in the order in
	// which the conditions were given.
	Outcomes []Outcome
}

// Pair is a process in both traces.
type Pair struct {
	Base, New *stats.Process
	MatchedBy Match
	// Measures are all measures, in the order of the documentation.
	Measures []Measure
	// Tests has the tests on durations and on the jank rate.
	Tests stats.Comparison
}

// Error is why two traces cannot be compared.
type Error = failure.Error

// Compare compares new with base. The error is an *Error: if there is nothing to
// compare, because no process has complete frames in both, or if Options.Map
// names a process that is not there.
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

// Failed returns the conditions that hold.
func (d *Diff) Failed() []Outcome { return d.outcomes(Failed) }

// Unknown returns the conditions of which it is not known whether they hold.
func (d *Diff) Unknown() []Outcome { return d.outcomes(Unknown) }

func (d *Diff) outcomes(status Status) (list []Outcome) {
	for _, o := range d.Outcomes {
		if o.Status == status {
			list = append(list, o)
		}
	}
	return list
}

// checkFrames returns an *Error if a side has no complete frame at all.
func checkFrames(base, new Side) error {
	switch b, n := hasFrames(base.Stats.Processes...), hasFrames(new.Stats.Processes...); {
	case !b && !n:
		return &Error{What: "nothing to compare: neither trace has complete frames"}
	case !b:
		return &Error{What: fmt.Sprintf("nothing to compare: %s has no complete frames", words.Printable(base.Name))}
	case !n:
		return &Error{What: fmt.Sprintf("nothing to compare: %s has no complete frames", words.Printable(new.Name))}
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
		e.What = "nothing to compare: none of the chosen processes has complete frames in both traces"
	}
	if len(d.OnlyBase) > 0 && len(d.OnlyNew) > 0 {
		e.Hint = fmt.Sprintf("--map OLD=NEW pairs processes: %s has %s, %s has %s",
			words.Printable(d.Base.Name), words.Names(d.OnlyBase), words.Printable(d.New.Name), words.Names(d.OnlyNew))
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
