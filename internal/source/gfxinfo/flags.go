package gfxinfo

import (
	"fmt"
	"math/bits"

	"ohframe/internal/plural"
)

// Bits of the column Flags, FrameInfoFlags in hwui's FrameInfo.h, the same in
// all versions since Android 6. Until Android 11 the first is called
// WindowLayoutChanged.
const (
	windowVisibilityChanged int64 = 1 << iota // first frame of a window
	rtAnimation                               // animated by the render thread alone
	surfaceCanvas                             // drawn by Surface.lockHardwareCanvas
	skippedFrame                              // not drawn
	knownFlags              = iota
)

// notFrames are the flags of rows that are skipped. JankTracker exempts
// SurfaceCanvas from jank. A skipped frame was not drawn, and the FrameCompleted of
// its row is that of an earlier frame.
const notFrames = surfaceCanvas | skippedFrame

// flagNames are hwui's names, by bit.
var flagNames = [knownFlags]string{"WindowVisibilityChanged", "RTAnimation", "SurfaceCanvas", "SkippedFrame"}

// flagCounts counts rows by flag: skipped rows by the flags that are the reason,
// frames by all their flags.
type flagCounts struct {
	rows      [knownFlags]int
	other     int   // rows with a flag that has no name
	otherBits int64 // all flags that are not in the table
}

func (c *flagCounts) add(flags int64) {
	if flags&notFrames != 0 {
		flags &= notFrames
	}
	for i := range c.rows {
		c.rows[i] += int(flags >> i & 1)
	}
	if other := flags >> knownFlags << knownFlags; other != 0 {
		c.other++
		c.otherBits |= other
	}
}

// warnings returns the number of rows with each flag.
func (c *flagCounts) warnings() []string {
	var list []string
	for i, n := range c.rows {
		switch {
		case n == 0:
		case notFrames>>i&1 != 0:
			list = append(list, fmt.Sprintf("%s with flag %s skipped", plural.Count(n, "row"), flagNames[i]))
		default:
			list = append(list, fmt.Sprintf("%s with flag %s kept", plural.Count(n, "row"), flagNames[i]))
		}
	}
	switch {
	case c.other == 0:
	case bits.OnesCount64(uint64(c.otherBits)) == 1:
		list = append(list, fmt.Sprintf("%s with unknown flag %d kept", plural.Count(c.other, "row"), uint64(c.otherBits)))
	default:
		list = append(list, fmt.Sprintf("%s with unknown flags %#x kept", plural.Count(c.other, "row"), uint64(c.otherBits)))
	}
	return list
}
