package diff

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
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
	c := newChart("ms", [][]float64{base}, [][]float64{new})
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
	app, rendering := d.Pairs[0].charts(), d.Pairs[1].charts()
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
	app = d.Pairs[0].charts()
	if len(app) != 2 || app[0].Base.Frames != 19 || app[1].Base.Frames != 18 || app[1].New.Frames != 20 {
		t.Errorf("application: %+v", app)
	}
	d.Pairs[0].new = []*stats.Process{nil}
	if len(d.Pairs[0].charts()) != 0 {
		t.Error("there is a chart of a side without frames")
	}
}

// The curve of a side is that of all frames of its runs. The band is the range of the runs:
// here one run whose frames take 1 to 10 ms, and one whose frames take 5 ms.
func TestChartOfRuns(t *testing.T) {
	rising, steady := make([]float64, 10), make([]float64, 30)
	for i := range rising {
		rising[i] = float64(i + 1)
	}
	for i := range steady {
		steady[i] = 5
	}
	c := newChart("ms", [][]float64{rising, steady}, [][]float64{rising})
	if c.Base.Frames != 40 || c.Base.Runs != 2 || c.New.Frames != 10 || c.New.Runs != 1 || c.New.Spread != "" {
		t.Errorf("%+v", c)
	}
	for _, p := range []struct{ ms, all, least, most float64 }{
		{3.5, 37. / 40, .7, 1}, {5.2, 5. / 40, 0, .5}, {9.5, 1. / 40, 0, .1},
	} {
		if got := longerAt(t, c, c.Base.Longer, p.ms); math.Abs(got-p.all) > .01*p.all {
			t.Errorf("%v of all frames took longer than %v ms, want %v", got, p.ms, p.all)
		}
		least, most := spreadAt(t, c, c.Base.Spread, p.ms)
		if math.Abs(least-p.least) > .01 || math.Abs(most-p.most) > .01 {
			t.Errorf("of the runs %v to %v took longer than %v ms, want %v to %v", least, most, p.ms, p.least, p.most)
		}
	}
}

// spreadAt returns the ends of a band at a duration. Its path goes right along the largest
// share and back along the smallest.
func spreadAt(t *testing.T, c *chart, path string, duration float64) (least, most float64) {
	t.Helper()
	right, back, ok := strings.Cut(path, fmt.Sprintf("H%dV", chartRight))
	if !ok || !strings.HasSuffix(back, fmt.Sprintf("H%dZ", chartLeft)) {
		t.Fatalf("path %s", path)
	}
	// Turned around, the way back is a way there.
	steps := strings.Split(strings.TrimSuffix(back, fmt.Sprintf("H%dZ", chartLeft)), "H")
	there := fmt.Sprintf("M%d %d", chartLeft, chartTop)
	for i := len(steps) - 1; i > 0; i-- {
		at, _, _ := strings.Cut(steps[i], "V")
		_, height, last := strings.Cut(steps[i-1], "V")
		if !last {
			height = steps[i-1]
		}
		there += "H" + at + "V" + height
	}
	return longerAt(t, c, there, duration), longerAt(t, c, right, duration)
}

// Labels of refresh periods are in lines above the chart, so that they do not overlap.
func TestPeriodLabels(t *testing.T) {
	c := newChart("ms", [][]float64{{1, 900}}, [][]float64{{1, 900}})
	var list []stats.Refresh
	for _, hz := range []float64{60, 120, 90, 72, 30, 120, 2000, 1} {
		list = append(list, stats.Refresh{Rate: hz, Period: trace.Duration(1e9 / hz)})
	}
	c.addPeriods(list)
	if len(c.Periods) != 5 { // 2000 and 1 Hz are outside
		t.Fatalf("%+v", c.Periods)
	}
	for i, p := range c.Periods {
		if p.Baseline > chartTop || p.Baseline-11 < -c.Above {
			t.Errorf("%s is at %d, the chart is %d to %d", p.Text, p.Baseline, -c.Above, chartTop)
		}
		for _, q := range c.Periods[:i] {
			if p.Baseline == q.Baseline && math.Abs(p.At-q.At) < 6.5*float64(len(p.Text)) {
				t.Errorf("%s and %s overlap", q.Text, p.Text)
			}
		}
	}
}
