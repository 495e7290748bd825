package report

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// marksDrawn counts the bars of each mark that the chart over time really
// shows: by columns of the mark's colour in its picture. Bars of one mark must
// not touch. The colours are those that the style sheet gives to the buttons.
const marksDrawn = `(() => {
	const article = document.querySelector("article:not([hidden])"), canvas = article.querySelector(".time canvas");
	const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d"), counts = {};
	copy.drawImage(canvas, 0, 0);
	const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
	for (const button of article.querySelectorAll("[data-mark]")) {
		const name = button.dataset.mark, probe = document.body.appendChild(document.createElement("i"));
		probe.style.color = "var(--" + name + ")";
		const colour = getComputedStyle(probe).color.match(/\d+/g).map(Number);
		probe.remove();
		let runs = 0, inside = false;
		for (let x = 0; x < canvas.width; x++) {
			let found = 0;
			for (let y = 0; y < canvas.height; y++) {
				const i = (y * canvas.width + x) * 4;
				if (data[i] === colour[0] && data[i + 1] === colour[1] && data[i + 2] === colour[2]) found++;
			}
			if (found > 4 && !inside) runs++;
			inside = found > 4;
		}
		counts[name] = runs;
	}
	return counts;
})()`

// legend has the numbers on the buttons of the marks.
const legend = `Object.fromEntries([...document.querySelectorAll("article:not([hidden]) [data-mark]")].map(b => [b.dataset.mark, Number(b.querySelector("b").textContent)]))`

const factsShown = `(() => { const b = document.getElementById("facts"); return b.hidden ? "" : b.innerText })()`

func (b *browser) checkMarks(want map[string]int) {
	b.Helper()
	if got := eval[map[string]int](b, marksDrawn); !maps.Equal(got, want) {
		b.Errorf("the chart shows %v, want %v", got, want)
	}
}

// choose picks a process as the user does.
func (b *browser) choose(id int) {
	b.Helper()
	eval[bool](b, fmt.Sprintf(`new Promise(done => {
		addEventListener("hashchange", () => done(true), {once: true});
		const s = document.querySelector("#pick");
		s.value = "process-%d";
		s.dispatchEvent(new Event("change"));
	})`, id))
	b.Settle()
}

// hover moves the pointer into the middle of the chart's n-th frame of film,
// which begins n * 100 ms after the first and is at least 10 ms long.
func (b *browser) hover(n int) {
	b.Helper()
	// The chart's area is from the first frame's start to the last one's end,
	// with half a percent of the time between the starts on either side.
	at := eval[[]float64](b, fmt.Sprintf(`(() => {
		const area = document.querySelector("article:not([hidden]) .time .u-over");
		area.scrollIntoView({block: "center"});
		const r = area.getBoundingClientRect();
		const from = -.0025, to = .5 + .010 + .0025, x = %d * .1 + .005;
		return [r.left + (x - from) / (to - from) * r.width, r.top + r.height / 2];
	})()`, n))
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
	b.Settle()
}

func (b *browser) checkFacts(parts ...string) {
	b.Helper()
	shown := strings.ReplaceAll(eval[string](b, factsShown), "\n", " ")
	for _, part := range parts {
		if !strings.Contains(shown, part) {
			b.Errorf("the box has no %q: %s", part, shown)
		}
	}
}

var (
	// Each frame is drawn once.
	applicationMarks = map[string]int{"on-time": 2, "late-app": 1, "misaligned": 1, "empty": 1, "no-deadline": 1}
	renderMarks      = map[string]int{"on-time": 1, "late-app": 0, "late-cpu": 2, "late-gpu": 1, "misaligned": 1, "empty": 1, "no-deadline": 0}
	// Counts: the misaligned and the empty frame are also on time, and render
	// frame 5 is late on both.
	applicationCounts = map[string]int{"on-time": 4, "late-app": 1, "misaligned": 1, "empty": 1, "no-deadline": 1}
	renderCounts      = map[string]int{"on-time": 3, "late-app": 3, "late-cpu": 2, "late-gpu": 2, "misaligned": 1, "empty": 1, "no-deadline": 0}
)

