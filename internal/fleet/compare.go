package fleet

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/diff"
	"ohframe/internal/failure"
	"ohframe/internal/text"
)

// compared are the measures of comparisons.
var compared = [tables][]string{
	ofFrames:       {"jank_rate", "whole_late_rate", "empty_rate", "hitch_ratio", "fps", "p50_ms", "p90_ms", "p95_ms", "p99_ms"},
	ofInteractions: {"response_p50_ms", "response_p95_ms", "completion_p50_ms", "jank_rate", "hitch_ratio", "fps", "p50_ms", "p95_ms"},
	ofLayers:       {"fps", "uneven_rate", "late_rate", "dropped_rate", "queue_p50_ms", "queue_p95_ms"},
}

// MinUnits is the number of units that a measure needs on each side to be tested. With
// fewer, divisions in which all units of a side are alike decide too often.
const MinUnits = 10

// maxUnits bounds the memory and the time: of more units of a group, so many are compared at most.
const maxUnits = 1024

// maxCompared bounds the groups of a comparison.
const maxCompared = 500

// CompareOptions select what is compared.
type CompareOptions struct {
	Query
	// Unit is what is compared: a dimension such as "device", or "trace"; empty for devices
	// if both datasets have them.
	Unit   string
	FailOn condition.Conditions
	// Any makes conditions fail on any change beyond their limit, even if it may be chance.
	Any bool
	// AllowMissing makes conditions that cannot be checked warnings.
	AllowMissing bool
}

// Comparison compares two datasets.
type Comparison struct {
	Base, New *Dataset
	By        []string
	Unit      string
	Pairs     []*Pair
	// OnlyBase and OnlyNew are the keys of groups that the other dataset does not have.
	OnlyBase, OnlyNew [][]*string
	Outcomes          []Outcome
	// AllowMissing is CompareOptions.AllowMissing.
	AllowMissing bool

	table    table
	measures []string // that are compared
}

// Pair is a group of both datasets.
type Pair struct {
	Key     []*string
	Units   [2]int
	Changes []*diff.Measure // in the order of Comparison.measures
}

// Outcome is the result of a condition for a group of the base dataset.
type Outcome struct {
	condition.Check
	Key []*string
}

// Compare compares the groups of two datasets. Frames of one trace are not independent of
// each other, and traces of one device are not, so what is compared are units: devices or
// traces. A value is the mean of the values of the units, as that of ohframe diff is the mean
// of runs, and all changes are tested together by stats.CompareRuns.
func Compare(ctx context.Context, base, new *Dataset, o CompareOptions) (*Comparison, error) {
	t, err := tableOf(o.By)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Base: base, New: new, By: o.By, Unit: o.Unit, AllowMissing: o.AllowMissing, table: t, measures: compared[t]}
	for _, limit := range o.FailOn {
		if limit.Process != "" {
			return nil, &failure.Error{What: fmt.Sprintf("--fail-on: %s: conditions of fleets are for all groups", limit.Process), Hint: "--process selects processes"}
		}
		if !slices.Contains(c.conditional(), limit.Measure) {
			return nil, &failure.Error{What: fmt.Sprintf("--fail-on: %s is not compared", limit.Measure), Hint: "conditions of fleets are on " + strings.Join(c.conditional(), ", ")}
		}
	}
	if c.Unit == "" {
		c.Unit = "trace"
		if slices.Contains(base.Dims, deviceDim) && slices.Contains(new.Dims, deviceDim) {
			c.Unit = deviceDim
		}
	}
	var sides [2]*side
	for i, d := range []*Dataset{base, new} {
		var err error
		if sides[i], err = newSide(ctx, d, o.Query, c.Unit); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Dir, err)
		}
	}
	ids := c.pair(sides[0].groups, sides[1].groups)
	if len(ids) > maxCompared {
		return nil, &failure.Error{What: fmt.Sprintf("more than %d groups", maxCompared), Hint: "--by fewer dimensions, or --process"}
	}
	var values [2][]unitValues
	for i, s := range sides {
		var err error
		if values[i], err = s.values(ctx, ids, c.measures); err != nil {
			return nil, fmt.Errorf("%s: %w", s.dataset.Dir, err)
		}
	}
	c.test(values)
	c.judge(o)
	return c, nil
}

// conditional returns the measures that conditions can name. Those of layers have their names
// in conditions of ohframe diff.
func (c *Comparison) conditional() []string {
	if c.table == ofLayers {
		var names []string
		for _, field := range c.measures {
			i := slices.IndexFunc(stats.LayerMeasures, func(m stats.LayerMeasure) bool { return m.Path == field })
			names = append(names, "layer."+stats.LayerMeasures[i].Name)
		}
		return names
	}
	return slices.DeleteFunc(slices.Clone(c.measures), func(name string) bool { return Measures[measureIndex(name)].table == ofInteractions })
}

