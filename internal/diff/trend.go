package diff

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// TrendOptions select what a trend shows.
type TrendOptions struct {
	Over string // the dimension whose values follow each other, such as "build"
	// By are dimensions that divide groups. "scene" and "page" select interactions, "layer" layers; otherwise
	// the trend is of processes.
	By []string
	// Unit is "trace", "session" or a dimension; empty for users or devices if each build knows them, otherwise traces.
	Unit string
	Top  int // groups with the most frames; 0 for all
	// Process and Pattern are as in Options.
	Process func(*stats.Process) bool
	Pattern string
}

// Trend is how measures of groups develop over the values of a dimension, here called builds, and where they change.
type Trend struct {
	Over  string `json:"over"`  // the dimension
	Order string `json:"order"` // "natural": numbers by size; "recorded", of commits: by the first time of a trace
	Of    string `json:"of"`    // "processes", "interactions" or "layers"
	// other dimensions that divide groups
	By       []string            `json:"by"`
	Unit     string              `json:"unit"`         // "run", "session", or a dimension such as "device"
	Runs     int                 `json:"runs"`         // number of traces with a known value of "over"
	Level    float64             `json:"level"`        // 0.04
	Power    float64             `json:"power"`        // 0.8
	Method   significance.Method `json:"method"`       // "permutation" or "moderated_t"; empty if nothing was tested
	Tested   int                 `json:"tested"`       // number of measures of groups that were tested together
	Warnings []string            `json:"warnings"`     // what limits the trend
	Builds   []string            `json:"values"`       // the values of "over" in order, here called builds
	Total    int                 `json:"groups_total"` // number of groups of the inputs
	Groups   []*TrendGroup       `json:"groups"`       // the groups with the most frames
	Skipped  []view.SkippedInput `json:"skipped"`      // inputs that were skipped

	TrendOptions `json:"-"`
	kind         *kind
	add          func(*stats.Report, map[*stats.Process]*Costs) []trendItem
	measures     []*stats.Measure
	runs         []*trendRun
	others       map[string]*stats.Process // that are not selected, by name
	causes       map[cause]int
	titles       []string   // of causes, by their numbers
	commits      [][]string // of the builds, in order
}

// TrendGroup is a group of a trend.
type TrendGroup struct {
	groupKey
	Key    []*string      `json:"by"`       // the values of "by"; null is unknown
	Series []*TrendSeries `json:"measures"` // the measures that are compared

	size   int
	builds []map[uint64][]*trendItem // the runs of units, by build; nil without any
}

// TrendSeries is a measure of a group.
type TrendSeries struct {
	Name   string     `json:"measure"` // name, as in conditions
	Unit   stats.Unit `json:"unit"`    // as in "diff"
	Tested bool       `json:"tested"`  // four builds or more have enough units
	// the lasting change in the middle that is found in 80 of 100 histories; nil if it was not tested
	Detectable *float64       `json:"detectable"`
	Points     []trendPoint   `json:"points"`  // of the builds that have the group
	Changes    []*trendChange `json:"changes"` // those that are significant

	measure  *stats.Measure
	sequence significance.Sequence
	needed   int   // number of units that a build needs to be tested
	points   []int // by build: an index of Points, or -1
}

// trendPoint is the value of a measure in a build.
type trendPoint struct {
	Build string `json:"at"`    // the build
	Units int    `json:"units"` // number of units with a known value
	// the mean of the units; nil if it is unknown
	Value *float64 `json:"value"`
	// the 96 % interval of the mean; nil with fewer than two units
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	Tested bool     `json:"tested"` // enough units have enough frames
}

// TrendPlace is where a level changes.
type TrendPlace struct {
	At       string `json:"at"`        // the first build after the change
	Earliest string `json:"earliest"`  // it may as well be any from here
	Latest   string `json:"latest"`    // to here
	LastOnly bool   `json:"last_only"` // only the last build is after it
	// the last commit before and the first one after, by the dimension revision or commit; nil if unknown
	Commits *TrendCommits `json:"commits"`
	place   significance.Place
}

