package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/chromedp"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/diag"
	"ohframe/internal/diff"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
)

// evilNames are names that do harm where they are not treated as text.
var evilNames = []string{
	`<img src=x onerror="evil()">`, `</script><script>evil()</script>`, `"><svg onload=evil()>`, `' onmouseover=evil() x='`,
	`{{evil}}`, `<!--<script>`, `]]>`, `javascript:evil()`, `</style><style>*{display:none}`, `</select><h1>gone</h1>`, `&lt;b&gt;`, `\u003cimg`,
	"\u2028evil()\u2029", "\x1b[31mred", "\u202eevil", "a\nb\tc", "\xff\xfe", `=cmd|' /C calc'!A1`,
}

// evilTimeline has a process, a thread, a layer, a scene, a launch and a hang of each of the names.
func evilTimeline(names ...string) *analyzer.Timeline {
	t := &analyzer.Timeline{Span: analyzer.Interval{Start: 1e9, End: 9e9}}
	for i, name := range names {
		p := &analyzer.Process{PID: trace.PID(i + 1), Name: name, Threads: []analyzer.Thread{{TID: trace.TID(i + 1), Name: name}}}
		t.Processes = append(t.Processes, p)
		l := &analyzer.Layer{ID: i + 1, Name: name, Process: p}
		t.Layers = append(t.Layers, l)
		seen := analyzer.Interval{Start: trace.Time(1e9 + i), End: 2e9}
		t.Interactions = append(t.Interactions,
			&analyzer.Interaction{ID: 2*i + 1, Scene: name, Page: name, Process: p, Begin: seen.Start, End: seen.End, Observed: seen, Explicit: true},
			&analyzer.Interaction{ID: 2*i + 2, Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch, Process: p, Begin: seen.Start, Observed: seen, Stages: []analyzer.LaunchStage{{Name: name, Begin: seen.Start, End: seen.End}}})
		t.Hangs = append(t.Hangs, analyzer.Hang{Process: p, Interval: seen, Slice: name})
		for k := range 30 {
			start := trace.Time(1e9 + k*20e6 + i)
			l.Buffers = append(l.Buffers, &analyzer.Buffer{Layer: l, Fate: analyzer.Shown, Present: start})
			t.Frames = append(t.Frames, &analyzer.Frame{
				Process: p, TID: trace.TID(p.PID), VsyncID: int64(k + 1), Actual: analyzer.Interval{Start: start, End: start.Add(15 * ms1)},
				Deadline: start.Add(10 * ms1), Period: 10 * ms1, Facts: analyzer.MainLate,
				Android: &analyzer.Android{Timeline: &analyzer.FrameTimeline{Surfaces: []analyzer.SurfaceFrame{{Name: name}}}},
			})
		}
	}
	t.ShowInteractions()
	t.JudgeLayers()
	return t
}

// untouched says what there would be on a page had a name become part of it.
const untouched = `[
	window.evil === undefined ? "" : "evil",
	document.querySelectorAll("img, svg[onload], [onerror], [onmouseover], article h1").length ? "elements" : "",
	document.querySelectorAll("script:not([type])").length + " scripts",
	document.querySelectorAll("style").length + " styles",
	getComputedStyle(document.body).display,
].join()`

