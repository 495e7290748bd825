package hitrace

import (
	"slices"

	"ohframe/analyzer/trace"
)

const (
	// maxGap is the largest gap between lines that is accepted without a check. Devices
	// can sleep for longer, but then the following lines agree with the new time.
	maxGap = 10 * 60 * trace.Second

	// strayWindow is how many lines decide whether a jump in time is real.
	strayWindow = 9

	// strayRun is the number of lines that are checked for a return to the earlier time.
	// About half as many stray lines may follow one another.
	strayRun = 200
)

// strays finds lines whose time is far from that of all lines around them. One such line,
// left over in a kernel buffer or damaged, would stretch the trace by hours.
type strays struct {
	last    trace.Time
	started bool
}

// drop removes the stray events from the batch and notes them as StrayTime.
func (s *strays) drop(b *Batch) {
	kept := b.Events[:0]
	for i := range b.Events {
		t := b.Events[i].Time
		if s.isStray(b.Events, i) {
			b.problems = append(b.problems, lineProblem{b.Events[i].Number, StrayTime})
			continue
		}
		s.last, s.started = t, true
		if len(kept) != i {
			b.Events[len(kept)] = b.Events[i]
		}
		kept = b.Events[:len(kept)+1]
	}
	b.Events = kept
}

// isStray reports whether event i is stray: far from the line before it, and also far
// from the lines after it, or most of those return to the earlier time.
func (s *strays) isStray(events []Event, i int) bool {
	t := events[i].Time
	if s.started {
		if t.Sub(s.last).Abs() <= maxGap {
			return false
		}
		back, on := 0, 0
		for k := i + 1; k < min(i+1+strayRun, len(events)); k++ {
			switch u := events[k].Time; {
			case u.Sub(s.last).Abs() <= maxGap:
				back++
			case u.Sub(t).Abs() <= maxGap:
				on++
			}
		}
		if back > on {
			return true
		}
	}
	return t.Sub(medianAround(events, i)).Abs() > maxGap
}

// medianAround returns the median time of the window that begins with event i,
// or, near the end of the batch, of the batch's last events.
func medianAround(events []Event, i int) trace.Time {
	var buffer [strayWindow]trace.Time
	first := max(0, min(i, len(events)-strayWindow))
	times := buffer[:0]
	for i := first; i < min(first+strayWindow, len(events)); i++ {
		times = append(times, events[i].Time)
	}
	slices.Sort(times)
	return times[len(times)/2]
}
