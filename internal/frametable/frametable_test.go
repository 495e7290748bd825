package frametable

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
	"ohframe/internal/view"
)

func write(t *testing.T, o Options, inputs ...Input) string {
	t.Helper()
	var b bytes.Buffer
	if o.Style.Width == 0 {
		o.Style.Width = 500 // all columns
	}
	must.Do(t, Write(&b, inputs, o))
	return b.String()
}

// rows returns the rows of CSV by column. JSON and Parquet have the same, and the table as many.
func rows(t *testing.T, o Options, inputs ...Input) (list []map[string]string) {
	t.Helper()
	format := func(format string) string {
		o := o
		o.Format = format
		return write(t, o, inputs...)
	}
	records, err := csv.NewReader(strings.NewReader(format("csv"))).ReadAll()
	if err != nil || !slices.Equal(records[0], columns) {
		t.Fatalf("columns %q, %v", records, err)
	}
	var d struct{ Frames []row }
	must.Do(t, json.Unmarshal([]byte(format("json")), &d))
	text := format("parquet")
	packed := must.Get(parquet.Read[row](strings.NewReader(text), int64(len(text))))(t)
	file := must.Get(parquet.OpenFile(strings.NewReader(text), int64(len(text))))(t)
	for i, c := range file.Root().Columns() {
		must.Equal(t, c.Name(), columns[i], "column %d of Parquet", i)
	}
	cells := func(r row) (cells []string) {
		for _, c := range columns {
			cells = append(cells, view.RecordCell(r, c))
		}
		return cells
	}
	for i, record := range records[1:] {
		if inJSON, inParquet := cells(d.Frames[i]), cells(packed[i]); !slices.Equal(inJSON, record) || !slices.Equal(inParquet, record) {
			t.Errorf("JSON has\n%q, Parquet\n%q, want\n%q", inJSON, inParquet, record)
		}
		list = append(list, map[string]string{})
		for k, c := range columns {
			list[i][c] = record[k]
		}
	}
	must.Equal(t, strings.Count(format("table"), "\n"), len(records), "lines of a table")
	return list
}