// No name becomes a part of a page or runs; all are shown as they are, or in
// quotes.
func TestInjection(t *testing.T) {
	b := newBrowser(t)
	eval[bool](b, `(() => { window.evil = undefined; return true })()`)
	check := func(what string) {
		t.Helper()
		must.Equal(t, eval[string](b, untouched), ",,2 scripts,1 styles,block", "%s", what)
	}
	// All names as those of inputs.
	var inputs []Input
	for _, name := range evilNames {
		inputs = append(inputs, inputOf(name, evilTimeline(name)))
	}
	b.open(inputs, 1280, 1000, "light")
	check("inputs")
	shown := eval[string](b, `document.documentElement.textContent`)
	for _, name := range evilNames {
		must.Contain(t, shown, text.Printable(name))
	}
	// All names as those of processes, threads and layers.
	input := inputOf(evilNames[0], evilTimeline(evilNames...))
	b.open([]Input{input, input}, 1280, 1000, "light")
	check("processes")
	shown = eval[string](b, `document.documentElement.textContent`)
	for i, name := range slices.Sorted(slices.Values(evilNames)) { // as processes that differ in nothing else
		must.Contain(t, shown, text.Printable(name))
		b.choose(i)
		b.do() // its charts are drawn
		eval[bool](b, `(() => { document.querySelector("article:not([hidden]) td .go").click(); return true })()`)
		b.Settle()
		if facts := eval[string](b, `document.getElementById("facts").textContent`); strings.Count(facts, text.Printable(name)) != 2 { // thread and layer
			t.Errorf("%q: the box shows %s", name, facts)
		}
		check(name)
	}
	timeline := evilTimeline(evilNames...)
	side := diff.Side{Name: evilNames[0], Timeline: timeline, Stats: stats.Compute(timeline, stats.Options{})}
	d := must.Get(diff.Compare(side, diff.Side{Name: evilNames[1], Timeline: timeline, Stats: side.Stats}, diff.Options{}))(t)
	var page bytes.Buffer
	must.Do(t, diff.Write(&page, d, "html", diff.WriteOptions{}))
	b.Show(page.Bytes(), 1280, 1000, "light")
	check("comparison")
	shownText := eval[string](b, `document.body.textContent`)
	for _, name := range evilNames {
		must.Contain(t, shownText, text.Printable(name), "comparison")
	}
	b.CheckQuiet()
}

