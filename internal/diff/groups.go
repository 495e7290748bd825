package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/locate"
	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// Group is what both sides have of one thing besides processes: the interactions of one scene, page and
// application, or the layers of one name and producer.
type Group struct {
	groupKey
	Base comparedItems `json:"base"` // how many there are on each side
	New  comparedItems `json:"new"`
	// all measures of the kind; "field" is a field of an interaction or a layer in a report
	Measures []*Measure `json:"measures"`

	kind    *kind
	index   int // in Groups.Both
	selects func(*condition.Condition) bool
	// why returns the command that explains the item of new whose value of a measure is worst; empty
	// if it is unknown.
	why func(*Measure) string
}

// groupKey is what items of both sides have in common.
type groupKey struct {
	Kind string `json:"kind"` // "scene" or "launch" for interactions, or "layer"
	// name of the scene; of a launch "cold", "warm" or "hot"; of a layer its name, with "*" for what
	// differs from run to run
	Name optional `json:"name"`
	// name of the application, or of the producer of the layer; nil if unknown
	Process optional `json:"process"`
	Page    optional `json:"page"` // page of the application; nil if unknown
}

// optional is a name, null in JSON if it is empty: unknown.
type optional string

// MarshalJSON implements json.Marshaler.
func (s optional) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(s))
}

// comparedItems counts the items of a side.
type comparedItems struct {
	Items     int `json:"items"`     // number of interactions or layers
	Truncated int `json:"truncated"` // number of those that an edge of the trace cuts, which are left out
	Size      int `json:"size"`      // number of interactions, or of the layers' buffers
}

// Groups are all groups of the items of a kind.
type Groups struct {
	Both     []*Group `json:"compared"`     // what both sides have, in the order of base
	OnlyBase []*Group `json:"only_in_base"` // what one side has
	OnlyNew  []*Group `json:"only_in_new"`
	Changes  int      `json:"changes"` // number of changes that were tested together

	kind *kind
}

func (g *Groups) any() bool { return len(g.Both)+len(g.OnlyBase)+len(g.OnlyNew) > 0 }

// kindOf says how the items of a kind are compared. Functions may be nil where that is said.
type kindOf[T any] struct {
	kind
	items   func(*stats.Report) []*T // those of a run
	process func(*T) *stats.Process  // nil if unknown
	key     func(*T) groupKey
	// exact returns a name that counts if all runs of all sides have it; may be nil.
	exact func(*T) optional
	cut   func(*T) bool // whether an edge of the trace cuts the item; may be nil
	size  func(*T) int
	join  func([]*T) *T // one item for those of a run; nil if a value of a run is their mean
	// has reports whether items have a measure; nil if all but launches have those that are not of launches.
	has    func(*stats.Measure, []*T) bool
	differ func([]*T) bool                   // whether the values of items are of units that do not compare; may be nil
	why    func(*locate.Commands, *T) string // the command that explains an item; may be nil
}

// itemOf is an item of a run. Groups have lists of them: most of thousands of runs have none.
type itemOf[T any] struct {
	run  int
	item *T
}

