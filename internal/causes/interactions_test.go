package causes

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/locate"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

// clicks returns a timeline with a fast and a slow click and one without a response, of one
// scene. Frame 7 of the slow one is late.
func clicks() (*analyzer.Timeline, *why.Causes) {
	e := late(app(), 7, 300_000, 30_000, 14_000, storage(20_000, 14_000))
	t, c := timeline(e)
	t.Span = analyzer.Interval{Start: at(0), End: at(900_000)}
	c.Responses = map[*analyzer.Interaction]*why.Explanation{}
	add := func(id int, start trace.Duration, handling, frame trace.Duration) {
		i := &analyzer.Interaction{
			ID: id, Scene: "APP_TAB_SWITCH", Process: app(), Input: analyzer.LastUp, InputAt: at(start), Begin: at(start),
			FirstShown: at(start + handling + frame),
		}
		t.Interactions = append(t.Interactions, i)
		c.Responses[i] = &why.Explanation{Interaction: i, Start: at(start), End: at(start + handling + frame), Steps: []why.Step{
			{Name: why.StepHandling, Start: at(start), Time: handling * us, Work: []why.Work{{
				PID: app().PID, TID: trace.TID(app().PID), Process: app().Name, Thread: "main", Start: at(start), End: at(start + handling), Idle: 1 * ms,
				Waits: []why.WaitTime{
					{Wait: why.Run, Value: (handling - 3_000) * us, Slice: "Parse", SliceTime: (handling - 3_000) * us},
					{Wait: why.WaitBinder, Value: 2 * ms, Slice: "Parse", SliceTime: 2 * ms, Culprit: &why.Culprit{TID: 9, Thread: "OS_IPC_1", Process: "media", Slice: "Query"}},
				},
				Slices: []why.SliceTime{{Slice: "Parse", Running: (handling - 3_000) * us, Waiting: 2 * ms}},
			}}},
			{Name: why.StepDisplay, Start: at(start + handling), Time: frame * us},
		}}
	}
	add(1, 10_000, 20_000, 30_000)
	add(2, 200_000, 140_000, 40_000)
	t.Interactions[1].Frames = []*analyzer.Frame{e.Frame}
	t.Interactions = append(t.Interactions, &analyzer.Interaction{ID: 3, Scene: "APP_TAB_SWITCH", Process: app(), Begin: at(600_000), Reasons: analyzer.ReasonEndCut | analyzer.ReasonNotShown})
	return t, c
}

func writeInteractions(t *testing.T, format string, o Options, timeline *analyzer.Timeline, c *why.Causes) string {
	t.Helper()
	in := Input{
		Name: "a.ftrace", Causes: c, Start: timeline.Origin(), Processes: Processes(timeline, c, o), Interactions: Interactions(timeline, c, o),
		Commands: locate.NewCommands("a.ftrace", timeline),
	}
	var b bytes.Buffer
	must.Do(t, Write(&b, &in, format, o, text.Style{Width: 120}))
	return b.String()
}

