package text

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
)

// decimals returns the number of decimals of x in a unit.
func decimals(u stats.Unit, x float64) int {
	switch {
	case u == stats.Count && x == math.Trunc(x):
		return 0
	case u == stats.Seconds:
		return 3
	case u == stats.Periods:
		return 2
	}
	return 1 // of counts, too: a mean of runs
}

// Value formats a value of a measure. A nil value is unknown.
func Value(u stats.Unit, x *float64) string {
	switch {
	case x == nil:
		return Unknown
	case u == stats.Share:
		return Share(x)
	}
	return strings.Replace(Number(*x, decimals(u, *x)), "-", "−", 1)
}

// UnitAfter returns a blank and the unit, for after a number; empty where Value has the unit
// or the measure's name says it.
func UnitAfter(u stats.Unit) string {
	return map[stats.Unit]string{
		stats.Milliseconds: " ms", stats.MillisecondsPS: " ms/s", stats.Seconds: " s", stats.Periods: " periods",
	}[u]
}

// Column returns the title of the column of a measure, which has the unit after a blank: "P95 ms", "Queue P50 ms".
func Column(m *stats.Measure) string {
	return cmp.Or(m.Short, strings.Replace(m.Label, ", ", " ", 1))
}

// Label returns the label of a measure within a sentence, without its unit: "jank rate", but "FPS".
func Label(m *stats.Measure) string {
	label, _, _ := strings.Cut(m.Label, ", ")
	return Within(label)
}

// Within returns a title within a sentence: "jank rate", but "FPS".
func Within(title string) string {
	if len(title) > 1 && 'a' <= title[1] && title[1] <= 'z' {
		return strings.ToLower(title[:1]) + title[1:]
	}
	return title
}

// Stated returns the label and the value of a measure with its unit: "hitch ratio 12.0 ms/s".
func Stated(m *stats.Measure, x *float64) string {
	return Label(m) + " " + Value(m.Unit, x) + UnitAfter(m.Unit)
}

// maxDecimals is the precision of a limit that a floating-point error does not exceed.
const maxDecimals = 9

// Beyond formats a value beyond a limit, with as many decimals as show that it is.
func Beyond(u stats.Unit, x, limit float64) string {
	s := Value(u, &x)
	scale, suffix := 1.0, ""
	if u == stats.Share {
		scale, suffix = 100, " %"
	}
	for n := decimals(u, x) + 1; s == Value(u, &limit) && n <= maxDecimals; n++ {
		if more := Number(x*scale, n); more != Number(limit*scale, n) {
			return more + suffix
		}
	}
	return s
}

// Change formats a change of a measure with its sign. A nil change is unknown.
func Change(u stats.Unit, x *float64) string {
	switch {
	case x == nil:
		return Unknown
	case u == stats.Share:
		return signed(*x*100, 1) + " pp"
	}
	return signed(*x, decimals(u, math.Abs(*x)))
}

// RelativeChange formats a change, as a share of the value before it, in percent. A nil
// change is unknown.
func RelativeChange(x *float64) string {
	if x == nil {
		return Unknown
	}
	return signed(*x*100, 1) + " %"
}

// Probability formats a p-value. One that is smaller than 0.0001 is not a number.
func Probability(p float64) string {
	if p < 0.0001 {
		return "< 0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

// signed formats a number with its sign, but zero without one. A number that rounds to zero has more decimals, up to
// two, or is less than what they show. The minus is U+2212, as that of Value.
func signed(x float64, decimals int) string {
	number := Number(math.Abs(x), decimals)
	rounded := strings.Trim(number, "0.") == ""
	switch {
	case math.Abs(x) < noDifference:
		return "0"
	case rounded && decimals < 2:
		return signed(x, decimals+1)
	case rounded && x < 0:
		return "> −" + number[:len(number)-1] + "1"
	case rounded:
		return "< " + number[:len(number)-1] + "1"
	case x < 0:
		return "−" + number
	}
	return "+" + number
}

// noDifference is what differences of equal means of runs are below.
const noDifference = 1e-9
