// Package diff compares the frames of two traces, or of two sets of traces, by process and by measure, and
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
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/failure"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// Side is one of the two sides: a trace, or several of the same thing, see Join.
type Side struct {
	// Name is usually the file's name.
	Name string
	// Timeline has the measured frames, for Merge. It is nil for several traces.
	Timeline *analyzer.Timeline
	// Stats has the measures of all processes of the trace, by stats.Options.Compare, which
	// tests and charts need. For several traces it has the first of each process.
	Stats *stats.Report
	// Costs are the costs of causes by process, of all runs; see NewCosts. Processes without
	// are compared without causes.
	Costs map[*stats.Process]*Costs
	// Quality says how far the measures can be trusted; nil if unknown.
	Quality *quality.Quality
	// Runs are the names of several traces, nil for one.
	Runs []string

	processes map[*stats.Process][]*stats.Process // see runs
}

// runs returns the process in each run, nil where it does not exist.
func (s Side) runs(p *stats.Process) []*stats.Process {
	if s.Runs == nil {
		return []*stats.Process{p}
	}
	return s.processes[p]
}

// Join returns the side of several runs. Processes of different runs belong together if
// they match without a map.
func Join(name string, runs []Side) Side {
	if len(runs) == 1 {
		return runs[0]
	}
	s := Side{Name: name, Stats: &stats.Report{}, Costs: map[*stats.Process]*Costs{}, processes: map[*stats.Process][]*stats.Process{}}
	var qualities []*quality.Quality
	for i, run := range runs {
		maps.Copy(s.Costs, run.Costs)
		s.Runs = append(s.Runs, run.Name)
		qualities = append(qualities, run.Quality)
		matches, _ := matchProcesses(s, run, nil) // only a map can fail
		for _, m := range matches {
			if m.base == nil {
				m.base = m.new
				s.Stats.Processes = append(s.Stats.Processes, m.new)
				s.processes[m.new] = make([]*stats.Process, len(runs))
			}
			s.processes[m.base][i] = m.new
		}
	}
	s.Quality = quality.Join(s.Runs, qualities)
	return s
}

// Options are the options of Compare.
type Options struct {
	// Map pairs processes with different names.
	Map []Mapping
	// Process selects processes; nil selects all. A pair is kept if either of its
	// processes is selected.
	Process func(*analyzer.Process) bool
	// FailOn are the conditions on changes to check for each pair.
	FailOn condition.Conditions
	// Any makes conditions fail on any change beyond their limit, even if it may be chance.
	Any bool
	// MinEffect are the smallest changes that count, by measure, where they are not the
	// default: one percentage point of shares, 1 ms/s, and 2 % of anything else.
	MinEffect map[string]condition.Limit
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
	// Test is how changes were tested.
	Test *stats.Comparison
}

// Pair is a process in both traces.
type Pair struct {
	Base, New *stats.Process
	MatchedBy Match
	// RefreshDiffers: durations and frame rates are tested relative to the refresh rate.
	RefreshDiffers bool
	// Causes are what changed in the causes of late frames; nil if they are unknown on a
	// side, or if only some runs have scheduling events.
	Causes *CauseChanges

	base, new    []*stats.Process // in each run
	changes      []Measure        // those that were tested
	causesDiffer bool             // only some runs have scheduling events of the threads
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
			d.Pairs = append(d.Pairs, newPair(m, base.runs(m.base), new.runs(m.new)))
		}
	}
	if err := d.checkPairs(o); err != nil {
		return nil, err
	}
	d.test(o)
	d.testCauses(o)
	d.checkConditions(o)
	return d, nil
}

func newPair(m match, base, new []*stats.Process) *Pair {
	return &Pair{
		Base: m.base, New: m.new, MatchedBy: m.by, RefreshDiffers: stats.RefreshDiffers(base, new),
		base: base, new: new,
	}
}

// test tests the changes of all pairs.
func (d *Diff) test(o Options) {
	pairings := make([]stats.Pairing, len(d.Pairs))
	for i, p := range d.Pairs {
		pairings[i] = stats.Pairing{Base: p.base, New: p.new, AcrossRates: p.RefreshDiffers}
	}
	d.Test = stats.Compare(pairings)
	for i, p := range d.Pairs {
		for _, k := range testedMeasures {
			for _, c := range d.Test.Changes[i] {
				if !c.Tested || c.Measure != k.Name {
					continue
				}
				m := p.compute(k)
				if m.set(c, o.MinEffect); m.P != nil {
					p.changes = append(p.changes, *m)
				}
			}
		}
	}
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
		if len(d.Pairs)+len(d.OnlyBase)+len(d.OnlyNew) == 0 {
			names := fmt.Sprintf("%s has %s; %s has %s",
				text.Printable(d.Base.Name), text.Names(d.Base.Stats.Processes), text.Printable(d.New.Name), text.Names(d.New.Stats.Processes))
			none := text.NoneSelectedError(names, slices.Concat(d.Base.Stats.Processes, d.New.Stats.Processes))
			e.What, e.Hint = "--process: "+none.What, none.Hint
		}
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
