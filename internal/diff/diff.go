// Package diff compares the frames of two traces, or of two sets of traces, by process and by measure, and
// tests whether changes are more than chance. It checks conditions on the changes,
// and merges two traces into an archive that Perfetto shows on one timeline.
//
//	runs ─> NewTrend, Add, Test ─> Trend ─> Write: how measures develop over builds
//
//	Side, Side ─> Compare ─> Diff ─┬─> Write: a view.Document, or JSON
//	                               ├─> Outcomes: results of --fail-on
//	                               └─> Merge: an archive of both traces
//
// Measures are those of package stats, tests those of package significance. Unknown values are "–" in tables
// and pages, and null in JSON. The same inputs give the same bytes. docs/ci.md
// describes the output.
package diff

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/diag"
	"ohframe/internal/locate"
	"ohframe/internal/quality"
	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// Side is one of the two sides: a trace, or several of the same thing, see Join.
type Side struct {
	// Name is usually the file's name.
	Name string
	// Timeline has the measured frames, for Merge. It is nil for several traces.
	Timeline *analyzer.Timeline
	// Stats has the measures of all processes of the trace, by stats.Options.Compare, which
	// tests and charts need. For several traces it has the first of each process, with complete frames if one has them.
	Stats *stats.Report
	// Costs are the costs of causes by process, of all runs; see NewCosts. Processes without
	// are compared without causes.
	Costs map[*stats.Process]*Costs
	// Quality says how far the measures can be trusted; nil if unknown.
	Quality *quality.Quality
	// Commands make the commands about the file of the trace, which only the format evidence has;
	// nil if it is no file.
	Commands *locate.Commands
	// Recording is how the trace was recorded. For several traces see recordings.
	Recording Recording

	runs      []Side
	processes map[*stats.Process]map[int]*stats.Process // see runsOf
}

// Release drops the timeline of a run, whose measures are compared with those of others.
func (s *Side) Release() {
	s.Timeline = nil
	for _, i := range s.Stats.Interactions {
		i.Source = nil
	}
	for _, x := range s.Stats.Own {
		x.Source = nil
	}
	for _, l := range s.Stats.Layers {
		if l.Source == nil {
			continue
		}
		source := *l.Source
		source.Buffers = make([]*analyzer.Buffer, len(source.Buffers))
		for i, b := range l.Source.Buffers {
			buffer := *b
			buffer.Layer, buffer.Frame, buffer.Render, buffer.Surface = nil, nil, nil, nil
			source.Buffers[i] = &buffer
		}
		l.Source = &source
	}
}

// all returns the side of each run.
func (s *Side) all() []Side {
	if s.runs == nil {
		return []Side{*s}
	}
	return s.runs
}

// runsOf returns the process in each run, nil where it does not exist.
func (s *Side) runsOf(p *stats.Process) []*stats.Process {
	if s.runs == nil {
		return []*stats.Process{p}
	}
	list := make([]*stats.Process, len(s.runs))
	for run, of := range s.processes[p] {
		list[run] = of
	}
	return list
}

// hasItems reports whether the side has interactions or layers.
func (s *Side) hasItems() bool {
	return slices.ContainsFunc(s.all(), func(run Side) bool {
		return len(run.Stats.Interactions)+len(run.Stats.Layers)+len(run.Stats.Own) > 0
	})
}

// HasFrames reports whether the side has complete frames.
func (s *Side) HasFrames() bool { return hasFrames(s.Stats.Processes...) }

// runNames returns the names of the runs.
func (s *Side) runNames() (names []string) {
	for _, run := range s.all() {
		names = append(names, run.Name)
	}
	return names
}

