package text

import (
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// How numbers are shown to people, in all commands:
//
//	times              one decimal, in milliseconds: "12.5"
//	rates, measures    one decimal: "10.8 %", "59.9"
//	parts of a whole   percent without decimals: "87 %"
//	refresh periods    two decimals: "0.38"
//	counts             whole numbers
//	times in a trace   seconds with six decimals, or three if they are lengths
//
// What only rounds to 0, or to 100 %, is "< 0.1" or "> 99.9 %".

// Number formats x with the given number of decimals.
func Number(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if x < 0 && strings.Trim(s, "-0.") == "" {
		return s[1:] // no minus before zero
	}
	return s
}

// Share formats a share, 0 to 1, in percent. A nil share is unknown. Only exactly
// 0 is "0 %" and only exactly 1 is "100 %".
func Share(share *float64) string {
	if share == nil {
		return Unknown
	}
	switch p := *share * 100; {
	case p == 0 || p == 100:
		return Number(p, 0) + " %"
	case p < 0.1:
		return "< 0.1 %"
	case p > 99.9:
		return "> 99.9 %"
	default:
		return Number(p, 1) + " %"
	}
}

// Percent formats a part of a whole in percent without decimals. Only exactly 0 is "0 %" and
// only the whole is "100 %".
func Percent(part, whole trace.Duration) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	switch {
	case p > 0 && p < 1:
		return "< 1 %"
	case p > 99 && p < 100:
		return "> 99 %"
	}
	return Number(p, 0) + " %"
}

// Milliseconds formats a duration in milliseconds without a unit.
func Milliseconds(d trace.Duration) string {
	if t := Tenths(d); t != 0 || d <= 0 {
		return Number(t.Milliseconds(), 1)
	}
	return "< 0.1"
}

// AtLeast formats a duration in milliseconds, with "≥" before one that is only known to be longer.
func AtLeast(d trace.Duration, longer bool) string {
	if longer {
		return "≥ " + Milliseconds(d)
	}
	return Milliseconds(d)
}

// Tenths rounds a duration to tenths of a millisecond, halves away from zero.
func Tenths(d trace.Duration) trace.Duration {
	const tenth = trace.Millisecond / 10
	if d < 0 {
		return -Tenths(-d)
	}
	return (d + tenth/2) / tenth * tenth
}

// Seconds formats a trace time in seconds, to the microsecond.
func Seconds(at trace.Time) string { return Number(float64(at)/float64(trace.Second), 6) }

// Since formats a time since the start of a trace: "+475.2 ms", "+12.345 s" from ten seconds
// on. It is unknown if the start is, or if the time is before it.
func Since(origin, at trace.Time) string {
	d := at.Sub(origin)
	switch {
	case !origin.Known() || d < 0:
		return Unknown
	case d >= 10*trace.Second:
		return "+" + Number(float64(d)/float64(trace.Second), 3) + " s"
	}
	return "+" + Number(d.Milliseconds(), 1) + " ms"
}

// MillisecondsOrUnknown formats a duration as Milliseconds does; nil is unknown.
func MillisecondsOrUnknown(d *trace.Duration) string {
	if d == nil {
		return Unknown
	}
	return Milliseconds(*d)
}
