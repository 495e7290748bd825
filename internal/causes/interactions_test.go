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
// page has a command for each interaction.
func TestAdviceOfResponse(t *testing.T) {
	timeline, c := clicks()
	const advice = "Advice for the longest step: split long callbacks of the UI thread, or move their work to TaskPool"
	slow := writeInteractions(t, "text", Options{Interaction: timeline.Interactions[1]}, timeline, c)
	contains(t, slow, advice, "include 15–30 ms that a trace does not show")
	if fast := writeInteractions(t, "text", Options{Interaction: timeline.Interactions[0]}, timeline, c); strings.Contains(fast, "Advice") {
		t.Errorf("advice for a fast response:\n%s", fast)
	}
	contains(t, writeInteractions(t, "html", Options{}, timeline, c), `<code>ohframe why --interaction 1 -- a.ftrace</code>`, `<code>ohframe why --interaction 3 -- a.ftrace</code>`)
}
