package stats

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// parts are the spans of the traces in one input, by start; none if there is only one
// trace. The time between them does not count. docs/frames.md 12.5
type parts []analyzer.Interval

func newParts(t *analyzer.Timeline) (list parts) {
	if len(t.Parts) < 2 {
		return nil
	}
	for _, p := range t.Parts {
		list = append(list, p.Span)
	}
	slices.SortFunc(list, func(a, b analyzer.Interval) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// apart reports whether a later time b belongs to another trace than a.
func (p parts) apart(a, b trace.Time) bool {
	i, _ := slices.BinarySearchFunc(p, a+1, func(span analyzer.Interval, at trace.Time) int { return cmp.Compare(span.Start, at) })
	i = max(i, 1)
	return i < len(p) && p[i].Start <= b
}

// observed returns the length of an interval without the time between traces.
func (p parts) observed(from, to trace.Time) trace.Duration {
	d := to.Since(from)
	last := to // the latest end of the traces so far
	for i, span := range p {
		if start, end := max(from, last), min(to, span.Start); i > 0 && start < end {
			d -= end.Since(start)
		}
		if i == 0 || span.End > last {
			last = span.End
		}
	}
	return d
}
