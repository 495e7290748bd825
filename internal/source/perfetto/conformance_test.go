package perfetto_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/frametable"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// difference is a row that only one side has, and why.
type difference struct {
	row string // values with commas between
	why string
}

// compareRows compares rows without regard to their order. Each row that only one
// side has must be one of the differences, and each difference must be there.
func compareRows(t *testing.T, what string, got, want []string, onlyOurs, onlyTheirs []difference) {
	t.Helper()
	count := map[string]int{}
	for _, row := range got {
		count[row]++
	}
	for _, row := range want {
		count[row]--
	}
	for _, d := range onlyOurs {
		count[d.row]--
	}
	for _, d := range onlyTheirs {
		count[d.row]++
	}
	for _, row := range slices.Sorted(maps.Keys(count)) {
		switch n := count[row]; {
		case n > 0:
			t.Errorf("%s: %d × %s is only ours", what, n, row)
		case n < 0:
			t.Errorf("%s: %d × %s is only the engine's", what, -n, row)
		}
	}
	if len(want) == 0 {
		t.Errorf("%s: the engine has no rows", what)
	}
}

// engineRows runs a query and returns its rows with commas between the values.
func engineRows(t *testing.T, session *engine.Session, sql string) (rows []string) {
	t.Helper()
	for _, row := range enginetest.Query(t, session, sql).Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cell != nil {
				cells[i] = fmt.Sprint(cell)
			}
		}
		rows = append(rows, strings.Join(cells, ","))
	}
	return rows
}

// TestSuite compares what `ohframe frames` and `ohframe report` say of the frames of
// Perfetto's own tests with the tables and the metric of Perfetto's engine.
func TestSuite(t *testing.T) {
	r := suite()
	timeline, counts := read(t, r.bytes)
	session := enginetest.Load(t, r.bytes)
	t.Run("actual", func(t *testing.T) {
		must.Equal(t, checkActual(t, session, timeline), 3, "slices at 1 ns")
	})
	t.Run("expected", func(t *testing.T) { checkExpected(t, session, timeline) })
	t.Run("links", func(t *testing.T) { checkLinks(t, session, timeline) })
	t.Run("metric", func(t *testing.T) { checkMetric(t, session, timeline) })
	t.Run("jank types", func(t *testing.T) { checkJankTypes(t, session, timeline) })
	must.Equal(t, counts.Malformed, 0)
}

// checkActual compares the rows of `frames` with the actual slices: the frames of
// SurfaceFlinger, and the surface frames of applications, whose buffers have their verdicts.
// The one difference is time 0, which stands for unknown and is read as 1 ns: it returns
// how many begin then.
func checkActual(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) (atOne int) {
	t.Helper()
	var text strings.Builder
	must.Do(t, frametable.Write(&text, []frametable.Input{{Timeline: timeline}}, frametable.Options{Format: "csv", Kinds: []string{"render", "layer"}}))
	table := must.Get(csv.NewReader(strings.NewReader(text.String())).ReadAll())(t)
	var rows []string
	for _, cells := range table[1:] {
		row := map[string]string{}
		for i, c := range cells {
			row[table[0][i]] = c
		}
		start, _ := strconv.Atoi(row["start_ns"])
		end, _ := strconv.Atoi(cmp.Or(row["queued_ns"], row["end_ns"])) // a buffer is shown later
		duration := end - start
		if row["truncated"] == "true" {
			duration = -1
		}
		if start == 1 {
			atOne++
		}
		rows = append(rows, fmt.Sprint(start, ",", duration, ",", row["pid"], ",", row["process"], ",", row["kind"], ",", row["vsync_id"], ",",
			strings.ReplaceAll(row["jank_type"], ", ", "+"), ",", row["jank_severity"], ",", row["present_type"], ",", row["prediction_type"], ",",
			map[string]int{"true": 1}[row["on_time_finish"]], ",", row["layer"]))
	}
	compareRows(t, "actual", rows, engineRows(t, session, `
		SELECT max(ts, 1), iif(ts = 0, dur - 1, dur), pid, p.name, iif(surface_frame_token IS NULL, 'render', 'layer'), nullif(max(cast_int!(s.name), 0), 0),
			replace(jank_type, ', ', '+'), jank_severity_type, present_type, prediction_type, on_time_finish, layer_name
		FROM actual_frame_timeline_slice s JOIN process p USING (upid)`), nil, nil)
	return atOne
}

