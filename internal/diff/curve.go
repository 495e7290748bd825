package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// chart compares the distributions of the frame durations of a pair, of all runs of a side
// together: the histograms, and for each duration the share of frames that took longer. The
// axis of durations is logarithmic, and so is that of the share, so that the longest frames
// are seen.
type chart struct {
	Unit      string
	Base, New curve
	Ticks     []tick // of the axis of durations
	Shares    []tick // of the axis of shares
	Most      tick   // of the axis of the histogram
	Periods   []period
	Above     int // height of the labels of Periods, above the charts' area

	axis axis
}

// curve is the distribution of one side.
type curve struct {
	Frames, Runs int
	Histogram    string // path of the SVG
	Longer       string // path of the SVG
	// Spread is the path of the area between the smallest and the largest share of any run;
	// empty for one run.
	Spread string
}

// period is a line of a refresh period, with its label above the charts' area.
type period struct {
	tick
	Baseline int // of the label
}

// Height returns the height of a chart with its labels.
func (c *chart) Height() int { return c.Above + chartBottom + 26 }

// tick is a labelled point of an axis.
type tick struct {
	At   float64
	Text string
}

// The charts' area, in SVG units.
const (
	chartLeft, chartTop     = 56, 10
	chartWidth, chartHeight = 500, 190
	chartRight              = chartLeft + chartWidth
	chartBottom             = chartTop + chartHeight
)

// chartBins is the number of bars of a histogram.
const chartBins = 50

// charts returns a chart in milliseconds, and one in periods if the refresh rates
// differ. A chart is omitted if a side has no frames for it.
func (p *Pair) charts() (list []*chart) {
	units := []string{"ms"}
	if p.RefreshDiffers {
		units = append(units, "periods")
	}
	for _, unit := range units {
		base, new := lengths(p.base, unit), lengths(p.new, unit)
		if len(base) == 0 || len(new) == 0 {
			continue
		}
		c := newChart(unit, base, new)
		if unit == "ms" {
			c.addPeriods(slices.Concat(p.BaseRefresh(), p.NewRefresh()))
		}
		list = append(list, c)
	}
	return list
}

// lengths returns the sorted durations of the frames of each run that has any.
func lengths(runs []*stats.Process, unit string) (list [][]float64) {
	for _, p := range runs {
		if p == nil {
			continue
		}
		if l := p.Lengths(unit == "periods"); len(l) > 0 {
			list = append(list, l)
		}
	}
	return list
}

// axis is a logarithmic axis of durations.
type axis struct{ from, to float64 }

// newAxis returns the axis of two sorted, non-empty lists: from below their first
// percentile, because a few very short frames must not compress all others, to the longest
// frame, but not over more than about four powers of ten.
func newAxis(base, new []float64) axis {
	const shortest = 1e-6 // a nanosecond
	longest := max(base[len(base)-1], new[len(new)-1], shortest)
	from := max(min(base[len(base)/100], new[len(new)/100]), longest/1e4, shortest)
	const little = 1e-8 // more than niceBelow tolerates
	first := niceBelow(from * (1 - little))
	last := max(niceBelow(longest*(1-little))+1, first+1)
	return axis{nice(first), nice(last)}
}

// at returns where a duration is on the axis, from 0 to 1. Shorter ones are at 0.
func (a axis) at(x float64) float64 {
	return min(1, max(0, math.Log(max(x, a.from)/a.from)/math.Log(a.to/a.from)))
}

func (a axis) ticks() (list []tick) {
	few := a.to/a.from <= 2e3
	for i := niceBelow(a.from); i <= niceBelow(a.to); i++ {
		if few || i%3 == 0 {
			x := nice(i)
			list = append(list, tick{chartLeft + chartWidth*a.at(x), text.Number(x, max(0, -int(math.Floor(float64(i)/3))))})
		}
	}
	return list
}

// nice returns the i-th number of …, 1, 2, 5, 10, …; the 0-th is 1.
func nice(i int) float64 {
	power := int(math.Floor(float64(i) / 3))
	return []float64{1, 2, 5}[i-3*power] * math.Pow10(power)
}

// niceBelow returns the i of the largest nice number that is at most x.
func niceBelow(x float64) int {
	i := 3 * int(math.Floor(math.Log10(x)))
	for nice(i+1) <= x*(1+1e-9) {
		i++
	}
	return i
}

