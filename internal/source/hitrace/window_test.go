package hitrace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// A window has its first edge in it and its last one not.
func TestWindow(t *testing.T) {
	var text strings.Builder
	for i := range 5 { // lines 1 to 5 at 100 to 104 s
		fmt.Fprintf(&text, " a-1 (1) [000] .... %d.000000: print: E\n", 100+i)
	}
	text.WriteString("no line\n")
	for _, test := range []struct {
		from, to string
		want     []int
	}{
		{"", "", []int{1, 2, 3, 4, 5}},
		{"102", "", []int{3, 4, 5}},
		{"102.000000001", "", []int{4, 5}},
		{"", "102", []int{1, 2}},
		{"", "102.000000001", []int{1, 2, 3}},
		{"101", "103", []int{2, 3}},
		{"+1s", "+3s", []int{2, 3}},
		{"+0s", "", []int{1, 2, 3, 4, 5}},
		{"103", "101", nil},
		{"101", "101", nil},
		{"200", "", nil},
	} {
		var window trace.Window
		var err error
		window.From = must.Get(trace.ParseEdge(test.from))(t)
		window.To = must.Get(trace.ParseEdge(test.to))(t)
		events, totals, err := drain(strings.NewReader(text.String()), hitrace.Options{Window: window})
		if err != nil || !slices.Equal(events, test.want) {
			t.Errorf("from %q to %q: lines %v, %v, want %v", test.from, test.to, events, err, test.want)
		}
		if totals.Lines != 6 || totals.Events != len(test.want) || totals.Outside != 5-len(test.want) || totals.Problems.Lost() != 1 {
			t.Errorf("from %q to %q: %d lines, %d events, %d lost, want 6, %d, 1", test.from, test.to, totals.Lines, totals.Events, totals.Problems.Lost(), len(test.want))
		}
	}
}
