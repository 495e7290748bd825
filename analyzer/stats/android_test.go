package stats_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// said gives the frame SurfaceFlinger's verdicts: one for each layer of an
// application frame. The present type of the frame is that of the first.
func said(f *analyzer.Frame, verdicts ...analyzer.Verdict) *analyzer.Frame {
	timeline := &analyzer.FrameTimeline{Verdict: verdicts[0]}
	if f.Kind == analyzer.ApplicationFrame {
		for _, v := range verdicts {
			timeline.Surfaces = append(timeline.Surfaces, analyzer.SurfaceFrame{Verdict: v})
			timeline.Jank |= v.Jank
		}
	}
	f.Android = &analyzer.Android{Timeline: timeline}
	return f
}

// Whether a whole frame of Android was late follows from the present type, and why
// from the jank types: the application frame's, else the render frame's, else from
// which of them was late.
func TestWholeAndroid(t *testing.T) {
	const (
		app, cpu, gpu        = analyzer.JankAppDeadlineMissed, analyzer.JankSFCPUDeadlineMissed, analyzer.JankSFGPUDeadlineMissed
		scheduling, none     = analyzer.JankSFScheduling, analyzer.JankNone
		onTime, late, early  = analyzer.PresentOnTime, analyzer.PresentLate, analyzer.PresentEarly
		unknown, unspecified = analyzer.PresentUnknown, analyzer.PresentUnspecified
		missed, dropped      = analyzer.MainLate, analyzer.Dropped
	)
	for _, test := range []struct {
		name    string
		jank    analyzer.JankType
		present analyzer.PresentType
		facts   analyzer.Facts
		render  analyzer.JankType
		// The render frame is expected to end at 1025.
		renderEnd   int
		renderFacts analyzer.Facts
		want        string // "" if it was not late
	}{
		{"on time", none, onTime, 0, none, 1024, 0, ""},
		{"on time although the application was late", app, onTime, missed, none, 1024, 0, ""},
		{"on time although the render frame was late", none, onTime, 0, cpu, 1030, missed, ""},
		{"early", scheduling, early, 0, scheduling, 1012, 0, ""},
		{"early by times too, yet late by the present type", app, late, missed, none, 1024, 0, "application"},
		{"two causes", app | analyzer.JankPredictionError, late, missed, none, 1024, 0, "application, prediction_error"},
		{"resynced", analyzer.JankAppResyncedJitter, late, 0, none, 1024, 0, "application"},
		{"SurfaceFlinger's CPU", cpu, late, 0, cpu, 1024, missed, "render_cpu"},
		{"SurfaceFlinger's GPU", gpu, late, 0, gpu, 1024, analyzer.GPULate, "render_gpu"},
		{"scheduling", scheduling, late, 0, none, 1024, 0, "pick_up"},
		{"display", analyzer.JankDisplayHAL, late, 0, none, 1024, 0, "display_hal"},
		{"stuffed", analyzer.JankBufferStuffing, late, 0, none, 1024, 0, "buffer_stuffing"},
		{"SurfaceFlinger stuffed", analyzer.JankSFStuffing, late, 0, none, 1024, 0, "buffer_stuffing"},
		{"unknown jank", analyzer.JankUnknown, late, 0, cpu, 1024, 0, "unknown"},
		{"no cause of its own, but the render frame's", none, late, 0, cpu | scheduling, 1024, 0, "render_cpu, pick_up"},
		{"no cause but the application's facts", none, late, missed, none, 1024, 0, "application"},
		{"no cause but the render frame's facts", none, late, 0, none, 1024, analyzer.GPULate, "render_gpu"},
		{"types that are no causes", analyzer.JankNonAnimating | analyzer.JankDisplayNotOn, late, 0, none, 1024, 0, "unknown"},
		{"a layer of several dropped", analyzer.JankDropped | app, late, missed, none, 1024, 0, "application"},
		{"a layer of several dropped, no cause else", analyzer.JankDropped, late, 0, none, 1024, 0, "unknown"},
		{"taken by a frame that was dropped", none, late, 0, analyzer.JankDropped, 1024, dropped, "dropped"},
		{"dropped", analyzer.JankDropped, analyzer.PresentDropped, dropped, none, 1024, 0, "dropped"},
		{"dropped, late before", analyzer.JankDropped | app, analyzer.PresentDropped, dropped | missed, none, 1024, 0, "application, dropped"},
		{"unknown, by times on time", app, unknown, missed, none, 1025, 0, ""},
		{"unknown, by times late", app, unknown, missed, none, 1026, 0, "application"},
		{"unspecified, by times late", 0, unspecified, 0, none, 1026, 0, "unknown"},
	} {
		s := &scene{}
		r := said(s.render(s.process(1, ""), 1010, 1011, test.renderEnd, test.renderFacts), analyzer.Verdict{Jank: test.render})
		a := said(s.app(s.process(100, ""), 1000, 1001, 1005, test.facts), analyzer.Verdict{Jank: test.jank, Present: test.present})
		whole := analyzer.Interval{Start: at(1001), End: at(test.renderEnd)}
		if test.facts.Has(dropped) {
			whole = a.Actual
		} else {
			send(a, 1004, r)
		}
		w, ok := a.Whole()
		if got := w.Blame.String(); !ok || got != test.want || w.Late() != (test.want != "") || w.Actual != whole {
			t.Errorf("%s: %v, blame %q, late %v, actual %s, want blame %q", test.name, ok, got, w.Late(), w.Actual, test.want)
		}
		// Without a deadline only the present type says whether the frame was late.
		r.Expected = analyzer.Interval{}
		if _, ok := a.Whole(); ok != (test.present != unknown && test.present != unspecified) {
			t.Errorf("%s, without a deadline: %v", test.name, ok)
		}
		// Neither does what is cut.
		r.Facts |= analyzer.Truncated
		if _, ok := a.Whole(); ok != test.facts.Has(dropped) {
			t.Errorf("%s, render frame truncated: %v", test.name, ok)
		}
	}
}

