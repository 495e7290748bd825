package diff

import (
	"cmp"
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// Costs are what the causes of late frames cost a process in one run, and where its frames
// spend their time.
type Costs struct {
	scheduled bool    // the run has scheduling events of the threads
	seconds   float64 // observed
	frames    int     // complete ones
	lost      trace.Duration
	causes    causeTimes // the parts of lost
	times     causeTimes // of all complete frames; without slices
}

// causeTimes are the times of causes, in the order of compareCauses. There are few: a map
// for each of many processes would be large.
type causeTimes []causeTime

type causeTime struct {
	cause
	time trace.Duration
}

func newCauseTimes(m map[cause]trace.Duration) causeTimes {
	list := make(causeTimes, 0, len(m))
	for x, time := range m {
		list = append(list, causeTime{x, time})
	}
	slices.SortFunc(list, func(a, b causeTime) int { return compareCauses(a.cause, b.cause) })
	return list
}

// of returns the time of a cause, 0 if it does not occur.
func (l causeTimes) of(x cause) trace.Duration {
	i, ok := slices.BinarySearchFunc(l, x, func(t causeTime, x cause) int { return compareCauses(t.cause, x) })
	if !ok {
		return 0
	}
	return l[i].time
}

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
// the causes are unknown.
func NewCosts(r *stats.Report, t *analyzer.Timeline, c *why.Causes) map[*stats.Process]*Costs {
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
		k := &Costs{seconds: p.Observed.Seconds, frames: len(list)}
		lost, times := map[cause]trace.Duration{}, map[cause]trace.Duration{}
		ranking := c.Rank(list)
		k.lost = ranking.Lost
		for _, x := range ranking.Costs {
			lost[cause{wait: x.Wait, slice: x.Slice}] += x.Lost
		}
		explained, places := 0, 0
		for _, f := range list {
			if e := c.Of(f); e != nil {
				explained++
				if e.PlacesOnly() {
					places++
				}
				for _, part := range e.Parts {
					times[cause{wait: part.Wait, stage: part.Stage}] += part.Time
				}
			}
		}
		k.scheduled = c.Scheduled && (explained == 0 || places < explained)
		k.causes, k.times = newCauseTimes(lost), newCauseTimes(times)
		all[p] = k
	}
	return all
}

// CauseChange is the change of what a cause costs: of the lost time in milliseconds per
// second, or of the mean time of a frame in milliseconds.
type CauseChange struct {
	Wait  why.Wait
	Stage why.Stage // NoStage for lost time
	Slice string    // empty outside of all slices
	Measure
}

// Title names the cause for people.
func (c *CauseChange) Title() string {
	return causetext.Title(&why.Share{Wait: c.Wait, Stage: c.Stage, Slice: c.Slice})
}

// CauseChanges are what changed in the causes of late frames of a pair.
type CauseChanges struct {
	// Lost is the lost time of all causes together, as the measure lost_ms_per_s.
	Lost Measure
	// Causes has the lost time by cause, and Times the mean time of all complete frames by
	// wait and stage: those of at least leastCost on either side, the largest change first.
	Causes, Times []CauseChange
	// waits are the measures of waits that conditions name.
	waits map[string]*Measure
}

// leastCost is the least cost that is compared, in ms/s of lost time or ms of a frame.
const leastCost = 0.05

// causeSeries is a measure of causes, with its values in the runs of both sides.
type causeSeries struct {
	measure *Measure
	runs    stats.Runs
}

// differ reports whether only some runs have scheduling events of the threads. Without them, all
// time of a thread is "running or waiting", and does not compare with its parts.
func differ(base, new []*Costs) bool {
	with, without := 0, 0
	for _, k := range slices.Concat(base, new) {
		switch {
		case k == nil:
		case k.scheduled:
			with++
		default:
			without++
		}
	}
	return with > 0 && without > 0
}

