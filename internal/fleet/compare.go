package fleet

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/diag"
	"ohframe/internal/diff"
	"ohframe/internal/significance"
)

// minUnits is the number of units that a measure needs on each side to be tested. Units of a fleet
// differ much and in one direction: the more frames are late, the fewer units are so. With two units
// against forty, a t-test of such values raises twice as many false alarms as it should.
const minUnits = 5

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
	Unit      string
	// Tables are those that are compared: the one of CompareOptions.By, then others that conditions
	// are on. The changes of each are a family of tests.
	Tables   []*TableComparison
	Outcomes []Outcome
	// AllowMissing is CompareOptions.AllowMissing.
	AllowMissing bool

	warnings []string
}

// TableComparison compares the groups of frames, of interactions or of layers.
type TableComparison struct {
	By    []string
	Pairs []*Pair
	// OnlyBase and OnlyNew are the groups that the other dataset does not have.
	OnlyBase, OnlyNew []*Pair
	Test              *significance.Family // of all changes

	table    table
	measures []string // that are compared
}

// Pair is a group of both datasets.
type Pair struct {
	Key     []*string
	Units   [2]int
	Changes []*diff.Measure // in the order of TableComparison.measures

	rows []*surveyed // of the datasets that have the group
}

// Compare compares the groups of two datasets. Frames of one trace are not independent of
// each other, and traces of one device are not, so what is compared are units: users,
// devices or traces. A value is the mean of the values of the units, as that of ohframe diff is the mean
// of runs, and all changes are tested together.
func Compare(ctx context.Context, base, new *Dataset, o CompareOptions) (*Comparison, error) {
	c := &Comparison{Base: base, New: new, Unit: o.Unit, AllowMissing: o.AllowMissing}
	if c.Unit == "" {
		c.Unit = cmp.Or(unitDim(base, new), "trace")
	}
	first, err := tableOf(o.By)
	if err != nil {
		return nil, err
	}
	list := []table{first}
	for i := range o.FailOn {
		limit := &o.FailOn[i]
		if err := checkCondition(limit, o.By); err != nil {
			return nil, err
		}
		if t := tableOfCondition(limit); !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	if dim := unitDim(base, new); c.Unit == "trace" && dim != "" {
		c.warnings = append(c.warnings, fmt.Sprintf("traces of one %s have much in common, so equal datasets often differ; --unit %[1]s compares %[1]ss", dim))
	}
	for _, t := range list {
		compared, err := c.compare(ctx, t, o)
		if err != nil {
			return nil, err
		}
		c.Tables = append(c.Tables, compared)
	}
	c.judge(o)
	return c, nil
}

// compare compares the groups of a table.
func (c *Comparison) compare(ctx context.Context, t table, o CompareOptions) (*TableComparison, error) {
	x := &TableComparison{By: t.like(o.By), table: t, measures: compared[t]}
	q := o.Query
	q.By = x.By
	var sides [2]*side
	for i, d := range []*Dataset{c.Base, c.New} {
		var err error
		if sides[i], err = newSide(ctx, d, q, c.Unit); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Dir, err)
		}
	}
	if page := slices.Index(x.By, pageDim); page >= 0 {
		mergePages(sides[:], page)
	}
	ids := x.pair(sides[0].groups, sides[1].groups)
	if len(ids) > maxCompared {
		return nil, &diag.Error{What: fmt.Sprintf("more than %d groups", maxCompared), Hint: "--by fewer dimensions, or --process"}
	}
	var values [2][]unitValues
	for i, s := range sides {
		s.choose()
		var err error
		if values[i], err = s.values(ctx, ids, x.measures); err != nil {
			return nil, fmt.Errorf("%s: %w", s.dataset.Dir, err)
		}
	}
	x.test(c.Unit, values)
	c.warnOfRows(x)
	return x, c.warnOfMixes(ctx, x, o.Query)
}

