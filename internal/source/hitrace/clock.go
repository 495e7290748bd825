package hitrace

import (
	"bytes"

	"ohframe/analyzer/trace"
)

// maxUnix is the last wall-clock time that is read, in milliseconds since 1970: the year
// 2255.
const maxUnix = 9_000_000_000_000

var clockSync = []byte("trace_event_clock_sync:")

// ClockSync is the reading of another clock in a Sync marker. Absent values are zero.
type ClockSync struct {
	// Monotonic is CLOCK_MONOTONIC when the line was written. The writer
	// computes it in 32-bit floating point; Step is the resulting resolution.
	Monotonic trace.Monotonic
	Step      trace.Duration
	// Realtime is the wall clock when the line was written, in nanoseconds
	// since 1970.
	Realtime int64
}

// ParseClockSync reads the name of a Sync marker: "parent_ts=SECONDS" or
// "realtime_ts=MILLISECONDS".
func ParseClockSync(name []byte) (ClockSync, bool) {
	name = bytes.TrimSpace(name)
	if text, ok := bytes.CutPrefix(name, []byte("parent_ts=")); ok {
		if !bytes.Contains(text, []byte(".")) {
			text = append(bytes.Clone(text), ".0"...)
		}
		time, _, ok := parseTime(append(bytes.Clone(text), ':'), 0)
		if !ok || time > trace.MaxTime {
			return ClockSync{}, false
		}
		return ClockSync{Monotonic: trace.Monotonic(time), Step: float32Step(int64(time) / int64(trace.Second))}, true
	}
	if text, ok := bytes.CutPrefix(name, []byte("realtime_ts=")); ok {
		ms, ok := parseInt(text)
		if !ok || ms < 0 || ms > maxUnix {
			return ClockSync{}, false
		}
		return ClockSync{Realtime: ms * int64(trace.Millisecond)}, true
	}
	return ClockSync{}, false
}

// float32Step returns the distance between neighbouring 32-bit floating point
// numbers near the given number of seconds: 24 bits carry the whole number.
func float32Step(seconds int64) trace.Duration {
	step := trace.Second >> 23
	for n := seconds; n > 1; n >>= 1 {
		step *= 2
	}
	return max(step, trace.Microsecond)
}
