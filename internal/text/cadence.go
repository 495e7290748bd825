package text

import (
	"fmt"

	"ohframe/analyzer/stats"
)

// steady is the share of the gaps from which on a cadence is that of all.
const steady = 0.9

// Cadence says how often frames were shown: "every 3rd vsync of 120 Hz". The share of gaps that are
// like that follows, unless it is large.
func Cadence(c *stats.Cadence) string {
	s := fmt.Sprintf("every vsync of %d Hz", c.Refresh)
	if c.Every > 1 {
		s = fmt.Sprintf("every %d%s vsync of %d Hz", c.Every, ordinal(c.Every), c.Refresh)
	}
	if c.Share < steady {
		s += " (" + Share(&c.Share) + " of the gaps)"
	}
	return s
}

// ordinal returns the ending of an ordinal number.
func ordinal(n int) string {
	if n%100/10 == 1 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}