// TrendCommits are the commits around a place.
type TrendCommits struct {
	Before string `json:"before"` // the last commit before
	After  string `json:"after"`  // the first commit after
}

// trendChange is a change of the level of a measure.
type trendChange struct {
	TrendPlace
	TakenBack *TrendPlace `json:"taken_back"` // where the change was taken back; nil if it was not
	*Measure              // from the builds before to those after
	// the time that late frames lost, in ms/s; nil if it is unknown
	Lost *trendCause `json:"lost"`
	// those that grew with a change for the worse, or fell with one for the better; the largest change first
	Causes []trendCause `json:"causes"`
	shift  significance.Shift
}

// trendCause is a change of the time that late frames lost by a cause.
type trendCause struct {
	Cause *string `json:"title"` // the cause in a few words, for people; nil in "lost"
	Base  float64 `json:"base"`  // the time before and after, in ms/s: means of units and builds
	New   float64 `json:"new"`
	// share of what all causes grew or fell by; nil in "lost"
	Share *float64 `json:"share"`
}

// trendRun is what a trend keeps of a run.
type trendRun struct {
	name string
	Recording
	recorded int64 // math.MaxInt64 if unknown
	build    int
	items    []trendItem
}

// trendItem is what a run has of a group.
type trendItem struct {
	identity unique.Handle[identity]
	size     int
	values   []average // in the order of Trend.measures
	lost     []lostBy
	judged   bool // lost is known
}

// average is the mean of the known values of the items of a run.
type average struct {
	sum    float64
	n      int32
	enough bool // of as many frames as a test needs
}

// lostBy is the time lost by a cause, in ms/s.
type lostBy struct {
	cause int
	lost  float64
}

// trendUnits bounds the time: of more units of a group in a build, so many are measured. They are the same ones in
// all builds if these have them.
const trendUnits = 256

var processKind = kindOf[stats.Process]{
	kind:    kind{noun: "process", nouns: "processes", sizes: "Frames", measures: stats.Measures, title: func(*Group) string { return "" }},
	items:   func(r *stats.Report) []*stats.Process { return r.Processes },
	process: func(p *stats.Process) *stats.Process { return p },
	key:     func(p *stats.Process) groupKey { return groupKey{Kind: string(p.Kind), Process: optional(p.Name)} },
	size:    func(p *stats.Process) int { return p.Frames.Complete },
}

// NewTrend returns a trend without runs. Each is added with Add, then Test looks for changes.
func NewTrend(o TrendOptions) (*Trend, error) {
	t := &Trend{TrendOptions: o, Over: o.Over, Order: "natural", Level: significance.Level, Power: significance.Power, By: []string{}, Warnings: []string{}, causes: map[cause]int{}, others: map[string]*stats.Process{}}
	if slices.Contains(revisions, o.Over) {
		t.Order = byTime
	}
	of := map[string]bool{}
	for _, name := range o.By {
		switch name {
		case "scene", "page":
			of["interactions"] = true
		case "layer":
			of["layers"] = true
		case "kind", "process", o.Over:
		default:
			t.By = append(t.By, name)
		}
	}
	switch {
	case len(of) > 1:
		return nil, &Error{What: "groups are of interactions or of layers, not of both", Hint: "--by without scene and page, or without layer"}
	case slices.Contains([]string{"kind", "process", "scene", "page", "layer"}, o.Over):
		return nil, &Error{What: fmt.Sprintf("--over %s: not a dimension whose values follow each other", o.Over), Hint: "--over build, version or recorded_day"}
	case of["interactions"]:
		itemsOf(t, &interactionKind)
	case of["layers"]:
		itemsOf(t, &layerKind)
	default:
		itemsOf(t, &processKind)
	}
	t.Of = t.kind.nouns
	return t, nil
}