// compareGroups pairs the items of both sides, computes the measures of the groups, and tests their
// changes as a family.
func compareGroups[T any](d *Diff, o *Options, k *kindOf[T]) *Groups {
	all := &Groups{Both: []*Group{}, OnlyBase: []*Group{}, OnlyNew: []*Group{}, kind: &k.kind}
	var runs [2][][]*T
	called := make([][][]identity, 2)
	for side, s := range d.sides() {
		for _, run := range s.all() {
			items := k.items(run.Stats)
			runs[side], called[side] = append(runs[side], items), append(called[side], k.identities(items))
		}
	}
	type group struct {
		*Group
		items  [2][]itemOf[T] // without those that are cut
		wanted bool
	}
	var list []*group
	groups, key := map[groupKey]*group{}, keys(k.detail, d.applicationNames(), called)
	for side := range runs {
		for run, items := range runs[side] {
			for i, x := range items {
				at := key(side, called[side][run][i])
				g := groups[at]
				if g == nil {
					g = &group{Group: &Group{groupKey: at, Measures: []*Measure{}, kind: &k.kind}}
					groups[at], list = g, append(list, g)
				}
				process := k.process(x)
				g.wanted = g.wanted || o.Process == nil || at.Kind == "own_measure" || process != nil && o.wants(process)
				count := [2]*comparedItems{&g.Base, &g.New}[side]
				if k.cut != nil && k.cut(x) {
					count.Truncated++
					continue
				}
				count.Items++
				count.Size += k.size(x)
				g.items[side] = append(g.items[side], itemOf[T]{run, x})
			}
		}
	}
	var tested []*Measure
	atOtherRates := d.atOtherRates()
	for _, g := range list {
		g.selects = func(c *condition.Condition) bool {
			return slices.ContainsFunc(slices.Concat(g.items[0], g.items[1]), func(x itemOf[T]) bool { return c.Has(x.item) })
		}
		switch {
		case !g.wanted:
			continue
		case g.New == comparedItems{}:
			all.OnlyBase = append(all.OnlyBase, g.Group)
			continue
		case g.Base == comparedItems{}:
			all.OnlyNew = append(all.OnlyNew, g.Group)
			continue
		}
		g.index = len(all.Both)
		all.Both = append(all.Both, g.Group)
		g.why = func(m *Measure) string {
			if found, in := worstElement(d, m, g.items[1]); in != nil && k.why != nil {
				return k.why(in, found)
			}
			return ""
		}
		values := [2][][]*T{inRuns(g.items[0], len(runs[0]), k.join), inRuns(g.items[1], len(runs[1]), k.join)}
		for i := range k.measures {
			of := &k.measures[i]
			if of.Launch != g.isLaunch() || k.has != nil && !k.has(of, slices.Concat(slices.Concat(values[0]...), slices.Concat(values[1]...))) {
				continue
			}
			base, new := unitsOf(values, of)
			m := d.measured(of, base, new)
			g.Measures = append(g.Measures, m)
			switch {
			case k.differ != nil && k.differ(slices.Concat(slices.Concat(values[0]...), slices.Concat(values[1]...))):
				m.incomparable, m.series, m.Delta, m.Relative = unitsDiffer, nil, nil, nil
			case of.PerRefresh && atOtherRates(g.Group):
				m.series, m.incomparable = nil, refreshDiffers
			case of.Tested:
				tested = append(tested, m)
			}
		}
	}
	all.Changes = judgeAll(tested, o.MinEffect).Tested
	return all
}

// identity is what an item is called. The exact name is that of the key without kindOf.exact.
type identity struct {
	groupKey
	exact optional
}

func (k *kindOf[T]) identities(items []*T) []identity {
	list := make([]identity, len(items))
	for i, x := range items {
		list[i].groupKey = k.key(x)
		if list[i].exact = list[i].Name; k.exact != nil {
			list[i].exact = k.exact(x)
		}
	}
	return list
}

// keys returns a function for the keys of items, from those of the runs of all sides. detail is that of kind.
func keys(detail func(*groupKey) *optional, apps appNames, sides [][][]identity) func(side int, x identity) groupKey {
	// without returns a key without its detail, and whether it has one.
	without := func(key groupKey) (groupKey, bool) {
		if detail == nil {
			return key, false
		}
		of := detail(&key)
		known := *of != ""
		*of = ""
		return key, known
	}
	of := func(side int, x identity) (key, exact groupKey) {
		x.Process = optional(apps.of(side, string(x.Process)))
		exact = x.groupKey
		exact.Name = x.exact
		return x.groupKey, exact
	}
	all, found := 0, map[groupKey]int{}
	// whether a side knows the detail of what it has, by the key without, and whether all are alike
	knows, differ := map[groupKey]bool{}, map[groupKey]bool{}
	for side, runs := range sides {
		has := map[groupKey]bool{}
		for _, items := range runs {
			all++
			seen := map[groupKey]bool{}
			for _, x := range items {
				key, exact := of(side, x)
				if !seen[exact] {
					seen[exact] = true
					found[exact]++
				}
				whole, known := without(key)
				has[whole] = has[whole] || known
			}
		}
		for whole, known := range has {
			if other, is := knows[whole]; is && other != known {
				differ[whole] = true
			}
			knows[whole] = known
		}
	}
	return func(side int, x identity) groupKey {
		key, exact := of(side, x)
		if whole, _ := without(key); differ[whole] {
			return whole
		}
		if found[exact] == all {
			return exact
		}
		return key
	}
}

// appNames are the names of applications that are compared: all sides have the same. One that a kernel has cut to its
// last bytes is that of the only application whose name ends in it, and one that is mapped is that of base.
type appNames struct {
	full   map[string][]string // by their last bytes
	mapped map[string]string
}

func (n appNames) add(name string) {
	if k := len(name) - analyzer.KernelName; k > 0 && !slices.Contains(n.full[name[k:]], name) {
		n.full[name[k:]] = append(n.full[name[k:]], name)
	}
}

