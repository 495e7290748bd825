package sql_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

const includeStreamer = "INCLUDE PERFETTO MODULE ohos.trace_streamer; "

// TestStreamerFrames compares frame_slice with the rows of trace_streamer itself, all of them and
// in all columns. trace_streamer does not convert the clock of text traces, so it is not
// converted here either.
func TestStreamerFrames(t *testing.T) {
	enginetest.ForTest(t)
	paths := must.Get(filepath.Glob("../../../shared/oracle/*.trace_streamer.csv"))(t)
	if len(paths) == 0 {
		t.Skip("no rows of trace_streamer here")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text := must.Get(os.Open(strings.TrimSuffix(path, ".trace_streamer.csv") + ".ftrace"))(t)
			defer text.Close()
			output, _ := convert(t, text, pftrace.Options{Analyzer: analysis.FrameOptions{ClockOffset: new(trace.Duration)}})
			session := load(t, output)
			table := enginetest.Query(t, session, includeStreamer+`
				SELECT p.pid, t.tid, f.type_desc, f.ts, f.dur, f.vsync, f.flag, f.id, f.src, f.dst
				FROM frame_slice AS f JOIN process AS p ON p.id = f.ipid JOIN thread AS t ON t.id = f.itid`)
			want := readStreamerRows(t, path)
			if len(want) < 100 {
				t.Fatalf("%d rows", len(want))
			}
			compare(t, "frame_slice", asText(table), want)
		})
	}
}

// Frames of two traces in one input have the same numbers.
func TestStreamerTwoTraces(t *testing.T) {
	enginetest.ForTest(t)
	text := twice(tracetest.Read(t, "../../testdata/demo.ftrace"))
	output, timeline := convert(t, strings.NewReader(text), pftrace.Options{})
	session := load(t, output)
	query(t, session, includeStreamer+"SELECT 1")
	checkStreamer(t, session, timeline)
}

// streamer runs a query as it would be for a database of trace_streamer.
func streamer(t *testing.T, session *engine.Session, text string) rows {
	t.Helper()
	return query(t, session, includeStreamer+"SELECT * FROM ohos_trace_streamer!(("+text+"))")
}

