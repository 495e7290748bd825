package rating

import (
	"fmt"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// Doubtful reports whether the measures of a trace of this quality are probably wrong. q may be nil.
// A trace without frames has none.
func Doubtful(q *stats.Quality) bool { return doubt(q) != "" }

// doubt returns the first reason why measures are probably wrong, empty without one.
func doubt(q *stats.Quality) (reason string) {
	if q == nil {
		return ""
	}
	for _, r := range q.Reasons {
		if r.Code == "no_frames" {
			return ""
		}
		if r.Verdict == stats.Unreliable && reason == "" {
			reason = r.Text
		}
	}
	return reason
}

// Doubt is the first clause of a summary: it says which inputs are unreliable, so that nobody takes
// their numbers for facts; empty if none is. The rest of the summary is about the others.
func Doubt(inputs []*stats.Quality) string {
	n, reason := 0, ""
	for _, q := range inputs {
		if r := doubt(q); r != "" {
			if n++; n == 1 {
				reason = r
			}
		}
	}
	switch {
	case n == 0:
		return ""
	case len(inputs) == 1:
		return "unreliable, the numbers are probably wrong: " + reason
	case n == 1:
		return fmt.Sprintf("1 of %d inputs is unreliable, its numbers are probably wrong: %s", len(inputs), reason)
	}
	return fmt.Sprintf("%d of %s are unreliable, their numbers are probably wrong", n, text.Count(len(inputs), "input"))
}
