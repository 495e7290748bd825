package ohframe_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/internal/diag"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/perffile"
	"ohframe/internal/testing/simulate/rawfile"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// processes is a message of process-plugin: PID, name and PPID of each process.
func processes(list ...any) rawfile.Plugin {
	var data []byte
	for p := range slices.Chunk(list, 3) {
		data = append(data, perffile.Message(1, perffile.Message(1, p[0], 2, p[1], 3, p[2]))...)
	}
	return rawfile.Plugin{Name: "process-plugin", Data: data}
}

// nameOf returns the name of process 10 and the texts of warnings.
func nameOf(t *testing.T, o ohframe.Options, list ...rawfile.Plugin) (string, []string) {
	t.Helper()
	got := readSampled(t, scriptTrace(rawfile.HtraceOptions{Plugins: list}), o)
	i := slices.IndexFunc(got.Timeline.Processes, func(p *analyzer.Process) bool { return p.PID == 10 })
	return got.Timeline.Processes[i].Name, diag.Texts(got.Warnings)
}

// Processes have the full names that process-plugin wrote, the last of each; those of files are
// without the folder, and those of threads of the kernel do not count.
func TestPluginProcessNames(t *testing.T) {
	const full = "com.example.paper:snowmountainSuperPaper"
	for _, c := range []struct {
		plugins []rawfile.Plugin
		want    string
	}{
		{[]rawfile.Plugin{processes(10, "appspawn", 1), processes(10, full, 1, 11, "other", 1)}, full},
		{[]rawfile.Plugin{processes(10, "/system/bin/render_service", 1)}, "render_service"},
		{[]rawfile.Plugin{processes(10, "kworker/1:2-events", 2)}, ""},
		{[]rawfile.Plugin{processes(10, full, 1, 10, "", 1)}, full},
		{[]rawfile.Plugin{processes(10, "应用\xff", 1)}, "应用\uFFFD"},
	} {
		if got, warnings := nameOf(t, ohframe.Options{}, c.plugins...); got != c.want || len(warnings) > 0 {
			t.Errorf("%q, want %q; warnings %q", got, c.want, warnings)
		}
	}
}

// Data of process-plugin that is damaged or too much is skipped with a warning.
func TestPluginProcessesDamaged(t *testing.T) {
	const full = "com.example.paper"
	good := processes(10, full, 1)
	torn := rawfile.Plugin{Name: "process-plugin", Data: good.Data[:len(good.Data)-3]}
	var many []any
	for pid := range 20 {
		many = append(many, 100+pid, "p", 1)
	}
	for _, c := range []struct {
		name    string
		plugins []rawfile.Plugin
		warning string
	}{
		{"torn", []rawfile.Plugin{good, torn}, "1 × message that is not understood; skipped"},
		{"long", []rawfile.Plugin{good, processes(10, strings.Repeat("长", 1<<20), 1)}, "1 × name of a process beyond 4 KiB; skipped"},
		{"many", []rawfile.Plugin{good, processes(many...)}, "11 × process of process-plugin beyond the limit (limit: threads), skipped"},
	} {
		o := ohframe.Options{}
		o.Limits.Threads = 10
		got, warnings := nameOf(t, o, c.plugins...)
		if got != full || !slices.Contains(warnings, c.warning) {
			t.Errorf("%s: %q, warnings %q", c.name, got, warnings)
		}
	}
}

// logLine is a HilogLine.
func logLine(ms, pid, tid, level int, tag, text string) []byte {
	detail := perffile.Message(1, 1_700_000_000+ms/1000, 2, ms%1000*1_000_000, 3, pid, 4, tid, 5, level, 6, tag)
	return perffile.Message(1, perffile.Message(1, detail, 2, text))
}

// convertLog converts a trace of 380 ms with messages of hilog-plugin.
func convertLog(t *testing.T, o rawfile.HtraceOptions, lines ...[]byte) ([]byte, []string) {
	t.Helper()
	o.Plugins = []rawfile.Plugin{{Name: "hilog-plugin", Data: bytes.Join(lines, nil)}}
	var out bytes.Buffer
	s := must.Get(ohframe.Convert(t.Context(), bytes.NewReader(scriptTrace(o)), &out, ohframe.ConvertOptions{}))(t)
	return out.Bytes(), diag.Texts(s.Warnings)
}