// Queries for trace_streamer join its tables by ipid, itid and callid, which Perfetto's tables
// do not have. A table of the query's own may come first.
func TestStreamerQueries(t *testing.T) {
	enginetest.ForTest(t)
	const text = `
   app-20 (20) [000] .... 1.000000: print: B|20|H:first
   app-20 (20) [000] .... 1.000001: print: C|20|H:count|7
   app-20 (20) [000] .... 1.000003: print: C|20|H:count|-8
   app-20 (20) [000] .... 1.000004: cpu_frequency: state=1000000 cpu_id=3
   app-20 (20) [000] .... 1.000006: cpu_frequency: state=1200000 cpu_id=3
   app-20 (20) [000] .... 1.000010: print: B|20|H:second
   app-20 (20) [000] .... 1.000020: print: E|20|
   app-20 (20) [000] .... 1.000025: print: S|20|H:LOAD|7
   app-20 (20) [000] .... 1.000030: sched_switch: prev_comm=app prev_pid=20 prev_prio=120 prev_state=S ==> next_comm=work next_pid=21 next_prio=100
   work-21 (20) [000] .... 1.000040: print: F|20|H:LOAD|7
   work-21 (20) [000] .... 1.000050: sched_waking: comm=app pid=20 prio=120 target_cpu=000
   work-21 (20) [000] .... 1.000060: sched_switch: prev_comm=work prev_pid=21 prev_prio=100 prev_state=D ==> next_comm=app next_pid=20 next_prio=120
   app-20 (20) [000] .... 1.000070: print: B|20|H:third
`
	output, _ := convert(t, strings.NewReader(text), pftrace.Options{})
	session := load(t, output)
	check := func(text string, want ...[]any) {
		t.Helper()
		var r rows
		for _, row := range want {
			r.add(row...)
		}
		compare(t, text, streamer(t, session, text), r)
	}
	check(`SELECT c.name, c.ts - r.start_ts, c.dur, c.depth, c.cookie, t.tid, p.pid, o.name
		FROM callstack AS c, trace_range AS r LEFT JOIN thread AS t ON c.callid = t.id LEFT JOIN process AS p ON p.ipid = t.ipid
		LEFT JOIN callstack AS o ON o.id = c.parent_id`,
		[]any{"H:first", 0, nil, 0, nil, 20, 20, nil}, []any{"H:second", 10_000, 10_000, 1, nil, 20, 20, "H:first"},
		[]any{"H:LOAD", 25_000, 15_000, 0, 7, 20, 20, nil}, []any{"H:third", 70_000, nil, 1, nil, 20, 20, "H:first"})
	check(`WITH waking AS (SELECT * FROM instant WHERE name = 'sched_wakeup' AND ref_type = 'itid')
		SELECT w.ts - r.start_ts, t.tid, f.tid FROM waking AS w, trace_range AS r
		JOIN thread AS t ON t.itid = w.ref JOIN thread AS f ON f.itid = w.wakeup_from`,
		[]any{50_000, 20, 21})
	check(`SELECT tid, pid, ts - start_ts, dur, state, cpu FROM thread_state, trace_range WHERE dur IS NOT NULL`,
		[]any{20, 20, 30_000, 20_000, "S", nil}, []any{21, 20, 30_000, 30_000, "Running", 0}, []any{20, 20, 50_000, 10_000, "R", nil})
	check(`SELECT t.tid, p.pid, s.ts - r.start_ts, s.ts_end - s.ts, s.end_state, s.priority FROM sched_slice AS s, trace_range AS r
		JOIN thread AS t ON t.itid = s.itid JOIN process AS p ON p.ipid = s.ipid WHERE s.dur IS NOT NULL`,
		[]any{21, 20, 30_000, 30_000, "D", 100})
	check(`SELECT f.name, p.pid, m.ts - r.start_ts, m.dur, m.value FROM process_measure AS m, trace_range AS r
		JOIN process_measure_filter AS f ON f.id = m.filter_id JOIN process AS p USING (ipid)`,
		[]any{"H:count", 20, 1_000, 2_000, 7.0}, []any{"H:count", 20, 3_000, nil, -8.0})
	check(`SELECT f.cpu, m.ts - r.start_ts, m.dur, m.value FROM measure AS m, trace_range AS r JOIN cpu_measure_filter AS f ON f.id = m.filter_id
		WHERE (f.name = 'cpufreq' OR f.name = 'cpu_frequency') AND m.type = 'measure'`,
		[]any{3, 4_000, 2_000, 1e6}, []any{3, 6_000, nil, 1.2e6})
	check("SELECT pid, name, switch_count, thread_count, slice_count, mem_count FROM process WHERE id = ipid AND pid = 20",
		[]any{20, "app", 2, 1, 1, 1})
	check("SELECT tid, name, is_main_thread, switch_count FROM thread WHERE id = itid AND tid <> 0",
		[]any{20, "app", true, true}, []any{21, "work", false, true})
	// Perfetto's own tables are as before.
	compare(t, "thread", query(t, session, "SELECT h.tid, p.pid FROM thread AS h JOIN process AS p USING (upid) WHERE h.tid = 21"), one(21, 20))
}