func (n appNames) of(side int, name string) string {
	if side == 1 {
		name = cmp.Or(n.mapped[name], name)
	}
	if list := n.full[name]; len(name) == analyzer.KernelName && len(list) == 1 {
		return list[0]
	}
	return name
}

// applicationNames returns the names of applications.
func (d *Diff) applicationNames() appNames {
	n := appNames{map[string][]string{}, map[string]string{}}
	for _, run := range slices.Concat(d.Base.all(), d.New.all()) {
		for _, i := range run.Stats.Interactions {
			n.add(i.Process)
		}
		for _, l := range run.Stats.Layers {
			n.add(producer(l))
		}
	}
	for _, p := range d.Pairs {
		if p.MatchedBy == matchedByMap {
			n.mapped[p.New.Name] = p.Base.Name
		}
	}
	return n
}

// inRuns returns the items of a side by run: one for those of a run, if they are joined.
func inRuns[T any](items []itemOf[T], runs int, join func([]*T) *T) [][]*T {
	list := make([][]*T, runs)
	for _, x := range items {
		list[x.run] = append(list[x.run], x.item)
	}
	for i := range list {
		if join != nil && len(list[i]) > 0 {
			list[i] = []*T{join(list[i])}
		}
	}
	return list
}

// unitsOf returns the values of a measure in the runs of both sides. If they are means of several items,
// their variance is from how the items of a run differ.
func unitsOf[T any](runs [2][][]*T, of *stats.Measure) (base, new []significance.UnitValue) {
	squares, freedom := 0.0, 0.0
	var units [2][]significance.UnitValue
	var counts [2][]float64
	for side, list := range runs {
		for _, items := range list {
			n, mean := 0.0, 0.0
			for _, x := range items {
				if value := of.Value(x); value != nil {
					n++ // Welford, 1962
					d := *value - mean
					mean += d / n
					squares += d * (*value - mean)
				}
			}
			u := unknownUnit
			if n > 0 {
				u.Value = mean
				freedom += n - 1
			}
			units[side], counts[side] = append(units[side], u), append(counts[side], n)
		}
	}
	if freedom > 0 {
		for side := range units {
			for i := range units[side] {
				units[side][i].Variance = squares / freedom / counts[side][i]
			}
		}
	}
	return units[0], units[1]
}

// atOtherRates returns a function that reports whether the refresh rates of a group's application or of
// the render service differ between the sides.
func (d *Diff) atOtherRates() func(*Group) bool {
	apps := d.applicationNames()
	return func(g *Group) bool {
		return slices.ContainsFunc(d.Pairs, func(p *Pair) bool {
			return p.RefreshDiffers && (p.Base.Kind == stats.RenderService || apps.of(0, p.Base.Name) == string(g.Process))
		})
	}
}

func (g *Group) isLaunch() bool { return g.Kind == analyzer.LaunchInteraction.String() }

// measure returns the measure of a name; nil if the group does not have it.
func (g *Group) measure(name string) *Measure {
	if i := slices.IndexFunc(g.Measures, func(m *Measure) bool { return m.Name == name }); i >= 0 {
		return g.Measures[i]
	}
	return nil
}

func (g *Group) size() int { return g.Base.Size + g.Base.Truncated + g.New.Size + g.New.Truncated }

func (g *Group) counts() string { return fmt.Sprintf("%d → %d", g.Base.Size, g.New.Size) }

// about is the name of the process; empty if it is unknown.
func (g *Group) about() string {
	if g.Process == "" {
		return ""
	}
	return text.ProcessName(string(g.Process))
}

// withProcess puts the process before a name; either may be empty.
func (g *Group) withProcess(name string) string {
	return strings.Join(slices.DeleteFunc([]string{g.about(), name}, func(s string) bool { return s == "" }), ", ")
}

// words is the name of the group for people without the process.
func (g *Group) words() string { return g.kind.words(g) }

// fullTitle is the name as conditions have it, after the process, heading has both names.
func (g *Group) fullTitle() string { return g.withProcess(g.kind.title(g)) }

func (g *Group) heading() string {
	if g.kind.heading == nil {
		return g.fullTitle()
	}
	return g.withProcess(g.kind.heading(g))
}

// whyUnknown returns why a condition on a measure of the group cannot be checked.
func (g *Group) whyUnknown(d *Diff, m *Measure) string {
	switch {
	case g.Base.Items == 0:
		return "the base trace cuts all of them"
	case g.New.Items == 0:
		return "the new trace cuts all of them"
	}
	return d.whyNotChecked(m)
}
