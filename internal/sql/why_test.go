package sql_test

import (
	"os"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/exporter"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
)

// TestWhy compares the causes in the trace processor with those of analyzer/why.
func TestWhy(t *testing.T) {
	enginetest.ForTest(t)
	list := traces(t)
	waits, err := os.ReadFile("../../testdata/why/waits.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	list["waits.ftrace"] = string(waits)
	late, further, states := 0, 0, 0
	for name, input := range list {
		t.Run(name, func(t *testing.T) {
			read, err := ohframe.Read(t.Context(), strings.NewReader(input), ohframe.Options{Causes: true})
			if err != nil {
				t.Fatal(err)
			}
			output, _ := convert(t, strings.NewReader(input), exporter.Options{Causes: true})
			session := load(t, output)
			enginetest.CheckGate(t, session)
			query(t, session, "INCLUDE PERFETTO MODULE ohos.why; SELECT 1")
			late += checkCauses(t, session, read.Timeline, read.Causes)
			further += checkFurther(t, session, read.Timeline, read.Causes)
			checkCauseSums(t, session)
			if read.Causes.Scheduled {
				states += checkThreadStates(t, session)
			}
		})
	}
	if late < 30 || further < 10 || states < 40 {
		t.Errorf("%d late frames, %d frames late in another way, and %d states of frames, are compared", late, further, states)
	}
}

// checkFurther compares the frames that were shown or picked up late with the model, and
// returns their number.
func checkFurther(t *testing.T, session *engine.Session, timeline *analyzer.Timeline, causes *why.Causes) int {
	t.Helper()
	var shown, picked rows
	for f := range timeline.Complete() {
		e := causes.Of(f)
		if s := e.Shown; s != nil && s.Late > 0 {
			shown.add(int64(f.Process.PID), int64(f.Actual.Start), known(f.VsyncID), int64(s.Late), causetext.Shown(causes, e))
		}
		if p := e.PickUp; p != nil {
			picked.add(int64(f.Process.PID), int64(f.Actual.Start), known(f.VsyncID), int64(p.Late), p.Reason.String(), causetext.PickUp(causes, e))
		}
	}
	compare(t, "shown late", query(t, session, `
		SELECT process.pid, f.ts, l.vsync_id, late_ns, sentence
		FROM ohos_frame_shown_late AS l JOIN ohos_frame AS f ON f.id = frame_id JOIN process ON process.upid = l.upid`), shown)
	compare(t, "picked up late", query(t, session, `
		SELECT process.pid, f.ts, l.vsync_id, late_ns, reason, sentence
		FROM ohos_frame_picked_up_late AS l JOIN ohos_frame AS f ON f.id = frame_id JOIN process ON process.upid = l.upid`), picked)
	return len(shown) + len(picked)
}

// checkCauses compares the rows of the tables with the model, and returns the number of
// late frames.
func checkCauses(t *testing.T, session *engine.Session, timeline *analyzer.Timeline, causes *why.Causes) int {
	t.Helper()
	type process struct {
		*analyzer.Process
		kind analyzer.Kind
	}
	frames := map[process][]*analyzer.Frame{}
	var waits, shares, costs rows
	late := 0
	for f := range timeline.Complete() {
		p := process{f.Process, f.Kind}
		frames[p] = append(frames[p], f)
		e := causes.Of(f)
		parts := e.Parts
		if !f.Late() {
			parts = nil
		}
		for _, part := range parts {
			waits.add(f.Kind.String(), int64(f.Process.PID), int64(f.TID), int64(f.Actual.Start), part.Wait.String(), part.Stage.String(), int64(part.Time))
		}
		if e.Overrun > 0 {
			late++
		}
		for i, s := range e.Shares {
			var culprit, slice, knockOn any
			if s.Culprit != nil {
				culprit, slice = int64(s.Culprit.TID), text(s.Culprit.Slice)
			}
			if e.Root != nil {
				knockOn = e.Root.VsyncID
			}
			var sliceTime, sliceUsual any
			if s.Slice != "" {
				sliceTime, sliceUsual = int64(s.SliceValue), int64(s.SliceUsual)
			}
			shares.add(f.Kind.String(), int64(f.Process.PID), int64(f.TID), int64(f.Actual.Start), known(f.VsyncID), int64(e.Overrun), i+1, causetext.Title(&s),
				s.Wait.String(), s.Stage.String(), text(s.Slice), int64(s.Value), int64(s.Usual), int64(s.Share), culprit, slice, text(causetext.Advice(s.Advice)),
				knockOn, e.Outcome.String(), e.Confidence.String(), causetext.Sentence(causes, e), sliceTime, sliceUsual)
		}
	}
	for p, list := range frames {
		r := causes.Rank(list)
		for _, c := range r.Costs {
			costs.add(p.kind.String(), int64(p.PID), causetext.CostTitle(c), c.Wait.String(), c.Stage().String(), text(c.Slice), text(causetext.Kind(c.Kind)), len(c.Frames),
				int64(c.Lost), int64(c.Direct), int64(c.KnockOn), float64(c.Lost)/float64(r.Lost), text(causetext.Advice(c.Advice)))
		}
	}
	compare(t, "ohos_frame_wait", query(t, session, `
		SELECT kind, pid, tid, ts, wait, stage, ns FROM ohos_frame_wait w JOIN ohos_frame f ON f.id = frame_id`), waits)
	compare(t, "ohos_frame_cause", query(t, session, `
		SELECT kind, f.pid, f.tid, ts, c.vsync_id, overrun_ns, rank, cause, wait, stage, slice, value_ns, usual_ns, share_ns, culprit.tid, culprit_slice,
			advice, knock_on_of, verdict, confidence, sentence, c.slice_ns, c.slice_usual_ns
		FROM ohos_frame_cause c JOIN ohos_frame f ON f.id = frame_id LEFT JOIN thread culprit ON culprit.utid = culprit_utid`), shares)
	compare(t, "ohos_cause", query(t, session, `
		SELECT kind, pid, cause, wait, stage, slice, culprit, frames, lost_ns, direct_ns, knock_on_ns, lost_share, advice
		FROM ohos_cause JOIN process USING (upid)`), costs)
	return late
}

// checkCauseSums checks that all of a frame's time has a wait, and all of an overrun a
// cause.
func checkCauseSums(t *testing.T, session *engine.Session) {
	t.Helper()
	compare(t, "frames whose waits are not their time", query(t, session, `
		WITH
			vsync AS MATERIALIZED (
				SELECT upid, vsync_id, max(expected_ts) AS expected_ts FROM ohos_frame
				WHERE expected_dur > 0 GROUP BY upid, vsync_id
			),
			due AS (
				SELECT f.id, f.end_ts,
					min(f.ts, coalesce(f.expected_ts, iif(f.deadline_ts IS NULL, NULL, v.expected_ts), f.ts), coalesce(f.deadline_ts, f.ts)) AS start
				FROM ohos_frame f LEFT JOIN vsync v USING (upid, vsync_id)
				WHERE f.is_late
			)
		SELECT d.id, d.end_ts - d.start, sum(ns)
		FROM due d LEFT JOIN ohos_frame_wait w ON w.frame_id = d.id
		GROUP BY d.id
		HAVING coalesce(sum(ns), 0) != d.end_ts - d.start`), nil)
	compare(t, "frames whose shares are not the overrun", query(t, session, `
		SELECT f.id, f.overrun, sum(share_ns)
		FROM ohos_frame f LEFT JOIN ohos_frame_cause c ON c.frame_id = f.id
		GROUP BY f.id
		HAVING coalesce(sum(share_ns), 0) != f.overrun`), nil)
	compare(t, "shares of lost time that are not 1", query(t, session, `
		SELECT kind, upid, sum(lost_share) FROM ohos_cause GROUP BY kind, upid HAVING abs(sum(lost_share) - 1) > 1e-9`), nil)
}

// checkThreadStates compares what threads did while they worked on frames with the
// trace processor's own view of their states. Interrupts are no states, so frames with
// any are left out, as are frames in which states are unknown. It returns the number of
// times that it compared.
func checkThreadStates(t *testing.T, session *engine.Session) int {
	t.Helper()
	groups := map[string]string{}
	for w := range why.WaitCount {
		switch w := why.Wait(w); w {
		case why.Run, why.GCRun:
			groups[w.String()] = "running"
		case why.CPUPreempted, why.CPUWait:
			groups[w.String()] = "runnable"
		case why.WaitUnknown, why.WaitIRQ:
			groups[w.String()] = "left out"
		case why.WaitGPU, why.RunSlow, why.Variation:
		default:
			groups[w.String()] = "blocked"
		}
	}
	cases := ""
	for wait, group := range groups {
		cases += "WHEN '" + wait + "' THEN '" + group + "' "
	}
	const ours = `
		ours AS MATERIALIZED (
			SELECT frame_id, state, sum(ns) AS ns
			FROM (SELECT frame_id, CASE wait CASES END AS state, ns FROM ohos_frame_wait WHERE stage != 'start')
			WHERE state IS NOT NULL
			GROUP BY frame_id, state
		),
		compared AS MATERIALIZED (
			SELECT id, ts, dur, utid FROM ohos_frame WHERE is_late AND id NOT IN (SELECT frame_id FROM ours WHERE state = 'left out')
		)`
	with := "WITH " + strings.Replace(ours, "CASES", cases, 1)
	got := query(t, session, with+" SELECT id, state, ns FROM compared JOIN ours ON frame_id = id")
	compare(t, "thread states", got, query(t, session, with+`
		SELECT f.id,
			CASE WHEN s.state = 'Running' THEN 'running' WHEN s.state GLOB 'R*' THEN 'runnable' ELSE 'blocked' END AS kind,
			sum(min(s.ts + s.dur, f.ts + f.dur) - max(s.ts, f.ts))
		FROM compared f JOIN thread_state s USING (utid)
		WHERE s.ts < f.ts + f.dur AND s.ts + s.dur > f.ts
		GROUP BY f.id, kind`))
	return len(got)
}
