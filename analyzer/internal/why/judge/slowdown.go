package judge

import (
	"math"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

const (
	leastSlowdown = 1.25
	// alikeSlowdown is how far the slowdown of a slice may be from that of all.
	alikeSlowdown = 1.25
)

// slowdown returns how many times as long as usual the slices of a frame ran, if nearly all of them did so
// about as many times and the frequencies of their CPUs are unknown; otherwise 0.
func (x *judged) slowdown() float64 {
	if x.of.basis > why.FewFrames {
		return 0 // no frame on time says what is usual
	}
	type slice struct{ time, usual trace.Duration }
	var list []slice
	var all, known, usual, longest trace.Duration
	for c := range x.Cells() {
		if c.Wait != why.Run || c.Stage == why.StageStart {
			continue
		}
		if c.Clocked > 0 {
			return 0 // a lower frequency is a cause
		}
		value := x.values.of(c.Component).time
		u, _ := x.of.cell(c.ID, value, expectedOf(x.usuals, c.Component).time)
		all += c.Time
		if u > 0 {
			list = append(list, slice{c.Time, u})
			known, usual, longest = known+c.Time, usual+u, max(longest, u)
		}
	}
	// One long slice says nothing of the others, and neither do slices that are usually short.
	if usual-longest < noiseFloor || known*10 < all*9 {
		return 0
	}
	slowdown, alike := float64(known)/float64(usual), trace.Duration(0)
	for _, s := range list {
		if by := float64(s.time) / (float64(s.usual) * slowdown); by < alikeSlowdown && by > 1/alikeSlowdown {
			alike += s.usual
		}
	}
	if slowdown < leastSlowdown || alike*10 < usual*9 || (alike-longest)*4 < (usual-longest)*3 {
		return 0
	}
	return math.Round(slowdown*10) / 10
}
