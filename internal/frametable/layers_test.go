package frametable

import (
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ohframe/analyzer"
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

// A frame has one row with all its layers, or each layer has one with what is its
// own: its interval, its verdict and the render frame that took it.
func TestLayers(t *testing.T) {
	frame := twoLayers()
	single := twoLayers()
	single.Android.Timeline.Surfaces = single.Android.Timeline.Surfaces[1:]
	timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{frame, single, {Kind: analyzer.RenderFrame, Process: frame.Process}}}
	columns := []string{"start_ns", "end_ns", "late", "render_vsync_id", "jank_type", "jank_severity", "present_type", "on_time_finish", "layers"}
	late := "110 230 true 6 App Deadline Missed Full Late Present false "
	for _, test := range []struct {
		layers bool
		want   []string
	}{
		{false, []string{late + "main#10; popup#11", late + "popup#11"}},
		{true, []string{
			"110 190 true 6 None None On-time Present true main#10",
			"120 230 true  App Deadline Missed Full Late Present false popup#11",
			late + "popup#11", // the only layer's row is the frame's
		}},
	} {
		write := func(format string) string {
			var b strings.Builder
			if err := Write(&b, []Input{{Timeline: timeline}}, Options{Format: format, Layers: test.layers}); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		rows, err := csv.NewReader(strings.NewReader(write("csv"))).ReadAll()
		if err != nil || len(rows) != len(test.want)+2 {
			t.Fatalf("%d lines, %v, want the columns, %d rows and the render frame's", len(rows), err, len(test.want))
		}
		index := map[string]int{}
		for i, c := range rows[0] {
			index[c] = i
		}
		for i, want := range test.want {
			var cells []string
			for _, c := range columns {
				cells = append(cells, rows[i+1][index[c]])
			}
			if got := strings.Join(cells, " "); got != want {
				t.Errorf("layers %v, row %d:\n%s, want\n%s", test.layers, i, got, want)
			}
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
		var inJSON, inParquet, want [][]string
		for i := range rows[1:] {
			want = append(want, rows[i+1])
			inJSON = append(inJSON, cellsOf(d.Frames[i]))
			inParquet = append(inParquet, cellsOf(packed[i]))
		}
		if !reflect.DeepEqual(inJSON, want) || !reflect.DeepEqual(inParquet, want) {
			t.Errorf("layers %v: JSON has\n%q, Parquet\n%q, want\n%q", test.layers, inJSON, inParquet, want)
		}
		if got := strings.Count(write("table"), "\n"); got != len(rows) {
			t.Errorf("layers %v: %d lines of a table, want %d", test.layers, got, len(rows))
		}
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
