package frametable

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/schematest"
	"ohframe/internal/text"
)

func write(t *testing.T, format string, timeline *analyzer.Timeline) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, []Input{{Timeline: timeline}}, Options{Format: format}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// csvRow returns the only frame's row by column.
func csvRow(t *testing.T, f *analyzer.Frame) map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(write(t, "csv", &analyzer.Timeline{Frames: []*analyzer.Frame{f}}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 {
		t.Fatalf("%d lines, want the columns and a row", len(rows))
	}
	row := map[string]string{}
	for i, c := range rows[0] {
		row[c] = rows[1][i]
	}
	return row
}

// checkRow checks the only frame's row. Columns that are not wanted are empty.
func checkRow(t *testing.T, f *analyzer.Frame, want map[string]string) {
	t.Helper()
	for column, got := range csvRow(t, f) {
		if got != want[column] {
			t.Errorf("csv: %s: got %q, want %q", column, got, want[column])
		}
	}
}

// jsonRow returns the only frame's object.
func jsonRow(t *testing.T, f *analyzer.Frame) map[string]any {
	t.Helper()
	var d struct{ Frames []map[string]any }
	if err := json.Unmarshal([]byte(write(t, "json", &analyzer.Timeline{Frames: []*analyzer.Frame{f}})), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Frames) != 1 {
		t.Fatalf("%d frames, want 1", len(d.Frames))
	}
	return d.Frames[0]
}

// unknown is a frame with only a known thread.
func unknown() *analyzer.Frame {
	return &analyzer.Frame{Process: &analyzer.Process{PID: 7}, TID: 8}
}

// docs/commands.md has the columns with the comments of the fields. "make docs" writes them.
func TestColumns(t *testing.T) {
	schematest.Columns(t, "../../docs/commands.md", "formats have these columns, with times in nanoseconds of trace time, and empty values where unknown:", reflect.TypeFor[row]())
	head, rest, _ := strings.Cut(write(t, "csv", &analyzer.Timeline{}), "\n")
	if got := strings.Split(head, ","); !slices.Equal(got, Columns) || rest != "" {
		t.Errorf("csv without frames: got %q and %q, want the columns alone", got, rest)
	}
	if got := write(t, "table", &analyzer.Timeline{}); got != "kind  process  pid  tid  vsync  at ms  took ms  over ms  facts  render  shown ms\n" {
		t.Errorf("table without frames: got %q", got)
	}
	object := jsonRow(t, unknown())
	for _, c := range Columns {
		if _, ok := object[c]; !ok {
			t.Errorf("json: no %s", c)
		}
	}
	if len(object) != len(Columns) {
		t.Errorf("json: %d names, want %d", len(object), len(Columns))
	}
}

// Unknown values are empty, null in JSON, or a dash in a table. Without a deadline it is
// unknown whether the frame was late. The other facts are always known, and so is the verdict
// that a converted trace has.
func TestUnknown(t *testing.T) {
	known := map[string]string{
		"kind": "app", "pid": "7", "tid": "8", "flag": "0",
		"empty": "false", "misaligned": "false", "truncated": "false", "unfinished": "false", "coalesced": "0",
		"jank_type": "None", "jank_severity": "None", "present_type": "Unknown Present", "prediction_type": "Unknown Prediction",
		"layers": "#8",
	}
	checkRow(t, unknown(), known)
	object := jsonRow(t, unknown())
	for _, c := range Columns {
		_, isKnown := known[c]
		switch c {
		case "process":
			isKnown = true // a name may be empty
		case "transactions", "interaction", "display_syncs", "screens":
			isKnown = true
			if list, ok := object[c].([]any); !ok || len(list) != 0 {
				t.Errorf("json: %s: got %v, want an empty list", c, object[c])
			}
		}
		if got := object[c]; (got != nil) != isKnown {
			t.Errorf("json: %s: got %v", c, got)
		}
	}
	lines := strings.Split(write(t, "table", &analyzer.Timeline{Frames: []*analyzer.Frame{unknown()}}), "\n")
	got := strings.Fields(lines[1])
	want := strings.Fields("app – 7 8 – – – – – – –")
	if !slices.Equal(got, want) {
		t.Errorf("table: got %q, want %q", got, want)
	}
}

func TestApplicationFrame(t *testing.T) {
	f := &analyzer.Frame{
		Kind: analyzer.ApplicationFrame, Process: &analyzer.Process{PID: 2000, Name: "app"}, TID: 2001, VsyncID: 7,
		Actual: analyzer.Interval{Start: 110, End: 230}, Expected: analyzer.Interval{Start: 100, End: 200}, Deadline: 200,
		Period: 100, Facts: analyzer.MainLate | analyzer.Misaligned, Coalesced: 2,
		Transactions: []analyzer.Sent{{Index: 5}, {Index: 4}, {Index: 1 << 40}},
		Render:       &analyzer.Frame{Kind: analyzer.RenderFrame, VsyncID: 9, Present: 400},
	}
	want := map[string]string{
		"kind": "app", "process": "app", "pid": "2000", "tid": "2001", "vsync_id": "7",
		"transactions": "5 4 1099511627776", // in the order sent
		"start_ns":     "110", "end_ns": "230", "expected_start_ns": "100", "expected_end_ns": "200", "period_ns": "100",
		"late": "true", "empty": "false", "misaligned": "true", "truncated": "false", "unfinished": "false",
		"flag":            "1",                    // 3 is for render frames
		"render_vsync_id": "9", "shown_ns": "400", // present_ns is that of a render frame
		"jank_type": "App Deadline Missed", "jank_severity": "Full", "present_type": "Unknown Present",
		"prediction_type": "Valid Prediction", "on_time_finish": "false", "layers": "app#2001",
		"deadline_ns": "200", "overrun_ns": "30", "main_late": "true", "gpu_late": "false", "coalesced": "2",
	}
	checkRow(t, f, want)
	first := *f
	first.Facts |= analyzer.FirstDraw | analyzer.DeadlineInferred
	if got := csvRow(t, &first)["first_draw"]; got != "true" {
		t.Errorf("first_draw of a first draw is %q", got)
	}
	if got := csvRow(t, &first)["deadline_inferred"]; got != "true" {
		t.Errorf("deadline_inferred of an inferred deadline is %q", got)
	}
	dropped := *f
	dropped.Facts |= analyzer.Dropped
	if r := newRow(&dropped); r.Shown != nil {
		t.Errorf("a dropped frame was shown at %d", *r.Shown)
	}
	if got, want := jsonRow(t, f)["transactions"], []any{5.0, 4.0, float64(1 << 40)}; !reflect.DeepEqual(got, want) {
		t.Errorf("json: transactions: got %v, want %v", got, want)
	}

	// A link to a render frame of unknown vsync id says no more than none does.
	f.Render.VsyncID = 0
	if got := csvRow(t, f)["render_vsync_id"]; got != "" {
		t.Errorf("render_vsync_id: got %q, want none", got)
	}
}

func TestRenderFrame(t *testing.T) {
	f := &analyzer.Frame{
		Kind: analyzer.RenderFrame, Process: &analyzer.Process{PID: 1027, Name: "render_service"}, TID: 1027, VsyncID: 9,
		Actual: analyzer.Interval{Start: 210, End: 290}, Expected: analyzer.Interval{Start: 200, End: 350}, Deadline: 350,
		Period: 100, Facts: analyzer.GPULate | analyzer.Misaligned,
		// The piece that starts first does not end last, nor does the last to start.
		GPU:     []analyzer.Interval{{Start: 220, End: 260}, {Start: 230, End: 380}, {Start: 240, End: 250}},
		Commit:  analyzer.Interval{Start: 300, End: 310},
		Present: 400, PresentEstimated: true,
	}
	want := map[string]string{
		"kind": "render", "process": "render_service", "pid": "1027", "tid": "1027", "vsync_id": "9",
		"start_ns": "210", "end_ns": "290", "expected_start_ns": "200", "expected_end_ns": "350", "period_ns": "100",
		"late": "true", "empty": "false", "misaligned": "true", "truncated": "false", "unfinished": "false", "flag": "3",
		"gpu_start_ns": "220", "gpu_end_ns": "380", "commit_ns": "300", "present_ns": "400", "shown_ns": "400",
		"jank_type": "SurfaceFlinger Scheduling, SurfaceFlinger GPU Deadline Missed", "jank_severity": "Full",
		"present_type": "On-time Present", "prediction_type": "Valid Prediction", "on_time_finish": "false",
		"deadline_ns": "350", "overrun_ns": "30", "main_late": "false", "gpu_late": "true", "coalesced": "0", "commit_estimated": "false", "present_estimated": "true",
	}
	checkRow(t, f, want)
	object := jsonRow(t, f)
	if start, end := object["gpu_start_ns"], object["gpu_end_ns"]; start != 220.0 || end != 380.0 {
		t.Errorf("json: gpu: got %v to %v, want 220 to 380", start, end)
	}
}

func TestFacts(t *testing.T) {
	for _, test := range []struct {
		facts analyzer.Facts
		want  string // late, empty, misaligned, truncated, flag
	}{
		{0, "false false false false 0"},
		{analyzer.MainLate, "true false false false 1"},
		{analyzer.GPULate, "true false false false 1"},
		{analyzer.Empty, "false true false false 2"},
		{analyzer.Misaligned, "false false true false 3"},
		{analyzer.Truncated, "? ? false true ?"},
		{analyzer.EmptyUnknown, "false ? false false ?"},
		{analyzer.EmptyUnknown | analyzer.MainLate, "true ? false false 1"},
		{analyzer.MainLate | analyzer.Misaligned, "true false true false 3"},
		{analyzer.MainLate | analyzer.Misaligned | analyzer.Empty, "true true true false 2"},
	} {
		f := unknown()
		f.Kind, f.Facts, f.Deadline = analyzer.RenderFrame, test.facts, 100
		row := csvRow(t, f)
		got := strings.Join([]string{cmp.Or(row["late"], "?"), cmp.Or(row["empty"], "?"), row["misaligned"], row["truncated"], cmp.Or(row["flag"], "?")}, " ")
		if got != test.want {
			t.Errorf("facts %b: got %s, want %s", test.facts, got, test.want)
		}
	}
}

// A frame of a worker thread has the deadline of the main thread's, and no expected
// interval. Without a deadline nothing is known of lateness. A process without an id has
// none in the table.
func TestDeadlines(t *testing.T) {
	f := unknown()
	f.Deadline, f.Actual = 100, analyzer.Interval{Start: 10, End: 90}
	row := csvRow(t, f)
	if row["deadline_ns"] != "100" || row["expected_end_ns"] != "" || row["late"] != "false" || row["main_late"] != "false" || row["overrun_ns"] != "-10" {
		t.Errorf("worker frame: %v", row)
	}
	f.Deadline = 0
	for _, column := range []string{"deadline_ns", "late", "main_late", "gpu_late", "overrun_ns"} {
		if got := csvRow(t, f)[column]; got != "" {
			t.Errorf("without a deadline: %s is %q", column, got)
		}
	}
	f.Process.NoPID = true
	if row, object := csvRow(t, f), jsonRow(t, f); row["pid"] != "" || row["tid"] != "" || object["pid"] != nil || object["tid"] != nil {
		t.Errorf("without a process id: %v, %v", row, object)
	}
}

func TestDocument(t *testing.T) {
	var d struct {
		ClockOffset *int64            `json:"clock_offset_ns"`
		Frames      []json.RawMessage `json:"frames"`
		Diagnostics []json.RawMessage `json:"diagnostics"`
	}
	timeline := &analyzer.Timeline{Clock: analyzer.ClockOffset{Offset: -4756467 * trace.Millisecond}}
	decoder := json.NewDecoder(strings.NewReader(write(t, "json", timeline)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	if d.ClockOffset == nil || *d.ClockOffset != -4756467000000 {
		t.Errorf("clock_offset: got %v, want -4756467000000", d.ClockOffset)
	}
	if d.Frames == nil || d.Diagnostics == nil {
		t.Error("without frames and diagnostics: got null, want empty lists")
	}
}

func TestFormats(t *testing.T) {
	timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{unknown()}}
	full := errors.New("full")
	for _, format := range Formats {
		if first, again := write(t, format, timeline), write(t, format, timeline); first != again {
			t.Errorf("%s: not the same twice", format)
		}
		if err := Write(failingWriter{full}, []Input{{Timeline: timeline}}, Options{Format: format}); !errors.Is(err, full) {
			t.Errorf("%s: got %v, want the writer's error", format, err)
		}
	}
	if err := Write(&bytes.Buffer{}, []Input{{Timeline: timeline}}, Options{Format: "xml"}); err == nil || !strings.Contains(err.Error(), "xml") {
		t.Errorf("got %v, want an error that names xml", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// The table has milliseconds from the start of the trace, and marks estimates.
func TestTable(t *testing.T) {
	late := &analyzer.Frame{
		Kind: analyzer.RenderFrame, Process: &analyzer.Process{PID: 1027, Name: "render_service"}, TID: 1027, VsyncID: 9,
		Actual: analyzer.Interval{Start: 1_002_500_000, End: 1_010_000_000}, Deadline: 1_008_000_000,
		Facts: analyzer.GPULate | analyzer.Misaligned, GPU: []analyzer.Interval{{Start: 1_003_000_000, End: 1_012_250_000}},
		Present: 1_020_000_000, PresentEstimated: true,
	}
	app := &analyzer.Frame{
		Process: &analyzer.Process{NoPID: true, PID: 2, Name: "layer"}, TID: 2, Actual: analyzer.Interval{Start: 1_001_000_000, End: 1_002_000_000},
		Deadline: 1_003_000_000, Render: late,
	}
	timeline := &analyzer.Timeline{Span: analyzer.Interval{Start: 1_000_000_000, End: 2_000_000_000}, Frames: []*analyzer.Frame{app, late}}
	want := [][]string{
		{"app", "layer", "–", "–", "–", "+1.0", "1.0", "-1.0", "on", "time", "9", "~+20.0"},
		{"render", "render_service", "1027", "1027", "9", "+2.5", "7.5", "4.3", "late", "on", "the", "GPU,", "misaligned", "–", "~+20.0"},
	}
	lines := strings.Split(write(t, "table", timeline), "\n")
	for i, w := range want {
		if got := strings.Fields(lines[i+1]); !slices.Equal(got, w) {
			t.Errorf("got %q, want %q", got, w)
		}
	}
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
		want string // vsyncs
	}{
		{Options{}, "1 2 3 4"},
		{Options{Late: true}, "1 4"},
		{Options{Limit: 2}, "1 2"},
		{Options{Sort: "duration"}, "4 1 2 3"},
		{Options{Sort: "overrun_ns", Limit: 1}, "4"},
		{Options{Sort: "process"}, "2 4 1 3"},
		{Options{Sort: "late"}, "1 4 2 3"},
		{Options{Sort: "input", Limit: 3}, "1 2 3"},
		{Options{Process: func(p *analyzer.Process) bool { return p.Name == "a" }}, "2 4"},
	} {
		c.o.Format = "csv"
		var b bytes.Buffer
		if err := Write(&b, inputs, c.o); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range rows[1:] {
			got = append(got, row[slices.Index(Columns, "vsync_id")])
			input := "one"
			if got[len(got)-1] == "4" {
				input = "two"
			}
			if row[len(row)-1] != input {
				t.Errorf("vsync %s is of %s", got[len(got)-1], row[len(row)-1])
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v, want %s", c.o, got, c.want)
		}
	}
	if err := Write(&bytes.Buffer{}, inputs, Options{Format: "csv", Sort: "colour"}); err == nil {
		t.Error("an unknown column is no error")
	}
	if table := func() string {
		var b bytes.Buffer
		if err := Write(&b, inputs, Options{Format: "table"}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}(); !strings.Contains(table, "  input\n") || !strings.Contains(table, "  two\n") {
		t.Errorf("the table does not name the inputs:\n%s", table)
	}
}

// Titles of the table that are no columns name the column to sort by.
func TestSortColumn(t *testing.T) {
	for _, c := range tableColumns(nil, nil, &Options{Kinds: Kinds}) {
		if c.title != "facts" && !slices.Contains(SortColumns, c.title) && !slices.Contains(SortColumns, SortColumn(c.title)) {
			t.Errorf("%s is %q, which is no column", c.title, SortColumn(c.title))
		}
	}
	if got := SortColumn("took"); got != "duration" {
		t.Error(got)
	}
}

// Without a limit the table has all columns. In a terminal it leaves out the less important
// ones, says which, and shortens names.
func TestTableFits(t *testing.T) {
	process := &analyzer.Process{PID: 20170, Name: strings.Repeat("com.example.", 5) + "gallery"}
	frame := &analyzer.Frame{Process: process, TID: 20171, VsyncID: 12345678, Framework: analyzer.Flutter, Actual: analyzer.Interval{Start: 1e9, End: 2e9}}
	timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{frame}}
	timeline.Span.Start = 1e8
	in := []Input{{Name: strings.Repeat("folder/", 20) + "a.ftrace", Timeline: timeline}, {Name: "b", Timeline: &analyzer.Timeline{}}}
	write := func(width int) string {
		var b bytes.Buffer
		if err := Write(&b, in, Options{Format: "table", Style: text.Style{Width: width}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if all := write(0); !strings.Contains(all, process.Name) || !strings.Contains(all, in[0].Name) || !strings.Contains(all, "tid") {
		t.Errorf("without a limit something is left out:\n%s", all)
	}
	for _, width := range []int{80, 100, 120, 160} {
		table := write(width)
		for line := range strings.Lines(table) {
			if n := text.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d of %d cells: %s", n, width, line)
			}
		}
		head, _, _ := strings.Cut(table, "\n")
		for _, title := range leftOut {
			if shown, told := slices.Contains(strings.Fields(head), title), strings.Contains(table, "no room for "+title) || strings.Contains(table, ", "+title); !strings.Contains(title, " ") && shown == told {
				t.Errorf("%d: %s is shown: %t, and left out: %t", width, title, shown, told)
			}
		}
		for _, part := range []string{"gallery", "12345678", "+900.0", "1000.0", "a.ftrace"} {
			if !strings.Contains(table, part) {
				t.Errorf("%d: no %s in\n%s", width, part, table)
			}
		}
	}
}

// In a terminal inputs have names that differ: without the folder and the extension that
// all have. Causes and inputs lose their middles, not what differs.
func TestTableInputs(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"a/run1.ftrace", "b/run1.ftrace"}, []string{"a/run1", "b/run1"}},
		{[]string{"/tmp/a/run1.ftrace", "/tmp/a/run2.ftrace", "/tmp/ab.ftrace"}, []string{"a/run1", "a/run2", "ab"}},
		{[]string{"t/a.ftrace", "t/a.pftrace"}, []string{"a.ftrace", "a.pftrace"}},
		{[]string{"x.d/a", "x.d/b"}, []string{"a", "b"}},
		{[]string{"a", "/b"}, []string{"a", "/b"}},
		{[]string{"t/.x", "t/a.x"}, []string{"t/.x", "a"}},
		{[]string{"same.ftrace", "same.ftrace"}, []string{"same", "same"}},
		{[]string{"t/one.ftrace"}, []string{"t/one.ftrace"}},
	} {
		var inputs []Input
		for _, name := range c.names {
			inputs = append(inputs, Input{Name: name})
		}
		all, short := inputNames(inputs, false), inputNames(inputs, true)
		for i, name := range c.names {
			if short[name] != c.want[i] || all[name] != name {
				t.Errorf("%q of %q: %q, want %q; without a limit %q", name, c.names, short[name], c.want[i], all[name])
			}
		}
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
	out := func(o Options) string {
		t.Helper()
		var b bytes.Buffer
		if err := Write(&b, []Input{{Timeline: timeline}}, o); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	column := func(o Options, name string) (list []string) {
		t.Helper()
		o.Format = "csv"
		rows, err := csv.NewReader(strings.NewReader(out(o))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows[1:] {
			list = append(list, r[slices.Index(rows[0], name)])
		}
		return list
	}
	want := []string{"", "1", "1 12", "12"}
	if got := column(Options{}, "interaction"); !slices.Equal(got, want) {
		t.Errorf("csv: got %q, want %q", got, want)
	}
	var d struct {
		Frames []struct{ Interaction []int64 }
	}
	if err := json.Unmarshal([]byte(out(Options{Format: "json"})), &d); err != nil || !slices.Equal(d.Frames[2].Interaction, []int64{1, 12}) || d.Frames[0].Interaction == nil {
		t.Errorf("json: %v, %v", d, err)
	}
	rows, err := parquet.Read[row](strings.NewReader(out(Options{Format: "parquet"})), int64(len(out(Options{Format: "parquet"}))))
	if err != nil || len(rows) != 4 || !slices.Equal(rows[2].Interactions, []int64{1, 12}) {
		t.Errorf("parquet: %+v, %v", rows, err)
	}
	var last []string
	for line := range strings.Lines(out(Options{Format: "table", Interactions: true})) {
		words := strings.Split(strings.TrimSpace(line), "  ")
		last = append(last, strings.TrimSpace(words[len(words)-1]))
	}
	if !slices.Equal(last, []string{"interaction", "–", "1", "1, 12", "12"}) {
		t.Errorf("table: got %q", last)
	}
	if strings.Contains(out(Options{Format: "table"}), "interaction") {
		t.Error("the table has ids that are not wanted")
	}
	for id, want := range map[int64][]string{1: {"11", "12"}, 2: nil, 12: {"12", "13"}} {
		if got := column(Options{Interaction: id}, "vsync_id"); !slices.Equal(got, want) {
			t.Errorf("interaction %d: got %q, want %q", id, got, want)
		}
	}
	if got := column(Options{Sort: "interaction"}, "vsync_id"); got[len(got)-1] != "10" {
		t.Errorf("sorted: got %q, want the frame without an interaction last", got)
	}
	var fleet int
	for r := range Frames(timeline, nil) {
		if slices.Contains(r.Interactions, 12) {
			fleet++
		}
	}
	if fleet != 2 {
		t.Errorf("rows of fleets: %d frames of 12, want 2", fleet)
	}
}

// An application frame has what its thread cost, and whom it served.
func TestDisplaySyncs(t *testing.T) {
	f := unknown()
	f.CPUTime = 1_400_000
	f.DisplaySyncs = []analyzer.DisplaySync{{ID: 3, Type: analyzer.CallbackSync}, {ID: 18}, {ID: 4, Type: analyzer.XComponentSync}, {ID: 5, Type: analyzer.UnknownSync}}
	row := jsonRow(t, f)
	if got := fmt.Sprint(row["cpu_ns"], row["display_syncs"]); got != "1.4e+06 [callback 3 animator 18 xcomponent 4 unknown 5]" {
		t.Errorf("got %s", got)
	}
}

// A render frame has the presents of all screens.
func TestScreens(t *testing.T) {
	f := unknown()
	f.Kind = analyzer.RenderFrame
	f.Screens = []analyzer.Screen{{ID: 0, Present: 1_010_000_000}, {ID: 5}}
	if got := fmt.Sprint(jsonRow(t, f)["screens"]); got != "[0 1010000000 5]" {
		t.Errorf("got %s", got)
	}
}
