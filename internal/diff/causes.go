package diff

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/brief"
	"ohframe/internal/causetext"
	"ohframe/internal/condition"
	"ohframe/internal/locate"
	"ohframe/internal/significance"
)

// Costs are what the causes of late frames cost a process in one run, and where its frames
// spend their time.
type Costs struct {
	scheduled bool    // the run has scheduling events of the threads
	unjudged  bool    // it is unknown which frames are late
	seconds   float64 // observed, without idle time
	frames    int     // complete ones
	lost      trace.Duration
	causes    causeTimes // the parts of lost
	times     causeTimes // of all complete frames; without slices
	functions functionTimes

	examples map[cause]example
	why      string // the command that explains the process
}

// causeTimes are the times of causes.
type causeTimes map[cause]trace.Duration

// cause is a wait: of lost time in a slice, of the time of frames in a stage.
type cause struct {
	wait  why.Wait
	stage why.Stage
	slice string
}

func compareCauses(a, b cause) int {
	return cmp.Or(cmp.Compare(a.wait, b.wait), cmp.Compare(a.stage, b.stage), cmp.Compare(a.slice, b.slice))
}

// NewCosts returns the costs of the processes of a report on a timeline, by process; nil if
// the causes are unknown. commands are those of Side.
func NewCosts(r *stats.Report, t *analyzer.Timeline, c *why.Causes, commands *locate.Commands) map[*stats.Process]*Costs {
	if c == nil {
		return nil
	}
	frames := stats.NewFrames(t)
	all := map[*stats.Process]*Costs{}
	for _, p := range r.Processes {
		list := frames.Of(p)
		if p.Observed == nil || len(list) == 0 {
			continue
		}
		ranking := c.Rank(list)
		k := &Costs{seconds: activeSeconds(p), frames: len(list), lost: ranking.Lost, causes: causeTimes{}, times: causeTimes{}, unjudged: p.Frames.Judged == 0}
		for _, x := range ranking.Costs {
			k.causes[cause{wait: x.Wait, slice: x.Slice}] += x.Lost
		}
		explained, places := 0, 0
		var times [why.StageCount][why.WaitCount]trace.Duration // faster than a map
		for _, f := range list {
			if e := c.Of(f); e != nil {
				explained++
				if e.PlacesOnly() {
					places++
				}
				for _, part := range e.Parts {
					times[part.Stage][part.Wait] += part.Time
				}
			}
		}
		for stage := range times {
			for wait, time := range times[stage] {
				if time != 0 {
					k.times[cause{wait: why.Wait(wait), stage: why.Stage(stage)}] = time
				}
			}
		}
		k.functions = newFunctionTimes(c, list)
		if commands != nil && len(ranking.Costs) > 0 {
			k.examples, k.why = newExamples(ranking, c, commands), commands.WhyProcess(p.Name, p.PID, brief.Flag)
		}
		k.scheduled = c.Scheduled && (explained == 0 || places < explained)
		all[p] = k
	}
	return all
}

// activeSeconds returns the time in which a process was observed, without the idle time that is
// known: what a frame costs does not depend on how long a recording idles, or hangs while no frame is due.
func activeSeconds(p *stats.Process) float64 {
	switch {
	case p.Hitches != nil:
		return p.Observed.Seconds - float64(p.Hitches.Idle)/1e9
	case p.FPS != nil && p.FPS.IdleShare != nil:
		return p.Observed.Seconds - p.FPS.Seconds()**p.FPS.IdleShare
	}
	return p.Observed.Seconds
}

// The units of costs: lost time in milliseconds per second, and the time of frames in
// milliseconds for each.
func (k *Costs) perSecond(d trace.Duration) float64 {
	if k.unjudged {
		return math.NaN()
	}
	return d.Milliseconds() / k.seconds
}

func (k *Costs) perFrame(d trace.Duration) float64 { return d.Milliseconds() / float64(k.frames) }

// CauseChange is the change of what a cause costs: of the lost time in milliseconds per
// second, or of the mean time of a frame in milliseconds. All causes together have no names.
type CauseChange struct {
	Title optional `json:"title" brief:"sentence"` // the cause in a few words, for people; nil in "lost"
	Wait  optional `json:"wait"`                   // codes of the wait and stage, and the slice; nil where they do not apply
	Stage optional `json:"stage"`
	Slice optional `json:"slice"`
	*Values
	Measure *Measure `json:"-"`
	cause   cause
}

