package causes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// ExplainedLayer is the causes of the late buffers of a layer.
type ExplainedLayer struct {
	*analyzer.Layer
	// Judged is the number of buffers that were compared with the cadence, Late that of the
	// late ones, and Lost the sum of their overruns.
	Judged, Late int
	Lost         trace.Duration
	// OfFrames are those whose frames were late, and LostByFrames what that explains of their
	// overruns. Frames are those frames, the latest ones first.
	OfFrames     int
	LostByFrames trace.Duration
	Frames       []*analyzer.Frame
	// Buffers are those with a reason of their own, in order of time, and Costs their causes,
	// those that lost the most first.
	Buffers []*why.Explanation
	Costs   []*why.Cost
	// Drops are its dropped buffers by reason, the most frequent first.
	Drops []stats.LayerDrops
	// unexplained is the number of those that are beyond why.MaxLateBuffers.
	unexplained int
	causes      *why.Causes
}

// Layers returns the wanted layers: those that lost the most time first.
func Layers(t *analyzer.Timeline, c *why.Causes, o Options) []*ExplainedLayer {
	var list []*ExplainedLayer
	drops := t.Drops()
	for _, l := range t.Layers {
		if (o.Layer == nil || o.Layer(l)) && (o.Process == nil || l.Process != nil && o.Process(l.Process)) {
			x := NewLayer(l, c)
			x.Drops = stats.LayerDropsOf(drops[l])
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b *ExplainedLayer) int {
		return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// NewLayer returns the causes of the late buffers of a layer, without Drops.
func NewLayer(l *analyzer.Layer, c *why.Causes) *ExplainedLayer {
	x := &ExplainedLayer{Layer: l, causes: c}
	for _, b := range l.Buffers {
		if b.Pace != analyzer.Unpaced {
			x.Judged++
		}
		if b.Pace != analyzer.Late {
			continue
		}
		x.Late++
		x.Lost += b.Overrun()
		lost := why.ByFrame(b)
		if lost > 0 {
			x.OfFrames++
			x.LostByFrames += lost
			if !slices.Contains(x.Frames, b.Frame) {
				x.Frames = append(x.Frames, b.Frame)
			}
		}
		if late := c.LateBuffer(b); late != nil {
			x.Buffers = append(x.Buffers, late)
		} else if lost < b.Overrun() {
			x.unexplained++
		}
	}
	slices.SortStableFunc(x.Frames, func(a, b *analyzer.Frame) int { return cmp.Compare(b.Overrun(), a.Overrun()) })
	x.Costs = why.RankBuffers(x.Buffers)
	return x
}

// MainCause names what the layer's late buffers lost the most time to, and how much; empty if
// none was late or if that is unknown.
func (l *ExplainedLayer) MainCause() (cause string, lost trace.Duration) {
	switch {
	case len(l.Costs) > 0 && l.Costs[0].Lost >= l.LostByFrames:
		if l.Costs[0].Outcome == why.NotKnown {
			return "", 0
		}
		return text.Printable(causetext.CostTitle(l.Costs[0])), l.Costs[0].Lost
	case l.OfFrames > 0:
		return "late frames of its producer", l.LostByFrames
	}
	return "", 0
}

// summary says in a sentence how many buffers were late and why, or why the most were dropped.
func (l *ExplainedLayer) summary(o Options) string {
	if len(l.Cadences) == 0 && len(l.Drops) == 0 {
		return layerName(l.Layer) + ": no cadence: which buffers are late is unknown"
	}
	s := l.Summary(text.ShortLayerName(layerName(l.Layer), MaxSubject))
	if len(l.Drops) > 0 && l.Late == 0 {
		s += ", " + text.LayerDrop(&l.Drops[0], nil, o.start)
	}
	return s
}

// Summary says in a sentence how many buffers were late, how much time they lost, and the main cause of that.
func (l *ExplainedLayer) Summary(name string) string {
	s := fmt.Sprintf("%s: %d of %s late", name, l.Late, text.Count(l.Judged, l.Unit()))
	if l.Late == 0 {
		return s
	}
	s += lost(l.Lost)
	if cause, part := l.MainCause(); cause != "" && l.Lost >= worthNaming {
		return causedBy(s, part, l.Lost, cause, "")
	}
	return s
}

// dropped returns the number of dropped buffers.
func (l *ExplainedLayer) dropped() (n int) {
	for i := range l.Drops {
		n += l.Drops[i].Buffers
	}
	return n
}

// drops are lines about the dropped buffers, after some words.
func (l *ExplainedLayer) drops(o Options, before string) (notes []view.Block) {
	for _, line := range text.LayerDrops(l.Drops, nil, o.start, o.All) {
		notes = append(notes, view.Note{Text: before + line})
	}
	return notes
}

func layerName(l *analyzer.Layer) string {
	if l.Name == "" {
		return fmt.Sprintf("layer %d", l.ID)
	}
	return text.Printable(l.Name)
}

// maxLayers is the number of layers with late buffers that are listed without Options.All.
const maxLayers = 10

// titleWidth is the width of the name in the title of a layer, which leaves room for its producer.
const titleWidth = 36

// layerBlocks returns a section for each layer with late buffers, and a note about the others.
func (in *Input) layerBlocks(o Options) (note []view.Block, sections []view.Block) {
	listed, left := 0, 0
	var onTime []*ExplainedLayer
	for i, l := range in.Layers {
		switch {
		case l.Late == 0:
			onTime = append(onTime, l)
			if len(note) < maxLayers || o.All {
				if words := l.measures(o); words != "" && (o.Layer != nil || len(l.Cadences) > 1 || len(l.Cadences) == 1 && l.Cadences[0].Buffers > 1) {
					note = append(note, view.Note{Text: layerName(l.Layer) + ": " + words})
				}
				note = append(note, l.drops(o, layerName(l.Layer)+": ")...)
			}
			continue
		case listed == maxLayers && !o.All:
			left++
			continue
		}
		listed++
		title := layerName(l.Layer)
		if !o.Page && l.Name != "" {
			title = text.ShortLayerName(l.Name, titleWidth)
		}
		sections = append(sections, view.Section{
			ID: fmt.Sprintf("layer-%d", i), Article: true, Title: title, About: l.about(o), Pick: layerName(l.Layer), PickGroup: text.Printable(in.Name), First: l == o.lead,
			Blocks: l.blocks(o),
		})
	}
	if left > 0 {
		sections = append(sections, view.Note{Text: fmt.Sprintf("… and %s with late buffers that lost less; --all lists all", text.Count(left, "layer"))})
	}
	if len(onTime) == 0 {
		return nil, sections
	}
	noun := "layer"
	if len(onTime) < len(in.Layers) {
		noun = "other layer"
	}
	return append([]view.Block{view.Note{Text: layersOnTime(onTime, noun)}}, note...), sections
}

// layersOnTime says how many buffers the layers without late ones have.
func layersOnTime(list []*ExplainedLayer, noun string) string {
	buffers, unjudged := 0, 0
	for _, l := range list {
		if len(l.Cadences) == 0 {
			unjudged++
		}
		buffers += l.Judged
	}
	of := text.Count(len(list), noun)
	switch {
	case unjudged == len(list):
		return fmt.Sprintf("no cadence in %s: which buffers are late is unknown", of)
	case unjudged > 0:
		return fmt.Sprintf("no late buffers of %d in %s, %d without a cadence", buffers, of, unjudged)
	}
	return fmt.Sprintf("no late buffers of %d in %s", buffers, of)
}

// about says what a layer is.
func (l *ExplainedLayer) about(o Options) string {
	words := []string{fmt.Sprintf("layer %d", l.ID)}
	if l.Process != nil {
		words = append(words, "of "+text.ProcessName(l.Process.Name))
	}
	if s := l.measures(o); s != "" {
		words = append(words, s)
	}
	return strings.Join(words, " · ")
}

// measures are the cadence of a layer, and of one that was asked for its frame rate and dropped buffers; empty if unknown.
func (l *ExplainedLayer) measures(o Options) string {
	var list []string
	m := stats.NewLayer(l.Layer)
	if s := text.LayerCadences(m.Cadences, l.Unit(), o.start); s != "" {
		list = append(list, s)
	}
	if o.Layer != nil && m.FPS != nil {
		list = append(list, text.Value(stats.Hertz, m.FPS)+" FPS")
	}
	if o.Layer != nil && m.Buffers > 0 {
		list = append(list, fmt.Sprintf("%d dropped", m.Dropped))
	}
	return strings.Join(list, ", ")
}

// blocks returns the ranking and the late buffers of a layer.
func (l *ExplainedLayer) blocks(o Options) (blocks []view.Block) {
	limit, more := o.limit()
	s := view.Section{Title: fmt.Sprintf("Lost %s ms in %s of %d", text.Milliseconds(l.Lost), text.Count(l.Late, "late "+l.Unit()), l.Judged)}
	if len(l.Costs) > 0 {
		s.Blocks = append(s.Blocks, l.ranking(o))
	}
	if l.OfFrames > 0 {
		s.Blocks = append(s.Blocks, view.Note{Text: l.ofFrames(o)})
	}
	s.Blocks = append(s.Blocks, l.drops(o, "")...)
	if n := l.unexplained; n > 0 {
		s.Blocks = append(s.Blocks, view.Note{Text: fmt.Sprintf("%s late by less without an explanation: the %d longest of a trace have one", text.Count(n, l.Unit()), why.MaxLateBuffers)})
	}
	shown := text.First(l.Buffers, limit, later(ofBuffer))
	if len(shown) > 0 {
		s.Blocks = append(s.Blocks, o.cases(shown, len(l.Buffers), more, ofBuffer, func(e *why.Explanation) string { return causetext.Buffer(l.causes, e) }))
	}
	if o.Layer != nil {
		for len(shown) > 0 { // what is usual is so at one cadence
			cadence := l.CadenceOf(shown[0].Buffer)
			var same, others []*why.Explanation
			for _, b := range shown {
				if l.CadenceOf(b.Buffer) == cadence {
					same = append(same, b)
				} else {
					others = append(others, b)
				}
			}
			s.Blocks = append(s.Blocks, l.lives(same, o))
			shown = others
		}
	}
	return append(blocks, s)
}

// ofFrames says what late frames cost, and which ones.
func (l *ExplainedLayer) ofFrames(o Options) string {
	const named = 3
	var ids []string
	for _, f := range l.Frames {
		if f.VsyncID != 0 {
			ids = append(ids, text.Vsync(f.VsyncID))
		}
	}
	s := text.Count(l.OfFrames, "buffer") + " of late frames"
	if len(ids) > 0 {
		s += " (" + strings.Join(ids[:min(named, len(ids))], ", ")
		if n := len(ids) - named; n > 0 {
			s += fmt.Sprintf(" and %d more", n)
		}
		s += ")"
	}
	s += fmt.Sprintf(" lost %s ms to them", text.Milliseconds(l.LostByFrames))
	switch {
	case o.Layer == nil:
		s += ", explained with their process"
	case len(ids) > 0:
		s += ": ohframe why --frame " + ids[0] + " explains the first"
	}
	return s
}

// ranking returns the causes of the late buffers.
func (l *ExplainedLayer) ranking(o Options) view.Ranking {
	ranking := view.Ranking{}
	shown := l.Costs
	if !o.All {
		shown = shown[:min(len(shown), maxCosts)]
		if small := slices.IndexFunc(shown, func(c *why.Cost) bool { return c.Lost*100 < l.Lost }); small > 0 {
			shown = shown[:small]
		}
	}
	left := l.Lost - l.LostByFrames
	for _, c := range shown {
		left -= c.Lost
		rank := view.Rank{
			Share: text.Percent(c.Lost, l.Lost), Time: text.Milliseconds(c.Lost) + " ms", Title: text.Printable(causetext.CostTitle(c)),
			Advice: strings.ReplaceAll(causetext.CostAdvice(c), "each buffer", "each "+l.Unit()), Bar: float64(c.Lost) / float64(max(1, shown[0].Lost)), About: text.Count(len(c.Late), l.Unit()),
		}
		if c.Share != nil {
			rank.Group = groupOf(c.Share.Wait)
		} else {
			rank.Group = groupOf(why.WaitUnknown)
		}
		if len(c.Late) > 1 {
			rank.About += ", worst at " + text.Since(o.start, c.Worst.Buffer.Present)
		}
		ranking.List = append(ranking.List, rank)
	}
	ranking.Others = otherCauses(len(l.Costs)-len(shown), left, l.Lost, "--all lists all")
	return ranking
}

func ofBuffer(e *why.Explanation) trace.Duration { return e.Buffer.Overrun() }

// lives returns a table of the steps of buffers at one cadence, in milliseconds.
func (l *ExplainedLayer) lives(list []*why.Explanation, o Options) view.Table {
	var steps []why.Step
	for _, name := range why.BufferSteps {
		if i := slices.IndexFunc(list, func(b *why.Explanation) bool { return b.Step(name).Time > 0 }); i >= 0 {
			steps = append(steps, list[i].Step(name))
		}
	}
	table := view.Table{Label: "Steps of late buffers, in ms", Columns: []view.Column{{Title: "Step"}, {Title: "Usual", Number: true}}}
	const columns = 6
	shown := list[:min(len(list), columns)]
	if n := len(list) - len(shown); n > 0 {
		shown = text.First(list, columns, later(ofBuffer))
		table.More = fmt.Sprintf("of the %d worst; JSON has all", columns)
	}
	for _, b := range shown {
		table.Columns = append(table.Columns, view.Column{Title: text.Since(o.start, b.Buffer.Present), Number: true})
	}
	usual := trace.Duration(0)
	for _, step := range steps {
		usual += step.Usual
		r := row(causetext.Step(&step), number(step.Usual))
		longest := step.Usual
		for _, b := range shown {
			d := b.Step(step.Name).Time
			longest = max(longest, d)
			r.Cells = append(r.Cells, view.Cell{Text: number(d)})
		}
		if longest >= tenth/2 {
			table.Rows = append(table.Rows, r)
		}
	}
	sum := row("sum", number(usual))
	for _, b := range shown {
		d := trace.Duration(0)
		for i := range b.Steps {
			d += b.Steps[i].Time
		}
		sum.Cells = append(sum.Cells, view.Cell{Text: text.Milliseconds(d)})
	}
	sum.Strong = true
	table.Rows = append(table.Rows, sum)
	return table
}
