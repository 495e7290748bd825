package hitrace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/tracetest"
)

// A line whose time is more than ten minutes from all around it is astray; a
// device that slept for longer goes on with the new time.
func TestStrays(t *testing.T) {
	const minute = 60
	// repeat returns n lines of one time, in seconds.
	repeat := func(n, seconds int) []int { return slices.Repeat([]int{seconds}, n) }
	for _, test := range []struct {
		name   string
		times  []int
		strays []int // numbers of the lines dropped
	}{
		{"none", repeat(20, 1000), nil},
		{"one line", repeat(1, 1000), nil},
		{"steps of ten minutes, after the first", slices.Concat(repeat(9, 1000), []int{1600, 2200, 2800, 3400, 4000, 4600, 5200, 5800, 6400}), nil},
		{"first two", slices.Concat(repeat(2, 50000), repeat(20, 1000)), []int{1, 2}},
		{"first", slices.Concat(repeat(1, 50000), repeat(20, 1000)), []int{1}},
		{"first, from before", slices.Concat(repeat(1, 1), repeat(20, 50000)), []int{1}},
		{"middle", slices.Concat(repeat(10, 1000), repeat(1, 50000), repeat(10, 1000)), []int{11}},
		{"middle, from before", slices.Concat(repeat(10, 50000), repeat(1, 1), repeat(10, 50000)), []int{11}},
		{"last", slices.Concat(repeat(20, 1000), repeat(1, 50000)), []int{21}},
		{"several", slices.Concat(repeat(1, 90000), repeat(10, 1000), repeat(2, 50000), repeat(10, 1000), repeat(1, 7000)), []int{1, 12, 13, 24}},
		{"ten minutes and a second", slices.Concat(repeat(10, 1000), repeat(1, 1000+10*minute+1), repeat(10, 1000)), []int{11}},
		{"ten minutes", slices.Concat(repeat(10, 1000), repeat(1, 1000+10*minute), repeat(10, 1000)), nil},
		{"sleep", slices.Concat(repeat(10, 1000), repeat(10, 50000)), nil},
		{"sleep, few lines left", slices.Concat(repeat(10, 1000), repeat(5, 50000)), nil},
		{"clock set back", slices.Concat(repeat(10, 50000), repeat(10, 1000)), nil},
		{"astray after a sleep", slices.Concat(repeat(10, 1000), repeat(10, 50000), repeat(1, 1000), repeat(10, 50000)), []int{21}},
	} {
		var text strings.Builder
		for _, seconds := range test.times {
			fmt.Fprintf(&text, " a-1 (1) [000] .... %d.000000: print: E\n", seconds)
		}
		events, totals, err := drain(strings.NewReader(text.String()), hitrace.Options{})
		must.NoError(t, err, "%s", test.name)
		var want []int
		for i := range test.times {
			if !slices.Contains(test.strays, i+1) {
				want = append(want, i+1)
			}
		}
		if !slices.Equal(events, want) {
			t.Errorf("%s: lines %v are events, want all but %v", test.name, events, test.strays)
		}
		if totals.Problems.Lost() != len(test.strays) || totals.Events != len(want) {
			t.Errorf("%s: problems %v, %d events, want %d astray", test.name, totals.Problems.Counts(), totals.Events, len(test.strays))
		}
	}
}

// What precedes a stray line does not leak into the event that replaces it.
func TestStraysKeepTheRest(t *testing.T) {
	lines := strings.Repeat(" a-1 (1) [000] .... 1.000000: print: E\n", 9)
	text := " b-2 (2) [002] .... 99999.000000: print: B|2|H:UV_TRACE\n c-3 (3) [003] .... 1.000000: print: S|3|H:M: Frame queued|4|M62\n" + lines
	e := tracetest.Events(t, text)[0]
	if e.Number != 2 || e.TID != 3 || e.CPU != 3 || string(e.Comm) != "c" || e.Word != hitrace.FrameQueued || e.Marker.Value != 4 {
		t.Errorf("the first event is %+v", e)
	}
}

// Several stray lines in a row are stray, too, if time comes back after them.
func TestStrayRun(t *testing.T) {
	text := ""
	for i := range 300 {
		seconds := 1000
		if i >= 100 && i < 120 {
			seconds = 90000
		}
		text += fmt.Sprintf(" a-1 (1) [000] .... %d.%06d: print: B|1|H:x|M62\n", seconds, i)
	}
	totals := must.Get(hitrace.Run(t.Context(), strings.NewReader(text), hitrace.Options{}, hitrace.Sink{Track: func(int, *hitrace.Batch) {}}))(t)
	if counts := totals.Problems.Counts(); len(counts) != 1 || counts[0].Problem != hitrace.StrayTime || counts[0].Total != 20 {
		t.Errorf("problems are %v, want 20 stray lines", counts)
	}
}