func TestPage(t *testing.T) {
	b := newBrowser(t)
	for _, scheme := range []string{"light", "dark"} {
		b.open([]Input{film()}, 1280, 1000, scheme)
		b.checkMarks(applicationMarks)
		b.Screenshot("film-" + scheme)
	}
	b.Scheme("light") // a change of the scheme while the page is open
	b.Settle()
	b.checkMarks(applicationMarks)
	if got := eval[map[string]int](b, legend); !maps.Equal(got, applicationCounts) {
		t.Errorf("the legend says %v, want %v", got, applicationCounts)
	}

	b.choose(0)
	b.checkMarks(renderMarks)
	if got := eval[map[string]int](b, legend); !maps.Equal(got, renderCounts) {
		t.Errorf("the legend says %v, want %v", got, renderCounts)
	}
	must.Equal(t, eval[string](b, `[...document.querySelectorAll("article:not([hidden]) h2")].map(h => h.textContent).join()`), "render_service", "the process shown")
	b.CheckQuiet()
}

func TestInteraction(t *testing.T) {
	b := newBrowser(t)
	b.open([]Input{film()}, 1280, 1400, "light")

	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) td .go")))
	b.Settle()
	b.checkFacts("Vsync 11 · late")
	b.CheckAccessible("facts")
	b.do(chromedp.KeyEvent("\x1b")) // Escape
	must.Equal(t, eval[string](b, factsShown), "", "after Escape the box shows")
	b.hover(2)
	b.checkFacts("Vsync 12 · on time", "Duration 10.0 ms", "Early by 10.0 ms")
	b.hover(5)
	b.checkFacts("Vsync 15 · not judged", "Thread worker 201")
	// The box is beside the frame, on the left of one near the right edge.
	if away := eval[float64](b, `document.querySelector("article:not([hidden]) .hot").getBoundingClientRect().left - document.getElementById("facts").getBoundingClientRect().right`); away < 0 {
		t.Errorf("the box covers %v px of its frame or what is right of it", -away)
	}
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, 5, 5))
	b.Settle()
	must.Equal(t, eval[string](b, factsShown), "", "away from the chart the box still shows")

	b.open([]Input{film()}, 1280, 1400, "light")
	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) [data-mark=on-time]")))
	b.Settle()
	b.checkMarks(map[string]int{"on-time": 2, "late-app": 0, "misaligned": 1, "empty": 1, "no-deadline": 0})
	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) [data-mark=late-app]"))) // late ones as well
	b.Settle()
	b.checkMarks(map[string]int{"on-time": 2, "late-app": 1, "misaligned": 1, "empty": 1, "no-deadline": 0})
	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) [data-mark=late-app]")))
	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) [data-mark=on-time]")))
	b.Settle()
	b.checkMarks(applicationMarks)

	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) [data-do=next]")))
	b.Settle()
	b.checkFacts("Vsync 11 · late")
	b.do(chromedp.KeyEvent("\u0303")) // arrow right, while the button has the focus
	b.Settle()
	b.checkFacts("Vsync 12 · on time")

	// The box of a kept frame scrolls with the page.
	b.do(chromedp.KeyEvent("\x1b"))
	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) td .go")))
	b.Settle()
	const boxTop = `document.getElementById("facts").getBoundingClientRect().top - document.querySelector("article:not([hidden]) .time").getBoundingClientRect().top`
	before := eval[float64](b, boxTop)
	if scrolled := eval[float64](b, `(() => { const from = scrollY; scrollBy(0, from > 50 ? -50 : 50); return Math.abs(scrollY - from) })()`); scrolled != 50 {
		t.Fatalf("the page scrolled by %v", scrolled)
	}
	b.Settle()
	must.Equal(t, eval[float64](b, boxTop), before, "the box after scrolling")

	// Drag over the late frame: it alone is left.
	b.open([]Input{film()}, 1280, 1400, "light")
	area := eval[[]float64](b, `(() => { const r = document.querySelector("article:not([hidden]) .time .u-over").getBoundingClientRect(); return [r.left, r.width, r.top + 20] })()`)
	b.do(chromedp.DragAndDropXY(area[0]+area[1]*.15, area[2], area[0]+area[1]*.35, area[2]))
	b.Settle()
	b.checkMarks(map[string]int{"on-time": 0, "late-app": 1, "misaligned": 0, "empty": 0, "no-deadline": 0})
	b.CheckQuiet()
}

