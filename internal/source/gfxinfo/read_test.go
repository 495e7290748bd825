package gfxinfo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/gfxinfo"
)

func read(t testing.TB, text string, options gfxinfo.Options) (*analyzer.Timeline, *gfxinfo.Dump) {
	t.Helper()
	timeline, dump, err := gfxinfo.Read(t.Context(), strings.NewReader(text), options)
	if err != nil {
		t.Fatal(err)
	}
	if err := timeline.Validate(); err != nil {
		t.Error(err)
	}
	return timeline, dump
}

// table returns a table with the given columns, which are separated by blanks,
// and rows. Times are in milliseconds.
func table(columns string, rows ...[]float64) string {
	var b strings.Builder
	b.WriteString("---PROFILEDATA---\n" + strings.ReplaceAll(columns, " ", ",") + ",\n")
	for _, r := range rows {
		for i, v := range r {
			if i > 0 {
				v *= 1e6
			}
			fmt.Fprintf(&b, "%d,", int64(v))
		}
		b.WriteByte('\n')
	}
	b.WriteString("---PROFILEDATA---\n")
	return b.String()
}

// Frames at a display of 100 Hz, one of each sort.
//
//	                           took  deadline             verdict
//	                                 of the last, of this
//	1000                          9         –  1010       fine
//	1010                         22      1010  1020       missed, by drawing; next at 1040
//	1020, begun a vsync late     25      1040  1050       in time, but behind
//	1030, begun late             30      1050  1060       missed by nothing, all causes; next at 1061
//	1060, 6 ms of it waiting     15      1061  1071       missed; it worked for 9 ms only; next at 1080
//	1070                         15         –             skipped: SurfaceCanvas
//	2000                        800      1080  2010       missed, a Davey; next at 2810
//	2800                       11200     2810  2820       missed; hung, which is no slow drawing
var sorts = table("Flags IntendedVsync Vsync SomethingNew SyncQueued SyncStart IssueDrawCommandsStart SwapBuffers FrameCompleted",
	[]float64{0, 1000, 1000, 7, 1003, 1003, 1004, 1008, 1009},
	[]float64{0, 1010, 1010, 7, 1012, 1012, 1013, 1030, 1032},
	[]float64{0, 1020, 1030, 7, 1036, 1036, 1038, 1044, 1045},
	[]float64{0, 1030, 1031, 7, 1037, 1037, 1039.5, 1059, 1060},
	[]float64{0, 1060, 1060, 7, 1062, 1068, 1069, 1074, 1075},
	[]float64{4, 1070, 1070, 7, 1072, 1072, 1073, 1084, 1085},
	[]float64{0, 2000, 2000, 7, 2001, 2001, 2002, 2700, 2800},
	[]float64{0, 2800, 2800, 7, 2801, 2801, 2801.9, 13900, 14000},
)

func TestSorts(t *testing.T) {
	timeline, dump := read(t, sorts, gfxinfo.Options{Strict: true})
	wants := []struct {
		late bool
		jank string
	}{
		{false, ""},
		{true, "Janky, Frame deadline missed, Slow issue draw commands"},
		{true, "Janky, High input latency"},
		{true, "Janky, Frame deadline missed, Missed Vsync, Slow UI thread, Slow bitmap uploads, Slow issue draw commands"},
		{true, "Frame deadline missed"},
		{true, "Janky, Frame deadline missed, Slow issue draw commands, Davey"},
		{true, "Janky, Frame deadline missed, Davey"},
	}
	if len(timeline.Frames) != len(wants) {
		t.Fatalf("%d frames, want %d", len(timeline.Frames), len(wants))
	}
	for i, w := range wants {
		f := timeline.Frames[i]
		if got := f.Android.Stats.Jank.String(); got != w.jank || f.Late() != w.late {
			t.Errorf("%s:\n%q, want %q", f, got, w.jank)
		}
		if f.Period != 10*trace.Millisecond || f.Expected.Duration() != 10*trace.Millisecond || f.Deadline != f.Actual.Start.Add(10*trace.Millisecond) {
			t.Errorf("%s: want 10 ms", f)
		}
	}
	if f := timeline.Frames[4]; f.Actual != (analyzer.Interval{Start: 1_060_000_000, End: 1_075_000_000}) || f.Android.Stats.SyncQueued != 1_062_000_000 {
		t.Errorf("%s", f)
	}
	w := dump.Processes[0].Windows[0]
	if w.Skipped != 1 || w.Flagged != 0 || w.Frames != 7 || w.IntervalFrom != gfxinfo.IntervalInferred {
		t.Errorf("%+v", w)
	}
	if warnings := dump.Warnings(); len(warnings) != 1 || warnings[0] != "1 row with flag SurfaceCanvas skipped" {
		t.Errorf("warnings %q", warnings)
	}
}

