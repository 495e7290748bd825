package dumpsys_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/testing/must"
)

func read(t testing.TB, text string, options dumpsys.Options) (*analyzer.Timeline, *dumpsys.Dump) {
	t.Helper()
	timeline, dump := must.Get2(dumpsys.ReadGfxinfo(t.Context(), strings.NewReader(text), options))(t)
	must.NoError(t, timeline.Validate())
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
	timeline, _ := read(t, deadlines, dumpsys.Options{})
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
		must.Equal(t, f.Android.Stats.Jank.String(), classes[f.VsyncID], "frame %d", i)
	}
	must.Equal(t, len(timeline.Frames), len(wants), "frames")
}

// main is a table at 100 Hz.
var main = table("Flags IntendedVsync Vsync SomethingNew FrameCompleted", []float64{0, 1000, 1000, 7, 1009}, []float64{0, 1010, 1010, 7, 1032}, []float64{4, 1070, 1070, 7, 1085})

// A whole dump: two processes, windows with and without names, and what is
// printed between.
var whole = `Applications Graphics Acceleration Info:
Uptime: 314436624 Realtime: 1105003132

** Graphics info for pid 4321 [com.example.app] **

Stats since: 314435469478872ns
Total frames rendered: 51
Janky frames: 9 (17.65%)
HISTOGRAM: 5ms=6 6ms=14 4950ms=31

Profile data in ms:

	com.example.app/com.example.app.Main/android.view.ViewRootImpl@1c4b3d (visibility=0)
Window: com.example.app/com.example.app.Main
Total frames rendered: 44

` + main + `
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

// describe returns the frames of each window, with the period of the last one.
func describe(timeline *analyzer.Timeline) string {
	frames, periods := map[string]int{}, map[string]trace.Duration{}
	for _, f := range timeline.Frames {
		if f.Kind == analyzer.ApplicationFrame {
			name := fmt.Sprintf("%d %s %s", f.Process.PID, f.Process.Name, f.Android.Stats.Window)
			frames[name]++
			periods[name] = f.Period
		}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(frames)) {
		list = append(list, fmt.Sprintf("%s: %d at %s", name, frames[name], periods[name]))
	}
	return strings.Join(list, "\n")
}

func TestWhole(t *testing.T) {
	for _, text := range []string{whole, strings.ReplaceAll(whole, "\n", "\r\n"), whole + whole} {
		if !dumpsys.SniffGfxinfo([]byte(text)[:200]) {
			t.Error("not recognized as a dump")
		}
		timeline, dump := read(t, text, dumpsys.Options{})
		want := `4321 com.example.app PopupWindow:1234/android.view.ViewRootImpl@aabbcc: 2 at 20ms
