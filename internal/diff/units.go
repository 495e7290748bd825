package diff

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// The units of a comparison that are no dimensions. Traces are runs.
const (
	runUnit     = "run"
	traceUnit   = "trace"
	sessionUnit = "session"
)

// usualUnits are compared unless Options.Unit is another one: the first in which the sides differ.
var usualUnits = []string{"user", "device", sessionUnit}

const (
	// minRuns is the number of runs of each side that tests need: one run on a side has nothing that
	// balances its extremes.
	minRuns = 2
	// minUnits is the number of users, devices and the like that tests need on each side. They differ
	// much and in one direction: the more frames are late, the fewer do so. With two against forty, a
	// test raises twice as many false alarms as it should.
	minUnits = 5
	// maxUnits bounds the time: of more units, so many of each group are compared at most.
	maxUnits = 1024
)

// ofSessions is how much more sessions differ than runs of a session, as the day differs, too. With
// less, one session against several raises more false alarms than promised where days differ by 20 %
// in late frames and 5 % in durations.
const ofSessions = 1.5

// units are what a side has of the unit of a comparison.
type units struct {
	names []string
	runs  [][]int // of each unit; nil if the unit is the run
	drawn []int   // the units in the order of their hashes, if there are more than maxUnits
}

// in returns the unit of a run; empty if it is unknown.
func (r *Recording) in(unit string) string {
	if unit == sessionUnit {
		return r.Session
	}
	return r.Dims[unit]
}

// newUnits groups the runs of a side. Runs of unknown sessions are one session; those of an
// unknown unit otherwise are of none.
func (s *Side) newUnits(unit string) (u units) {
	if unit == runUnit {
		u.names = s.runNames()
	} else {
		places := map[string]int{}
		for i, run := range s.all() {
			name := run.Recording.in(unit)
			if name == "" && unit != sessionUnit {
				continue
			}
			place, known := places[name]
			if !known {
				place = len(u.names)
				places[name], u.names, u.runs = place, append(u.names, name), append(u.runs, nil)
			}
			u.runs[place] = append(u.runs[place], i)
		}
	}
	if len(u.names) > maxUnits {
		hashes := map[int]uint64{}
		for i, name := range u.names {
			hashes[i] = xxh3.HashString(name)
		}
		u.drawn = slices.SortedFunc(maps.Keys(hashes), func(a, b int) int { return cmp.Or(cmp.Compare(hashes[a], hashes[b]), cmp.Compare(a, b)) })
	}
	return u
}

// values returns the values of the units from those of the runs: the mean of the runs of a unit,
// whatever their number is in others. Of more than maxUnits, each place has the first that is known of those whose hash
// it is, which is a random choice. Means of several would not vary as units do.
func (u *units) values(runs []significance.UnitValue) []significance.UnitValue {
	list := runs
	if u.runs != nil {
		list = make([]significance.UnitValue, len(u.runs))
		for i, of := range u.runs {
			var known []significance.UnitValue
			for _, run := range of {
				if runs[run].Known() {
					known = append(known, runs[run])
				}
			}
			list[i] = meanUnit(known)
		}
	}
	if u.drawn == nil {
		return list
	}
	places := slices.Repeat([]significance.UnitValue{unknownUnit}, maxUnits)
	for _, i := range u.drawn {
		if place := xxh3.HashString(u.names[i]) % maxUnits; !places[place].Known() {
			places[place] = list[i]
		}
	}
	return places
}

// meanUnit returns the mean of known runs. Its variance is that between the runs, and at least
// that within them, which few runs may not show.
func meanUnit(runs []significance.UnitValue) significance.UnitValue {
	mean := meanOf(runs)
	if mean == nil {
		return unknownUnit
	}
	n, between, within := float64(len(runs)), math.NaN(), 0.0
	if n > 1 {
		squares := 0.0
		for _, u := range runs {
			squares += (u.Value - *mean) * (u.Value - *mean)
		}
		between = squares / (n - 1)
	}
	for _, u := range runs {
		within += u.Variance / n
	}
	variance := max(between, within) // NaN if either is
	switch {
	case math.IsNaN(between):
		variance = within
	case math.IsNaN(within):
		variance = between
	}
	return significance.UnitValue{Value: *mean, Variance: variance / n}
}

