package reconstruct

import (
	"slices"

	"ohframe/analyzer/trace"
)

// grain finds the steps of a clock that does not show every microsecond, such as that of
// `hitrace --trace_clock uptime`, which counts the ticks of the kernel.
type grain struct {
	events, same int // events, and those with the time of the one before
	fine         int // those within coarse of the one before
	apart        []trace.Duration
}

const (
	// coarse is below the shortest step that counts: a tick of 1000 Hz. Frames are measured
	// by the microsecond.
	coarse = 9 * trace.Millisecond / 10
	// minEvents is the number of events that shows the step of a clock.
	minEvents = 50
	// maxApart is the number of times between events that are compared.
	maxApart = 256
	// timeError is the error of the times of two lines.
	timeError = 2 * trace.Microsecond
)

// isFine reports whether the clock shows every microsecond. Four of the events, and one in a hundred, may be those of damaged lines.
func (g *grain) isFine() bool { return g.fine > 4+g.events/100 }

// add adds an event with the time since the one before. Damaged lines may have others.
func (g *grain) add(since trace.Duration) {
	if g.isFine() {
		return
	}
	g.events++
	switch since = since.Abs(); {
	case since == 0:
		g.same++
	case since < coarse:
		g.fine++
	case len(g.apart) < maxApart:
		g.apart = append(g.apart, since)
	}
}

// step returns the step of the clock; zero for a clock of at least 1000 Hz. Several events share
// each time then, and the times between are multiples of the shortest one.
func (g *grain) step() trace.Duration {
	if g.isFine() || g.events < minEvents || 4*g.same < g.events || len(g.apart) < 2 {
		return 0
	}
	slices.Sort(g.apart)
	step, odd := g.shortest(), 0
	if step == 0 {
		return 0
	}
	for _, d := range g.apart {
		if rest := d % step; min(rest, step-rest) > timeError*max(1, d/step) {
			odd++
		}
	}
	if 2*odd > len(g.apart) { // some are those of damaged lines
		return 0
	}
	return step
}

// shortest returns the shortest time between events that several have: others are those of damaged
// lines. apart is sorted.
func (g *grain) shortest() trace.Duration {
	several := max(2, len(g.apart)/20)
	for i, d := range g.apart[:len(g.apart)-several+1] {
		if g.apart[i+several-1]-d <= timeError {
			return d
		}
	}
	return 0
}
