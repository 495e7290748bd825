package sql_test

import (
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/exporter/pftrace"
	"ohframe/internal/sql"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// demoTrace converts the demo with causes.
func demoTrace(t *testing.T) ([]byte, *analyzer.Timeline) {
	t.Helper()
	enginetest.ForTest(t)
	demo := must.Get(os.Open("../../testdata/demo.ftrace"))(t)
	defer demo.Close()
	return convert(t, demo, pftrace.Options{Analysis: analysis.Options{Causes: true}, Input: "demo.ftrace"})
}

// An inlined module creates the same tables as the included one, in an engine without
// the package.
func TestInline(t *testing.T) {
	demo, _ := demoTrace(t)
	included := load(t, demo)
	for _, module := range slow.Of([]string{"ohos.why"}, sql.Modules()) {
		name := strings.TrimPrefix(module, "ohos.")
		script := must.Get(sql.Inline(module))(t)
		if strings.Contains(script, "--") || strings.Contains(script, "MODULE ohos.") {
			t.Errorf("%s has comments or includes modules", module)
		}
		inlined := enginetest.Load(t, demo)
		enginetest.Query(t, inlined, script)
		enginetest.Query(t, included, "INCLUDE PERFETTO MODULE "+module+"; SELECT 1")
		for _, table := range tablesOf(t, name) {
			compare(t, table, query(t, inlined, "SELECT * FROM "+table), query(t, included, "SELECT * FROM "+table))
		}
	}
	if _, err := sql.Inline("ohos.none"); err == nil {
		t.Error("inlines a module that does not exist")
	}
}

// A module can be included after its text ran, and its text can run after it was
// included.
func TestInlineAndInclude(t *testing.T) {
	slow.Skip(t)
	demo, _ := demoTrace(t)
	script := must.Get(sql.Inline(sql.Modules()...))(t)
	includes := ""
	for _, module := range sql.Modules() {
		includes += "INCLUDE PERFETTO MODULE " + module + ";\n"
	}
	for _, order := range [][]string{{script, includes}, {includes, script}, {script, script}} {
		session := load(t, demo)
		for _, statements := range order {
			enginetest.Query(t, session, statements+"SELECT 1")
		}
		if n := len(enginetest.Query(t, session, "SELECT * FROM ohos_cause").Rows); n == 0 {
			t.Error("no causes")
		}
	}
}

// TestSummary compares the metrics of the trace summary specification with the tables.
func TestSummary(t *testing.T) {
	demo, _ := demoTrace(t)
	session := load(t, demo)
	summary := must.Get(session.Summarize(summarySpec(t), "ohos_metadata"))(t)

	for metric, column := range map[string]string{
		"ohos_frames_frames": "frames FROM ohos_jank", "ohos_frames_judged": "judged FROM ohos_jank", "ohos_frames_late": "late FROM ohos_jank",
		"ohos_frames_late_main": "late_main FROM ohos_jank", "ohos_frames_late_gpu": "late_gpu FROM ohos_jank", "ohos_frames_empty": "empty FROM ohos_jank",
		"ohos_frames_misaligned": "misaligned FROM ohos_jank", "ohos_frames_slight": "slight FROM ohos_jank", "ohos_frames_medium": "medium FROM ohos_jank",
		"ohos_frames_severe": "severe FROM ohos_jank", "ohos_frames_jank_rate": "jank_rate FROM ohos_jank", "ohos_fps_fps": "fps FROM ohos_fps",
		"ohos_hitches_hitches": "hitches FROM ohos_hitches", "ohos_hitches_lost_frames": "lost_frames FROM ohos_hitches",
		"ohos_hitches_hitch_ns": "hitch_ns FROM ohos_hitches", "ohos_hitches_hitch_ms_per_s": "hitch_ms_per_s FROM ohos_hitches",
		"ohos_duration_p50_ns": "p50_ns FROM ohos_frame_duration", "ohos_duration_p90_ns": "p90_ns FROM ohos_frame_duration", "ohos_duration_p95_ns": "p95_ns FROM ohos_frame_duration",
		"ohos_duration_p99_ns": "p99_ns FROM ohos_frame_duration", "ohos_duration_max_ns": "max_ns FROM ohos_frame_duration",
	} {
		want := query(t, session, "INCLUDE PERFETTO MODULE ohos.jank; INCLUDE PERFETTO MODULE ohos.fps; INCLUDE PERFETTO MODULE ohos.stages; SELECT kind, process_name, pid, 1.0 * "+column)
		compare(t, metric, asRows(summary.Metrics[metric]), want)
		delete(summary.Metrics, metric)
	}
	compare(t, "lost time", asRows(summary.Metrics["ohos_causes_lost_ns"]), query(t, session, `INCLUDE PERFETTO MODULE ohos.why;
		SELECT c.kind, p.name, c.wait, sum(c.lost_ns) * 1.0 FROM ohos_cause c JOIN process p USING (upid) GROUP BY 1, 2, 3`))
	if len(summary.Metrics) != 2 { // and the histogram of durations
		t.Errorf("%d metrics are not checked", len(summary.Metrics)-2)
	}
	if got := summary.Metadata["ohframe.input"]; got != "demo.ftrace" || len(summary.Metadata) < 10 {
		t.Errorf("metadata %v", summary.Metadata)
	}
}

// summarySpec is the trace summary specification.
func summarySpec(t *testing.T) string {
	t.Helper()
	text := must.Get(fs.ReadFile(sql.Files(), sql.Summary))(t)
	return string(text)
}

func asRows(cells [][]any) (r rows) {
	for _, c := range cells {
		r.add(c...)
	}
	return r
}

// The buckets of the histogram are exact at powers of two, and up to the longest
// duration.
func TestHistogramBuckets(t *testing.T) {
	slow.Skip(t)
	enginetest.ForTest(t)
	session := loadDemo(t)
	_, spec, _ := strings.Cut(summarySpec(t), "metric_template_spec {\n  id_prefix: \"ohos_duration_histogram\"")
	spec, _, _ = strings.Cut(spec, "\n}\n")
	var durations []int64
	var values []string
	for shift := range 62 {
		for _, d := range []int64{1<<shift - 1, 1 << shift, 1<<shift + 1, 3 << shift >> 1} {
			durations = append(durations, d)
			values = append(values, fmt.Sprintf("(%d)", d))
		}
	}
	enginetest.Query(t, session, "INCLUDE PERFETTO MODULE ohos.frames; CREATE OR REPLACE PERFETTO VIEW ohos_frame AS WITH d(dur) AS (VALUES "+
		strings.Join(values, ",")+") SELECT 'app' AS kind, 'p' AS process_name, dur FROM d; SELECT 1")
	summary := must.Get(session.Summarize("metric_template_spec { id_prefix: \"ohos_duration_histogram\""+spec+"}", ""))(t)
	counts := map[int64]int{}
	for _, d := range durations {
		shift := max(0, bits.Len64(uint64(d))-7)
		counts[d>>shift<<shift]++
	}
	var want rows
	for from, n := range counts {
		want.add("app", "p", from, float64(n))
	}
	compare(t, "buckets", asRows(summary.Metrics["ohos_duration_histogram_frames"]), want)
}
