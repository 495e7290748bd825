package stats

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// A response has the grade of the first limit that it does not exceed: docs/frames.md 15.10.
func TestGrades(t *testing.T) {
	fling, click := &analyzer.Interaction{Scene: "APP_LIST_FLING", Input: analyzer.FirstMove}, &analyzer.Interaction{Scene: "APP_TAB_SWITCH", Input: analyzer.LastUp}
	cold := &analyzer.Interaction{Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch}
	for _, test := range []struct {
		of            *analyzer.Interaction
		limits        []trace.Duration // ms
		within, above []Grade
	}{
		{fling, []trace.Duration{80, 120, 180}, []Grade{GradeS, GradeA, GradeB}, []Grade{GradeA, GradeB, GradeBelow}},
		{click, []trace.Duration{100, 150, 250}, []Grade{GradeS, GradeA, GradeB}, []Grade{GradeA, GradeB, GradeBelow}},
		{cold, []trace.Duration{680}, []Grade{GradeS}, []Grade{GradeBelow}},
	} {
		for i, limit := range test.limits {
			l := LimitOf(test.of)
			if within, above := l.Grade(limit*trace.Millisecond), l.Grade(limit*trace.Millisecond+1); within != test.within[i] || above != test.above[i] {
				t.Errorf("%s: %d ms is %s, above is %s; want %s, %s", test.of.Scene, limit, within, above, test.within[i], test.above[i])
			}
		}
	}
}

// A render frame may have the application frame's own vsync: then it takes no time to come. An earlier one
// is damage.
func TestRenderVsync(t *testing.T) {
	for by, want := range map[trace.Time]bool{999: false, 1000: true, 1001: true} {
		f := &analyzer.Frame{Kind: analyzer.ApplicationFrame, Vsync: 1000, Render: &analyzer.Frame{Vsync: by}}
		if got := latencies([]*analyzer.Frame{f}, nil).VsyncToRenderVsync; (got != nil) != want {
			t.Errorf("render frame at %d: %+v", by, got)
		}
	}
}
