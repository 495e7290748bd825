package causes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

const (
	us = trace.Microsecond
	ms = trace.Millisecond
)

// at is a time in microseconds.
func at(n trace.Duration) trace.Time { return trace.Time(1 * trace.Second).Add(n * us) }

// late is a frame of the process that took length and was late by overrun, in
// microseconds, with the given causes.
func late(p *analyzer.Process, vsync int64, start, length, overrun trace.Duration, shares ...why.Share) *why.Explanation {
	f := &analyzer.Frame{
		Process: p, TID: trace.TID(p.PID), VsyncID: vsync, Facts: analyzer.MainLate,
		Actual:   analyzer.Interval{Start: at(start), End: at(start + length)},
		Deadline: at(start + length - overrun),
	}
	return &why.Explanation{Frame: f, Start: f.Actual.Start, End: f.Actual.End, Lost: overrun * us, Outcome: why.OneCause, Shares: shares}
}

func storage(value, share trace.Duration) why.Share {
	return why.Share{
		Stage: why.StageLayout, Wait: why.WaitIO, Slice: "FlushLayoutTask", Function: "io_schedule", Advice: why.AdviseIO,
		Value: value * us, Share: share * us,
	}
}

func running(value, usual, share trace.Duration) why.Share {
	return why.Share{
		Stage: why.StageBuild, Wait: why.Run, Slice: "FlushBuild", Advice: why.AdviseState,
		Value: value * us, Usual: usual * us, Share: share * us,
	}
}

// timeline returns the frames of explanations with their causes.
func timeline(list ...*why.Explanation) (*analyzer.Timeline, *why.Causes) {
	t := &analyzer.Timeline{}
	c := &why.Causes{Scheduled: true, Woken: true, BlockedReasons: true, Frames: map[*analyzer.Frame]*why.Explanation{}}
	for _, e := range list {
		t.Frames = append(t.Frames, e.Frame)
		c.Frames[e.Frame] = e
	}
	return t, c
}

var example = &analyzer.Process{PID: 2000, Name: "com.example.app"}

func app() *analyzer.Process { return example }

func write(t *testing.T, format string, timeline *analyzer.Timeline, c *why.Causes, o Options) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Write(&b, &Input{Name: "trace.ftrace", Causes: c, Start: timeline.Span.Start, Processes: Processes(timeline, c, o)}, format, o, text.Style{}))
	return b.String()
}

// The trace's lack of scheduling events is said once.
func TestPlacesOnly(t *testing.T) {
	list := []*why.Explanation{late(app(), 10, 0, 40_000, 30_000), late(app(), 11, 50_000, 40_000, 30_000)}
	for _, e := range list {
		e.Outcome, e.Unknown = why.PlaceOnly, 40*ms
		e.Shares = []why.Share{{Stage: why.StageLayout, Wait: why.WaitUnknown, Slice: "FlushLayoutTask", Value: 38 * ms, Usual: 4 * ms, Share: 30 * ms}}
	}
	tl, c := timeline(list...)
	c.Scheduled, c.Woken = false, false
	got := write(t, "text", tl, c, Options{})
	if n := strings.Count(got, "record the tags sched and freq"); n != 1 {
		t.Errorf("%d hints in\n%s", n, got)
	}
	if n := strings.Count(got, "spent 38.0 ms in FlushLayoutTask; usual 4.0\n"); n != 2 {
		t.Errorf("%d sentences in\n%s", n, got)
	}
	if got := write(t, "json", tl, c, Options{}); strings.Count(got, "usual 4.0; whether the thread ran or waited is unknown") != 3 { // of a cause, and of both frames
		t.Errorf("the sentences of JSON do not stand alone:\n%s", got)
	}
}

