package diff

import (
	"math"
	"slices"
	"testing"

	"ohframe/internal/testing/must"
)

// valueAt returns what a stepped line shows at x.
func valueAt(xs, ys []float64, x float64) float64 {
	i, found := slices.BinarySearch(xs, x)
	if !found {
		i--
	}
	return ys[max(0, i)]
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
