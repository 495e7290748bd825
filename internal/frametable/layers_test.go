package frametable

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// twoLayers is an Android frame with two layers. Only the second was late.
func twoLayers() *analyzer.Frame {
	render := &analyzer.Frame{Kind: analyzer.RenderFrame, VsyncID: 6}
	onTime := analyzer.Verdict{
		Jank: analyzer.JankNone, Present: analyzer.PresentOnTime, Prediction: analyzer.PredictionValid,
		Severity: analyzer.SeverityNone, OnTimeFinish: analyzer.Yes,
	}
	late := analyzer.Verdict{
		Jank: analyzer.JankAppDeadlineMissed, Present: analyzer.PresentLate, Prediction: analyzer.PredictionValid,
		Severity: analyzer.SeverityFull, OnTimeFinish: analyzer.No,
	}
	return &analyzer.Frame{
		Process: &analyzer.Process{PID: 2000, Name: "app"}, TID: 2000, VsyncID: 5,
		Actual: analyzer.Interval{Start: 110, End: 230}, Expected: analyzer.Interval{Start: 100, End: 200}, Deadline: 200,
		Facts: analyzer.MainLate, Transactions: []analyzer.Sent{{Index: 5, AppliedBy: render}}, Render: render,
		Android: &analyzer.Android{Timeline: &analyzer.FrameTimeline{
			Token: 5, Verdict: late,
			Surfaces: []analyzer.SurfaceFrame{
				{Name: "main#10", DisplayToken: 6, Actual: analyzer.Interval{Start: 110, End: 190}, Verdict: onTime, Render: render},
				{Name: "popup#11", DisplayToken: 7, Actual: analyzer.Interval{Start: 120, End: 230}, Verdict: late},
			},
		}},
	}
}

// A frame has one row with all its layers, and each surface frame's buffer one with its verdict.
func TestSurfaceFrames(t *testing.T) {
	frame := twoLayers()
	timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{frame, {Kind: analyzer.RenderFrame, Process: frame.Process}}}
	for i := range frame.Android.Timeline.Surfaces {
		s := &frame.Android.Timeline.Surfaces[i]
		l := &analyzer.Layer{ID: i + 1, Name: s.Name, Process: frame.Process}
		l.Buffers = []*analyzer.Buffer{{Layer: l, Frame: frame, Render: s.Render, Surface: s, Fate: analyzer.Waiting}}
		timeline.Layers = append(timeline.Layers, l)
	}
	columns := []string{"kind", "vsync_id", "start_ns", "end_ns", "late", "render_vsync_id", "jank_type", "jank_severity", "present_type", "on_time_finish", "layers", "layer"}
	checkRows(t, timeline, Options{Kinds: Kinds}, columns, []string{
		"app 5 110 230 true 6 App Deadline Missed Full Late Present false main#10; popup#11 0",
		"render 0 0 0 0 0 None None Unknown Present 0 0 0",
		"layer 5 110 190 0 6 None None On-time Present true 0 main#10",
		"layer 5 120 230 0 0 App Deadline Missed Full Late Present false 0 popup#11",
	})
}