// measureOf returns the compared measure of a condition.
func (c *Comparison) measureOf(limit *condition.Condition) string {
	if limit.OfLayers() {
		return stats.LayerMeasureOf(limit.PartMeasure()).Path
	}
	return limit.Measure
}

// side is one of the datasets of a comparison.
type side struct {
	dataset *Dataset
	keyer   *keyer
	unit    func(*Row) *string
	groups  map[string]*surveyed // with the units that are compared
	// slots are the places of units, by the hashes of their names. A place may have a unit of each
	// group.
	slots map[uint64]int
	size  int // number of places
}

func newSide(ctx context.Context, d *Dataset, q Query, unit string) (s *side, err error) {
	s = &side{dataset: d, unit: func(r *Row) *string { return &r.Trace }, slots: map[uint64]int{}}
	if s.keyer, err = newKeyer(d, q); err != nil {
		return nil, err
	}
	if unit != "trace" {
		if s.unit, err = s.keyer.column(d, unit); err != nil {
			return nil, err
		}
	}
	// A row of an unknown device is of no unit.
	if s.groups, err = d.survey(ctx, s.keyer, s.unit); err != nil {
		return nil, err
	}
	s.choose()
	return s, nil
}

// choose gives units their places. If the dataset has more than maxUnits, the hash of a unit is its
// place, and the unit with the smallest hash stays in each place of a group: a random choice.
// Adding several units up would not do, since a percentile of several is not the mean of theirs.
func (s *side) choose() {
	all := map[uint64]struct{}{}
	for _, g := range s.groups {
		maps.Copy(all, g.units)
	}
	if s.size = len(all); s.size <= maxUnits {
		for i, hash := range slices.Sorted(maps.Keys(all)) {
			s.slots[hash] = i
		}
		return
	}
	s.size = maxUnits
	for _, g := range s.groups {
		taken := map[int]bool{}
		for _, hash := range slices.Sorted(maps.Keys(g.units)) {
			slot := int(hash % maxUnits)
			if taken[slot] {
				delete(g.units, hash)
			}
			taken[slot], s.slots[hash] = true, slot
		}
	}
}

// unitValues are the values of a measure of all units; NaN where it is unknown. Those in
// tested are of enough frames for a test.
type unitValues struct{ all, tested []float64 }

// values returns the values of all units, by group and compared measure.
func (s *side) values(ctx context.Context, ids, compared []string) ([]unitValues, error) {
	unknown := slices.Repeat([]float64{math.NaN()}, s.size)
	all := make([]unitValues, len(ids)*len(compared))
	for i := range all {
		all[i] = unitValues{slices.Clone(unknown), slices.Clone(unknown)}
	}
	for first := 0; first < len(ids); {
		chosen, units := map[string]int{}, 0
		for ; first < len(ids) && (units == 0 || units+len(s.groups[ids[first]].units) <= histogramsPerPass); first++ {
			chosen[ids[first]] = first
			units += len(s.groups[ids[first]].units)
		}
		key := func(dst []byte, r *Row) ([]byte, bool) {
			dst = s.keyer.append(dst, r)
			group, ok := chosen[string(dst)]
			if !ok || !s.keyer.match(r.Process, r.PID) || s.unit(r) == nil {
				return dst, false
			}
			hash := xxh3.HashString(*s.unit(r))
			_, ok = s.groups[ids[group]].units[hash]
			return binary.BigEndian.AppendUint64(dst[:0], uint64(group*maxUnits+s.slots[hash])), ok
		}
		w := wanted{dims: s.keyer.dims, sums: true, histograms: durationHistogram + 1, table: s.keyer.table}
		create := func(*Row) *Group { return newGroup(w) }
		groups, err := gather(ctx, s.dataset, w, key, create, (*Group).addSums, (*Group).mergeSums)
		if err != nil {
			return nil, err
		}
		for id, g := range groups {
			at := int(binary.BigEndian.Uint64([]byte(id)))
			for i, name := range compared {
				m, v, unit := &Measures[measureIndex(name)], &all[at/maxUnits*len(compared)+i], at%maxUnits
				if x := m.of(g); x != nil {
					v.all[unit] = *x
					if m.count(g) >= m.least {
						v.tested[unit] = *x
					}
				}
			}
		}
	}
	return all, nil
}

// pair adds the groups that both sides have, and returns their texts in the same order.
func (c *Comparison) pair(base, new map[string]*surveyed) (ids []string) {
	for id, g := range base {
		if new[id] != nil {
			ids = append(ids, id)
		} else {
			c.OnlyBase = append(c.OnlyBase, g.key)
		}
	}
	for id, g := range new {
		if base[id] == nil {
			c.OnlyNew = append(c.OnlyNew, g.key)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return compareKeys(base[a].key, base[b].key) })
	slices.SortFunc(c.OnlyBase, compareKeys)
	slices.SortFunc(c.OnlyNew, compareKeys)
	for _, id := range ids {
		c.Pairs = append(c.Pairs, &Pair{Key: base[id].key, Units: [2]int{len(base[id].units), len(new[id].units)}})
	}
	return ids
}