// setUnit chooses the unit of the comparison.
func (d *Diff) setUnit(wanted string) error {
	d.unit = runUnit
	switch wanted {
	case runUnit, traceUnit:
	case "":
		if i := slices.IndexFunc(usualUnits, d.differIn); i >= 0 {
			d.unit = usualUnits[i]
		}
	default:
		d.unit = wanted
	}
	for i, s := range d.sides() {
		d.units[i] = s.newUnits(d.unit)
		if len(d.units[i].names) == 0 {
			return &Error{What: fmt.Sprintf("--unit: no trace of %s has the dimension %s", text.Printable(s.Name), text.Printable(d.unit)), Hint: d.unitsHint()}
		}
	}
	return nil
}

// unitsHint lists what --unit may be.
func (d *Diff) unitsHint() string {
	list := []string{traceUnit, sessionUnit}
	for name := range d.Base.dims() {
		if d.New.dims()[name] {
			list = append(list, name)
		}
	}
	slices.Sort(list[2:])
	return "--unit is one of " + strings.Join(list, ", ")
}

// dims returns the dimensions that a run has.
func (s *Side) dims() map[string]bool {
	known := map[string]bool{}
	for _, run := range s.all() {
		for name := range run.Recording.Dims {
			known[name] = true
		}
	}
	return known
}

func (d *Diff) sides() [2]*Side { return [2]*Side{&d.Base, &d.New} }

// differIn reports whether the sides differ in a unit that both know: one has several, and the
// other does not have as many runs of each, give or take one that is not valid. What differs from unit to
// unit, such as the day or the device, is then not a change. If both sides have each unit, it cancels out.
func (d *Diff) differIn(unit string) bool {
	var counts [2]map[string]int
	for i, s := range d.sides() {
		u := s.newUnits(unit)
		counts[i] = map[string]int{}
		for k, name := range u.names {
			counts[i][name] = len(u.runs[k])
		}
	}
	base, new := counts[0], counts[1]
	if min(len(base), len(new)) == 0 || max(len(base), len(new)) == 1 {
		return false
	}
	for name, n := range base {
		if new[name] == 0 || max(n, new[name])-min(n, new[name]) > 1 {
			return true
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(new)), func(name string) bool { return base[name] == 0 })
}

// unitCounts returns the numbers of units of both sides.
func (d *Diff) unitCounts() [2]int { return [2]int{len(d.units[0].names), len(d.units[1].names)} }

// runs returns the numbers of runs of both sides.
func (d *Diff) runs() [2]int { return [2]int{len(d.Base.all()), len(d.New.all())} }

// assumed reports whether tests assume how units typically differ. How users and devices do is unknown.
func (d *Diff) assumed() bool { return d.unit == runUnit || d.unit == sessionUnit }

// enoughUnits reports whether there are enough units for tests. A session may be the only one of
// a side, as it has several runs.
func (d *Diff) enoughUnits() bool {
	n := d.unitCounts()
	return d.enoughRuns() && n[0]+n[1] >= significance.MinUnits && (d.assumed() || min(n[0], n[1]) >= minUnits)
}

func (d *Diff) enoughRuns() bool {
	n := d.runs()
	return min(n[0], n[1]) >= minRuns
}

// tooFew names the units that are too few for tests: "1 run and 5".
func (d *Diff) tooFew() string {
	n, unit := d.unitCounts(), d.unit
	if !d.enoughRuns() {
		n, unit = d.runs(), runUnit
	}
	return fmt.Sprintf("%s and %d", text.Count(n[0], unit), n[1])
}

// series returns the values of a measure in the units of both sides for a test, from those in
// the runs; nil if there are too few for one.
func (d *Diff) series(unit stats.Unit, base, new []significance.UnitValue) *significance.Series {
	if !d.enoughUnits() {
		return nil
	}
	s := &significance.Series{Base: d.units[0].values(base), New: d.units[1].values(new), Typical: typical(unit)}
	if unit == stats.Count {
		s.Step = 1
	}
	least := 0
	switch {
	case d.unit == runUnit:
		least = minRuns
	case d.unit == sessionUnit:
		s.Typical *= ofSessions
	default:
		least = minUnits
		for _, list := range [][]significance.UnitValue{s.Base, s.New} {
			for i := range list {
				list[i].Variance = math.NaN()
			}
		}
	}
	if min(known(s.Base), known(s.New)) < least {
		return nil
	}
	return s
}