// like returns the dimensions by which groups of a table are compared: those that the user wants,
// and those without which a group would be a mixture. If devices of one dataset have more flings and
// fewer launches than those of the other, nothing has to be worse for a change of both together.
func (t table) like(by []string) (list []string) {
	needed := [tables][]string{{"kind", "process"}, {"process", sceneDim, pageDim}, {"process", layerDim}}[t]
	if wanted, _ := tableOf(by); wanted == t && t == ofFrames {
		return by
	}
	for _, name := range by {
		// The kind is that of the scene.
		if !slices.Contains([]string{"kind", sceneDim, pageDim, layerDim}, name) || slices.Contains(needed, name) {
			list = append(list, name)
		}
	}
	for _, name := range needed {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// side is one of the datasets of a comparison.
type side struct {
	dataset *Dataset
	keyer   *keyer
	unit    func(*Row) *string
	groups  map[string]*surveyed
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
	return s, nil
}

// mergePages removes the page of a scene from the groups of all sides if only some of them know
// pages of it, as older systems do not write them. The pages are at an index of the keys.
func mergePages(sides []*side, page int) {
	whole := func(key []*string) string {
		key = slices.Clone(key)
		key[page] = nil
		return idOf(key)
	}
	known := make([]map[string]bool, len(sides)) // by the group without its page: whether a page is known
	some, none := map[string]bool{}, map[string]bool{}
	for i, s := range sides {
		known[i] = map[string]bool{}
		for _, g := range s.groups {
			id := whole(g.key)
			known[i][id] = known[i][id] || g.key[page] != nil
		}
		for id, ok := range known[i] {
			some[id], none[id] = some[id] || ok, none[id] || !ok
		}
	}
	for _, s := range sides {
		for id, g := range maps.Clone(s.groups) {
			to := whole(g.key)
			if to == id || !some[to] || !none[to] {
				continue
			}
			delete(s.groups, id)
			if g.key[page] = nil; s.groups[to] == nil {
				s.groups[to] = g
			} else {
				s.groups[to].merge(g)
			}
		}
	}
}

// choose gives units their places. If the dataset has more than maxUnits, the hash of a unit is its
// place, and the unit with the smallest hash stays in each place of a group: a random choice.
// Adding several units up would not do, since a percentile of several is not the mean of theirs.
func (s *side) choose() {
	all := map[uint64]int{}
	for _, g := range s.groups {
		g.all = len(g.units)
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
type unitValues struct{ all, tested []significance.Unit }

// set sets the value of a unit, whose rows are those of a group.
func (v *unitValues) set(unit int, m *stats.Measure, g *Group) {
	x := m.Aggregate.Value(g)
	if x == nil {
		return
	}
	v.all[unit] = significance.Exactly(*x)
	if m.Aggregate.Count(g) >= int64(m.Least) {
		v.tested[unit] = v.all[unit]
	}
}

// values returns the values of all units, by group and compared measure.
func (s *side) values(ctx context.Context, ids, compared []string) ([]unitValues, error) {
	unknown := slices.Repeat([]significance.Unit{significance.Exactly(math.NaN())}, s.size)
	all := make([]unitValues, len(ids)*len(compared))
	for i := range all {
		all[i] = unitValues{slices.Clone(unknown), slices.Clone(unknown)}
	}
	groups := make([]*surveyed, len(ids))
	for i, id := range ids {
		groups[i] = s.groups[id]
	}
	w := wanted{sums: true, histograms: durationHistogram + 1}
	err := eachUnit(ctx, []*side{s}, groups, w, func(group int, unit uint64, sum *Group) {
		for i, name := range compared {
			all[group*len(compared)+i].set(s.slots[unit], measures.Named(name), sum)
		}
	})
	return all, err
}

// eachUnit calls yield with the sum of each unit of groups, by the index of the group and the hash of the
// unit, in their order. The sides have the rows of the groups, w says what is summed.
func eachUnit(ctx context.Context, sides []*side, groups []*surveyed, w wanted, yield func(group int, unit uint64, sum *Group)) error {
	create := func(*Row) *Group {
		g := newGroup(w)
		g.causes = map[string]*Cause{}
		return g
	}
	add := func(g *Group, r *Row) {
		g.addSums(r)
		for _, c := range r.Causes.all {
			g.addCause(c)
		}
	}
	merge := func(into, from *Group) {
		into.mergeSums(from)
		for _, c := range from.causes {
			into.addCause(*c)
		}
	}
	for first := 0; first < len(groups); {
		chosen, units := map[string]int{}, 0
		for ; first < len(groups); first++ {
			rows := groups[first]
			if units += len(rows.units); units > histogramsPerPass && len(chosen) > 0 {
				break
			}
			for _, id := range rows.ids {
				chosen[id] = first
			}
		}
		all := map[string]*Group{}
		for _, s := range sides {
			key := func(dst []byte, r *Row) ([]byte, bool) {
				dst = s.keyer.append(dst, r)
				i, ok := chosen[string(dst)]
				if !ok || !s.keyer.match(r.Process, r.PID) || s.unit(r) == nil {
					return dst, false
				}
				hash := xxh3.HashString(*s.unit(r))
				_, ok = groups[i].units[hash]
				return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(dst[:0], uint32(i)), hash), ok
			}
			w.dims, w.table = s.keyer.dims, s.keyer.table
			sums, err := gather(ctx, s.dataset, w, key, create, add, merge)
			if err != nil {
				return err
			}
			for id, sum := range sums {
				if all[id] == nil {
					all[id] = sum
				} else {
					merge(all[id], sum)
				}
			}
		}
		for _, id := range slices.Sorted(maps.Keys(all)) {
			yield(int(binary.BigEndian.Uint32([]byte(id))), binary.BigEndian.Uint64([]byte(id[4:])), all[id])
		}
	}
	return nil
}

// pair adds the groups, and returns the texts of those that both sides have in the same order.
func (x *TableComparison) pair(base, new map[string]*surveyed) (ids []string) {
	for id, g := range base {
		if new[id] != nil {
			ids = append(ids, id)
		} else {
			x.OnlyBase = append(x.OnlyBase, &Pair{Key: g.key, rows: []*surveyed{g}})
		}
	}
	for id, g := range new {
		if base[id] == nil {
			x.OnlyNew = append(x.OnlyNew, &Pair{Key: g.key, rows: []*surveyed{g}})
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return compareKeys(base[a].key, base[b].key) })
	for _, only := range [][]*Pair{x.OnlyBase, x.OnlyNew} {
		slices.SortFunc(only, func(a, b *Pair) int { return compareKeys(a.Key, b.Key) })
	}
	for _, id := range ids {
		x.Pairs = append(x.Pairs, &Pair{Key: base[id].key, rows: []*surveyed{base[id], new[id]}})
	}
	return ids
}

// test sets the changes of all pairs. values are those of the sides.
func (x *TableComparison) test(unit string, values [2][]unitValues) {
	advice := condition.Advice{Unit: unit, Longer: 1, Most: maxUnits}
	var all []*diff.Measure
	for _, p := range x.Pairs {
		p.Units = [2]int{len(p.rows[0].units), len(p.rows[1].units)}
		for _, name := range x.measures {
			base, new := &values[0][len(all)], &values[1][len(all)]
			series := (*significance.Series)(nil)
			if min(count(base.tested), count(new.tested)) >= minUnits {
				series = &significance.Series{Base: base.tested, New: new.tested}
				base.all, new.all = base.tested, new.tested
			}
			m := diff.NewMeasure(measures.Named(name), diff.MeanOf(base.all), diff.MeanOf(new.all), series, advice)
			p.Changes, all = append(p.Changes, m), append(all, m)
		}
	}
	x.Test = diff.Judge(all, nil)
}

// count returns the number of known values.
func count(units []significance.Unit) (n int) {
	for _, u := range units {
		if u.Known() {
			n++
		}
	}
	return n
}

// whyNotTested returns why changes of a pair were not tested, empty if all were.
func (c *Comparison) whyNotTested(x *TableComparison, p *Pair) string {
	switch {
	case min(p.Units[0], p.Units[1]) < minUnits:
		return "Not tested: " + c.tooFew(p) + "."
	case !slices.ContainsFunc(p.Changes, func(m *diff.Measure) bool { return m.Delta != nil && m.P == nil }):
	case x.table == ofLayers:
		return fmt.Sprintf("Not tested: each dataset needs %d %ss with %d buffers.", minUnits, c.Unit, stats.MinFrames("p95_ms"))
	default:
		return fmt.Sprintf("Not tested: each dataset needs %d %ss with %d frames, P99 with %d.", minUnits, c.Unit, stats.MinFrames("p95_ms"), stats.MinFrames("p99_ms"))
	}
	return ""
}
