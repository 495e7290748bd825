package analyzer

import (
	"slices"

	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
)

// ClockSource says what a clock offset was inferred from. Of several sources in
// a trace the best is taken; they are declared from worst to best.
type ClockSource uint8

const (
	// ClockUnknown: nothing in the trace carries both clocks; zero is assumed.
	ClockUnknown ClockSource = iota
	// ClockReceiveVsync: lines that tell of a vsync some time after it was due.
	ClockReceiveVsync
	// ClockDoComposition: lines written soon after the time that they carry.
	ClockDoComposition
	// ClockGenerateVsync: lines written right after the time that they carry.
	ClockGenerateVsync
	// ClockGiven: the user said so.
	ClockGiven
	clockSources // how many there are
)

// The lag of a source is what its lines come late by even at their fastest, as
// seen in real captures: the offset inferred from them is too large by about that.
var clockSourceInfo = [clockSources]struct {
	name string
	lag  trace.Duration
}{
	ClockUnknown:       {name: "nothing in the trace tells"},
	ClockReceiveVsync:  {name: "ReceiveVsync now", lag: 210 * trace.Microsecond},
	ClockDoComposition: {name: "DoComposition", lag: 143 * trace.Microsecond},
	ClockGenerateVsync: {name: "GenerateVsyncCount now", lag: 7 * trace.Microsecond},
	ClockGiven:         {name: "given"},
}

// String names the marker that carries the time.
func (s ClockSource) String() string { return clockSourceInfo[s].name }

// ClockOffset is trace time minus CLOCK_MONOTONIC: the time that the device had
// slept since it was started, if the trace is in boot time.
type ClockOffset struct {
	Offset trace.Duration
	Source ClockSource
	// Samples is the number of lines that it was inferred from.
	Samples int
	// Measured is the offset before rounding: one under 1 ms is taken as zero,
	// because then the two clocks are the same and the rest is lag.
	Measured trace.Duration
	// Lag is by how much Measured typically exceeds the true offset.
	Lag trace.Duration
	// Contradicted is how far the offset is from what hitrace's own clock line
	// says, beyond what the line's coarseness explains; zero if it agrees.
	Contradicted trace.Duration
}

// sameClock is the offset under which the two clocks are taken to be the same.
const sameClock = trace.Millisecond

// Trace moves a monotonic time to trace time. What is not known stays so.
func (c *ClockOffset) Trace(m trace.Monotonic) trace.Time {
	if m == 0 {
		return 0
	}
	return trace.Time(m).Add(c.Offset)
}

// clockSamples collects, for each source, the smallest differences between a
// line's time and the time that it carries.
type clockSamples struct {
	sources [clockSources]smallest
	sync    []syncSample
}

// syncSample is a line with which hitrace itself states the monotonic time.
type syncSample struct {
	offset, step trace.Duration
}

// keptSamples bounds how many of the smallest differences are kept: enough to
// see which of them agree.
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

// confirmed returns the smallest duration that another is near to: one alone
// may come from a damaged line. Where there are enough to tell, a few are passed
// over for one with another very near, as the fastest lines of a trace are.
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

func (c *clockSamples) add(source ClockSource, line trace.Time, carried trace.Monotonic) {
	if carried != 0 {
		c.sources[source].add(line.Sub(trace.Time(carried)))
	}
}

// maxSyncSamples is far above the one or two that a capture holds.
const maxSyncSamples = 64

func (c *clockSamples) addSync(line trace.Time, sync hitrace.ClockSync) {
	if sync.Monotonic != 0 && len(c.sync) < maxSyncSamples {
		c.sync = append(c.sync, syncSample{line.Sub(trace.Time(sync.Monotonic)), sync.Step})
	}
}

// offset infers the clock offset, unless it is given.
func (c *clockSamples) offset(given *trace.Duration) ClockOffset {
	if given != nil {
		return ClockOffset{Offset: *given, Measured: *given, Source: ClockGiven}
	}
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

// contradicted returns how far hitrace's own statement is from the offset
// beyond what its coarseness explains, for the first statement that is.
func (c *clockSamples) contradicted(offset trace.Duration) (trace.Duration, bool) {
	const slack = 10 * trace.Millisecond // the line is written after the clock is read
	for _, s := range c.sync {
		if apart := (s.offset - offset).Abs(); apart > s.step+slack {
			return apart, true
		}
	}
	return 0, false
}
