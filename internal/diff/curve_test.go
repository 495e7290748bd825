package diff

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
)

// shareAt returns what share of frames a curve has at an abscissa: the last
// height at or before it.
func shareAt(t *testing.T, c curve, x float64) float64 {
	t.Helper()
	share, here := 0.0, 0.0
	for _, step := range strings.Split(strings.TrimPrefix(c.Path, fmt.Sprintf("M%d %d", chartLeft, chartTop+chartHeight)), "H")[1:] {
		at, height, up := strings.Cut(step, "V")
		var err error
		if here, err = strconv.ParseFloat(at, 64); err != nil {
			t.Fatalf("path %s: %v", c.Path, err)
		}
		if !up || here > x {
			break
		}
		y, err := strconv.ParseFloat(height, 64)
		if err != nil {
			t.Fatalf("path %s: %v", c.Path, err)
		}
		share = 1 - (y-chartTop)/chartHeight
	}
	return share
}

func TestChart(t *testing.T) {
	// Of 20 values the 19th is the 95th percentile: 10 and 40. 1.2 times 40 is 48.
	base, new := []float64{}, []float64{}
	for i := range 20 {
		base = append(base, float64(1+i/2))
		new = append(new, 40)
		if i == 19 {
			base[i], new[i] = 10, 900
		}
	}
	c := newChart("ms", base, new)
	if c.Longest != 50 || len(c.Ticks) != 11 || c.Ticks[0].Text != "0" || c.Ticks[10].Text != "50" || c.Ticks[10].X != chartLeft+chartWidth || c.Ticks[5].X != chartLeft+chartWidth/2 {
		t.Errorf("the axis goes to %v, with ticks %v", c.Longest, c.Ticks)
	}
	if c.Base.Frames != 20 || c.Base.Beyond != 0 || c.New.Frames != 20 || c.New.Beyond != 1 {
		t.Errorf("base %+v, new %+v", c.Base, c.New)
	}
	x := func(ms float64) float64 { return chartLeft + chartWidth*ms/50 }
	for _, p := range []struct {
		curve curve
		ms    float64
		want  float64
	}{
		{c.Base, .5, 0}, {c.Base, 1.5, .1}, {c.Base, 5.5, .5}, {c.Base, 10.2, 1}, {c.Base, 49, 1},
		{c.New, 39, 0}, {c.New, 40.2, .95}, {c.New, 50, .95},
	} {
		if got := shareAt(t, p.curve, x(p.ms)); got < p.want-.001 || got > p.want+.001 {
			t.Errorf("at %v ms there are %v, want %v", p.ms, got, p.want)
		}
	}
	if !strings.HasSuffix(c.New.Path, fmt.Sprintf("H%d", chartLeft+chartWidth)) {
		t.Errorf("the curve does not go to the end: %s", c.New.Path)
	}
}

func TestTickStep(t *testing.T) {
	for longest, want := range map[float64]float64{0: 1, .0012: .0002, .9: .1, 1: .1, 1.01: .2, 5: .5, 48: 5, 60: 10, 100: 10, 101: 20, 700000: 100000} {
		if got := tickStep(longest); got < want*.999 || got > want*1.001 {
			t.Errorf("up to %v ticks are %v apart, want %v", longest, got, want)
		}
	}
	for step, want := range map[float64]string{.2: "0.6", .05: "0.15", 1: "3", 10: "30", .0002: "0.0006"} {
		if got := tickText(3*step, step); got != want {
			t.Errorf("3 · %v is %s, want %s", step, got, want)
		}
	}
}

// Frames that take no time at all have a chart, too.
func TestChartOfNothing(t *testing.T) {
	c := newChart("ms", []float64{0, 0}, []float64{0})
	if c.Longest != 1 || shareAt(t, c.Base, chartLeft) != 1 || shareAt(t, c.New, chartLeft) != 1 {
		t.Errorf("got %+v", c)
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
	if c := rendering[0]; c.Longest != 2.5 || shareAt(t, c.Base, chartLeft+chartWidth*1.9/2.5) != 0 || shareAt(t, c.Base, chartLeft+chartWidth*2.1/2.5) != 1 {
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