// checkRows checks the cells of columns in CSV, JSON and Parquet, where 0 stands for an empty
// one, and that the table has as many rows.
func checkRows(t *testing.T, timeline *analyzer.Timeline, o Options, columns, want []string) {
	t.Helper()
	write := func(format string) string {
		t.Helper()
		var b strings.Builder
		o := o
		o.Format = format
		if err := Write(&b, []Input{{Timeline: timeline}}, o); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	rows, err := csv.NewReader(strings.NewReader(write("csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows[1:] {
		var cells []string
		for _, c := range columns {
			cells = append(cells, cmp.Or(r[slices.Index(rows[0], c)], "0"))
		}
		got = append(got, strings.Join(cells, " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v: got\n%s\nwant\n%s", o, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var d struct{ Frames []row }
	if err := json.Unmarshal([]byte(write("json")), &d); err != nil {
		t.Fatal(err)
	}
	text := write("parquet")
	packed, err := parquet.Read[row](strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range file.Root().Columns() {
		if c.Name() != Columns[i] {
			t.Errorf("column %d of Parquet is %s, want %s", i, c.Name(), Columns[i])
		}
	}
	var inJSON, inParquet [][]string
	for i := range rows[1:] {
		inJSON = append(inJSON, cellsOf(d.Frames[i]))
		inParquet = append(inParquet, cellsOf(packed[i]))
	}
	if want := rows[1:]; len(want) > 0 && (!reflect.DeepEqual(inJSON, want) || !reflect.DeepEqual(inParquet, want)) {
		t.Errorf("JSON has\n%q, Parquet\n%q, want\n%q", inJSON, inParquet, want)
	}
	if got := strings.Count(write("table"), "\n"); got != len(rows) {
		t.Errorf("%d lines of a table, want %d", got, len(rows))
	}
}

// video is a timeline with a layer that is shown every second vsync of 10 ms, but once a vsync
// late after a buffer that was dropped, and a layer of an unknown process.
func video() *analyzer.Timeline {
	const ms = trace.Time(trace.Millisecond)
	player := &analyzer.Process{PID: 2000, Name: "player"}
	t := &analyzer.Timeline{Span: analyzer.Interval{Start: 1000 * ms, End: 1200 * ms}}
	l := &analyzer.Layer{ID: 1, Name: "video", Queue: 77, Process: player, Framework: analyzer.Flutter}
	for i, at := range []trace.Time{0, 20, 40, 65, 70, 90} {
		at := 1000*ms + at*ms
		f := &analyzer.Frame{Process: player, TID: 2001, VsyncID: int64(10 + i), Framework: analyzer.Flutter, Actual: analyzer.Interval{Start: at + 1, End: at + 2*ms}}
		b := &analyzer.Buffer{
			Layer: l, Sequence: int64(5 + i%3), TID: 2002, Requested: analyzer.Interval{Start: at, End: at + ms}, Queued: at + 2*ms,
			Ready: at + 3*ms, Frame: f,
		}
		t.Frames, l.Buffers = append(t.Frames, f), append(l.Buffers, b)
		if i == 3 {
			b.Fate = analyzer.Discarded
			continue
		}
		r := &analyzer.Frame{
			Kind: analyzer.RenderFrame, Process: &analyzer.Process{PID: 1, Name: "render_service"}, TID: 1, VsyncID: int64(100 + i), Period: 10 * trace.Millisecond,
			Actual: analyzer.Interval{Start: at + 4*ms, End: at + 5*ms}, Present: at + 15*ms,
		}
		t.Frames = append(t.Frames, r)
		b.Acquired, b.Render, b.Present, b.Fate = at+4*ms, r, r.Present, analyzer.Shown
	}
	unknown := &analyzer.Layer{ID: 2, Name: "preview"}
	unknown.Buffers = []*analyzer.Buffer{{Layer: unknown, Acquired: 1007 * ms}}
	t.Layers = []*analyzer.Layer{l, unknown}
	t.Interactions = []*analyzer.Interaction{{ID: 3, Frames: t.Frames[2:3]}, {ID: 4, Frames: t.Frames[2:4]}}
	t.JudgeLayers()
	return t
}

// A buffer has a row with its times, fate and pace, beside or instead of those of frames.
func TestBuffers(t *testing.T) {
	columns := []string{
		"kind", "process", "pid", "tid", "vsync_id", "start_ns", "end_ns", "period_ns", "late", "flag", "render_vsync_id", "present_ns", "deadline_ns", "overrun_ns",
		"interaction", "shown_ns", "framework", "layer", "layer_id", "queue_id", "sequence", "fate", "request_start_ns", "request_end_ns", "queued_ns", "ready_ns",
		"acquired_ns", "interval_ns", "cadence_ns", "pace", "input",
	}
	// The cadence is the median of the intervals between buffers as they were queued: 20, 20, 25, 5, 20 ms.
	checkRows(t, video(), Options{Kinds: []string{"layer"}}, columns, []string{
		"layer player 2000 2002 10 1000000000 1015000000 10000000 0 0 100 1015000000 0 0 0 1015000000 flutter video 1 77 5 shown 1000000000 1001000000 1002000000 1003000000 1004000000 0 20000000 0 0",
		"layer 0 0 0 0 1007000000 1007000000 0 0 0 0 0 0 0 0 0 0 preview 2 0 0 waiting 0 0 0 0 1007000000 0 0 0 0",
		"layer player 2000 2002 11 1020000000 1035000000 10000000 false 0 101 1035000000 0 0 3 4 1035000000 flutter video 1 77 6 shown 1020000000 1021000000 1022000000 1023000000 1024000000 20000000 20000000 even 0",
		"layer player 2000 2002 12 1040000000 1055000000 10000000 false 0 102 1055000000 0 0 0 1055000000 flutter video 1 77 7 shown 1040000000 1041000000 1042000000 1043000000 1044000000 20000000 20000000 even 0",
		"layer player 2000 2002 13 1065000000 1067000000 0 0 0 0 0 0 0 0 0 flutter video 1 77 5 dropped 1065000000 1066000000 1067000000 1068000000 0 0 20000000 0 0",
		"layer player 2000 2002 14 1070000000 1085000000 10000000 true 0 104 1085000000 1064000000 10000000 0 1085000000 flutter video 1 77 6 shown 1070000000 1071000000 1072000000 1073000000 1074000000 30000000 20000000 late 0",
		"layer player 2000 2002 15 1090000000 1105000000 10000000 false 0 105 1105000000 0 0 0 1105000000 flutter video 1 77 7 shown 1090000000 1091000000 1092000000 1093000000 1094000000 20000000 20000000 even 0",
	})
	short := []string{"kind", "vsync_id", "layer", "late"}
	named := func(name string) func(*analyzer.Layer) bool {
		return func(l *analyzer.Layer) bool { return l.Name == name }
	}
	for _, c := range []struct {
		o    Options
		want []string
	}{
		{Options{Limit: 2}, []string{"app 10 0 0", "render 100 0 0"}},
		{Options{Kinds: []string{"render"}, Limit: 2}, []string{"render 100 0 0", "render 101 0 0"}},
		{Options{Kinds: []string{"layer", "app"}, Limit: 3}, []string{"layer 10 video 0", "app 10 0 0", "layer 0 preview 0"}},
		{Options{Kinds: []string{"layer"}, Layer: named("preview")}, []string{"layer 0 preview 0"}},
		{Options{Kinds: []string{"layer"}, Process: func(p *analyzer.Process) bool { return p.PID == 2000 }, Limit: 2}, []string{"layer 10 video 0", "layer 11 video false"}},
		{Options{Kinds: []string{"layer"}, Late: true}, []string{"layer 14 video true"}},
		{Options{Kinds: []string{"layer", "app"}, Late: true}, []string{"layer 14 video true", "app 14 0 true"}},
		{Options{Kinds: []string{"layer"}, Sort: "interval_ns", Limit: 2}, []string{"layer 14 video true", "layer 11 video false"}},
		{Options{Kinds: []string{"layer"}, Sort: "layer", Limit: 2}, []string{"layer 0 preview 0", "layer 10 video 0"}},
		{Options{Kinds: []string{"layer"}, Sort: "queue", Late: true}, []string{"layer 14 video true"}},
		{Options{Kinds: []string{"layer"}, Interaction: 3}, []string{"layer 11 video false"}},
	} {
		checkRows(t, video(), c.o, short, c.want)
	}
}

// The table has the waits of a buffer in milliseconds, and its pace or fate.
func TestBuffersTable(t *testing.T) {
	var b strings.Builder
	timeline := video()
	timeline.Layers[0].Buffers[0].Ready = timeline.Layers[0].Buffers[0].Queued - 1 // the fence was signaled before
	if err := Write(&b, []Input{{Timeline: timeline}}, Options{Format: "table", Kinds: []string{"layer"}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"kind process framework layer pid tid vsync at ms took ms over ms facts request ms gpu ms queue ms interval ms render shown ms",
		"layer player flutter video 2000 2002 10 +0.0 15.0 – shown 1.0 0.0 2.0 – 100 +15.0",
		"layer – – preview – – – +7.0 0.0 – waiting – – – – – –",
		"layer player flutter video 2000 2002 11 +20.0 15.0 0.0 even 1.0 1.0 2.0 20.0 101 +35.0",
		"layer player flutter video 2000 2002 12 +40.0 15.0 0.0 even 1.0 1.0 2.0 20.0 102 +55.0",
		"layer player flutter video 2000 2002 13 +65.0 2.0 – dropped 1.0 1.0 – – – –",
		"layer player flutter video 2000 2002 14 +70.0 15.0 10.0 late 1.0 1.0 2.0 30.0 104 +85.0",
		"layer player flutter video 2000 2002 15 +90.0 15.0 0.0 even 1.0 1.0 2.0 20.0 105 +105.0",
	}
	for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if got := strings.Join(strings.Fields(line), " "); i >= len(want) || got != want[i] {
			t.Errorf("line %d: got %q", i, got)
		}
	}
	// The order of columns in a terminal: the layer, its intervals and facts remain.
	b.Reset()
	timeline.Layers[0].Name, timeline.Layers[0].Process.Name = "com.example.player SurfaceView of a video", "com.example.player"
	if err := Write(&b, []Input{{Timeline: timeline}}, Options{Format: "table", Kinds: []string{"layer"}, Style: text.Style{Width: 80}}); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(b.String(), "\n")
	if got := strings.Join(strings.Fields(head), " "); got != "process layer at ms over ms facts interval ms" {
		t.Errorf("80 cells: %s", got)
	}
}

// SurfaceFlinger's traces have verdicts for all frames, truncated ones too. Complete frames
// of OpenHarmony have verdicts by their facts. Frames of dumps have no verdict.
func TestWhoIsJudged(t *testing.T) {
	timeline := twoLayers().Android
	for _, test := range []struct {
		name    string
		facts   analyzer.Facts
		android *analyzer.Android
		want    string // jank type
	}{
		{"OpenHarmony", 0, nil, "None"},
		{"OpenHarmony, late", analyzer.MainLate, nil, "App Deadline Missed"},
		{"OpenHarmony, truncated", analyzer.Truncated, nil, ""},
		{"converted from OpenHarmony", 0, &analyzer.Android{}, "None"},
		{"Android", 0, timeline, "App Deadline Missed"},
		{"Android, truncated", analyzer.Truncated, timeline, "App Deadline Missed"},
		{"latency", 0, &analyzer.Android{Latency: &analyzer.LayerLatency{}}, ""},
		{"framestats", 0, &analyzer.Android{Stats: &analyzer.FrameStats{}}, "None"},
		{"framestats, classes of hwui", 0, &analyzer.Android{Stats: &analyzer.FrameStats{Jank: analyzer.StatsJanky | analyzer.StatsSlowUI}}, "Janky, Slow UI thread"},
	} {
		f := unknown()
		f.Facts, f.Android = test.facts, test.android
		row := csvRow(t, f)
		if dump := test.android != nil && (test.android.Latency != nil || test.android.Stats != nil); dump != (row["layers"] == "") {
			t.Errorf("%s: layers %q", test.name, row["layers"])
		}
		verdict := test.want != "" && (test.android == nil || test.android.Stats == nil)
		if row["jank_type"] != test.want || (row["present_type"] != "") != verdict || (row["prediction_type"] != "") != verdict {
			t.Errorf("%s: %q, %q, want %q", test.name, row["jank_type"], row["present_type"], test.want)
		}
	}
}

// cellsOf returns the row as in CSV.
func cellsOf(r row) (cells []string) {
	for _, c := range Columns {
		cells = append(cells, view.RecordCell(r, c))
	}
	return cells
}

// Facts of frames are empty for a buffer, also for a late one, and not false or 0.
func TestBuffersHaveNoFacts(t *testing.T) {
	l := &analyzer.Layer{ID: 1, Name: "video", Cadences: []analyzer.Cadence{{Every: 30, Buffers: 1, Shown: 1}}}
	l.Buffers = []*analyzer.Buffer{{Layer: l, Queued: 100, Present: 190, Fate: analyzer.Shown, Pace: analyzer.Late, Interval: 60}}
	var b strings.Builder
	if err := Write(&b, []Input{{Name: "a", Timeline: &analyzer.Timeline{Layers: []*analyzer.Layer{l}}}}, Options{Format: "json", Kinds: []string{KindLayer}}); err != nil {
		t.Fatal(err)
	}
	for _, column := range []string{"empty", "misaligned", "truncated", "flag", "coalesced", "main_late"} {
		if !strings.Contains(b.String(), `"`+column+`": null`) {
			t.Errorf("%s is not null in %s", column, b.String())
		}
	}
	if !strings.Contains(b.String(), `"late": true`) {
		t.Errorf("the buffer is not late: %s", b.String())
	}
}