func checkExpected(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	var rows []string
	for _, f := range timeline.Frames {
		if f.Expected.Known() {
			rows = append(rows, fmt.Sprint(int64(f.Expected.Start), ",", int64(f.Expected.Duration()), ",", f.Process.PID, ",", f.VsyncID))
		}
	}
	compareRows(t, "expected", rows, engineRows(t, session, `
		SELECT max(ts, 1), iif(ts = 0, dur - 1, dur), pid, s.name
		FROM expected_frame_timeline_slice s JOIN process USING (upid)`), nil, []difference{
		{"220,-1,666,1000018", "a slice that does not end says not when a frame should have ended"},
		{"800000000,20000000,2001,5000160", "a slice of no frame"},
	})
}

// checkLinks compares which render frame took which layer with the engine's flows,
// which are only to render frames that begin later.
func checkLinks(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	var rows []string
	for _, f := range timeline.Frames {
		if f.Kind != analyzer.ApplicationFrame {
			continue
		}
		for _, l := range f.Android.Timeline.Surfaces {
			if l.Render != nil {
				rows = append(rows, fmt.Sprint(f.VsyncID, ",", l.Name, ",", l.Render.VsyncID))
			}
		}
	}
	compareRows(t, "links", rows, engineRows(t, session, `
		SELECT a.name, a.layer_name, d.name
		FROM flow JOIN actual_frame_timeline_slice a ON a.id = slice_out JOIN actual_frame_timeline_slice d ON d.id = slice_in`), []difference{
		{"2000002,Layer1,2000001", "begins after the render frame with its token; the token is the link"},
	}, nil)
}

// checkMetric compares counts with android_frame_timeline_metric. Its percentiles are
// interpolated and of layers, so only the longest duration is the same.
func checkMetric(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	var rows []string
	for _, p := range stats.Compute(timeline, stats.Options{}).Processes {
		v, longest := p.SurfaceFlinger, ""
		if p.Durations != nil {
			longest = fmt.Sprint(int64(p.Durations.Max))
		}
		rows = append(rows, fmt.Sprint(p.PID, ",", p.Name, ",", p.Frames.Complete, ",", v.Missed, ",", v.MissedApplication, ",", v.MissedSurfaceFlinger, ",",
			v.MissedDropped, ",", longest))
	}
	const atZero = "begins at time 0, which is read as 1 ns"
	const notDropped = "the metric measures what was not shown unless that is its jank type"
	compareRows(t, "metric", rows, engineRows(t, session, `
		SELECT RUN_METRIC('android/android_frame_timeline_metric.sql');
		SELECT pid, process_name, total_frames, missed_frames, missed_app_frames, missed_sf_frames, dropped_frames, frame_dur_max
		FROM android_frame_timeline_metric_per_process JOIN process USING (upid)`), []difference{
		{"4000,,2,0,0,0,0,15999999", atZero}, {"1004,process4,5,4,0,4,0,", notDropped},
	}, []difference{
		{"4000,,2,0,0,0,0,16000000", atZero}, {"1004,process4,5,4,0,4,0,2000000", notDropped},
	})
}

// checkJankTypes compares the counts of jank types with those that the metric has for
// each process.
func checkJankTypes(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	var rows []string
	for _, p := range stats.Compute(timeline, stats.Options{}).Processes {
		for _, j := range p.SurfaceFlinger.JankTypes {
			rows = append(rows, fmt.Sprint(p.PID, ",", j.Type, ",", j.Frames, ",", j.OnTime, ",", j.Late, ",", j.Early, ",", j.Dropped, ",", j.Unknown))
		}
	}
	compareRows(t, "jank types", rows, engineRows(t, session, `
		SELECT pid, jank_type, count(DISTINCT vsync),
			count(DISTINCT iif(present_type = 'On-time Present', vsync, NULL)), count(DISTINCT iif(present_type = 'Late Present', vsync, NULL)),
			count(DISTINCT iif(present_type = 'Early Present', vsync, NULL)), count(DISTINCT iif(present_type = 'Dropped Frame', vsync, NULL)),
			count(DISTINCT iif(present_type IN ('Unknown Present', 'Unspecified Present'), vsync, NULL))
		FROM splitted_jank_type_timeline JOIN process USING (upid)
		GROUP BY pid, jank_type`), nil, []difference{
		{"666,SurfaceFlinger Stuffing,1,0,1,0,0,0", "only complete frames count, and this one does not end"},
	})
}