// viewed is the range of the chart over time, in seconds after the first frame.
const viewed = `[plots[0].u.scales.x.min - 100, plots[0].u.scales.x.max - 100]`

func TestZoom(t *testing.T) {
	slow.Skip(t)
	b := newBrowser(t)
	b.open([]Input{film()}, 1280, 1400, "light")
	wheel := func(options string) bool {
		t.Helper()
		return eval[bool](b, `(() => {
			const over = document.querySelector("article:not([hidden]) .time .u-over"), r = over.getBoundingClientRect();
			const e = new WheelEvent("wheel", {bubbles: true, cancelable: true, clientX: r.left + r.width / 4, `+options+`});
			over.dispatchEvent(e);
			return e.defaultPrevented;
		})()`)
	}
	check := func(what string, from, to float64) {
		t.Helper()
		b.Settle()
		if got := eval[[]float64](b, viewed); math.Abs(got[0]-from) > 1e-3 || math.Abs(got[1]-to) > 1e-3 {
			t.Errorf("%s: the chart is from %.4f to %.4f, want %.4f to %.4f", what, got[0], got[1], from, to)
		}
	}
	// From the first start to the last end, 510 ms, with half a percent of the time between starts.
	const from, to = -.0025, .5125
	check("at first", from, to)
	if wheel("deltaY: -100") {
		t.Error("the page cannot be scrolled over the chart")
	}
	check("after scrolling", from, to)
	if !wheel("deltaY: -4000, ctrlKey: true") {
		t.Error("the browser zooms")
	}
	const fixed = from + (to-from)/4
	closer := func(x float64) float64 { return fixed + (x-fixed)/math.E }
	check("after zooming", closer(from), closer(to))
	long := closer(to) - closer(from)
	width := eval[float64](b, `plots[0].u.over.clientWidth`)
	wheel("deltaX: 100")
	check("after moving", closer(from)+100/width*long, closer(to)+100/width*long)
	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) [data-do=all]")))
	check("the whole trace", from, to)
	if !wheel("deltaY: -1000") { // the button is in the panel and has the focus
		t.Error("the chart is in use and the page scrolls")
	}

	// The overview shows the part, and selects another one.
	const brush = `(() => {
		const b = document.querySelector("article:not([hidden]) .brush");
		return b.hidden ? "" : b.style.left;
	})()`
	if eval[string](b, brush) == "" {
		t.Error("the overview does not show what the chart shows")
	}
	area := eval[[]float64](b, `(() => { const r = document.querySelector("article:not([hidden]) .plots").getBoundingClientRect(); return [r.left, r.width, r.top + 20] })()`)
	b.do(chromedp.DragAndDropXY(area[0]+area[1]*.5, area[2], area[0]+area[1]*.75, area[2]))
	check("a selection in the overview", from+(to-from)*.5, from+(to-from)*.75)
	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) [data-do=all]")))
	b.Settle()
	must.Equal(t, eval[string](b, brush), "", "the overview shows a part from")
	b.CheckQuiet()
}