// newChart returns the chart of the runs of two sides. A run is a sorted, non-empty list.
func newChart(unit string, baseRuns, newRuns [][]float64) *chart {
	base, new := slices.Concat(baseRuns...), slices.Concat(newRuns...)
	slices.Sort(base)
	slices.Sort(new)
	a := newAxis(base, new)
	c := &chart{Unit: unit, axis: a, Ticks: a.ticks(), Base: curve{Frames: len(base), Runs: len(baseRuns)}, New: curve{Frames: len(new), Runs: len(newRuns)}}
	// The share of one frame is above the end of the axis.
	decades := max(1, int(math.Ceil(math.Log10(float64(max(len(base), len(new))))+1e-9)))
	for i := range decades + 1 {
		c.Shares = append(c.Shares, tick{chartTop + chartHeight*float64(i)/float64(decades), text.Number(100*math.Pow10(-i), max(0, i-2)) + " %"})
	}
	c.Base.Longer, c.New.Longer = a.longer(base).path(decades), a.longer(new).path(decades)
	c.Base.Spread, c.New.Spread = a.spread(baseRuns, decades), a.spread(newRuns, decades)
	baseBins, newBins := a.histogram(base), a.histogram(new)
	most := max(slices.Max(baseBins), slices.Max(newBins))
	c.Most = tick{chartTop, text.Number(100*most, 0) + " %"}
	c.Base.Histogram, c.New.Histogram = histogramPath(baseBins, most), histogramPath(newBins, most)
	return c
}

// shares are the shares of frames that took longer, for each unit of the charts' width.
type shares [chartWidth + 1]float64

// longer returns the shares of a sorted list.
func (a axis) longer(sorted []float64) *shares {
	var s shares
	done := 0
	for x := range s {
		for done < len(sorted) && int(chartWidth*a.at(sorted[done])) <= x {
			done++
		}
		s[x] = 1 - float64(done)/float64(len(sorted))
	}
	return &s
}

// shareY returns the height of a share on an axis of so many powers of ten.
func shareY(share float64, decades int) string {
	y := 1.0
	if share > 0 {
		y = min(1, -math.Log10(share)/float64(decades))
	}
	return text.Number(chartTop+chartHeight*y, 1)
}

// path returns the line of the shares.
func (s *shares) path(decades int) string {
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", chartLeft, chartTop)
	before := 1.0
	for x, share := range s {
		if share != before {
			fmt.Fprintf(&path, "H%dV%s", chartLeft+x, shareY(share, decades))
		}
		before = share
	}
	return path.String()
}

// spread returns the path of the area between the smallest and the largest share of any
// run; nothing for one run.
func (a axis) spread(runs [][]float64, decades int) string {
	if len(runs) < 2 {
		return ""
	}
	var least, most shares
	for i, run := range runs {
		for x, share := range a.longer(run) {
			if i == 0 {
				least[x], most[x] = share, share
			}
			least[x], most[x] = min(least[x], share), max(most[x], share)
		}
	}
	var back strings.Builder
	for x := chartWidth; x > 0; x-- {
		if least[x] != least[x-1] {
			fmt.Fprintf(&back, "H%dV%s", chartLeft+x, shareY(least[x-1], decades))
		}
	}
	return fmt.Sprintf("%sH%dV%s%sH%dZ", most.path(decades), chartRight, shareY(least[chartWidth], decades), back.String(), chartLeft)
}

// histogram returns the share of frames in each bin.
func (a axis) histogram(sorted []float64) []float64 {
	bins := make([]float64, chartBins)
	for _, x := range sorted {
		bins[min(chartBins-1, int(chartBins*a.at(x)))] += 1 / float64(len(sorted))
	}
	return bins
}

func histogramPath(bins []float64, most float64) string {
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", chartLeft, chartBottom)
	for i, share := range bins {
		fmt.Fprintf(&path, "V%sH%d", text.Number(chartBottom-chartHeight*share/most, 1), chartLeft+(i+1)*chartWidth/chartBins)
	}
	fmt.Fprintf(&path, "V%d", chartBottom)
	return path.String()
}

// addPeriods adds lines of refresh periods. A label is above those that it would overlap.
func (c *chart) addPeriods(list []stats.Refresh) {
	const (
		width = 50 // of a label
		line  = 16 // its height
	)
	slices.SortFunc(list, func(a, b stats.Refresh) int { return cmp.Compare(a.Period, b.Period) })
	known := map[string]bool{}
	var free []float64 // where the labels of each line end
	for _, r := range list {
		label := text.Number(r.Rate, 0) + " Hz"
		x := r.Period.Milliseconds()
		if known[label] || x <= c.axis.from || x >= c.axis.to {
			continue
		}
		known[label] = true
		at := chartLeft + chartWidth*c.axis.at(x)
		i := slices.IndexFunc(free, func(end float64) bool { return end <= at-width/2 })
		if i < 0 {
			i = len(free)
			free = append(free, 0)
		}
		free[i] = at + width/2
		c.Periods = append(c.Periods, period{tick{at, label}, chartTop - 4 - line*i})
	}
	if len(free) > 0 {
		c.Above = line*len(free) - chartTop + 4
	}
}