func contains(t *testing.T, out string, parts ...string) {
	t.Helper()
	flat := strings.Join(strings.Fields(out), " ")
	for _, part := range parts {
		if !strings.Contains(flat, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
}

// Evidence has the measures that flings are judged by, as reports do.
func TestEvidenceOfFlings(t *testing.T) {
	file := must.Get(os.Open("../../testdata/flings.ftrace.gz"))(t)
	defer file.Close()
	read := must.Get(ohframe.Read(t.Context(), file, ohframe.Options{Causes: true}))(t)
	_, d := written(t, measured("flings.ftrace", read.Timeline, read.Causes, Options{}), Options{})
	hitched := 0
	for _, m := range stats.Interactions(read.Timeline, stats.Options{}) {
		i := slices.IndexFunc(d.Interactions, func(i toldInteraction) bool { return i.ID == m.ID })
		if got := d.Interactions[i]; m.HitchRatio != nil {
			hitched++
			if got.Hitch == nil || math.Abs(*got.Hitch-*m.HitchRatio) > 1e-4**m.HitchRatio || got.Missed == nil || *got.Missed != *m.LongestMissedRun {
				t.Errorf("interaction %d: %+v, want %f and %d", m.ID, got, *m.HitchRatio, *m.LongestMissedRun)
			}
		} else if got.Hitch != nil {
			t.Errorf("interaction %d: hitches %f, want none", m.ID, *got.Hitch)
		}
	}
	if hitched == 0 {
		t.Error("no fling has hitches")
	}
}

// Beyond the limit on explained responses, the reader learns why there are no steps.
func TestResponseBeyondTheLimit(t *testing.T) {
	const note = "What the response was spent on is known of the 1000 longest ones of a trace."
	timeline, c := clicks()
	o := Options{Interaction: timeline.Interactions[1]}
	delete(c.Responses, o.Interaction)
	if out := writeInteractions(t, "text", o, timeline, c); strings.Contains(out, note) {
		t.Errorf("below the limit:\n%s", out)
	}
	for len(c.Responses) < 1000 {
		c.Responses[&analyzer.Interaction{}] = &why.Explanation{}
	}
	contains(t, writeInteractions(t, "text", o, timeline, c), note)
}

// A response that no longer fits the interaction, because that was cut, is unknown.
func TestCutInteraction(t *testing.T) {
	timeline, c := clicks()
	i := timeline.Interactions[1]
	if c.ResponseTo(i) == nil {
		t.Fatal("no response")
	}
	i.InputAt, i.Begin = 0, 0
	if c.ResponseTo(i) != nil {
		t.Error("a response from an unknown time")
	}
}

func TestInteractionJSON(t *testing.T) {
	timeline, c := clicks()
	list := decoded(t, writeInteractions(t, "json", Options{}, timeline, c)).Interactions // the worst first
	if len(list) != 3 || list[2].Response != nil || list[2].Grade != "" || len(list[2].Steps) != 0 || len(list[1].Causes) != 0 {
		t.Fatalf("got %+v", list)
	}
	slow := list[0]
	if *slow.Response != 180*ms || slow.Grade != "B" || slow.Late != 1 || slow.Lost != 14*ms || slow.Causes[0].Wait != "io" {
		t.Errorf("got %+v", slow)
	}
	sum := trace.Duration(0)
	for _, s := range slow.Steps {
		sum += s.Time
	}
	if sum != *slow.Response || slow.Steps[0].Step != "handling" || *slow.Steps[0].Usual != 20*ms || slow.Steps[0].Threads[0].Idle != ms {
		t.Errorf("steps %+v", slow.Steps)
	}
}

// Late frames come before a fast response, which has no details without --all, and after a slow
// one. A fast response that took longer than usual has its details.
func TestOrderAndDetails(t *testing.T) {
	const detail = "application, until the scene begins, com.example.app"
	order := func(o Options, id int, change func(*analyzer.Timeline, *why.Causes)) (first string, details bool) {
		timeline, c := clicks()
		change(timeline, c)
		o.Interaction = timeline.Interactions[id-1]
		out := writeInteractions(t, "text", o, timeline, c)
		response, lost := strings.Index(out, "  Response"), strings.Index(out, "Lost 14.0 ms in 1 late frame of 1")
		if response < 0 || strings.Contains(out, "late frame of") != (lost >= 0) {
			t.Errorf("interaction %d:\n%s", id, out)
		}
		first = "response"
		if lost >= 0 && lost < response {
			first = "frames"
		}
		return first, strings.Contains(out, detail)
	}
	lateToo := func(t *analyzer.Timeline, _ *why.Causes) { t.Interactions[0].Frames = t.Interactions[1].Frames }
	slower := func(t *analyzer.Timeline, c *why.Causes) { // 10 ms of 60 above the usual
		steps := c.Responses[t.Interactions[1]].Steps
		steps[0].Time, steps[1].Time = 10*ms, steps[1].End().Sub(at(210_000))
		steps[1].Start = at(210_000)
	}
	none := func(*analyzer.Timeline, *why.Causes) {}
	for _, test := range []struct {
		name    string
		o       Options
		id      int
		change  func(*analyzer.Timeline, *why.Causes)
		first   string
		details bool
	}{
		{"fast", Options{}, 1, none, "response", false},
		{"fast, late frames", Options{}, 1, lateToo, "frames", false},
		{"fast, all", Options{All: true}, 1, none, "response", true},
		{"fast, slower than usual", Options{}, 1, slower, "response", true},
		{"slow, late frames", Options{}, 2, none, "response", true},
	} {
		if first, details := order(test.o, test.id, test.change); first != test.first || details != test.details {
			t.Errorf("%s: first %s, details %t", test.name, first, details)
		}
	}
}

// A slow response has the advice for its longest step, and its limits the error of a camera. A
// page has one command for all interactions, and on a phone their values have titles.
func TestAdviceOfResponse(t *testing.T) {
	timeline, c := clicks()
	const advice = "Advice for the longest step: split long callbacks of the UI thread, or move their work to TaskPool"
	slow := writeInteractions(t, "text", Options{Interaction: timeline.Interactions[1]}, timeline, c)
	contains(t, slow, advice, "include 15–30 ms that a trace does not show")
	if fast := writeInteractions(t, "text", Options{Interaction: timeline.Interactions[0]}, timeline, c); strings.Contains(fast, "Advice") {
		t.Errorf("advice for a fast response:\n%s", fast)
	}
	page := writeInteractions(t, "html", Options{}, timeline, c)
	contains(t, page, `<code>ohframe why --interaction N a.ftrace</code>`, `data-title="Late">1 of 1`, `data-title="Response ms">180.0 B`)
	must.Equal(t, strings.Count(page, "ohframe why --interaction"), 1)
}

// A table says which interactions lost time, to what, and how one is explained.
func TestInteractionsTable(t *testing.T) {
	timeline, c := clicks()
	out := writeInteractions(t, "text", Options{}, timeline, c)
	contains(t, out, "3 interactions", "– – 50.0 S", "1 of 1 14.0 180.0 B +200.0 ms application, until the scene begins", "waiting for storage in FlushLayoutTask",
		"– – – +600.0 ms", "Explain one: ohframe why --interaction 2 -- a.ftrace")
	none := writeInteractions(t, "text", Options{Process: func(*analyzer.Process) bool { return false }}, timeline, c)
	must.Lack(t, none, "interaction", "without the process")

	// The worst ones of many.
	for id := 4; id < 60; id++ {
		timeline.Interactions = append(timeline.Interactions, &analyzer.Interaction{ID: id, Scene: "APP_TAB_SWITCH", Process: app(), Begin: at(600_000)})
	}
	out = writeInteractions(t, "text", Options{}, timeline, c)
	contains(t, out, "59 interactions", "… and 39 interactions that lost less; --all lists all", "180.0 B")
	if out = writeInteractions(t, "text", Options{All: true}, timeline, c); strings.Contains(out, "lost less") || strings.Count(out, "switch of a tab com.example.app") != 59 {
		t.Errorf("not all:\n%s", out)
	}
}

// One interaction has the steps of its response, what is usual there, its threads, and only
// its frames.
func TestOneInteraction(t *testing.T) {
	timeline, c := clicks()
	other := late(app(), 8, 800_000, 30_000, 14_000, storage(20_000, 14_000))
	timeline.Frames = append(timeline.Frames, other.Frame)
	c.Frames[other.Frame] = other
	out := writeInteractions(t, "text", Options{Interaction: timeline.Interactions[1]}, timeline, c)
	contains(t, out,
		"Interaction 2: switch of a tab · com.example.app · +200.0 ms",
		"switch of a tab of com.example.app: response 180.0 ms, grade B; 1 of 1 frame late, 14.0 ms lost, 100 % of it waiting for storage",
		"Response 180.0 ms, from when the finger left: grade B (limits: S 100, A 150, B 250 ms)",
		"application, until the scene begins 140.0 20.0 120.0 running 137.0 ms in Parse",
		"display 40.0 30.0 10.0", "sum 180.0",
		"waiting for another process's reply 2.0 Parse 2.0 media:OS_IPC_1 in Query", "idle 1.0",
		"Lost 14.0 ms in 1 late frame of 1")
	out = writeInteractions(t, "text", Options{Interaction: timeline.Interactions[2]}, timeline, c)
	contains(t, out, "response unknown", "it ends after the trace or the window; no frame is known to have shown it")
}

// The main cause of a launch is its longest stage, however fast it was.
func TestLaunchCause(t *testing.T) {
	timeline, c := clicks()
	launch := &analyzer.Interaction{ID: 4, Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch, Process: app(), Begin: at(700_000), FirstShown: at(750_000)}
	timeline.Interactions = append(timeline.Interactions, launch)
	c.Responses[launch] = &why.Explanation{Interaction: launch, Start: at(700_000), End: at(750_000), Steps: []why.Step{
		{Name: why.StepLaunch, Stage: "LoadAbility", Start: at(700_000), Time: 20 * ms},
		{Name: why.StepLaunch, Stage: "UI Ability Launching", Start: at(720_000), Time: 30 * ms},
	}}
	contains(t, writeInteractions(t, "text", Options{}, timeline, c), "– – 50.0 S +700.0 ms UI Ability Launching 30.0 ms")
}

// The headline names the interactions that janked before the worst process.
func TestHeadline(t *testing.T) {
	timeline, c := clicks()
	i := timeline.Interactions[1]
	i.Input, i.Scene = analyzer.FirstMove, "APP_LIST_FLING" // 200 ms are below all limits
	i.FirstShown = i.InputAt.Add(200 * ms)
	contains(t, writeInteractions(t, "text", Options{}, timeline, c), "1 of 3 interactions responded too late: 2 (fling of a list of com.example.app) com.example.app: 1 of 1 frame late")
}

// Late frames of render_service have the process's name, because the interaction is an
// application's.
func TestFramesOfRenderService(t *testing.T) {
	timeline, c := clicks()
	i := timeline.Interactions[1]
	i.Frames[0].Kind, i.Frames[0].Process = analyzer.RenderFrame, &analyzer.Process{PID: 900, Name: "render_service"}
	contains(t, writeInteractions(t, "text", Options{Interaction: i}, timeline, c), "Lost 14.0 ms in 1 late frame of 1 frames of render_service")
}

// The thread was busy with frame 5 for 20 ms of the response, and with frame 6 for 5 ms. Frame 4 made 5 late. The frame of
// the interaction, that of another thread and one on time do not count.
func TestKnockOnOfInteractions(t *testing.T) {
	timeline, c := clicks()
	add := func(vsync int64, start, length trace.Duration) *why.Explanation {
		e := late(app(), vsync, start, length, 4_000, storage(20_000, 4_000))
		timeline.Frames = append(timeline.Frames, e.Frame)
		c.Frames[e.Frame] = e
		return e
	}
	root, busy := add(4, 150_000, 30_000), add(5, 180_000, 40_000)
	busy.Root = root.Frame
	add(6, 230_000, 5_000)
	add(8, 240_000, 7_000).Frame.TID++
	onTime := add(9, 250_000, 7_000)
	onTime.Frame.Facts, onTime.Outcome, onTime.Lost = 0, why.NotLate, 0
	slices.SortFunc(timeline.Frames, func(a, b *analyzer.Frame) int { return int(a.Actual.Start - b.Actual.Start) })
	list := Interactions(timeline, c, Options{})
	if i := list[1]; i.KnockOn != 25*ms || i.Root != root {
		t.Errorf("%s because of %v", i.KnockOn, i.Root)
	}
	for _, i := range []int{0, 2} {
		if list[i].KnockOn != 0 || list[i].Root != nil {
			t.Errorf("interaction %d: %s", i+1, list[i].KnockOn)
		}
	}
	contains(t, writeInteractions(t, "text", Options{Interaction: timeline.Interactions[1]}, timeline, c), "Knock-on: the thread was still busy with earlier late frames for 25.0 ms, because of frame 4: ")
	contains(t, writeInteractions(t, "json", Options{}, timeline, c), `"knock_on_ns": 25000000, "knock_on_of": 4,`)
}

// The trace ends in the last stage of a launch. The slice with which that stage begins is known. The table
// and the sentence have the sum of the stages, 330 ms. Of a launch that began before the trace both are
// unknown.
func TestUnfinishedLaunch(t *testing.T) {
	timeline, c := clicks()
	l := &analyzer.Interaction{
		ID: 4, Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch, Process: app(), Begin: at(700_000), Reasons: analyzer.ReasonEndCut | analyzer.ReasonNotShown,
		Observed: analyzer.Interval{Start: at(700_000), End: at(2_000_000)},
		Stages:   []analyzer.LaunchStage{{Name: "LoadAbility", Begin: at(700_000), End: at(900_000)}, {Name: "UI Ability Launching", Begin: at(900_000)}},
	}
	timeline.Interactions = append(timeline.Interactions, l)
	c.Responses[l] = &why.Explanation{Interaction: l, Start: at(700_000), End: at(1_030_000), Steps: []why.Step{
		{Name: why.StepLaunch, Stage: "LoadAbility", Start: at(700_000), Time: 200 * ms},
		{Name: why.StepLaunch, Stage: "UI Ability Launching", Start: at(900_000), Time: 130 * ms, Open: true},
	}}
	contains(t, writeInteractions(t, "text", Options{All: true}, timeline, c), "4 cold launch", " – – ≥ 330.0 ")
	contains(t, writeInteractions(t, "text", Options{Interaction: l}, timeline, c), "cold launch of com.example.app: response at least 330.0 ms ")
	l.Begin = 0
	contains(t, writeInteractions(t, "text", Options{Interaction: l}, timeline, c), "cold launch of com.example.app: response unknown ")
}