// Messages of hilog-plugin are in Perfetto's log at their time in the trace, by the clocks of the
// header. What is outside the trace or damaged is counted.
func TestPluginLog(t *testing.T) {
	slow.SkipRace(t)
	for _, padded := range []bool{false, true} {
		out, warnings := convertLog(t, rawfile.HtraceOptions{Padded: padded},
			logLine(5, 10, 12, 'W', "C03900/Ace", "Skipped 3 frames"),
			logLine(6, 10, 12, 4, "<b>", "\x1b[31m应用\xff"),
			logLine(7, 10, 12, 'F', "long", strings.Repeat("界", 1<<20/3)),
			logLine(8, 10, 12, 'V', "unknown", "level"),
			logLine(60_000, 10, 12, 'D', "late", "by a minute"),
		)
		want := []string{
			"1 × message of hilog without a known level or a time; skipped", "1 × message of hilog beyond 4 KiB; its beginning is used",
			"1 message of hilog before or after the trace, not exported",
		}
		for _, w := range want {
			if !slices.Contains(warnings, w) {
				t.Errorf("no warning %q in %q", w, warnings)
			}
		}
		session := enginetest.Load(t, out)
		enginetest.CheckGate(t, session)
		got := enginetest.Query(t, session, `SELECT l.ts, tid, pid, prio, tag, iif(length(msg) > 100, msg GLOB '界*', msg) AS msg
			FROM android_logs l JOIN thread USING (utid) JOIN process USING (upid) ORDER BY l.ts`)
		rows := fmt.Sprint(got.Rows)
		const start = 100_000_000_000
		if w := fmt.Sprint([][]string{
			{fmt.Sprint(start + 5_000_000), "12", "10", "5", "C03900/Ace", "Skipped 3 frames"},
			{fmt.Sprint(start + 6_000_000), "12", "10", "4", "<b>", "\x1b[31m应用\uFFFD"},
			{fmt.Sprint(start + 7_000_000), "12", "10", "7", "long", "1"},
		}); rows != w {
			t.Errorf("got  %s\nwant %s", rows, w)
		}
	}
}

// Without the time of day, messages have no place in the trace: none is exported.
func TestPluginLogWithoutTimeOfDay(t *testing.T) {
	out, warnings := convertLog(t, rawfile.HtraceOptions{ZeroHeader: true}, logLine(5, 10, 12, 'W', "tag", "SECRET"), logLine(6, 10, 12, 'W', "tag", "text"))
	if want := "2 messages of hilog not exported: the trace does not state the time of day"; !slices.Contains(warnings, want) {
		t.Errorf("%q", warnings)
	}
	if bytes.Contains(out, []byte("SECRET")) {
		t.Error("a message is in the output")
	}
}

// A file that ends within data of plugins is converted, with a warning; messages and names before
// the end are used.
func TestPluginsCut(t *testing.T) {
	o := rawfile.HtraceOptions{Plugins: []rawfile.Plugin{
		processes(10, "com.example.paper", 1),
		{Name: "hilog-plugin", Data: bytes.Join([][]byte{logLine(5, 10, 12, 'W', "tag", "FIRST"), logLine(6, 10, 12, 'W', "tag", "SECOND")}, nil)},
	}}
	file := scriptTrace(o)
	from := bytes.Index(file, []byte("process-plugin"))
	for end := from; end < len(file); end++ {
		var out bytes.Buffer
		s, err := ohframe.Convert(t.Context(), bytes.NewReader(file[:end]), &out, ohframe.ConvertOptions{})
		if err != nil {
			t.Fatalf("at byte %d of %d: %v", end, len(file), err)
		}
		if len(s.Warnings) == 0 {
			t.Errorf("at byte %d of %d: no warning", end, len(file))
		}
		second := bytes.Index(file, []byte("SECOND"))
		if got, want := bytes.Contains(out.Bytes(), []byte("FIRST")), end >= second; want && !got {
			t.Errorf("at byte %d of %d: the first message is missing", end, len(file))
		}
		if bytes.Contains(out.Bytes(), []byte("SECOND")) && end < second+len("SECOND") {
			t.Errorf("at byte %d of %d: a message that is cut", end, len(file))
		}
	}
}

// systemEvents is a message of hisysevent-plugin.
func systemEvents(lines ...string) rawfile.Plugin {
	var data []byte
	for i, line := range lines {
		data = append(data, perffile.Message(1, perffile.Message(1, line, 2, i+1))...)
	}
	return rawfile.Plugin{Name: "hisysevent-plugin", Data: data}
}

