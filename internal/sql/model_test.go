package sql_test

import (
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/engine"
)

// checkModules compares what the modules say of a trace with what the model
// does.
func checkModules(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	t.Helper()
	for _, name := range modules(t) {
		if _, err := session.Query("INCLUDE PERFETTO MODULE ohos." + name + "; SELECT 1"); err != nil {
			t.Fatal(err)
		}
	}
	checkFrames(t, session, timeline)
	checkWholeFrames(t, session, timeline)
	report := stats.Compute(timeline, stats.Options{})
	checkJank(t, session, report)
	checkFPS(t, session, report)
	checkStages(t, session, report)
	checkComparison(t, session, report, "ohos")
	checkInteractions(t, session, report)
	checkLayers(t, session, timeline, report)
	checkComponents(t, session, report)
	checkStreamer(t, session, timeline)
}

// checkInteractions compares interactions and launches with the report. The slices are
// where the columns say.
func checkInteractions(t *testing.T, session *engine.Session, report *stats.Report) {
	t.Helper()
	var who, times, measures, cadences, device, stages rows
	for _, i := range report.Interactions {
		pid := any(int64(i.PID))
		if i.PID == trace.UnknownPID {
			pid = nil
		}
		var grade any
		if i.Grade != nil {
			grade = string(*i.Grade)
		}
		id := int64(i.ID)
		who.add(id, i.Kind, i.Scene, pid, i.Process, pointer(i.Page), pointer(i.Input), i.Counted, grade, pointer(i.WorstFrame),
			i.Estimated, i.Truncated, i.Interrupted, i.TimedOut, text(strings.Join(i.Reasons, " ")))
		times.add(id, pointer(i.InputAt), pointer(i.Begin), pointer(i.End), pointer(i.FirstShown), pointer(i.LastShown))
		measures.add(id, pointer(i.Response), pointer(i.Completion), pointer(i.Frames), pointer(i.Late), pointer(i.JankRate), pointer(i.MissedVsyncs),
			pointer(i.LongestMissedRun), pointer(i.FPS), pointer(i.HitchRatio), pointer(i.P50), pointer(i.P95))
		c := newCadence(i.Cadence)
		cadences.add(id, pointer(c.every), pointer(c.refresh), pointer(c.share))
		d := i.Device
		if d == nil {
			d = &analyzer.DeviceFigures{}
		}
		device.add(id, pointer(d.ResponseMS), pointer(d.CompletionMS), pointer(d.HitchRatio), pointer(d.MaxFrameMS), pointer(d.FPS))
		for _, stage := range i.Stages {
			stages.add(id, i.Process, stage.Name, int64(stage.Begin), pointer(stage.Duration))
		}
	}
	compare(t, "ohos_interaction", query(t, session, `
		SELECT interaction, kind, scene, pid, process_name, page, input, counted, grade, worst_frame,
			is_estimated, is_truncated, is_interrupted, is_timed_out, reasons
		FROM ohos_interaction`), who)
	compare(t, "times of ohos_interaction", query(t, session, `
		SELECT interaction, input_ts, begin_ts, end_ts, first_shown_ts, last_shown_ts FROM ohos_interaction`), times)
	compare(t, "measures of ohos_interaction", query(t, session, `
		SELECT interaction, response_ms, completion_ms, frames, late, jank_rate, missed_vsyncs,
			longest_missed_run, fps, hitch_ms_per_s, p50_ms, p95_ms
		FROM ohos_interaction`), measures)
	compare(t, "cadences of ohos_interaction", query(t, session,
		"SELECT interaction, cadence_every, cadence_refresh_hz, cadence_share FROM ohos_interaction"), cadences)
	compare(t, "device figures of ohos_interaction", query(t, session, `
		SELECT interaction, device_response_ms, device_completion_ms, device_hitch_ms_per_s, device_max_frame_ms, device_fps
		FROM ohos_interaction`), device)
	compare(t, "ohos_launch_stage", query(t, session, `
		SELECT interaction, process_name, name, ts, dur FROM ohos_launch_stage`), stages)
	compare(t, "order of ohos_interaction", query(t, session, `
		SELECT 1 FROM (SELECT interaction, row_number() OVER () AS row FROM ohos_interaction) WHERE interaction != row`), nil)
	compare(t, "joins of ohos_interaction", query(t, session, `
		SELECT count() FROM ohos_interaction i JOIN slice s USING (id) JOIN track k ON k.id = i.track_id AND k.name = 'Interactions'
		LEFT JOIN process p USING (upid)
		WHERE s.ts = i.ts AND s.dur = i.dur AND s.track_id = k.id AND s.ts = coalesce(i.input_ts, i.begin_ts, s.ts)
			AND s.ts + s.dur = coalesce(i.last_shown_ts, s.ts + s.dur) AND p.pid IS i.pid`), count(len(report.Interactions)))
	compare(t, "joins of ohos_launch_stage", query(t, session, `
		SELECT count() FROM ohos_launch_stage l JOIN slice s USING (id) JOIN ohos_interaction i ON i.id = l.interaction_id
		WHERE s.name = l.name AND s.ts = l.ts AND s.dur = coalesce(l.dur, s.dur) AND s.track_id = l.track_id AND l.upid IS i.upid
			AND l.interaction = i.interaction`), count(len(stages)))
}

