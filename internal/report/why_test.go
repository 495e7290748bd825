package report

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
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
	got := write(t, []Input{explained("FlushLayoutTask", "Worker")}, "table", Options{Verbose: true, Style: text.Style{Width: 160}})
	must.Equal(t, strings.Join(row(t, got, "com.example.app"), " "), "1 20.0 % – – 12.0 67 % "+storage+" 6 10.0 – 32.0 200", "the row")
	for _, want := range []string{
		"render_service: 3 of 6 frames late, 25.0 ms lost\n  com.example.app: 1 of 5 frames late, 12.0 ms lost, 67 % of it waiting for storage",
		`
  Lost 12.0 ms in 1 late frame of 5

  67 %  8.0 ms  ` + storage + ` · frame 11
      read files before they are needed and off the UI thread: asynchronously, or in TaskPool
  33 %  4.0 ms  running in FlushLayoutTask · frame 11
`,
	} {
		must.Contain(t, got, want)
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
	must.Equal(t, eval[int](b, lateShown), 2, "late frames")
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
	must.Equal(t, eval[string](b, `[...document.querySelectorAll(".case:not([data-flat]):not([hidden]) .id")].map(e => e.textContent).join()`), "11", "frames have waited for storage")
	click(0)
	must.Equal(t, eval[int](b, lateShown), 2, "frames ran for longer")
	click(0)
	must.Equal(t, eval[int](b, lateShown), 2, "late frames without a filter")
	b.CheckQuiet()
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