// Events of hisysevent-plugin are instants with their members as arguments, at their time in the
// trace. What is outside the trace or damaged is counted.
func TestPluginSystemEvents(t *testing.T) {
	plugin := systemEvents(
		`{"domain_":"ACE","name_":"INTERACTION_APP_JANK","type_":4,"time_":1700000000005,"pid_":10,"SCENE_ID":"APP_LIST_FLING","RATIO":0.5,"LIST":[1,2]}`,
		`{"domain_":"RSS","name_":"LIMIT_FREQUENCY","time_":1700000000006,"CLUSTER":"<b>应用\u001b[31m","LONG":"`+strings.Repeat("长", 10_000)+`"}`,
		`{"domain_":"ACE","name_":"JANK_FRAME_SKIP","time_":1700000060000}`,
		`{"domain_":"ACE","name_":"JANK_FRAME_SKIP","time_":-1}`,
		`{"name_":"cut`, `[1]`, "", strings.Repeat(`{"a":`, 50_000),
		`{"name_":"`+strings.Repeat("x", 300<<10)+`","time_":1700000000006}`,
	)
	convert := func(o rawfile.HtraceOptions) ([]byte, []string) {
		o.Plugins = []rawfile.Plugin{plugin}
		var out bytes.Buffer
		s := must.Get(ohframe.Convert(t.Context(), bytes.NewReader(scriptTrace(o)), &out, ohframe.ConvertOptions{}))(t)
		return out.Bytes(), diag.Texts(s.Warnings)
	}
	out, warnings := convert(rawfile.HtraceOptions{})
	for _, w := range []string{
		"5 events of the system not understood, skipped", "1 event of the system before or after the trace, not exported", "1 × event of the system beyond 256 KiB; skipped",
	} {
		if !slices.Contains(warnings, w) {
			t.Errorf("no warning %q in %q", w, warnings)
		}
	}
	session := enginetest.Load(t, out)
	enginetest.CheckGate(t, session)
	got := fmt.Sprint(enginetest.Query(t, session, `SELECT s.ts, s.dur, s.name, extract_arg(arg_set_id, 'debug.domain_') AS domain, extract_arg(arg_set_id, 'debug.pid_') AS pid,
		extract_arg(arg_set_id, 'debug.SCENE_ID') AS scene, extract_arg(arg_set_id, 'debug.RATIO') AS ratio, extract_arg(arg_set_id, 'debug.LIST') AS list,
		extract_arg(arg_set_id, 'debug.CLUSTER') AS cluster, length(extract_arg(arg_set_id, 'debug.LONG')) <= 4096 AS cut
		FROM slice s JOIN track k ON k.id = s.track_id WHERE k.name = 'System events' ORDER BY s.ts`).Rows)
	const start = 100_000_000_000
	want := fmt.Sprint([][]string{
		{fmt.Sprint(start + 5_000_000), "0", "INTERACTION_APP_JANK", "ACE", "10", "APP_LIST_FLING", "0.5", "[1,2]", "<nil>", "<nil>"},
		{fmt.Sprint(start + 6_000_000), "0", "LIMIT_FREQUENCY", "RSS", "<nil>", "<nil>", "<nil>", "<nil>", "<b>应用\x1b[31m", "1"},
	})
	must.Equal(t, got, want)
	out, warnings = convert(rawfile.HtraceOptions{ZeroHeader: true})
	if want := "3 events of the system not exported: the trace does not state the time of day"; !slices.Contains(warnings, want) || bytes.Contains(out, []byte("LIMIT_FREQUENCY")) {
		t.Errorf("%q", warnings)
	}
}

// taskEvent is an FfrtProfilerEvent of thread 12, ms after the start of the trace.
func taskEvent(ms int, kind, label string) []byte {
	return perffile.Message(1, perffile.Message(1, 100, 2, ms*1_000_000, 4, 10, 5, 12, 8, perffile.Message(1, 1, 2, kind, 3, label)))
}

// convertTasks converts a trace of 190 ms with data of ffrt-profiler.
func convertTasks(t *testing.T, clock int, data []byte) ([]byte, []string) {
	t.Helper()
	o := rawfile.HtraceOptions{Plugins: []rawfile.Plugin{{Name: "ffrt-profiler_config", Data: perffile.Message(4, clock)}, {Name: "ffrt-profiler", Data: data}}}
	var out bytes.Buffer
	s := must.Get(ohframe.Convert(t.Context(), bytes.NewReader(scriptTrace(o)), &out, ohframe.ConvertOptions{}))(t)
	return out.Bytes(), diag.Texts(s.Warnings)
}

const taskSlices = `SELECT s.ts - 100000000000 AS ts, s.dur, s.name, extract_arg(s.arg_set_id, 'debug.task_id') AS id, k.name AS track
	FROM slice s JOIN track k ON k.id = s.track_id JOIN track g ON g.id = k.parent_id WHERE g.name = 'ffrt tasks' ORDER BY s.ts, s.id`

