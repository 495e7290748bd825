package timeline

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// Of findings that overlap, the track of all processes has the one that lost most.
func TestWorstOf(t *testing.T) {
	at := func(from, to, lost int) finding {
		return finding{Interval: analyzer.Interval{Start: trace.Time(from), End: trace.Time(to)}, lost: trace.Duration(lost)}
	}
	for _, test := range []struct {
		name  string
		list  []finding
		shown []int
	}{
		{"apart, and touching", []finding{at(0, 10, 1), at(10, 20, 2), at(30, 40, 1)}, []int{0, 1, 2}},
		{"the later lost more", []finding{at(0, 10, 1), at(5, 20, 2)}, []int{1}},
		{"the earlier lost more", []finding{at(0, 10, 2), at(5, 20, 1)}, []int{0}},
		{"both lost the same", []finding{at(0, 10, 1), at(5, 20, 1)}, []int{0}},
		{"a third after the one left out", []finding{at(0, 10, 2), at(5, 20, 1), at(10, 12, 1)}, []int{0, 2}},
	} {
		worst := worstOf(test.list)
		var shown []int
		for i := range test.list {
			if !test.list[i].hidden {
				shown = append(shown, i)
			}
		}
		must.EqualSlices(t, shown, test.shown, test.name)
		must.Equal(t, len(worst), len(shown), test.name)
		for i, w := range worst {
			must.Equal(t, w, &test.list[shown[i]], test.name)
		}
	}
}