// Join returns the side of several runs, whose order makes no difference. Processes of different runs belong together if
// they match without a map.
func Join(name string, runs []Side) Side {
	if len(runs) == 1 {
		return runs[0]
	}
	runs = slices.SortedStableFunc(slices.Values(runs), func(a, b Side) int { return cmp.Compare(a.Name, b.Name) })
	s := Side{Name: name, Stats: &stats.Report{}, Costs: map[*stats.Process]*Costs{}, runs: runs, processes: map[*stats.Process]map[int]*stats.Process{}}
	var qualities []*quality.Quality
	known := knownProcesses{places: map[ruleKey][]int{}}
	for i, run := range runs {
		maps.Copy(s.Costs, run.Costs)
		qualities = append(qualities, run.Quality)
		matches, _ := matchProcesses(known.of(run), run, nil) // only a map can fail
		for _, m := range matches {
			if m.base == nil {
				m.base = m.new
				s.Stats.Processes = append(s.Stats.Processes, m.new)
				s.processes[m.new] = map[int]*stats.Process{}
				known.add(m.new)
			}
			if m.new != nil {
				s.processes[m.base][i] = m.new
			}
		}
	}
	for i, first := range s.Stats.Processes {
		for run := range runs {
			if p := s.processes[first][run]; !hasFrames(first) && p != nil && hasFrames(p) {
				s.Stats.Processes[i], s.processes[p] = p, s.processes[first]
				break
			}
		}
	}
	s.Quality = quality.Join(s.runNames(), qualities)
	return s
}

// Options are the options of Compare.
type Options struct {
	// Map pairs processes with different names.
	Map []Mapping
	// Process selects processes; nil selects all. A pair is kept if either of its
	// processes is selected.
	Process func(*analyzer.Process) bool
	// Pattern is that of Process, for errors.
	Pattern string
	// Unit is what is compared: "trace", "session" or a dimension of the recordings; empty for users, devices or
	// sessions if the sides differ in them, otherwise traces.
	Unit string
	// FailOn are the conditions on changes to check for each pair.
	FailOn condition.Conditions
	// MinEffect are the smallest changes that count, by measure, where they are not the
	// default: one percentage point of shares, 1 ms/s, and 2 % of anything else.
	MinEffect map[string]condition.Limit
	// Command returns the command that also compares the processes of a mapping; nil if there is none.
	Command func(Mapping) string
}

// wants reports whether a process is selected.
func (o *Options) wants(p *stats.Process) bool {
	return o.Process == nil || o.Process(&analyzer.Process{PID: p.PID, Name: p.Name})
}

// Diff is a comparison of two traces.
type Diff struct {
	Base, New Side
	// Pairs are the processes in both traces, in the order of base.
	Pairs []*Pair
	// OnlyBase and OnlyNew are the processes in one trace only.
	OnlyBase, OnlyNew []*stats.Process
	// Interactions and Layers are grouped by what both sides have in common.
	Interactions, Layers *Groups
	// Own are the measures that the user defined, by name.
	Own *Groups
	// Outcomes has each condition for each pair: ordered by pair, then by
	// condition. Those on groups follow.
	Outcomes []conditionOutcome
	// Test is how changes of processes were tested.
	Test *significance.Family

	unit    string // of the comparison: "run", "session" or a dimension
	units   [2]units
	command func(Mapping) string // of Options
}

// Pair is a process in both traces.
type Pair struct {
	Base, New *stats.Process
	MatchedBy matchedBy
	// RefreshDiffers: durations and frame rates are compared relative to the refresh rate.
	RefreshDiffers bool
	// RulesDiffer: Android recorded the frames of one side. What each system has rules of its own for is
	// not compared.
	RulesDiffer bool
	// Causes are what changed in the causes of late frames; nil if they are unknown on a
	// side, or if only some runs have scheduling events.
	Causes *CauseChanges
	// Functions are what changed in the time of frames in functions, by samples of a profiler.
	Functions functionChanges

	diff         *Diff
	index        int                   // in Diff.Pairs
	base, new    []*stats.Process      // in each run
	estimates    [2][][]stats.Estimate // of the sides, in each run
	tested       []*Measure            // those whose change was tested
	advice       condition.Advice
	causesDiffer bool // only some runs have scheduling events of the threads
}

// Error is why two traces cannot be compared.
type Error = diag.Error