// test sets the changes of all pairs. values are those of the sides.
func (c *Comparison) test(values [2][]unitValues) {
	var list []stats.Runs
	var at []int // in values
	for i := range values[0] {
		base, new := &values[0][i], &values[1][i]
		if min(count(base.tested), count(new.tested)) >= MinUnits {
			list, at = append(list, stats.Runs{Base: base.tested, New: new.tested}), append(at, i)
			base.all, new.all = base.tested, new.tested
		}
	}
	changes := make([]stats.Change, len(values[0]))
	for i, change := range stats.CompareRuns(list) {
		changes[at[i]] = change
	}
	for i, p := range c.Pairs {
		for k, name := range c.measures {
			n := i*len(c.measures) + k
			p.Changes = append(p.Changes, diff.NewMeasure(&Measures[measureIndex(name)].Measure, mean(values[0][n].all), mean(values[1][n].all), changes[n]))
		}
	}
}

// count returns the number of known values.
func count(list []float64) (n int) {
	for _, x := range list {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

// mean returns the mean of the known values; nil without known values.
func mean(list []float64) *float64 {
	n, mean := 0.0, 0.0
	for _, x := range list {
		if !math.IsNaN(x) {
			n++
			mean += (x - mean) / n
		}
	}
	if n == 0 {
		return nil
	}
	return &mean
}

// judge checks the conditions, as ohframe diff does.
func (c *Comparison) judge(o CompareOptions) {
	for i := range o.FailOn {
		limit := &o.FailOn[i]
		add := func(key []*string, status condition.Status, text string, excess float64) {
			c.Outcomes = append(c.Outcomes, Outcome{condition.Check{Process: groupText(key), Condition: limit.String(), Status: status, Text: text, Excess: excess}, key})
		}
		for _, p := range c.Pairs {
			m := p.Changes[slices.Index(c.measures, c.measureOf(limit))]
			change := condition.Change{Base: m.Base, New: m.New, Delta: m.Delta, Low: m.Low, High: m.High}
			if status := limit.CheckChange(change, o.Any); status == condition.Unknown {
				add(p.Key, status, c.whyUnknown(p, m), 0)
			} else {
				add(p.Key, status, limit.DescribeChange(change, o.Any), limit.Excess(change))
			}
		}
		for _, key := range c.OnlyBase {
			add(key, condition.Unknown, "the group is not in the new dataset", 0)
		}
	}
}

// whyUnknown returns why a condition cannot be checked.
func (c *Comparison) whyUnknown(p *Pair, change *diff.Measure) string {
	switch {
	case change.Base == nil && change.New == nil:
		return "unknown in both datasets"
	case change.Base == nil:
		return "unknown in the base dataset"
	case change.New == nil:
		return "unknown in the new dataset"
	case min(p.Units[0], p.Units[1]) < MinUnits:
		return "too few to test: " + c.tooFew(p) + "; --fail-on-any compares the values"
	}
	_, noun := c.table.counts()
	return fmt.Sprintf("each dataset needs %d %ss with %d %ss; --fail-on-any compares the values", MinUnits, c.Unit, stats.MinFrames(change.Name), noun)
}

// tooFew says how many units a pair has and needs.
func (c *Comparison) tooFew(p *Pair) string {
	return fmt.Sprintf("%s and %s, each dataset needs %d", text.Count(p.Units[0], c.Unit), text.Count(p.Units[1], c.Unit), MinUnits)
}

// whyNotTested returns why changes of a pair were not tested, empty if all were.
func (c *Comparison) whyNotTested(p *Pair) string {
	switch {
	case min(p.Units[0], p.Units[1]) < MinUnits:
		return "Not tested: " + c.tooFew(p) + "."
	case !slices.ContainsFunc(p.Changes, func(m *diff.Measure) bool { return m.Delta != nil && m.P == nil }):
	case c.table == ofLayers:
		return fmt.Sprintf("Not tested: each dataset needs %d %ss with %d buffers.", MinUnits, c.Unit, stats.MinFrames("p95_ms"))
	default:
		return fmt.Sprintf("Not tested: each dataset needs %d %ss with %d frames, P99 with %d.", MinUnits, c.Unit, stats.MinFrames("p95_ms"), stats.MinFrames("p99_ms"))
	}
	return ""
}

// Checks returns the checks of Outcomes.
func (c *Comparison) Checks() (list []condition.Check) {
	for _, o := range c.Outcomes {
		list = append(list, o.Check)
	}
	return list
}
