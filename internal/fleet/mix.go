package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ohframe/internal/diff"
	"ohframe/internal/significance"
	"ohframe/internal/text"
)

const (
	// mixRare is the share of a value that matters little, mixDiffers the change of one that matters.
	mixRare, mixDiffers = 0.05, 0.1
	// mixShown is the number of values that a warning names.
	mixShown = 3
)

// warnOfMixes adds a warning for each dimension whose values are mixed otherwise in the new dataset:
// a group of several values may change though none of them does.
func (c *Comparison) warnOfMixes(ctx context.Context, x *TableComparison, q Query) error {
	dims := slices.Clone(c.Base.Dims)
	if x.table == ofFrames {
		dims = append(dims, "process", sceneDim)
	}
	for _, dim := range dims {
		known := slices.Contains(c.New.Dims, dim) || !slices.Contains(c.Base.Dims, dim)
		if dim == c.Unit || slices.Contains(x.By, dim) || !known {
			continue
		}
		var shares [2]map[string][]significance.Unit
		for i, d := range []*Dataset{c.Base, c.New} {
			s, err := newSide(ctx, d, Query{By: []string{dim}, Process: q.Process}, c.Unit)
			switch {
			case err == nil:
				shares[i] = s.shares()
			case !errors.Is(err, errTooManyGroups): // no mix of so many values matters
				return fmt.Errorf("%s: %w", d.Dir, err)
			}
		}
		if changed := mixChanges(shares[0], shares[1]); len(changed) > 0 {
			c.warnings = append(c.warnings, mixWarning(dim, changed, x.By))
		}
	}
	return nil
}

// mixWarning says how the mix of a dimension's values has changed, in groups by other dimensions.
func mixWarning(dim string, changed, by []string) string {
	name := strings.ReplaceAll(dim, "_", " ")
	warning := fmt.Sprintf("the mix of %ss differs: %s; a group with several %[1]ss may change though no %[1]s does; ", name, strings.Join(changed, ", "))
	if dim == sceneDim {
		return warning + "--by scene compares interactions"
	}
	return warning + fmt.Sprintf("--by %s compares each", strings.Join(append(slices.Clone(by), dim), ","))
}

// rowsDiffer is the ratio of the rows of a unit from which values of one side vary so much more than
// those of the other that equal datasets differ more often than they should.
const rowsDiffer = 2

// warnOfRows adds a warning if units of one dataset have many more rows than those of the other.
func (c *Comparison) warnOfRows(x *TableComparison) {
	var perUnit [2]float64
	for i := range perUnit {
		rows, units := 0, 0
		for _, p := range x.Pairs {
			for _, n := range p.rows[i].units {
				rows, units = rows+n, units+1
			}
		}
		perUnit[i] = float64(rows) / float64(units)
	}
	if max(perUnit[0]/perUnit[1], perUnit[1]/perUnit[0]) >= rowsDiffer {
		c.warnings = append(c.warnings, fmt.Sprintf("%ss have %.1f %s on average in base and %.1f in new: values of few vary more, so equal datasets differ more often than they should",
			c.Unit, perUnit[0], [tables]string{"traces of a group", "interactions of a group", "layers of a group"}[x.table], perUnit[1]))
	}
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