func newCauseChange(c cause, m *Measure) CauseChange {
	x := CauseChange{Title: optional(c.title()), Wait: optional(c.wait.String()), Slice: optional(c.slice), Values: &m.Values, Measure: m, cause: c}
	if c.stage != why.NoStage {
		x.Stage = optional(c.stage.String())
	}
	return x
}

// title names the cause for people.
func (c cause) title() string {
	return causetext.Title(&why.Share{Wait: c.wait, Stage: c.stage, Slice: c.slice})
}

// CauseChanges are what changed in the causes of late frames of a pair: those of at least leastCost in a run.
type CauseChanges struct {
	Lost CauseChange `json:"lost"` // the lost time of all causes together, in ms/s
	// the lost time by wait and slice, in ms/s; the largest change first
	Causes []CauseChange `json:"by_cause" brief:"6,least=1"`
	// the mean time of a complete frame by wait and stage, in milliseconds; the largest change first
	Times []CauseChange `json:"time_per_frame" brief:"6"`

	waits []*Measure // those that conditions name
}

// leastCost is the least cost that is compared, in ms/s of lost time or ms of a frame.
const leastCost = 0.05

// mostCauses bounds the causes, and the functions, that are compared: tests of all those of thousands of runs would take long.
const mostCauses = 200

// mostOf returns the wanted elements with the largest sums, in order.
func mostOf[T comparable, N cmp.Ordered](wanted map[T]bool, sums map[T]N, order func(a, b T) int) []T {
	list := slices.DeleteFunc(slices.Collect(maps.Keys(wanted)), func(x T) bool { return !wanted[x] })
	slices.SortFunc(list, func(a, b T) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), order(a, b)) })
	list = list[:min(len(list), mostCauses)]
	slices.SortFunc(list, order)
	return list
}

// newCauses computes the changes of a pair; nil if the causes of a run are unknown, or if
// those of the runs do not compare.
func (d *Diff) newCauses(p *Pair, conditions condition.Conditions) *CauseChanges {
	base, new := costsOf(d.Base, p.base), costsOf(d.New, p.new)
	if base == nil || new == nil {
		return nil
	}
	all := slices.DeleteFunc(slices.Concat(base, new), func(k *Costs) bool { return k == nil })
	// Without scheduling events, all time of a thread is "running or waiting", and does not
	// compare with its parts.
	if slices.ContainsFunc(all, func(k *Costs) bool { return k.scheduled != all[0].scheduled }) {
		p.causesDiffer = true
		return nil
	}
	measure := func(name string, unit stats.Unit, of func(*Costs) float64) *Measure {
		m := d.measured(&stats.Measure{Name: name, Unit: unit, Better: stats.Lower}, costUnits(base, of), costUnits(new, of))
		m.definition = nil
		if p.RulesDiffer && unit == stats.MillisecondsPS {
			m.incomparable, m.series = rulesDiffer, nil
		}
		return m
	}
	list := func(unit stats.Unit, times func(*Costs) causeTimes, per func(*Costs, trace.Duration) float64) []CauseChange {
		changes := []CauseChange{}
		least, sums := map[cause]bool{}, map[cause]trace.Duration{}
		for _, k := range all {
			for x, time := range times(k) {
				least[x] = least[x] || per(k, time) >= leastCost
				sums[x] += time
			}
		}
		for _, x := range mostOf(least, sums, compareCauses) {
			if m := measure("", unit, func(k *Costs) float64 { return per(k, times(k)[x]) }); m.Delta != nil {
				changes = append(changes, newCauseChange(x, m))
			}
		}
		return changes
	}
	lost := measure(condition.LostMeasure, stats.MillisecondsPS, func(k *Costs) float64 { return k.perSecond(k.lost) })
	c := &CauseChanges{
		Lost: CauseChange{Values: &lost.Values, Measure: lost},
		Causes: list(stats.MillisecondsPS, func(k *Costs) causeTimes {
			if p.RulesDiffer { // slices have other names
				return k.causes.byWait()
			}
			return k.causes
		}, (*Costs).perSecond),
		Times: list(stats.Milliseconds, func(k *Costs) causeTimes { return k.times }, (*Costs).perFrame),
	}
	for _, limit := range conditions {
		wait, unit, _ := condition.CauseMeasure(limit.Measure)
		if wait == "" || slices.ContainsFunc(c.waits, func(m *Measure) bool { return m.Name == limit.Measure }) {
			continue
		}
		c.waits = append(c.waits, measure(limit.Measure, unit, func(k *Costs) float64 {
			if unit == stats.Milliseconds {
				return k.perFrame(k.times.of(wait))
			}
			return k.perSecond(k.causes.of(wait))
		}))
	}
	return c
}

