// Package trace defines the units of all other packages: times, durations, and the
// ids of processes, threads and processors. It also defines the limits on what an
// input can use. Each is far above what devices record. When a limit is reached, the
// summary reports it, or reading ends with an error that has the limit's name.
package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is a time on a trace's own clock, in nanoseconds. The clock depends on how
// the trace was recorded; it is boot time by default, and not stated in the text. 0
// means unknown: no device records at the instant of its boot.
type Time int64

// MaxTime is the last time that is read from an input, 73 years in nanoseconds.
// Sums and differences of a few such times cannot overflow.
const MaxTime = math.MaxInt64 / 4

// Monotonic is a time on CLOCK_MONOTONIC, in nanoseconds: the clock of vsync times.
// It stops while the device sleeps. 0 means unknown.
type Monotonic int64

// Duration is a duration in nanoseconds. It may be negative.
type Duration int64

// PID is a process id (the kernel's thread group id). Negative means unknown; 0 is
// the kernel's idle process.
type PID int32

// TID is a thread id (the kernel's pid). Negative means unknown; 0 is the idle
// thread of each processor.
type TID int32

// CPU is the number of a processor, counted from 0.
type CPU int32

// UnknownPID is the process id of a thread of an unknown process.
const UnknownPID PID = -1

// String returns the id in decimal, or "unknown".
func (p PID) String() string {
	if p < 0 {
		return "unknown"
	}
	return strconv.Itoa(int(p))
}

// MarshalJSON returns the id, or null if it is unknown.
func (p PID) MarshalJSON() ([]byte, error) {
	if p < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(p), 10), nil
}

// UnmarshalJSON parses an id; null is an unknown one.
func (p *PID) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*p = UnknownPID
		return nil
	}
	id, err := strconv.ParseInt(string(text), 10, 32)
	*p = PID(id)
	return err
}

// Common durations.
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
)

// Known reports whether t is known.
func (t Time) Known() bool { return t != 0 }

// Add returns the time d after t.
func (t Time) Add(d Duration) Time { return t + Time(d) }

// Sub returns the time from u to t.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// Since returns the time from u to t, as Sub does. Times come from traces and can have any value: the
// result saturates instead of overflowing.
func (t Time) Since(u Time) Duration {
	switch d := t.Sub(u); {
	case t > u && d < 0:
		return math.MaxInt64
	case t < u && d > 0:
		return math.MinInt64
	default:
		return d
	}
}

// String formats t in seconds with nine decimals.
func (t Time) String() string {
	sign, n := "", int64(t)
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%09d", sign, n/int64(Second), n%int64(Second))
}

// Abs returns the absolute value of d.
func (d Duration) Abs() Duration {
	if d < 0 {
		return -d
	}
	return d
}

// Milliseconds returns d as a number of milliseconds.
func (d Duration) Milliseconds() float64 { return float64(d) / float64(Millisecond) }

// String formats d like a time.Duration, such as "16.6ms", but "1h" instead of "1h0m0s".
func (d Duration) String() string {
	s := time.Duration(d).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}