// unitWarnings returns what is wrong with the units.
func (d *Diff) unitWarnings() (list []string) {
	if d.unit == runUnit {
		for _, unit := range usualUnits[:2] {
			u := [2]units{d.Base.newUnits(unit), d.New.newUnits(unit)}
			several := slices.ContainsFunc(slices.Concat(u[0].runs, u[1].runs), func(runs []int) bool { return len(runs) > 1 })
			if several && d.differIn(unit) {
				return []string{fmt.Sprintf("Traces of one %s have much in common, so equal sides often differ: --unit %[1]s compares %[1]ss", unit)}
			}
		}
		return nil
	}
	if d.unit == sessionUnit {
		return nil
	}
	var each [2]float64
	for i, s := range d.sides() {
		runs := 0
		for _, of := range d.units[i].runs {
			runs += len(of)
		}
		each[i] = float64(runs) / float64(len(d.units[i].names))
		if n := len(s.all()) - runs; n > 0 {
			list = append(list, fmt.Sprintf("%s of %s without a %s: not compared", text.Count(n, runUnit), [2]string{"base", "new"}[i], d.unit))
		}
	}
	if max(each[0]/each[1], each[1]/each[0]) >= runsDiffer {
		list = append(list, fmt.Sprintf("%ss have %.1f runs on average in base and %.1f in new: values of few vary more, so equal sides differ more often than they should", capital(d.unit), each[0], each[1]))
	}
	return list
}

// runsDiffer is the ratio of the runs of a unit from which values of one side vary so much more than
// those of the other that equal sides differ more often than they should.
const runsDiffer = 2

// mixRare is the share of a value that matters little, mixDiffers the change of one that matters.
const mixRare, mixDiffers = 0.05, 0.1

// mixWarnings returns what else differs between the units: the values of dimensions that are more frequent on one
// side. What differs between phones and tablets is then a change.
func (d *Diff) mixWarnings() (list []string) {
	for _, dim := range slices.Sorted(maps.Keys(d.Base.dims())) {
		if dim == d.unit {
			continue
		}
		if changed := d.mixOf(dim); len(changed) > 0 {
			name := text.Printable(dim)
			list = append(list, fmt.Sprintf("The mix of %s differs: %s: --where %[1]s=VALUE compares one value", name, strings.Join(firstOf(changed), ", ")))
		}
	}
	return list
}

// mixOf describes the shares of a dimension's values in units that changed significantly. Values that one side has
// alone, such as versions, are what is compared.
func (d *Diff) mixOf(dim string) (changed []string) {
	var shares [2]map[string]float64 // of runs, by value
	for i, s := range d.sides() {
		shares[i] = map[string]float64{}
		for _, run := range s.all() {
			shares[i][run.Recording.Dims[dim]] += 1 / float64(len(s.all()))
		}
	}
	var tested []*Measure
	limits := map[string]condition.Limit{}
	for _, value := range slices.Sorted(maps.Keys(shares[0])) {
		if base, new := shares[0][value], shares[1][value]; value == "" || new == 0 || (base+new)/2 < mixRare {
			continue
		}
		var runs [2][]significance.UnitValue
		for i, s := range d.sides() {
			for _, run := range s.all() {
				is := 0.0
				if run.Recording.Dims[dim] == value {
					is = 1
				}
				runs[i] = append(runs[i], significance.Exactly(is))
			}
		}
		tested = append(tested, d.measured(&stats.Measure{Name: value, Unit: stats.Share}, runs[0], runs[1]))
		limits[value] = condition.Limit{Value: mixDiffers}
	}
	judgeAll(tested, limits)
	for _, m := range tested {
		if m.Verdict.significant() {
			changed = append(changed, fmt.Sprintf("%s %s → %s", text.Printable(m.Name), text.Share(m.Base), text.Share(m.New)))
		}
	}
	return changed
}
