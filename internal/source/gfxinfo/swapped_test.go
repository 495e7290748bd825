package gfxinfo_test

import (
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/gfxinfo"
)

// Whether FrameInterval and FrameStartTime have each other's values is decided
// for each table by most of its rows. Here the columns are named as Android 12 to
// 14 name them, the interval is 10 ms, and times are ms.
func TestSwappedColumns(t *testing.T) {
	const columns = "Flags IntendedVsync FrameCompleted FrameInterval FrameStartTime"
	straight := func(vsync float64) []float64 { return []float64{0, vsync, vsync + 5, 10, vsync + 1} }
	swapped := func(vsync float64) []float64 { return []float64{0, vsync, vsync + 5, vsync + 1, 10} }
	flagged := func(r []float64) []float64 { r[0] = 4; return r }
	unfinished := func(r []float64) []float64 { r[2] = 0; return r }
	for name, test := range map[string]struct {
		rows []([]float64)
		want []trace.Duration // of each frame, in ms
	}{
		"straight":             {[][]float64{straight(5e6), straight(5e6 + 10)}, []trace.Duration{10, 10}},
		"swapped":              {[][]float64{swapped(5e6), swapped(5e6 + 10)}, []trace.Duration{10, 10}},
		"one row":              {[][]float64{swapped(5e6)}, []trace.Duration{10}},
		"one ms":               {[][]float64{{0, 5e6, 5e6 + 5, 5e6, 1}}, []trace.Duration{1}},
		"less than one ms":     {[][]float64{{0, 5e6, 5e6 + 5, 5e6, 0.999}}, []trace.Duration{0}},
		"10 s late":            {[][]float64{{0, 5e6, 5e6 + 5, 5e6 + 10_000, 20}}, []trace.Duration{20}},
		"more than 10 s away":  {[][]float64{{0, 5e6, 5e6 + 5, 5e6 + 10_001, 20}}, []trace.Duration{0}},
		"more than 1 s":        {[][]float64{straight(5e6), {0, 5e6 + 30, 5e6 + 35, 5e6 + 31, 1001}, {0, 5e6 + 60, 5e6 + 65, 5e6 + 61, 1001}}, []trace.Duration{10, 10, 10}},
		"no interval":          {[][]float64{{0, 5e6, 5e6 + 5, 5e6 + 1, 0}, {0, 5e6 + 10, 5e6 + 15, 5e6 + 11, -1e-6}}, []trace.Duration{10, 10}}, // by vsyncs
		"no start":             {[][]float64{{0, 5e6, 5e6 + 5, 0, 10}}, []trace.Duration{0}},
		"after boot, straight": {[][]float64{straight(200), straight(250)}, []trace.Duration{10, 10}},
		"after boot, swapped":  {[][]float64{swapped(200), swapped(250)}, []trace.Duration{10, 10}},
		// The odd row is read as the others are: its interval is the one of the window.
		"an odd row in a swapped table":  {[][]float64{swapped(5e6), {0, 5e6 + 30, 5e6 + 35, 20, 5e6 + 31}, swapped(5e6 + 60)}, []trace.Duration{10, 10, 10}},
		"an odd row in a straight table": {[][]float64{straight(5e6), {0, 5e6 + 30, 5e6 + 35, 5e6 + 31, 20}, straight(5e6 + 60)}, []trace.Duration{10, 10, 10}},
		"as many as not":                 {[][]float64{straight(5e6), {0, 5e6 + 30, 5e6 + 35, 5e6 + 31, 20}}, []trace.Duration{10, 10}},
		"no votes but of other rows":     {[][]float64{flagged(swapped(5e6)), unfinished(swapped(5e6 + 30)), {0, 5e6 + 60, 5e6 + 65, 0, 20}}, []trace.Duration{20}},
	} {
		timeline, dump := read(t, table(columns, test.rows...), gfxinfo.Options{})
		var got []trace.Duration
		for _, f := range timeline.Frames {
			got = append(got, f.Period/trace.Millisecond)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: periods %v, want %v", name, got, test.want)
		}
		if w := dump.Processes[0].Windows[0]; test.want[0] > 0 && w.Interval != test.want[0]*trace.Millisecond {
			t.Errorf("%s: interval %s", name, w.Interval)
		}
	}
}

// A dump may contain tables of several windows. Each window has its own order, and
// the tables of one window may be dumped again and again or end in the middle.
func TestSwappedTables(t *testing.T) {
	const columns = "Flags IntendedVsync FrameCompleted FrameInterval FrameStartTime"
	old, next := []float64{0, 5e6, 5e6 + 5, 5e6 + 1, 20}, []float64{0, 5e6 + 20, 5e6 + 25, 5e6 + 21, 10}
	straight := table(columns, []float64{0, 6e6, 6e6 + 5, 8, 6e6})
	text := "Window: a\n" + table(columns, old) + "Window: b\n" + straight + "Window: a\n" + strings.TrimSuffix(table(columns, old, next), "---PROFILEDATA---\n")
	timeline, dump := read(t, text, gfxinfo.Options{})
	if a := dump.Processes[0].Windows[0]; a.Frames != 2 || a.Repeated != 1 || !dump.Cut {
		t.Errorf("window a is %+v", a)
	}
	var got []trace.Duration
	for _, f := range timeline.Frames {
		got = append(got, f.Period/trace.Millisecond)
	}
	if want := []trace.Duration{20, 10, 8}; !slices.Equal(got, want) {
		t.Errorf("periods %v, want %v", got, want)
	}
}
