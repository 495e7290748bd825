package why

import (
	"ohframe/analyzer"
)

// MaxHangs is the maximum number of hangs of a trace that are explained: the longest ones.
const MaxHangs = 1000

// Hang is what a hang of a main thread was spent on (docs/why.md 9).
type Hang struct {
	// Work is what the thread did. Its Start and End are those of the hang.
	Work Work
	// Path are the slices with most of the time, from the hang's own slice inwards: each has at
	// least half of the time of the one around it. Value is the time of slices of one name there, with the slices
	// inside of them. At most MaxHangPath; empty if unknown.
	Path []Share
}

// MaxHangPath bounds Hang.Path.
const MaxHangPath = 16

// OfHang returns what a hang was spent on, nil if nothing is known of it.
func (c *Causes) OfHang(h analyzer.Hang) *Hang {
	if c == nil {
		return nil
	}
	return c.Hangs[h]
}
