package analyzer

import (
	"fmt"
	"time"

	"ohframe/analyzer/trace"
)

// ClockSource is the source of a clock offset. They are declared from worst to best. If a
// trace has several, the best is used.
type ClockSource uint8

const (
	// ClockUnknown: nothing in the trace carries both clocks; zero is assumed.
	ClockUnknown ClockSource = iota
	// ClockOnVsync: markers that report a vsync to a user interface, some time after it was due.
	ClockOnVsync
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
)

var clockSourceNames = [...]string{
	ClockUnknown:       "no source",
	ClockOnVsync:       "OnVsyncEvent now",
	ClockReceiveVsync:  "ReceiveVsync now",
	ClockDoComposition: "DoComposition",
	ClockGenerateVsync: "GenerateVsyncCount now",
	ClockDetails:       "clocks_detail",
	ClockHeader:        "hiprofiler's header",
	ClockMono:          "trace_clock mono",
	ClockGiven:         "given",
}

// String names the marker that carries the time, or where the offset is stated.
func (s ClockSource) String() string { return clockSourceNames[s] }

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
	// Step is by how much the trace's clock goes on at once, if that is 1 ms or more, as if it
	// counts the ticks of the kernel. Times of lines are too early by up to a step.
	Step trace.Duration
	// Ahead is how many of the samples are of vsyncs that were sent ahead of their time, and
	// AheadBy how much, at most, before those on time (docs/frames.md 5.7).
	Ahead   int
	AheadBy trace.Duration
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

// ClockChange is a change of the clock offset within a trace (docs/frames.md 5.9).
type ClockChange struct {
	Kind ClockChangeKind
	// At is the time of the first line after the change, and Line its number. A drift
	// begins with the trace.
	At   trace.Time
	Line int
	// By is the growth of the offset. That of a drift is over the whole trace.
	By trace.Duration
	// Corrected: vsync times are converted with the offset of their time.
	Corrected bool
}

// ClockChangeKind is a kind of change of the clock offset.
type ClockChangeKind uint8

const (
	// ClockJump: the clock of the lines went ahead at once, as when a device slept.
	ClockJump ClockChangeKind = iota
	// ClockBack: the clock of the lines went back, so that times occur twice.
	ClockBack
	// ClockDrift: the clock of the lines runs faster or slower than CLOCK_MONOTONIC.
	ClockDrift
	// ClockUnsteady: the offset changes in another way.
	ClockUnsteady
)

// String describes the change, such as "the clock jumps ahead by 100ms at 103.2 s (line
// 4711)".
func (c ClockChange) String() string {
	where := fmt.Sprintf("at %s s (line %d)", c.At, c.Line)
	var s string
	switch c.Kind {
	case ClockJump:
		s = fmt.Sprintf("the clock jumps ahead by %s %s", rounded(c.By), where)
	case ClockBack:
		s = fmt.Sprintf("the clock goes back by %s %s", rounded(c.By.Abs()), where)
	case ClockDrift:
		s = fmt.Sprintf("the clock drifts by %s", rounded(c.By))
	default:
		s = fmt.Sprintf("the clock offset changes by %s %s", rounded(c.By.Abs()), where)
	}
	if c.Corrected {
		s += ", corrected"
	}
	return s
}

// rounded returns a duration to the tenth of a millisecond.
func rounded(d trace.Duration) time.Duration { return time.Duration(d).Round(100 * time.Microsecond) }
