package causes

import (
	"bytes"
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
)

// hangOf returns a hang that its main thread spent in a wait for a thread.
func hangOf(p *analyzer.Process, from, length trace.Duration) (analyzer.Hang, *why.Explanation) {
	h := analyzer.Hang{Process: p, Slice: "TimerCallback", Interval: analyzer.Interval{Start: at(1000 * from), End: at(1000 * (from + length))}}
	wait := why.WaitTime{
		Wait: why.WaitOwnThread, Value: length * ms, Slice: "Query", SliceTime: length * ms, Calls: 3,
		Culprit: &why.Culprit{PID: p.PID, TID: 12, Process: p.Name, Thread: "TaskWorker", Wait: why.Run, Slice: "Migrate", Time: length * ms, Sure: true},
	}
	return h, &why.Explanation{
		Start: h.Start, End: h.End, Steps: []why.Step{{Name: why.StepHang, Start: h.Start, Time: h.Duration(), Work: []why.Work{{
			PID: p.PID, TID: trace.TID(p.PID), Process: p.Name, Start: h.Start, End: h.End, Waits: []why.WaitTime{wait}, Slices: []why.SliceTime{{Slice: "Query", Waiting: length * ms}},
		}}}},
		Path: []why.NamedSlices{{Slice: "TimerCallback", Value: length * ms, Calls: 1}, {Slice: "Query", Value: length * ms, Calls: 3, Arguments: []why.Argument{{Name: "source", Value: "a.db"}}}},
	}
}

// The first line has the longest hang if it is longer than what frames lost, or severe, or cut, and the number of
// those of its process.
func TestHangsSummary(t *testing.T) {
	app, other := &analyzer.Process{PID: 7, Name: "com.example.gallery"}, &analyzer.Process{PID: 8, Name: "com.example.notes"}
	again, nameless := &analyzer.Process{PID: 9, Name: app.Name}, &analyzer.Process{PID: 7} // in another trace
	hang := func(p *analyzer.Process, length trace.Duration) Hang {
		h, spent := hangOf(p, 0, length)
		return Hang{h, spent}
	}
	cut := hang(app, 300)
	cut.EndCut = analyzer.TraceEdge
	for _, test := range []struct {
		list []Hang
		lost trace.Duration // ms
		want string         // its begin
	}{
		{nil, 0, ""},
		{[]Hang{hang(app, 300)}, 0, "com.example.gallery: hang of 300.0 ms, waiting for a thread of the same process 300.0 ms in 3 × Query, for com.example.gallery:TaskWorker in Migrate"},
		{[]Hang{hang(app, 300)}, 299, "com.example.gallery: hang of 300.0 ms"},
		{[]Hang{hang(app, 300)}, 300, ""},
		{[]Hang{hang(app, 500)}, 9000, "com.example.gallery: hang of 500.0 ms"},
		{[]Hang{cut}, 9000, "com.example.gallery: hang of at least 300.0 ms"},
		{[]Hang{hang(app, 260), hang(other, 270), hang(app, 300)}, 280, "com.example.gallery: 2 hangs, the longest 300.0 ms"},
		{[]Hang{hang(app, 300), hang(other, 270)}, 10, "com.example.gallery: hang of 300.0 ms"},
		{[]Hang{hang(app, 260), hang(other, 270), hang(again, 300)}, 10, "com.example.gallery: 2 hangs, the longest 300.0 ms"},
		{[]Hang{hang(nameless, 260), hang(&analyzer.Process{PID: 10}, 300)}, 10, "–: hang of 300.0 ms"},
	} {
		got := HangsSummary(test.list, test.lost*ms)
		if test.want == "" && got != "" || !strings.HasPrefix(got, test.want) {
			t.Errorf("lost %d: %q, want %q", test.lost, got, test.want)
		}
	}
}

// A hang that is part of a launch is in the first line only if it is severe, or if no frame lost time.
func TestHangsSummaryOfLaunch(t *testing.T) {
	app, other := &analyzer.Process{PID: 7, Name: "com.example.gallery"}, &analyzer.Process{PID: 8, Name: "com.example.notes"}
	launch := []*stats.Interaction{{Source: &analyzer.Interaction{Kind: analyzer.LaunchInteraction, Process: app, InputAt: at(50_000), LastShown: at(900_000)}}}
	for _, test := range []struct {
		process      *analyzer.Process
		from, length trace.Duration
		want         bool
	}{{app, 100, 300, false}, {app, 100, 500, true}, {other, 100, 300, true}, {app, 0, 300, true}, {app, 900, 300, true}} {
		h, spent := hangOf(test.process, test.from, test.length)
		if got := HangsSummary([]Hang{{h, spent}}, 10*ms, launch); (got != "") != test.want {
			t.Errorf("%+v: %q", test, got)
		}
		if got := HangsSummary([]Hang{{h, spent}}, 0, launch); got == "" {
			t.Errorf("%+v: nothing without late frames", test)
		}
	}
}