// newCauses computes the changes of a pair; nil if the causes of a run are unknown, or if
// those of the runs do not compare. It appends what is to be tested to series.
func (d *Diff) newCauses(p *Pair, conditions condition.Conditions, series *[]causeSeries) *CauseChanges {
	base, new := costsOf(d.Base, p.base), costsOf(d.New, p.new)
	if base == nil || new == nil {
		return nil
	}
	if differ(base, new) {
		p.causesDiffer = true
		return nil
	}
	add := func(m *Measure, unit stats.Unit, of func(*Costs) float64) {
		s := causeSeries{measure: m}
		mean := func(list []*Costs, values *[]float64) *float64 {
			sum, n := 0.0, 0.0
			for _, k := range list {
				x := math.NaN()
				if k != nil {
					x = of(k)
					sum += x
					n++
				}
				*values = append(*values, x)
			}
			sum /= n
			return &sum
		}
		m.Unit, m.Better = unit, stats.Lower
		m.Base, m.New = mean(base, &s.runs.Base), mean(new, &s.runs.New)
		delta := *m.New - *m.Base
		m.Delta = &delta
		if *m.Base != 0 {
			relative := delta / *m.Base
			m.Relative = &relative
		}
		*series = append(*series, s)
	}
	perSecond := func(d trace.Duration, k *Costs) float64 { return d.Milliseconds() / k.seconds }
	perFrame := func(d trace.Duration, k *Costs) float64 { return d.Milliseconds() / float64(k.frames) }
	c := &CauseChanges{waits: map[string]*Measure{}}
	c.Lost.Name = condition.LostMeasure
	add(&c.Lost, stats.MillisecondsPS, func(k *Costs) float64 { return perSecond(k.lost, k) })
	list := func(unit stats.Unit, of func(*Costs) causeTimes, per func(trace.Duration, *Costs) float64) []CauseChange {
		var changes []CauseChange
		for _, x := range causesOf(slices.Concat(base, new), of) {
			least := func(k *Costs) bool { return k != nil && per(of(k).of(x), k) >= leastCost }
			if slices.ContainsFunc(base, least) || slices.ContainsFunc(new, least) {
				changes = append(changes, CauseChange{Wait: x.wait, Stage: x.stage, Slice: x.slice})
			}
		}
		for i := range changes {
			x := cause{changes[i].Wait, changes[i].Stage, changes[i].Slice}
			add(&changes[i].Measure, unit, func(k *Costs) float64 { return per(of(k).of(x), k) })
		}
		return changes
	}
	c.Causes = list(stats.MillisecondsPS, func(k *Costs) causeTimes { return k.causes }, perSecond)
	c.Times = list(stats.Milliseconds, func(k *Costs) causeTimes { return k.times }, perFrame)
	for _, limit := range conditions {
		wait, unit, _ := condition.CauseMeasure(limit.Measure)
		if wait == "" || c.waits[limit.Measure] != nil {
			continue
		}
		sum := func(list causeTimes) (d trace.Duration) {
			for _, t := range list {
				if t.wait.String() == wait {
					d += t.time
				}
			}
			return d
		}
		m := &Measure{Name: limit.Measure}
		c.waits[limit.Measure] = m
		add(m, unit, func(k *Costs) float64 {
			if unit == stats.Milliseconds {
				return perFrame(sum(k.times), k)
			}
			return perSecond(sum(k.causes), k)
		})
	}
	return c
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
		if list[i] = s.Costs[p]; list[i] == nil || list[i].seconds <= 0 {
			return nil
		}
		known = true
	}
	if !known {
		return nil
	}
	return list
}

// causesOf returns all causes of a list of costs, in order.
func causesOf(list []*Costs, of func(*Costs) causeTimes) []cause {
	var all []cause
	for _, k := range list {
		if k == nil {
			continue
		}
		for _, t := range of(k) {
			all = append(all, t.cause)
		}
	}
	slices.SortFunc(all, compareCauses)
	return slices.Compact(all)
}