// Compare compares new with base. It returns an *Error if no process has complete
// frames in both traces and no interaction or layer is in both, or if Options.Map names a process
// that does not exist.
func Compare(base, new Side, o Options) (*Diff, error) {
	d := &Diff{Base: base, New: new}
	if err := d.setUnit(o.Unit); err != nil {
		return nil, err
	}
	if err := d.checkSides(); err != nil && !(base.hasItems() && new.hasItems()) {
		return nil, err
	}
	if err := d.match(o); err != nil {
		return nil, err
	}
	d.Interactions, d.Layers = compareGroups(d, &o, &interactionKind), compareGroups(d, &o, &layerKind)
	d.Own = compareGroups(d, &o, &ownKind)
	if !slices.ContainsFunc(d.groups(), func(g *Groups) bool { return len(g.Both) > 0 }) {
		if err := cmp.Or(d.checkSides(), d.checkPairs(o)); err != nil {
			return nil, err
		}
	}
	d.test(o)
	d.testCauses(o)
	d.testFunctions(o)
	d.checkConditions(o)
	return d, nil
}

// match finds the processes that are in both traces.
func (d *Diff) match(o Options) error {
	matches, err := matchProcesses(d.Base, d.New, o.Map)
	if err != nil {
		return err
	}
	wanted := func(p *stats.Process) bool { return p != nil && o.wants(p) }
	for _, m := range matches {
		switch {
		case !wanted(m.base) && !wanted(m.new):
		case m.new == nil:
			d.OnlyBase = append(d.OnlyBase, m.base)
		case m.base == nil:
			d.OnlyNew = append(d.OnlyNew, m.new)
		default:
			p := &Pair{diff: d, index: len(d.Pairs), Base: m.base, New: m.new, MatchedBy: m.by, base: d.Base.runsOf(m.base), new: d.New.runsOf(m.new)}
			p.RefreshDiffers = stats.RefreshDiffers(p.base, p.new)
			p.RulesDiffer = android(p.base) != android(p.new)
			d.Pairs = append(d.Pairs, p)
		}
	}
	d.command = o.Command
	return nil
}

// Hint returns the command that compares the processes of proposal; empty without one.
func (d *Diff) Hint() string {
	m, ok := d.proposal()
	if !ok || d.command == nil {
		return ""
	}
	return "to compare two applications: " + d.command(m)
}

// android reports whether Android recorded the frames of a process in any run.
func android(runs []*stats.Process) bool {
	return slices.ContainsFunc(runs, func(p *stats.Process) bool { return p != nil && p.Android })
}

// largestApplication returns the application with the most frames, of several the one with the largest process id, which
// started last; nil without one. The SurfaceFlinger of a container does not count: it draws what applications show.
func largestApplication(list []*stats.Process) (found *stats.Process) {
	for _, p := range list {
		if p.Kind == stats.Application && p.Name != analyzer.Compositor.String() && hasFrames(p) && (found == nil || cmp.Or(cmp.Compare(frames(p), frames(found)), cmp.Compare(p.PID, found.PID)) > 0) {
			found = p
		}
	}
	return found
}

// proposal returns the applications with the most frames of each side, if no application is in both: they
// may be one with two names.
func (d *Diff) proposal() (Mapping, bool) {
	base, new := largestApplication(d.OnlyBase), largestApplication(d.OnlyNew)
	if base == nil || new == nil || slices.ContainsFunc(d.Pairs, func(p *Pair) bool { return p.Base.Kind == stats.Application }) {
		return Mapping{}, false
	}
	called := func(p *stats.Process) string {
		if p.Name == "" || text.Printable(p.Name) != p.Name || strings.Contains(p.Name, "=") {
			return p.PID.String()
		}
		return p.Name
	}
	return Mapping{called(base), called(new)}, true
}

// groups returns the groups of all kinds.
func (d *Diff) groups() []*Groups { return []*Groups{d.Interactions, d.Layers, d.Own} }

// test tests the changes of all pairs.
func (d *Diff) test(o Options) {
	var all []*Measure
	for _, p := range d.Pairs {
		p.estimate()
		for k := range measures {
			if slices.Contains(p.testable(), measures[k].Name) {
				all = append(all, p.compute(&measures[k]))
			}
		}
	}
	d.Test = judgeAll(all, o.MinEffect)
	for _, p := range d.Pairs {
		n := len(p.testable())
		p.tested = slices.DeleteFunc(all[:n:n], func(m *Measure) bool { return m.Verdict == NotTested })
		all = all[n:]
	}
}

