package sql_test

import (
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	"ohframe/internal/sql"
	"ohframe/internal/testing/engine/enginetest"
)

// demoTrace converts the demo with causes.
func demoTrace(t *testing.T) ([]byte, *analyzer.Timeline) {
	t.Helper()
	enginetest.ForTest(t)
	demo, err := os.Open("../../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	defer demo.Close()
	return convert(t, demo, exporter.Options{Causes: true, Input: "demo.ftrace"})
}

// An inlined module creates the same tables as the included one, in an engine without
// the package.
func TestInline(t *testing.T) {
	demo, _ := demoTrace(t)
	included := load(t, demo)
	for _, module := range sql.Modules() {
		name := strings.TrimPrefix(module, "ohos.")
		script, err := sql.Inline(module)
		if err != nil {
			t.Fatal(err)
		}
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
	demo, _ := demoTrace(t)
	script, err := sql.Inline(sql.Modules()...)
	if err != nil {
		t.Fatal(err)
	}
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

// TestSummary compares the metrics of the trace summary specification with the report.
func TestSummary(t *testing.T) {
	demo, timeline := demoTrace(t)
	session := load(t, demo)
	summary, err := session.Summarize(summarySpec(t), "ohos_metadata")
	if err != nil {
		t.Fatal(err)
	}

	want := map[string]rows{}
	add := func(metric string, p *stats.Process, value any) {
		r := want[metric]
		kind := "app"
		if p.Kind == stats.RenderService {
			kind = "render"
		}
		r.add(kind, p.Name, int64(p.PID), value)
		want[metric] = r
	}
	for _, p := range stats.Compute(timeline, stats.Options{}).Processes {
		for metric, n := range map[string]int{
			"frames": p.Frames.Complete, "with_deadline": p.Frames.WithDeadline, "late": p.Frames.Late,
			"late_main": p.Frames.LateMain, "late_gpu": p.Frames.LateGPU, "empty": *p.Frames.Empty, "misaligned": p.Frames.Misaligned,
			"slight": p.Stutter.Slight, "medium": p.Stutter.Medium, "severe": p.Stutter.Severe,
		} {
			add("ohos_frames_"+metric, p, float64(n))
		}
		add("ohos_frames_jank_rate", p, *p.JankRate)
		if p.FPS != nil {
			add("ohos_fps_fps", p, p.FPS.Rate)
		}
		if h := p.Hitches; h != nil {
			add("ohos_hitches_hitches", p, float64(h.Hitches))
			add("ohos_hitches_lost_frames", p, float64(h.LostFrames))
			add("ohos_hitches_hitch", p, float64(h.Hitch))
			add("ohos_hitches_hitch_ms_per_s", p, h.Ratio)
		}
		for metric, d := range map[string]*trace.Duration{
			"p50": &p.Durations.P50, "p90": &p.Durations.P90, "p95": p.Durations.P95, "p99": p.Durations.P99, "max": &p.Durations.Max,
		} {
			var value any // a row without a value if there are too few frames
			if d != nil {
				value = float64(*d)
			}
			add("ohos_duration_"+metric, p, value)
		}
	}
	want["ohos_duration_histogram_frames"] = histogram(timeline)
	lost := query(t, session, `INCLUDE PERFETTO MODULE ohos.why;
		SELECT c.kind, p.name, c.wait, sum(c.lost_ns) * 1.0 FROM ohos_cause c JOIN process p USING (upid) GROUP BY 1, 2, 3`)
	if len(lost) == 0 {
		t.Error("no causes")
	}
	want["ohos_causes_lost_ns"] = lost
	for metric, rows := range want {
		compare(t, metric, asRows(summary.Metrics[metric]), rows)
	}
	for metric := range summary.Metrics {
		if want[metric] == nil {
			t.Errorf("%s is not checked", metric)
		}
	}
	if got := summary.Metadata["ohframe.input"]; got != "demo.ftrace" || len(summary.Metadata) < 10 {
		t.Errorf("metadata %v", summary.Metadata)
	}
}

// summarySpec is the trace summary specification.
func summarySpec(t *testing.T) string {
	t.Helper()
	text, err := fs.ReadFile(sql.Files(), sql.Summary)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func asRows(cells [][]any) (r rows) {
	for _, c := range cells {
		r.add(c...)
	}
	return r
}

// histogram counts frames by duration without all but the 7 highest bits.
func histogram(timeline *analyzer.Timeline) (r rows) {
	type bucket struct {
		kind, process string
		from          int64
	}
	counts := map[bucket]int{}
	for f := range timeline.Complete() {
		d := uint64(f.Actual.Duration())
		shift := max(0, bits.Len64(d)-7)
		counts[bucket{f.Kind.String(), f.Process.Name, int64(d >> shift << shift)}]++
	}
	for b, n := range counts {
		r.add(b.kind, b.process, b.from, float64(n))
	}
	return r
}

// The buckets of the histogram are exact at powers of two, and up to the longest
// duration.
func TestHistogramBuckets(t *testing.T) {
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
	enginetest.Query(t, session, "INCLUDE PERFETTO MODULE ohos.frames; CREATE OR REPLACE PERFETTO TABLE ohos_frame AS WITH d(dur) AS (VALUES "+
		strings.Join(values, ",")+") SELECT 'app' AS kind, 'p' AS process_name, dur FROM d; SELECT 1")
	summary, err := session.Summarize("metric_template_spec { id_prefix: \"ohos_duration_histogram\""+spec+"}", "")
	if err != nil {
		t.Fatal(err)
	}
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
