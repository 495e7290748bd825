package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/view"
)

// explained is film with a cause for the application's late frame, which has 20 ms and
// takes 32. It waits 20 ms for storage while a thread decodes an image for 16 of them:
//
//	at ms   0       4       8                28       32
//	        │ frame │ layout: runs │ storage │ layout │
//	deadline                   20 ▲
func explained(slice, thread string) Input {
	in := film()
	late := in.Timeline.Frames[slices.IndexFunc(in.Timeline.Frames, func(f *analyzer.Frame) bool { return f.VsyncID == 11 })]
	in.Causes = &why.Causes{Scheduled: true, Woken: true, BlockedReasons: true, Frames: map[*analyzer.Frame]*why.Explanation{late: explanation(late, slice, thread)}}
	return in
}

func explanation(f *analyzer.Frame, slice, thread string) *why.Explanation {
	at := func(n trace.Duration) trace.Time { return f.Actual.Start.Add(n * ms1) }
	culprit := why.Culprit{TID: 77, Thread: thread, Wait: why.Run, Slice: "Decode", Time: 16 * ms1, Sure: true}
	return &why.Explanation{
		Frame: f, Start: at(0), End: at(32), Lost: 12 * ms1,
		Parts: []why.Part{{Stage: why.StageFrame, Wait: why.Run, Time: 4 * ms1}, {Stage: why.StageLayout, Wait: why.Run, Time: 8 * ms1}, {Stage: why.StageLayout, Wait: why.WaitIO, Time: 20 * ms1}},
		Usual: []why.Part{{Stage: why.StageFrame, Wait: why.Run, Time: 2 * ms1}, {Stage: why.StageLayout, Wait: why.Run, Time: 6 * ms1}},
		Pieces: []why.Piece{
			{Start: at(0), End: at(4), Stage: why.StageFrame, Wait: why.Run, Slice: "OnVsyncEvent"},
			{Start: at(4), End: at(8), Stage: why.StageLayout, Wait: why.Run, Slice: slice},
			{Start: at(8), End: at(28), Stage: why.StageLayout, Wait: why.WaitIO, Slice: slice, Others: []why.Activity{{Start: at(10), End: at(26), Culprit: culprit}}},
			{Start: at(28), End: at(32), Stage: why.StageLayout, Wait: why.Run, Slice: slice},
		},
		Outcome: why.OneCause,
		Shares: []why.Share{
			{Stage: why.StageLayout, Wait: why.WaitIO, Slice: slice, Value: 20 * ms1, Share: 8 * ms1, Function: "io_schedule", Advice: why.AdviseIO},
			{Stage: why.StageLayout, Wait: why.Run, Slice: slice, Value: 8 * ms1, Usual: 6 * ms1, Share: 4 * ms1},
		},
	}
}

const storage = "waiting for storage in FlushLayoutTask (io_schedule)"

func TestCausesInTable(t *testing.T) {
	got := write(t, []Input{explained("FlushLayoutTask", "Worker")}, "table", Options{Verbose: true})
	for _, want := range []string{
		"render_service: 3 of 6 frames late; com.example.app: 1 of 5 frames late; 67 %",
		"\n  com.example.app      12.0   67 %  " + storage + "\n",
		`
  Lost 12.0 ms in 1 late frame of 5

  67 %  8.0 ms  ` + storage + ` · frame 11
      read files before they are needed and off the UI thread: asynchronously, or in TaskPool
  33 %  4.0 ms  running in FlushLayoutTask · frame 11
`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %q:\n%s", want, got)
		}
	}
}

func TestCausesInJSON(t *testing.T) {
	var got struct {
		Inputs []struct {
			Processes []struct {
				Lost    int64  `json:"lost_ns"`
				Unknown *int64 `json:"unknown_ns"`
				Causes  []struct {
					Wait  string
					Lost  int64 `json:"lost_ns"`
					Share float64
				}
				Frames []struct {
					Vsync int64 `json:"vsync_id"`
				} `json:"late_frames"`
			}
		}
	}
	text := write(t, []Input{explained("FlushLayoutTask", "Worker"), film()}, "json", Options{})
	must.Do(t, json.Unmarshal([]byte(text), &got))
	app := got.Inputs[0].Processes[0]
	if app.Lost != 12_000_000 || len(app.Causes) != 2 || app.Causes[0].Wait != "io" || app.Causes[0].Lost != 8_000_000 || app.Causes[0].Share != 8.0/12 {
		t.Errorf("%+v", app)
	}
	if len(app.Frames) != 1 || app.Frames[0].Vsync != 11 {
		t.Errorf("frames %+v", app.Frames)
	}
	if render := got.Inputs[0].Processes[1]; render.Unknown == nil || len(render.Frames) != 0 {
		t.Errorf("a process without explanations has the causes %+v", render)
	}
	if unknown := got.Inputs[1].Processes[0].Unknown; unknown != nil {
		t.Errorf("without causes %d ns are unknown", *unknown)
	}
}