// Without a browser: no name is markup on a page, also not those of slices and threads that
// causes have.
func TestHostilePage(t *testing.T) {
	const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&{{.}}<!--]]>` + "\u2028\u202e"
	in := explained(hostile, hostile)
	in.Name = hostile
	for i, p := range in.Stats.Processes {
		p.Name = hostile
		in.Timeline.Processes[i].Threads = []analyzer.Thread{{TID: 100, Name: hostile}, {TID: 200, Name: hostile}}
	}
	page := write(t, []Input{in}, "html", Options{})
	for _, part := range []string{"<script>alert", "<img", "\u2028", "\u202e"} {
		must.Lack(t, page, part)
	}
	if n := strings.Count(page, "&lt;script&gt;alert"); n < 4 { // the input, two processes, a cause
		t.Errorf("the page has the name %d times", n)
	}
	page = write(t, []Input{inputOf("evil", evilTimeline(evilNames...))}, "html", Options{})
	for _, part := range []string{"<img", "<script>evil", "<svg onload", "\u2028", "\u202e", "<h1>gone"} {
		must.Lack(t, page, part)
	}
}

// No name reaches a terminal with anything but what can be printed.
func TestTerminal(t *testing.T) {
	timeline := evilTimeline(evilNames...)
	for _, name := range evilNames {
		input := inputOf(name, timeline)
		table := write(t, []Input{input, input}, "table", Options{Verbose: true})
		side := diff.Side{Name: name, Timeline: timeline, Stats: input.Stats}
		d := must.Get(diff.Compare(side, side, diff.Options{}))(t)
		var b bytes.Buffer
		must.Do(t, diff.Write(&b, d, "table", diff.WriteOptions{}))
		for _, text := range []string{table, b.String()} {
			if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("%q: %.40q", name, text[max(0, i-20):])
			}
		}
	}
}

// longTimeline is n frames of some processes, the last ones each of its own.
func longTimeline(n, processes int) *analyzer.Timeline {
	t := &analyzer.Timeline{Span: analyzer.Interval{Start: 1e9, End: 1e9 + trace.Time(n)*8e6}}
	for i := range processes {
		t.Processes = append(t.Processes, &analyzer.Process{PID: trace.PID(i + 1), Name: fmt.Sprint("process ", i), Threads: []analyzer.Thread{{TID: trace.TID(i + 1), Name: "main"}}})
	}
	for i := range n {
		p := t.Processes[max(0, i-n+processes)]
		start := trace.Time(1e9 + i*8e6)
		f := &analyzer.Frame{
			Process: p, TID: trace.TID(p.PID), VsyncID: int64(i + 1), Actual: analyzer.Interval{Start: start, End: start.Add(trace.Duration(1e6 + i%1000*7e3))},
			Deadline: start.Add(5 * trace.Millisecond), Period: 8 * trace.Millisecond,
		}
		if f.Actual.End > f.Deadline {
			f.Facts = analyzer.MainLate
		}
		t.Frames = append(t.Frames, f)
	}
	return t
}

func inputOf(name string, t *analyzer.Timeline) Input {
	return Input{Name: name, Timeline: t, Stats: stats.Compute(t, stats.Options{})}
}

// The page of as many frames as a trace may have opens, has all of them, and finds the worst.
func TestPageOfManyFrames(t *testing.T) {
	b := newBrowser(t)
	input := inputOf("long", longTimeline(maxDrawn, 1))
	page := write(t, []Input{input}, "html", Options{})
	b.Show([]byte(page), 1280, 1000, "light")
	if len(page) > 80<<20 {
		t.Errorf("%d MB", len(page)>>20)
	}
	p := input.Stats.Processes[0]
	if got := eval[map[string]int](b, legend); got["late-app"] != p.Frames.Late || got["on-time"] != maxDrawn-p.Frames.Late {
		t.Errorf("the legend says %v, want %d late", got, p.Frames.Late)
	}
	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) td .go")))
	b.Settle()
	b.checkFacts(fmt.Sprintf("Vsync %d · late", p.Worst[0].VsyncID), "Start "+p.Worst[0].At.String())
	// A second trace has no charts, and says why.
	other := inputOf("another", longTimeline(100, 1))
	page = write(t, []Input{input, other}, "html", Options{})
	if !strings.Contains(page, "100 frames: too many to draw on one page") || len(page) > 80<<20 {
		t.Error("a page of more frames has them all")
	}
	b.CheckQuiet()
}

// Tables and pages are bounded, and time grows with the number of processes, interactions or layers.
func TestManyProcesses(t *testing.T) {
	input := inputOf("many", longTimeline(5000, 3000))
	table, page := write(t, []Input{input}, "table", Options{Verbose: true}), write(t, []Input{input}, "html", Options{})
	for name, text := range map[string]string{"table": table, "page": page} {
		if !strings.Contains(text, "… and 2800 more with fewer frames; --format json lists all") || len(text) > 3<<20 {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		if n := strings.Count(text, "process 0"); n < 1 {
			t.Errorf("%s: the process with the most frames is not there", name)
		}
	}
	must.Equal(t, strings.Count(write(t, []Input{input}, "csv", Options{}), "\n"), 3001, "lines of CSV")
	for what, many := range map[string]func(int) Input{
		"processes": func(n int) Input { return inputOf("many", longTimeline(2*n, n)) }, "interactions": manyFlings, "layers": manyLayers,
	} {
		for _, format := range Formats {
			t.Run(what+" "+format, func(t *testing.T) {
				slow.Skip(t)
				hostiletest.CheckLinear(t, 1000, func(n int) func() {
					inputs := []Input{many(n)}
					return func() { write(t, inputs, format, Options{Verbose: what == "layers"}) }
				})
			})
		}
	}
	for _, format := range diff.Formats {
		t.Run("diff "+format, func(t *testing.T) {
			hostiletest.CheckLinear(t, 1000, func(n int) func() {
				timeline := longTimeline(2*n, n)
				side := diff.Side{Name: "many", Timeline: timeline, Stats: stats.Compute(timeline, stats.Options{})}
				conditions, _ := condition.Parse("fps<-5%", condition.OfChanges)
				return func() {
					d := must.Get(diff.Compare(side, side, diff.Options{FailOn: conditions}))(t)
					var b bytes.Buffer
					must.NoError(t, diff.Write(&b, d, format, diff.WriteOptions{}))
				}
			})
		})
	}
}

// Frames at the ends of time are written, and drawn without complaint.
func TestExtremes(t *testing.T) {
	slow.Skip(t)
	p := &analyzer.Process{PID: 1, Name: "extreme"}
	one := func(start, end, deadline trace.Time, period trace.Duration) *analyzer.Frame {
		f := &analyzer.Frame{Process: p, TID: 1, Actual: analyzer.Interval{Start: start, End: end}, Deadline: deadline, Period: period, VsyncID: math.MaxInt64}
		if end > deadline {
			f.Facts = analyzer.MainLate
		}
		return f
	}
	const late = math.MaxInt64 - 1
	b := newBrowser(t)
	for name, frames := range map[string][]*analyzer.Frame{
		"one of no time":         {one(1, 1, 2, 1)},
		"all of no time":         {one(5, 5, 5, 0), one(5, 5, 5, 0), one(5, 5, 5, 0)},
		"as long as there is":    {one(1, math.MaxInt64, 2, 1)},
		"all as long":            {one(1, math.MaxInt64, 2, 1), one(2, math.MaxInt64, 2, 1), one(3, math.MaxInt64, 2, math.MaxInt64)},
		"at the end":             {one(late, math.MaxInt64, late, 8e6), one(math.MaxInt64, math.MaxInt64, late, 8e6)},
		"at either end":          {one(1, 2, 3, 8e6), one(math.MaxInt64, math.MaxInt64, late, 8e6)},
		"a deadline before time": {one(1e9, 2e9, math.MinInt64, 8e6)},
		"a year":                 {one(1e9, 3e16, 2e9, 8e6), one(2e9, 3e16, 3e9, 8e6)},
	} {
		timeline := &analyzer.Timeline{Frames: frames, Processes: []*analyzer.Process{p}, Span: analyzer.Interval{Start: 1, End: math.MaxInt64}}
		input := inputOf(name, timeline)
		for _, format := range Formats {
			if text := write(t, []Input{input}, format, Options{}); strings.Contains(text, "NaN") && format != "html" || strings.Contains(text, "Inf,") {
				t.Errorf("%s: %s has what is no number", name, format)
			}
		}
		if !json.Valid([]byte(write(t, []Input{input}, "json", Options{}))) {
			t.Errorf("%s: no JSON", name)
		}
		b.open([]Input{input}, 1280, 1000, "light")
		if t.Failed() {
			return
		}
		for _, trouble := range b.Troubles() {
			t.Errorf("%s: %s", name, trouble)
		}
	}
}

// A selection without processes is an error that lists those that exist.
func TestCheckChosen(t *testing.T) {
	timeline := longTimeline(10, 8)
	timeline.Processes[1].Name, timeline.Processes[2].Name = "", "evil\x1b"
	choose := func(pattern string) []Input {
		match := must.Get(stats.MatchProcess(pattern))(t)
		return []Input{{Timeline: timeline, Stats: stats.Compute(timeline, stats.Options{Process: match})}}
	}
	must.NoError(t, CheckChosen("process 0", choose("process 0")))
	err, _ := CheckChosen("nobody", choose("nobody")).(*diag.Error)
	if err == nil || err.Hint != `processes with frames: process 0, 2, "evil\x1b", process 3, process 4, 3 more` {
		t.Errorf("%+v", err)
	}
	must.NoError(t, CheckChosen("2", append(choose("nobody"), choose("2")...)))
	if err := CheckChosen("", []Input{{Stats: &stats.Report{}}}); err != nil {
		t.Error("a trace without frames: ", err)
	}
}
