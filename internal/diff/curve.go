package diff

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// chart compares the distributions of the frame durations of a pair: the histograms, and
// for each duration the share of frames that took longer. The axis of durations is
// logarithmic, and so is that of the share, so that the longest frames are seen.
type chart struct {
	Unit      string
	Base, New curve
	Ticks     []tick // of the axis of durations
	Shares    []tick // of the axis of shares
	Most      tick   // of the axis of the histogram
	Periods   []tick // refresh periods

	axis axis
}

// curve is the distribution of one trace.
type curve struct {
	Frames    int
	Histogram string // path of the SVG
	Longer    string // path of the SVG
}

// tick is a labelled point of an axis.
type tick struct {
	At   float64
	Text string
}

// The charts' area, in SVG units.
const (
	chartLeft, chartTop     = 48, 10
	chartWidth, chartHeight = 500, 190
	chartRight              = chartLeft + chartWidth
	chartBottom             = chartTop + chartHeight
)

// chartBins is the number of bars of a histogram.
const chartBins = 50

// charts returns a chart in milliseconds, and one in periods if the refresh rates
// differ. A chart is omitted if a trace has no frames for it.
func (p *Pair) charts(base, new stats.Frames) (list []*chart) {
	type length struct {
		unit string
		of   func(*analyzer.Frame) float64 // negative if unknown
	}
	lengths := []length{{"ms", func(f *analyzer.Frame) float64 { return f.Actual.Duration().Milliseconds() }}}
	if p.RefreshDiffers {
		lengths = append(lengths, length{"periods", func(f *analyzer.Frame) float64 {
			if f.Period <= 0 {
				return -1
			}
			return float64(f.Actual.Duration()) / float64(f.Period)
		}})
	}
	for _, l := range lengths {
		b, n := durations(base.Of(p.Base), l.of), durations(new.Of(p.New), l.of)
		if len(b) > 0 && len(n) > 0 {
			c := newChart(l.unit, b, n)
			if l.unit == "ms" {
				c.addPeriods(slices.Concat(p.BaseRefresh(), p.NewRefresh()))
			}
			list = append(list, c)
		}
	}
	return list
}

// durations returns the sorted lengths of frames.
func durations(frames []*analyzer.Frame, of func(*analyzer.Frame) float64) (list []float64) {
	for _, f := range frames {
		if x := of(f); x >= 0 {
			list = append(list, x)
		}
	}
	slices.Sort(list)
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

// newChart returns the chart of two sorted, non-empty lists.
func newChart(unit string, base, new []float64) *chart {
	a := newAxis(base, new)
	c := &chart{Unit: unit, axis: a, Ticks: a.ticks(), Base: curve{Frames: len(base)}, New: curve{Frames: len(new)}}
	// The share of one frame is above the end of the axis.
	decades := max(1, int(math.Ceil(math.Log10(float64(max(len(base), len(new))))+1e-9)))
	for i := range decades + 1 {
		c.Shares = append(c.Shares, tick{chartTop + chartHeight*float64(i)/float64(decades), text.Number(100*math.Pow10(-i), max(0, i-2)) + " %"})
	}
	c.Base.Longer, c.New.Longer = a.longer(base, decades), a.longer(new, decades)
	baseBins, newBins := a.histogram(base), a.histogram(new)
	most := max(slices.Max(baseBins), slices.Max(newBins))
	c.Most = tick{chartTop, text.Number(100*most, 0) + " %"}
	c.Base.Histogram, c.New.Histogram = histogramPath(baseBins, most), histogramPath(newBins, most)
	return c
}

// longer returns the path of the share of frames that took longer, with one step at most
// for each unit of width.
func (a axis) longer(sorted []float64, decades int) string {
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", chartLeft, chartTop)
	done := 0
	for x := range chartWidth + 1 {
		before := done
		for done < len(sorted) && int(chartWidth*a.at(sorted[done])) <= x {
			done++
		}
		if done > before {
			y := 1.0
			if done < len(sorted) {
				y = -math.Log10(1-float64(done)/float64(len(sorted))) / float64(decades)
			}
			fmt.Fprintf(&path, "H%dV%s", chartLeft+x, text.Number(chartTop+chartHeight*y, 1))
		}
	}
	return path.String()
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

// addPeriods adds lines of refresh periods.
func (c *chart) addPeriods(list []stats.Refresh) {
	known := map[string]bool{}
	for _, r := range list {
		label := text.Number(r.Rate, 0) + " Hz"
		if x := r.Period.Milliseconds(); !known[label] && x > c.axis.from && x < c.axis.to {
			known[label] = true
			c.Periods = append(c.Periods, tick{chartLeft + chartWidth*c.axis.at(x), label})
		}
	}
}
