package perfetto_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// A whole frame was late if it was presented late, and the jank types say why. The
// first two are frames 5 and 7 of Perfetto's own test of frame timeline events. The
// third comes from an emulator's recording.
func TestPresentTypeDecides(t *testing.T) {
	m := &made{}
	m.expectSurface(5, 6, 41, 56)
	m.actualSurface(5, 6, "Layer1", 41, 74, appLate)
	m.expectDisplay(6, 80, 86)
	m.actualDisplay(6, 81, 88, fine)
	scheduling := verdict{jank: analyzer.JankSFScheduling, present: early, prediction: valid, onTime: true}
	m.expectSurface(7, 8, 90, 106)
	m.actualSurface(7, 8, "Layer1", 90, 106, scheduling)
	m.expectDisplay(8, 120, 126)
	m.actualDisplay(8, 108, 112, scheduling)
	const deadline, end, presented = 3964109810468, 3964223185100, 3964240000000
	both := appLate
	both.jank |= analyzer.JankPredictionError
	m.expectSurface(13790, 13806, deadline-16_600_000, deadline)
	m.actualSurface(13790, 13806, "TX - search#20", deadline-16_000_000, end, both)
	m.expectDisplay(13806, presented-46_300_000, presented-35_800_000)
	m.actualDisplay(13806, end+1_000_000, presented, verdict{jank: analyzer.JankPredictionError, present: presentLate, prediction: valid, onTime: true})
	timeline, _ := read(t, m.bytes)

	for _, want := range []struct {
		token      int64
		late       bool
		overrun    trace.Duration
		misaligned bool
		whole      string // blame of a late one
	}{
		{5, true, 74 - 56, false, "application"},
		{7, false, 0, true, ""},
		{13790, true, 113_374_632, false, "application, prediction_error"},
	} {
		f := frameOf(t, timeline, analyzer.ApplicationFrame, want.token)
		if f.Late() != want.late || f.Overrun() != want.overrun || f.Facts.Has(analyzer.Misaligned) != want.misaligned || f.Render == nil || f.Render.Late() {
			t.Errorf("%s, late %v by %s, taken by %s", f, f.Late(), f.Overrun(), f.Render)
		}
		if w, ok := f.Whole(); !ok || w.Blame.String() != want.whole || w.Actual.End != f.Render.Actual.End {
			t.Errorf("%d: whole %v, blame %q until %d, want %q", want.token, ok, w.Blame, w.Actual.End, want.whole)
		}
	}
	for _, p := range stats.Compute(timeline, stats.Options{}).Processes {
		if w := p.WholeFrames; w.Judged != 3 || w.Late != 2 || w.Blame != (stats.Blames{Application: 2, PredictionError: 1}) {
			t.Errorf("%s: %+v", p.Name, w)
		}
	}
}

// An expected slice that is there counts, also for a frame without a prediction.
func TestExpectedWithoutPrediction(t *testing.T) {
	m := &made{}
	for token, v := range map[int64]verdict{
		20: {jank: analyzer.JankAppDeadlineMissed | analyzer.JankSFScheduling, present: presentLate, prediction: noToken},
		30: {jank: analyzer.JankNone, present: onTime, prediction: noToken, onTime: true},
	} {
		m.expectSurface(token, 0, 8_000_000, 28_000_000)
		m.actualSurface(token, 0, "TX", 8_000_000, 36_000_000, v)
	}
	timeline, stats := read(t, m.bytes)
	for token, overrun := range map[int64]trace.Duration{20: 8_000_000, 30: 0} {
		f := frameOf(t, timeline, analyzer.ApplicationFrame, token)
		if f.Expected != between(8_000_000, 28_000_000) || f.Deadline != 28_000_000 || !f.Judged() || f.Late() != (overrun > 0) || f.Overrun() != overrun {
			t.Errorf("%s, expected %s, judged %v, late by %s", f, f.Expected, f.Judged(), f.Overrun())
		}
	}
	if stats.Unmatched != 0 {
		t.Errorf("%d expected slices of no frame", stats.Unmatched)
	}
}

// Without an expected slice SurfaceFlinger's verdict decides, as far as it has one:
// it writes that the work was not finished on time for frames it did not judge too.
func TestNothingExpected(t *testing.T) {
	for _, test := range []struct {
		name         string
		v            verdict
		judged, late bool
	}{
		{"on time", fine, true, false},
		{"missed", appLate, true, true},
		{"late for its own part", verdict{jank: analyzer.JankBufferStuffing, present: presentLate, prediction: valid}, true, true},
		{"late for its own part, shown on time", verdict{jank: analyzer.JankNone, present: onTime, prediction: valid}, true, true},
		{"stuffed", verdict{jank: analyzer.JankBufferStuffing, present: presentLate, prediction: valid, onTime: true}, true, false},
		{"expired", verdict{jank: analyzer.JankUnknown, present: notKnown, prediction: expired}, false, false},
		{"expired, from Android 16", verdict{jank: analyzer.JankAppDeadlineMissed, present: notKnown, prediction: expired}, true, true},
		{"never presented nor dropped", verdict{jank: analyzer.JankNone, prediction: valid}, false, false},
		{"dropped", layerDropped, false, false},
	} {
		m := &made{}
		m.actualSurface(5, 6, "TX", 1_000_000, 161_000_000, test.v)
		timeline, _ := read(t, m.bytes)
		f := timeline.Frames[0]
		if f.Judged() != test.judged || f.Late() != test.late || f.Overrun() != 0 || f.Expected.Known() {
			t.Errorf("%s: judged %v, late %v by %s", test.name, f.Judged(), f.Late(), f.Overrun())
		}
		counts := stats.Compute(timeline, stats.Options{}).Processes[0].Frames
		if counts.Judged == 1 != test.judged || counts.Late == 1 != test.late {
			t.Errorf("%s: %+v", test.name, counts)
		}
	}
}

// Older versions of Android write no severity.
func TestNoSeverity(t *testing.T) {
	for v, want := range map[verdict]analyzer.JankSeverity{fine: analyzer.SeverityNone, appLate: analyzer.SeverityUnknown} {
		m := &made{}
		e := actualSurface(1, 2, 3, app, "TX", v)
		e.GetActualSurfaceFrameStart().JankSeverityType = nil
		m.event(10, e)
		m.end(20, 1)
		timeline, _ := read(t, m.bytes)
		must.Equal(t, timeline.Frames[0].Verdict().Severity, want, "%s: severity", v.jank)
	}
}
