package sql_test

import (
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/why"
	"ohframe/exporter/pftrace"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// TestWhy compares the causes in the trace processor with those of analyzer/why.
func TestWhy(t *testing.T) {
	enginetest.ForTest(t)
	list := slow.Of(map[string]string{"demo": tracetest.Read(t, "../../testdata/demo.ftrace")}, traces(t))
	list["waits"] = tracetest.Read(t, "../../testdata/why/waits.ftrace")
	late, further := 0, 0
	for name, input := range list {
		t.Run(name, func(t *testing.T) {
			read := must.Get(ohframe.Read(t.Context(), strings.NewReader(input), ohframe.Options{Causes: true}))(t)
			output, _ := convert(t, strings.NewReader(input), pftrace.Options{Analysis: analysis.Options{Causes: true}})
			session := load(t, output)
			enginetest.CheckGate(t, session)
			query(t, session, "INCLUDE PERFETTO MODULE ohos.frames; INCLUDE PERFETTO MODULE ohos.why; SELECT 1")
			late += checkCauses(t, session, read.Timeline, read.Causes)
			further += checkFurther(t, session, read.Timeline, read.Causes)
		})
	}
	if late < 15 || further < 10 {
		t.Errorf("%d late frames and %d frames late in another way are compared", late, further)
	}
}

// checkFurther compares the frames that were shown or picked up late with the model, and
// returns their number.
func checkFurther(t *testing.T, session *engine.Session, timeline *analyzer.Timeline, causes *why.Causes) int {
	t.Helper()
	var shown, picked rows
	for f := range timeline.Complete() {
		e := causes.Of(f)
		if s := e.Shown; s != nil && s.Lost > 0 {
			shown.add(int64(f.Process.PID), int64(f.Actual.Start), known(f.VsyncID), int64(s.Lost), causetext.Shown(causes, e))
		}
		if p := e.PickUp; p != nil {
			picked.add(int64(f.Process.PID), int64(f.Actual.Start), known(f.VsyncID), int64(p.Lost), p.Outcome.String(), causetext.PickUp(causes, e))
		}
	}
	compare(t, "shown late", query(t, session, `
		SELECT process.pid, f.ts, l.vsync_id, late_ns, cause
		FROM ohos_frame_shown_late AS l JOIN ohos_frame AS f ON f.id = frame_id JOIN process ON process.upid = l.upid`), shown)
	compare(t, "picked up late", query(t, session, `
		SELECT process.pid, f.ts, l.vsync_id, late_ns, reason, cause
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
		if e.Lost > 0 {
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
			shares.add(f.Kind.String(), int64(f.Process.PID), int64(f.TID), int64(f.Actual.Start), known(f.VsyncID), int64(e.Lost), i+1, causetext.Title(&s),
				s.Wait.String(), s.Stage.String(), text(s.Slice), int64(s.Value), int64(s.Usual), int64(s.Share), culprit, slice, text(causetext.Advice(s.Advice)),
				knockOn, e.Outcome.String(), e.Confidence.String(), causetext.Sentence(causes, e))
		}
	}
	for p, list := range frames {
		r := causes.Rank(list)
		for _, c := range r.Costs {
			costs.add(p.kind.String(), int64(p.PID), causetext.CostTitle(c), c.Wait.String(), c.Stage().String(), text(c.Slice), text(causetext.Kind(c.Kind)), len(c.Late),
				int64(c.Lost), int64(c.Direct), int64(c.KnockOn), float64(c.Lost)/float64(r.Lost), text(causetext.CostAdvice(c)))
		}
	}
	compare(t, "ohos_frame_wait", query(t, session, `
		SELECT kind, pid, tid, ts, wait, stage, ns FROM ohos_frame_wait w JOIN ohos_frame f ON f.id = frame_id`), waits)
	compare(t, "ohos_frame_cause", query(t, session, `
		SELECT kind, f.pid, f.tid, ts, c.vsync_id, c.overrun_ns, rank, title, wait, stage, slice, value_ns, usual_ns, share_ns, culprit.tid, culprit_slice,
			advice, knock_on_of, verdict, confidence, cause
		FROM ohos_frame_cause c JOIN ohos_frame f ON f.id = frame_id LEFT JOIN thread culprit ON culprit.utid = culprit_utid`), shares)
	compare(t, "ohos_cause", query(t, session, `
		SELECT kind, pid, title, wait, stage, slice, culprit, frames, lost_ns, direct_ns, knock_on_ns, lost_share, advice
		FROM ohos_cause JOIN process USING (upid)`), costs)
	return late
}
