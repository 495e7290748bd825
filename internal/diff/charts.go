package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// The charts compare the distributions of the frame durations of a pair, of all runs of a
// side together: the histograms, and for each duration the share of frames that took longer.
// The axis of durations is logarithmic, and so is that of the share, so that the longest
// frames are seen.

// steps is the number of steps of the axis of durations, bins that of a histogram's bars.
const (
	steps = 200
	bins  = 50
)

// charts returns charts in milliseconds, and in periods if the refresh rates differ. They are
// omitted if a side has no frames for them, or if the sides' frames end by rules of their own.
func (p *Pair) charts() (sections []view.Block) {
	if p.RulesDiffer {
		return nil
	}
	units := []string{"ms"}
	if p.RefreshDiffers {
		units = append(units, "periods")
	}
	for _, unit := range units {
		sides := []chartSide{newChartSide("base", p.base, unit), newChartSide("new", p.new, unit)}
		if len(sides[0].all) == 0 || len(sides[1].all) == 0 {
			continue
		}
		g := newGrid(sides)
		x := chartAxis{Unit: unit, Log: true, Min: round(g[0]), Max: round(g[steps])}
		histogram := chart{X: x, Y: chartAxis{Unit: "%"}}
		// The share of one frame is above the end of the axis.
		decades := math.Ceil(math.Log10(float64(max(len(sides[0].all), len(sides[1].all)))) + 1e-9)
		longer := chart{X: x, Y: chartAxis{Unit: "%", Log: true, Min: 100 * math.Pow10(-int(max(1, decades))), Max: 100}}
		for _, s := range sides {
			edges, bars := g.histogram(s.all)
			histogram.Series = append(histogram.Series, series{Name: s.label(), Colour: s.name, X: edges, Y: bars, Area: true, Stepped: true})
			longer.Series = append(longer.Series, series{Name: s.label(), Colour: s.name, X: g.points(), Y: longer.Y.shares(g.longer(s.all)), Stepped: true})
			if len(s.runs) > 1 {
				least, most := g.spread(s.runs)
				longer.Bands = append(longer.Bands, band{Colour: s.name, X: g.points(), Low: longer.Y.shares(least), High: longer.Y.shares(most)})
			}
		}
		about := "The axis of durations is logarithmic."
		if unit == "ms" {
			histogram.Marks = g.periods(slices.Concat(refreshOf(p.base), refreshOf(p.new)))
			longer.Marks = histogram.Marks
		}
		if len(histogram.Marks) > 0 {
			about += " Dashed lines are refresh periods."
		}
		if longer.Bands != nil {
			longer.about = " Lines are all runs of a side together, bands are from the lowest run to the highest."
		}
		for _, c := range []struct {
			title string
			chart
		}{{"Durations of frames, " + unit, histogram}, {"Share of frames that took longer, by duration in " + unit, longer}} {
			sections = append(sections, view.Section{Title: c.title, Half: true, Blocks: []view.Block{view.Chart{Kind: "lines", About: about + c.about, Data: c.chart}}})
		}
	}
	if sections == nil {
		return nil
	}
	return []view.Block{view.Page(sections)}
}

// chart is the data of a chart of the kind lines.
type chart struct {
	X      chartAxis `json:"x"`
	Y      chartAxis `json:"y"`
	Series []series  `json:"series"`
	Bands  []band    `json:"bands,omitempty"`
	Marks  []mark    `json:"marks,omitempty"`

	about string
}

type chartAxis struct {
	Unit string  `json:"unit"`
	Log  bool    `json:"log"`
	Min  float64 `json:"min,omitzero"`
	Max  float64 `json:"max,omitzero"`
	// Names are those of 0, 1, 2, …
	Names []string `json:"names,omitempty"`
}

type series struct {
	Name    string    `json:"name"`
	Colour  string    `json:"colour"`
	X       []float64 `json:"x"`
	Y       []float64 `json:"y"`
	Area    bool      `json:"area"`
	Stepped bool      `json:"stepped"`
	Dots    bool      `json:"dots,omitempty"`
	Titles  []string  `json:"titles,omitempty"` // of the points
}

