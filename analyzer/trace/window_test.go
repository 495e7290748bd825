package trace_test

import (
	"strings"
	"testing"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

func TestParseEdge(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "13762.791708": "13762.791708000", "13762.791708001": "13762.791708001", "13762": "13762.000000000", "0.5": "0.500000000",
		"+1.5s": "+1.5s", "+0s": "+0s", "+0.1": "+100ms", "+3600": "+1h", "+250ms": "+250ms",
	} {
		if got, err := trace.ParseEdge(text); err != nil || got.String() != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "1.", ".5", "-1", "+-1s", "+-1", "+1.", "+", "1.0:", "1.0000000001", "9000000001", "1s", " 1"} {
		if got, err := trace.ParseEdge(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %q, %v, want an error that names it", text, got, err)
		}
	}
}

// Times beyond the last one that can be represented are that last one.
func TestWindowBounds(t *testing.T) {
	const last = trace.Time(1<<63 - 1)
	edge := func(text string) trace.Edge {
		e := must.Get(trace.ParseEdge(text))(t)
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
		first, end := trace.Window{From: edge(test.from), To: edge(test.to)}.Bounds(test.start)
		if first != test.first || end != test.end {
			t.Errorf("from %q to %q, start %d: %d to %d, want %d to %d", test.from, test.to, test.start, first, end, test.first, test.end)
		}
	}
}
