package diff

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
)

// longerAt returns what share of frames a curve shows as longer than a duration: the last
// height at or before it, on an axis of so many powers of ten.
func longerAt(t *testing.T, c *chart, path string, duration float64) float64 {
	t.Helper()
	limit := chartLeft + chartWidth*c.axis.at(duration) + 1e-6
	share := 1.0
	for _, step := range strings.Split(strings.TrimPrefix(path, fmt.Sprintf("M%d %d", chartLeft, chartTop)), "H")[1:] {
		at, height, up := strings.Cut(step, "V")
		x, err := strconv.ParseFloat(at, 64)
		if err != nil || !up {
			t.Fatalf("path %s: %v", path, err)
		}
		if x > limit {
			break
		}
		y, err := strconv.ParseFloat(height, 64)
		if err != nil {
			t.Fatalf("path %s: %v", path, err)
		}
		if share = math.Pow(10, -float64(len(c.Shares)-1)*(y-chartTop)/chartHeight); y > chartBottom-.01 {
			share = 0
		}
	}
	return share
}

func TestChart(t *testing.T) {
	base, new := []float64{}, []float64{}
	for i := range 20 {
		base = append(base, float64(1+i/2)) // 1, 1, 2, 2, … 10, 10
		new = append(new, 40)
	}
	new[19] = 900
	c := newChart("ms", base, new)
	// From below the shortest to the longest, on numbers that are 1, 2 or 5 times a power of ten.
	var labels []string
	for _, x := range c.Ticks {
		labels = append(labels, x.Text)
	}
	if got := strings.Join(labels, " "); got != "0.5 1 2 5 10 20 50 100 200 500 1000" || c.Ticks[10].At != chartRight || math.Abs(c.Ticks[4].At-(chartLeft+chartWidth*math.Log(20)/math.Log(2000))) > 1e-6 {
		t.Errorf("the ticks are %s at %v", got, c.Ticks)
	}
	// One of twenty frames is 5 %, so the axis ends below 10 %.
	labels = nil
	for _, y := range c.Shares {
		labels = append(labels, y.Text)
	}
	if got := strings.Join(labels, ", "); got != "100 %, 10 %, 1 %" || c.Shares[1].At != chartTop+chartHeight/2 {
		t.Errorf("the shares are %s", got)
	}
	for _, p := range []struct {
		path string
		ms   float64
		want float64
	}{
		{c.Base.Longer, 1.5, .9}, {c.Base.Longer, 5.5, .5}, {c.Base.Longer, 9.9, .1}, {c.Base.Longer, 10.2, 0},
		{c.New.Longer, 39, 1}, {c.New.Longer, 41, .05}, {c.New.Longer, 890, .05}, {c.New.Longer, 910, 0},
	} {
		if got := longerAt(t, c, p.path, p.ms); math.Abs(got-p.want) > .01*p.want {
			t.Errorf("%v of the frames took longer than %v ms, want %v", got, p.ms, p.want)
		}
	}
	// 19 of 20 frames are in one bin, at 50 · ln 80 / ln 2000 = 28.8.
	if bins := c.axis.histogram(new); math.Abs(bins[28]-.95) > 1e-9 || math.Abs(bins[49]-.05) > 1e-9 || c.Most.Text != "95 %" {
		t.Errorf("bins %v, most %s", bins, c.Most.Text)
	}
	if from, to := chartLeft+28*chartWidth/chartBins, chartLeft+29*chartWidth/chartBins; !strings.Contains(c.New.Histogram, fmt.Sprintf("H%dV10.0H%dV", from, to)) {
		t.Errorf("histogram %s", c.New.Histogram)
	}
}

// The axis is from below the first percentile to the longest frame, but not over more than
// about four powers of ten. Up to that, only these are labelled.
func TestAxis(t *testing.T) {
	many := make([]float64, 1000)
	for i := range many {
		many[i] = float64(3 + i/999) // all but the last are 3
	}
	many[0], many[1] = .001, .002
	for _, c := range []struct {
		base, new []float64
		want      string
	}{
		{many, many, "2 5"},
		{[]float64{2}, []float64{2}, "1 2"},
		{[]float64{0}, []float64{0, 0}, "0.0000005 0.000001"},
		{[]float64{0}, []float64{5000}, "1 10 100 1000"},
		{[]float64{1e-6}, []float64{8e12}, "1000000000 10000000000 100000000000 1000000000000 10000000000000"},
	} {
		a := newAxis(c.base, c.new)
		var labels []string
		for _, x := range a.ticks() {
			labels = append(labels, x.Text)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v, %v: %s, want %s", c.base[0], c.new[0], got, c.want)
		}
	}
}

// Each process has its own frames, and no truncated ones.
func TestChartsOfPair(t *testing.T) {
	base := gallery("gallery", "render_service", 20, 20, func(i int) int { return 1 + i })
	base.Frames[0].Facts = analyzer.Truncated
	base.frame(analyzer.ApplicationFrame, base.process(101, "other"), 1000, 500)
	d := compare(t, base.side(""), after(), Options{})
	app, rendering := chartsOf(d, d.Pairs[0]), chartsOf(d, d.Pairs[1])
	if len(app) != 1 || app[0].Base.Frames != 19 || app[0].New.Frames != 20 {
		t.Errorf("application: %+v", app)
	}
	// Render frames take 2 ms.
	if c := rendering[0]; longerAt(t, c, c.Base.Longer, 1.9) != 1 || longerAt(t, c, c.Base.Longer, 2.1) != 0 {
		t.Errorf("rendering: %+v", c)
	}
	// In periods only the frames whose period is known.
	for i, f := range base.Frames {
		if f.Period = 5 * ms; i == 2 {
			f.Period = 0
		}
	}
	d = compare(t, base.side(""), after(), Options{})
	app = chartsOf(d, d.Pairs[0])
	if len(app) != 2 || app[0].Base.Frames != 19 || app[1].Base.Frames != 18 || app[1].New.Frames != 20 {
		t.Errorf("application: %+v", app)
	}
	d.New.Timeline = nil
	if len(chartsOf(d, d.Pairs[0])) != 0 {
		t.Error("there is a chart of a trace without frames")
	}
}

func chartsOf(d *Diff, p *Pair) []*chart {
	return p.charts(stats.NewFrames(d.Base.Timeline), stats.NewFrames(d.New.Timeline))
}
