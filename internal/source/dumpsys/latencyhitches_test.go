package dumpsys_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/testing/must"
)

// shown is a frame of a made dump, in microseconds.
type shown struct{ desired, present, ready int64 }

// made is a dump of a layer at 100 Hz.
func made(name string, frames ...shown) string {
	var b strings.Builder
	if name != "" {
		fmt.Fprintln(&b, name)
	}
	fmt.Fprintln(&b, 10_000_000)
	for _, f := range frames {
		fmt.Fprintln(&b, 1000*f.desired, 1000*f.present, 1000*f.ready)
	}
	return b.String()
}

// hitches describes the hitches of each process of a dump: SurfaceFlinger and then
// the layers.
func hitches(t *testing.T, text string) string {
	t.Helper()
	timeline, _ := readLatency(t, text, dumpsys.Options{})
	report := stats.Compute(timeline, stats.Options{})
	slices.SortStableFunc(report.Processes, func(a, b *stats.Process) int { return cmp.Compare(b.Kind, a.Kind) })
	var list []string
	for _, p := range report.Processes {
		if h := p.Hitches; h == nil {
			list = append(list, "–")
		} else {
			list = append(list, fmt.Sprintf("%d of %d: %s, %d lost", h.Hitches, h.Gaps, h.Hitch, h.LostFrames))
		}
	}
	return strings.Join(list, " | ")
}

// Times are in microseconds, the period is 10 ms.
func TestHitches(t *testing.T) {
	layer := func(frames ...shown) []shown { return frames }
	const none = 0
	for _, test := range []struct {
		name   string
		frames []shown
		want   string
	}{
		{"steady", layer(shown{1000, 21000, 5000}, shown{11000, 31000, 15000}, shown{21000, 41000, 25000}),
			"0 of 2: 0s, 0 lost"},
		{"one slow frame", layer(shown{1000, 21000, 5000}, shown{11000, 61000, 45000}, shown{55000, 71000, 59000}),
			"1 of 2: 30ms, 3 lost"},
		{"shown late by SurfaceFlinger", layer(shown{1000, 21000, 5000}, shown{11000, 51000, 15000}),
			"1 of 1: 20ms, 2 lost"},
		// Half the rate, or twice the time for each frame.
		{"queued on every other vsync", layer(shown{1000, 21000, 5000}, shown{21000, 41000, 25000}, shown{41000, 61000, 45000}), "–"},
		{"a pause and then a slow frame", layer(shown{1000, 21000, 5000}, shown{501000, 561000, 545000}), "–"},
		{"a gap in which a frame can only just be lost", layer(shown{1000, 21000, 5000}, shown{101000, 37999, 15000}),
			"0 of 1: 0s, 0 lost"},
		{"one in which it can", layer(shown{1000, 21000, 5000}, shown{101000, 38000, 15000}), "–"},

		{"no desired time", layer(shown{1000, 21000, 5000}, shown{none, 61000, 45000}), "–"},
		{"none before", layer(shown{none, 21000, 5000}, shown{11000, 61000, 45000}), "–"},
		{"none at all", layer(shown{none, 21000, none}, shown{none, 61000, none}), "–"},
		{"none at all and no long gap", layer(shown{none, 21000, none}, shown{none, 31000, none}), "0 of 1: 0s, 0 lost"},
		{"shown before it was desired", layer(shown{41000, 21000, 5000}, shown{43000, 61000, 45000}), "–"},

		// One and a half periods leave no room for an idle half period.
		{"queued just within one and a half periods", layer(shown{1000, 21000, 5000}, shown{15999, 61000, 45000}),
			"1 of 1: 30ms, 3 lost"},
		{"queued after them", layer(shown{1000, 21000, 5000}, shown{16000, 61000, 45000}), "–"},
		{"queued within them after a frame that took a period", layer(shown{1000, 31000, 11000}, shown{25999, 61000, 45000}),
			"1 of 1: 20ms, 2 lost"},
		{"after one that took less", layer(shown{1000, 31000, 10999}, shown{25999, 61000, 45000}), "–"},
		{"after one that was shown before it was ready", layer(shown{1000, 21000, 45000}, shown{35999, 61000, 45000}),
			"1 of 1: 30ms, 3 lost"},
		{"after one that was shown long before", layer(shown{1000, 21000, 45000}, shown{36000, 61000, 45000}), "–"},
	} {
		want := test.want + " | " + test.want // of SurfaceFlinger and of the layer
		must.Equal(t, hitches(t, made("", test.frames...)), want, "%s", test.name)
	}
}