// From Android 12 on rows state their deadline. At 100 Hz, with deadlines of two
// intervals:
//
//	1000, done 1012, deadline 1020    fine
//	1010, done 1035, deadline 1030    janky, by drawing; next at 1040
//	1020, done 1045, deadline 1050    in time, but behind until 1040
//	1049.5, done 1055                 in time; 1050 is less than a tenth ahead
var deadlines = table("Flags FrameTimelineVsyncId IntendedVsync Vsync InputEventId FrameDeadline FrameInterval SyncQueued SyncStart IssueDrawCommandsStart "+
	"FrameCompleted GpuCompleted SwapBuffersCompleted DisplayPresentTime",
	[]float64{0, 101e-6, 1000, 1000, 0, 1020, 10, 1003, 1003, 1004, 1012, 1012, 1011, 1030},
	[]float64{0, 102e-6, 1010, 1010, 0, 1030, 10, 1013, 1013, 1014, 1035, 1035, 1030, 1050},
	[]float64{0, 103e-6, 1020, 1020, 0, 1050, 10, 1023, 1023, 1024, 1045, 1045, 1029, 0},
	[]float64{0, 105e-6, 1049.5, 1049.5, 0, 1069.5, 10, 1051, 1051, 1052, 1055, 1055, 1054, 0},
	[]float64{8, 104e-6, 1030, 1030, 0, 1050, 10, 1033, 1033, 1034, 1045, 1045, 1039, 0},
)

func TestDeadlines(t *testing.T) {
	// What is given does not matter where the dump states it.
	timeline, dump := read(t, deadlines, gfxinfo.Options{FrameInterval: 3 * trace.Millisecond})
	w := dump.Processes[0].Windows[0]
	if w.IntervalFrom != gfxinfo.IntervalStated || w.Interval != 10*trace.Millisecond {
		t.Errorf("%+v", w)
	}
	// The first free process id is SurfaceFlinger's after that of the unnamed one.
	wants := []string{
		"app 101  1/1 actual 1000000000..1012000000 expected 1000000000..1020000000 period 10000000 sent 1 render 0",
		"app 102  1/1 actual 1010000000..1035000000 expected 1010000000..1030000000 period 10000000 sent 2 render 0 late",
		"render 0 /system/bin/surfaceflinger 2/2 actual 1012000000..1030000000 period 10000000 takes 1/101 present 1030000000",
		"app 103  1/1 actual 1020000000..1045000000 expected 1020000000..1050000000 period 10000000 sent 3",
		"render 0 /system/bin/surfaceflinger 2/2 actual 1035000000..1050000000 period 10000000 takes 1/102 present 1050000000",
		"app 105  1/1 actual 1049500000..1055000000 expected 1049500000..1069500000 period 10000000 sent 4",
	}
	classes := map[int64]string{102: "Janky, Frame deadline missed, Slow issue draw commands", 103: "High input latency"}
	for i, f := range timeline.Frames {
		if i >= len(wants) || f.String() != wants[i] {
			t.Errorf("frame %d is\n%s", i, f)
		}
		if got := f.Android.Stats.Jank.String(); got != classes[f.VsyncID] {
			t.Errorf("frame %d: %q, want %q", i, got, classes[f.VsyncID])
		}
	}
	if len(timeline.Frames) != len(wants) {
		t.Errorf("%d frames", len(timeline.Frames))
	}
}