// Values that trace_streamer 4.3.7 has for these lines: states of processors from 1 on, 0 awake; the
// names of their counters; slices with a track; threads without the main thread; the time of lines.
func TestStreamerValues(t *testing.T) {
	enginetest.ForTest(t)
	const text = `
   <idle>-0 (-----) [002] .... 1.000100: cpu_idle: state=1 cpu_id=2
   app-20 (20) [000] .... 1.000300: print: B|20|H:ReceiveVsync dataCount:24bytes now:1000000000 expectedEnd:1016667000 vsyncId:7
   app-20 (20) [000] .... 1.000500: print: G|20|Workload|Commit|42
   worker-21 (20) [001] .... 1.000500: print: G|20|Other|Commit|7
   app-20 (20) [000] .... 1.000600: print: E|20|
   worker-21 (20) [001] .... 1.000700: print: H|20|Other|7
   app-20 (20) [000] .... 1.000900: print: H|20|Workload|42
   <idle>-0 (-----) [002] .... 1.001000: cpu_idle: state=4294967295 cpu_id=2
   <idle>-0 (-----) [002] .... 1.001100: cpu_frequency: state=980000 cpu_id=2
   app-20 (20) [000] .... 1.001200: print: S|20|H:LOAD|9
   app-20 (20) [000] .... 1.001300: print: F|20|H:LOAD|9
   worker-22 (20) [001] .... 1.001400: print: C|20|H:count|1
`
	output, _ := convert(t, strings.NewReader(text), pftrace.Options{})
	session := load(t, output)
	for text, want := range map[string]rows{
		"SELECT f.name, m.ts, m.value FROM measure AS m JOIN cpu_measure_filter AS f ON f.id = m.filter_id WHERE f.cpu = 2": {
			`"cpu_idle", 1000100000, 2`, `"cpu_idle", 1001000000, 0`, `"cpu_frequency", 1001100000, 980000`},
		"SELECT c.cat, c.name, c.cookie, c.ts, c.dur, t.tid FROM callstack AS c JOIN thread AS t ON t.itid = c.callid WHERE c.cookie IS NOT NULL": {
			`"Workload", "Commit", 42, 1000500000, 400000, 20`, `"Other", "Commit", 7, 1000500000, 200000, 20`, `NULL, "H:LOAD", 9, 1001200000, 100000, 20`},
		"SELECT name, thread_count FROM process WHERE pid IN (0, 20)": {`"swapper", 0`, `"app", 2`},
		// The deadline is after the last line.
		"SELECT start_ts, end_ts FROM trace_range": {"1000100000, 1001400000"},
	} {
		compare(t, text, streamer(t, session, text), want)
	}
}

func one(cells ...any) (r rows) {
	r.add(cells...)
	return r
}

// TestStreamerStartup compares app_startup with the lines of a generated cold launch, and with
// the frames of the model.
func TestStreamerStartup(t *testing.T) {
	enginetest.ForTest(t)
	for _, era := range slow.Of([]string{"6.1"}, []string{"5.0.3", "6.1"}) {
		config := simulate.Demonstration()
		config.Era = era
		session, text, timeline := generated(t, config)
		attach := strings.Index(text, "AttachApplication(")
		var begins []int64 // of the stages
		for _, marker := range []string{"H:client dispatch touchId:", "StartUIAbilityBySCB", "LoadAbility(", "AttachApplication("} {
			begins = append(begins, timeOfLine(t, text, strings.LastIndex(text[:attach+len("AttachApplication(")], marker)))
		}
		for _, marker := range []string{"HandleLaunchAbility(", "HandleAbilityTransaction("} {
			begins = append(begins, timeOfLine(t, text, strings.Index(text, marker)))
		}
		app := config.Apps[config.Launches[0].App]
		var first *analyzer.Frame
		for f := range timeline.Complete() {
			if f.Process.PID == app.PID && !f.Facts.Has(analyzer.Empty) && (first == nil || f.Actual.Start < first.Actual.Start) {
				first = f
			}
		}
		begins = append(begins, int64(first.Actual.Start), int64(first.Render.Actual.Start))
		ends := append(begins[1:7:7], int64(first.End()), int64(first.Render.End()))
		var want rows
		for i := range begins {
			want.add(int64(app.PID), i, begins[i], ends[i], app.Bundle)
		}
		compare(t, "era "+era, streamer(t, session, `
			SELECT p.pid, a.start_name, a.start_time, a.end_time, a.packed_name
			FROM app_startup AS a JOIN process AS p ON p.ipid = a.ipid AND p.pid = a.tid JOIN thread AS t ON t.itid = a.call_id`), want)
		libraries := strings.Count(text, "B|"+strconv.Itoa(int(app.PID))+"|H:dlopen: ")
		compare(t, "static_initalize", streamer(t, session, `
			SELECT count(), max(s.depth) FROM static_initalize AS s JOIN process AS p ON p.ipid = s.ipid AND p.pid = s.tid
			WHERE s.so_name GLOB 'H:dlopen: *.so' AND s.end_time > s.start_time`), one(libraries, 0))
	}
}