// estimate measures the runs of the pair.
func (p *Pair) estimate() {
	seconds, runs := 0.0, 0.0
	for side, list := range [2][]*stats.Process{p.base, p.new} {
		for _, process := range list {
			p.estimates[side] = append(p.estimates[side], process.Estimates(p.RefreshDiffers))
			if process != nil && process.Observed != nil {
				seconds, runs = seconds+process.Observed.Seconds, runs+1
			}
		}
	}
	p.advice = p.diff.advice()
	if mean := seconds / runs; mean > 0 && p.diff.unit == runUnit {
		p.advice.Seconds = max(leastSeconds, math.Round(mean))
		p.advice.Longer = p.advice.Seconds / mean
	}
}

// leastSeconds is the length of a run that is advised if runs are shorter: then most of what
// differs is no longer chance within them.
const leastSeconds = 10

func (d *Diff) oneRunEach() bool { return d.Base.runs == nil && d.New.runs == nil }

// significant reports whether a tested measure changed significantly.
func (p *Pair) significant() bool {
	return slices.ContainsFunc(p.tested, func(m *Measure) bool { return m.Verdict.significant() })
}

// refreshOf returns the refresh rates of all runs, by rate. The period of a rate is that
// of the run with the most frames at it.
func refreshOf(runs []*stats.Process) []stats.Refresh {
	all, most := map[float64]stats.Refresh{}, map[float64]int{}
	for _, p := range runs {
		if p == nil {
			continue
		}
		for _, r := range p.Refresh {
			rate, frames := math.Round(r.Rate), r.Frames
			r.Frames += all[rate].Frames
			if frames > most[rate] {
				most[rate] = frames
			} else {
				r.Rate, r.Period = all[rate].Rate, all[rate].Period
			}
			all[rate] = r
		}
	}
	var list []stats.Refresh
	for _, rate := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[rate])
	}
	return list
}

// checkSides returns an *Error if a side has no complete frames.
func (d *Diff) checkSides() error {
	base, new := d.Base.HasFrames(), d.New.HasFrames()
	which := "neither trace has"
	switch {
	case base && new:
		return nil
	case new:
		which = text.Printable(d.Base.Name) + " has no"
	case base:
		which = text.Printable(d.New.Name) + " has no"
	}
	return &Error{What: "nothing to compare: " + which + " complete frames"}
}

// haveFrames reports whether a pair has complete frames on both sides.
func (d *Diff) haveFrames() bool {
	return slices.ContainsFunc(d.Pairs, func(p *Pair) bool { return hasFrames(p.Base) && hasFrames(p.New) })
}

// checkPairs returns an *Error if no pair has complete frames on both sides.
func (d *Diff) checkPairs(o Options) error {
	if d.haveFrames() {
		return nil
	}
	have := func(base, new []*stats.Process, separator string) string {
		return fmt.Sprintf("%s has %s%s %s has %s", text.Printable(d.Base.Name), text.Names(base), separator, text.Printable(d.New.Name), text.Names(new))
	}
	e := &Error{What: "nothing to compare: no process has complete frames in both traces"}
	if o.Process != nil {
		e.What = "nothing to compare: none of the selected processes has complete frames in both traces"
		if len(d.Pairs)+len(d.OnlyBase)+len(d.OnlyNew) == 0 {
			base, new := d.Base.Stats.Processes, d.New.Stats.Processes
			none := text.NoneSelectedError(o.Pattern, have(base, new, ";"), slices.Concat(base, new))
			e.What, e.Hint = "--process: "+none.What, none.Hint
		}
	}
	if len(d.OnlyBase) > 0 && len(d.OnlyNew) > 0 {
		e.Hint = "--map OLD=NEW pairs processes: " + have(d.OnlyBase, d.OnlyNew, ",")
		if hint := d.Hint(); hint != "" {
			e.Hint = have(d.OnlyBase, d.OnlyNew, ",") + "; " + hint
		}
	}
	return e
}

func hasFrames(list ...*stats.Process) bool {
	return slices.ContainsFunc(list, func(p *stats.Process) bool { return p.Frames.Complete > 0 })
}
