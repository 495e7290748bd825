package fleet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/diag"
	"ohframe/internal/diff"
	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// Order is the order of the values of a trend's dimension.
type Order string

// The orders.
const (
	// Natural compares numbers in values by size: 1.9 is before 1.10.
	Natural Order = "natural"
	// ByTime is by the first time at which a trace of a value was recorded.
	ByTime Order = "recorded"
)

// Orders are all orders.
var Orders = []string{string(Natural), string(ByTime)}

// TrendOptions select what a trend shows.
type TrendOptions struct {
	// Query selects groups. Top is shownTrends if it is zero.
	Query
	Over  string // the dimension whose values follow each other, such as "build"
	Order Order
	// Unit is the dimension whose values are measured in each build, or "trace"; empty for users or devices if all
	// datasets have them.
	Unit     string
	Measures []string // empty for all that are compared
}

// Trend is the measures of groups over the values of a dimension, here called builds.
type Trend struct {
	Datasets []*Dataset
	TrendOptions
	Builds []string // in order
	Groups []*TrendGroup
	Total  int // number of groups of the datasets
	Test   *significance.Shifts

	table    table
	warnings []string
	sources  []*side    // by dataset
	commits  [][]string // of the builds, in order; nil without revisions
}

// TrendGroup is a group of a trend.
type TrendGroup struct {
	Key    []*string
	Series []*TrendSeries // in the order of TrendOptions.Measures

	counts int64       // frames or buffers
	rows   []*surveyed // by build; nil without rows
}

// TrendSeries is a measure of a group.
type TrendSeries struct {
	Measure *stats.Measure
	Points  []TrendPoint // by build
	Tested  bool
	// Needed is the number of units that a build needs to be tested.
	Needed int
	// Detectable is as that of significance.SequenceResult.
	Detectable float64
	Changes    []*TrendChange // those that count

	sequence significance.Sequence
}

