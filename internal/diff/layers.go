package diff

import (
	"cmp"
	"fmt"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// LayerPair is the layers of one name and producer on both sides. Several of a name in one run
// are measured together.
type LayerPair struct {
	// Process is the producer, empty if it is unknown. Name is as that of text.LayerName,
	// unless each run has a layer with the whole name.
	Process, Name string
	// Base and New are the layers of each run.
	Base, New [][]*stats.Layer
	Measures  []*Measure

	index  int // in Diff.Layers
	wanted bool
}

// layerKey is what layers of both sides have in common.
type layerKey struct{ process, name string }

// layers returns the layers of each run.
func (s *Side) layers() [][]*stats.Layer {
	if s.Runs == nil {
		return [][]*stats.Layer{s.Stats.Layers}
	}
	return s.surfaces
}

// producer returns the name of the producer, empty if it is unknown. Dumps of SurfaceFlinger
// have that of the layer in its place.
func producer(l *stats.Layer) string {
	if l.Process == nil || *l.Process == l.Name {
		return ""
	}
	return *l.Process
}

// wants reports whether the producer of a layer is selected.
func wants(o *Options, l *stats.Layer) bool {
	p := condition.ProducerOf(l)
	return p != nil && o.wants(p)
}

// pairLayers sets Layers, OnlyBaseLayers and OnlyNewLayers.
func (d *Diff) pairLayers(o Options) {
	keyOf := d.layerKeys()
	pairs := map[layerKey]*LayerPair{}
	var list []*LayerPair
	for side, runs := range [2][][]*stats.Layer{d.Base.layers(), d.New.layers()} {
		for run, layers := range runs {
			for _, l := range layers {
				key := keyOf(side, l)
				p := pairs[key]
				if p == nil {
					p = &LayerPair{
						Process: key.process, Name: key.name,
						Base: make([][]*stats.Layer, len(d.Base.layers())), New: make([][]*stats.Layer, len(d.New.layers())),
					}
					pairs[key] = p
					list = append(list, p)
				}
				p.wanted = p.wanted || o.Process == nil || wants(&o, l)
				of := [2][][]*stats.Layer{p.Base, p.New}[side]
				of[run] = append(of[run], l)
			}
		}
	}
	for _, p := range list {
		switch {
		case !p.wanted:
		case count(p.New) == 0:
			d.OnlyBaseLayers = append(d.OnlyBaseLayers, p)
		case count(p.Base) == 0:
			d.OnlyNewLayers = append(d.OnlyNewLayers, p)
		default:
			p.index = len(d.Layers)
			d.Layers = append(d.Layers, p)
		}
	}
}

// layerKeys returns a function for the keys of layers. The numbers of a name count if each run
// of both sides has a layer of this name. The producer counts unless only one side knows one.
func (d *Diff) layerKeys() func(side int, l *stats.Layer) layerKey {
	process := d.applicationNames()
	type whole struct{ process, name string }
	type known struct{ any, process bool }
	runs, found, sides := 0, map[whole]int{}, [2]map[string]known{{}, {}}
	for side, list := range [2][][]*stats.Layer{d.Base.layers(), d.New.layers()} {
		for _, layers := range list {
			runs++
			seen := map[whole]bool{}
			for _, l := range layers {
				if w := (whole{process(side, producer(l)), l.Name}); !seen[w] {
					seen[w] = true
					found[w]++
				}
				name := text.LayerName(l.Name)
				sides[side][name] = known{true, sides[side][name].process || producer(l) != ""}
			}
		}
	}
	return func(side int, l *stats.Layer) layerKey {
		w, name := whole{process(side, producer(l)), l.Name}, text.LayerName(l.Name)
		if this, other := sides[side][name], sides[1-side][name]; other.any && this.process != other.process {
			w.process = ""
		} else if found[w] == runs {
			return layerKey(w)
		}
		return layerKey{w.process, name}
	}
}

// testLayers computes the measures of the layers, and tests their changes as a family. The value of a
// run is that of all its layers with the name.
func (d *Diff) testLayers(o Options) {
	var tested []*Measure
	for _, p := range d.Layers {
		base, new := joined(p.Base, stats.JoinLayers), joined(p.New, stats.JoinLayers)
		for i := range stats.LayerMeasures {
			k := &stats.LayerMeasures[i]
			m := d.measured(k, unitsOf(base, k), unitsOf(new, k))
			p.Measures = append(p.Measures, m)
			if k.Tested {
				tested = append(tested, m)
			}
		}
	}
	d.LayerChanges = Judge(tested, o.MinEffect).Tested
}

// joined returns what each run has together; nil for a run without any.
func joined[T any](runs [][]*T, join func([]*T) *T) []*T {
	list := make([]*T, len(runs))
	for i, run := range runs {
		if len(run) > 0 {
			list[i] = join(run)
		}
	}
	return list
}

func buffers(list []*stats.Layer) (n int) {
	for _, l := range list {
		n += l.Buffers
	}
	return n
}

// unitsOf returns the values of a measure in the runs of a side.
func unitsOf[T any](runs []*T, k *stats.Measure) (list []significance.Unit) {
	for _, x := range runs {
		u := unknownUnit
		if x != nil {
			u = valueOf(k.Value(x))
		}
		list = append(list, u)
	}
	return list
}

func (p *LayerPair) measure(name string) *Measure { return measureOf(p.Measures, name) }

func (p *LayerPair) list() []*Measure { return p.Measures }

func (p *LayerPair) size() int {
	return buffers(slices.Concat(p.Base...)) + buffers(slices.Concat(p.New...))
}

func (p *LayerPair) counts() string {
	return fmt.Sprintf("%d → %d", buffers(slices.Concat(p.Base...)), buffers(slices.Concat(p.New...)))
}

func (p *LayerPair) outcome() Outcome { return Outcome{Layers: p} }

func (p *LayerPair) words() string { return text.ShortLayerName(p.Name, text.LayerWidth) }

func (p *LayerPair) about() string {
	if p.Process == "" {
		return ""
	}
	return text.ProcessName(p.Process)
}

func (p *LayerPair) fullTitle() string {
	name := cmp.Or(text.Printable(p.Name), text.Unknown)
	if process := p.about(); process != "" {
		return process + ", " + name
	}
	return name
}

func (p *LayerPair) heading() string { return p.fullTitle() }

// selects reports whether a condition is on one of the layers.
func (p *LayerPair) selects(c *condition.Condition) bool {
	return c.OfLayers() && slices.ContainsFunc(slices.Concat(slices.Concat(p.Base...), slices.Concat(p.New...)), c.SelectsLayer)
}

// whyUnknown returns why a condition on a measure of the layers cannot be checked.
func (p *LayerPair) whyUnknown(d *Diff, m *Measure) string { return d.whyNotChecked(m) }