// A whole dump: two processes, windows with and without names, and what is
// printed between.
var whole = `Applications Graphics Acceleration Info:
Uptime: 314436624 Realtime: 1105003132

** Graphics info for pid 4321 [com.example.app] **

Stats since: 314435469478872ns
Total frames rendered: 51
Janky frames: 9 (17.65%)
50th percentile: 7ms
90th percentile: 48ms
95th percentile: 109ms
99th percentile: 300ms
Number Missed Vsync: 7
Number High input latency: 83
Number Slow UI thread: 9
Number Slow bitmap uploads: 0
Number Slow issue draw commands: 2
Number Frame deadline missed: 9
HISTOGRAM: 5ms=6 6ms=14 4950ms=31
50th gpu percentile: 3ms
GPU HISTOGRAM: 1ms=0 4950ms=0

Caches:
  Total: 37.14 KB (1 entry)

Profile data in ms:

	com.example.app/com.example.app.Main/android.view.ViewRootImpl@1c4b3d (visibility=0)
Window: com.example.app/com.example.app.Main
Stats since: 314435469478872ns
Total frames rendered: 44
Janky frames: 8 (18.18%)

` + sorts + `
	PopupWindow:1234/android.view.ViewRootImpl@aabbcc (visibility=0)

` + table("Flags IntendedVsync FrameCompleted", []float64{0, 1000, 1004}, []float64{0, 1020, 1025}) + `
View hierarchy:

  com.example.app/com.example.app.Main/android.view.ViewRootImpl@1c4b3d
  62 views, 66.99 kB of render nodes

** Graphics info for pid 99 [com.android.systemui] **

Total frames rendered: 0
Window: StatusBar
Total frames rendered: 3
` + table("Flags IntendedVsync Vsync FrameCompleted", []float64{0, 5000, 5000, 5040}) + `
Window: NavigationBar
Total frames rendered: 4
No process found for: com.example.other
`

