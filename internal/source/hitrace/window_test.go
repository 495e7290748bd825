package hitrace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

func TestParseEdge(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "13762.791708": "13762.791708000", "13762.791708001": "13762.791708001", "13762": "13762.000000000", "0.5": "0.500000000",
		"+1.5s": "+1.5s", "+0s": "+0s", "+250ms": "+250ms",
	} {
		if got, err := hitrace.ParseEdge(text); err != nil || got.String() != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "1.", ".5", "-1", "+1", "+-1s", "+", "1.0:", "1.0000000001", "9000000001", "1s", " 1"} {
		if got, err := hitrace.ParseEdge(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %q, %v, want an error that names it", text, got, err)
		}
	}
}

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
		var window hitrace.Window
		var err error
		if window.From, err = hitrace.ParseEdge(test.from); err != nil {
			t.Fatal(err)
		}
		if window.To, err = hitrace.ParseEdge(test.to); err != nil {
			t.Fatal(err)
		}
		events, totals, err := drain(strings.NewReader(text.String()), hitrace.Options{Window: window})
		if err != nil || !slices.Equal(events, test.want) {
			t.Errorf("from %q to %q: lines %v, %v, want %v", test.from, test.to, events, err, test.want)
		}
		if totals.Lines != 6 || totals.Events != len(test.want) || totals.Outside != 5-len(test.want) || totals.Problems.Lost() != 1 {
			t.Errorf("from %q to %q: %d lines, %d events, %d lost, want 6, %d, 1", test.from, test.to, totals.Lines, totals.Events, totals.Problems.Lost(), len(test.want))
		}
	}
}

// Times beyond the last one that can be represented are that last one.
func TestWindowBounds(t *testing.T) {
	const last = trace.Time(1<<63 - 1)
	edge := func(text string) hitrace.Edge {
		e, err := hitrace.ParseEdge(text)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, test := range []struct {
		from, to          string
		start, first, end trace.Time
	}{
		{"", "", 100, 0, last},
		{"+1ns", "+5ns", 100, 101, 105},
		{"0.000000007", "+2562047h47m", 0, 7, trace.Time(2562047*time.Hour + 47*time.Minute)},
		{"", "+2562047h47m", 100 * trace.Time(trace.Second), 0, last},
		{"+2562047h47m", "", 100 * trace.Time(trace.Second), last, last},
		{"", "+1ns", last - 1, 0, last},
		{"", "+1ns", last, 0, last},
		{"+1s", "+2s", -3 * trace.Time(trace.Second), -2 * trace.Time(trace.Second), -1 * trace.Time(trace.Second)},
	} {
		first, end := hitrace.Window{From: edge(test.from), To: edge(test.to)}.Bounds(test.start)
		if first != test.first || end != test.end {
			t.Errorf("from %q to %q, start %d: %d to %d, want %d to %d", test.from, test.to, test.start, first, end, test.first, test.end)
		}
	}
}
