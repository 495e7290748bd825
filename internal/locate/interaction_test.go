package locate

import (
	"errors"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/testing/must"
)

func TestInteraction(t *testing.T) {
	process := &analyzer.Process{PID: 7, Name: "com.example.gallery"}
	scene := func(id, at int) *analyzer.Interaction {
		return &analyzer.Interaction{ID: id, Scene: "APP_LIST_FLING", Process: process, Begin: trace.Time(at * ms)}
	}
	launch := &analyzer.Interaction{ID: 2, Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch, Process: &analyzer.Process{PID: trace.UnknownPID, Name: "com.example.notebook"}, Observed: interval(80, 90)}
	timeline := &analyzer.Timeline{Span: interval(50, 2000), Interactions: []*analyzer.Interaction{scene(1, 60), launch}}
	for _, want := range timeline.Interactions {
		if got, err := Interaction(want.ID, timeline); err != nil || got != want {
			t.Errorf("%d: %+v, error %v", want.ID, got, err)
		}
	}

	many := &analyzer.Timeline{Span: interval(50, 2000)}
	for id := 1; id <= 10; id++ {
		many.Interactions = append(many.Interactions, scene(id, 50+id))
	}
	for _, test := range []struct {
		id         int
		timeline   *analyzer.Timeline
		what, hint string // the end of it
	}{
		{3, timeline, "--interaction: no interaction has the id 3", "interactions: 1 (fling of a list, com.example.gallery, +10.0 ms), 2 (cold launch, com.example.notebook, +30.0 ms)"},
		{-1, timeline, "--interaction: no interaction has the id -1", ""},
		{11, many, "--interaction: no interaction has the id 11", "8 (fling of a list, com.example.gallery, +8.0 ms), 2 more: ohframe report lists them"},
		{1, &analyzer.Timeline{}, "--interaction: the trace has no interactions", "ohframe record takes them all"},
	} {
		_, err := Interaction(test.id, test.timeline)
		e := (*diag.Error)(nil)
		if err == nil || err.Error() != test.what || !errors.As(err, &e) || !strings.HasSuffix(e.Hint, test.hint) {
			t.Errorf("%d: %v, %+v, want %s, hint …%s", test.id, err, e, test.what, test.hint)
		}
	}
}

func TestInteractionCommands(t *testing.T) {
	must.Equal(t, NewCommands("a b.ftrace", nil, "--entry x").WhyInteraction(2), `ohframe why --interaction 2 --entry x -- 'a b.ftrace'`)
	must.Equal(t, NewCommands("a.ftrace", nil).OpenInteraction(12), `ohframe open --interaction 12 -- a.ftrace`)
	must.Equal(t, NewCommands("folder/a b.ftrace", nil, "--entry x").WhyAnyInteraction(), `ohframe why --interaction N --entry x 'a b.ftrace'`)
	must.Equal(t, NewCommands("folder/-a.ftrace", nil).WhyAnyInteraction(), `ohframe why --interaction N ./-a.ftrace`)
	must.Equal(t, NewCommands("folder/a.ftrace", nil).OpenAnyInteraction(), `ohframe open --interaction N a.ftrace`)
	must.Equal(t, NewCommands("folder/a.ftrace", nil).WhyAnyLayer(), `ohframe why --layer NAME a.ftrace`)
}

// An interaction is of its application, and of the process whose frames it counts.
func TestProcessInteraction(t *testing.T) {
	app, render, other := &analyzer.Process{PID: 7, Name: "com.example.gallery"}, &analyzer.Process{PID: 8, Name: "render_service"}, &analyzer.Process{PID: 9, Name: "com.example.notebook"}
	frame := func(p *analyzer.Process) *analyzer.Frame {
		return &analyzer.Frame{Process: p, Kind: analyzer.ApplicationFrame, Actual: interval(60, 65)}
	}
	implicit := &analyzer.Interaction{ID: 1, Scene: "ABILITY_OR_PAGE_SWITCH", Process: app, Begin: trace.Time(55 * ms), Frames: []*analyzer.Frame{frame(render)}}
	fling := &analyzer.Interaction{ID: 2, Scene: "APP_LIST_FLING", Process: app, Begin: trace.Time(70 * ms), Frames: []*analyzer.Frame{frame(app)}}
	launch := &analyzer.Interaction{ID: 3, Scene: "APP_TAB_SWITCH", Process: other, Begin: trace.Time(90 * ms)}
	timeline := &analyzer.Timeline{Span: interval(50, 2000), Processes: []*analyzer.Process{app, render, other}, Interactions: []*analyzer.Interaction{implicit, fling, launch}, Frames: []*analyzer.Frame{frame(app), frame(render)}}
	for _, test := range []struct {
		i          *analyzer.Interaction
		process    string
		what, hint string
	}{
		{implicit, "com.example.gallery", "", ""},
		{implicit, "render_service", "", ""},
		{fling, "com.example.gallery", "", ""},
		{fling, "render_service", "--process: interaction 2 is of com.example.gallery", "leave out --process"},
		{fling, "com.example.notebook", "--process: interaction 2 is of com.example.gallery", "leave out --process; interactions that it matches: 3 (switch of a tab, com.example.notebook, +40.0 ms)"},
		{fling, "nosuch", "--process: no process with frames matches", "processes with frames: com.example.gallery, render_service"},
	} {
		err := ProcessInteraction(test.i, test.process, func(p *analyzer.Process) bool { return p.Name == test.process }, timeline)
		e := &diag.Error{}
		errors.As(err, &e)
		if err == nil && test.what != "" || err != nil && err.Error() != test.what || e.Hint != test.hint {
			t.Errorf("%d of %s: %v, hint %q, want %q, %q", test.i.ID, test.process, err, e.Hint, test.what, test.hint)
		}
	}
}
