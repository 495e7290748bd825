package sql_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/must"
)

// checkModules compares what the modules say of a trace with what the model
// does.
func checkModules(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	t.Helper()
	for _, name := range modules(t) {
		must.Get(session.Query("INCLUDE PERFETTO MODULE ohos." + name + "; SELECT 1"))(t)
	}
	checkFrames(t, session, timeline)
	checkWholeFrames(t, session, timeline)
	report := stats.Compute(timeline, stats.Options{})
	checkJank(t, session, report)
	checkFPS(t, session, report)
	checkStages(t, session, report)
	checkInteractions(t, session, report)
	checkLayers(t, session, timeline, report)
	checkComponents(t, session, report)
	checkStreamer(t, session, timeline)
}

// checkInteractions compares interactions and launches with the report. The slices are
// where the columns say.
func checkInteractions(t *testing.T, session *engine.Session, report *stats.Report) {
	t.Helper()
	checkTable(t, session, "ohos_interaction", "reasons", func(yield func(any, ...any)) {
		for _, i := range report.Interactions {
			yield(i, text(strings.Join(i.Reasons, " ")))
		}
	})
	stages := 0
	checkTable(t, session, "ohos_launch_stage", "interaction, process_name", func(yield func(any, ...any)) {
		for _, i := range report.Interactions {
			for _, stage := range i.Stages {
				yield(stage, i.ID, i.Process)
				stages++
			}
		}
	})
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
			AND l.interaction = i.interaction`), count(stages))
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
			answer(f.Judgement().Empty), f.Facts.Has(analyzer.Misaligned), f.Facts.Has(analyzer.FirstDraw), f.Facts.Has(analyzer.Unfinished), flagOf(f), f.Coalesced, f.NotBegun, text(f.Framework.String()), known(f.CPUTime))...)
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
		is_empty, is_misaligned, is_first_draw, is_unfinished, flag, coalesced, not_begun, framework, cpu_ns
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
	for _, name := range []string{"ohos_jank", "ohos_blame"} {
		checkTable(t, session, name, "kind, pid, process_name", eachProcess(measured(report)))
	}
	var worst, streaks rows
	for _, p := range measured(report) {
		var length any
		if l := p.LongestStreak; l != nil && l.At != nil {
			length = int64(l.Until.Sub(*l.At))
		}
		streaks.add(string(p.Kind), int64(p.PID), length)
		for i, f := range p.Worst {
			worst.add(string(p.Kind), int64(p.PID), i+1, int64(f.At), int64(f.Duration), int64(f.Overrun), pointer(f.OverrunPeriods),
				int64(f.TID), known(f.VsyncID), f.Stage.String())
		}
	}
	compare(t, "streaks of ohos_jank", query(t, session, "SELECT kind, pid, longest_streak_dur FROM ohos_jank"), streaks)
	compare(t, "ohos_worst_frame", query(t, session, `
		SELECT kind, pid, rank, ts, dur, overrun_ns, overrun_periods, tid, vsync_id, longest_stage FROM ohos_worst_frame WHERE rank <= 10`), worst)
	compare(t, "joins of ohos_worst_frame", query(t, session, `
		SELECT * FROM ohos_worst_frame w LEFT JOIN ohos_frame f USING (id)
		WHERE f.ts IS NOT w.ts OR f.utid IS NOT w.utid OR f.render_id IS NOT w.render_id OR f.process_name IS NOT w.process_name`), nil)
}

// eachProcess yields processes with their names.
func eachProcess(list []*stats.Process) func(yield func(any, ...any)) {
	return func(yield func(any, ...any)) {
		for _, p := range list {
			yield(p, string(p.Kind), int64(p.PID), p.Name)
		}
	}
}

func checkFPS(t *testing.T, session *engine.Session, report *stats.Report) {
	t.Helper()
	unknown := func(is func(*stats.Process) bool) []*stats.Process { return slices.DeleteFunc(measured(report), is) }
	checkTable(t, session, "ohos_fps", "kind, pid, process_name", eachProcess(unknown(func(p *stats.Process) bool { return p.FPS == nil })))
	hitches := unknown(func(p *stats.Process) bool { return p.Hitches == nil })
	checkTable(t, session, "ohos_hitches", "kind, pid, process_name", eachProcess(hitches))
	checkTable(t, session, "ohos_hitch", "process.pid, ts, dur", func(yield func(any, ...any)) {
		for _, p := range hitches {
			for _, h := range p.Hitches.List {
				yield(h, int64(p.PID), int64(h.From), int64(h.To.Sub(h.From)))
			}
		}
	})
}

func checkStages(t *testing.T, session *engine.Session, report *stats.Report) {
	t.Helper()
	checkTable(t, session, "ohos_frame_duration", "kind, pid, process_name", eachProcess(measured(report)))
	checkTable(t, session, "ohos_stage", "kind, pid, process_name", func(yield func(any, ...any)) {
		for _, p := range measured(report) {
			for _, s := range p.Stages {
				if s.Frames > 0 {
					yield(s, string(p.Kind), int64(p.PID), p.Name)
				}
			}
		}
	})
}

// lateOf is whether a frame was late, nil if that is not known.
func lateOf(f *analyzer.Frame) any { return judgedFact(f, analyzer.MainLate|analyzer.GPULate) }

// judgedFact returns whether the frame has any of the facts, which are unknown if it is
// unknown whether it was late.
func judgedFact(f *analyzer.Frame, facts analyzer.Facts) any {
	if !f.Judged() {
		return nil
	}
	return f.Facts.Has(facts)
}

// text returns nil for the empty string.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}
