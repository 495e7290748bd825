package serve_test

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter/pftrace"
	"ohframe/internal/locate"
	"ohframe/internal/perfettopb"
	"ohframe/internal/serve"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/uitest"
	"ohframe/internal/ui"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// frame returns a frame of a process, in milliseconds: expected from 0 to 10,
// actually from 1 to end.
func frame(pid trace.PID, at, end int, facts analyzer.Facts) *analyzer.Frame {
	f := &analyzer.Frame{
		Process: &analyzer.Process{PID: pid, Name: "some name"}, Facts: facts, VsyncID: int64(1000 + at),
		Expected: interval(at, at+10), Actual: interval(at+1, at+end),
	}
	f.Deadline = f.Expected.End
	return f
}

const ms = int(trace.Millisecond)

func interval(start, end int) analyzer.Interval {
	return analyzer.Interval{Start: trace.Time(start * ms), End: trace.Time(end * ms)}
}

// look returns the view of frames at a place.
func look(t *testing.T, at locate.Found, frames ...*analyzer.Frame) serve.View {
	t.Helper()
	view := must.Get(serve.Look(alone(&analyzer.Timeline{Frames: frames}, nil), serve.ViewOptions{At: at}))(t)
	return view
}

func alone(t *analyzer.Timeline, c *why.Causes) []serve.Side {
	return []serve.Side{{Timeline: t, Causes: c}}
}

func TestLook(t *testing.T) {
	worst := frame(7, 200, 14, analyzer.MainLate)
	inTime := frame(9, 1000, 5, 0)
	truncated := frame(11, 500, 60, analyzer.MainLate|analyzer.Truncated)
	frames := []*analyzer.Frame{frame(20, 100, 12, analyzer.MainLate), worst, frame(20, 300, 14, analyzer.MainLate), truncated, inTime}
	at := func(millisecond int) locate.Found {
		return locate.Found{Time: trace.Time(millisecond * ms), Near: inTime}
	}
	for _, test := range []struct {
		at             locate.Found
		frames         []*analyzer.Frame
		selected, span analyzer.Interval
	}{
		// The frame is expected at 200 ms and ends at 214 ms: that is 2/5 of what is visible.
		{locate.Found{}, frames, worst.Actual, analyzer.Interval{Start: 189_500_000, End: 224_500_000}},
		{locate.Found{}, []*analyzer.Frame{inTime, truncated}, analyzer.Interval{}, analyzer.Interval{}},
		{locate.Found{}, nil, analyzer.Interval{}, analyzer.Interval{}},
		{locate.Found{Frame: inTime}, frames, inTime.Actual, analyzer.Interval{Start: 992_500_000, End: 1_010_000_000}}, // the last is expected to end at 1010 ms
		{at(500), frames, analyzer.Interval{}, interval(400, 600)},
		{locate.Found{Frame: worst, Time: trace.Time(210 * ms)}, frames, worst.Actual, interval(110, 310)}, // around the time
		{at(150), frames, analyzer.Interval{}, interval(100, 250)},                                         // the first frame is expected at 100 ms
		{at(990), frames, analyzer.Interval{}, interval(890, 1010)},                                        // the last is expected to end at 1010 ms
	} {
		if got := look(t, test.at, test.frames...); got.Selected != test.selected || got.Span != test.span {
			t.Errorf("at %v: %v and %v; want %v and %v", test.at, got.Selected, got.Span, test.selected, test.span)
		}
	}
	if got, want := look(t, locate.Found{}, truncated), (serve.View{Commands: []ui.Command{ui.NoFrames()}}); !reflect.DeepEqual(got, want) {
		t.Errorf("without frames: %v", got)
	}
}

// patterns returns the patterns of the commands with an id.
func patterns(t *testing.T, commands []ui.Command, id string) (list []uitest.Pattern) {
	t.Helper()
	for _, c := range commands {
		if c.ID == id {
			list = append(list, uitest.Compile(t, c.Args[0]))
		}
	}
	return list
}

