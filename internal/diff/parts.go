package diff

import "ohframe/internal/condition"

// part is what a process may have several of: InteractionPair, LayerPair, SummaryPair.
type part interface {
	// words names it without the process, heading and fullTitle with it. about is the process.
	words() string
	about() string
	heading() string
	fullTitle() string
	list() []*Measure
	// size is how many interactions, buffers or frames both sides have, tables show counts.
	size() int
	counts() string
	selects(*condition.Condition) bool
	measure(name string) *Measure
	whyUnknown(d *Diff, m *Measure) string
	// why is the command that explains the one of new whose value of a measure is worst; empty
	// if it is unknown.
	why(d *Diff, m *Measure) string
	outcome() Outcome
}

// parts are all pairs of one kind.
type parts struct {
	noun, nouns       string // "interaction", "interactions"
	both              []part
	onlyBase, onlyNew []part
	unit              string // "run" or "session"
	ofRun             string // what the value of a run is
	tested            int    // number of changes
}

func partsOf[P part](list []P) (parts []part) {
	for _, p := range list {
		parts = append(parts, p)
	}
	return parts
}

// allParts returns the pairs of interactions, of layers and of summaries.
func (d *Diff) allParts() []parts {
	return []parts{
		{
			"interaction", "interactions", partsOf(d.Interactions), partsOf(d.OnlyBaseInteractions), partsOf(d.OnlyNewInteractions),
			d.unit(), "the mean of its interactions", d.InteractionChanges,
		},
		{
			"layer", "layers", partsOf(d.Layers), partsOf(d.OnlyBaseLayers), partsOf(d.OnlyNewLayers),
			d.unit(), "the value of all its layers with the name", d.LayerChanges,
		},
		{
			"summary", "summaries", partsOf(d.Summaries), partsOf(d.OnlyBaseSummaries), partsOf(d.OnlyNewSummaries),
			d.unit(), "the sum of its summaries of the process", d.SummaryChanges,
		},
	}
}

func (p *parts) any() bool { return len(p.both)+len(p.onlyBase)+len(p.onlyNew) > 0 }

// measureOf returns the measure of a name.
func measureOf(list []*Measure, name string) *Measure {
	for _, m := range list {
		if m.Name == name {
			return m
		}
	}
	return nil
}