func TestCausesInCSV(t *testing.T) {
	records := must.Get(csv.NewReader(strings.NewReader(write(t, []Input{explained("FlushLayoutTask", "Worker"), film()}, "csv", Options{}))).ReadAll())(t)
	for row, want := range [][]string{
		{"causes.lost_ns", "causes.top.title", "causes.top.lost_ns", "causes.top.share"},
		{"12000000", storage, "8000000", "0.6666666666666666"},
		{"25000000", "", "", ""}, // render_service: no frame is explained
		{"", "", "", ""},         // no causes are known
	} {
		must.EqualSlices(t, records[row][len(records[row])-5:len(records[row])-1], want, "row %d ends in", row)
	}
}

// The bars of a frame have its length as scale: 32 ms are 100 %.
func TestBars(t *testing.T) {
	in := explained("FlushLayoutTask", "Worker")
	drawn := 0
	blocks := in.causes()(in.Stats.Processes[0]).Blocks(in.Causes, causes.Options{Page: true}, &drawn)
	section := blocks[0].(view.Section)
	if want := "Lost 12.0 ms in 1 late frame of 5"; section.Title != want || drawn != 1 { // one of the six frames has no deadline
		t.Errorf("%q with %d frames drawn, want %q and 1", section.Title, drawn, want)
	}
	ranking, list := section.Blocks[0].(view.Ranking).List, section.Blocks[1].(view.Cases).List
	if len(ranking) != 2 || ranking[0].Bar != 1 || ranking[1].Bar != .5 {
		t.Errorf("%+v", ranking)
	}
	l := list[0]
	if l.Mark != .625 || !slices.Equal(l.Tags, []string{"0", "1"}) || l.Text != "waited 20.0 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0; also ran 8.0 ms in FlushLayoutTask" {
		t.Errorf("deadline %v, causes %s, text %s", l.Mark, l.Tags, l.Text)
	}
	check := func(name string, list []view.Bar, want ...string) {
		t.Helper()
		var got []string
		for _, b := range list {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%.2f %.2f %s %s", 100*b.Left, 100*b.Width, b.Group, b.Text)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	check("bar", l.Took, "0.00 12.50 run", "12.50 12.50 run", "25.00 62.50 storage", "87.50 12.50 run")
	check("usual", l.Usual, "0.00 6.25 run", "6.25 18.75 run")
	if len(l.Lanes) != 7 {
		t.Fatalf("%d lanes", len(l.Lanes))
	}
	check("stages", l.Lanes[0].Bars, "0.00 12.50  frame", "12.50 87.50  layout")
	check("slices", l.Lanes[1].Bars, "0.00 12.50  OnVsyncEvent", "12.50 87.50  FlushLayoutTask")
	check("thread "+l.Lanes[2].Name, l.Lanes[2].Bars, "31.25 50.00 run Decode")
	for i, want := range []string{"budget 20.0 0.00 62.50", "+ " + storage + " 8.0 62.50 25.00", "+ running in FlushLayoutTask 4.0 87.50 12.50"} {
		x := l.Lanes[3+i]
		must.Equal(t, fmt.Sprintf("%s %s %.2f %.2f", x.Name, x.Value, 100*x.Bars[0].Left, 100*x.Bars[0].Width), want, "waterfall")
	}
	if sum := l.Lanes[6]; sum.Value != "32.0" || !sum.Sum || sum.At != "100100000000" {
		t.Errorf("sum %+v", sum)
	}
}

const lateShown = `document.querySelectorAll("article:not([hidden]) .case:not([data-flat]):not([hidden])").length`

func TestCausesOnPage(t *testing.T) {
	b := newBrowser(t)
	in := explained("FlushLayoutTask", "Worker")
	second := in.Timeline.Frames[slices.IndexFunc(in.Timeline.Frames, func(f *analyzer.Frame) bool { return f.VsyncID == 12 })]
	second.Actual.End, second.Facts = second.Actual.Start.Add(32*ms1), analyzer.MainLate
	e := explanation(second, "FlushLayoutTask", "Worker")
	e.Shares = []why.Share{{Stage: why.StageLayout, Wait: why.Run, Slice: "FlushLayoutTask", Value: 28 * ms1, Usual: 6 * ms1, Share: 12 * ms1}}
	in.Causes.Frames[second] = e
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	for _, width := range slow.Of([]int64{390}, []int64{390, 1280, 2560}) {
		for _, scheme := range slow.Of([]string{"light"}, []string{"light", "dark"}) {
			b.open([]Input{in}, width, 1000, scheme)
			eval[bool](b, `(document.querySelector(".costs").scrollIntoView(), document.querySelectorAll(".case").forEach(l => l.open = true), true)`)
			b.Settle()
			b.Screenshot(fmt.Sprintf("causes-%d-%s", width, scheme))
			if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("at %d px the page is %d px too wide", width, over)
			}
		}
	}
	if n := eval[int](b, lateShown); n != 2 {
		t.Errorf("%d late frames, want 2", n)
	}
	// The rule of the deadline is at 20 of 32 ms.
	at := eval[float64](b, `(() => { const bar = document.querySelector(".took").getBoundingClientRect(), u = document.querySelector(".took u").getBoundingClientRect(); return (u.left + u.width / 2 - bar.left) / bar.width })()`)
	if at < .62 || at > .63 {
		t.Errorf("the deadline is at %.3f of the bar, want 0.625", at)
	}
	// Running has 4 + 12 ms and is the first cause; storage is only that of frame 11.
	click := func(cause int) {
		eval[bool](b, fmt.Sprintf(`document.querySelector("article:not([hidden]) [data-tag='%d']").click() || true`, cause))
		b.Settle()
	}
	click(1)
	if id := eval[string](b, `[...document.querySelectorAll(".case:not([data-flat]):not([hidden]) .id")].map(e => e.textContent).join()`); id != "11" {
		t.Errorf("frames %s have waited for storage, want 11", id)
	}
	click(0)
	if n := eval[int](b, lateShown); n != 2 {
		t.Errorf("%d frames ran for longer, want 2", n)
	}
	click(0)
	if n := eval[int](b, lateShown); n != 2 {
		t.Errorf("%d late frames without a filter, want 2", n)
	}
	b.CheckQuiet()
}

// A page lists the worst 100 late frames of a process, however many there are.
func TestManyLateFrames(t *testing.T) {
	const n = 10_000
	in := inputOf("long.ftrace", longTimeline(n, 1))
	in.Causes = &why.Causes{Scheduled: true, Woken: true, Frames: map[*analyzer.Frame]*why.Explanation{}}
	for _, f := range in.Timeline.Frames {
		f.Actual.End = f.Actual.Start.Add(32 * ms1)
		f.Deadline, f.Facts = f.Actual.Start.Add(20*ms1), analyzer.MainLate
		in.Causes.Frames[f] = explanation(f, "FlushLayoutTask", "Worker")
	}
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	page := write(t, []Input{in}, "html", Options{})
	if got := strings.Count(page, `<details class="case"`); got != 100 {
		t.Errorf("the page lists %d late frames, want %d", got, 100)
	}
	if !strings.Contains(page, "… and 9900 frames late by less; ohframe why --all lists all") {
		t.Error("the page does not say that it lists the worst ones only")
	}
	// Everything that the page shows is in it without its script.
	if !strings.Contains(page, "waited 20.0 ms for storage (io_schedule)") {
		t.Error("the page has no cause")
	}
	if none := write(t, []Input{inputOf("short", longTimeline(100, 1))}, "html", Options{}); strings.Contains(none, `<ol class="costs"`) {
		t.Error("a page without causes has a section of causes")
	}
}

// The note on an interaction that misses a limit says what its late frames lost time to.
func TestMissedLimitHasCause(t *testing.T) {
	in := flings()
	i := in.Stats.Interactions[1]
	late := i.Source.Frames[slices.IndexFunc(i.Source.Frames, (*analyzer.Frame).Late)]
	e := explanation(late, "FlushLayoutTask", "Worker")
	e.Lost = late.Overrun()
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{late: e}}
	if note := missedNote(i, c); !strings.HasSuffix(note.Text, "; mostly waiting for storage in FlushLayoutTask") {
		t.Errorf("got %q", note.Text)
	}
	if note := missedNote(i, nil); strings.Contains(note.Text, "mostly") {
		t.Errorf("without causes: %q", note.Text)
	}
}