// A launch has only stages of its own, and frames after its begin.
func TestStreamerStartupOwn(t *testing.T) {
	enginetest.ForTest(t)
	const attach = "B|9|H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, const sptr<OHOS::AppExecFwk::IAppScheduler> &)##"
	const launch = "H:void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)##"
	var text strings.Builder
	ms := 1000
	slice := func(pid int, markers ...string) {
		for _, m := range append(markers, slices.Repeat([]string{"E|" + strconv.Itoa(pid) + "|"}, len(markers))...) {
			fmt.Fprintf(&text, "   a-%d (%d) [000] .... 1.%06d: print: %s\n", pid, pid, ms, m)
			ms += 1000
		}
	}
	frame := func(pid, vsync int) {
		slice(pid, fmt.Sprintf("B|%d|H:ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d", pid, 1_000_000_000+ms*1000, 1_016_000_000+ms*1000, vsync),
			fmt.Sprintf("B|%d|H:MarshRSTransactionData cmdCount:1 transactionFlag:[%d,%d] isUni:1", pid, pid, vsync))
	}
	slice(9, "B|9|H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility(x)") // 1 ms
	slice(9, attach+"one")                                                              // 3 ms
	slice(9, attach+"two##1")                                                           // 5 ms: nothing loaded it
	slice(100, "B|100|"+launch+"one")                                                   // 7 ms
	slice(200, "B|200|"+launch+"two##1")                                                // 9 ms
	frame(300, 1)                                                                       // 11 ms: before its launch
	slice(300, "B|300|"+launch+"one")                                                   // 15 ms: not the process that was attached
	frame(300, 2)                                                                       // 17 ms
	slice(100, "B|100|"+launch+"one")                                                   // 21 ms: its second ability
	output, _ := convert(t, strings.NewReader(text.String()), pftrace.Options{})
	var want rows
	want.add(100, 2, 1, 3, "one")
	want.add(100, 3, 3, 7, "one")
	want.add(100, 4, 7, nil, "one")
	want.add(200, 3, 5, 9, "two")
	want.add(200, 4, 9, nil, "two")
	want.add(300, 4, 15, nil, "one")
	want.add(300, 6, 17, 20, "one")
	compare(t, "app_startup", query(t, load(t, output), includeStreamer+`
		SELECT tid, start_name, (start_time - 1000000000) / 1000000, iif(end_time = -1, NULL, (end_time - 1000000000) / 1000000), packed_name FROM app_startup`), want)
}

// The launches of a real trace, by hand from its lines. trace_streamer's own rows are the same, but for
// 535806846725999: it computes seconds in floating point.
func TestStreamerStartupCapture(t *testing.T) {
	enginetest.ForTest(t)
	file, err := os.Open("../../../shared/traces/openharmony-4-bundle-5flags.ftrace")
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	output, _ := convert(t, file, pftrace.Options{})
	var want rows
	for _, launch := range []struct {
		bundle               string
		pid                  int
		load, attach, launch int64
	}{
		{"ohos.samples.etsclock", 14879, 535806698674000, 535806846726000, 535806918024000},
		{"com.ohos.contacts", 6952, 535813351339000, 535813477941000, 535813559888000},
		{"com.ohos.contactsdataability", 17900, 0, 0, 535814125302000}, // the process existed
		{"com.ohos.contacts", 7183, 535814298670000, 535814390398000, 535814463936000},
		{"com.ohos.note", 7251, 535824497676000, 535824617422000, 535824690881000},
	} {
		if launch.load != 0 {
			want.add(launch.pid, 2, launch.load, launch.attach, launch.bundle)
			want.add(launch.pid, 3, launch.attach, launch.launch, launch.bundle)
		}
		want.add(launch.pid, 4, launch.launch, -1, launch.bundle)
	}
	compare(t, "app_startup", query(t, load(t, output), includeStreamer+"SELECT tid, start_name, start_time, end_time, packed_name FROM app_startup"), want)
}

// timeOfLine returns the time of the line around the given place.
func timeOfLine(t *testing.T, text string, place int) int64 {
	t.Helper()
	if place < 0 {
		t.Fatal("a stage is missing")
	}
	line := text[strings.LastIndex(text[:place], "\n")+1 : place]
	m := regexp.MustCompile(` (\d+)\.(\d{6}): `).FindStringSubmatch(line)
	at := must.Get(strconv.ParseInt(m[1]+m[2], 10, 64))(t)
	return at * 1000
}