// cellsOf returns the cells of columns, with 0 for an empty one.
func cellsOf(rows []map[string]string, columns ...string) (lines []string) {
	for _, r := range rows {
		var cells []string
		for _, c := range columns {
			if r[c] == "" {
				cells = append(cells, "0")
			} else {
				cells = append(cells, r[c])
			}
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	return lines
}

func rowOf(t *testing.T, f *analyzer.Frame) map[string]string {
	t.Helper()
	return rows(t, Options{}, Input{Timeline: &analyzer.Timeline{Frames: []*analyzer.Frame{f}}})[0]
}

// unknown is a frame with only a known thread.
func unknown() *analyzer.Frame {
	return &analyzer.Frame{Process: &analyzer.Process{PID: 7}, TID: 8}
}

// testdata/api/frames.md has the columns with the comments of the fields. "make docs" writes them.
func TestColumns(t *testing.T) {
	schematest.Columns(t, "../../testdata/api/frames.md", "JSON, CSV and Parquet have these columns, with times in nanoseconds of trace time:", reflect.TypeFor[row]())
	must.Equal(t, write(t, Options{Format: "csv"}, Input{Timeline: &analyzer.Timeline{}}), strings.Join(columns, ",")+"\n", "csv without frames")
	must.Equal(t, write(t, Options{Format: "table"}, Input{Timeline: &analyzer.Timeline{}}), "kind  process  pid  tid  vsync  at ms  took ms  over ms  facts  render  shown ms\n", "table without frames")
	// JSON has all columns. Unknown values are null, and lists are not.
	var d struct{ Frames []map[string]any }
	must.Do(t, json.Unmarshal([]byte(write(t, Options{Format: "json"}, Input{Timeline: &analyzer.Timeline{Frames: []*analyzer.Frame{unknown()}}})), &d))
	object, row := d.Frames[0], rowOf(t, unknown())
	for _, c := range columns {
		value, ok := object[c]
		list, isList := value.([]any)
		if !ok || (value == nil) != (row[c] == "" && c != "process" && !isList) || isList && list == nil {
			t.Errorf("json: %s: got %v", c, value)
		}
	}
	must.Equal(t, len(object), len(columns), "json: names")
}

// Columns that are not wanted are empty. Without a deadline it is unknown whether the frame was late. The
// other facts are always known, and so is the verdict that a converted trace has.
func TestFrames(t *testing.T) {
	app := &analyzer.Frame{
		Kind: analyzer.ApplicationFrame, Process: &analyzer.Process{PID: 2000, Name: "app"}, TID: 2001, VsyncID: 7,
		Actual: analyzer.Interval{Start: 110, End: 230}, Expected: analyzer.Interval{Start: 100, End: 200}, Deadline: 200,
		Period: 100, Facts: analyzer.MainLate | analyzer.Misaligned, Coalesced: 2,
		Transactions: []analyzer.Sent{{Index: 5}, {Index: 4}, {Index: 1 << 40}},
		Render:       &analyzer.Frame{Kind: analyzer.RenderFrame, VsyncID: 9, Present: 400},
	}
	render := &analyzer.Frame{
		Kind: analyzer.RenderFrame, Process: &analyzer.Process{PID: 1027, Name: "render_service"}, TID: 1027, VsyncID: 9,
		Actual: analyzer.Interval{Start: 210, End: 290}, Expected: analyzer.Interval{Start: 200, End: 350}, Deadline: 350,
		Period: 100, Facts: analyzer.GPULate | analyzer.Misaligned,
		// The piece that starts first does not end last, nor does the last to start.
		GPU:     []analyzer.Interval{{Start: 220, End: 260}, {Start: 230, End: 380}, {Start: 240, End: 250}},
		Commit:  analyzer.Interval{Start: 300, End: 310},
		Present: 400, PresentEstimated: true,
	}
	for _, test := range []struct {
		frame *analyzer.Frame
		want  map[string]string
	}{
		{unknown(), map[string]string{
			"kind": "app", "pid": "7", "tid": "8", "flag": "0",
			"empty": "false", "misaligned": "false", "truncated": "false", "unfinished": "false", "coalesced": "0",
			"jank_type": "None", "jank_severity": "None", "present_type": "Unknown Present", "prediction_type": "Unknown Prediction",
			"layers": "#8",
		}},
		{app, map[string]string{
			"kind": "app", "process": "app", "pid": "2000", "tid": "2001", "vsync_id": "7",
			"transactions": "5 4 1099511627776", // in the order sent
			"start_ns":     "110", "end_ns": "230", "expected_start_ns": "100", "expected_end_ns": "200", "period_ns": "100",
			"late": "true", "empty": "false", "misaligned": "true", "truncated": "false", "unfinished": "false",
			"flag":            "1",                    // 3 is for render frames
			"render_vsync_id": "9", "shown_ns": "400", // present_ns is that of a render frame
			"jank_type": "App Deadline Missed", "jank_severity": "Full", "present_type": "Unknown Present",
			"prediction_type": "Valid Prediction", "on_time_finish": "false", "layers": "app#2001",
			"deadline_ns": "200", "overrun_ns": "30", "main_late": "true", "gpu_late": "false", "coalesced": "2",
		}},
		{render, map[string]string{
			"kind": "render", "process": "render_service", "pid": "1027", "tid": "1027", "vsync_id": "9",
			"start_ns": "210", "end_ns": "290", "expected_start_ns": "200", "expected_end_ns": "350", "period_ns": "100",
			"late": "true", "empty": "false", "misaligned": "true", "truncated": "false", "unfinished": "false", "flag": "3",
			"gpu_start_ns": "220", "gpu_end_ns": "380", "commit_ns": "300", "present_ns": "400", "shown_ns": "400",
			"jank_type": "SurfaceFlinger Scheduling, SurfaceFlinger GPU Deadline Missed", "jank_severity": "Full",
			"present_type": "On-time Present", "prediction_type": "Valid Prediction", "on_time_finish": "false",
			"deadline_ns": "350", "overrun_ns": "30", "main_late": "false", "gpu_late": "true", "coalesced": "0", "commit_estimated": "false", "present_estimated": "true",
		}},
	} {
		for column, got := range rowOf(t, test.frame) {
			must.Equal(t, got, test.want[column], "%s of %s", column, test.want["kind"])
		}
	}
	timeline := twoLayers().Android
	for _, test := range []struct {
		what   string
		change func(*analyzer.Frame)
		of     *analyzer.Frame
		want   string
	}{
		{"a first draw, an inferred deadline", facts(app.Facts | analyzer.FirstDraw | analyzer.DeadlineInferred), app, "first_draw=true, deadline_inferred=true"},
		{"a dropped frame", facts(app.Facts | analyzer.Dropped), app, "shown_ns="},
		{"a render frame of an unknown vsync id", func(f *analyzer.Frame) { f.Render = &analyzer.Frame{Kind: analyzer.RenderFrame, Present: 400} }, app, "render_vsync_id=, shown_ns=400"},
		// A frame of a worker thread has the deadline of the main thread's, and no expected interval.
		{"a worker", func(f *analyzer.Frame) { f.Deadline, f.Actual = 100, analyzer.Interval{Start: 10, End: 90} }, nil, "deadline_ns=100, expected_end_ns=, late=false, main_late=false, overrun_ns=-10"},
		{"no deadline", func(f *analyzer.Frame) { f.Actual = analyzer.Interval{Start: 10, End: 90} }, nil, "deadline_ns=, late=, main_late=, gpu_late=, overrun_ns="},
		{"no process id", func(f *analyzer.Frame) { f.Process = &analyzer.Process{PID: 7, NoPID: true} }, nil, "pid=, tid="},
		{"processor time, display syncs", func(f *analyzer.Frame) {
			f.CPUTime = 1_400_000
			f.DisplaySyncs = []analyzer.DisplaySync{{ID: 3, Type: analyzer.CallbackSync}, {ID: 18}, {ID: 4, Type: analyzer.XComponentSync}, {ID: 5, Type: analyzer.UnknownSync}}
		}, nil, "cpu_ns=1400000, display_syncs=callback 3; animator 18; xcomponent 4; unknown 5"},
		{"screens", func(f *analyzer.Frame) {
			f.Kind, f.Screens = analyzer.RenderFrame, []analyzer.Screen{{ID: 0, Present: 1_010_000_000}, {ID: 5}}
		}, nil, "screens=0 1010000000; 5"},
		{"facts", facts(0), render, "late=false, empty=false, misaligned=false, truncated=false, flag=0"},
		{"facts", facts(analyzer.MainLate), render, "late=true, empty=false, misaligned=false, truncated=false, flag=1"},
		{"facts", facts(analyzer.GPULate), render, "late=true, empty=false, misaligned=false, truncated=false, flag=1"},
		{"facts", facts(analyzer.Empty), render, "late=false, empty=true, misaligned=false, truncated=false, flag=2"},
		{"facts", facts(analyzer.Misaligned), render, "late=false, empty=false, misaligned=true, truncated=false, flag=3"},
		{"facts", facts(analyzer.Truncated), render, "late=, empty=, misaligned=false, truncated=true, flag="},
		{"facts", facts(analyzer.EmptyUnknown), render, "late=false, empty=, misaligned=false, truncated=false, flag="},
		{"facts", facts(analyzer.EmptyUnknown | analyzer.MainLate), render, "late=true, empty=, misaligned=false, truncated=false, flag=1"},
		{"facts", facts(analyzer.MainLate | analyzer.Misaligned), render, "late=true, empty=false, misaligned=true, truncated=false, flag=3"},
		{"facts", facts(analyzer.MainLate | analyzer.Misaligned | analyzer.Empty), render, "late=true, empty=true, misaligned=true, truncated=false, flag=2"},
		// SurfaceFlinger's traces have verdicts for all frames, truncated ones too. Complete frames of
		// OpenHarmony have verdicts by their facts. Frames of dumps have no verdict.
		{"OpenHarmony, late", facts(analyzer.MainLate), nil, "jank_type=App Deadline Missed, present_type=Unknown Present, prediction_type=Unknown Prediction"},
		{"OpenHarmony, truncated", facts(analyzer.Truncated), nil, "jank_type=, present_type=, prediction_type=, layers=#8"},
		{"converted from OpenHarmony", android(0, &analyzer.Android{}), nil, "jank_type=None, present_type=Unknown Present, layers=#8"},
		{"Android", android(0, timeline), nil, "jank_type=App Deadline Missed, present_type=Late Present, layers=main#10; popup#11"},
		{"Android, truncated", android(analyzer.Truncated, timeline), nil, "jank_type=App Deadline Missed, present_type=Late Present"},
		{"latency", android(0, &analyzer.Android{Latency: &analyzer.LayerLatency{}}), nil, "jank_type=, present_type=, prediction_type=, layers="},
		{"framestats", android(0, &analyzer.Android{Stats: &analyzer.FrameStats{}}), nil, "jank_type=None, present_type=, prediction_type=, layers="},
		{"framestats, classes of hwui", android(0, &analyzer.Android{Stats: &analyzer.FrameStats{Jank: analyzer.StatsJanky | analyzer.StatsSlowUI}}), nil, "jank_type=Janky\\, Slow UI thread, present_type="},
	} {
		f := unknown()
		if test.of != nil {
			*f = *test.of
		}
		test.change(f)
		got := rowOf(t, f)
		for cell := range strings.SplitSeq(strings.ReplaceAll(test.want, `\, `, `\,`), ", ") {
			column, want, _ := strings.Cut(strings.ReplaceAll(cell, `\,`, ", "), "=")
			must.Equal(t, got[column], want, "%s: %s", test.what, column)
		}
	}
}

func facts(x analyzer.Facts) func(*analyzer.Frame) {
	return func(f *analyzer.Frame) { f.Facts = x }
}

func android(x analyzer.Facts, a *analyzer.Android) func(*analyzer.Frame) {
	return func(f *analyzer.Frame) { f.Facts, f.Android = x, a }
}

func TestDocument(t *testing.T) {
	const want = "{\n \"clock_offset_ns\": -4756467000000,\n \"frames\": [],\n \"diagnostics\": []\n}\n"
	must.Equal(t, write(t, Options{Format: "json"}, Input{Timeline: &analyzer.Timeline{Clock: analyzer.ClockOffset{Offset: -4756467 * trace.Millisecond}}}), want)
}

// Frames are filtered, sorted and counted, across inputs.
func TestChosen(t *testing.T) {
	frame := func(name string, vsync, took int, facts analyzer.Facts) *analyzer.Frame {
		start := trace.Time(1000 * vsync)
		return &analyzer.Frame{
			Process: &analyzer.Process{PID: 7, Name: name}, TID: 7, VsyncID: int64(vsync), Facts: facts,
			Actual: analyzer.Interval{Start: start, End: start.Add(trace.Duration(took))}, Deadline: start.Add(10),
		}
	}
	unended := frame("b", 3, 0, analyzer.Truncated)
	unended.Actual.End = 0
	inputs := []Input{
		{Name: "one", Timeline: &analyzer.Timeline{Frames: []*analyzer.Frame{frame("b", 1, 15, analyzer.MainLate), frame("a", 2, 5, 0), unended}}},
		{Name: "two", Timeline: &analyzer.Timeline{Frames: []*analyzer.Frame{frame("a", 4, 30, analyzer.MainLate)}}},
	}
	for _, c := range []struct {
		o    Options
		want string // vsyncs with their inputs
	}{
		{Options{}, "1 one, 2 one, 3 one, 4 two"},
		{Options{Late: true}, "1 one, 4 two"},
		{Options{Limit: 2}, "1 one, 2 one"},
		{Options{Sort: "duration"}, "4 two, 1 one, 2 one, 3 one"},
		{Options{Sort: "overrun_ns", Limit: 1}, "4 two"},
		{Options{Sort: "process"}, "2 one, 4 two, 1 one, 3 one"},
		{Options{Sort: "late"}, "1 one, 4 two, 2 one, 3 one"},
		{Options{Sort: "input", Limit: 3}, "1 one, 2 one, 3 one"},
		{Options{Process: func(p *analyzer.Process) bool { return p.Name == "a" }}, "2 one, 4 two"},
	} {
		must.Equal(t, strings.Join(cellsOf(rows(t, c.o, inputs...), "vsync_id", "input"), ", "), c.want, "%+v", c.o)
	}
	if err := Write(&bytes.Buffer{}, inputs, Options{Format: "csv", Sort: "colour"}); err == nil {
		t.Error("an unknown column is no error")
	}
	if table := write(t, Options{Format: "table"}, inputs...); !strings.Contains(table, "  input\n") || !strings.Contains(table, "  two\n") {
		t.Errorf("the table does not name the inputs:\n%s", table)
	}
}

// A frame has the ids of all interactions that count it, in every format. The table has them if
// they are wanted. An id selects frames.
func TestInteractionIDs(t *testing.T) {
	process := &analyzer.Process{PID: 7, Name: "app"}
	timeline := &analyzer.Timeline{}
	for n := range 4 {
		start := trace.Time(1000 + 100*n)
		timeline.Frames = append(timeline.Frames, &analyzer.Frame{Process: process, TID: 7, VsyncID: int64(10 + n), Actual: analyzer.Interval{Start: start, End: start + 50}})
	}
	f := timeline.Frames
	timeline.Interactions = []*analyzer.Interaction{{ID: 1, Frames: f[1:3]}, {ID: 2}, {ID: 12, Frames: f[2:]}}
	in := Input{Timeline: timeline}
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{}, "10 0, 11 1, 12 1 12, 13 12"}, {Options{Interaction: 1}, "11 1, 12 1 12"}, {Options{Interaction: 2}, ""}, {Options{Interaction: 12}, "12 1 12, 13 12"},
	} {
		must.Equal(t, strings.Join(cellsOf(rows(t, test.o, in), "vsync_id", "interaction"), ", "), test.want, "interaction %d", test.o.Interaction)
	}
	if got := rows(t, Options{Sort: "interaction"}, in); got[3]["vsync_id"] != "10" {
		t.Errorf("sorted: %v, want the frame without an interaction last", got)
	}
	var fleet [][]int64
	for r := range Frames(timeline, nil) {
		fleet = append(fleet, r.Interactions)
	}
	if !reflect.DeepEqual(fleet, [][]int64{{}, {1}, {1, 12}, {12}}) {
		t.Errorf("rows of fleets: %v", fleet)
	}
}

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
	want := []string{
		"app 5 110 230 true 6 App Deadline Missed Full Late Present false main#10; popup#11 0",
		"render 0 0 0 0 0 None None Unknown Present 0 0 0",
		"layer 5 110 190 0 6 None None On-time Present true 0 main#10",
		"layer 5 120 230 0 0 App Deadline Missed Full Late Present false 0 popup#11",
	}
	if got := cellsOf(rows(t, Options{Kinds: Kinds}, Input{Timeline: timeline}), columns...); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
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
	want := []string{
		"layer player 2000 2002 10 1000000000 1015000000 10000000 0 0 100 1015000000 0 0 0 1015000000 flutter video 1 77 5 shown 1000000000 1001000000 1002000000 1003000000 1004000000 0 20000000 0 0",
		"layer 0 0 0 0 1007000000 1007000000 0 0 0 0 0 0 0 0 0 0 preview 2 0 0 waiting 0 0 0 0 1007000000 0 0 0 0",
		"layer player 2000 2002 11 1020000000 1035000000 10000000 false 0 101 1035000000 0 0 3 4 1035000000 flutter video 1 77 6 shown 1020000000 1021000000 1022000000 1023000000 1024000000 20000000 20000000 even 0",
		"layer player 2000 2002 12 1040000000 1055000000 10000000 false 0 102 1055000000 0 0 0 1055000000 flutter video 1 77 7 shown 1040000000 1041000000 1042000000 1043000000 1044000000 20000000 20000000 even 0",
		"layer player 2000 2002 13 1065000000 1067000000 0 0 0 0 0 0 0 0 0 flutter video 1 77 5 dropped 1065000000 1066000000 1067000000 1068000000 0 0 20000000 0 0",
		"layer player 2000 2002 14 1070000000 1085000000 10000000 true 0 104 1085000000 1064000000 10000000 0 1085000000 flutter video 1 77 6 shown 1070000000 1071000000 1072000000 1073000000 1074000000 30000000 20000000 late 0",
		"layer player 2000 2002 15 1090000000 1105000000 10000000 false 0 105 1105000000 0 0 0 1105000000 flutter video 1 77 7 shown 1090000000 1091000000 1092000000 1093000000 1094000000 20000000 20000000 even 0",
	}
	if got := cellsOf(rows(t, Options{Kinds: []string{"layer"}}, Input{Timeline: video()}), columns...); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
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
		must.EqualSlices(t, cellsOf(rows(t, c.o, Input{Timeline: video()}), "kind", "vsync_id", "layer", "late"), c.want, "%+v", c.o)
	}
	// Facts of frames are empty for a buffer, also for a late one.
	for _, r := range rows(t, Options{Kinds: []string{KindLayer}, Late: true}, Input{Timeline: video()}) {
		for _, column := range []string{"empty", "misaligned", "truncated", "flag", "coalesced", "main_late"} {
			must.Equal(t, r[column], "", "%s", column)
		}
	}
}