// Without JavaScript, the tables and the overviews of all processes are there, and no
// empty boxes.
func TestWithoutScript(t *testing.T) {
	slow.Skip(t)
	b := newBrowser(t)
	must.Get(chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))(t)
	in := film()
	var page bytes.Buffer
	must.Do(t, Write(&page, []Input{in}, "html", Options{}))
	file := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, os.WriteFile(file, page.Bytes(), 0o666))
	b.do(chromedp.EmulateViewport(1280, 1000), chromedp.Navigate("file://"+file))
	b.Screenshot("no-script")
	for expression, want := range map[string]string{
		`[...document.querySelectorAll("article h2")].filter(h => h.checkVisibility()).length`:     "2",
		`[...document.querySelectorAll("figure, select")].filter(h => h.checkVisibility()).length`: "0",
		`document.querySelector("noscript").checkVisibility()`:                                     "true",
	} {
		must.Equal(t, eval[string](b, "String("+expression+")"), want, "%s", expression)
	}
}

// A twelfth of many frames is late. They take 6 to 15 ms and the others 2 to 4, and still
// the picture has more of the others' colour.
func TestManyFramesAreAPicture(t *testing.T) {
	slow.Skip(t)
	timeline := longTimeline(slow.Of(20_000, 200_000), 1)
	random := rand.New(rand.NewPCG(1, 2))
	for i, f := range timeline.Frames {
		f.Actual.End, f.Facts = f.Actual.Start.Add(trace.Duration(2e6+random.IntN(2e6))), 0
		if i%12 == 0 {
			f.Actual.End, f.Facts = f.Actual.Start.Add(trace.Duration(6e6+random.IntN(9e6))), analyzer.MainLate
		}
	}
	b := newBrowser(t)
	b.open([]Input{inputOf("many", timeline)}, 1280, 1000, "light")
	b.Screenshot("picture")
	red := eval[float64](b, `(() => {
		const canvas = document.querySelector(".time canvas"), copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
		copy.drawImage(canvas, 0, 0);
		const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
		let red = 0, blue = 0;
		for (let i = 0; i < data.length; i += 4) {
			if (data[i] > data[i + 2] + 60) red += data[i + 3] / 255;
			if (data[i + 2] > data[i] + 60) blue += data[i + 3] / 255;
		}
		return blue > 10000 ? red / (red + blue) : -1;
	})()`)
	t.Logf("%.3f of the picture are late frames", red)
	if red < .02 || red > .5 {
		t.Errorf("%.3f of the picture are late frames", red)
	}
	b.CheckQuiet()
}

// A frame shows its stages, with those of the render frame that picked it up, leads to that
// frame, and gives the command that opens it.
func TestFrame(t *testing.T) {
	slow.Skip(t)
	b := newBrowser(t)
	in := film()
	in.File = "my film.ftrace"
	// Frame 11 of the application: its vsync is 3 ms before its start.
	for _, f := range in.Timeline.Frames {
		if f.VsyncID == 11 {
			f.Vsync = f.Actual.Start.Add(-3 * ms1)
		}
		if f.VsyncID == 21 { // begins 50 ms later
			f.Draw = analyzer.Interval{Start: f.Actual.Start.Add(2 * ms1), End: f.Actual.Start.Add(9 * ms1)}
			f.Commit = analyzer.Interval{Start: f.Actual.Start.Add(30 * ms1), End: f.Actual.Start.Add(31 * ms1)}
		}
	}
	b.open([]Input{in}, 1280, 1400, "light")
	b.do(chromedp.Click(chromedp.CSS("article:not([hidden]) td .go")))
	b.Settle()
	// The render frame begins 50 ms later and is shown 40 ms after that.
	b.checkFacts("Vsync 11 · late", "Duration 32.0 ms", "Deadline after 20.0 ms", "Late by 12.0 ms", "Shown after 90.0 ms",
		"Thread com.example.app 200", "Render frame 21", "late on its thread", "whole frame late: application",
		"Start 100.100000000 s (+100.0 ms)", "Its vsync 3.0 ms before the start", "ohframe open --process 200 --frame 11 -- 'my film.ftrace'",
		"Vsync → received 3.0", "UI work 32.0", "Transaction → picked up 18.0", "Render main 25.0", "Render draw 7.0", "Commit 1.0", "Commit → present 9.0")
	// Bars are relative to the time from the vsync to the present, 93 ms.
	left := eval[string](b, `[...document.querySelectorAll("#facts .gantt i")].map(i => Math.round(parseFloat(i.style.left) * .93)).join()`)
	must.Equal(t, left, "0,3,35,53,55,83,84", "the bars begin at, in ms")
	b.do(chromedp.Click(chromedp.CSS("#facts a")))
	b.Settle()
	b.checkFacts("Vsync 21 · late, CPU", "Start 100.150000000 s")
	must.Equal(t, eval[string](b, `location.hash`), "#process-0@100150000000", "the link leads to")

	// The late frames as CSV.
	eval[bool](b, `(() => {
		URL.createObjectURL = blob => { window.saved = blob.text(); return "#process-0" };
		HTMLAnchorElement.prototype.click = function () { window.savedName = this.download };
		return true;
	})()`)
	b.choose(1)
	eval[bool](b, `document.querySelector("article:not([hidden]) [data-do=save]").click() || true`)
	const want = "process,pid,thread,vsync_id,render_vsync_id,start_ns,duration_ns,gpu_after_ns,deadline_ns,overrun_ns,present_ns,facts\n" +
		"com.example.app,200,com.example.app 200,11,21,100100000000,32000000,0,100120000000,12000000,100190000000,late on its thread; whole frame late: application\n"
	must.Equal(t, eval[string](b, `window.saved`), want, "saved")
	must.Equal(t, eval[string](b, `window.savedName`), "late-frames-com.example.app.csv", "saved as")
	b.CheckQuiet()
}