// Tasks of ffrt-profiler are slices on a track of their thread, with label and id. What is outside the
// trace or damaged is counted.
func TestPluginTasks(t *testing.T) {
	slow.SkipRace(t)
	const boot, realtime = 1, 2
	data := slices.Concat(
		perffile.Message(1, perffile.Message(1, 100, 2, 1, 4, 10, 5, 12, 6, "com.example", 7, "OS_FFRT_2_0")),
		taskEvent(5, "B", "FFRTload|3@"), taskEvent(6, "F", "Co"), taskEvent(7, "B", "onSubmit"), taskEvent(8, "E", ""), taskEvent(9, "E", ""),
		taskEvent(10, "E", ""), taskEvent(11, "Z", "unknown"), taskEvent(12, "B", "FFRT::[<b>应用\xff]|4"), taskEvent(20, "E", ""),
		taskEvent(150, "B", "FFRT[open]|5"), taskEvent(500, "B", "FFRTlate|6"), taskEvent(501, "E", ""),
		perffile.Message(1, "\xff\xff"), perffile.Message(1, perffile.Message(99, "another version")),
	)
	out, warnings := convertTasks(t, boot, data)
	for _, w := range []string{
		"3 × event of ffrt-profiler not understood; skipped", "1 slice of ffrt before or after the trace, not exported", "1 end of slices of ffrt without a begin, skipped",
	} {
		if !slices.Contains(warnings, w) {
			t.Errorf("no warning %q in %q", w, warnings)
		}
	}
	if out, warnings := convertTasks(t, realtime, data); bytes.Contains(out, []byte("onSubmit")) || !slices.Contains(warnings, "10 events of ffrt not exported: their clock is not related to that of the trace") {
		t.Errorf("another clock: %q", warnings)
	}
	for end := range data {
		convertTasks(t, boot, data[:end]) // cut: no error
	}
	session := enginetest.Load(t, out)
	enginetest.CheckGate(t, session)
	const track = "OS_FFRT_2_0 12 (com.example 10)"
	want := fmt.Sprint([][]string{
		{"5000000", "4000000", "load", "3", track},
		{"7000000", "1000000", "onSubmit", "<nil>", track},
		{"12000000", "8000000", "<b>应用\uFFFD", "4", track},
		{"150000000", "-1", "open", "5", track},
	})
	must.Equal(t, fmt.Sprint(enginetest.Query(t, session, taskSlices).Rows), want)
}

// The data of a device's ffrt-profiler, at a time in the trace: its begins are slices, among them its 11
// tasks, with their ids in order.
func TestPluginTasksReal(t *testing.T) {
	file, err := os.ReadFile("../shared/traces/binary/hiprofiler-ffrt.htrace")
	if err != nil {
		t.Skip(err)
	}
	var data []byte
	for at := 1024; at+4 <= len(file); {
		n := int(binary.LittleEndian.Uint32(file[at:]))
		segment := file[at+4 : at+4+n]
		at += 4 + n
		for name := ""; len(segment) > 0; {
			number, kind, size := protowire.ConsumeTag(segment)
			value := segment[size:]
			size += protowire.ConsumeFieldValue(number, kind, value)
			if content, _ := protowire.ConsumeBytes(value); number == 1 {
				name = string(content)
			} else if number == 3 && name == "ffrt-profiler" {
				data = append(data, content...)
			}
			segment = segment[size:]
		}
	}
	// Move the events from 987.193 s on to 100.058 s: their nanoseconds have four bytes, of which 2^27 are taken.
	old, moved := []byte("\x08\xdb\x07\x10"), []byte("\x08\xe4\x00\x10")
	for i := bytes.Index(data, old); i >= 0; i = bytes.Index(data, old) {
		copy(data[i:], moved)
		data[i+7] &^= 0x40
	}
	out, warnings := convertTasks(t, 1, data)
	if len(warnings) > 0 {
		t.Errorf("%q", warnings)
	}
	session := enginetest.Load(t, out)
	enginetest.CheckGate(t, session)
	rows := enginetest.Query(t, session, taskSlices).Rows
	var ids []string
	for _, r := range rows {
		if id := fmt.Sprint(r[3]); id != "<nil>" {
			ids = append(ids, id)
		}
	}
	must.Equal(t, fmt.Sprint(len(rows), ids), "112 [3 4 5 6 7 8 9 10 11 12 13]")
}
