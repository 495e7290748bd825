package analyzer_test

import (
	"math"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// What is known of a frame that ends at 200, by docs/frames.md 3.2, 3.4, 3.8, 10.8 and 16.7.
func TestJudgement(t *testing.T) {
	const (
		unknown = analyzer.NotSaid
		no      = analyzer.No
		yes     = analyzer.Yes
	)
	android := func(v analyzer.Verdict) *analyzer.Android {
		return &analyzer.Android{Timeline: &analyzer.FrameTimeline{Verdict: v}}
	}
	for name, c := range map[string]struct {
		frame       analyzer.Frame
		late, empty analyzer.Answer
		overrun     trace.Duration
		known       bool
		atLeast     bool
	}{
		"on time":               {analyzer.Frame{Deadline: 230}, no, no, -30, true, false},
		"at its deadline":       {analyzer.Frame{Deadline: 200}, no, no, 0, true, false},
		"late":                  {analyzer.Frame{Deadline: 190, Facts: analyzer.MainLate}, yes, no, 10, true, false},
		"late and empty":        {analyzer.Frame{Deadline: 190, Facts: analyzer.MainLate | analyzer.Empty}, yes, yes, 10, true, false},
		"no deadline":           {analyzer.Frame{}, unknown, no, 0, false, false},
		"emptiness unknown":     {analyzer.Frame{Deadline: 190, Facts: analyzer.MainLate | analyzer.EmptyUnknown}, yes, unknown, 10, true, false},
		"truncated":             {analyzer.Frame{Deadline: 230, Facts: analyzer.Truncated}, unknown, unknown, 0, false, false},
		"late and not done":     {analyzer.Frame{Deadline: 50, Facts: analyzer.Unfinished | analyzer.MainLate | analyzer.EmptyUnknown}, yes, unknown, 150, true, true},
		"even pace":             {analyzer.Frame{Framework: analyzer.Flutter, Pace: analyzer.Even}, no, no, 0, false, false},
		"dropped":               {analyzer.Frame{Deadline: 230, Facts: analyzer.Dropped}, unknown, no, 0, false, false},
		"GPU work without end":  {analyzer.Frame{Deadline: 230, Facts: analyzer.GPULate}, yes, no, 0, false, false},
		"judged on time":        {analyzer.Frame{Android: android(analyzer.Verdict{OnTimeFinish: yes})}, no, no, 0, false, false},
		"late without deadline": {analyzer.Frame{Android: android(analyzer.Verdict{OnTimeFinish: no}), Facts: analyzer.MainLate}, yes, no, 0, false, false},
		"late before its deadline": {
			analyzer.Frame{Android: android(analyzer.Verdict{OnTimeFinish: no}), Deadline: 230, Facts: analyzer.MainLate}, yes, no, 0, true, false,
		},
		"not judged by SurfaceFlinger": {analyzer.Frame{Kind: analyzer.RenderFrame, Android: android(analyzer.Verdict{}), Deadline: 230}, unknown, no, 0, false, false},
		"hostile times":                {analyzer.Frame{Deadline: math.MinInt64, Facts: analyzer.MainLate}, yes, no, math.MaxInt64, true, false},
	} {
		f := c.frame
		f.Actual = analyzer.Interval{Start: 100, End: 200}
		want := analyzer.Judgement{Late: c.late, Empty: c.empty, Overrun: c.overrun, OverrunKnown: c.known, AtLeast: c.atLeast}
		j := f.Judgement()
		must.Equal(t, j, want, "%s", name)
		if lost := max(0, c.overrun); j.Judged() != (c.late != unknown) || f.Judged() != j.Judged() || f.Late() != (c.late == yes) || j.Lost() != lost || f.Overrun() != lost {
			t.Errorf("%s: judged %v, late %v, lost %d of %+v", name, f.Judged(), f.Late(), f.Overrun(), j)
		}
	}
}
