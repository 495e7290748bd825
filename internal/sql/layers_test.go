package sql_test

import (
	"bytes"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/tracetest"
)

// The tables of layers, and of frames of frameworks, have what the model has.
func TestLayers(t *testing.T) {
	enginetest.ForTest(t)
	timeline := tracetest.Layers()
	var out bytes.Buffer
	must.Get(pftrace.ConvertTimeline(t.Context(), timeline, nil, &out, pftrace.Options{}))(t)
	session := load(t, out.Bytes())
	enginetest.CheckGate(t, session)
	for _, name := range modules(t) {
		query(t, session, "INCLUDE PERFETTO MODULE ohos."+name+"; SELECT 1")
	}
	report := stats.Compute(timeline, stats.Options{})
	if len(report.Layers) != 6 {
		t.Fatalf("%d layers", len(report.Layers))
	}
	checkFrames(t, session, timeline)
	checkWholeFrames(t, session, timeline)
	checkJank(t, session, report)
	checkStages(t, session, report)
	checkLayers(t, session, timeline, report)
	// trace_streamer knows no frames of frameworks.
	frames := 0
	for f := range timeline.Complete() {
		if f.Framework == analyzer.Platform {
			frames += 2
		}
	}
	compare(t, "frame_slice", query(t, session, "SELECT count() FROM frame_slice"), count(frames))
}

// checkLayers compares layers with the report, and their buffers with the model. The slices are
// where the columns say.
func checkLayers(t *testing.T, session *engine.Session, timeline *analyzer.Timeline, report *stats.Report) {
	t.Helper()
	shown := slices.DeleteFunc(slices.Clone(report.Layers), func(l *stats.Layer) bool { return len(l.Source.Buffers) == 0 })
	checkTable(t, session, "ohos_layer", "", each(shown))
	var buffers, times rows
	for _, l := range shown {
		for _, b := range l.Source.Buffers {
			frame := func(f *analyzer.Frame) (start any) {
				if f != nil && !f.Facts.Has(analyzer.Truncated) {
					start = int64(f.Actual.Start)
				}
				return start
			}
			var pid, tid any
			if frame(b.Frame) != nil {
				pid, tid = int64(b.Frame.Process.PID), int64(b.Frame.TID)
			}
			var late, overrun any
			if b.Pace != analyzer.Unpaced {
				late, overrun = b.Pace == analyzer.Late, int64(b.Interval-l.Source.CadenceOf(b))
			}
			buffers.add(l.ID, known(b.Sequence), known(int64(b.TID)), b.Fate.String(), text(b.Pace.String()), late, known(b.Interval), known(b.Deadline),
				overrun, frame(b.Frame), pid, tid, frame(b.Render))
			times.add(l.ID, known(b.Requested.Start), known(b.Requested.End), known(b.Queued), known(b.Ready), known(b.Acquired),
				known(b.Present), estimated(b.Present, b.PresentEstimated))
		}
	}
	compare(t, "ohos_buffer", query(t, session, `
		SELECT layer_id, sequence, b.tid, fate, pace, b.is_late, interval_ns, b.deadline_ts, b.overrun_ns, f.ts, f.pid, f.tid, r.ts
		FROM ohos_buffer AS b LEFT JOIN ohos_frame AS f ON f.id = b.frame_id LEFT JOIN ohos_frame AS r ON r.id = b.render_id AND r.kind = 'render'`), buffers)
	compare(t, "times of ohos_buffer", query(t, session, `
		SELECT layer_id, request_ts, request_ts + request_dur, queued_ts, ready_ts, acquired_ts, present_ts, is_present_estimated
		FROM ohos_buffer`), times)
	compare(t, "joins of ohos_layer", query(t, session, `
		SELECT count() FROM ohos_layer AS l JOIN slice AS s USING (id) LEFT JOIN process AS p USING (upid)
		WHERE s.ts = l.ts AND s.dur = l.dur AND s.track_id = l.track_id AND p.pid IS l.pid`), count(len(shown)))
	compare(t, "joins of ohos_buffer", query(t, session, `
		SELECT count() FROM ohos_buffer AS b JOIN slice AS s USING (id) JOIN ohos_layer AS l USING (layer_id)
		WHERE s.ts = b.ts AND s.dur = b.dur AND s.track_id = b.track_id`), count(len(buffers)))
}
