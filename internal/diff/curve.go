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

// chart shows the cumulative distributions of the frame durations of a pair: for
// each trace the share of frames that took at most a duration.
type chart struct {
	Unit      string
	Base, New curve
	Longest   float64 // end of the axis
	Ticks     []tick
}

// curve is the distribution of one trace.
type curve struct {
	Frames int
	Beyond int    // frames beyond the end of the axis
	Path   string // of the SVG
}

// tick is a labelled point of the axis.
type tick struct {
	X    float64
	Text string
}

// The chart's area, in SVG units.
const (
	chartLeft, chartTop     = 44, 10
	chartWidth, chartHeight = 560, 190
)

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
			list = append(list, newChart(l.unit, b, n))
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

// newChart returns the chart of two sorted, non-empty lists.
func newChart(unit string, base, new []float64) *chart {
	c := &chart{Unit: unit}
	// A few very long frames must not compress all others.
	longest := 1.2 * max(percentile95(base), percentile95(new))
	step := tickStep(longest)
	ticks := max(1, int(math.Ceil(longest/step)))
	c.Longest = float64(ticks) * step
	for i := range ticks + 1 {
		c.Ticks = append(c.Ticks, tick{chartLeft + chartWidth*float64(i)/float64(ticks), tickText(float64(i)*step, step)})
	}
	c.Base, c.New = newCurve(base, c.Longest), newCurve(new, c.Longest)
	return c
}

// percentile95 returns the 95th percentile of a sorted list by nearest rank.
func percentile95(sorted []float64) float64 { return sorted[(95*len(sorted)+99)/100-1] }

// tickStep returns the distance between ticks: 1, 2 or 5 times a power of ten, with
// at most ten steps up to longest.
func tickStep(longest float64) float64 {
	if longest <= 0 {
		return 1
	}
	power := math.Pow10(int(math.Floor(math.Log10(longest))) - 1)
	for _, step := range []float64{1, 2, 5} {
		if longest/(step*power) <= 10 {
			return step * power
		}
	}
	return 10 * power
}

func tickText(x, step float64) string {
	return text.Number(x, max(0, int(-math.Floor(math.Log10(step)))))
}

// newCurve returns the distribution of a sorted list, with one step at most for
// each unit of width.
func newCurve(sorted []float64, longest float64) curve {
	c := curve{Frames: len(sorted)}
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", chartLeft, chartTop+chartHeight)
	done := 0
	for x := range chartWidth + 1 {
		upTo := longest * float64(x) / chartWidth
		before := done
		for done < len(sorted) && sorted[done] <= upTo {
			done++
		}
		if done > before {
			share := float64(done) / float64(len(sorted))
			fmt.Fprintf(&path, "H%dV%s", chartLeft+x, text.Number(chartTop+chartHeight*(1-share), 1))
		}
	}
	fmt.Fprintf(&path, "H%d", chartLeft+chartWidth)
	c.Beyond, c.Path = len(sorted)-done, path.String()
	return c
}
