package text

import (
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
)

func number(x float64) *float64 { return &x }

func TestMeasures(t *testing.T) {
	for _, c := range []struct {
		unit          stats.Unit
		value         *float64
		want, changed string
	}{
		{stats.Share, nil, "–", "–"},
		{stats.Share, number(0.0), "0 %", "0 pp"},
		{stats.Share, number(1.0), "100 %", "+100.0 pp"},
		{stats.Share, number(.0004), "< 0.1 %", "+0.04 pp"},
		{stats.Share, number(.00004), "< 0.1 %", "< 0.01 pp"},
		{stats.Share, number(1e-17), "< 0.1 %", "0 pp"}, // of floating-point numbers
		{stats.Share, number(.9996), "> 99.9 %", "+100.0 pp"},
		{stats.Share, number(.125), "12.5 %", "+12.5 pp"},
		{stats.Count, number(12.0), "12", "+12"},
		{stats.Count, number(2.6), "2.6", "+2.6"}, // a mean of runs
		{stats.Milliseconds, number(16.666), "16.7", "+16.7"},
		{stats.Milliseconds, number(1234.5), "1234.5", "+1234.5"},
		{stats.Hertz, number(59.987), "60.0", "+60.0"},
		{stats.MillisecondsPS, number(3.14), "3.1", "+3.1"},
		{stats.Seconds, number(2.5), "2.500", "+2.500"},
		{stats.Seconds, number(.0004), "0.000", "< 0.001"},
		{stats.Periods, number(.375), "0.38", "+0.38"},
	} {
		must.Equal(t, Value(c.unit, c.value), c.want, "%s: value", c.unit)
		must.Equal(t, Change(c.unit, c.value), c.changed, "%s: change", c.unit)
	}
	must.Equal(t, Value(stats.Milliseconds, number(-26.3)), "−26.3")
	for fall, want := range map[float64]string{-1234.5: "−1234.5", -.04: "−0.04", -.006: "−0.01", -.004: "> −0.01", 0: "0"} {
		must.Equal(t, Change(stats.Milliseconds, number(fall)), want, "a fall of %v", -fall)
	}
}

// Titles of columns have their unit after a blank.
func TestColumn(t *testing.T) {
	for _, list := range []stats.MeasureList{stats.Measures, stats.InteractionMeasures, stats.LayerMeasures, stats.OwnMeasures} {
		for i := range list {
			if title := Column(&list[i]); strings.Contains(title, ",") {
				t.Errorf("%s: %s", list[i].Name, title)
			}
		}
	}
}
