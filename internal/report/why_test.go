package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
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
	in.Causes = &why.Causes{Scheduled: true, Woken: true, Functions: true, Frames: map[*analyzer.Frame]*why.Explanation{late: explanation(late, slice, thread)}}
	return in
}

func explanation(f *analyzer.Frame, slice, thread string) *why.Explanation {
	at := func(n trace.Duration) trace.Time { return f.Actual.Start.Add(n * ms1) }
	culprit := why.Culprit{TID: 77, Thread: thread, Wait: why.Run, Slice: "Decode", Time: 16 * ms1, Sure: true}
	return &why.Explanation{
		Frame: f, Start: at(0), End: at(32), Overrun: 12 * ms1,
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
			{Stage: why.StageLayout, Wait: why.WaitIO, Slice: slice, Value: 20 * ms1, Share: 8 * ms1, SliceValue: 20 * ms1, Function: "io_schedule", Advice: why.AdviseIO},
			{Stage: why.StageLayout, Wait: why.Run, Slice: slice, Value: 8 * ms1, Usual: 6 * ms1, Share: 4 * ms1, SliceValue: 8 * ms1, SliceUsual: 6 * ms1},
		},
	}
}

const storage = "waiting for storage in FlushLayoutTask (io_schedule)"

func TestCausesInTable(t *testing.T) {
	got := write(t, []Input{explained("FlushLayoutTask", "Worker")}, "table", Options{Verbose: true})
	for _, want := range []string{
		"\n  com.example.app      12.0   67 %  " + storage + "\n",
		`
  Causes: lost 12.0 ms in 1 late frame
   67 %   8.0 ms  ` + storage + ` · frame 11
      read files before they are needed and off the UI thread: asynchronously, or in TaskPool
   33 %   4.0 ms  running in FlushLayoutTask · frame 11
`,
		"  Periods  Cause\n",
		"12.00     0.60  waiting for storage in\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %q:\n%s", want, got)
		}
	}
	for i, line := range strings.Split(got, "\n") {
		if strings.Contains(line, "Longest") {
			t.Errorf("line %d: %s", i+1, line)
		}
	}
}

func TestCausesInJSON(t *testing.T) {
	var got struct {
		Inputs []struct {
			Processes []struct {
				Name   string
				Causes *struct {
					Lost    int64 `json:"lost_ns"`
					Ranking []struct {
						Wait  string
						Lost  int64 `json:"lost_ns"`
						Share float64
					}
					Frames []struct{ Vsync int64 }
				}
			}
		}
	}
	text := write(t, []Input{explained("FlushLayoutTask", "Worker"), film()}, "json", Options{})
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	app := got.Inputs[0].Processes[0].Causes
	if app.Lost != 12_000_000 || len(app.Ranking) != 2 || app.Ranking[0].Wait != "io" || app.Ranking[0].Lost != 8_000_000 || app.Ranking[0].Share != 8.0/12 {
		t.Errorf("%+v", app)
	}
	if len(app.Frames) != 1 || app.Frames[0].Vsync != 11 {
		t.Errorf("frames %+v", app.Frames)
	}
	if render := got.Inputs[0].Processes[1].Causes; render == nil || len(render.Frames) != 0 {
		t.Errorf("a process without explanations has the causes %+v", render)
	}
	if unknown := got.Inputs[1].Processes[0].Causes; unknown != nil {
		t.Errorf("without causes there are %+v", unknown)
	}
}