// answer returns nil for an unknown answer.
func answer(a analyzer.Answer) any {
	if a == analyzer.NotSaid {
		return nil
	}
	return a == analyzer.Yes
}

// flagOf returns the flag of a frame, nil if it is unknown.
func flagOf(f *analyzer.Frame) any {
	if flag, ok := f.Flag(); ok {
		return flag
	}
	return nil
}

func checkFrames(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	t.Helper()
	var facts, intervals, pipeline rows
	for f := range timeline.Complete() {
		key := []any{f.Kind.String(), int64(f.Process.PID), int64(f.TID), int64(f.Actual.Start), int64(f.Actual.Duration())}
		facts.add(append(key, f.Process.Name, known(f.VsyncID), overrun(f), known(f.Period),
			lateOf(f), judgedFact(f, analyzer.MainLate), judgedFact(f, analyzer.GPULate),
			answer(f.Judgement().Empty), f.Facts.Has(analyzer.Misaligned), f.Facts.Has(analyzer.FirstDraw), f.Facts.Has(analyzer.Unfinished), flagOf(f), f.Coalesced, text(f.Framework.String()), known(f.CPUTime))...)
		intervals.add(append(key, known(f.Vsync), known(f.Expected.Start), known(f.Expected.End),
			known(f.Deadline), int64(f.End()))...)
		var transactions, sent, render any
		if f.Kind == analyzer.ApplicationFrame && len(f.Transactions) > 0 {
			var indexes []string
			for _, s := range f.Transactions {
				indexes = append(indexes, strconv.FormatInt(s.Index, 10))
				sent = int64(s.At)
			}
			transactions = strings.Join(indexes, " ")
		}
		if r := f.Render; r != nil && !r.Facts.Has(analyzer.Truncated) {
			render = int64(r.Actual.Start)
		}
		var gpu analyzer.Interval
		for _, g := range f.GPU {
			gpu.End = max(gpu.End, g.End)
		}
		if len(f.GPU) > 0 {
			gpu.Start = f.GPU[0].Start
		}
		pipeline.add(append(key, transactions, sent, render, known(gpu.Start), known(gpu.End),
			known(f.Draw.Start), known(f.Draw.End), known(f.Commit.Start), known(f.Commit.End),
			estimated(f.Commit.Start, f.CommitEstimated), known(f.Present), estimated(f.Present, f.PresentEstimated))...)
	}
	const key = "SELECT f.kind, f.pid, f.tid, f.ts, f.dur, "
	compare(t, "facts", query(t, session, key+`
		process_name, vsync_id, overrun_ns, period_ns, is_late, is_late_main, is_late_gpu,
		is_empty, is_misaligned, is_first_draw, is_unfinished, flag, coalesced, framework, cpu_ns
		FROM ohos_frame f`), facts)
	compare(t, "intervals", query(t, session, key+`
		vsync_ts, expected_ts, expected_ts + expected_dur, deadline_ts, work_end_ts
		FROM ohos_frame f`), intervals)
	compare(t, "pipeline", query(t, session, key+`
		f.transactions, f.sent_ts, r.ts, f.gpu_ts, f.gpu_ts + f.gpu_dur, f.draw_ts, f.draw_ts + f.draw_dur,
		f.commit_ts, f.commit_ts + f.commit_dur, f.is_commit_estimated, f.present_ts, f.is_present_estimated
		FROM ohos_frame f LEFT JOIN ohos_frame r ON r.id = f.render_id`), pipeline)
	// The joins lead to the slice, the process and the thread.
	compare(t, "joins", query(t, session, `
		SELECT count() FROM ohos_frame f
		JOIN slice s ON s.id = f.id AND s.ts = f.ts AND s.dur = f.dur
		JOIN process_track k ON k.id = s.track_id AND k.upid = f.upid AND k.name = 'Actual Timeline'
		JOIN process p ON p.upid = f.upid AND p.pid = f.pid
		JOIN thread h ON h.utid = f.utid AND h.upid = f.upid AND h.tid = f.tid
		JOIN slice v ON v.id = f.event_id AND v.ts = f.ts AND v.dur = f.dur
		JOIN process_track w ON w.id = v.track_id AND w.upid = f.upid AND w.name GLOB 'Frames*'
		LEFT JOIN slice e ON e.id = f.expected_id
		WHERE f.expected_id IS NULL AND f.expected_dur IS NULL OR e.ts = f.expected_ts AND e.dur = f.expected_dur`), count(len(facts)))
}

