package diff

import (
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
)

// part is a sample of each side that a process may have several of: InteractionPair, LayerPair.
type part interface {
	// words names it without the process, heading and fullTitle with it. about is the process.
	words() string
	about() string
	heading() string
	fullTitle() string
	list() []*Measure
	// size is how many interactions or buffers both sides have, tables show counts.
	size() int
	counts() string
	selects(*condition.Condition) bool
	measure(name string) *Measure
	whyUnknown(d *Diff, m *Measure) string
	outcome() Outcome
}

// parts are all pairs of one kind.
type parts struct {
	noun              string // "interaction"
	both              []part
	onlyBase, onlyNew []part
	unit              string // what was tested: runs, blocks of time, …
	values            string // what values are, ofRun what those of runs are
	ofRun             string
	observed          string // what too few are not tested
	tested            int    // number of changes
}

func partsOf[P part](list []P) (parts []part) {
	for _, p := range list {
		parts = append(parts, p)
	}
	return parts
}

// allParts returns the pairs of interactions and of layers.
func (d *Diff) allParts() []parts {
	return []parts{
		{
			"interaction", partsOf(d.Interactions), partsOf(d.OnlyBaseInteractions), partsOf(d.OnlyNewInteractions),
			d.tested("interactions"), "means of interactions", "mean of its interactions", "interaction", d.InteractionChanges,
		},
		{
			"layer", partsOf(d.Layers), partsOf(d.OnlyBaseLayers), partsOf(d.OnlyNewLayers),
			d.tested("blocks of time"), "of all layers with the name together", "value of all its layers with the name", "buffer", d.LayerChanges,
		},
	}
}

func (p *parts) any() bool { return len(p.both)+len(p.onlyBase)+len(p.onlyNew) > 0 }

// byRuns reports whether both sides have so many runs that these are tested.
func (d *Diff) byRuns() bool { return d.Test.Method != stats.BlockPermutation }

// unit is what was tested: "run", or the other one.
func (d *Diff) unit(other string) string {
	if d.byRuns() {
		return "run"
	}
	return other
}

// tested is what was tested, in the plural: runs, or the other ones.
func (d *Diff) tested(others string) string {
	if d.byRuns() {
		return "runs"
	}
	return others
}

// testParts judges the changes of parts: runs together if these are tested, otherwise each part
// by its own observations. They are a family of tests of their own. It returns the number of
// changes that were tested.
func (d *Diff) testParts(tested [][]*Measure, samples [][]stats.Runs, o Options) (changed int) {
	var changes [][]stats.Change
	if d.byRuns() {
		changes = [][]stats.Change{stats.CompareRuns(slices.Concat(samples...))}
		tested = [][]*Measure{slices.Concat(tested...)}
	} else {
		changes = stats.CompareSamples(samples)
	}
	for i, list := range tested {
		for k, m := range list {
			m.judge(changes[i][k], o.MinEffect)
			if m.Verdict == Unclear && d.oneRunEach() {
				m.Verdict = OneRunEach
			}
			if m.Verdict != NotTested {
				changed++
			}
		}
	}
	return changed
}

// measureOf returns the measure of a name.
func measureOf(list []*Measure, name string) *Measure {
	for _, m := range list {
		if m.Name == name {
			return m
		}
	}
	return nil
}