// Only the process to look at is expanded: that of the selected frame, of the one nearest to
// the time, or the application with the most frames. It is the first of the workspace.
func TestProcess(t *testing.T) {
	render := frame(1, 100, 9, 0)
	render.Kind = analyzer.RenderFrame
	render2 := frame(1, 200, 9, 0)
	render2.Kind = analyzer.RenderFrame
	last := frame(7, 500, 9, 0)
	onTime := []*analyzer.Frame{render, render2, frame(8, 300, 9, 0), frame(7, 400, 9, 0), last}
	render2.Process, last.Process = render.Process, onTime[3].Process
	late := append([]*analyzer.Frame{frame(20, 100, 12, analyzer.MainLate), frame(30, 600, 14, analyzer.GPULate)}, onTime...)
	for _, test := range []struct {
		at     locate.Found
		frames []*analyzer.Frame
		want   string
	}{
		{locate.Found{}, late, "30"},
		{locate.Found{Frame: late[0]}, late, "20"},
		{locate.Found{Time: trace.Time(350 * ms), Near: onTime[2]}, late, "8"},
		{locate.Found{}, onTime, "7"},
	} {
		view := look(t, test.at, test.frames...)
		expand := patterns(t, view.Commands, "dev.perfetto.ExpandTracksByRegex")
		if len(expand) != 1 {
			t.Fatalf("commands %v", view.Commands)
		}
		copied := patterns(t, view.Commands, "dev.perfetto.CopyTracksToWorkspaceByRegexWithAncestors")
		for _, pid := range []string{"1", "7", "8", "20", "30"} {
			for path, want := range map[string]bool{
				"some name " + pid: true, "Machine 1 > some name " + pid: true, "a>b " + pid + " (machine 1)": true, "some name " + pid + " > Frames": true,
				"some name " + pid + " > Actual Timeline": false, "some name 1" + pid: false, "some name " + pid + "1": false,
			} {
				if expand[0].Match(path) != (want && pid == test.want) {
					t.Errorf("process %s: %q is expanded: %v", test.want, path, !want)
				}
			}
			if copied[1].Match("some name "+pid+" > Frames") != (pid == test.want) {
				t.Errorf("process %s: %s is first: %v", test.want, pid, pid != test.want)
			}
		}
	}
}

// tabs returns the titles of the tabs, in the order in which they are shown, and where
// the UI pauses and the tables of all modules are created.
func tabs(view serve.View) (list []string) {
	for _, c := range view.Commands {
		switch {
		case c.ID == "dev.perfetto.RunQueryAndShowTab": // the UI shows the query below the title
			if list = append(list, c.Args[1]); !strings.HasPrefix(c.Args[0], "SELECT * FROM ohos_") {
				list = append(list, c.Args[0])
			}
		case c.ID == "dev.perfetto.RunQuery" && strings.Contains(c.Args[0], "ohos_blame("):
			list = append(list, "tables")
		case c.ID == "dev.perfetto.RunQuery" && strings.Contains(c.Args[0], "_ohos_pause "):
			list = append(list, "pause")
		}
	}
	return list
}

// timelineOf returns the timeline of frames and of interactions, which are numbered.
func timelineOf(interactions []*analyzer.Interaction, frames ...*analyzer.Frame) *analyzer.Timeline {
	for n, i := range interactions {
		i.ID = n + 1
	}
	return &analyzer.Timeline{Frames: frames, Interactions: interactions}
}