// TestStreamerAnimation compares animation with the lines of the text.
func TestStreamerAnimation(t *testing.T) {
	enginetest.ForTest(t)
	for _, era := range slow.Of([]string{"5.0.3"}, []string{"5.0.3", "6.1"}) {
		config := simulate.Demonstration()
		config.Era = era
		session, text, _ := generated(t, config)
		scenes := regexp.MustCompile(`S\|(\d+)\|(H:[A-Z_]+), ([^,|]+), [^,|]+, (\d+)[^|\n]*`)
		sync := regexp.MustCompile(`realtime_ts=(\d+)`).FindStringSubmatchIndex(text)
		wall := func(from, to int) int64 {
			ms := must.Get(strconv.ParseInt(text[from:to], 10, 64))(t)
			return ms * 1e6
		}
		var want rows
		for _, place := range scenes.FindAllStringSubmatchIndex(text, -1) {
			m := scenes.FindStringSubmatch(text[place[0]:])
			end := strings.Index(text, "F"+m[0][1:])
			scene := strings.TrimPrefix(m[2], "H:") + ", " + m[3] + ", "
			rate := regexp.MustCompile(`RecordAnimationDynamicFrameRate frame rate is ([\d.]+): ` + regexp.QuoteMeta(scene)).FindStringSubmatch(text[place[0]:])
			info := "frames"
			if rate != nil {
				info = "0:" + rate[1]
			}
			input := timeOfLine(t, text, sync[0]) + wall(place[8], place[9]) - wall(sync[2], sync[3])
			want.add(input, timeOfLine(t, text, place[0]), timeOfLine(t, text, end), m[2]+", "+m[3], info)
		}
		if len(want) < 5 {
			t.Fatalf("era %s: %d scenes", era, len(want))
		}
		compare(t, "era "+era, query(t, session, includeStreamer+`
			SELECT input_time, start_point, end_point, name, iif(frame_info GLOB '[1-9]*:0', 'frames', frame_info) FROM animation`), want)
		// Counted frames are commits of the display.
		compare(t, "era "+era+": frames", query(t, session, `
			SELECT a.id FROM animation AS a WHERE frame_info GLOB '*:0' AND cast_int!(frame_info) <> (
				SELECT count() FROM callstack AS c WHERE c.name = 'H:Repaint' AND c.ts + c.dur BETWEEN a.start_point AND a.end_point)`), nil)
	}
}

// generated converts a generated trace.
func generated(t *testing.T, config simulate.Config) (*engine.Session, string, *analyzer.Timeline) {
	t.Helper()
	var text strings.Builder
	must.Get(simulate.Write(&text, config))(t)
	output, timeline := convert(t, strings.NewReader(text.String()), pftrace.Options{})
	return load(t, output), text.String(), timeline
}

