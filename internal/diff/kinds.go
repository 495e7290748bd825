package diff

import (
	"cmp"
	"fmt"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/brief"
	"ohframe/internal/condition"
	"ohframe/internal/locate"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// kind is how groups of a kind are shown.
type kind struct {
	on          condition.Items
	noun, nouns string // "interaction", "interactions"
	ofRun       string // what the value of a run is
	// title is the name of a group as conditions have it, without the process.
	// words is the name in tables, heading has both; it may be nil for title.
	title, words, heading func(*Group) string
	// sizes is the title of the column of sizes. leading are the names of the measures of tables.
	sizes    string
	measures stats.MeasureList
	leading  []string
	// detail returns what counts only if all sides know it; may be nil.
	detail func(*groupKey) *optional
}

var interactionKind = kindOf[stats.Interaction]{
	kind: kind{
		on: condition.Interactions, noun: "interaction", nouns: "interactions", ofRun: "the mean of its interactions",
		// "APP_LIST_FLING on pages/Index", "cold launch"
		title: func(g *Group) string { return g.onPage(string(g.Name)) },
		words: func(g *Group) string { return g.onPage(cmp.Or(text.Scene(string(g.Name)), string(g.Name))) },
		heading: func(g *Group) string {
			scene := string(g.Name)
			if name := text.Scene(scene); name != "" {
				scene = fmt.Sprintf("%s (%s)", name, scene)
			}
			return g.onPage(scene)
		},
		sizes:    "Count",
		measures: stats.InteractionMeasures, leading: stats.LeadingOfInteractions,
		detail: func(k *groupKey) *optional { return &k.Page }, // older systems do not write pages
	},
	items:   func(r *stats.Report) []*stats.Interaction { return r.Interactions },
	process: func(i *stats.Interaction) *stats.Process { return &stats.Process{PID: i.PID, Name: i.Process} },
	key: func(i *stats.Interaction) groupKey {
		key := groupKey{Kind: i.Kind, Name: optional(i.Scene), Process: optional(i.Process)}
		if i.Page != nil {
			key.Page = optional(*i.Page)
		}
		return key
	},
	cut:  func(i *stats.Interaction) bool { return i.Truncated },
	size: func(*stats.Interaction) int { return 1 },
	why:  func(in *locate.Commands, i *stats.Interaction) string { return in.WhyInteraction(i.ID, brief.Flag) },
}

// column is a column of measures.
type column struct {
	view.Column
	of []string // names: a group has at most one of them
}

// columnsOf returns the columns of measures. Those at one path have one.
func columnsOf(list stats.MeasureList, names []string) (columns []column) {
	at := map[string]int{}
	for _, name := range names {
		m := list.Named(name)
		i, ok := at[m.Path]
		if !ok {
			i, at[m.Path] = len(columns), len(columns)
			columns = append(columns, column{Column: view.Column{Title: text.Column(m), Number: true, Drop: m.Drop}})
		}
		columns[i].of = append(columns[i].of, name)
	}
	return columns
}

// onPage names a scene or a launch with its page.
func (g *Group) onPage(scene string) string {
	if g.isLaunch() {
		scene = string(g.Name) + " launch"
	}
	if g.Page != "" {
		scene += " on " + string(g.Page)
	}
	return text.Printable(scene)
}

var layerKind = kindOf[stats.Layer]{
	kind: kind{
		on: condition.Layers, noun: "layer", nouns: "layers", ofRun: "the value of all its layers with the name",
		title:    func(g *Group) string { return cmp.Or(text.Printable(string(g.Name)), text.Unknown) },
		words:    func(g *Group) string { return text.ShortLayerName(string(g.Name), text.LayerWidth) },
		sizes:    "Buffers",
		measures: stats.LayerMeasures, leading: stats.LeadingOfLayers,
		detail: func(k *groupKey) *optional { return &k.Process },
	},
	items:   func(r *stats.Report) []*stats.Layer { return r.Layers },
	process: condition.ProducerOf,
	key: func(l *stats.Layer) groupKey {
		return groupKey{Kind: "layer", Name: optional(text.LayerName(l.Name)), Process: optional(producer(l))}
	},
	exact: func(l *stats.Layer) optional { return optional(l.Name) }, // with its numbers
	size:  func(l *stats.Layer) int { return l.Buffers },
	join:  stats.JoinLayers,
	why:   func(in *locate.Commands, l *stats.Layer) string { return in.WhyLayer(l.ID, brief.Flag) },
}

// producer returns the name of the producer, empty if it is unknown. Dumps of SurfaceFlinger
// have that of the layer in its place.
func producer(l *stats.Layer) string {
	if l.Process == nil || *l.Process == l.Name {
		return ""
	}
	return *l.Process
}

var ownKind = kindOf[stats.Own]{
	kind: kind{
		on: condition.OwnMeasures, noun: "own measure", nouns: "own measures", ofRun: "that of all its values",
		title: (*Group).ownName, words: (*Group).ownName,
		sizes:    "Values",
		measures: stats.OwnMeasures, leading: stats.LeadingOfOwn,
	},
	items: func(r *stats.Report) []*stats.Own {
		return slices.DeleteFunc(slices.Clone(r.Own), func(x *stats.Own) bool { return x.Unread })
	},
	process: func(*stats.Own) *stats.Process { return nil },
	key:     func(x *stats.Own) groupKey { return groupKey{Kind: "own_measure", Name: optional(x.Name)} },
	size:    func(x *stats.Own) int { return x.Count },
	has: func(m *stats.Measure, list []*stats.Own) bool {
		known := slices.IndexFunc(list, func(x *stats.Own) bool { return x.Unit != nil })
		return m.IsOf(list[max(0, known)])
	},
	differ: func(list []*stats.Own) bool {
		units := map[string]bool{}
		for _, x := range list {
			switch {
			case x.Unit != nil && *x.Unit != stats.Count:
				units["a time"] = true
			case x.Unit != nil:
				units[""] = true // may be of any unit, but is no time between markers
			}
			for _, unit := range x.Units {
				units[unit] = true
			}
		}
		return units["a time"] && units[""] || len(units) > 2
	},
}

func (g *Group) ownName() string { return text.Printable(string(g.Name)) }