// Blames of several causes are counted for each of them.
func TestBlames(t *testing.T) {
	s := &scene{}
	r := said(s.render(s.process(1, "surfaceflinger"), 1010, 1011, 1024, 0), analyzer.Verdict{Jank: analyzer.JankNone})
	for i, jank := range []analyzer.JankType{
		analyzer.JankAppDeadlineMissed | analyzer.JankPredictionError, analyzer.JankAppDeadlineMissed, analyzer.JankDisplayHAL,
	} {
		a := said(s.app(s.process(trace.PID(100+i), "app"), 1000, 1001+i, 1005+i, 0), analyzer.Verdict{Jank: jank, Present: analyzer.PresentLate})
		send(a, 1008, r)
	}
	want := stats.WholeFrames{Judged: 3, Late: 3, LateRate: ptr(1.0), Blame: stats.Blames{Application: 2, PredictionError: 1, DisplayHAL: 1}}
	sameJSON(t, measured(t, s, stats.RenderService).WholeFrames, want)
	must.Equal(t, want.Blame.Of(analyzer.BlameDisplayHAL), 1, "display HAL")
}

// Verdicts are counted by frame; a jank type counts if any layer has it, for each
// present type with which one has it.
func TestVerdicts(t *testing.T) {
	verdict := func(jank analyzer.JankType, present analyzer.PresentType) analyzer.Verdict {
		return analyzer.Verdict{Jank: jank, Present: present}
	}
	s := &scene{}
	p := s.process(100, "app")
	n := 0
	frame := func(facts analyzer.Facts, layers ...analyzer.Verdict) {
		said(s.app(p, 1000+10*n, 1001+10*n, 1005+10*n, facts), layers...)
		n++
	}
	const none, app, hal, dropped = analyzer.JankNone, analyzer.JankAppDeadlineMissed, analyzer.JankDisplayHAL, analyzer.JankDropped
	frame(0, verdict(none, analyzer.PresentOnTime))
	frame(0, verdict(none, analyzer.PresentOnTime), verdict(none, analyzer.PresentOnTime))
	frame(0, verdict(none, analyzer.PresentOnTime), verdict(app|hal, analyzer.PresentLate))
	frame(0, verdict(app, analyzer.PresentLate), verdict(app, analyzer.PresentEarly))
	frame(0, verdict(hal, analyzer.PresentUnknown), verdict(hal, analyzer.PresentUnspecified))
	frame(analyzer.Dropped, verdict(dropped, analyzer.PresentDropped))
	frame(0, verdict(analyzer.JankAppResyncedJitter, analyzer.PresentLate))
	frame(0, verdict(analyzer.JankBufferStuffing, analyzer.PresentLate)) // not missed
	frame(0, verdict(0, analyzer.PresentOnTime))                         // unspecified
	frame(analyzer.Truncated, verdict(app, analyzer.PresentLate))        // not complete
	want := &stats.Verdicts{
		MissedApplication: 3, MissedSurfaceFlinger: 2, MissedDropped: 1, Missed: 5,
		JankTypes: []stats.JankTypeFrames{
			{Type: "None", Frames: 3, OnTime: 3},
			{Type: "Display HAL", Frames: 2, Late: 1, Unknown: 1},
			{Type: "App Deadline Missed", Frames: 2, Late: 2, Early: 1},
			{Type: "Buffer Stuffing", Frames: 1, Late: 1},
			{Type: "Dropped Frame", Frames: 1, Dropped: 1},
			{Type: "App Resynced Jitter", Frames: 1, Late: 1},
		},
	}
	sameJSON(t, measured(t, s, stats.Application).SurfaceFlinger, want)

	s = &scene{}
	s.app(s.process(100, "app"), 1000, 1001, 1005, 0)
	if got := measured(t, s, stats.Application).SurfaceFlinger; got != nil {
		t.Errorf("without verdicts: %+v", got)
	}

	// A render frame has no layers.
	s = &scene{}
	said(s.render(s.process(1, ""), 1010, 1011, 1014, 0), verdict(analyzer.JankSFCPUDeadlineMissed, analyzer.PresentLate))
	sameJSON(t, measured(t, s, stats.RenderService).SurfaceFlinger, &stats.Verdicts{
		MissedSurfaceFlinger: 1, Missed: 1,
		JankTypes: []stats.JankTypeFrames{{Type: "SurfaceFlinger CPU Deadline Missed", Frames: 1, Late: 1}},
	})
}

// A dropped frame counts, and has no durations: it ends when it is dropped.
func TestDropped(t *testing.T) {
	s := &scene{}
	p := s.process(100, "app")
	s.app(p, 1000, 1001, 1005, 0)
	said(s.app(p, 1010, 1011, 1091, analyzer.Dropped), analyzer.Verdict{Jank: analyzer.JankDropped, Present: analyzer.PresentDropped})
	got := measured(t, s, stats.Application)
	if got.Frames.Complete != 2 || got.Frames.Dropped != 1 || got.Frames.Judged != 1 || *got.JankRate != 0 {
		t.Errorf("%+v, jank rate %v, want 2 frames, one of them dropped and not judged", got.Frames, *got.JankRate)
	}
	if d, p := got.Durations, got.DurationsInPeriods; d.Frames != 1 || d.Max != 4*ms || p.Frames != 1 || p.Max != 0.4 {
		t.Errorf("durations %+v, in periods %+v, want 4 ms of one frame", d, p)
	}
	for _, st := range got.Stages {
		must.Equal(t, st.Frames, map[stats.Stage]int{stats.Receive: 2, stats.UIWork: 1}[st.Stage], "stage %s of frames", st.Stage)
	}
}