// The terms of a waterfall, one for each way in which a stage spent time, are rounded so that they add up.
func TestWaterfall(t *testing.T) {
	in := func(stage why.Stage, s why.Share) why.Share {
		s.Stage = stage
		return s
	}
	for _, c := range []struct {
		e    *why.Explanation
		want string
	}{
		// 16.648 + 31.46 + 3.88 + 0.027 = 52.015
		{
			late(app(), 1, 0, 52_015, 35_367, storage(38_000, 31_460), running(9000, 1000, 3880), running(30, 0, 27)),
			"budget 16.6 + waiting for storage (layout) 31.5 + running (build) 3.9 = 52.0 ms",
		},
		// Each share alone would be 10.6 + 5.6 = 16.2. Their remainders are the same.
		{
			late(app(), 1, 0, 32_920, 16_280, storage(11_000, 10_640), running(9000, 1000, 5640)),
			"budget 16.6 + waiting for storage (layout) 10.7 + running (build) 5.6 = 32.9 ms",
		},
		// Five causes: three, and the others together.
		{
			late(app(), 1, 0, 30_000, 15_000, storage(5000, 5000), in(why.StageBuild, storage(4000, 4000)), in(why.StageInput, storage(3000, 3000)), in(why.StageJS, storage(2000, 2000)), in(why.StageIdle, storage(1000, 1000))),
			"budget 15.0 + waiting for storage (layout) 5.0 + waiting for storage (build) 4.0 + waiting for storage (input) 3.0 + other 3.0 = 30.0 ms",
		},
		// Two slices of one stage are one term.
		{
			late(app(), 1, 0, 30_000, 15_000, storage(7000, 7000), in(why.StageBuild, storage(4000, 4000)), storage(4000, 4000)),
			"budget 15.0 + waiting for storage (layout) 11.0 + waiting for storage (build) 4.0 = 30.0 ms",
		},
		// 0.04 + 0.04 + 0.04: a tenth together.
		{late(app(), 1, 0, 10_120, 120, storage(40, 40), storage(40, 40), storage(40, 40)), "budget 10.0 + waiting for storage (layout) 0.1 = 10.1 ms"},
		// The smallest share has the largest remainder, and 3.85 stays 3.9 as in a ranking.
		{
			late(app(), 1, 0, 52_015, 35_367, storage(38_000, 31_430), running(9000, 1000, 3850), in(why.StageJS, running(90, 0, 87))),
			"budget 16.6 + waiting for storage (layout) 31.4 + running (build) 3.9 + running (ArkTS code) 0.1 = 52.0 ms",
		},
	} {
		must.Equal(t, newSum(c.e).waterfall(c.e), c.want)
	}
}

// A frame counts from its vsync to the end of its GPU work. It took the time between its
// actual start and end.
func TestSpan(t *testing.T) {
	for _, c := range []struct {
		before, gpu trace.Duration // microseconds
		want        string
	}{
		{0, 0, ""},
		{40, 40, ""},
		{201, 0, "52.0 ms from vsync to end: waited 0.2 before it began + took 51.8"},
		// 52.059, and still 0.2 + 51.8.
		{249, 0, "52.0 ms from vsync to end: waited 0.2 before it began + took 51.8"},
		{0, 2340, "54.1 ms from start to end: took 51.8 + 2.3 on the GPU after that"},
		{201, 2340, "54.3 ms from vsync to end: waited 0.2 before it began + took 51.8 + 2.3 on the GPU after that"},
	} {
		e := late(app(), 1, 0, 51_810, 35_367)
		e.Start, e.End = e.Start.Add(-c.before*us), e.End.Add(c.gpu*us)
		must.Equal(t, newSum(e).span(), c.want, "before %d, GPU %d", c.before, c.gpu)
	}
}

// Shares of a sum add up to 100 % as they are printed, and only what is exact is 100 %.
func TestPercents(t *testing.T) {
	for _, test := range []struct {
		costs []trace.Duration
		want  string
	}{
		{[]trace.Duration{100, 1200}, "[8 % 92 %]"}, // 7.7 and 92.3
		{[]trace.Duration{100, 100, 100}, "[34 % 33 % 33 %]"},
		{[]trace.Duration{500, 500, 200}, "[42 % 42 % 16 %]"}, // 41.67, 41.67 and 16.67
		{[]trace.Duration{99_900, 100}, "[> 99 % < 1 %]"},
		{[]trace.Duration{100}, "[100 %]"},
	} {
		var list []stagePart
		var sum trace.Duration
		for _, c := range test.costs {
			list = append(list, stagePart{Cost: c * us})
			sum += c * us
		}
		must.Equal(t, fmt.Sprint(percents(list, sum)), test.want, "%v", test.costs)
	}
}