// Hangs that are not shown in detail are counted, and --all shows all of them. So are the times in slices that are not listed.
func TestHangsLeftOut(t *testing.T) {
	app := &analyzer.Process{PID: 7, Name: "com.example.gallery"}
	timeline, c := timeline(late(app, 1, 0, 30_000, 10_000, storage(20_000, 5_000)))
	c.Hangs = map[analyzer.Hang]*why.Explanation{}
	for i := range trace.Duration(5) {
		h, spent := hangOf(app, 100+1000*i, 300+i)
		spent.Work().Slices = nil
		for range why.MaxWorkSlices { // 20 ms each
			spent.Work().Slices = append(spent.Work().Slices, why.SliceTime{Slice: "Step", Waiting: 20 * ms})
		}
		spent.Pieces = []why.Piece{{Start: h.Start, End: h.Start.Add(100 * ms), Wait: why.Run, Slice: "Prepare"}, {Start: h.Start.Add(100 * ms), End: h.End, Wait: why.WaitOwnThread, Slice: "Query"}}
		timeline.Hangs = append(timeline.Hangs, h)
		c.Hangs[h] = spent
	}
	var page bytes.Buffer
	in := measured("a.ftrace", timeline, c, Options{Page: true})
	must.Do(t, Write(&page, &in, "html", Options{}, text.Style{}))
	// Of the longest one, 304 ms, and of 303 and 302 ms.
	for _, bar := range []string{"width:32.89%", "width:67.11%", "width:33.00%", "width:33.11%"} {
		must.Contain(t, page.String(), bar)
	}
	for all, want := range map[bool]int{false: 3, true: 5} {
		var b bytes.Buffer
		in := measured("a.ftrace", timeline, c, Options{})
		must.Do(t, Write(&b, &in, "text", Options{All: all}, text.Style{}))
		must.Equal(t, strings.Count(b.String(), "  Hang of "), want, "all %v: hangs", all)
		if strings.Contains(b.String(), "… and 2 shorter hangs; --all shows more of them") == all {
			t.Errorf("all %v: %s", all, &b)
		}
		if want := "… and 184.0 ms in other slices or in none"; !strings.Contains(b.String(), want) { // 304 ms without 6 × 20 ms
			t.Errorf("no %q in %s", want, &b)
		}
	}
}

// A hang has its path, the thread that was waited for and the command that shows its slices. The
// only one has them itself.
func TestEvidenceOfHangs(t *testing.T) {
	app := &analyzer.Process{PID: 7, Name: "com.example.gallery"}
	timeline, c := timeline(late(app, 1, 0, 30_000, 10_000, storage(20_000, 5_000)))
	first, spent := hangOf(app, 100, 300)
	second, _ := hangOf(app, 500, 400)
	timeline.Hangs = []analyzer.Hang{first, second}
	c.Hangs = map[analyzer.Hang]*why.Explanation{first: spent}
	_, d := written(t, measured("a.ftrace", timeline, c, Options{}), Options{})
	if len(d.Hangs) != 2 {
		t.Fatalf("%d hangs", len(d.Hangs))
	}
	h := d.Hangs[1]
	if k := h.Culprit; k == nil || k.Thread != "TaskWorker" || k.Slice != "Migrate" || k.Time != 300*ms {
		t.Errorf("waited for %+v", k)
	}
	if n := len(h.Path); n != 2 || h.Path[1].Slice != "Query" || h.Path[1].Calls != 3 || h.Path[1].Time != 300*ms || !slices.Equal(h.Path[1].Arguments, []why.Argument{{Name: "source", Value: "a.db"}}) {
		t.Errorf("path %+v", h.Path)
	}
	if want := "ohframe why --format evidence --process 7 --from " + first.Start.String() + " --to " + first.End.Add(1).String() + " -- a.ftrace"; h.Why != want || h.Slices != nil {
		t.Errorf("%s, %d slices, want %s", h.Why, len(h.Slices), want)
	}
	timeline.Hangs = timeline.Hangs[:1]
	_, d = written(t, measured("a.ftrace", timeline, c, Options{}), Options{})
	if h := d.Hangs[0]; h.Why != "" || len(h.Slices) != 1 || h.Slices[0].Slice != "Query" {
		t.Errorf("the only hang: %+v", h)
	}
}

// A sleep that goes on at the end of the trace has its wakeup after it, whatever the tags. A sleep
// that ended before, most of it before the last piece, has no recorded wakeup.
func TestAdviceOfCutHang(t *testing.T) {
	const longer, tags = "a longer time", "record with the tags"
	for _, test := range []struct {
		edge analyzer.Edge
		last trace.Duration // how much of the 300 ms of sleep is at the end
		want string
	}{
		{analyzer.TraceEdge, 300, longer}, {analyzer.WindowEdge, 300, longer}, {analyzer.TraceEdge, 150, longer},
		{analyzer.TraceEdge, 100, tags}, {analyzer.NoEdge, 300, tags},
	} {
		h, spent := hangOf(app(), 0, 300)
		h.EndCut = test.edge
		spent.Work().Waits[0] = why.WaitTime{Wait: why.WaitSleep, Value: 300 * ms}
		end := h.End.Add(-test.last * ms)
		spent.Pieces = []why.Piece{{Start: h.Start, End: end, Wait: why.WaitSleep}, {Start: end, End: h.End, Wait: why.WaitSleep}}
		if got := causetext.HangAdvice(&h, spent); !strings.Contains(got, test.want) {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