// itemsOf sets what a trend is of.
func itemsOf[T any](t *Trend, k *kindOf[T]) {
	t.kind = &k.kind
	for i := range k.measures {
		if k.measures[i].Tested {
			t.measures = append(t.measures, &k.measures[i])
		}
	}
	t.add = func(r *stats.Report, costs map[*stats.Process]*Costs) (list []trendItem) {
		items := slices.DeleteFunc(slices.Clone(k.items(r)), func(x *T) bool {
			p := k.process(x)
			if t.Process != nil && p != nil && !t.Process(p) {
				t.others[strings.Clone(p.Name)] = &stats.Process{Kind: p.Kind, PID: p.PID, Name: strings.Clone(p.Name)}
			}
			return k.size(x) == 0 || k.cut != nil && k.cut(x) || t.Process != nil && (p == nil || !t.Process(p))
		})
		found := map[identity][]*T{}
		names := k.identities(items)
		for i, x := range items {
			found[names[i]] = append(found[names[i]], x)
		}
		for i := range items {
			of := found[names[i]]
			if of == nil {
				continue // counted with an earlier one
			}
			delete(found, names[i])
			x := trendItem{identity: unique.Make(names[i]), values: make([]average, len(t.measures))}
			for _, item := range of {
				x.size += k.size(item)
			}
			if k.join != nil {
				of = []*T{k.join(of)}
			}
			for _, item := range of {
				x.add(t, item)
				if p, ok := any(item).(*stats.Process); ok && costs[p] != nil {
					x.addCosts(t, costs[p])
				}
			}
			list = append(list, x)
		}
		return list
	}
}

// add adds the values of a *stats.Process, a *stats.Interaction or a *stats.Layer.
func (x *trendItem) add(t *Trend, item any) {
	p, _ := item.(*stats.Process)
	for i, m := range t.measures {
		value := m.Value(item)
		if value == nil {
			continue
		}
		v := &x.values[i]
		v.sum, v.n = v.sum+*value, v.n+1
		v.enough = v.enough || p == nil || p.Enough(m)
	}
}

func (x *trendItem) addCosts(t *Trend, k *Costs) {
	if k.unjudged || k.seconds <= 0 || x.judged {
		return
	}
	x.judged = true
	for _, c := range slices.SortedFunc(maps.Keys(k.causes), compareCauses) {
		n, known := t.causes[c]
		if !known {
			n = len(t.titles)
			c.slice = strings.Clone(c.slice)
			t.causes[c], t.titles = n, append(t.titles, c.title())
		}
		x.lost = append(x.lost, lostBy{n, k.perSecond(k.causes[c])})
	}
}

// Add adds a run, of whose measures the trend keeps the values only. recorded is when it was recorded, in microseconds since
// 1970; nil if unknown.
func (t *Trend) Add(run Side, recorded *int64) {
	r := &trendRun{name: run.Name, Recording: run.Recording, recorded: math.MaxInt64, build: -1, items: t.add(run.Stats, run.Costs)}
	if recorded != nil {
		r.recorded = *recorded
	}
	t.runs = append(t.runs, r)
}

// recordedDay is the dimension of the day on which a run was recorded, in UTC.
const recordedDay = "recorded_day"

// of returns the value of a dimension, empty if it is unknown.
func (r *trendRun) of(dim string) string {
	if dim == recordedDay && r.recorded != math.MaxInt64 {
		return time.UnixMicro(r.recorded).UTC().Format(time.DateOnly)
	}
	return r.in(dim)
}

// Test looks for changes in what was added. The order of runs is of no account.
func (t *Trend) Test() error {
	slices.SortStableFunc(t.runs, func(a, b *trendRun) int { return cmp.Compare(a.name, b.name) })
	if err := t.setBuilds(); err != nil {
		return err
	}
	if err := t.setUnit(); err != nil {
		return err
	}
	t.setGroups()
	if t.Total == 0 && t.Process != nil {
		var others []*stats.Process
		for _, name := range slices.Sorted(maps.Keys(t.others)) {
			others = append(others, t.others[name])
		}
		none := text.NoneSelectedError(t.Pattern, text.Names(others), others)
		return &Error{What: "--process: " + none.What, Hint: none.Hint}
	}
	for _, g := range t.Groups {
		for i, m := range t.measures {
			if m.Launch == ((&Group{groupKey: g.groupKey}).isLaunch()) {
				g.Series = append(g.Series, t.newSeries(g, i))
			}
		}
	}
	t.test()
	t.setCommits()
	for _, g := range t.Groups {
		for _, s := range g.Series {
			for _, c := range s.Changes {
				t.addCauses(g, s, c)
			}
		}
	}
	t.warnOfMixes()
	t.runs = nil
	return nil
}

