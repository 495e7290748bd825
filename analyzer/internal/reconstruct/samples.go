package reconstruct

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// lags are the delays of the fastest lines of each source, as measured on real captures. The
// offset inferred from them is too large by about that.
var lags = [clockSources]trace.Duration{
	analyzer.ClockOnVsync:       230 * trace.Microsecond,
	analyzer.ClockReceiveVsync:  210 * trace.Microsecond,
	analyzer.ClockDoComposition: 143 * trace.Microsecond,
	analyzer.ClockGenerateVsync: 7 * trace.Microsecond,
}

// clockSources is how many sources of an offset exist.
const clockSources = analyzer.ClockGiven + 1

// sameClock is the offset below which the two clocks are considered the same.
const sameClock = trace.Millisecond

// clockSamples collects, for each source, the smallest differences between a
// line's time and the time that it carries.
type clockSamples struct {
	sources [clockSources]smallest
	sync    []syncSample
	grain   grain
	// all are the samples of each source, and steps those of lines, in order of lines.
	all   [clockSources][]clockSample
	steps []lineStep
}

// syncSample is a line with which hitrace itself states the monotonic time.
type syncSample struct {
	offset, step trace.Duration
}

// keptSamples is the number of smallest differences that are stored: enough to see which
// of them agree.
const keptSamples = 16

// smallest keeps the smallest durations of all that it is given, in order.
type smallest struct {
	total int
	kept  []trace.Duration
}

func (s *smallest) add(d trace.Duration) {
	s.total++
	if len(s.kept) == keptSamples && d >= s.kept[keptSamples-1] {
		return
	}
	i, _ := slices.BinarySearch(s.kept, d)
	s.kept = slices.Insert(s.kept, i, d)
	if len(s.kept) > keptSamples {
		s.kept = s.kept[:keptSamples]
	}
}

// confirmed returns the smallest duration that has another one nearby: a single one may
// come from a damaged line. If there are enough samples, it skips a few in favour of one
// with a very close neighbour, because the fastest lines of a trace lie close together.
func (s *smallest) confirmed() trace.Duration {
	for i := 1; i < len(s.kept) && i <= 1+len(s.kept)/4; i++ {
		if s.kept[i]-s.kept[i-1] < sameClock {
			return s.kept[i-1]
		}
	}
	for i := 1; i < len(s.kept); i++ {
		if s.kept[i]-s.kept[i-1] < trace.Second {
			return s.kept[i-1]
		}
	}
	return s.kept[0]
}

// add adds a line of a source with the time that it carries.
//
// idle: the thread of the line did nothing before.
func (c *clockSamples) add(source analyzer.ClockSource, e *hitrace.Event, carried trace.Monotonic, idle bool) {
	if carried == 0 {
		return
	}
	offset := e.Time.Sub(trace.Time(carried))
	c.sources[source].add(offset)
	if len(c.all[source]) < maxSamples && !c.followed(source+1) {
		c.all[source] = append(c.all[source], clockSample{e.Time, offset, e.Number, idle})
	}
}

// followed reports whether a source from this one on has enough samples to show changes, so
// that those of worse sources are not needed.
func (c *clockSamples) followed(from analyzer.ClockSource) bool {
	return slices.ContainsFunc(c.all[from:], func(s []clockSample) bool { return len(s) > minUnsteady })
}

// jump notes that the time of lines went on or back at once.
func (c *clockSamples) jump(from, to trace.Time, line int) {
	if len(c.steps) < maxSamples {
		c.steps = append(c.steps, lineStep{from, to, line})
	}
}

// maxSamples bounds the memory for samples of a source, and for steps, to 32 MB: an hour of
// frames at 120 Hz has 432,000.
const maxSamples = 1 << 20

// maxSyncSamples is far above the number in a capture, which is one or two.
const maxSyncSamples = 64

func (c *clockSamples) addSync(line trace.Time, sync hitrace.ClockSync) {
	if sync.Monotonic != 0 && len(c.sync) < maxSyncSamples {
		c.sync = append(c.sync, syncSample{line.Sub(trace.Time(sync.Monotonic)), sync.Step})
	}
}

// offset returns the clock offset: the one that is given, else the one that the input
// states, unless samples contradict it, else the one that they show. docs/frames.md 5.8
func (c *clockSamples) offset(given *trace.Duration, stated *StatedOffset) analyzer.ClockOffset {
	inferred := c.infer()
	if given != nil {
		clock := analyzer.ClockOffset{Offset: *given, Measured: *given, Source: analyzer.ClockGiven}
		if contradicts(&inferred, *given) {
			clock.ContradictedByMarkers = (inferred.Offset - *given).Abs()
		}
		return clock
	}
	if stated == nil {
		return inferred
	}
	if contradicts(&inferred, stated.Offset) {
		inferred.Overruled = (inferred.Offset - stated.Offset).Abs()
		return inferred
	}
	return analyzer.ClockOffset{Offset: stated.Offset, Measured: stated.Offset, Source: stated.Source}
}

// How much earlier or later than stated the offset of a line can be: a line is not
// written before the time that it carries, and not all are written long after it.
const (
	maxEarly = 10 * trace.Millisecond
	maxLate  = trace.Second
)

// contradicts reports whether an inferred offset rules out another one.
func contradicts(c *analyzer.ClockOffset, offset trace.Duration) bool {
	late := c.Measured - offset
	return c.Source != analyzer.ClockUnknown && (late < -maxEarly || late > maxLate)
}

func (c *clockSamples) infer() analyzer.ClockOffset {
	for source := clockSources - 1; source > analyzer.ClockUnknown; source-- {
		s := &c.sources[source]
		if s.total == 0 {
			continue
		}
		step := c.grain.step()
		measured, early := s.confirmed()+step, ahead{}
		if step == 0 {
			measured, early = measure(source, measured, c.all[source])
		}
		clock := analyzer.ClockOffset{
			Offset: measured, Source: source, Samples: s.total,
			Measured: measured, Lag: max(lags[source], step), Step: step, Ahead: early.count, AheadBy: early.by,
		}
		if measured.Abs() < max(sameClock, step) {
			clock.Offset = 0
		} else if early.count > 0 {
			clock.Lag = max(clock.Lag, early.by) // those on time may be late
		}
		return clock
	}
	return analyzer.ClockOffset{}
}

// contradicted returns the distance of the first clock line that contradicts the offset
// from it, beyond the line's resolution.
func (c *clockSamples) contradicted(offset trace.Duration) (trace.Duration, bool) {
	const slack = 10 * trace.Millisecond // the line is written after the clock is read
	for _, s := range c.sync {
		if apart := (s.offset - offset).Abs(); apart > s.step+slack {
			return apart, true
		}
	}
	return 0, false
}