4321 com.example.app com.example.app/com.example.app.Main: 2 at 10ms
99 com.android.systemui StatusBar: 1 at 10ms` // one row shows no interval; the display is the same
		if got := describe(timeline); got != want || dump.NotRunning[0] != "com.example.other" || dump.Skipped != 1 {
			t.Errorf("got\n%s\nwant\n%s\n%+v", got, want, dump)
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
		text string
		want trace.Duration
	}{
		"steady":         {rows(100, 110, 120, 130), 10_000_000},
		"gaps":           {rows(100, 140, 150, 180, 900), 10_000_000},
		"jitter":         {rows(100, 109.9, 120.1, 130), 10_000_000}, // 30 ms for three
		"one frame":      {rows(100), 0},
		"too far apart":  {rows(100, 400, 800), 0},
		"a long pause":   {rows(100, 110, 120, 1000.4), 10_000_000},
		"the same vsync": {rows(100, 100, 110), 10_000_000},
	} {
		timeline, dump := read(t, test.text, dumpsys.Options{})
		f := timeline.Frames[0]
		if f.Period != test.want || f.Deadline.Known() != (test.want > 0) {
			t.Errorf("%s: %s, want %s", name, f, test.want)
		}
		if said := strings.Contains(strings.Join(diag.Texts(dump.Warnings()), "\n"), "interval is unknown"); said != (test.want == 0) {
			t.Errorf("%s: %q", name, diag.Texts(dump.Warnings()))
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
		timeline, dump := read(t, with(line), dumpsys.Options{})
		if dump.Damaged != 1 || len(timeline.Frames) != 2 {
			t.Errorf("%s: %d damaged, %d frames", name, dump.Damaged, len(timeline.Frames))
		}
	}
	for name, line := range map[string]string{
		"never completed":      "0,1005000000,1005000000,0,0,",
		"never to complete":    "0,1005000000,1005000000,9223372036854775807,0,",
		"completed before":     "0,1005000000,1005000000,1004000000,0,",
		"completed in no time": "0,1005000000,1005000000,1005000000,0,",
		"no vsync":             "0,0,0,1004000000,0,",
	} {
		timeline, dump := read(t, with(line), dumpsys.Options{})
		if dump.Unfinished != 1 || dump.Damaged != 0 || len(timeline.Frames) != 2 {
			t.Errorf("%s: %d unfinished, %d frames", name, dump.Unfinished, len(timeline.Frames))
		}
	}
	// Fewer cells and more than there are columns, and neither commas at the end.
	timeline, dump := read(t, with("0,1005000000,1005000000,1009000000")+"\n"+with("0,1006000000,1006000000,1009000000,1,2,3,4"), dumpsys.Options{})
	if len(timeline.Frames) != 6 || dump.Damaged != 0 { // tables that nothing names are of different windows
		t.Errorf("%d frames", len(timeline.Frames))
	}
	// Wherever the dump is cut, what is whole is read.
	for n := len(lines[0]) + len(lines[1]) + 1; n < len(good)-1; n++ {
		_, dump, err := dumpsys.ReadGfxinfo(t.Context(), strings.NewReader(good[:n]), dumpsys.Options{})
		if err != nil && !errors.Is(err, dumpsys.ErrNoRows) && !errors.Is(err, dumpsys.ErrNoFrames) {
			t.Fatal(err)
		}
		must.Equal(t, dump.Cut, !strings.HasSuffix(good[:n], "---PROFILEDATA---"), "cut at %d: cut is", n)
	}
}

func TestErrors(t *testing.T) {
	const header = "** Graphics info for pid 4321 [com.example.app] **\n"
	const unusable = "no rows of frames in the gfxinfo dump: 1 table without the column IntendedVsync or FrameCompleted"
	for text, want := range map[string]string{
		"Applications Graphics Acceleration Info:\n":                                                            dumpsys.ErrNoRows.Error(),
		header + "Total frames rendered: 5,\n":                                                                  dumpsys.ErrNoRows.Error(),
		"Total frames rendered: 5000000000\n":                                                                   dumpsys.ErrNoRows.Error(),
		"Janky frames: 1 (20.00%)\n":                                                                            dumpsys.ErrNoRows.Error(),
		header + table("Flags IntendedVsync FrameCompleted"):                                                    dumpsys.ErrNoRows.Error(),
		header + table("Draw Prepare Process", []float64{1, 2}):                                                 unusable,
		"No process found for: com.example.app\n":                                                               `no rows of frames in the gfxinfo dump: "com.example.app" is not running`,
		table("Flags IntendedVsync FrameCompleted", []float64{4, 1, 2}, []float64{8, 2, 3}, []float64{0, 1, 0}): "no finished frame in the dump: 3 rows, skipped or unfinished",
	} {
		timeline, dump, err := dumpsys.ReadGfxinfo(t.Context(), strings.NewReader(text), dumpsys.Options{})
		if err == nil || err.Error() != want || timeline != nil || dump == nil {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
		if !dumpsys.SniffGfxinfo([]byte(text)) {
			t.Errorf("%q: not recognized", text)
		}
	}
	for _, text := range []string{"", "hello\n", "16666667\n1\t2\t3\n", "// between ---PROFILEDATA--- lines\n", "---PROFILEDATA---x\n", strings.Repeat("x,", 100_000)} {
		if dumpsys.SniffGfxinfo([]byte(text)) {
			t.Errorf("%.40q: taken for a dump", text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := dumpsys.ReadGfxinfo(ctx, strings.NewReader(whole), dumpsys.Options{}); err != context.Canceled {
		t.Errorf("error %v, want the context's", err)
	}
}

// hwui leaves out SurfaceCanvas (4) and never finishes SkippedFrame (8); rows
// with any other flag are frames.
func TestFlags(t *testing.T) {
	var rows [][]float64
	for i, flags := range []float64{0, 1, 2, 3, 4, 6, 8, 12, 32, 34, 64} {
		start := float64(1000 + 10*i)
		rows = append(rows, []float64{flags, start, start + 5})
	}
	timeline, dump := read(t, table("Flags IntendedVsync FrameCompleted", rows...), dumpsys.Options{})
	if want := []string{"4 rows with flag SurfaceCanvas or SkippedFrame skipped"}; !slices.Equal(diag.Texts(dump.Warnings()), want) || len(timeline.Frames) != 7 {
		t.Errorf("%d frames, warnings %q", len(timeline.Frames), diag.Texts(dump.Warnings()))
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
		text            string
		windows, frames int
		damaged         int
		cut             bool
	}{
		"no marks":              {bare, 1, 2, 0, false},
		"no first mark":         {bare + mark, 1, 2, 0, false},
		"no last mark":          {mark + bare, 1, 2, 0, true},
		"indented":              {"  " + header + "\n\n    " + strings.ReplaceAll(rows, "\n", "\n\n    "), 1, 2, 0, false},
		"two tables":            {bare + header + "\n0,5000000,6000000,\n", 2, 3, 0, false},
		"a marked table after":  {bare + whole, 2, 4, 0, false},
		"a marked table before": {whole + bare, 2, 4, 0, false},
		"text after":            {bare + "View hierarchy:\n  62 views, 66.99 kB of render nodes\n", 1, 2, 0, false},
		"a damaged row":         {bare + "0,what,is,this\n0,5000000,6000000,\n", 1, 3, 1, false},
	} {
		if !dumpsys.SniffGfxinfo([]byte(test.text)) {
			t.Errorf("%s: not recognized as a dump", name)
		}
		timeline, dump := read(t, test.text, dumpsys.Options{})
		windows := len(dump.Processes[0].Windows)
		if windows != test.windows || len(timeline.Frames) != test.frames || dump.Damaged != test.damaged || dump.Cut != test.cut {
			t.Errorf("%s: %d windows, %d frames, %d damaged, cut %t", name, windows, len(timeline.Frames), dump.Damaged, dump.Cut)
		}
	}
	for _, text := range []string{"Flags,Name,Comment\n1,2,3\n", rows} {
		if dumpsys.SniffGfxinfo([]byte(text)) {
			t.Errorf("%q: taken for a dump", text)
		}
	}
}