// Applications and render_service are apart, and who lost the most time comes first.
func TestProcesses(t *testing.T) {
	render := late(&analyzer.Process{PID: 1027, Name: "render_service"}, 60, 0, 40_000, 5000, running(9000, 1000, 5000))
	render.Frame.Kind = analyzer.RenderFrame
	tl, c := timeline(render, late(app(), 10, 0, 40_000, 30_000, storage(31_000, 30_000)))
	list := Processes(tl, c, Options{})
	if len(list) != 2 || list[0].PID != 2000 || list[0].Kind != stats.Application || list[1].PID != 1027 || list[1].Kind != stats.RenderService {
		t.Errorf("%+v", list)
	}
	chosen := Processes(tl, c, Options{Vsync: 60})
	if len(chosen) != 1 || chosen[0].PID != 1027 {
		t.Errorf("%+v", chosen)
	}
	for vsync, known := range map[int64]bool{60: true, 61: false} {
		o := Options{Vsync: vsync}
		if err := CheckChosen(&Input{Processes: Processes(tl, c, o)}, o, tl); (err == nil) != known {
			t.Errorf("frame %d: %v", vsync, err)
		}
	}
}

// The ranking lists the largest causes and says what lists the others. Each cause is one row,
// although it occurs in two stages and with two threads of a pool.
func TestRanking(t *testing.T) {
	const causes = maxCosts + 4
	var list []*why.Explanation
	for i := range 2 * causes {
		s := running(2000, 0, 1000)
		s.Slice = fmt.Sprint("Slice", string(rune('A'+i/2)))
		s.Stage = []why.Stage{why.StageBuild, why.StageLayout}[i%2]
		s.Culprit = &why.Culprit{PID: 2000, TID: trace.TID(2100 + i), Process: "app", Thread: fmt.Sprint("TaskWorker-", i%2)}
		list = append(list, late(app(), int64(10+i), trace.Duration(i)*100_000, 9000, 1000, s))
	}
	tl, c := timeline(list...)
	r := Processes(tl, c, Options{})[0].Ranking
	some, all := NewRanking(r, Leading(r, maxCosts), "more"), NewRanking(r, r.Costs, "more")
	if want := (view.Rank{Share: "33 %", Time: "8.0 ms", Title: "4 other causes", About: "more"}); len(some.List) != maxCosts || *some.Others != want {
		t.Errorf("%d causes, others %+v, want %d and %+v", len(some.List), some.Others, maxCosts, want)
	}
	if len(all.List) != causes || all.Others != nil {
		t.Errorf("all lists %d of %d causes, others %+v", len(all.List), causes, all.Others)
	}
	first := view.Rank{
		Share: "8 %", Time: "2.0 ms", Title: "running in SliceA: app:TaskWorker* [build, layout]", About: "2 frames, worst 10",
		Advice: causetext.Advice(why.AdviseState), Bar: 1, Group: "run", Tag: "0",
	}
	must.Equal(t, all.List[0], first)
}

// What is unknown is absent. A wait and the path of a hang have nothing usual.
func TestJSONWithoutUnknown(t *testing.T) {
	tl, c := timeline(late(app(), 10, 0, 40_000, 30_000, storage(31_000, 20_000), running(12_000, 2000, 10_000)))
	hang, spent := hangOf(app(), 100, 300)
	tl.Hangs, c.Hangs = []analyzer.Hang{hang}, map[analyzer.Hang]*why.Explanation{hang: spent}
	work := *spent.Work()
	click := &analyzer.Interaction{ID: 1, Scene: "APP_TAB_SWITCH", Process: app(), Input: analyzer.LastUp, InputAt: hang.Start, Begin: hang.Start, FirstShown: hang.End}
	tl.Interactions = []*analyzer.Interaction{click}
	idle := why.Work{PID: 7, TID: 8, Start: hang.Start, End: hang.End, Idle: hang.Duration()}
	c.Responses = map[*analyzer.Interaction]*why.Explanation{click: {Interaction: click, Start: hang.Start, End: hang.End, Steps: []why.Step{
		{Name: why.StepHandling, Start: hang.Start, Time: hang.Duration(), Work: []why.Work{work, idle}},
	}}}
	var b bytes.Buffer
	in := measured("a.ftrace", tl, c, Options{})
	must.Do(t, Write(&b, &in, "json", Options{}, text.Style{}))
	var d any
	must.Do(t, json.Unmarshal(b.Bytes(), &d))
	known := map[string][]string{
		"path":   {"slice", "value_ns", "calls", "arguments"},
		"waits":  {"wait", "slice", "value_ns", "calls", "slice_ns", "culprit"},
		"shares": {"stage", "wait", "slice", "value_ns", "usual_ns", "share_ns", "gain_ns", "function"},
	}
	seen := map[string]bool{}
	var walk func(list string, v any)
	walk = func(list string, v any) {
		switch v := v.(type) {
		case nil:
			if known[list] != nil {
				t.Errorf("%s is null", list)
			}
		case []any:
			for _, x := range v {
				walk(list, x)
			}
		case map[string]any:
			for name, x := range v {
				if names := known[list]; names != nil && !slices.Contains(names, name) {
					t.Errorf("%s of %s, which is unknown: %v", name, list, x)
				}
				walk(name, x)
			}
			seen[list] = true
		}
	}
	walk("", d)
	for list := range known {
		if !seen[list] {
			t.Errorf("no %s in %s", list, &b)
		}
	}
}