// TrendPoint is the value of a measure in a build.
type TrendPoint struct {
	Units int `json:"units"` // with a known value
	// Value is the mean of the units, nil if unknown. Low and High are the ends of its 96 % confidence
	// interval, nil with fewer than two units.
	Value  *float64 `json:"value"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	Tested bool     `json:"tested"`
}

// TrendChange is a change of the level of a series.
type TrendChange struct {
	*diff.Measure // from the builds before to the builds after
	significance.Shift
	// Commits are the last revision before and the first one after; nil if unknown. Those of BackCommits
	// are around the place where the change was taken back.
	Commits, BackCommits *CommitRange
	// Lost is the time that late frames lost, per frame; nil if it is unknown. Causes are those that grew
	// if the change is for the worse, otherwise those that fell, the largest change first.
	Lost   *LostChange
	Causes []CauseChange
}

const (
	// shownTrends is the default of TrendOptions.Top: the more is tested, the less is found in each.
	shownTrends = 20
	// trendUnits bounds the time: of more units of a group in a build, so many are measured. They are
	// the same ones in all builds if these have them.
	trendUnits = 256
)

// NewTrend returns the trend of datasets, and tests where it changes.
func NewTrend(ctx context.Context, datasets []*Dataset, o TrendOptions) (*Trend, error) {
	t := &Trend{Datasets: datasets, TrendOptions: o}
	t.Order, t.Top = cmp.Or(t.Order, Natural), cmp.Or(t.Top, shownTrends)
	t.By = slices.DeleteFunc(slices.Clone(o.By), func(name string) bool { return name == o.Over })
	var err error
	if t.table, err = tableOf(t.By); err != nil {
		return nil, err
	}
	t.By = t.table.like(t.By)
	if slices.Contains(append(slices.Clone(trendless), t.By...), o.Over) {
		return nil, &diag.Error{What: fmt.Sprintf("--over %s: not a dimension whose values follow each other", o.Over), Hint: "--over build, version or recorded_day"}
	}
	if err := t.setMeasures(); err != nil {
		return nil, err
	}
	if t.Unit == "" {
		t.Unit = cmp.Or(unitDim(datasets...), "trace")
	}
	found, sources, err := t.survey(ctx, t.By, t.Process)
	if err != nil {
		return nil, err
	}
	t.sources = sources
	t.setBuilds(found)
	t.setGroups(found)
	if err := t.measure(ctx); err != nil {
		return nil, err
	}
	t.test()
	return t, t.explain(ctx)
}

// trendless are dimensions without an order in time.
var trendless = []string{"kind", "process", "format", sceneDim, pageDim, layerDim}

// setMeasures checks the names of measures.
func (t *Trend) setMeasures() error {
	known := compared[t.table]
	if len(t.Measures) == 0 {
		t.Measures = known
	}
	for _, name := range t.Measures {
		if !slices.Contains(known, name) {
			return &diag.Error{What: fmt.Sprintf("no measure %q of %s", name, t.table.name()), Hint: "--measure " + strings.Join(known, ",")}
		}
	}
	return nil
}

// survey returns the groups by some dimensions and the build of all datasets, by key. The build is the
// last value of the key. It also returns what reads the rows of each dataset.
func (t *Trend) survey(ctx context.Context, by []string, process string) (map[string]*surveyed, []*side, error) {
	all := map[string]*surveyed{}
	var sources []*side
	for _, d := range t.Datasets {
		s, err := newSide(ctx, d, Query{By: append(slices.Clone(by), t.Over), Process: process}, t.Unit)
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, s)
		for id, g := range s.groups {
			if all[id] == nil {
				all[id] = g
			} else {
				all[id].merge(g)
			}
		}
		if len(all) > maxGroups {
			return nil, nil, errTooManyGroups
		}
	}
	return all, sources, nil
}

// setBuilds sets the builds in their order.
func (t *Trend) setBuilds(found map[string]*surveyed) {
	first, unknown := map[string]*surveyed{}, 0
	for _, g := range found {
		build := g.key[len(g.key)-1]
		if build == nil {
			for _, n := range g.units {
				unknown += n
			}
			continue
		}
		if first[*build] == nil {
			first[*build] = &surveyed{}
		}
		first[*build].addRecorded(g.recorded)
	}
	natural := func(a, b string) int { return compareKeys([]*string{&a}, []*string{&b}) }
	time := func(name string) int64 {
		if at := first[name].recorded; at != nil {
			return *at
		}
		return math.MaxInt64
	}
	byTime := func(a, b string) int { return cmp.Or(cmp.Compare(time(a), time(b)), natural(a, b)) }
	t.Builds = slices.SortedFunc(maps.Keys(first), natural)
	if t.Order == ByTime {
		slices.SortFunc(t.Builds, byTime)
	} else {
		for i, name := range t.Builds[:max(0, len(t.Builds)-1)] {
			if later := t.Builds[i+1]; time(later) < time(name) && time(name) < math.MaxInt64 {
				t.warnings = append(t.warnings, fmt.Sprintf("%s %s was recorded before %s, which precedes it in natural order; --order recorded sorts by the first time", t.name(), keyText(&later), keyText(&name)))
				break
			}
		}
	}
	for _, name := range t.Builds {
		if t.Order == ByTime && first[name].recorded == nil {
			t.warnings = append(t.warnings, fmt.Sprintf("nothing says when %s %s was recorded: it is last", t.name(), keyText(&name)))
		}
	}
	if unknown > 0 {
		t.warnings = append(t.warnings, fmt.Sprintf("%s without a %s left out", text.Count(unknown, "row"), t.name()))
	}
}

// name is what a build is called.
func (t *Trend) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(t.Over, "recorded_"), "_", " ")
}

// setGroups sets the groups with the most frames, without values.
func (t *Trend) setGroups(found map[string]*surveyed) {
	builds := make([]*side, len(t.Builds))
	at := map[string]int{}
	for i, name := range t.Builds {
		builds[i], at[name] = &side{groups: map[string]*surveyed{}}, i
	}
	for id, g := range found {
		n := len(g.key) - 1
		if build := g.key[n]; build != nil {
			g.key, g.ids = slices.Clone(g.key[:n]), []string{id}
			builds[at[*build]].groups[idOf(g.key)] = g
		}
	}
	if page := slices.Index(t.By, pageDim); page >= 0 {
		mergePages(builds, page)
	}
	groups := map[string]*TrendGroup{}
	for i, b := range builds {
		for id, rows := range b.groups {
			if groups[id] == nil {
				groups[id] = &TrendGroup{Key: rows.key, rows: make([]*surveyed, len(builds))}
			}
			groups[id].rows[i] = rows
			groups[id].counts += rows.counts
			if rows.all = len(rows.units); rows.all > trendUnits {
				for _, hash := range slices.Sorted(maps.Keys(rows.units))[trendUnits:] {
					delete(rows.units, hash)
				}
			}
		}
	}
	t.Total = len(groups)
	t.Groups = slices.SortedFunc(maps.Values(groups), func(a, b *TrendGroup) int {
		return cmp.Or(cmp.Compare(b.counts, a.counts), compareKeys(a.Key, b.Key))
	})
	t.Groups = t.Groups[:min(t.Top, t.Total)]
}

// eachUnit calls yield with the sum of each unit of groups, by group, build and unit. w says what is
// summed.
func (t *Trend) eachUnit(ctx context.Context, groups []*TrendGroup, w wanted, yield func(g *TrendGroup, build int, unit uint64, sum *Group)) error {
	type cell struct {
		group *TrendGroup
		build int
	}
	var cells []cell
	var list []*surveyed
	for _, g := range groups {
		for build, rows := range g.rows {
			if rows != nil {
				cells, list = append(cells, cell{g, build}), append(list, rows)
			}
		}
	}
	return eachUnit(ctx, t.sources, list, w, func(i int, unit uint64, sum *Group) { yield(cells[i].group, cells[i].build, unit, sum) })
}

// measure sets the values of all series.
func (t *Trend) measure(ctx context.Context) error {
	values := map[*TrendSeries][]buildValues{}
	for _, g := range t.Groups {
		for _, name := range t.Measures {
			s := &TrendSeries{Measure: measures.Named(name)}
			g.Series, values[s] = append(g.Series, s), make([]buildValues, len(t.Builds))
		}
	}
	err := t.eachUnit(ctx, t.Groups, wanted{sums: true, histograms: durationHistogram + 1, table: t.table}, func(g *TrendGroup, build int, unit uint64, sum *Group) {
		for _, s := range g.Series {
			values[s][build].add(unit, s.Measure, sum)
		}
	})
	for s, builds := range values {
		s.set(builds)
	}
	return err
}

// buildValues are the values of a measure in the units of a build, with the hashes of these.
type buildValues struct {
	unitValues
	units []uint64
}

// add adds a unit, whose rows are those of a group.
func (v *buildValues) add(unit uint64, m *stats.Measure, sum *Group) {
	unknown := significance.Exactly(math.NaN())
	v.units, v.all, v.tested = append(v.units, unit), append(v.all, unknown), append(v.tested, unknown)
	v.set(len(v.units)-1, m, sum)
}

// set sets the points and the sequence from the values by build.
func (s *TrendSeries) set(builds []buildValues) {
	var counts []int
	for _, v := range builds {
		if n := count(v.tested); n > 0 {
			counts = append(counts, n)
		}
	}
	slices.Sort(counts)
	if s.Needed = minUnits; len(counts) > 0 {
		s.Needed = min(minUnits, counts[len(counts)/2])
	}
	panel := make([][]significance.Observation, len(builds))
	for i, v := range builds {
		p := TrendPoint{Tested: count(v.tested) >= s.Needed}
		level := math.NaN()
		if p.Tested {
			v.all = v.tested
			level = *diff.MeanOf(v.all)
			for k, u := range v.all {
				if u.Known() {
					panel[i] = append(panel[i], significance.Observation{Unit: v.units[k], Value: u.Value})
				}
			}
		}
		s.sequence.Values = append(s.sequence.Values, level)
		p.Units, p.Value = count(v.all), diff.MeanOf(v.all)
		if low, high := significance.Interval(v.all); p.Units > 1 {
			low = max(0, low) // no measure is negative
			if s.Measure.Unit == stats.Share {
				high = min(1, high)
			}
			p.Low, p.High = &low, &high
		}
		s.Points = append(s.Points, p)
	}
	s.sequence.Covariance, s.sequence.Resembling = significance.Covariance(panel)
}

// test looks for changes in all series together.
func (t *Trend) test() {
	var sequences []significance.Sequence
	var series []*TrendSeries
	for _, g := range t.Groups {
		for _, s := range g.Series {
			sequences, series = append(sequences, s.sequence), append(series, s)
		}
	}
	t.Test = significance.TestSequences(sequences)
	for i, s := range series {
		r := &t.Test.Sequences[i]
		s.Tested, s.Detectable = r.Tested, r.Detectable
		for _, shift := range r.Shifts {
			c := &TrendChange{Shift: shift, Measure: diff.NewMeasure(s.Measure, &shift.Before, &shift.After, nil, condition.Advice{})}
			c.Conclude(shift.P, shift.Low, shift.High)
			if c.Verdict.Significant() {
				s.Changes = append(s.Changes, c)
			}
		}
	}
}

// back returns the first build in which the change is taken back, 0 if it is not.
func (c *TrendChange) back() int {
	if c.Back == nil {
		return 0
	}
	return c.Back.At
}

// after returns 1 if a build of a change is after it and before it was taken back, otherwise 0.
func (c *TrendChange) after(build int) int {
	if back := c.back(); build >= c.At && (back == 0 || build < back) {
		return 1
	}
	return 0
}
