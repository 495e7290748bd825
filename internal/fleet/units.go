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
	"ohframe/internal/diff"
	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// minUnits is the number of users or devices of a build that are tested. They differ much and in one direction: the
// more frames are late, the fewer do so.
const minUnits = 5

// maxUnits bounds the units whose mixes are compared.
const maxUnits = 1024

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

// side has the rows of a dataset by group and unit.
type side struct {
	dataset *Dataset
	keyer   *keyer
	unit    func(*Row) *string
	groups  map[string]*surveyed
}

func newSide(ctx context.Context, d *Dataset, q Query, unit string) (s *side, err error) {
	s = &side{dataset: d, unit: func(r *Row) *string { return &r.Trace }}
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

// count returns the number of known values.
func count(units []significance.Unit) (n int) {
	for _, u := range units {
		if u.Known() {
			n++
		}
	}
	return n
}

const (
	// mixRare is the share of a value that matters little, mixDiffers the change of one that matters.
	mixRare, mixDiffers = 0.05, 0.1
	// mixShown is the number of values that a warning names.
	mixShown = 3
)

// mixWarning says how the mix of a dimension's values has changed, in groups by other dimensions.
func mixWarning(dim string, changed, by []string) string {
	name := strings.ReplaceAll(dim, "_", " ")
	warning := fmt.Sprintf("the mix of %ss differs: %s; a group with several %[1]ss may change though no %[1]s does; ", name, strings.Join(changed, ", "))
	if dim == sceneDim {
		return warning + "--by scene compares interactions"
	}
	return warning + fmt.Sprintf("--by %s compares each", strings.Join(append(slices.Clone(by), dim), ","))
}

// shares returns the share of each group in the rows of units, in at most maxUnits of them.
func (s *side) shares() map[string][]significance.Unit {
	rows := map[uint64]int{}
	for _, g := range s.groups {
		for hash, n := range g.units {
			rows[hash] += n
		}
	}
	units := slices.Sorted(maps.Keys(rows))
	units = units[:min(maxUnits, len(units))]
	shares := map[string][]significance.Unit{}
	for _, g := range s.groups {
		var list []significance.Unit
		for _, hash := range units {
			list = append(list, significance.Exactly(float64(g.units[hash])/float64(rows[hash])))
		}
		shares[keyText(g.key[0])] = list
	}
	return shares
}

// mixChanges describes the shares that have changed significantly. Values that only one
// dataset has, such as versions, are what is compared.
func mixChanges(base, new map[string][]significance.Unit) (changed []string) {
	var names []string
	var list []significance.Hypothesis
	for _, name := range slices.Sorted(maps.Keys(base)) {
		if b, n := base[name], new[name]; n != nil && (*diff.MeanOf(b)+*diff.MeanOf(n))/2 >= mixRare {
			names, list = append(names, name), append(list, significance.Hypothesis{Series: &significance.Series{Base: b, New: n}})
		}
	}
	for i, r := range significance.Test(list).Results {
		if !r.Tested || r.P > significance.Level || math.Abs(r.Delta) < mixDiffers {
			continue
		}
		if len(changed) == mixShown {
			return append(changed, "…")
		}
		changed = append(changed, fmt.Sprintf("%s %s → %s", names[i], text.Share(diff.MeanOf(list[i].Base)), text.Share(diff.MeanOf(list[i].New))))
	}
	return changed
}
