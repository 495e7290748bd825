package dumpsys_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/testing/must"
)

func readLatency(t testing.TB, text string, options dumpsys.Options) (*analyzer.Timeline, *dumpsys.Latency) {
	t.Helper()
	timeline, stats := must.Get2(dumpsys.ReadLatency(t.Context(), strings.NewReader(text), options))(t)
	must.NoError(t, timeline.Validate())
	return timeline, stats
}

// 60 Hz. The slot never used, a frame, one that came a vsync late, one queued
// ahead of time whose ready time is not known, and two that wait.
const dump = `16666667
0	0	0
1000000000	1030000000	1012000000
1016666667	1063333334	1020000000
1200000000	1080000001	9223372036854775807
1066666668	9223372036854775807	1070000000
1083333335	9223372036854775807	9223372036854775807

`

func TestRead(t *testing.T) {
	for _, text := range []string{dump, strings.ReplaceAll(dump, "\n", "\r\n"), strings.ReplaceAll(dump, "\t", "   "), strings.TrimSpace(dump)} {
		if !dumpsys.SniffLatency([]byte(text)) {
			t.Error("not recognized as a dump")
		}
		timeline, stats := readLatency(t, text, dumpsys.Options{})
		must.Equal(t, stats.Damaged, 0, "damaged lines")
		want := []string{
			"app 0 layer 2/2 actual 1000000000..1012000000 period 16666667 sent 1 render 0",
			"render 0 /system/bin/surfaceflinger 1/1 actual 1012000000..1030000000 period 16666667 takes 2/0 present 1030000000",
			"app 0 layer 2/2 actual 1016666667..1020000000 period 16666667 sent 2 render 0",
			"render 0 /system/bin/surfaceflinger 1/1 actual 1020000000..1063333334 period 16666667 takes 2/0 present 1063333334",
			"render 0 /system/bin/surfaceflinger 1/1 actual 1080000001..1080000001 period 16666667 takes 2/0 present 1080000001",
			"app 0 layer 2/2 actual 1080000001..1080000001 period 16666667 sent 3 render 0",
		}
		if len(timeline.Frames) != len(want) {
			t.Fatalf("%d frames, want %d:\n%s", len(timeline.Frames), len(want), timeline)
		}
		for i, f := range timeline.Frames {
			must.Equal(t, f.String(), want[i], "frame %d is", i)
		}
		must.Equal(t, timeline.Span, (analyzer.Interval{Start: 1_000_000_000, End: 1_080_000_001}), "span")
		l := stats.Layers[0]
		if len(stats.Layers) != 1 || l.Pending != 3 || l.Dumps != 1 || l.Period != 16_666_667 || !slices.Equal(diag.Texts(stats.Warnings()), []string{`2 frames not shown yet skipped: "layer"`}) {
			t.Errorf("%+v", l)
		}
		if got := timeline.Frames[5].Android.Latency; got.Desired != 1_200_000_000 || got.Ready.Known() || got.Layer != "layer" {
			t.Errorf("%+v", got)
		}
		if got := timeline.Frames[2].Android.Latency; got.Desired != 1_016_666_667 || got.Ready != 1_020_000_000 {
			t.Errorf("%+v", got)
		}
	}
}

// present returns the present times of the render frames that took a process's
// frames, or of all if the name is empty, each once.
func present(t *analyzer.Timeline, name string) string {
	var list []string
	for _, f := range t.Frames {
		takes := name == ""
		for _, a := range f.Applications {
			takes = takes || a.Process.Name == name
		}
		if f.Kind == analyzer.RenderFrame && takes {
			list = append(list, fmt.Sprint(int64(f.Present)))
		}
	}
	return strings.Join(list, " ")
}

// Two layers with names; one present time is both layers'.
func TestLayers(t *testing.T) {
	const two = `$ dumpsys SurfaceFlinger --latency
com.example/com.example.Main#0
11111111
2000	3000	2600
2100	4000	3500

StatusBar#0
11111111
2050	3000	2500
2900	6000	5500
`
	timeline, stats := readLatency(t, two, dumpsys.Options{})
	for name, want := range map[string]string{
		"": "3000 4000 6000", "com.example/com.example.Main#0": "3000 4000", "StatusBar#0": "3000 6000",
	} {
		must.Equal(t, present(timeline, name), want, "%q is shown at", name)
	}
	if len(stats.Layers) != 2 || stats.Damaged != 0 {
		t.Errorf("%+v", stats)
	}
	// The frame with both layers waited since the later of them was ready.
	for _, f := range timeline.Frames {
		if f.Present == 3000 && f.Actual != (analyzer.Interval{Start: 2600, End: 3000}) {
			t.Errorf("%s", f)
		}
	}
}

// Dumps of one layer, made one after another, have rows in common; the rate may
// change between them.
func TestPolling(t *testing.T) {
	timeline, stats := readLatency(t, `16666667
10	100	20
30	200	40

8333333
30	200	40
50	300	60
70	9223372036854775807	9223372036854775807

8333333
50	300	60
70	400	80
`, dumpsys.Options{})
	must.Equal(t, present(timeline, ""), "100 200 300 400", "shown at")
	l := stats.Layers[0]
	if len(stats.Layers) != 1 || l.Dumps != 3 || l.Pending != 1 || l.Empty != 0 {
		t.Errorf("%+v", l)
	}
	for _, f := range timeline.Frames {
		want := trace.Duration(16_666_667)
		if f.Actual.End > 200 || f.Kind == analyzer.ApplicationFrame && f.Actual.End > 40 {
			want = 8_333_333
		}
		if f.Period != want {
			t.Errorf("%s: want period %d", f, want)
		}
	}
}

