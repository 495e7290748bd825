package trace

import (
	"fmt"
	"strconv"
	"strings"
	"time"
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
		if d, err := time.ParseDuration(text); err == nil && d >= 0 {
			return Edge{set: true, relative: true, at: int64(d)}, nil
		}
		if t, ok := parseSeconds(text); ok {
			return Edge{set: true, relative: true, at: int64(t)}, nil
		}
	} else if t, ok := parseSeconds(s); ok {
		return Edge{set: true, at: int64(t)}, nil
	}
	return Edge{}, fmt.Errorf("%q is no trace time such as 13762.791708, nor a time from the start such as +1.5s", s)
}

// parseSeconds parses a trace time in seconds with up to nine decimals.
func parseSeconds(s string) (Time, bool) {
	whole, fraction, dot := strings.Cut(s, ".")
	if dot && fraction == "" || len(fraction) > 9 || len(whole) > 10 {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", 9-len(fraction)), 10, 64)
	return Time(n), err == nil && whole != "" && n <= MaxTime
}

// String formats the edge as ParseEdge parses it.
func (e Edge) String() string {
	switch {
	case !e.set:
		return ""
	case e.relative:
		return "+" + Duration(e.at).String()
	}
	return Time(e.at).String()
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
func (w Window) Bounds(start Time) (from, to Time) {
	const last = Time(1<<63 - 1)
	resolve := func(e Edge, otherwise Time) Time {
		switch {
		case !e.set:
			return otherwise
		case e.relative:
			if at := start.Add(Duration(e.at)); at >= start {
				return at
			}
			return last // the sum overflowed
		}
		return Time(e.at)
	}
	return resolve(w.From, 0), resolve(w.To, last)
}