// The columns of a cause are those of the largest share. A frame on time has none, and
// one whose cause is unknown has only that outcome and how sure it is.
func TestCauses(t *testing.T) {
	process := &analyzer.Process{PID: 2000, Name: "com.example.app"}
	late := &analyzer.Frame{Process: process, TID: 2000, VsyncID: 7}
	unknown := &analyzer.Frame{Process: process, TID: 2000, VsyncID: 8}
	onTime := &analyzer.Frame{Process: process, TID: 2000, VsyncID: 9}
	timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{late, unknown, onTime}}
	causes := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{
		late: {Frame: late, Outcome: why.OneCause, Confidence: 1, Lost: 5, Shares: []why.Share{
			{Stage: why.StageBuild, Wait: why.WaitBinder, Slice: "=cmd", Value: 9, Usual: 0, Share: 4, Culprit: &why.Culprit{TID: 3, Process: "media", Thread: "OS_IPC_3"}},
			{Stage: why.StageLayout, Wait: why.Run, Slice: "FlushLayoutTask", Value: 8, Usual: 6, Share: 1},
		}},
		unknown: {Frame: unknown, Outcome: why.NotKnown, Lost: 5, Shares: []why.Share{{Wait: why.WaitUnknown, Value: 9, Share: 5}}},
		onTime:  {Frame: onTime},
	}}
	columns := []string{"verdict", "cause_wait", "cause_stage", "cause_slice", "cause_ns", "cause_usual_ns", "cause_share_ns", "culprit", "confidence"}
	for _, c := range []struct {
		causes *why.Causes
		want   []string
	}{
		{causes, []string{"cause binder build '=cmd 9 0 4 media:OS_IPC_3 medium", "unknown 0 0 0 0 0 0 0 high", "0 0 0 0 0 0 0 0 0"}},
		{nil, slices.Repeat([]string{"0 0 0 0 0 0 0 0 0"}, 3)},
	} {
		must.EqualSlices(t, cellsOf(rows(t, Options{}, Input{Timeline: timeline, Causes: c.causes}), columns...), c.want)
	}
	list := rows(t, Options{}, Input{Timeline: timeline, Causes: causes})
	if list[0]["cause_usual_ns"] != "0" || list[1]["cause_usual_ns"] != "" || !strings.HasPrefix(list[1]["cause"], "cause unknown: ") {
		t.Errorf("%v", list)
	}
	// The table has the words of why, with both ends of what is too long.
	for _, line := range []string{"  waiting for another process's reply in =cmd: media:OS_IPC_3\n", "  unknown\n", "  –\n"} {
		if table := write(t, Options{Format: "table"}, Input{Timeline: timeline, Causes: causes}); !strings.Contains(table, line) {
			t.Errorf("no %q in\n%s", line, table)
		}
	}
}