type band struct {
	Colour string    `json:"colour"`
	X      []float64 `json:"x"`
	Low    []float64 `json:"low"`
	High   []float64 `json:"high"`
	// Straight bands are not stepped.
	Straight bool `json:"straight,omitempty"`
}

type mark struct {
	X    float64 `json:"x"`
	Text string  `json:"text"`
}

// shares returns shares in percent, those beyond the end of the axis at its end.
func (a chartAxis) shares(list []float64) []float64 {
	percent := make([]float64, len(list))
	for i, share := range list {
		percent[i] = round(max(100*share, a.Min))
	}
	return percent
}

// round rounds to four digits, more than a chart shows.
func round(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// chartSide is the sorted durations of the frames of a side, of each run that has any and of
// all together.
type chartSide struct {
	name string
	runs [][]float64
	all  []float64
}

func newChartSide(name string, runs []*stats.Process, unit string) chartSide {
	s := chartSide{name: name}
	for _, p := range runs {
		if p == nil {
			continue
		}
		if l := p.Lengths(unit == "periods"); len(l) > 0 {
			s.runs = append(s.runs, l)
		}
	}
	s.all = slices.Concat(s.runs...)
	slices.Sort(s.all)
	return s
}

func (s *chartSide) label() string {
	label := s.name + ", " + text.Count(len(s.all), "frame")
	if n := len(s.runs); n > 1 {
		label += fmt.Sprintf(" of %d runs", n)
	}
	return label
}

// grid is durations in a geometric series.
type grid [steps + 1]float64

// newGrid returns the grid of two sides with frames: from the first percentile, because a few
// very short frames must not compress all others, to the longest frame, but not over more
// than four powers of ten.
func newGrid(sides []chartSide) *grid {
	const shortest = 1e-6 // a nanosecond
	base, new := sides[0].all, sides[1].all
	to := max(base[len(base)-1], new[len(new)-1], shortest) * 1.01
	from := max(min(base[len(base)/100], new[len(new)/100])/1.01, to/1e4, shortest/10)
	var g grid
	for i := range g {
		g[i] = from * math.Pow(to/from, float64(i)/steps)
	}
	return &g
}

func (g *grid) points() []float64 {
	list := make([]float64, len(g))
	for i, x := range g {
		list[i] = round(x)
	}
	return list
}

// longer returns for each point the share of a sorted list that is longer.
func (g *grid) longer(sorted []float64) []float64 {
	list, done := make([]float64, len(g)), 0
	for i, x := range g {
		for done < len(sorted) && sorted[done] <= x {
			done++
		}
		list[i] = 1 - float64(done)/float64(len(sorted))
	}
	return list
}

// spread returns for each point the least and the largest share of any run that is longer.
func (g *grid) spread(runs [][]float64) (least, most []float64) {
	least, most = g.longer(runs[0]), g.longer(runs[0])
	for _, run := range runs[1:] {
		for i, share := range g.longer(run) {
			least[i], most[i] = min(least[i], share), max(most[i], share)
		}
	}
	return least, most
}

// histogram returns the shares of frames between edges, in percent. Shorter frames are in the
// first bar. The last edge has the share of the last bar.
func (g *grid) histogram(sorted []float64) (edges, bars []float64) {
	longer := g.longer(sorted)
	before := 1.0
	for i := 0; i < steps; i += steps / bins {
		after := longer[i+steps/bins]
		edges, bars = append(edges, round(g[i])), append(bars, round(100*(before-after)))
		before = after
	}
	return append(edges, round(g[steps])), append(bars, bars[bins-1])
}

// periods returns the lines of refresh periods.
func (g *grid) periods(list []stats.Refresh) (marks []mark) {
	slices.SortFunc(list, func(a, b stats.Refresh) int { return cmp.Compare(a.Period, b.Period) })
	for _, r := range list {
		m := mark{r.Period.Milliseconds(), text.Number(r.Rate, 0) + " Hz"}
		if m.X > g[0] && m.X < g[steps] && !slices.ContainsFunc(marks, func(o mark) bool { return o.Text == m.Text }) {
			marks = append(marks, m)
		}
	}
	return marks
}