// An interaction is selected with some time around it, and its process is the one to look at.
// Its tab is in front; otherwise it is behind those of frames. Without frames it is the only
// one.
func TestInteraction(t *testing.T) {
	late := frame(20, 100, 12, analyzer.MainLate)
	fling := &analyzer.Interaction{
		Process: &analyzer.Process{PID: 30, Name: "gallery"}, Scene: "APP_LIST_FLING",
		InputAt: trace.Time(200 * ms), Begin: trace.Time(240 * ms), LastShown: trace.Time(600 * ms), Observed: interval(240, 580),
	}
	unseen := &analyzer.Interaction{
		Process: &analyzer.Process{PID: trace.UnknownPID, Name: "notes"}, Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch,
		Begin: trace.Time(300 * ms), Observed: interval(300, 460),
	}
	endOnly := &analyzer.Interaction{Process: fling.Process, Scene: "APP_LIST_FLING", End: trace.Time(350 * ms), Reasons: analyzer.ReasonBeginLost}
	both := []*analyzer.Interaction{fling, unseen, endOnly}
	around := interval(150, 600) // nothing is later
	for _, test := range []struct {
		timeline       *analyzer.Timeline
		interaction    *analyzer.Interaction
		selected, span analyzer.Interval
		expanded       string
		tabs           []string
	}{
		{timelineOf(both, late), nil, late.Actual, interval(100, 121), "20", []string{"pause", "Interactions", "Jank by process", "Why frames were late", "tables"}},
		{timelineOf(both, late), fling, interval(200, 600), around, "30", []string{"pause", "Jank by process", "Why frames were late", "Interactions", "tables"}},
		{timelineOf(both), fling, interval(200, 600), analyzer.Interval{Start: trace.Time(200 * ms), End: trace.Time(600 * ms)}, "30", []string{"pause", "Interactions", "tables"}},
		{timelineOf(both, late), unseen, interval(300, 460), interval(280, 480), "", []string{"pause", "Jank by process", "Why frames were late", "Interactions", "tables"}},
		{timelineOf(both, late), endOnly, interval(350, 350), interval(250, 450), "30", []string{"pause", "Jank by process", "Why frames were late", "Interactions", "tables"}},
		{timelineOf(both), nil, analyzer.Interval{}, analyzer.Interval{}, "30", []string{"Interactions", "tables"}},
	} {
		view := must.Get(serve.Look(alone(test.timeline, nil), serve.ViewOptions{Interaction: test.interaction}))(t)
		id := 0
		if test.interaction != nil {
			id = test.interaction.ID
		}
		if view.Selected != test.selected || view.Interaction != id || test.span.Known() && test.interaction != nil && view.Span != test.span {
			t.Errorf("interaction %d: selected %v, %d, visible %v; want %v and %v", id, view.Selected, view.Interaction, view.Span, test.selected, test.span)
		}
		if got := tabs(view); !reflect.DeepEqual(got, test.tabs) {
			t.Errorf("interaction %d: tabs %q, want %q", id, got, test.tabs)
		}
		expand := patterns(t, view.Commands, "dev.perfetto.ExpandTracksByRegex")
		if len(expand) != truth(test.expanded != "") || len(expand) == 1 && !expand[0].Match("a "+test.expanded) {
			t.Errorf("interaction %d: %d processes are expanded, want %s", id, len(expand), test.expanded)
		}
	}
}

