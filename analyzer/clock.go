package analyzer

import (
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// ClockSource is the source of a clock offset. They are declared from worst to best. If a
// trace has several, the best is used.
type ClockSource uint8

const (
	// ClockUnknown: nothing in the trace carries both clocks; zero is assumed.
	ClockUnknown ClockSource = iota
	// ClockReceiveVsync: markers that report a vsync some time after it was due.
	ClockReceiveVsync
	// ClockDoComposition: lines written soon after the time that they carry.
	ClockDoComposition
	// ClockGenerateVsync: lines written right after the time that they carry.
	ClockGenerateVsync
	// ClockDetails: the message clocks_detail of hiprofiler's ftrace-plugin.
	ClockDetails
	// ClockHeader: the clocks in the header of hiprofiler's file.
	ClockHeader
	// ClockMono: the trace states that its clock is CLOCK_MONOTONIC.
	ClockMono
	// ClockGiven: the user set the offset.
	ClockGiven
	clockSources // how many there are
)

// lag is the delay of a source's fastest lines, as measured on real captures. The offset
// inferred from them is too large by about that.
var clockSourceInfo = [clockSources]struct {
	name string
	lag  trace.Duration
}{
	ClockUnknown:       {name: "no source"},
	ClockReceiveVsync:  {name: "ReceiveVsync now", lag: 210 * trace.Microsecond},
	ClockDoComposition: {name: "DoComposition", lag: 143 * trace.Microsecond},
	ClockGenerateVsync: {name: "GenerateVsyncCount now", lag: 7 * trace.Microsecond},
	ClockDetails:       {name: "clocks_detail"},
	ClockHeader:        {name: "hiprofiler's header"},
	ClockMono:          {name: "trace_clock mono"},
	ClockGiven:         {name: "given"},
}

// String names the marker that carries the time, or where the offset is stated.
func (s ClockSource) String() string { return clockSourceInfo[s].name }

// IsStated reports whether the input or the user states the offset: it is exact.
func (s ClockSource) IsStated() bool { return s >= ClockDetails }

// ClockOffset is trace time minus CLOCK_MONOTONIC: the time that the device had
// slept since it was started, if the trace is in boot time.
type ClockOffset struct {
	Offset trace.Duration
	Source ClockSource
	// Samples is the number of lines that it was inferred from.
	Samples int
	// Measured is the offset before rounding. An offset below 1 ms is rounded to zero:
	// then the two clocks are the same, and the rest is lag.
	Measured trace.Duration
	// Lag is by how much Measured typically exceeds the true offset, or differs from it if
	// the offset changes and is not corrected.
	Lag trace.Duration
	// Contradicted is the difference between the offset and hitrace's own clock line,
	// beyond the line's resolution; zero if they agree.
	Contradicted trace.Duration
	// ContradictedByMarkers is how far a given offset is from the one that markers show, if
	// they contradict it (docs/frames.md 5.6).
	ContradictedByMarkers trace.Duration
	// Overruled is how far the offset is from the one that the input states, if
	// that was not used because the trace contradicts it.
	Overruled trace.Duration
	// Drift is the growth of the offset in nanoseconds per second, and Offset the offset at
	// From (docs/frames.md 5.9). Both are zero if the offset is constant.
	Drift float64
	From  trace.Monotonic
}

// sameClock is the offset below which the two clocks are considered the same.
const sameClock = trace.Millisecond

// Trace converts a monotonic time to trace time. An unknown time stays unknown.
func (c *ClockOffset) Trace(m trace.Monotonic) trace.Time {
	if m == 0 {
		return 0
	}
	return trace.Time(m).Add(c.Offset + c.drifted(m))
}

// At returns the offset at a trace time.
func (c *ClockOffset) At(t trace.Time) trace.Duration {
	return c.Offset + c.drifted(trace.Monotonic(t.Add(-c.Offset)))
}

func (c *ClockOffset) drifted(m trace.Monotonic) trace.Duration {
	return trace.Duration(c.Drift * float64(m-c.From) / float64(trace.Second))
}

// clockSamples collects, for each source, the smallest differences between a
// line's time and the time that it carries.
type clockSamples struct {
	sources [clockSources]smallest
	sync    []syncSample
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
func (c *clockSamples) add(source ClockSource, e *hitrace.Event, carried trace.Monotonic) {
	if carried == 0 {
		return
	}
	offset := e.Time.Sub(trace.Time(carried))
	c.sources[source].add(offset)
	if len(c.all[source]) < maxSamples && !c.followed(source+1) {
		c.all[source] = append(c.all[source], clockSample{e.Time, offset, e.Number})
	}
}

// followed reports whether a source from this one on has enough samples to show changes, so
// that those of worse sources are not needed.
func (c *clockSamples) followed(from ClockSource) bool {
	return slices.ContainsFunc(c.all[from:], func(s []clockSample) bool { return len(s) > minUnsteady })
}

// step adds a step in the time of lines.
func (c *clockSamples) step(from, to trace.Time, line int) {
	if len(c.steps) < maxSamples {
		c.steps = append(c.steps, lineStep{from, to, line})
	}
}

// maxSamples bounds the memory for samples of a source, and for steps, to 24 MB: an hour of
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
func (c *clockSamples) offset(given *trace.Duration, stated *StatedOffset) ClockOffset {
	inferred := c.infer()
	if given != nil {
		clock := ClockOffset{Offset: *given, Measured: *given, Source: ClockGiven}
		if inferred.contradicts(*given) {
			clock.ContradictedByMarkers = (inferred.Offset - *given).Abs()
		}
		return clock
	}
	if stated == nil {
		return inferred
	}
	if inferred.contradicts(stated.Offset) {
		inferred.Overruled = (inferred.Offset - stated.Offset).Abs()
		return inferred
	}
	return ClockOffset{Offset: stated.Offset, Measured: stated.Offset, Source: stated.Source}
}

// How much earlier or later than stated the offset of a line can be: a line is not
// written before the time that it carries, and not all are written long after it.
const (
	maxEarly = 10 * trace.Millisecond
	maxLate  = trace.Second
)

// contradicts reports whether an inferred offset rules out another one.
func (c *ClockOffset) contradicts(offset trace.Duration) bool {
	late := c.Measured - offset
	return c.Source != ClockUnknown && (late < -maxEarly || late > maxLate)
}

// infer returns the clock offset that samples show.
func (c *clockSamples) infer() ClockOffset {
	for source := clockSources - 1; source > ClockUnknown; source-- {
		s := &c.sources[source]
		if s.total == 0 {
			continue
		}
		measured := s.confirmed()
		offset := measured
		if offset.Abs() < sameClock {
			offset = 0
		}
		return ClockOffset{
			Offset: offset, Source: source, Samples: s.total,
			Measured: measured, Lag: clockSourceInfo[source].lag,
		}
	}
	return ClockOffset{}
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