// byWait adds up the times of each wait.
func (t causeTimes) byWait() causeTimes {
	waits := causeTimes{}
	for x, time := range t {
		waits[cause{wait: x.wait}] += time
	}
	return waits
}

// of returns the time of a wait.
func (t causeTimes) of(wait string) (sum trace.Duration) {
	for x, time := range t {
		if x.wait.String() == wait {
			sum += time
		}
	}
	return sum
}

// costsOf returns the costs of a process in each run, nil where it has no frames. The list is
// nil if no run has the costs, or if the causes of a run are unknown.
func costsOf(s Side, runs []*stats.Process) []*Costs {
	list := make([]*Costs, len(runs))
	known := false
	for i, p := range runs {
		if p == nil || !hasFrames(p) {
			continue
		}
		k := s.Costs[p]
		switch {
		case k == nil:
			return nil
		case k.seconds > 0:
			list[i], known = k, true
		}
	}
	if !known {
		return nil
	}
	return list
}

// costUnits returns a cost in each run.
func costUnits(runs []*Costs, of func(*Costs) float64) (list []significance.UnitValue) {
	for _, k := range runs {
		u := unknownUnit
		if k != nil {
			u.Value = of(k)
		}
		list = append(list, u)
	}
	return list
}

// all returns all measures.
func (c *CauseChanges) all() []*Measure {
	list := append([]*Measure{c.Lost.Measure}, c.waits...)
	for _, change := range slices.Concat(c.Causes, c.Times) {
		list = append(list, change.Measure)
	}
	return list
}

// testCauses computes the changes of the causes of all pairs. It tests
// those of lost time together, and those of the time of frames. These are two more
// families of tests. They only explain changes: if no tested measure of a pair changed, none
// of its causes is significant, so that the level holds for all families together.
func (d *Diff) testCauses(o Options) {
	tested := map[stats.Unit][]*Measure{}
	for _, p := range d.Pairs {
		if p.Causes = d.newCauses(p, o.FailOn); p.Causes == nil {
			continue
		}
		for _, m := range p.Causes.all() {
			tested[m.Unit] = append(tested[m.Unit], m)
		}
	}
	for _, list := range tested {
		judgeAll(list, o.MinEffect)
	}
	for _, p := range d.Pairs {
		if p.Causes == nil {
			continue
		}
		for _, m := range p.Causes.all() {
			p.explains(m)
		}
		for _, list := range [][]CauseChange{p.Causes.Causes, p.Causes.Times} {
			slices.SortStableFunc(list, func(a, b CauseChange) int {
				return cmp.Compare(math.Abs(*b.Delta), math.Abs(*a.Delta))
			})
		}
	}
}

// explains changes the verdict of a measure that only explains changes of the pair: without any,
// it is not significant.
func (p *Pair) explains(m *Measure) {
	switch {
	case p.verdict() == NotTested:
		m.Verdict = NotTested
	case m.Verdict.significant() && !p.significant():
		m.Verdict = Unclear
	}
}

// measure returns the measure of causes with a name, with nil values if it is unknown.
func (c *CauseChanges) measure(name string) *Measure {
	if c != nil {
		if i := slices.IndexFunc(c.waits, func(m *Measure) bool { return m.Name == name }); i >= 0 {
			return c.waits[i]
		}
		if name == condition.LostMeasure {
			return c.Lost.Measure
		}
	}
	_, unit, _ := condition.CauseMeasure(name)
	return &Measure{Name: name, Unit: unit}
}
