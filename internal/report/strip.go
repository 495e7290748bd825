package report

import (
	"fmt"
	"math"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// strip is the overview of a process over time: the jank rate above the frame and refresh
// rates. Its drawings are 1000 wide and 100 high, and stretched.
type strip struct {
	// Jank is an area, FPS and Refresh are lines, as paths of an SVG.
	Jank, FPS, Refresh string
	JankTop, RateTop   string // labels of the tops of the axes
	Length             trace.Duration
}

// newStrip returns nil if nothing is to be drawn. The drawings are from one time to
// another.
func newStrip(moments []stats.Moment, from, to trace.Time) *strip {
	if len(moments) == 0 || to <= from {
		return nil
	}
	jankTop, rateTop := .05, 10.0
	for _, m := range moments {
		if m.WithDeadline > 0 {
			jankTop = max(jankTop, float64(m.Late)/float64(m.WithDeadline))
		}
		if m.FPS != nil {
			rateTop = max(rateTop, *m.FPS)
		}
		rateTop = max(rateTop, float64(m.Refresh))
	}
	jankTop, rateTop = min(1, roundUp(jankTop)), roundUp(rateTop*1.05)
	s := &strip{JankTop: text.Number(100*jankTop, 0) + " %", RateTop: text.Number(rateTop, 0) + " Hz", Length: moments[0].To.Sub(moments[0].From)}
	x := func(at trace.Time) float64 { // in floating point, because the time between may overflow
		return 1000 * (float64(at) - float64(from)) / (float64(to) - float64(from))
	}
	var jank, fps, refresh strings.Builder
	fpsKnown, refreshKnown := false, false
	for _, m := range moments {
		left, right := x(m.From), min(1000, x(m.To))
		if m.Late > 0 {
			fmt.Fprintf(&jank, "M%.1f 100V%.1fH%.1fV100Z", left, 100-100*float64(m.Late)/float64(m.WithDeadline)/jankTop, right)
		}
		step := func(path *strings.Builder, known bool, y float64) {
			if known {
				fmt.Fprintf(path, "V%.1fH%.1f", y, right)
			} else {
				fmt.Fprintf(path, "M%.1f %.1fH%.1f", left, y, right)
			}
		}
		if m.FPS != nil {
			step(&fps, fpsKnown, 100-100**m.FPS/rateTop)
		}
		if m.Refresh > 0 {
			step(&refresh, refreshKnown, 100-100*float64(m.Refresh)/rateTop)
		}
		fpsKnown, refreshKnown = m.FPS != nil, m.Refresh > 0
	}
	s.Jank, s.FPS, s.Refresh = jank.String(), fps.String(), refresh.String()
	return s
}

// roundUp returns the next number that is 1, 1.5, 2, 3, 5 or 7 times a power of ten.
func roundUp(x float64) float64 {
	power := math.Pow10(int(math.Floor(math.Log10(x))))
	for _, step := range []float64{1, 1.5, 2, 3, 5, 7} {
		if x <= step*power*(1+1e-9) {
			return step * power
		}
	}
	return 10 * power
}

// momentRow is a moment for the page's script: late frames, frames with a deadline, FPS or
// null, refresh rate or 0.
type momentRow struct{ moment stats.Moment }

// MarshalJSON implements json.Marshaler.
func (m momentRow) MarshalJSON() ([]byte, error) {
	fps := "null"
	if m.moment.FPS != nil {
		fps = text.Number(*m.moment.FPS, 1)
	}
	return fmt.Appendf(nil, "[%d,%d,%s,%d]", m.moment.Late, m.moment.WithDeadline, fps, m.moment.Refresh), nil
}