func count(n int) (r rows) {
	r.add(n)
	return r
}

// overrun is the time from the deadline to the end, nil if it is unknown.
func overrun(f *analyzer.Frame) any {
	if d, ok := f.Judgement().Overrun, f.Judgement().OverrunKnown; ok {
		return int64(d)
	}
	return nil
}

// estimated is whether a time that is known was estimated.
func estimated(at trace.Time, yes bool) any {
	if !at.Known() {
		return nil
	}
	return yes
}

func checkWholeFrames(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	t.Helper()
	var want rows
	for f := range timeline.Complete() {
		r := f.Render
		if r == nil || r.Facts.Has(analyzer.Truncated) {
			continue
		}
		var late, blame, expected any
		if w, ok := f.Whole(); ok {
			late, blame = w.Late(), text(w.Blame.String())
			if w.Expected.Known() {
				expected = int64(w.Expected.Duration())
			}
		}
		want.add(int64(f.Process.PID), int64(f.TID), f.Process.Name, known(f.VsyncID), known(r.VsyncID),
			int64(f.Actual.Start), int64(r.End().Sub(f.Actual.Start)), known(f.Expected.Start), expected,
			known(r.Present), late, blame)
	}
	compare(t, "whole frames", query(t, session, `
		SELECT w.pid, tid, w.process_name, vsync_id, render_vsync_id, ts, dur, expected_ts, expected_dur,
			present_ts, is_late, blame
		FROM ohos_whole_frame w JOIN thread USING (utid)`), want)
}

// measured are the processes that have complete frames: others are not in SQL.
func measured(report *stats.Report) (list []*stats.Process) {
	for _, p := range report.Processes {
		if p.Frames.Complete > 0 {
			list = append(list, p)
		}
	}
	return list
}

func checkJank(t *testing.T, session *engine.Session, report *stats.Report) {
	t.Helper()
	var jank, blame, worst rows
	for _, p := range measured(report) {
		c, s, w := p.Frames, p.Stutter, p.WholeFrames
		streak := []any{nil, nil, nil, nil}
		if l := p.LongestStreak; l != nil && l.Frames > 0 {
			streak = []any{l.Frames, int64(*l.TID), int64(*l.At), int64(l.Until.Sub(*l.At))}
		} else if l != nil {
			streak[0] = 0
		}
		jank.add(append([]any{string(p.Kind), int64(p.PID), p.Name, c.Complete, c.Judged, c.Late, pointer(p.JankRate),
			c.LateMain, c.LateGPU, pointer(c.Empty), pointer(p.EmptyRate), c.Misaligned, s.Slight, s.Medium, s.Severe}, append(streak, pointer(p.Lost))...)...)
		blame.add(string(p.Kind), int64(p.PID), p.Name, w.Judged, w.Late,
			w.Blame.Application, w.Blame.RenderCPU, w.Blame.RenderGPU, w.Blame.PickUp)
		for i, f := range p.Worst {
			worst.add(string(p.Kind), int64(p.PID), i+1, int64(f.At), int64(f.Duration), int64(f.Overrun), pointer(f.OverrunPeriods),
				int64(f.TID), known(f.VsyncID), f.Stage.String())
		}
	}
	compare(t, "ohos_jank", query(t, session, `
		SELECT kind, pid, process_name, frames, judged, late, jank_rate, late_main, late_gpu, empty, empty_rate,
			misaligned, slight, medium, severe, longest_streak, longest_streak_tid, longest_streak_ts, longest_streak_dur, lost_ns
		FROM ohos_jank`), jank)
	compare(t, "ohos_blame", query(t, session, `
		SELECT kind, pid, process_name, judged, late, application, render_cpu, render_gpu, pick_up FROM ohos_blame`), blame)
	compare(t, "ohos_worst_frame", query(t, session, `
		SELECT kind, pid, rank, ts, dur, overrun_ns, overrun_periods, tid, vsync_id, longest_stage FROM ohos_worst_frame WHERE rank <= 10`), worst)
	compare(t, "joins of ohos_worst_frame", query(t, session, `
		SELECT * FROM ohos_worst_frame w LEFT JOIN ohos_frame f USING (id)
		WHERE f.ts IS NOT w.ts OR f.utid IS NOT w.utid OR f.render_id IS NOT w.render_id OR f.process_name IS NOT w.process_name`), nil)
}

