package fleet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// LostChange is a change of the time that late frames lost, in nanoseconds per frame: the mean of the
// builds of each side, and in these of the units.
type LostChange struct {
	Before float64 `json:"before_ns_per_frame"`
	After  float64 `json:"after_ns_per_frame"`
}

// CauseChange is a change of the time lost by a cause.
type CauseChange struct {
	Name string `json:"title"`
	LostChange
	// Share is the share of the change in those of all causes in the same direction.
	Share float64 `json:"share"`
}

// CommitRange is where a change was made: after Before, up to After.
type CommitRange struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// explain adds causes and commits to the changes, and warns of mixes that changed.
func (t *Trend) explain(ctx context.Context) error {
	var changed []*TrendGroup
	for _, g := range t.Groups {
		if slices.ContainsFunc(g.Series, func(s *TrendSeries) bool { return len(s.Changes) > 0 }) {
			changed = append(changed, g)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	if t.table != ofLayers {
		if err := t.addCauses(ctx, changed); err != nil {
			return err
		}
	}
	if err := t.addCommits(ctx, changed); err != nil {
		return err
	}
	return t.warnOfMixes(ctx, changed)
}

// lost is the lost time of units in a build.
type lost struct {
	units  int
	causes map[string]float64 // the sums of nanoseconds per frame
}

func (t *Trend) addCauses(ctx context.Context, groups []*TrendGroup) error {
	all := map[*TrendGroup][]lost{}
	err := t.eachUnit(ctx, groups, wanted{sums: true, details: true}, func(g *TrendGroup, build int, _ uint64, sum *Group) {
		if all[g] == nil {
			all[g] = make([]lost, len(t.Builds))
		}
		frames := sum.count(t.table)
		if frames == 0 {
			return
		}
		b := &all[g][build]
		if b.units++; b.causes == nil {
			b.causes = map[string]float64{}
		}
		for name, c := range sum.causes {
			b.causes[name] += float64(c.Lost) / float64(frames)
		}
	})
	if err != nil {
		return err
	}
	for _, g := range groups {
		for _, s := range g.Series {
			for _, c := range s.Changes {
				c.addCauses(s, all[g])
			}
		}
	}
	return nil
}

// addCauses adds the causes that changed in the direction of the change. lost is by build.
func (c *TrendChange) addCauses(s *TrendSeries, builds []lost) {
	causes, n := [2]map[string]float64{{}, {}}, [2]float64{}
	for i := c.From; i < c.To && builds != nil; i++ {
		if b := builds[i]; s.Points[i].Tested && b.units > 0 {
			n[c.after(i)]++
			for name, lost := range b.causes {
				causes[c.after(i)][name] += lost / float64(b.units)
			}
		}
	}
	for side := range causes {
		for name := range causes[side] {
			causes[side][name] /= n[side]
		}
	}
	names := maps.Clone(causes[0])
	maps.Copy(names, causes[1])
	if len(names) == 0 {
		return
	}
	sign := 1.0
	if c.Verdict == "better" {
		sign = -1
	}
	c.Lost = &LostChange{}
	grown := 0.0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		x := CauseChange{Name: name, LostChange: LostChange{causes[0][name], causes[1][name]}}
		c.Lost.Before, c.Lost.After = c.Lost.Before+x.Before, c.Lost.After+x.After
		if x.Share = sign * (x.After - x.Before); x.Share > 0 {
			grown += x.Share
			c.Causes = append(c.Causes, x)
		}
	}
	slices.SortStableFunc(c.Causes, func(a, b CauseChange) int { return cmp.Compare(b.Share, a.Share) })
	c.Causes = c.Causes[:min(mostShown, len(c.Causes))]
	for i := range c.Causes {
		c.Causes[i].Share /= grown
	}
}

// revisions are the dimensions that have commits, the best first.
var revisions = []string{"revision", "commit"}

// addCommits adds the commits between the builds of each change.
func (t *Trend) addCommits(ctx context.Context, groups []*TrendGroup) error {
	if slices.Contains(revisions, t.Over) {
		for _, name := range t.Builds {
			t.commits = append(t.commits, []string{name})
		}
	} else if err := t.findCommits(ctx); err != nil {
		return err
	}
	for _, g := range groups {
		for _, s := range g.Series {
			for _, c := range s.Changes {
				c.Commits = t.commitsAt(s, &c.Place)
				c.BackCommits = t.commitsAt(s, c.Back)
			}
		}
	}
	return nil
}

// commitsAt returns the commits around a place, which may be nil.
func (t *Trend) commitsAt(s *TrendSeries, p *significance.Place) *CommitRange {
	if p == nil || t.commits == nil {
		return nil
	}
	last := p.At - 1 // the last tested build before it
	for !s.Points[last].Tested {
		last--
	}
	before, after := t.commits[last], t.commits[p.At]
	if len(before) == 0 || len(after) == 0 {
		return nil
	}
	return &CommitRange{before[len(before)-1], after[0]}
}

// findCommits sets the commits of the builds, by the first time at which a trace of each was recorded.
func (t *Trend) findCommits(ctx context.Context) error {
	i := slices.IndexFunc(revisions, func(name string) bool {
		return !slices.ContainsFunc(t.Datasets, func(d *Dataset) bool { return !slices.Contains(d.Dims, name) })
	})
	if i < 0 {
		return nil
	}
	found, _, err := t.survey(ctx, revisions[i:i+1], t.Process)
	if err != nil {
		return err
	}
	builds := make([][]*surveyed, len(t.Builds))
	for _, g := range found {
		if g.key[0] != nil && g.key[1] != nil {
			at := slices.Index(t.Builds, *g.key[1])
			builds[at] = append(builds[at], g)
		}
	}
	for _, list := range builds {
		slices.SortFunc(list, func(a, b *surveyed) int {
			if a.recorded != nil && b.recorded != nil && *a.recorded != *b.recorded {
				return cmp.Compare(*a.recorded, *b.recorded)
			}
			return compareKeys(a.key, b.key)
		})
		var names []string
		for _, g := range list {
			names = append(names, *g.key[0])
		}
		t.commits = append(t.commits, names)
	}
	return nil
}

// mostMixes bounds the changes whose mixes are compared.
const mostMixes = 5

// warnOfMixes adds a warning for each dimension whose values are mixed otherwise after a change.
func (t *Trend) warnOfMixes(ctx context.Context, groups []*TrendGroup) error {
	var changes []*TrendChange
	for _, g := range groups {
		for _, s := range g.Series {
			for _, c := range s.Changes {
				if !slices.ContainsFunc(changes, func(o *TrendChange) bool { return o.At == c.At }) && len(changes) < mostMixes {
					changes = append(changes, c)
				}
			}
		}
	}
	slices.SortFunc(changes, func(a, b *TrendChange) int { return cmp.Compare(a.At, b.At) })
	var dims []string
	for _, dim := range t.Datasets[0].Dims {
		if !slices.ContainsFunc(t.Datasets, func(d *Dataset) bool { return !slices.Contains(d.Dims, dim) }) {
			dims = append(dims, dim)
		}
	}
	if t.table == ofFrames {
		dims = append(dims, "process", sceneDim)
	}
	for _, dim := range dims {
		if dim == t.Unit || dim == t.Over || slices.Contains(revisions, dim) || slices.Contains(t.By, dim) {
			continue
		}
		found, _, err := t.survey(ctx, []string{dim}, t.Process)
		if err == errTooManyGroups {
			continue // no mix of so many values matters
		} else if err != nil {
			return err
		}
		for _, c := range changes {
			shares := [2]side{{groups: map[string]*surveyed{}}, {groups: map[string]*surveyed{}}}
			for i := c.From; i < c.To; i++ {
				groups := shares[c.after(i)].groups
				for _, g := range found {
					if build := g.key[1]; build == nil || *build != t.Builds[i] {
						continue
					}
					id := idOf(g.key[:1])
					if groups[id] == nil {
						groups[id] = &surveyed{key: g.key, units: map[uint64]int{}}
					}
					groups[id].merge(g)
				}
			}
			if changed := mixChanges(shares[0].shares(), shares[1].shares()); len(changed) > 0 {
				t.warnings = append(t.warnings, fmt.Sprintf("with %s %s %s", t.name(), keyText(&t.Builds[c.At]), mixWarning(dim, changed, t.By)))
			}
		}
	}
	return nil
}

// buildText names a build.
func (t *Trend) buildText(i int) string { return t.name() + " " + text.Printable(t.Builds[i]) }