// testCauses computes the changes of the causes of all pairs. If there are enough runs, it
// tests those of lost time together, and those of the time of frames. These are two more
// families of tests. They only explain changes: if no tested measure of a pair changed, none
// of its causes is significant, so that the level holds for all families together.
func (d *Diff) testCauses(o Options) {
	var series []causeSeries
	for _, p := range d.Pairs {
		p.Causes = d.newCauses(p, o.FailOn, &series)
	}
	for _, unit := range []stats.Unit{stats.MillisecondsPS, stats.Milliseconds} {
		var list []stats.Runs
		var measures []*Measure
		for _, s := range series {
			if s.measure.Unit == unit {
				list, measures = append(list, s.runs), append(measures, s.measure)
			}
		}
		for i, change := range stats.CompareRuns(list) {
			measures[i].set(change, o.MinEffect)
		}
	}
	for _, p := range d.Pairs {
		if c := p.Causes; c != nil {
			if !p.significant() {
				c.unclear()
			}
			for _, list := range [][]CauseChange{c.Causes, c.Times} {
				slices.SortStableFunc(list, func(a, b CauseChange) int {
					return cmp.Compare(math.Abs(*b.Delta), math.Abs(*a.Delta))
				})
			}
		}
	}
}

// significant reports whether a tested measure changed significantly.
func (p *Pair) significant() bool {
	return slices.ContainsFunc(p.changes, func(m Measure) bool { return m.Significant != nil && *m.Significant })
}

// unclear makes no change significant.
func (c *CauseChanges) unclear() {
	all := []*Measure{&c.Lost}
	for _, list := range [][]CauseChange{c.Causes, c.Times} {
		for i := range list {
			all = append(all, &list[i].Measure)
		}
	}
	for _, m := range all {
		if m.Significant != nil {
			*m.Significant, m.Judgement = false, Unclear
		}
	}
}

// measure returns the measure of causes with a name, with nil values if it is unknown.
func (c *CauseChanges) measure(name string) *Measure {
	switch {
	case c == nil:
	case name == condition.LostMeasure:
		return &c.Lost
	case c.waits[name] != nil:
		return c.waits[name]
	}
	_, unit, _ := condition.CauseMeasure(name)
	return &Measure{Name: name, Unit: unit}
}

// The causes in tables and pages: those that changed by at least leastShown, in the unit of
// the list, and at most maxShown of a list.
const (
	maxShown        = 6
	leastShownLost  = 0.5 // ms/s
	leastShownFrame = 0.05
)

// causeTable is a list of changes of causes for people.
type causeTable struct {
	Title string
	Rows  []causeRow
}

type causeRow struct {
	Title, Base, New, Change, Verdict string
	Judgement                         Judgement
}

// causeTables returns the lists of what changed in the causes; none if nothing did.
func (p *Pair) causeTables() []causeTable {
	if p.Causes == nil {
		return nil
	}
	var tables []causeTable
	add := func(title string, list []CauseChange, total *Measure, least float64) {
		t := causeTable{Title: title}
		for i := range list {
			if c := &list[i]; math.Abs(*c.Delta) >= least && len(t.Rows) < maxShown {
				t.Rows = append(t.Rows, newCauseRow(text.Printable(c.Title()), &c.Measure))
			}
		}
		if total != nil && (*total.Base > 0 || *total.New > 0) {
			t.Rows = append(t.Rows, newCauseRow("all causes", total))
		}
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	add("Lost time by cause, ms/s", p.Causes.Causes, &p.Causes.Lost, leastShownLost)
	add("Mean time of a frame, ms", p.Causes.Times, nil, leastShownFrame)
	return tables
}

func newCauseRow(title string, m *Measure) causeRow {
	verdict := "not tested"
	if m.P != nil {
		verdict = m.Judgement.text()
	}
	return causeRow{title, text.Value(m.Unit, m.Base), text.Value(m.Unit, m.New), text.Change(m.Unit, m.Delta), verdict, m.Judgement}
}