func TestOddRows(t *testing.T) {
	timeline, stats := readLatency(t, `16666667
10	200	20
5	100	6
7	100	8
30	400
no row at all
50	300	60
`, dumpsys.Options{})
	must.Equal(t, present(timeline, ""), "100 200 300", "shown at")
	if stats.Damaged != 1 || len(diag.Texts(stats.Warnings())) != 1 {
		t.Errorf("%+v", stats)
	}
	// Without its first line, and with ready after present, as early versions have it.
	timeline, _ = readLatency(t, "7657467895508\t7657482691352\t7657493499756\n", dumpsys.Options{})
	if f := timeline.Frames[1]; f.Period != 0 || f.Actual != (analyzer.Interval{Start: 7657482691352, End: 7657482691352}) {
		t.Errorf("%s", timeline)
	}
}

func TestLatencyErrors(t *testing.T) {
	const noLayer = "only a refresh period: there is no layer of that name; dumpsys SurfaceFlinger --list prints the names"
	const waiting = "5\t9223372036854775807\t9223372036854775807\n"
	for text, want := range map[string]string{
		"16666667\n":                           noLayer,
		"16666667\n\n16666667\n\n":             noLayer,
		"100000000\n":                          noLayer, // 10 Hz
		"1000000\n":                            noLayer, // 1000 Hz
		"123456789\n1 9223372036854775806 1\n": noLayer, // 8 Hz and an impossible row
		"16666667\n" + strings.Repeat("0\t0\t0\n", 127): "no frame of the layer was shown: 127 rows without a present time",
		"16666667\n" + strings.Repeat(waiting, 127):     "no frame of the layer was shown: 127 of 127 rows pending",
		"16666667\n0 0 0\n" + waiting:                   "no frame of the layer was shown: 1 of 2 rows pending",
	} {
		timeline, stats, err := dumpsys.ReadLatency(t.Context(), strings.NewReader(text), dumpsys.Options{})
		if err == nil || err.Error() != want || timeline != nil || stats == nil {
			t.Errorf("%.40q: error %v, want %s", text, err, want)
		}
		if !dumpsys.SniffLatency([]byte(text)) {
			t.Errorf("%.40q: not recognized", text)
		}
	}
	for _, text := range []string{
		"", "\n\n", "no dump\nof anything\n", "Applications Graphics Acceleration Info:\nUptime: 1 Realtime: 2\n", "16666667\n1\t2\t3\t4\n",
		strings.Repeat("x", 100_000), "99999999999999999999999\n", "7657467895508\n", "0123456789", "016666667\n", "+16666667\n", "0\n",
		"123456789\n", "123456789\n1", "1 9223372036854775806 1\n", "100000001\n", "999999\n", "\x0a\x05\x00\xff\x01\x02\x03\n",
	} {
		if dumpsys.SniffLatency([]byte(text)) {
			t.Errorf("%.40q: taken for a dump", text)
		}
	}
	// With a row, a display at 1 Hz is one.
	if !dumpsys.SniffLatency([]byte("1000000000\n1 2 3\n")) {
		t.Error("a dump of a display at 1 Hz is not taken for one")
	}
	// One wrong name among others is a warning.
	_, stats := readLatency(t, "right\n16666667\n10\t100\t20\n\nwrong\n16666667\n\n", dumpsys.Options{})
	if w := diag.Texts(stats.Warnings()); len(w) != 1 || w[0] != `1 dump without rows, because the layer did not exist: "wrong"` {
		t.Errorf("warnings %q", w)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := dumpsys.ReadLatency(ctx, strings.NewReader(dump), dumpsys.Options{}); err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}
	// A head is cut anywhere.
	for n := 10; n < len(dump); n++ {
		if !dumpsys.SniffLatency([]byte(dump[:n])) {
			t.Errorf("not recognized as a dump when cut at %d", n)
		}
	}
}

// Rows are buffers of their layer. The desired time is when they were queued, unless the layer
// asks for it or was shown before.
func TestBuffers(t *testing.T) {
	const vsync, start = 16_666_667, 1_000_000_000
	text := "empty#0\n16666667\n\nvideo#1\n16666667\n"
	for _, n := range []int64{0, 2, 4, 7, 8, 10} {
		queued := start + n*vsync
		text += fmt.Sprintln(queued, queued+2*vsync, queued+5_000_000)
	}
	text += "asks#2\n16666667\n" + fmt.Sprintln(start+vsync, start+vsync, start)
	timeline, stats := readLatency(t, text+dump, dumpsys.Options{})
	must.Equal(t, stats.Damaged, 0, "damaged lines")
	var got []string
	for _, l := range timeline.Layers {
		got = append(got, fmt.Sprintf("%d %s of %s, cadence %d", l.ID, l.Name, l.Process.Name, l.Cadence()))
		for _, b := range l.Buffers {
			if b.Fate != analyzer.Shown || b.Acquired.Known() || b.Deadline.Known() || b.Render.Present != b.Present || b.Frame.Render != b.Render {
				t.Errorf("%+v", b)
			}
			got = append(got, fmt.Sprintf("%d %d %s", b.Queued, b.Present, b.Pace))
		}
	}
	want := []string{
		"1 video#1 of video#1, cadence 33333334",
		"1000000000 1033333334 ", "1033333334 1066666668 even", "1066666668 1100000002 even",
		"1116666669 1150000003 late", "1133333336 1166666670 early", "1166666670 1200000004 even",
		"2 asks#2 of asks#2, cadence 0", "0 1016666667 ",
		"3 layer of layer, cadence 0", "1000000000 1030000000 ", "1016666667 1063333334 ", "0 1080000001 ",
	}
	must.EqualSlices(t, got, want)
}