// TestLayersConformance compares the buffers and the FPS of layers with what the engine's
// tables have.
func TestLayersConformance(t *testing.T) {
	t.Run("suite", func(t *testing.T) { checkLayers(t, suite().bytes) })
	t.Run("made", func(t *testing.T) { checkLayers(t, madeLayers().bytes) })
	const recorded = "../../../../shared/traces/android/api32_startup_warm.perfetto-trace"
	if trace, err := os.ReadFile(recorded); err == nil {
		t.Run("recorded", func(t *testing.T) { checkLayers(t, trace) })
	}
}

// madeLayers returns a recording of layers that are drawn at every vsync, at every second one,
// and at random, with frames that are dropped or shown late. SurfaceFlinger restarts once, and
// uses its tokens again.
func madeLayers() *recording {
	random := rand.New(rand.NewPCG(5, 6))
	m := &made{}
	const period = 11_111_111
	for i := range int64(300) {
		vsync, token := 1_000_000_000+i*period, 2*(i%150)+2
		for n, of := range []func() bool{
			func() bool { return random.IntN(20) > 0 }, func() bool { return i%2 == 0 }, func() bool { return random.IntN(5) == 0 },
		} {
			if !of() {
				continue
			}
			v, display := fine, token+1
			switch random.IntN(12) {
			case 0:
				v = layerDropped
			case 1:
				v, display = appLate, token+3
			}
			m.actualSurface(token, display, fmt.Sprint("TX - layer#", n), vsync+int64(n), vsync+5_000_000+random.Int64N(5_000_000), v)
		}
		v := fine
		if random.IntN(30) == 0 {
			v = verdict{jank: analyzer.JankDropped, present: dropped, prediction: valid}
		}
		m.actualDisplay(token+1, vsync+period, vsync+2*period+random.Int64N(200_000), v)
	}
	return &m.recording
}

func checkLayers(t *testing.T, trace []byte) {
	timeline, _ := read(t, trace)
	var rows []string
	for _, l := range stats.Compute(timeline, stats.Options{}).Layers {
		fps := ""
		if l.FPS != nil {
			fps = fmt.Sprintf("%.6f", *l.FPS)
		}
		rows = append(rows, fmt.Sprint(*l.PID, ",", l.Name, ",", l.Buffers, ",", l.Shown, ",", l.Dropped, ",", fps))
	}
	compareRows(t, "layers", rows, engineRows(t, enginetest.Load(t, trace), `
		WITH
			candidate AS (
				SELECT pid, s.layer_name,
					s.present_type = 'Dropped Frame' OR s.jank_type GLOB '*Dropped Frame*' AS dropped,
					s.present_type IN ('On-time Present', 'Late Present', 'Early Present') AS shown,
					iif(s.dur >= 0 AND d.dur >= 0 AND d.present_type != 'Dropped Frame' AND d.jank_type NOT GLOB '*Dropped Frame*', d.ts + d.dur, NULL) AS present,
					row_number() OVER (PARTITION BY s.id ORDER BY d.ts < s.ts, abs(d.ts - s.ts)) AS rank
				FROM actual_frame_timeline_slice s JOIN process USING (upid)
				LEFT JOIN actual_frame_timeline_slice d ON d.display_frame_token = s.display_frame_token AND d.surface_frame_token IS NULL
				WHERE s.surface_frame_token IS NOT NULL AND extract_arg(s.arg_set_id, 'Is Buffer?') != 'No'
			),
			buffer AS (SELECT * FROM candidate WHERE rank = 1), -- the first display frame with the token, after a restart
			present AS (
				SELECT pid, layer_name, count() - 1 AS intervals, max(present) - min(present) AS time
				FROM (SELECT DISTINCT pid, layer_name, present FROM buffer WHERE NOT dropped AND present IS NOT NULL)
				GROUP BY pid, layer_name
			)
		SELECT pid, layer_name, count(), sum(NOT dropped AND (shown OR present IS NOT NULL)), sum(dropped),
			iif(time > 0, printf('%.6f', intervals * 1e9 / time), NULL)
		FROM buffer LEFT JOIN present USING (pid, layer_name)
		GROUP BY pid, layer_name`), nil, nil)
}