// Layers have a tab, behind that of late frames. If no frame was late it is in front, unless an
// interaction is selected. Tracks of a few are expanded in the workspace.
func TestLayers(t *testing.T) {
	late, inTime := frame(20, 100, 12, analyzer.MainLate), frame(20, 300, 5, 0)
	fling := &analyzer.Interaction{Process: late.Process, Scene: "APP_LIST_FLING", Begin: trace.Time(200 * ms), Observed: interval(200, 300)}
	player := &analyzer.Process{PID: 30, Name: "player"}
	layer := func(p *analyzer.Process) *analyzer.Layer {
		return &analyzer.Layer{ID: 1, Process: p, Buffers: []*analyzer.Buffer{{}, {Queued: trace.Time(50 * ms), Present: trace.Time(700 * ms)}}}
	}
	android := frame(20, 300, 12, analyzer.MainLate)
	android.Android = &analyzer.Android{}
	for _, test := range []struct {
		name     string
		timeline *analyzer.Timeline
		options  serve.ViewOptions
		expanded string
		tabs     []string
	}{
		{"a late frame", timelineOf(nil, late), serve.ViewOptions{}, "20", []string{"pause", "Layers", "Jank by process", "Why frames were late", "tables"}},
		{"no late frame", timelineOf(nil, inTime), serve.ViewOptions{}, "20", []string{"No frame was late", "Layers", "tables"}},
		{"an interaction", timelineOf([]*analyzer.Interaction{fling}, inTime), serve.ViewOptions{Interaction: fling}, "20", []string{"pause", "No frame was late", "Layers", "Interactions", "tables"}},
		{"many", timelineOf(nil, inTime), serve.ViewOptions{}, "20", []string{"No frame was late", "Layers", "tables"}},
		{"no frames", timelineOf(nil), serve.ViewOptions{}, "30", []string{"Layers", "tables"}},
		{"Android", timelineOf(nil, android), serve.ViewOptions{}, "20", []string{"pause", "Why frames were late", "tables"}},
	} {
		test.timeline.Layers = []*analyzer.Layer{layer(nil), layer(player)}
		for test.name == "many" && len(test.timeline.Layers) < 5 {
			test.timeline.Layers = append(test.timeline.Layers, layer(player))
		}
		view := must.Get(serve.Look(alone(test.timeline, nil), test.options))(t)
		if got := tabs(view); !reflect.DeepEqual(got, test.tabs) {
			t.Errorf("%s: tabs %q, want %q", test.name, got, test.tabs)
		}
		process, layers := false, 0
		for _, p := range patterns(t, view.Commands, "dev.perfetto.ExpandTracksByRegex") {
			process = process || p.Match("a "+test.expanded)
			layers += truth(p.Match("Layers"))
			if p.Match("Layers > video (player 30)") || p.Match("a 20 > Layers") {
				t.Errorf("%s: other tracks are expanded", test.name)
			}
		}
		// Layers without a late buffer are not between a late frame and the eye.
		if want := truth(test.name != "many" && test.name != "Android" && test.name != "a late frame"); !process || layers != want {
			t.Errorf("%s: expands the process %t, layers %d times, want %d", test.name, process, layers, want)
		}
	}
	// The time of buffers is visible.
	timeline := timelineOf(nil, inTime)
	timeline.Layers = []*analyzer.Layer{layer(player)}
	view, err := serve.Look(alone(timeline, nil), serve.ViewOptions{At: locate.Found{Time: trace.Time(70 * ms), Near: inTime}})
	if err != nil || view.Span != (interval(50, 170)) {
		t.Errorf("visible %v, error %v", view.Span, err)
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The UI's query for the slice of an interaction finds it, whatever else has its times.
func TestInteractionsInEngine(t *testing.T) {
	enginetest.ForTest(t)
	config := simulate.Launches()
	config.Kernel = simulate.KernelNone
	texts := map[string]string{}
	for name, config := range map[string]simulate.Config{"demonstration": simulate.Demonstration(), "unseen": config} {
		var text bytes.Buffer
		must.Get(simulate.Write(&text, config))(t)
		texts[name] = text.String()
	}
	texts["unseen"] = regexp.MustCompile(`(?m)^.*\(21480\).*\n`).ReplaceAllString(texts["unseen"], "")
	for name, text := range texts {
		var out bytes.Buffer
		summary := must.Get(pftrace.Convert(t.Context(), strings.NewReader(text), &out, pftrace.Options{NoEvents: true, Analysis: analysis.Options{Causes: true}}))(t)
		served := file(out.Bytes())
		var views []serve.View
		for _, i := range summary.Timeline.Interactions {
			view, err := serve.Look(alone(summary.Timeline, summary.Causes), serve.ViewOptions{Interaction: i})
			if err == nil {
				err = view.MakeUnique(served, int64(len(served)))
			}
			if err != nil {
				t.Fatal(err)
			}
			views = append(views, view)
		}
		session := enginetest.Load(t, served)
		for n, i := range summary.Timeline.Interactions {
			view := views[n]
			_, arguments := read(t, serve.Link{UI: serve.Own(9001), Port: 9001, Path: "a.pftrace", View: view}.String())
			selected := enginetest.Query(t, session, "SELECT name FROM slice WHERE ts = "+arguments["ts"]+" AND dur = "+arguments["dur"])
			if len(selected.Rows) != 1 || !strings.Contains(fmt.Sprint(selected.Rows[0][0]), fmt.Sprintf(" #%d", i.ID)) {
				t.Errorf("%s: interaction %d selects\n%s", name, i.ID, selected)
			}
			if i.ID == 1 {
				uitest.Run(t, session, view.Commands)
			}
		}
	}
}

// TestViewInEngine runs what the UI does with the link: the selection has one frame, the
// commands work, and the notes name the causes.
func TestViewInEngine(t *testing.T) {
	enginetest.ForTest(t)
	text := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	for _, bare := range slow.Of([]bool{false}, []bool{false, true}) {
		var out bytes.Buffer
		options := pftrace.Options{Analysis: analysis.Options{Causes: true}, NoEvents: bare}
		summary := must.Get(pftrace.Convert(t.Context(), bytes.NewReader(text), &out, options))(t)
		view := must.Get(serve.Look(alone(summary.Timeline, summary.Causes), serve.ViewOptions{}))(t)
		served := file(out.Bytes())
		must.Do(t, view.MakeUnique(served, int64(len(served))))
		session := enginetest.Load(t, served)
		_, arguments := read(t, serve.Link{UI: serve.Own(9001), Port: 9001, Path: "demo.pftrace", View: view}.String())
		selected := enginetest.Query(t, session, "SELECT name FROM slice WHERE ts = "+arguments["ts"]+" AND dur = "+arguments["dur"]) // as the UI does
		if len(selected.Rows) != 1 || selected.Rows[0][0] != "10046 late 35.4 ms" {                                                   // docs/perfetto.md lists it as the worst
			t.Errorf("selects\n%s", selected)
		}
		uitest.Run(t, session, view.Commands)
		if patterns(t, view.Commands, "dev.perfetto.CopyTracksToWorkspaceByRegexWithAncestors") == nil {
			t.Error("no workspace")
		}
		notes := 0
		for _, c := range view.Commands {
			if c.ID == "dev.perfetto.AddNoteAtTimestamp" {
				if notes++; !strings.Contains(c.Args[1][16:], ": ") {
					t.Errorf("note without process and cause: %q", c.Args[1])
				}
			}
		}
		must.Equal(t, notes, 3, "notes")
	}
}

// The tab of a trace without tracks Frames, as Android's, has the late frames of the frame
// timeline, with links. The worst is that of docs/perfetto.md.
func TestTimelineTab(t *testing.T) {
	enginetest.ForTest(t)
	text := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	var out bytes.Buffer
	summary := must.Get(pftrace.Convert(t.Context(), bytes.NewReader(text), &out, pftrace.Options{NoEvents: true}))(t)
	var content perfettopb.Trace
	must.Do(t, proto.Unmarshal(out.Bytes(), &content))
	content.Packet = slices.DeleteFunc(content.Packet, func(p *perfettopb.TracePacket) bool {
		return p.GetTrackDescriptor() != nil || p.GetTrackEvent() != nil
	})
	converted := must.Get(proto.Marshal(&content))(t)
	commands := must.Get(ui.Open(ui.Overview{Late: true, Judged: true, Android: true}))(t)
	session := enginetest.Load(t, converted)
	uitest.Run(t, session, commands)
	got := enginetest.Query(t, session, commands[1].Args[0])
	if want := []string{"id", "why (SurfaceFlinger's jank type)", "late ms", "process", "frame", "layer", "ts", "dur", "track_id"}; !reflect.DeepEqual(got.Columns, want) {
		t.Errorf("columns %q, want %q", got.Columns, want)
	}
	late := 0
	for f := range summary.Timeline.Complete() {
		if f.Late() && !f.Facts.Has(analyzer.Empty) {
			late++
		}
	}
	if len(got.Rows) != late || late < 5 {
		t.Fatalf("%d rows, %d frames are late", len(got.Rows), late)
	}
	must.Equal(t, fmt.Sprint(got.Rows[0][1:5]), "[App Deadline Missed 35.4 example.gallery 10046]", "first")
}