func TestWhole(t *testing.T) {
	for _, text := range []string{whole, strings.ReplaceAll(whole, "\n", "\r\n"), whole + whole} {
		if !gfxinfo.Sniff([]byte(text)[:200]) {
			t.Error("not recognized as a dump")
		}
		timeline, dump := read(t, text, gfxinfo.Options{})
		var got []string
		for _, p := range dump.Processes {
			got = append(got, fmt.Sprintf("%d %s", p.PID, p.Name))
			for _, w := range p.Windows {
				got = append(got, fmt.Sprintf("%q %d frames at %s", w.Name, w.Frames, w.Interval))
			}
		}
		want := []string{
			"4321 com.example.app",
			`"com.example.app/com.example.app.Main" 7 frames at 10ms`,
			`"PopupWindow:1234/android.view.ViewRootImpl@aabbcc" 2 frames at 20ms`,
			"99 com.android.systemui",
			`"StatusBar" 1 frames at 10ms`, // one row tells nothing; the display is the same
			`"NavigationBar" 0 frames at 10ms`,
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if len(timeline.Frames) != 10 || len(timeline.Processes) != 2 || dump.NotRunning[0] != "com.example.other" {
			t.Errorf("%s", timeline)
		}
		if w := dump.Processes[0].Windows[0]; text == whole+whole && w.Repeated != 8 {
			t.Errorf("%d rows repeated, want all 8", w.Repeated)
		}
		if last := timeline.Frames[len(timeline.Frames)-3]; last.Process.Name != "com.example.app" || last.Android.Stats.Window != "com.example.app/com.example.app.Main" {
			t.Errorf("%s of %s", last, last.Android.Stats.Window)
		}
	}
}

func TestInterval(t *testing.T) {
	rows := func(vsyncs ...float64) string {
		var list [][]float64
		for _, v := range vsyncs {
			list = append(list, []float64{0, v, v + 1})
		}
		return table("Flags IntendedVsync FrameCompleted", list...)
	}
	for name, test := range map[string]struct {
		text  string
		given trace.Duration
		want  trace.Duration
		from  gfxinfo.IntervalSource
	}{
		"steady":         {rows(100, 110, 120, 130), 0, 10_000_000, gfxinfo.IntervalInferred},
		"gaps":           {rows(100, 140, 150, 180, 900), 0, 10_000_000, gfxinfo.IntervalInferred},
		"jitter":         {rows(100, 109.9, 120.1, 130), 0, 10_000_000, gfxinfo.IntervalInferred}, // 30 ms for three
		"given":          {rows(100, 110, 120), 8_000_000, 8_000_000, gfxinfo.IntervalGiven},
		"one frame":      {rows(100), 0, 0, gfxinfo.IntervalUnknown},
		"one and given":  {rows(100), 8_000_000, 8_000_000, gfxinfo.IntervalGiven},
		"too far apart":  {rows(100, 400, 800), 0, 0, gfxinfo.IntervalUnknown},
		"a long pause":   {rows(100, 110, 120, 1000.4), 0, 10_000_000, gfxinfo.IntervalInferred},
		"the same vsync": {rows(100, 100, 110), 0, 10_000_000, gfxinfo.IntervalInferred},
	} {
		timeline, dump := read(t, test.text, gfxinfo.Options{FrameInterval: test.given})
		w := dump.Processes[0].Windows[0]
		if w.Interval != test.want || w.IntervalFrom != test.from {
			t.Errorf("%s: %s %s, want %s %s", name, w.Interval, w.IntervalFrom, test.want, test.from)
		}
		if f := timeline.Frames[0]; f.Deadline.Known() != (test.want > 0) {
			t.Errorf("%s: %s", name, f)
		}
		if test.want == 0 && !strings.Contains(strings.Join(dump.Warnings(), "\n"), "interval is unknown") {
			t.Errorf("%s: no warning", name)
		}
	}
}

func TestDamage(t *testing.T) {
	good := table("Flags IntendedVsync Vsync FrameCompleted DequeueBufferDuration", []float64{0, 1000, 1000, 1004, 1}, []float64{0, 1010, 1010, 1014, 1})
	lines := strings.SplitAfter(good, "\n")
	with := func(line string) string {
		return strings.Join(lines[:3], "") + line + "\n" + strings.Join(lines[3:], "")
	}
	for name, line := range map[string]string{
		"text":                   "0,what,is,this,",
		"too short":              "0,1005000000,1005000000",
		"empty cells":            "0,,,,",
		"a number out of bounds": "0,99999999999999999999,1,2,",
	} {
		timeline, dump := read(t, with(line), gfxinfo.Options{})
		if dump.Damaged != 1 || len(timeline.Frames) != 2 {
			t.Errorf("%s: %d damaged, %d frames", name, dump.Damaged, len(timeline.Frames))
		}
		if _, _, err := gfxinfo.Read(t.Context(), strings.NewReader(with(line)), gfxinfo.Options{Strict: true}); err == nil || err.Error() != "line 4: damaged row" {
			t.Errorf("%s: error %v in strict mode", name, err)
		}
	}
	for name, line := range map[string]string{
		"never completed":      "0,1005000000,1005000000,0,0,",
		"never to complete":    "0,1005000000,1005000000,9223372036854775807,0,",
		"completed before":     "0,1005000000,1005000000,1004000000,0,",
		"completed in no time": "0,1005000000,1005000000,1005000000,0,",
		"no vsync":             "0,0,0,1004000000,0,",
	} {
		timeline, dump := read(t, with(line), gfxinfo.Options{Strict: true})
		if w := dump.Processes[0].Windows[0]; w.Unfinished != 1 || len(timeline.Frames) != 2 {
			t.Errorf("%s: %d unfinished, %d frames", name, w.Unfinished, len(timeline.Frames))
		}
	}
	// Fewer cells and more than there are columns, and neither commas at the end.
	timeline, _ := read(t, with("0,1005000000,1005000000,1009000000")+"\n"+with("0,1006000000,1006000000,1009000000,1,2,3,4"), gfxinfo.Options{Strict: true})
	if len(timeline.Frames) != 6 { // tables that nothing names are of different windows
		t.Errorf("%d frames", len(timeline.Frames))
	}
	// Wherever the dump is cut, what is whole is read.
	for n := len(lines[0]) + len(lines[1]) + 1; n < len(good)-1; n++ {
		_, dump, err := gfxinfo.Read(t.Context(), strings.NewReader(good[:n]), gfxinfo.Options{})
		if err != nil && !errors.Is(err, gfxinfo.ErrNoRows) && !errors.Is(err, gfxinfo.ErrNoFrames) {
			t.Fatal(err)
		}
		if cut := !strings.HasSuffix(good[:n], "---PROFILEDATA---"); dump.Cut != cut {
			t.Errorf("cut at %d: cut is %t", n, dump.Cut)
		}
	}
}

func TestErrors(t *testing.T) {
	const header = "** Graphics info for pid 4321 [com.example.app] **\n"
	for name, test := range map[string]struct {
		text  string
		want  error
		sniff bool
	}{
		"empty":         {"", gfxinfo.ErrNotADump, false},
		"one line":      {"hello\n", gfxinfo.ErrNotADump, false},
		"another dump":  {"16666667\n1\t2\t3\n", gfxinfo.ErrNotADump, false},
		"a source text": {"// between ---PROFILEDATA--- lines\n", gfxinfo.ErrNotADump, false},
		"a long line":   {strings.Repeat("x,", 100_000), gfxinfo.ErrNotADump, false},
		"summary alone": {header + "Total frames rendered: 5\nJanky frames: 1 (20.00%)\n", gfxinfo.ErrNoRows, true},
		"total alone":   {"Total frames rendered: 5\n", gfxinfo.ErrNoRows, true},
		"janky alone":   {"Janky frames: 1 (20.00%)\n", gfxinfo.ErrNoRows, true},
		"no rows":       {header + table("Flags IntendedVsync FrameCompleted"), gfxinfo.ErrNoRows, true},
		"no such table": {header + table("Draw Prepare Process", []float64{1, 2, 3}), gfxinfo.ErrNoRows, true},
		"not running":   {"No process found for: com.example.app\n", gfxinfo.ErrNoRows, true},
		"all skipped":   {table("Flags IntendedVsync FrameCompleted", []float64{4, 1, 2}, []float64{8, 2, 3}), gfxinfo.ErrNoFrames, true},
		"none finished": {table("Flags IntendedVsync FrameCompleted", []float64{0, 1, 0}), gfxinfo.ErrNoFrames, true},
	} {
		timeline, dump, err := gfxinfo.Read(t.Context(), strings.NewReader(test.text), gfxinfo.Options{})
		if !errors.Is(err, test.want) || timeline != nil || dump == nil {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
		if got := gfxinfo.Sniff([]byte(test.text)); got != test.sniff {
			t.Errorf("%s: sniffed %t", name, got)
		}
	}
	broken := errors.New("broken pipe")
	if _, _, err := gfxinfo.Read(t.Context(), iotest.ErrReader(broken), gfxinfo.Options{}); err != broken {
		t.Errorf("error %v, want the reader's", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := gfxinfo.Read(ctx, strings.NewReader(whole), gfxinfo.Options{}); err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(whole)
	f.Add(deadlines)
	f.Add("---PROFILEDATA---\nFrameCompleted,IntendedVsync\n7,3\n8,4\n")
	f.Fuzz(func(t *testing.T, text string) {
		gfxinfo.Sniff([]byte(text))
		timeline, dump, err := gfxinfo.Read(t.Context(), strings.NewReader(text), gfxinfo.Options{})
		if dump == nil {
			t.Fatal("no dump")
		}
		dump.Warnings()
		if err != nil {
			if !errors.Is(err, gfxinfo.ErrNotADump) && !errors.Is(err, gfxinfo.ErrNoRows) && !errors.Is(err, gfxinfo.ErrNoFrames) {
				t.Error(err)
			}
			return
		}
		if err := timeline.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// hwui leaves out SurfaceCanvas (4) and never finishes SkippedFrame (8); rows
// with any other flag are frames.
func TestFlags(t *testing.T) {
	var rows [][]float64
	for i, flags := range []float64{0, 1, 2, 3, 4, 6, 8, 12, 32, 34, 64} {
		start := float64(1000 + 10*i)
		rows = append(rows, []float64{flags, start, start + 5})
	}
	rows = append(rows, []float64{2, 2000, 0}) // unfinished, whatever its flags
	for _, test := range []struct {
		rows     [][]float64
		frames   int
		warnings []string
	}{
		{rows, 7, []string{
			"2 rows with flag WindowVisibilityChanged kept", // 1, 3
			"3 rows with flag RTAnimation kept",             // 2, 3, 34
			"3 rows with flag SurfaceCanvas skipped",        // 4, 6, 12
			"2 rows with flag SkippedFrame skipped",         // 8, 12
			"3 rows with unknown flags 0x60 kept",           // 32, 34, 64
			"1 row of unfinished frames skipped",
		}},
		{[][]float64{rows[0], rows[8], rows[9]}, 3, []string{
			"1 row with flag RTAnimation kept",
			"2 rows with unknown flag 32 kept",
		}},
	} {
		timeline, dump := read(t, table("Flags IntendedVsync FrameCompleted", test.rows...), gfxinfo.Options{FrameInterval: 10 * trace.Millisecond})
		if got := dump.Warnings(); !slices.Equal(got, test.warnings) {
			t.Errorf("warnings %q, want %q", got, test.warnings)
		}
		if w := dump.Processes[0].Windows[0]; len(timeline.Frames) != test.frames || w.Frames != test.frames || w.Flagged != test.frames-1 {
			t.Errorf("%d frames, window %+v", len(timeline.Frames), w)
		}
	}
}

// Bug reports often have rows without the marks around them. They are read like
// others.
func TestUnmarked(t *testing.T) {
	whole := table("Flags IntendedVsync FrameCompleted", []float64{0, 1000, 1004}, []float64{0, 1010, 1015})
	const mark = "---PROFILEDATA---\n"
	bare := strings.ReplaceAll(whole, mark, "")
	header, rows, _ := strings.Cut(bare, "\n")
	for name, test := range map[string]struct {
		text    string
		windows []int // frames of each
		damaged int
		cut     bool
	}{
		"no marks":              {bare, []int{2}, 0, false},
		"no first mark":         {bare + mark, []int{2}, 0, false},
		"no last mark":          {mark + bare, []int{2}, 0, true},
		"indented":              {"  " + header + "\n\n    " + strings.ReplaceAll(rows, "\n", "\n\n    "), []int{2}, 0, false},
		"two tables":            {bare + header + "\n0,5000000,6000000,\n", []int{2, 1}, 0, false},
		"a marked table after":  {bare + whole, []int{2, 2}, 0, false},
		"a marked table before": {whole + bare, []int{2, 2}, 0, false},
		"text after":            {bare + "View hierarchy:\n  62 views, 66.99 kB of render nodes\n", []int{2}, 0, false},
		"a summary after":       {bare + "50th percentile: 5ms\nTotal frames rendered: 9\n", []int{2}, 0, false},
		"a damaged row":         {bare + "0,what,is,this\n0,5000000,6000000,\n", []int{3}, 1, false},
	} {
		if !gfxinfo.Sniff([]byte(test.text)) {
			t.Errorf("%s: not recognized as a dump", name)
		}
		_, dump := read(t, test.text, gfxinfo.Options{})
		var windows []int
		for _, w := range dump.Processes[0].Windows {
			windows = append(windows, w.Frames)
		}
		if !slices.Equal(windows, test.windows) || dump.Damaged != test.damaged || dump.Cut != test.cut {
			t.Errorf("%s: frames %v, %d damaged, cut %t", name, windows, dump.Damaged, dump.Cut)
		}
	}
	for _, text := range []string{header + "\n", "Flags,Name,Comment\n1,2,3\n", rows} {
		_, _, err := gfxinfo.Read(t.Context(), strings.NewReader(text), gfxinfo.Options{})
		want := gfxinfo.ErrNotADump
		if strings.HasPrefix(text, header) {
			want = gfxinfo.ErrNoRows
		}
		if err != want || gfxinfo.Sniff([]byte(text)) != (want == gfxinfo.ErrNoRows) {
			t.Errorf("%q: error %v, want %v", text, err, want)
		}
	}
}