func TestComponents(t *testing.T) {
	e := late(app(), 1, 0, 20_000, 10_000, storage(12_000, 9000),
		why.Share{Wait: why.Variation, Value: 8000 * us, Usual: 7000 * us, Share: 1000 * us})
	e.Parts = []why.Part{{Stage: why.StageStart, Wait: why.WaitVsync, Time: 1 * ms}, {Stage: why.StageLayout, Wait: why.Run, Time: 7 * ms}, {Stage: why.StageLayout, Wait: why.WaitIO, Time: 12 * ms}}
	e.Usual = []why.Part{{Stage: why.StageLayout, Wait: why.Run, Time: 6 * ms}, {Stage: why.StageBuild, Wait: why.Run, Time: 2 * ms}}
	want := []stagePart{
		{Stage: why.StageStart, Wait: why.WaitVsync, Value: 1 * ms, Excess: 1 * ms},
		{Stage: why.StageBuild, Wait: why.Run, Usual: 2 * ms}, // usual, and did not occur
		{Stage: why.StageLayout, Wait: why.Run, Value: 7 * ms, Usual: 6 * ms, Excess: 1 * ms},
		{Stage: why.StageLayout, Wait: why.WaitIO, Value: 12 * ms, Excess: 12 * ms, Cost: 9 * ms},
		{Stage: why.NoStage, Wait: why.Variation, Cost: 1 * ms}, // its time is that of the others
	}
	if got := mainComponents(e, newSum(e)); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

func TestThreads(t *testing.T) {
	e := late(app(), 1, 0, 20_000, 10_000)
	other := func(from, to trace.Duration, tid trace.TID, w why.Wait) why.Activity {
		return why.Activity{Start: at(from), End: at(to), Culprit: why.Culprit{TID: tid, Wait: w, Time: (to - from) * us}}
	}
	piece := func(from, to trace.Duration, w why.Wait, slice string, others ...why.Activity) why.Piece {
		return why.Piece{Start: at(from), End: at(to), Wait: w, Slice: slice, Others: others}
	}
	e.Pieces = []why.Piece{
		piece(0, 500, why.EarlierWork, "OnIdle"),                          // not the frame's own
		piece(500, 1000, why.WaitVsync, "", other(500, 1000, 9, why.Run)), // nobody is blamed for the vsync
		piece(1000, 5000, why.WaitOwnThread, "A", other(1000, 3000, 3, why.Run), other(3000, 5000, 4, why.WaitIO)),
		piece(5000, 6000, why.Run, "A"),
		piece(6000, 9000, why.WaitOwnThread, "B", other(6000, 6040, 5, why.Run), other(6040, 9000, 3, why.Run)),
		piece(9000, 20_000, why.WaitUnknown, "B"),
	}
	type thread struct {
		tid      trace.TID
		at, time trace.Duration
	}
	var got []thread
	list, _ := longestThreads(e, 10)
	for _, x := range list {
		got = append(got, thread{x.TID, x.At, x.Time})
	}
	// Thread 5 had 0.04 ms, which rounds to nothing.
	must.EqualSlices(t, got, []thread{{3, 1 * ms, 4960 * us}, {4, 3 * ms, 2 * ms}}, "threads")
	if got, others := longestThreads(e, 1); len(got) != 1 || got[0].TID != 3 || others != len(list)-1 {
		t.Errorf("the longest is %v, want 3", got)
	}
}

// Several frames of a process have one vsync id. The late one is first, and each has its thread
// and time.
func TestSameVsync(t *testing.T) {
	onTime := late(app(), 10, 0, 5000, 0)
	onTime.Lost, onTime.Outcome, onTime.Frame.Facts = 0, why.NotLate, 0
	second := late(app(), 10, 1500, 20_000, 10_000, storage(12_000, 10_000))
	second.Frame.TID = 2001
	tl, c := timeline(onTime, second)
	tl.Span.Start = onTime.Frame.Actual.Start
	got := write(t, "text", tl, c, Options{Vsync: 10})
	first := strings.Index(got, "  Frame 10 of thread 2001 at +1.5 ms took 20.0 ms and was 10.0 ms late\n")
	if next := strings.Index(got, "  Frame 10 of thread 2000 at +0.0 ms took 5.0 ms and was not late\n"); first < 0 || next < first {
		t.Errorf("got\n%s", got)
	}
}

// The lanes of a late frame on a page are open, and what they show is not told again: its sum, and its stages
// and slices, which are folded. A frame on time has no lanes.
func TestFrameOnPage(t *testing.T) {
	e := late(app(), 7, 0, 30_000, 14_000, storage(20_000, 14_000))
	page := func() string {
		tl, c := timeline(e)
		return html.UnescapeString(write(t, "html", tl, c, Options{Vsync: 7}))
	}
	got := page()
	open, folded := strings.Index(got, "<details class=\"case\" data-tags=\"\" open>"), strings.Index(got, "<summary>Stages, threads and slices in numbers</summary>")
	if stages := strings.Index(got, ">Wait<"); open < 0 || folded < open || stages < folded || strings.Contains(got, newSum(e).waterfall(e)) || !strings.Contains(got, ">sum<") {
		t.Errorf("open at %d, folded at %d, stages at %d in\n%s", open, folded, stages, got)
	}
	e.Lost, e.Outcome, e.Frame.Facts = 0, why.NotLate, 0
	if got := page(); strings.Contains(got, "class=\"case\"") || strings.Contains(got, "in numbers") || !strings.Contains(got, ">Wait<") {
		t.Errorf("on time:\n%s", got)
	}
}

// What is on time is counted. Of many late frames the latest are listed, as of many slices of one.
func TestLists(t *testing.T) {
	onTime := late(&analyzer.Process{PID: 1027, Name: "render_service"}, 60, 0, 5000, 0)
	onTime.Lost, onTime.Outcome, onTime.Frame.Facts = 0, why.NotLate, 0
	tl, c := timeline(onTime)
	must.Equal(t, write(t, "text", tl, c, Options{}), "render_service: 0 of 1 frame late\n\ntrace.ftrace\n  no late frames in 1 frame of 1 process\n\n")
	list := []*why.Explanation{onTime}
	for i := range 50 { // every second frame is late by more
		overrun := trace.Duration(1000 + 1000*(i%2))
		share := storage(overrun, overrun)
		share.Slice = fmt.Sprint("Read", i) // a cause of its own
		list = append(list, late(app(), int64(100+i), trace.Duration(i)*100_000, 20_000, overrun, share))
	}
	for i, e := range text.First(list, 20, later(overrun)) { // the first 20 of the 25 that were late by 2 ms
		must.Equal(t, e.Frame.VsyncID, int64(101+2*i), "frame %d", i)
	}
	list[1].Slices = []why.SliceTime{{Slice: "A", Running: 1 * ms, Waiting: 4 * ms}, {Slice: "B", Waiting: 1 * ms, Unknown: 3 * ms}}
	for i := range 21 {
		list[1].Slices = append(list[1].Slices, why.SliceTime{Slice: fmt.Sprint("C", i), Running: 500 * us, Waiting: 100 * us})
	}
	tl, c = timeline(list...)
	for _, all := range []bool{false, true} {
		got, n := write(t, "text", tl, c, Options{All: all}), 20
		if all {
			n = 50
		}
		if strings.Count(got, "; usual 0.0") != n || strings.Contains(got, "and 30 frames late by less; --all lists all") == all || !strings.Contains(got, "\n  no late frames in 1 frame of 1 other process\n") {
			t.Errorf("got\n%s", got)
		}
	}
	got := write(t, "text", tl, c, Options{Vsync: 100})
	_, table, _ := strings.Cut(got, "Slice, without those inside")
	rows := strings.Split(strings.TrimSpace(table), "\n")[1:]
	fields := func(row string) string { return strings.Join(strings.Fields(row), " ") }
	if len(rows) != 21 || fields(rows[0]) != "A 5.0 1.0 4.0" || fields(rows[1]) != "B 4.0 1.0 3.0" || fields(rows[20]) != "3 other slices 1.8 1.5 0.3" {
		t.Errorf("%d rows:\n%s", len(rows), table)
	}
}