func TestCausesInCSV(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(write(t, []Input{explained("FlushLayoutTask", "Worker"), film()}, "csv", Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range [][]string{
		{"causes.lost_ns", "causes.top.cause", "causes.top.lost_ns", "causes.top.share"},
		{"12000000", storage, "8000000", "0.6666666666666666"},
		{"0", "", "", ""}, // render_service: no frame is explained
		{"", "", "", ""},  // no causes are known
	} {
		if got := records[row][len(records[row])-5 : len(records[row])-1]; !slices.Equal(got, want) {
			t.Errorf("row %d ends in %q, want %q", row, got, want)
		}
	}
}

// The bars of a frame have its length as scale: 32 ms are 100 %.
func TestBars(t *testing.T) {
	in := explained("FlushLayoutTask", "Worker")
	v := newWhyView(in.causes()(in.Stats.Processes[0]), in.Causes, in.Quality, &pageProcess{}, 10)
	if v.Late != 1 || v.Judged != 5 { // one of the six frames has no deadline
		t.Errorf("%d late frames of %d, want 1 of 5", v.Late, v.Judged)
	}
	if v.Lost != 12*ms1 || len(v.Costs) != 2 || v.Costs[0].Width != "100.00" || v.Costs[1].Width != "50.00" {
		t.Fatalf("%+v", v)
	}
	l := v.Frames[0]
	if l.Deadline != "62.50" || l.Costs != "0 1" || l.Text != "waited 20.0 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0; also ran 8.0 ms in FlushLayoutTask" {
		t.Errorf("deadline %s, costs %s, text %s", l.Deadline, l.Costs, l.Text)
	}
	check := func(name string, list []block, want ...string) {
		t.Helper()
		var got []string
		for _, b := range list {
			got = append(got, strings.TrimSpace(b.Left+" "+b.Width+" "+b.Group.ID+" "+b.Name))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	check("bar", l.Bar, "0.00 12.50 run", "12.50 12.50 run", "25.00 62.50 storage", "87.50 12.50 run")
	check("usual", l.Usual, "0.00 6.25 run", "6.25 18.75 run")
	if len(l.Lanes) != 3 {
		t.Fatalf("%d lanes", len(l.Lanes))
	}
	check("stages", l.Lanes[0].Blocks, "0.00 12.50  frame", "12.50 87.50  layout")
	check("slices", l.Lanes[1].Blocks, "0.00 12.50  OnVsyncEvent", "12.50 87.50  FlushLayoutTask")
	check("thread "+l.Lanes[2].Name, l.Lanes[2].Blocks, "31.25 50.00 run Decode")
	var terms []string
	for _, x := range l.Terms {
		terms = append(terms, fmt.Sprint(x.Name, " ", x.Time, " ", x.Left, " ", x.Width))
	}
	if want := []string{"budget 20.0 0.00 62.50", "+ " + storage + " 8.0 62.50 25.00", "+ running in FlushLayoutTask 4.0 87.50 12.50"}; !slices.Equal(terms, want) {
		t.Errorf("waterfall %q, want %q", terms, want)
	}
}

// Every wait has a group, and every group a colour in both schemes.
func TestWaitGroups(t *testing.T) {
	for w := range why.Wait(why.WaitCount) {
		if !slices.Contains(waitGroups, groupOf(w)) {
			t.Errorf("%v has the group %v", w, groupOf(w))
		}
	}
	style := asset("page.css")
	for _, g := range waitGroups {
		if n := strings.Count(style, "--"+g.ID+": #"); n != 2 && g != groupEarlier {
			t.Errorf("%s has a colour in %d schemes", g.ID, n)
		}
		if !strings.Contains(style, ".w-"+g.ID+" {") {
			t.Errorf("%s has no style", g.ID)
		}
	}
}

const lateShown = `document.querySelectorAll("article:not([hidden]) .late:not([hidden])").length`

func TestCausesOnPage(t *testing.T) {
	b := newBrowser(t)
	in := explained("FlushLayoutTask", "Worker")
	second := in.Timeline.Frames[slices.IndexFunc(in.Timeline.Frames, func(f *analyzer.Frame) bool { return f.VsyncID == 12 })]
	second.Actual.End, second.Facts = second.Actual.Start.Add(32*ms1), analyzer.MainLate
	e := explanation(second, "FlushLayoutTask", "Worker")
	e.Shares = []why.Share{{Stage: why.StageLayout, Wait: why.Run, Slice: "FlushLayoutTask", Value: 28 * ms1, Usual: 6 * ms1, Share: 12 * ms1}}
	in.Causes.Frames[second] = e
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	for _, width := range []int64{390, 1280, 2560} {
		for _, scheme := range []string{"light", "dark"} {
			b.open([]Input{in}, width, 1000, scheme)
			eval[bool](b, `(document.querySelector(".why").scrollIntoView(), document.querySelectorAll(".late").forEach(l => l.open = true), true)`)
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
	// Running has 4 + 12 ms and is the first cause; storage is only that of frame 11.
	click := func(cause int) {
		b.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("article:not([hidden]) [data-cost='%d']", cause))))
		b.Settle()
	}
	click(1)
	if id := eval[string](b, `[...document.querySelectorAll(".late:not([hidden]) .id")].map(e => e.textContent).join()`); id != "11" {
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

// The rule of the deadline is where the bar says that the deadline was.
func TestDeadlineRule(t *testing.T) {
	b := newBrowser(t)
	b.open([]Input{explained("FlushLayoutTask", "Worker")}, 1280, 1000, "light")
	at := eval[float64](b, `(() => { const bar = document.querySelector(".took").getBoundingClientRect(), u = document.querySelector(".took u").getBoundingClientRect(); return (u.left + u.width / 2 - bar.left) / bar.width })()`)
	if at < .62 || at > .63 {
		t.Errorf("the deadline is at %.3f of the bar, want 0.625", at)
	}
}

func TestHostileSlices(t *testing.T) {
	const hostile = `</script><img src=x onerror=alert(2)>"'&{{.}}<!--`
	in := explained(hostile, hostile+"\u2028\u202e")
	if page := write(t, []Input{in}, "html", Options{}); strings.Contains(page, "<img") || strings.Contains(page, "\u202e") {
		t.Error("the page has markup of a trace")
	}
	b := newBrowser(t)
	b.open([]Input{in}, 1280, 1000, "light")
	if n := eval[int](b, `document.images.length`); n != 0 {
		t.Errorf("the page has %d images", n)
	}
	if got := eval[string](b, `document.querySelector(".cost .what").textContent`); got != "waiting for storage in "+hostile+" (io_schedule) [layout]" { // with the stage: docs/why.md 6
		t.Errorf("the cause is %s", got)
	}
	b.CheckQuiet()
}

// A page lists the worst 100 late frames of a process, however many there are.
func TestManyLateFrames(t *testing.T) {
	const n = 10_000
	in := manyFrames(n)
	in.Causes = &why.Causes{Scheduled: true, Woken: true, Frames: map[*analyzer.Frame]*why.Explanation{}}
	for _, f := range in.Timeline.Frames {
		f.Actual.End = f.Actual.Start.Add(32 * ms1)
		f.Deadline, f.Facts = f.Actual.Start.Add(20*ms1), analyzer.MainLate
		in.Causes.Frames[f] = explanation(f, "FlushLayoutTask", "Worker")
	}
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	page := write(t, []Input{in}, "html", Options{})
	if got := strings.Count(page, `<details class="late"`); got != maxLateListed {
		t.Errorf("the page lists %d late frames, want %d", got, maxLateListed)
	}
	if !strings.Contains(page, "the worst 100 of 10000,") {
		t.Error("the page does not say that it lists the worst ones only")
	}
	// Everything that the page shows is in it without its script.
	if !strings.Contains(page, "waited 20.0 ms for storage (io_schedule)") {
		t.Error("the page has no cause")
	}
	if none := write(t, []Input{manyFrames(100)}, "html", Options{}); strings.Contains(none, `<section class="panel why"`) {
		t.Error("a page without causes has a section of causes")
	}
}