// cadence has the columns of a cadence, nil where it is unknown.
type cadence struct {
	every, refresh *int
	share          *float64
}

func newCadence(c *stats.Cadence) (list cadence) {
	if c != nil {
		list = cadence{&c.Every, &c.Refresh, &c.Share}
	}
	return list
}

func checkFPS(t *testing.T, session *engine.Session, report *stats.Report) {
	t.Helper()
	var fps, ratios, hitches rows
	for _, p := range measured(report) {
		if f := p.FPS; f != nil {
			c := newCadence(f.Cadence)
			fps.add(string(p.Kind), int64(p.PID), p.Name, string(f.Event), f.Frames, int64(f.First), int64(f.Last), pointer(f.Rate), f.All,
				pointer(c.every), pointer(c.refresh), pointer(c.share))
		}
		if h := p.Hitches; h != nil {
			ratios.add(string(p.Kind), int64(p.PID), p.Name, h.Gaps, int64(h.Time), int64(h.Idle), h.Hitches, int64(h.Hitch), h.LostFrames, pointer(h.Ratio))
			for _, one := range h.List {
				hitches.add(int64(p.PID), int64(one.From), int64(one.To.Sub(one.From)), int64(one.UntilDue), int64(one.Hitch), one.LostFrames)
			}
		}
	}
	compare(t, "ohos_fps", query(t, session,
		"SELECT kind, pid, process_name, event, frames, first_ts, last_ts, fps, fps_all, cadence_every, cadence_refresh_hz, cadence_share FROM ohos_fps"), fps)
	compare(t, "ohos_hitch_ratio", query(t, session, `
		SELECT kind, pid, process_name, gaps, dur, idle_ns, hitches, hitch_ns, lost_frames, hitch_ms_per_s
		FROM ohos_hitch_ratio`), ratios)
	compare(t, "ohos_hitch", query(t, session,
		"SELECT pid, ts, dur, until_due_ns, hitch_ns, lost_frames FROM ohos_hitch JOIN process USING (upid)"), hitches)
}

func checkStages(t *testing.T, session *engine.Session, report *stats.Report) {
	t.Helper()
	var durations, stages rows
	for _, p := range measured(report) {
		d := p.Durations
		durations.add(string(p.Kind), int64(p.PID), p.Name, d.Frames, int64(d.P50), int64(d.P90), pointer(d.P95), pointer(d.P99), int64(d.Max))
		for _, s := range p.Stages {
			if s.Frames > 0 {
				stages.add(string(p.Kind), int64(p.PID), p.Name, s.Stage.String(), s.Frames,
					int64(*s.P50), int64(*s.P90), int64(*s.Max), s.LongestOfLate)
			}
		}
	}
	compare(t, "ohos_frame_duration", query(t, session,
		"SELECT kind, pid, process_name, frames, p50_ns, p90_ns, p95_ns, p99_ns, max_ns FROM ohos_frame_duration"), durations)
	compare(t, "ohos_stage", query(t, session,
		"SELECT kind, pid, process_name, stage, frames, p50_ns, p90_ns, max_ns, longest_of_late FROM ohos_stage"), stages)
}

// checkComparison compares ohos_or_android_process with the report of a trace
// of one system.
func checkComparison(t *testing.T, session *engine.Session, report *stats.Report, system string) {
	t.Helper()
	var want rows
	for _, p := range measured(report) {
		c, d, streak := p.Frames, p.Durations, any(nil)
		if p.LongestStreak != nil {
			streak = p.LongestStreak.Frames
		}
		var event, rate any
		if p.FPS != nil {
			event, rate = string(p.FPS.Event), p.FPS.All
		}
		want.add(system, string(p.Kind), int64(p.PID), p.Name, c.Complete, c.Judged, c.Late, pointer(p.JankRate), streak,
			event, rate, int64(d.P50), int64(d.P90), pointer(d.P95), pointer(d.P99), int64(d.Max))
	}
	compare(t, "ohos_or_android_process", query(t, session, `
		SELECT system, kind, pid, process_name, frames, judged, late, jank_rate, longest_streak,
			fps_event, fps_all, p50_ns, p90_ns, p95_ns, p99_ns, max_ns
		FROM ohos_or_android_process`), want)
}