// Tables can be sorted. Unknown values come last in either direction.
func TestSort(t *testing.T) {
	slow.Skip(t)
	b := newBrowser(t)
	inputs := sample()[:1]
	inputs[0].Stats.Processes = append(inputs[0].Stats.Processes, stranger())
	b.open(inputs, 1280, 1000, "light")
	sort := func(column string) string {
		t.Helper()
		return eval[string](b, `(() => {
			const table = document.querySelector("table.sortable");
			[...table.querySelectorAll("th")].find(th => th.textContent === "`+column+`").querySelector("button").click();
			return [...table.tBodies[0].rows].map(r => [...r.cells].find(c => !c.matches(".n")).textContent.trim().replace(/.*evil.*/, "–")).join();
		})()`)
	}
	// FPS 60, 90 and unknown; frames 150, 30 and 0.
	for _, c := range []struct{ column, want string }{
		{"FPS", "render_service,example.gallery,–"}, {"FPS", "example.gallery,render_service,–"}, {"Frames", "example.gallery,render_service,–"}, {"Frames", "–,render_service,example.gallery"}, {"PID", "example.gallery,render_service,–"},
	} {
		must.Equal(t, sort(c.column), c.want, "%s", c.column)
	}
	must.Equal(t, eval[string](b, `[...document.querySelectorAll("th[aria-sort]")].map(th => th.ariaSort).join()`), "descending", "the table says that it is sorted")
	// Times from ten seconds on are in seconds.
	late := flings()
	late.Timeline.Span.Start = late.Timeline.Span.Start.Add(-7 * trace.Second) // interactions at +7970 to +8800 ms
	late.Timeline.Interactions[0].InputAt = late.Timeline.Interactions[0].InputAt.Add(3 * trace.Second)
	late.Stats = stats.Compute(late.Timeline, stats.Options{})
	b.open([]Input{late}, 1280, 1000, "light")
	must.Equal(t, sort("At")+" "+sort("At"), "fling of a list APP_LIST_FLING,cold launch,switch of a page ABILITY_OR_PAGE_SWITCH,fling of a list APP_LIST_FLING fling of a list APP_LIST_FLING,switch of a page ABILITY_OR_PAGE_SWITCH,cold launch,fling of a list APP_LIST_FLING", "by time")
	b.CheckQuiet()
}
