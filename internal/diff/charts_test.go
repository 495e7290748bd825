package diff

import (
	"math"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/view"
)

// valueAt returns what a stepped line shows at x.
func valueAt(xs, ys []float64, x float64) float64 {
	i, found := slices.BinarySearch(xs, x)
	if !found {
		i--
	}
	return ys[max(0, i)]
}

// chartsOf returns the data of the charts of a pair.
func chartsOf(p *Pair) (list []chart) {
	for _, b := range p.charts() {
		for _, s := range b.(view.Page) {
			list = append(list, s.(view.Section).Blocks[0].(view.Chart).Data.(chart))
		}
	}
	return list
}

// The curve of a side is that of all frames of its runs: here of one run whose frames take 1
// to 10 ms, and of one whose frames take 5 ms. The band is the range of the runs.
func TestDistributions(t *testing.T) {
	s := chartSide{runs: [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, slices.Repeat([]float64{5}, 30)}}
	s.all = slices.Concat(s.runs...)
	slices.Sort(s.all)
	other := chartSide{runs: [][]float64{{900}}, all: []float64{900}}
	g := newGrid([]chartSide{s, other})
	if g[0] >= 1 || g[0] < .9 || g[steps] < 900 || g[steps] > 1000 {
		t.Errorf("the axis is from %v to %v", g[0], g[steps])
	}
	longer := g.longer(s.all)
	least, most := g.spread(s.runs)
	for _, p := range []struct{ ms, all, least, most float64 }{
		{3.5, 37. / 40, .7, 1}, {5.2, 5. / 40, 0, .5}, {9.5, 1. / 40, 0, .1}, {500, 0, 0, 0},
	} {
		all, low, high := valueAt(g[:], longer, p.ms), valueAt(g[:], least, p.ms), valueAt(g[:], most, p.ms)
		if math.Abs(all-p.all)+math.Abs(low-p.least)+math.Abs(high-p.most) > 1e-9 {
			t.Errorf("longer than %v ms: %v, %v to %v, want %+v", p.ms, all, low, high, p)
		}
	}
	edges, bars := g.histogram(s.all)
	sum := 0.0
	for _, x := range bars[:bins] {
		sum += x
	}
	if len(edges) != bins+1 || math.Abs(sum-100) > .1 || math.Abs(valueAt(edges, bars, 5)-77.5) > .1 { // 31 of 40 frames
		t.Errorf("bars %v add up to %v", bars, sum)
	}
	// A share beyond the end of a logarithmic axis is at its end.
	must.EqualSlices(t, (chartAxis{Min: .1}).shares([]float64{1, .5, .0001, 0}), []float64{100, 50, .1, .1})
}

// The axis has a length whatever the durations are.
func TestGrid(t *testing.T) {
	many := slices.Repeat([]float64{3}, 1000)
	many[0], many[1] = .001, .002
	for _, c := range []struct{ base, new []float64 }{{many, many}, {[]float64{2}, []float64{2}}, {[]float64{0}, []float64{0}}, {[]float64{0}, []float64{5000}}, {[]float64{1e-6}, []float64{8e12}}} {
		g := newGrid([]chartSide{{all: c.base}, {all: c.new}})
		if !(g[0] > 0 && g[0] < g[steps] && g[steps] <= 1.02e4*g[0]) || slices.ContainsFunc(g[:], math.IsNaN) {
			t.Errorf("%v, %v: %v to %v", c.base[0], c.new[0], g[0], g[steps])
		}
	}
	if g := newGrid([]chartSide{{all: many}, {all: many}}); g[0] < 2.9 {
		t.Errorf("a few short frames compress the others: %v", g[0])
	}
}

// Each process has its own frames, and no truncated ones. In periods there are only those
// whose period is known.
func TestChartsOfPair(t *testing.T) {
	base := gallery("gallery", "render_service", 20, 20, func(i int) int { return 1 + i })
	base.Frames[0].Facts = analyzer.Truncated
	base.frame(analyzer.ApplicationFrame, base.process(101, "other"), 1000, 500)
	app := chartsOf(compare(t, base.side(""), after(), Options{}).Pairs[0])
	if len(app) != 2 || app[0].Series[0].Name != "base, 19 frames" || app[1].Series[1].Name != "new, 20 frames" || app[1].Bands != nil {
		t.Errorf("application: %+v", app)
	}
	if marks := app[0].Marks; len(marks) != 1 || marks[0] != (mark{10, "100 Hz"}) {
		t.Errorf("marks %v", marks)
	}
	for i, f := range base.Frames {
		if f.Period = 5 * ms; i == 2 {
			f.Period = 0
		}
	}
	p := compare(t, base.side(""), after(), Options{}).Pairs[0]
	if app = chartsOf(p); len(app) != 4 || app[2].X.Unit != "periods" || app[2].Series[0].Name != "base, 18 frames" || app[2].Marks != nil {
		t.Errorf("application: %+v", app)
	}
	p.new = []*stats.Process{nil}
	if len(chartsOf(p)) != 0 {
		t.Error("there is a chart of a side without frames")
	}
	runs := chartsOf(compare(t, Join("base", []Side{before(), after()}), Join("new", []Side{after(), before()}), Options{}).Pairs[0])
	if len(runs[1].Bands) != 2 || runs[1].Series[0].Name != "base, 40 frames of 2 runs" {
		t.Errorf("runs: %+v", runs[1])
	}
}

func TestPeriods(t *testing.T) {
	g := newGrid([]chartSide{{all: []float64{1, 900}}, {all: []float64{1, 900}}})
	var list []stats.Refresh
	for _, hz := range []float64{60, 120, 30, 120, 2000, 1} {
		list = append(list, stats.Refresh{Rate: hz, Period: trace.Duration(1e9 / hz)})
	}
	var got []string
	for _, m := range g.periods(list) {
		got = append(got, m.Text)
	}
	if !slices.Equal(got, []string{"120 Hz", "60 Hz", "30 Hz"}) { // 2000 and 1 Hz are outside
		t.Errorf("%q", got)
	}
}