// mostMixes is the number of changes whose mixes are compared.
const mostMixes = 5

// warnOfMixes warns if other dimensions are mixed otherwise after a change: what differs between phones and tablets is
// then one.
func (t *Trend) warnOfMixes() {
	events, warned := t.events(), map[string]bool{}
	for _, e := range events[:min(len(events), mostMixes)] {
		c, d := e.changes[0], &Diff{}
		if warned[c.At] {
			continue
		}
		warned[c.At] = true
		for _, r := range t.runs {
			if r.build >= c.shift.From && r.build < c.shift.To {
				side := d.sides()[c.after(r.build)]
				side.runs = append(side.runs, Side{Name: r.name, Recording: r.Recording})
			}
		}
		if d.setUnit(t.Unit) == nil { // otherwise a side knows no unit
			for _, warning := range d.mixWarnings() {
				t.warn("From %s on: %s", t.buildText(c.At), warning)
			}
		}
	}
}

// knownDims returns the dimensions that runs have.
func (t *Trend) knownDims() []string {
	known := map[string]bool{}
	for _, r := range t.runs {
		for dim := range r.Dims {
			known[dim] = true
		}
		if r.recorded != math.MaxInt64 {
			known[recordedDay] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}

// check returns an error if no run has a dimension.
func (t *Trend) check(flag, dim string) error {
	known := t.knownDims()
	if slices.Contains(known, dim) {
		return nil
	}
	hint := "no input has a dimension: folders such as build=1.2 give them"
	if len(known) > 0 {
		hint = "the dimensions are " + strings.Join(known, ", ")
	}
	return &Error{What: fmt.Sprintf("--%s: no input has the dimension %q", flag, dim), Hint: text.Suggest("", dim, known, hint)}
}

// setBuilds sets the builds in their order, and leaves out runs without one.
func (t *Trend) setBuilds() error {
	for _, dim := range t.By {
		if err := t.check("by", dim); err != nil {
			return err
		}
	}
	if err := t.check("over", t.Over); err != nil {
		return err
	}
	first := map[string]int64{}
	all := len(t.runs)
	t.runs = slices.DeleteFunc(t.runs, func(r *trendRun) bool {
		build := r.of(t.Over)
		if at, known := first[build]; build != "" && (!known || r.recorded < at) {
			first[build] = r.recorded
		}
		return build == ""
	})
	natural := func(a, b string) int { return cmp.Or(text.CompareNatural(a, b), cmp.Compare(a, b)) }
	t.Builds = slices.SortedFunc(maps.Keys(first), natural)
	if t.Order == byTime {
		slices.SortFunc(t.Builds, func(a, b string) int { return cmp.Or(cmp.Compare(first[a], first[b]), natural(a, b)) })
		for _, name := range t.Builds {
			if first[name] == math.MaxInt64 {
				t.warn("nothing says when %s was recorded: it is last", t.buildText(name))
			}
		}
	} else if i := slices.IndexFunc(t.Builds[1:], func(name string) bool { return first[name] < first[t.Builds[slices.Index(t.Builds, name)-1]] }); i >= 0 {
		t.warn("%s was recorded before %s, which precedes it in natural order; commits in the dimension revision are in the order of time", t.buildText(t.Builds[i+1]), text.Printable(t.Builds[i]))
	}
	for _, r := range t.runs {
		r.build = slices.Index(t.Builds, r.of(t.Over))
	}
	t.Runs = len(t.runs)
	if n := all - len(t.runs); n > 0 {
		t.warn("%s without a %s left out", text.Count(n, "trace"), t.name())
	}
	return nil
}

func (t *Trend) warn(format string, args ...any) {
	t.Warnings = append(t.Warnings, fmt.Sprintf(format, args...))
}

// setUnit chooses the unit.
func (t *Trend) setUnit() error {
	switch t.Unit = t.TrendOptions.Unit; t.Unit {
	case traceUnit, runUnit:
		t.Unit = runUnit
	case "":
		t.Unit = runUnit
		for _, unit := range usualUnits[:2] {
			builds := map[int]bool{}
			for _, r := range t.runs {
				if r.in(unit) != "" {
					builds[r.build] = true
				}
			}
			if len(builds) == len(t.Builds) {
				t.Unit = unit
				break
			}
		}
	case sessionUnit:
		return nil
	default:
		if err := t.check("unit", t.Unit); err != nil {
			return err
		}
	}
	if t.Unit != runUnit {
		unknown := 0
		for _, r := range t.runs {
			if r.in(t.Unit) == "" {
				unknown++
			}
		}
		if unknown > 0 {
			t.warn("%s without a %s left out", text.Count(unknown, "trace"), t.Unit)
		}
	}
	return nil
}

// setGroups sets the groups with the most frames, without values.
func (t *Trend) setGroups() {
	sides := make([][][]identity, len(t.Builds))
	apps := appNames{full: map[string][]string{}}
	for _, r := range t.runs {
		var names []identity
		for i := range r.items {
			id := r.items[i].identity.Value()
			apps.add(string(id.Process))
			names = append(names, id)
		}
		sides[r.build] = append(sides[r.build], names)
	}
	key := keys(t.kind.detail, apps, sides)
	groups := map[string]*TrendGroup{}
	for _, r := range t.runs {
		unit := r.name
		if t.Unit != runUnit {
			if unit = r.in(t.Unit); unit == "" && t.Unit != sessionUnit {
				continue
			}
		}
		values, by := make([]string, len(t.By)), make([]*string, len(t.By))
		for i, dim := range t.By {
			if values[i] = r.of(dim); values[i] != "" {
				by[i] = &values[i]
			}
		}
		for i := range r.items {
			x := &r.items[i]
			k := key(r.build, x.identity.Value())
			id := fmt.Sprintf("%q %q", k, values)
			g := groups[id]
			if g == nil {
				g = &TrendGroup{groupKey: k, Key: by, builds: make([]map[uint64][]*trendItem, len(t.Builds))}
				groups[id] = g
			}
			if g.size += x.size; g.builds[r.build] == nil {
				g.builds[r.build] = map[uint64][]*trendItem{}
			}
			hash := xxh3.HashString(unit)
			g.builds[r.build][hash] = append(g.builds[r.build][hash], x)
		}
	}
	t.Total, t.Groups = len(groups), []*TrendGroup{}
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		t.Groups = append(t.Groups, groups[id])
	}
	slices.SortStableFunc(t.Groups, func(a, b *TrendGroup) int { return cmp.Compare(b.size, a.size) })
	if t.Top > 0 {
		t.Groups = t.Groups[:min(t.Top, t.Total)]
	}
}

// unitsOf returns the units of a group in a build that are measured.
func (g *TrendGroup) unitsOf(build int) []uint64 {
	list := slices.Sorted(maps.Keys(g.builds[build]))
	return list[:min(len(list), trendUnits)]
}

// newSeries returns a measure of a group.
func (t *Trend) newSeries(g *TrendGroup, measure int) *TrendSeries {
	builds := make([]trendValues, len(t.Builds))
	for i := range builds {
		for _, unit := range g.unitsOf(i) {
			var all, enough []float64
			for _, x := range g.builds[i][unit] {
				if v := x.values[measure]; v.n > 0 {
					mean := v.sum / float64(v.n)
					if all = append(all, mean); v.enough {
						enough = append(enough, mean)
					}
				}
			}
			builds[i].add(unit, mean(all), mean(enough))
		}
	}
	s := newTrendSeries(t.measures[measure], builds)
	for i := range t.Builds {
		s.points = append(s.points, -1)
		if g.builds[i] != nil {
			s.points[i] = len(s.Points)
			p := builds[i].point
			p.Build = t.Builds[i]
			s.Points = append(s.Points, p)
		}
	}
	return s
}

// trendValues are the values of a measure in the units of a build, and what is known of it.
type trendValues struct {
	units       []uint64
	all, tested []significance.UnitValue
	point       trendPoint
}

func (v *trendValues) add(unit uint64, all, tested *float64) {
	v.units, v.all, v.tested = append(v.units, unit), append(v.all, valueOf(all)), append(v.tested, valueOf(tested))
}

// newTrendSeries returns a series of builds, and sets their points.
func newTrendSeries(m *stats.Measure, builds []trendValues) *TrendSeries {
	s := &TrendSeries{Name: m.Name, Unit: m.Unit, measure: m, needed: minUnits, Points: []trendPoint{}, Changes: []*trendChange{}}
	var counts []int
	for _, v := range builds {
		if n := known(v.tested); n > 0 {
			counts = append(counts, n)
		}
	}
	if slices.Sort(counts); len(counts) > 0 {
		s.needed = min(minUnits, counts[len(counts)/2])
	}
	panel := make([][]significance.Observation, len(builds))
	for i := range builds {
		v := &builds[i]
		p := &v.point
		level := math.NaN()
		if p.Tested = known(v.tested) >= s.needed; p.Tested {
			v.all = v.tested
			level = *meanOf(v.all)
			for k, u := range v.all {
				if u.Known() {
					panel[i] = append(panel[i], significance.Observation{Unit: v.units[k], Value: u.Value})
				}
			}
		}
		s.sequence.Values = append(s.sequence.Values, level)
		p.Units, p.Value = known(v.all), meanOf(v.all)
		if low, high := significance.Interval(v.all); p.Units > 1 {
			low = max(0, low) // no measure is negative
			if m.Unit == stats.Share {
				high = min(1, high)
			}
			p.Low, p.High = &low, &high
		}
	}
	s.sequence.Covariance, s.sequence.Resembling = significance.Covariance(panel)
	return s
}

// test looks for changes in all series together.
func (t *Trend) test() *significance.Shifts {
	var sequences []significance.Sequence
	var list []*TrendSeries
	for _, g := range t.Groups {
		for _, s := range g.Series {
			sequences, list = append(sequences, s.sequence), append(list, s)
		}
	}
	test := significance.TestSequences(sequences)
	t.Method, t.Tested = test.Method, test.Tested
	for i, s := range list {
		r := &test.Sequences[i]
		if s.Tested = r.Tested; r.Tested && !math.IsNaN(r.Detectable) {
			s.Detectable = &r.Detectable
		}
		for _, shift := range r.Shifts {
			c := &trendChange{TrendPlace: t.place(&shift.Place), Measure: newMeasure(s.measure, &shift.Before, &shift.After, nil, condition.Advice{}), Causes: []trendCause{}, shift: shift}
			c.conclude(shift.P, shift.Low, shift.High, c.smallest(nil))
			if !c.Verdict.significant() {
				continue
			}
			if shift.Back != nil {
				back := t.place(shift.Back)
				c.TakenBack = &back
			}
			s.Changes = append(s.Changes, c)
		}
	}
	return test
}

func (t *Trend) place(p *significance.Place) TrendPlace {
	return TrendPlace{At: t.Builds[p.At], Earliest: t.Builds[p.Earliest], Latest: t.Builds[p.Latest], LastOnly: p.LastOnly, place: *p}
}

// after returns 1 if a build of a change is after it and before it was taken back, otherwise 0.
func (c *trendChange) after(build int) int {
	if build >= c.place.At && (c.TakenBack == nil || build < c.TakenBack.place.At) {
		return 1
	}
	return 0
}

// revisions are the dimensions that have commits, the best first.
var revisions = []string{"revision", "commit"}

// byTime is the order of commits.
const byTime = "recorded"

// setCommits sets the commits of the builds, by the first time at which a trace of each was recorded, and those
// around the places of changes.
func (t *Trend) setCommits() {
	dim := t.Over
	if !slices.Contains(revisions, dim) {
		known := t.knownDims()
		i := slices.IndexFunc(revisions, func(name string) bool { return slices.Contains(known, name) })
		if i < 0 {
			return
		}
		dim = revisions[i]
	}
	first := make([]map[string]int64, len(t.Builds))
	for _, r := range t.runs {
		if commit := r.of(dim); commit != "" {
			if first[r.build] == nil {
				first[r.build] = map[string]int64{}
			}
			if at, known := first[r.build][commit]; !known || r.recorded < at {
				first[r.build][commit] = r.recorded
			}
		}
	}
	for _, of := range first {
		t.commits = append(t.commits, slices.SortedFunc(maps.Keys(of), func(a, b string) int {
			return cmp.Or(cmp.Compare(of[a], of[b]), text.CompareNatural(a, b), cmp.Compare(a, b))
		}))
	}
	for _, g := range t.Groups {
		for _, s := range g.Series {
			for _, c := range s.Changes {
				t.addCommits(s, &c.TrendPlace)
				t.addCommits(s, c.TakenBack)
			}
		}
	}
}

// addCommits adds the commits around a place, which may be nil.
func (t *Trend) addCommits(s *TrendSeries, p *TrendPlace) {
	if p == nil {
		return
	}
	last := p.place.At - 1 // the last tested build before it
	for math.IsNaN(s.sequence.Values[last]) {
		last--
	}
	if before, after := t.commits[last], t.commits[p.place.At]; len(before) > 0 && len(after) > 0 {
		p.Commits = &TrendCommits{before[len(before)-1], after[0]}
	}
}

// mostTrendCauses is the number of causes of a change.
const mostTrendCauses = 10

// addCauses adds the causes that changed in the direction of the change.
func (t *Trend) addCauses(g *TrendGroup, s *TrendSeries, c *trendChange) {
	var sides [2]map[int]float64
	var builds [2]float64
	for i := c.shift.From; i < c.shift.To; i++ {
		of, units := map[int]float64{}, 0.0 // the sums of the units
		for _, unit := range g.unitsOf(i) {
			runs := slices.DeleteFunc(slices.Clone(g.builds[i][unit]), func(x *trendItem) bool { return !x.judged })
			for _, x := range runs {
				for _, l := range x.lost {
					of[l.cause] += l.lost / float64(len(runs))
				}
			}
			if len(runs) > 0 {
				units++
			}
		}
		if units == 0 || math.IsNaN(s.sequence.Values[i]) {
			continue
		}
		side := c.after(i)
		if builds[side]++; sides[side] == nil {
			sides[side] = map[int]float64{}
		}
		for cause, lost := range of {
			sides[side][cause] += lost / units
		}
	}
	if sides[0] == nil || sides[1] == nil {
		return
	}
	sign := 1.0
	if c.Verdict == Better {
		sign = -1
	}
	c.Lost = &trendCause{}
	sum := 0.0
	for _, of := range slices.SortedFunc(maps.Keys(t.causes), compareCauses) {
		n := t.causes[of]
		x := trendCause{Cause: &t.titles[n], Base: sides[0][n] / builds[0], New: sides[1][n] / builds[1]}
		c.Lost.Base, c.Lost.New = c.Lost.Base+x.Base, c.Lost.New+x.New
		if grown := sign * (x.New - x.Base); grown > 0 {
			sum += grown
			x.Share = &grown
			c.Causes = append(c.Causes, x)
		}
	}
	slices.SortFunc(c.Causes, func(a, b trendCause) int {
		return cmp.Or(cmp.Compare(*b.Share, *a.Share), cmp.Compare(*a.Cause, *b.Cause))
	})
	c.Causes = c.Causes[:min(mostTrendCauses, len(c.Causes))]
	for i := range c.Causes {
		*c.Causes[i].Share /= sum
	}
}
