package diff

import (
	"cmp"
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// InteractionPair is the interactions of one scene, page and application on both sides.
type InteractionPair struct {
	Process, Scene, Page string
	Launch               bool
	// Base and New are the interactions of each run, without those that an edge of the trace
	// cuts. BaseCut and NewCut count these.
	Base, New       [][]*stats.Interaction
	BaseCut, NewCut int
	// Measures are those of scenes or of launches.
	Measures []*Measure

	index          int // in Diff.Interactions
	wanted         bool
	refreshDiffers bool // the refresh rates of the application or of the render service differ
}

// interactionKey is what interactions of both sides have in common. Empty pages are unknown.
type interactionKey struct {
	process, scene string
	launch         bool
	page           string
}

// interactions returns the interactions of each run.
func (s Side) interactions() [][]*stats.Interaction {
	if s.Runs == nil {
		return [][]*stats.Interaction{s.Stats.Interactions}
	}
	return s.scenes
}

// hasParts reports whether the side has interactions, layers or summaries.
func (s Side) hasParts() bool {
	return count(s.interactions())+count(s.layers())+count(s.summaries()) > 0
}

// pairInteractions sets Interactions, OnlyBaseInteractions and OnlyNewInteractions.
func (d *Diff) pairInteractions(o Options) {
	name, page := d.applicationNames(), d.pages()
	pairs := map[interactionKey]*InteractionPair{}
	var list []*InteractionPair
	for side, runs := range [2][][]*stats.Interaction{d.Base.interactions(), d.New.interactions()} {
		for run, interactions := range runs {
			for _, i := range interactions {
				key := page(side, keyOf(i, name(side, i.Process)))
				p := pairs[key]
				if p == nil {
					p = &InteractionPair{
						Process: key.process, Scene: key.scene, Page: key.page, Launch: key.launch,
						Base: make([][]*stats.Interaction, len(d.Base.interactions())), New: make([][]*stats.Interaction, len(d.New.interactions())),
					}
					pairs[key] = p
					list = append(list, p)
				}
				p.wanted = p.wanted || o.wants(&stats.Process{PID: i.PID, Name: i.Process})
				p.add(side, run, i)
			}
		}
	}
	for _, p := range list {
		switch {
		case !p.wanted:
		case count(p.New)+p.NewCut == 0:
			d.OnlyBaseInteractions = append(d.OnlyBaseInteractions, p)
		case count(p.Base)+p.BaseCut == 0:
			d.OnlyNewInteractions = append(d.OnlyNewInteractions, p)
		default:
			p.index = len(d.Interactions)
			p.refreshDiffers = slices.ContainsFunc(d.Pairs, func(pair *Pair) bool {
				return pair.RefreshDiffers && (pair.Base.Kind == stats.RenderService || name(0, pair.Base.Name) == p.Process)
			})
			d.Interactions = append(d.Interactions, p)
		}
	}
}

func (p *InteractionPair) add(side, run int, i *stats.Interaction) {
	runs, cut := p.Base, &p.BaseCut
	if side == 1 {
		runs, cut = p.New, &p.NewCut
	}
	if i.Truncated {
		*cut++
	} else {
		runs[run] = append(runs[run], i)
	}
}

func keyOf(i *stats.Interaction, process string) interactionKey {
	key := interactionKey{process: process, scene: i.Scene, launch: i.Kind == analyzer.LaunchInteraction.String()}
	if i.Page != nil {
		key.page = *i.Page
	}
	return key
}

func count[T any](runs [][]T) (n int) {
	for _, list := range runs {
		n += len(list)
	}
	return n
}

// applicationNames returns a function for the names of applications: those of both sides that
// are compared have the same. One that a kernel has cut to its last bytes is that of the only
// application whose name ends in it, and one that is mapped is that of base.
func (d *Diff) applicationNames() func(side int, name string) string {
	full := map[string][]string{} // by their last bytes
	add := func(name string) {
		if n := len(name) - analyzer.KernelName; n > 0 && !slices.Contains(full[name[n:]], name) {
			full[name[n:]] = append(full[name[n:]], name)
		}
	}
	for _, side := range []*Side{&d.Base, &d.New} {
		for _, i := range slices.Concat(side.interactions()...) {
			add(i.Process)
		}
		for _, l := range slices.Concat(side.layers()...) {
			add(producer(l))
		}
	}
	mapped := map[string]string{}
	for _, p := range d.Pairs {
		if p.MatchedBy == MatchedByMap {
			mapped[p.New.Name] = p.Base.Name
		}
	}
	return func(side int, name string) string {
		if side == 1 {
			name = cmp.Or(mapped[name], name)
		}
		if list := full[name]; len(name) == analyzer.KernelName && len(list) == 1 {
			return list[0]
		}
		return name
	}
}

// pages returns a function that removes the page of a scene if only one side knows pages of
// it, as older systems do not write them.
func (d *Diff) pages() func(side int, key interactionKey) interactionKey {
	name := d.applicationNames()
	type known struct{ any, page bool }
	sides := [2]map[interactionKey]known{{}, {}} // without pages
	for side, runs := range [2][][]*stats.Interaction{d.Base.interactions(), d.New.interactions()} {
		for _, list := range runs {
			for _, i := range list {
				key := keyOf(i, name(side, i.Process))
				page := key.page
				key.page = ""
				sides[side][key] = known{true, sides[side][key].page || page != ""}
			}
		}
	}
	return func(side int, key interactionKey) interactionKey {
		whole := key
		whole.page = ""
		if this, other := sides[side][whole], sides[1-side][whole]; other.any && this.page != other.page {
			return whole
		}
		return key
	}
}

// testInteractions computes the measures of the interactions, and tests their changes as a
// family. The value of a run is the mean of its interactions, which have much in common.
func (d *Diff) testInteractions(o Options) {
	var tested []*Measure
	for _, p := range d.Interactions {
		for i := range stats.InteractionMeasures {
			k := &stats.InteractionMeasures[i]
			if k.Launch != p.Launch {
				continue
			}
			base, new := p.units(k)
			m := d.measured(k, base, new)
			p.Measures = append(p.Measures, m)
			switch {
			case k.PerRefresh && p.refreshDiffers:
				m.series, m.incomparable = nil, true
			case k.Tested:
				tested = append(tested, m)
			}
		}
	}
	d.InteractionChanges = Judge(tested, o.MinEffect).Tested
}

// units returns the values of a measure in the runs of both sides. Their variance is from how the
// interactions of a run differ.
func (p *InteractionPair) units(k *stats.Measure) (base, new []significance.Unit) {
	squares, freedom := 0.0, 0.0
	units := func(runs [][]*stats.Interaction) (list []significance.Unit, counts []float64) {
		for _, run := range runs {
			n, mean := 0.0, 0.0
			for _, i := range run {
				if x := k.Value(i); x != nil {
					n++ // Welford, 1962
					d := *x - mean
					mean += d / n
					squares += d * (*x - mean)
				}
			}
			u := unknownUnit
			if n > 0 {
				u.Value = mean
				freedom += n - 1
			}
			list, counts = append(list, u), append(counts, n)
		}
		return list, counts
	}
	base, ofBase := units(p.Base)
	new, ofNew := units(p.New)
	if freedom > 0 {
		variance := squares / freedom
		for i := range base {
			base[i].Variance = variance / ofBase[i]
		}
		for i := range new {
			new[i].Variance = variance / ofNew[i]
		}
	}
	return base, new
}

func (p *InteractionPair) measure(name string) *Measure { return measureOf(p.Measures, name) }

func (p *InteractionPair) list() []*Measure { return p.Measures }

func (p *InteractionPair) size() int { return count(p.Base) + count(p.New) + p.BaseCut + p.NewCut }

func (p *InteractionPair) counts() string {
	return fmt.Sprintf("%d → %d", count(p.Base), count(p.New))
}

func (p *InteractionPair) outcome() Outcome { return Outcome{Interactions: p} }

// title names the scene, as conditions do, and its page: "APP_LIST_FLING on pages/Index",
// "cold launch".
func (p *InteractionPair) title() string { return p.titleOf(p.Scene) }

// words is the title as reports have it: "fling of a list on pages/Index".
func (p *InteractionPair) words() string { return p.titleOf(cmp.Or(text.Scene(p.Scene), p.Scene)) }

func (p *InteractionPair) titleOf(scene string) string {
	if p.Launch {
		scene = p.Scene + " launch"
	}
	if p.Page != "" {
		scene += " on " + p.Page
	}
	return text.Printable(scene)
}

func (p *InteractionPair) about() string { return text.ProcessName(p.Process) }

// heading has both names: "com.example.gallery, fling of a list (APP_LIST_FLING) on pages/Index".
func (p *InteractionPair) heading() string {
	scene := p.Scene
	if name := text.Scene(scene); name != "" {
		scene = fmt.Sprintf("%s (%s)", name, scene)
	}
	return text.ProcessName(p.Process) + ", " + p.titleOf(scene)
}

// fullTitle is the title with the application before it.
func (p *InteractionPair) fullTitle() string { return text.ProcessName(p.Process) + ", " + p.title() }

// selects reports whether a condition is on one of the interactions.
func (p *InteractionPair) selects(c *condition.Condition) bool {
	if !c.OfInteractions() {
		return false
	}
	for _, list := range slices.Concat(p.Base, p.New) {
		if slices.ContainsFunc(list, c.SelectsInteraction) {
			return true
		}
	}
	return false
}

// whyUnknown returns why a condition on a measure of the interactions cannot be checked.
func (p *InteractionPair) whyUnknown(d *Diff, m *Measure) string {
	switch {
	case count(p.Base) == 0:
		return "the base trace cuts all of them"
	case count(p.New) == 0:
		return "the new trace cuts all of them"
	}
	return d.whyNotChecked(m)
}
