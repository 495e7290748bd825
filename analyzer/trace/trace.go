// Package trace holds the units that every other package speaks in: times,
// durations and the ids of processes, threads and processors. It knows no file
// format and no frames.
package trace

import (
	"fmt"
	"time"
)

// Time is a point on a trace's own clock, in nanoseconds. A captured line
// carries it as seconds and a fraction; which clock that is depends on how the
// trace was recorded (boot time by default) and is not written in the text.
// Zero is not a valid time: no device records at the instant of its boot, so
// zero stands for "not known".
type Time int64

// Monotonic is a point on CLOCK_MONOTONIC, in nanoseconds: the clock in which
// the system states when a vsync was due. It stands still while the device
// sleeps, so it differs from a trace's own clock by a constant at best. Zero
// means not known.
type Monotonic int64

// Duration is a length of time in nanoseconds. It may be negative.
type Duration int64

// PID is a process id (the kernel's thread group id). Negative means unknown;
// zero is the kernel's idle process.
type PID int32

// TID is a thread id (the kernel's pid). Negative means unknown. Zero is the
// idle thread, of which each processor has one.
type TID int32

// CPU is the number of a processor, counted from zero.
type CPU int32

// UnknownPID is the process id of a thread whose process the trace does not tell.
const UnknownPID PID = -1

// Common lengths of time.
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
)

// Known reports whether t is a point in time at all.
func (t Time) Known() bool { return t != 0 }

// Add returns the time d after t.
func (t Time) Add(d Duration) Time { return t + Time(d) }

// Sub returns the time from u to t.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// String prints t as a trace line does: seconds with nine digits of fraction.
func (t Time) String() string {
	sign, n := "", int64(t)
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%09d", sign, n/int64(Second), n%int64(Second))
}

// Abs returns the length of d without its sign.
func (d Duration) Abs() Duration {
	if d < 0 {
		return -d
	}
	return d
}

// Milliseconds returns d as a number of milliseconds.
func (d Duration) Milliseconds() float64 { return float64(d) / float64(Millisecond) }

// String prints d as Go's own durations are printed, for example "16.6ms".
func (d Duration) String() string { return time.Duration(d).String() }
