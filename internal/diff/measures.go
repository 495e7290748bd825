package diff

import (
	"encoding/json"
	"math"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/significance"
)

// Measure is a measure of a process in both traces.
type Measure struct {
	Name string `json:"measure"` // name, as in conditions
	// its path in a report, with the name of a stage instead of a list index; times there are in
	// nanoseconds
	Field  string       `json:"field,omitempty" brief:"-"`
	Unit   stats.Unit   `json:"unit"`   // "count", "share" (0 to 1), "hz", "ms", "ms_per_s", "s" or "periods"
	Better stats.Better `json:"better"` // the direction of an improvement: "lower", "higher" or "neither"
	Values
	// "delta" / "base"; nil if "base" is zero, or one of them is negative
	Relative  *float64 `json:"relative"`
	MinEffect *float64 `json:"min_effect"` // smallest change that counts, in the unit of the measure
	// smallest change that these runs find in 80 of 100 comparisons, in the unit of the measure, without
	// sign; nil if it was not tested
	Detectable *float64 `json:"detectable"`
	// number of runs, or of sessions, of each side that would find "delta" in 80 of 100 comparisons; nil
	// if it was not tested, or for more than 50
	UnitsNeeded *int `json:"units_needed"`

	definition   *stats.Measure       // nil for measures of causes
	series       *significance.Series // nil: no test of its change is possible
	incomparable string               // why the values do not compare; empty if they do
	advice       condition.Advice
}

// Values are those of both sides, with the result of a test.
type Values struct {
	Base  *float64 `json:"base"` // the values
	New   *float64 `json:"new"`
	Delta *float64 `json:"delta"`     // "new" − "base"; nil if either is
	Low   *float64 `json:"delta_low"` // the simultaneous 96 % interval of "delta"; nil if it was not tested
	High  *float64 `json:"delta_high"`
	P     *float64 `json:"p_value"` // corrected p-value
	// "better" or "worse" if significant, otherwise "unclear", as for causes and functions if no tested measure
	// of the process changed significantly; nil if it was not tested
	Verdict Verdict `json:"verdict"`
}

// advice returns the advice to record more units, whose length is of no account. Few record more
// than 50 runs.
func (d *Diff) advice() condition.Advice {
	a := condition.Advice{UnitName: d.unit, Longer: 1, Most: 50}
	if !d.assumed() {
		a.Most = maxUnits
	}
	return a
}

// Verdict is the result of a test: Better or Worse if the change is more than chance, at
// significance.Level, and not smaller than the smallest change that counts.
type Verdict string

// The verdicts.
const (
	NotTested Verdict = ""
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	// Unclear: the change is not significant. That does not prove that nothing changed.
	Unclear Verdict = "unclear"
)

// significant reports whether something changed.
func (v Verdict) significant() bool { return v == Better || v == Worse }

// MarshalJSON encodes NotTested as null.
func (v Verdict) MarshalJSON() ([]byte, error) {
	if v == NotTested {
		return []byte("null"), nil
	}
	return json.Marshal(string(v))
}

// newMeasure returns a measure with its values on both sides, nil if unknown, and those in the
// units of both sides; nil if its change cannot be tested.
func newMeasure(k *stats.Measure, base, new *float64, series *significance.Series, advice condition.Advice) *Measure {
	m := &Measure{
		Name: k.Name, Field: k.Path, Unit: k.Unit, Better: k.Better, Values: Values{Base: base, New: new}, definition: k, series: series, advice: advice,
	}
	if base != nil && new != nil {
		delta := *new - *base
		m.Delta = &delta
		if *base > 0 && *new >= 0 { // an overrun can be negative
			relative := delta / *base
			m.Relative = &relative
		}
	}
	return m
}

// judgeAll tests the changes of measures as one family, and gives each its verdict. limits are
// the smallest changes that count, by measure, where they are not the default.
func judgeAll(list []*Measure, limits map[string]condition.Limit) *significance.Family {
	var tested []*Measure
	var hypotheses []significance.Hypothesis
	for _, m := range list {
		if m.series != nil && m.Delta != nil {
			tested = append(tested, m)
			hypotheses = append(hypotheses, significance.Hypothesis{Series: m.series, Limit: m.smallest(limits)})
		}
	}
	family := significance.Test(hypotheses)
	for i, m := range tested {
		m.judge(&family.Results[i], hypotheses[i].Limit)
	}
	return family
}

// judge adds the result of a test. smallest is the smallest change that counts.
func (m *Measure) judge(r *significance.Result, smallest float64) {
	if !r.Tested {
		return
	}
	m.Detectable, m.UnitsNeeded = condition.Detectable(r), m.advice.Needed(r)
	m.conclude(r.P, r.Low, r.High, smallest)
}

// conclude adds the p-value and the confidence interval of a change whose both values are known.
func (m *Measure) conclude(p, low, high, smallest float64) {
	m.P, m.Low, m.High, m.MinEffect = &p, &low, &high, &smallest
	switch {
	case p > significance.Level || math.Abs(*m.Delta) < smallest:
		m.Verdict = Unclear
	case (*m.Delta < 0) == (m.Better == stats.Lower):
		m.Verdict = Better
	default:
		m.Verdict = Worse
	}
}