// A late buffer has its reason, or the cause of the late frame that drew it. One that is not late
// has none.
func TestBufferCauses(t *testing.T) {
	timeline := video()
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{}, Buffers: map[*analyzer.Buffer]*why.Explanation{}}
	var late *analyzer.Buffer
	for _, b := range timeline.Layers[0].Buffers {
		c.Frames[b.Frame] = &why.Explanation{Frame: b.Frame, Outcome: why.NotKnown, Lost: 5}
		if b.Pace == analyzer.Late {
			late = b
		}
	}
	columns := []string{"verdict", "reason", "cause_wait", "cause_slice", "cause_ns", "cause_share_ns", "culprit"}
	check := func(want, brief string) {
		t.Helper()
		in := Input{Timeline: timeline, Causes: c}
		for _, r := range rows(t, Options{Kinds: []string{KindLayer}}, in) {
			want, isLate := want, r["late"] == "true"
			if !isLate {
				want = "0 0 0 0 0 0 0"
			}
			if got := cellsOf([]map[string]string{r}, columns...)[0]; got != want || isLate != (r["cause"] != "") {
				t.Errorf("%s, want %s; %q", got, want, r)
			}
		}
		if table := write(t, Options{Format: "table", Kinds: []string{KindLayer}, Late: true}, in); !strings.HasSuffix(table, "  "+brief+"\n") {
			t.Errorf("the table does not end with %q:\n%s", brief, table)
		}
	}
	check("unknown 0 0 0 0 0 0", "unknown")

	late.Frame.Facts = 0 // it was in time
	late.Frame.Deadline = 0
	c.Buffers[late] = &why.Explanation{Buffer: late, End: late.Present, Lost: late.Overrun(), Outcome: why.QueuedLate, Shares: []why.Share{
		{Stage: why.StageProduce, Wait: why.WaitBinder, Slice: "ReadFrame", Value: 12, Usual: 2, Share: late.Overrun(), Culprit: &why.Culprit{TID: 3, Process: "media", Thread: "OS_IPC_3"}},
	}}
	check("0 queued_late binder ReadFrame 12 10000000 media:OS_IPC_3", causetext.CostTitle(&why.Cost{Outcome: why.QueuedLate, Share: &c.Buffers[late].Shares[0]}))
	c.Buffers[late] = &why.Explanation{Buffer: late, End: late.Present, Lost: late.Overrun(), Outcome: why.ShownLate}
	check("0 shown_late 0 0 0 0 0", "shown late by render_service")
}