// readStreamerRows reads pid, tid, kind, ts, dur, vsync, flag, id, src and dst.
func readStreamerRows(t *testing.T, path string) (r rows) {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	records := must.Get(csv.NewReader(file).ReadAll())(t)
	for _, record := range records[1:] {
		const src = 8
		if record[src] != "" {
			sources := strings.Split(record[src], ",")
			slices.SortFunc(sources, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
			record[src] = strings.Join(sources, ",")
		}
		r = append(r, strings.Join(record, "|"))
	}
	return r
}

// asText returns rows as trace_streamer's CSV has them, NULL as nothing.
func asText(table engine.Table) (r rows) {
	for _, cells := range table.Rows {
		text := make([]string, len(cells))
		for i, c := range cells {
			switch c := c.(type) {
			case string:
				text[i] = c
			case int64:
				text[i] = strconv.FormatInt(c, 10)
			}
		}
		r = append(r, strings.Join(text, "|"))
	}
	return r
}

// checkStreamer compares the tables of frames with the model.
func checkStreamer(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	t.Helper()
	var frames, links, gpu rows
	app := func(f *analyzer.Frame) []any {
		return []any{int64(f.Process.PID), int64(f.TID), int64(f.End())}
	}
	for f := range timeline.Complete() {
		if f.Framework != analyzer.Platform {
			continue
		}
		flag := flagOf(f)
		frames.add(append(app(f), "actural", flag, known(f.VsyncID))...)
		expected := f.Expected.Start.Known() && f.Expected.End.Known()
		if expected {
			if flag != 2 { // the one that a frame of either row has
				flag = nil
			}
			frames.add(int64(f.Process.PID), int64(f.TID), int64(f.Expected.End), "expect", flag, known(f.VsyncID))
		}
		for _, work := range f.GPU {
			gpu.add(append(app(f), int64(work.Duration()))...)
		}
		takers := map[*analyzer.Frame]bool{}
		for i := range f.Transactions {
			r := f.Transactions[i].AppliedBy
			if r == nil || takers[r] || r.Facts.Has(analyzer.Truncated) {
				continue
			}
			takers[r] = true
			links.add(append(app(f), append(app(r), 0, r == f.Render)...)...)
			if expected && r.Expected.Start.Known() && r.Expected.End.Known() {
				links.add(int64(f.Process.PID), int64(f.TID), int64(f.Expected.End), int64(r.Process.PID), int64(r.TID), int64(r.Expected.End), 1, r == f.Render)
			}
		}
	}
	const key = "p.pid, t.tid, f.ts + f.dur"
	const named = "frame_slice AS f JOIN process AS p ON p.id = f.ipid JOIN thread AS t ON t.id = f.itid"
	compare(t, "frame_slice", query(t, session, "SELECT "+key+", f.type_desc, f.flag, f.vsync FROM "+named), frames)
	compare(t, "frame_maps", query(t, session, `
		WITH named AS (SELECT f.id, f.type, f.dst, p.pid, t.tid, f.ts + f.dur AS end FROM `+named+`)
		SELECT a.pid, a.tid, a.end, r.pid, r.tid, r.end, a.type, a.dst = r.id
		FROM frame_maps AS m JOIN named AS a ON a.id = m.src_row JOIN named AS r ON r.id = m.dst_row AND r.type = a.type`), links)
	compare(t, "gpu_slice", query(t, session, "SELECT "+key+", g.dur FROM gpu_slice AS g JOIN "+named+" WHERE f.id = g.frame_row"), gpu)
	// Rows are numbered, and lists of sources are those of frame_maps.
	compare(t, "numbers", query(t, session, `
		SELECT count(), min(id), max(id), count(DISTINCT id) FROM frame_slice
		UNION ALL SELECT count(), min(id), max(id), count(DISTINCT id) FROM frame_maps
		UNION ALL SELECT count(), min(id), max(id), count(DISTINCT id) FROM gpu_slice`), numbered(len(frames), len(links), len(gpu)))
	compare(t, "sources", query(t, session, "SELECT id, src FROM frame_slice WHERE src <> ''"),
		query(t, session, "SELECT dst_row, group_concat(src_row, ',' ORDER BY src_row) FROM frame_maps GROUP BY dst_row"))
	// A frame begins with its slice, if the trace has slices.
	compare(t, "callstack_id", query(t, session, `
		SELECT count() FROM frame_slice AS f JOIN slice AS s ON s.id = f.callstack_id JOIN thread_track AS k ON k.id = s.track_id
		WHERE k.utid = f.itid AND (f.type = 1 OR s.ts = f.ts) AND (s.name GLOB '*ReceiveVsync*' OR s.name GLOB '*OnVsyncEvent*')`), count(len(frames)))
	compare(t, "overlaps", query(t, session, `
		WITH drawn AS (SELECT * FROM frame_slice WHERE flag IS NOT 2),
			next AS (SELECT ts, dur, lead(ts) OVER (PARTITION BY ipid, type, depth ORDER BY ts) AS next FROM drawn)
		SELECT count() FROM next WHERE ts + dur >= next`), count(0))
}

// numbered are the count, first and last number, and count of numbers of tables.
func numbered(counts ...int) (r rows) {
	for _, n := range counts {
		if n == 0 {
			r.add(0, nil, nil, 0)
			continue
		}
		r.add(n, 0, n-1, n)
	}
	return r
}