// typical is the standard deviation between runs, as a share of the value, that is assumed:
// durations and frame rates vary little, how often frames are late varies much. Unverified on
// devices.
func typical(unit stats.Unit) float64 {
	switch unit {
	case stats.Milliseconds, stats.Periods:
		return 0.035
	case stats.Hertz:
		return 0.01
	}
	return 0.2
}

// unknownUnit is a unit without a value.
var unknownUnit = significance.Exactly(math.NaN())

// measured returns a measure with its values in the runs of both sides.
func (d *Diff) measured(k *stats.Measure, base, new []significance.UnitValue) *Measure {
	return newMeasure(k, meanOf(d.units[0].values(base)), meanOf(d.units[1].values(new)), d.series(k.Unit, base, new), d.advice())
}

// known counts the units with a value.
func known(units []significance.UnitValue) (n int) {
	for _, u := range units {
		if u.Known() {
			n++
		}
	}
	return n
}

// valueOf returns a unit whose variance is unknown.
func valueOf(x *float64) significance.UnitValue {
	if x == nil {
		return unknownUnit
	}
	return significance.Exactly(*x)
}

// meanOf returns the mean of the known values; nil without any.
func meanOf(units []significance.UnitValue) *float64 {
	var known []float64
	for _, u := range units {
		if u.Known() {
			known = append(known, u.Value)
		}
	}
	return mean(known)
}

// mean returns the mean, nil of nothing.
func mean(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	mean := 0.0
	for i, x := range list {
		mean += (x - mean) / float64(i+1)
	}
	return &mean
}

// smallest returns the smallest change of a known measure that counts, in its unit.
func (m *Measure) smallest(limits map[string]condition.Limit) float64 {
	limit, ok := limits[m.Name]
	switch {
	case ok && limit.Relative:
		return limit.Value * math.Abs(*m.Base)
	case ok:
		return limit.Value
	case m.Unit == stats.Share:
		return 0.01
	case m.Unit == stats.MillisecondsPS:
		return 1
	}
	return 0.02 * math.Abs(*m.Base)
}

// measures are the measures of package stats with the main ones first.
var measures = func() []stats.Measure {
	list := slices.Clone(stats.Measures)
	rank := func(m stats.Measure) int {
		if m.Main {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b stats.Measure) int { return rank(a) - rank(b) })
	return list
}()

// measures returns all measures of the pair, in the order of testdata/api/measures.md. They are computed
// when they are needed, because those of many pairs are large.
func (p *Pair) measures() []*Measure {
	list := make([]*Measure, len(measures))
	for i := range measures {
		list[i] = p.compute(&measures[i])
	}
	return list
}

// Known returns the measures that are known on a side, significant changes first.
func (p *Pair) Known() []*Measure {
	list, _ := p.sorted()
	return list
}

// compute returns a measure of the pair: the means of the units of a side. Times are in
// milliseconds.
func (p *Pair) compute(k *stats.Measure) *Measure {
	for _, m := range p.tested {
		if m.definition == k {
			return m
		}
	}
	var all, enough [2][]significance.UnitValue // enough: of runs with enough frames for a test
	at := slices.Index(p.testable(), k.Name)
	for side, runs := range [2][]*stats.Process{p.base, p.new} {
		for run, process := range runs {
			x, y := unknownUnit, unknownUnit
			if process != nil {
				x = valueOf(k.Value(process))
			}
			if at >= 0 && x.Known() {
				if list := p.estimates[side][run]; list != nil && process.Enough(k) {
					y = significance.UnitValue{Value: list[at].Value, Variance: list[at].Variance}
				}
			}
			all[side], enough[side] = append(all[side], x), append(enough[side], y)
		}
	}
	of, testable := all, at < 0
	if meanOf(enough[0]) != nil && meanOf(enough[1]) != nil {
		of, testable = enough, true
	}
	m := p.diff.measured(k, of[0], of[1])
	m.advice = p.advice
	switch {
	case p.RulesDiffer && k.OwnRule():
		m.incomparable, m.series, m.Delta, m.Relative = rulesDiffer, nil, nil, nil
	case p.RefreshDiffers && at < 0 && slices.Contains(stats.Tested[:], k.Name):
		m.incomparable, m.series = refreshDiffers, nil
	case !testable:
		m.series = nil
	}
	return m
}

// Why the values of both sides do not compare.
const (
	rulesDiffer    = "not comparable, each side has rules of its own"
	unitsDiffer    = "not comparable, the units differ"
	refreshDiffers = "not comparable, the refresh rates differ" // the same smoothness has another value
)

// values returns the measure's known values in the runs.
func values(m *stats.Measure, runs []*stats.Process) (list []float64) {
	for _, p := range runs {
		if p == nil {
			continue
		}
		if x := m.Value(p); x != nil {
			list = append(list, *x)
		}
	}
	return list
}

// measure returns the pair's measure of the given name: one of measures, or of causes.
func (p *Pair) measure(name string) *Measure {
	for i := range measures {
		if measures[i].Name == name {
			return p.compute(&measures[i])
		}
	}
	if m := stats.RateBelow(name); m != nil {
		return p.compute(m)
	}
	return p.Causes.measure(name)
}