// A layer that asks for present times is idle until the time that it asks for.
func TestHitchesOfDesiredTimes(t *testing.T) {
	// Every other vsync, and each frame ready 15 ms before its time.
	every := func(n int, edit func(i int, f *shown)) (frames []shown) {
		for i := range n {
			at := int64(100_000 + 20_000*i)
			f := shown{at, at + 2000, at - 15_000}
			if edit != nil {
				edit(i, &f)
			}
			frames = append(frames, f)
		}
		return frames
	}
	for _, test := range []struct {
		name string
		edit func(i int, f *shown)
		want string
	}{
		// An application at half the rate: 9 gaps of 20 ms, with nothing due for a period in each.
		{"half the rate", nil, "0 of 9: 0s, 0 lost"},
		// The frame of 200 is shown at 222, 40 ms after the one before. It was wanted
		// 18 ms after that: 40 − 10 − 18. The next one of 220 is shown at 232, and then
		// all is well from 242 on.
		{"one slow frame", func(i int, f *shown) {
			switch i {
			case 5:
				f.present, f.ready = f.desired+22_000, f.desired+15_000
			case 6:
				f.present, f.ready = f.desired+12_000, f.desired-2000
			}
		}, "1 of 9: 12ms, 1 lost"},
		{"half of the frames in time", func(i int, f *shown) {
			if i < 5 {
				f.ready = f.desired
			}
		}, "0 of 9: 0s, 0 lost"},
		{"less than half in time", func(i int, f *shown) {
			if i < 6 {
				f.ready = f.desired
			}
		}, "–"},
		{"ready half a period before", func(i int, f *shown) { f.ready = f.desired - 5000 }, "0 of 9: 0s, 0 lost"},
		{"ready less than that before", func(i int, f *shown) { f.ready = f.desired - 4999 }, "–"},
		{"shown a period after", func(i int, f *shown) { f.present = f.desired + 10_000 }, "0 of 9: 0s, 0 lost"},
		{"shown more than that after", func(i int, f *shown) { f.present = f.desired + 10_001 }, "–"},
	} {
		want := test.want + " | " + test.want
		must.Equal(t, hitches(t, made("", every(10, test.edit)...)), want, "%s", test.name)
	}
}

// SurfaceFlinger's own gaps are between the frames of any layer. One that it shows
// late is a hitch if any of the layers in it is known to have waited.
func TestHitchesOfLayers(t *testing.T) {
	a := []shown{{1000, 21000, 5000}, {11000, 31000, 15000}, {21000, 71000, 55000}} // 30 ms too late
	for _, test := range []struct {
		name  string
		other []shown
		want  string
	}{
		{"idle until the other is shown", []shown{{1000, 31000, 5000}, {54000, 71000, 57000}},
			"1 of 2: 30ms, 3 lost | 1 of 2: 30ms, 3 lost | –"},
		{"one frame", []shown{{54000, 71000, 57000}},
			"1 of 2: 30ms, 3 lost | 1 of 2: 30ms, 3 lost"},
		// The display changes at 51, too: until then nothing is known to have waited.
		{"shown between", []shown{{34000, 51000, 37000}},
			"– | 1 of 2: 30ms, 3 lost"},
		// 31 to 51 is slow, 51 to 71 as well.
		{"slow and shown between", []shown{{1000, 31000, 5000}, {11000, 51000, 15000}},
			"2 of 3: 20ms, 2 lost | 1 of 2: 30ms, 3 lost | 1 of 1: 10ms, 1 lost"},
		// Long after the others.
		{"shown later", []shown{{500000, 521000, 505000}},
			"– | 1 of 2: 30ms, 3 lost"},
	} {
		got := hitches(t, made("a", a...)+made("b", test.other...))
		if len(test.other) == 1 {
			got = strings.TrimSuffix(got, " | –")
		}
		must.Equal(t, got, test.want, "%s", test.name)
	}
	// If two layers ask for times, the one that was wanted first counts: nothing
	// was due for 20 or 10 ms of the gap of 40 ms.
	first := shown{20000, 20000, 5000}
	want := "1 of 1: 20ms, 2 lost | 1 of 1: 10ms, 1 lost | 1 of 1: 20ms, 2 lost"
	must.Equal(t, hitches(t, made("a", first, shown{40000, 60000, 5000})+made("b", first, shown{30000, 60000, 5000})), want, "layers that ask for times")
}

// A dump has neither process ids nor stages, and a present time is no work.
func TestDumpInventsNothing(t *testing.T) {
	timeline, _ := readLatency(t, "layer\n10000000\n1000000000 1020000000 1010000000\n1010000000 1030000000 1020000000\n", dumpsys.Options{})
	report := stats.Compute(timeline, stats.Options{})
	frames := stats.NewFrames(timeline)
	if len(report.Processes) != 2 {
		t.Fatalf("%d processes", len(report.Processes))
	}
	for _, p := range report.Processes {
		if p.PID != trace.UnknownPID || len(p.Stages) != 0 || (p.Durations != nil) != (p.Kind == stats.Application) || len(frames.Of(p)) != 2 {
			t.Errorf("%s: pid %s, stages %v, durations %v, %d frames", p.Name, p.PID, p.Stages, p.Durations, len(frames.Of(p)))
		}
	}
}
