package analyzer_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// A frame that the display showed before the last stage began shows nothing of it, however late it ended.
func TestFrameShownBeforeTheLaunch(t *testing.T) {
	demo, service := &analyzer.Process{PID: 200}, &analyzer.Process{PID: 100}
	render := &analyzer.Frame{Kind: analyzer.RenderFrame, Process: service, TID: 100, Actual: analyzer.Interval{Start: 920, End: 940}, Commit: analyzer.Interval{Start: 930, End: 940}, Present: 950}
	app := &analyzer.Frame{Process: demo, TID: 200, Actual: analyzer.Interval{Start: 910, End: 1070}, Transactions: []analyzer.Sent{{Index: 1, At: 915, AppliedBy: render}}, Render: render}
	render.Applications = []*analyzer.Frame{app}
	launch := &analyzer.Interaction{
		ID: 1, Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch, Process: demo, Explicit: true, Begin: 900, Observed: analyzer.Interval{Start: 900, End: 2000},
		Stages: []analyzer.LaunchStage{{Name: "UI Ability OnForeground", Begin: 1000}},
	}
	timeline := &analyzer.Timeline{Processes: []*analyzer.Process{service, demo}, Frames: []*analyzer.Frame{app, render}, Interactions: []*analyzer.Interaction{launch}}
	timeline.ShowInteractions()
	must.NoError(t, timeline.Validate())
	if launch.First != nil || launch.End.Known() {
		t.Errorf("shown at %v, ends at %v", launch.FirstShown, launch.End)
	}
}

// The stages of a launch are in order, whenever the first frame and the one that takes its transaction begin.
func TestStagesOfLaunchAreInOrder(t *testing.T) {
	for _, test := range []struct {
		name                  string
		app, render           trace.Time // when the frames begin; the last stage before begins at 1000
		application, rendered trace.Time // when their stages do
	}{
		{"one after another", 1010, 1060, 1010, 1060},
		{"the application's begins before the stage", 990, 1060, 1000, 1060},
		{"the render frame begins before the application's", 1040, 1030, 1040, 1040},
		{"both begin before the stage", 990, 980, 1000, 1000},
	} {
		demo, service := &analyzer.Process{PID: 200}, &analyzer.Process{PID: 100}
		render := &analyzer.Frame{Kind: analyzer.RenderFrame, Process: service, TID: 100, Actual: analyzer.Interval{Start: test.render, End: 1090}, Commit: analyzer.Interval{Start: 1085, End: 1088}, Present: 1100}
		app := &analyzer.Frame{Process: demo, TID: 200, Actual: analyzer.Interval{Start: test.app, End: 1070}, Transactions: []analyzer.Sent{{Index: 1, At: 1065, AppliedBy: render}}, Render: render}
		render.Applications = []*analyzer.Frame{app}
		launch := &analyzer.Interaction{
			ID: 1, Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch, Process: demo, Explicit: true, Begin: 900, Observed: analyzer.Interval{Start: 900, End: 2000},
			Stages: []analyzer.LaunchStage{{Name: "LoadAbility", Begin: 900}, {Name: "UI Ability OnForeground", Begin: 1000}},
		}
		timeline := &analyzer.Timeline{Processes: []*analyzer.Process{service, demo}, Interactions: []*analyzer.Interaction{launch}}
		if timeline.Frames = []*analyzer.Frame{app, render}; test.render < test.app {
			timeline.Frames = []*analyzer.Frame{render, app}
		}
		timeline.ShowInteractions()
		must.NoError(t, timeline.Validate(), "%s", test.name)
		must.EqualSlices(t, launch.Stages[1:], []analyzer.LaunchStage{
			{Name: "UI Ability OnForeground", Begin: 1000, End: test.application},
			{Name: analyzer.FirstFrameApplication, Begin: test.application, End: test.rendered},
			{Name: analyzer.FirstFrameRender, Begin: test.rendered, End: 1100},
		}, "%s: stages", test.name)
	}
}
