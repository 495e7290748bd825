package hitrace

import (
	"fmt"
	"strings"
	"time"

	"ohframe/analyzer/trace"
)

// Edge is a beginning or an end of a window: a trace time, or a duration from the
// trace's first event. The zero Edge is unset.
type Edge struct {
	set      bool
	relative bool
	at       int64 // nanoseconds
}

// ParseEdge parses a trace time as lines print it, "13762.791708", or a duration
// from the start, "+1.5s". The empty string is no edge.
func ParseEdge(s string) (Edge, error) {
	if s == "" {
		return Edge{}, nil
	}
	if text, ok := strings.CutPrefix(s, "+"); ok {
		d, err := time.ParseDuration(text)
		if err == nil && d >= 0 {
			return Edge{set: true, relative: true, at: int64(d)}, nil
		}
	} else {
		text := s
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		if t, end, ok := parseTime([]byte(text+":"), 0); ok && end == len(text)+1 && t <= trace.MaxTime {
			return Edge{set: true, at: int64(t)}, nil
		}
	}
	return Edge{}, fmt.Errorf("%q is no trace time such as 13762.791708, nor a time from the start such as +1.5s", s)
}

// String formats the edge as ParseEdge parses it.
func (e Edge) String() string {
	switch {
	case !e.set:
		return ""
	case e.relative:
		return "+" + time.Duration(e.at).String()
	}
	return trace.Time(e.at).String()
}

// Window selects a part of a trace: from From on and before To. Lines outside are read,
// too, because those inside depend on them: clocks, names, the beginnings and ends of
// frames.
type Window struct {
	From, To Edge
}

// IsEmpty reports whether the window is empty for every trace.
func (w Window) IsEmpty() bool {
	return w.From.set && w.To.set && w.From.relative == w.To.relative && w.From.at >= w.To.at
}

// IsOpen reports whether the window contains every trace.
func (w Window) IsOpen() bool { return !w.From.set && !w.To.set }

// Bounds returns the window's ends in a trace that starts at start. An end beyond
// the last time that can be represented is that time.
func (w Window) Bounds(start trace.Time) (from, to trace.Time) {
	const last = trace.Time(1<<63 - 1)
	resolve := func(e Edge, otherwise trace.Time) trace.Time {
		switch {
		case !e.set:
			return otherwise
		case e.relative:
			if at := start.Add(trace.Duration(e.at)); at >= start {
				return at
			}
			return last // the sum overflowed
		}
		return trace.Time(e.at)
	}
	return resolve(w.From, 0), resolve(w.To, last)
}

// markOutside marks the events outside the window and returns their number.
func (w Window) markOutside(events []Event, start trace.Time) int {
	if w.IsOpen() {
		return 0
	}
	from, to := w.Bounds(start)
	outside := 0
	for i := range events {
		if t := events[i].Time; t < from || t >= to {
			events[i].Outside = true
			outside++
		}
	}
	return outside
}
