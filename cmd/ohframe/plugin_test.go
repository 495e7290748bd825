//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"ohframe"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// whyLate is the text of the tab in front of the UI.
const whyLate = `(document.querySelector('.pf-openharmony-frames')?.innerText ?? '').replace(/\s+/g, ' ')`

// pluginPage is a page of a UI with the plugin.
type pluginPage struct {
	*testing.T
	ctx context.Context
}

// eval returns the value of an expression in the page.
func (p pluginPage) eval(expression string) string {
	p.Helper()
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`Promise.resolve(`+expression+`).then((v) => String(v ?? ''))`, chromedp.EvalAwaitPromise))
	if err != nil {
		return "error: " + err.Error() // while the page is loaded
	}
	return text
}

// until waits until the value of an expression contains all of some texts.
func (p pluginPage) until(expression string, texts ...string) string {
	p.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		got, missing := p.eval(expression), false
		for _, want := range texts {
			missing = missing || !strings.Contains(got, want)
		}
		if !missing {
			return got
		}
		if time.Now().After(deadline) {
			p.Fatalf("%.200s is %.1000q, want %q", expression, got, texts)
		}
	}
}

// sliceOf is an expression that selects the only slice of a condition, as a click does.
func sliceOf(condition string) string {
	return fmt.Sprintf(`app.trace.engine.query(%q).then((r) => app.trace.selection.selectSqlEvent('slice', r.iter({id: 0}).id)).then(() => m.redraw())`,
		"SELECT s.id FROM slice AS s JOIN track AS t ON t.id = s.track_id WHERE "+condition)
}

// TestPluginInUI checks the plugin in builds of the UI: OHFRAME_UI is a list of folders, as in
// PATH. The numbers are those of the README and of docs/perfetto.md.
func TestPluginInUI(t *testing.T) {
	builds := filepath.SplitList(os.Getenv("OHFRAME_UI"))
	if len(builds) == 0 {
		t.Skip("OHFRAME_UI names no build of the UI")
	}
	demo := must.Get(filepath.Abs("../../testdata/demo.ftrace"))(t)
	for _, build := range builds {
		t.Run(filepath.Base(build), func(t *testing.T) { testPlugin(t, build, demo) })
	}
}

func testPlugin(t *testing.T, build, trace string) {
	// The UI draws with WebGL, here without a GPU.
	ctx := newBrowserFor(t, 8*time.Minute, chromedp.Flag("disable-gpu", false), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.WindowSize(1600, 1000))
	var mu sync.Mutex
	var troubles []string
	must.Do(t, chromedp.Listen(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			troubles = append(troubles, fmt.Sprintf("exception: %+v", e.ExceptionDetails))
		case *runtime.EventConsoleAPICalled:
			var text strings.Builder
			for _, a := range e.Args {
				text.WriteString(" " + string(a.Value) + a.Description)
			}
			if e.Type == "error" || strings.Contains(text.String(), "ohframe") {
				troubles = append(troubles, string(e.Type)+text.String())
			}
		}
	}))
	must.Get(chromedp.Call(ctx, runtime.Enable, struct{}{}))(t)
	o := startOpen(t, showing, trace, "--port", "0", "--ui", build)
	page := pluginPage{t, ctx}
	page.open(o)

	// First the worst frame is explained.
	first := page.until(whyLate, "Frame 10046", "35.4 ms late", "example.gallery 20170", "the worst of 9",
		"waited 38.6 ms for storage (io_schedule) in FlushLayoutTask", "confidence: high", "asynchronously, or in TaskPool",
		"From when it should have begun: 52.0 ms", "waiting for storage 38.6 ms", "running 13.1 ms", "All causes, by lost time")
	page.until(`app.isLoadingTrace`, "false")
	must.Equal(t, page.eval(`app.trace.tabs.openTabsUri.length + ' ' + app.trace.tabs.currentTabUri`), "3 org.openharmony.Frames#why", "tabs")
	if strings.Contains(first, "on time") {
		t.Errorf("a late frame: %s", first)
	}

	// Slices of its tracks select a frame. The tab stays in front.
	for _, c := range []struct{ slice, want string }{
		{"t.name = 'Frames' AND s.name GLOB '10040*'", "Frame 10040 on time"},
		{"t.name = 'Actual Timeline' AND s.name = '10030' AND s.dur > 3e7", "Frame 10030 22.9 ms late"},
		{"t.name = 'Whole frame actual' AND s.name = '10042 picked up 1 vsync late'", "Frame 10042 on time"},
		{"t.name = 'GPU (Frame queued)' AND s.name GLOB '50020*'", "Frame 50020"},
		{"t.name = 'Whole frame expected' AND s.name = '10030' AND s.dur > 4e7", "Frame 10030 22.9 ms late"},
		{"t.name = 'Late frames' AND s.name GLOB '10030 late 22.9*'", "Frame 10030 22.9 ms late"},
		{"t.name = 'Present' AND s.name = '50021'", "Frame 50021"},
		{"t.name = 'Commit' AND s.name = '50022'", "Frame 50022"},
		{"t.name = 'Why' AND s.name GLOB 'waiting for storage*' AND s.dur > 3e7", "Frame 10046 35.4 ms late"},
	} {
		page.eval(sliceOf(c.slice))
		page.until(whyLate, c.want)
		page.until(`app.trace.tabs.currentTabUri`, "org.openharmony.Frames#why")
	}

	// Next and previous wrap, in the process of the frame.
	for _, step := range []struct{ key, frame, place string }{
		{"j", "Frame 10019 1.3 ms late", "1 of 4, continued at the first"}, {"j", "Frame 10030", "2 of 4"}, {"k", "Frame 10019", "1 of 4"},
		{"k", "Frame 10046", "4 of 4, continued at the last"},
	} {
		must.Do(t, chromedp.Do(ctx, chromedp.KeyEvent(step.key)))
		page.until(whyLate, step.frame, step.place)
	}
	// Keys that are pressed while a frame is being selected count.
	for _, step := range []struct{ keys, place string }{{"jjj", "3 of 4"}, {"jj", "1 of 4, continued at the first"}, {"kkkkk", "4 of 4, continued at the last"}} {
		must.Do(t, chromedp.Do(ctx, chromedp.KeyEvent(step.keys)))
		page.until(whyLate, step.place)
	}
	page.until(whyLate, "Frame 10046")
	// A part of the bar selects its slice.
	page.eval(`[...document.querySelectorAll('.pf-openharmony-frames__part')].find((b) => b.title.includes('waiting for storage')).click()`)
	page.until(`app.trace.engine.query('SELECT name FROM slice WHERE id = ' + app.trace.selection.selection.eventId).then((r) => r.iter({name: 'str'}).name)`,
		"waiting for storage · FlushLayoutTask")

	// A reload keeps the view.
	const view = `JSON.stringify([app.isLoadingTrace, app.trace.currentWorkspace.title, app.trace.tabs.currentTabUri, app.trace.selection.selection.trackUri,
		app.trace.selection.selection.eventId, String(app.trace.timeline.visibleWindow.start.integral), app.trace.timeline.visibleWindow.duration])`
	before := page.until(view, "Frames#why")
	page.eval(`(window.old = true, location.reload(), 1)`)
	page.until(`window.old ?? 'new'`, "new")
	page.until(whyLate, "Frame 10046")
	page.until(view, before)

	// Without a selection, the worst frames are listed.
	page.eval(`(app.trace.selection.clearSelection(), m.redraw())`)
	page.until(whyLate, "9 late frames", "35.4 ms 10046call_made example.gallery 20170 waited 38.6 ms for storage", "22.9 ms 10030")

	// An area has a tab with what its late frames lost: all of them here.
	page.eval(`(app.trace.selection.selectArea({start: app.trace.traceInfo.start, end: app.trace.traceInfo.end,
		trackUris: app.trace.currentWorkspace.flatTracks.flatMap((n) => n.uri ?? [])}), m.redraw())`)
	page.until(`([...document.querySelectorAll('*')].filter((e) => e.childElementCount === 0 && e.textContent.trim() === 'Lost time').forEach((e) => e.click()),
		[...document.querySelectorAll('.pf-openharmony-frames')].map((e) => e.innerText).join(' ').replace(/\s+/g, ' '))`,
		"9 late frames 83.0 ms lost", "64.2 ms 77 % 6 waiting for storage in FlushLayoutTask (io_schedule) worst")

	endOpen(t, o)

	// Names are texts, not markup or SQL.
	text := must.Get(os.ReadFile(trace))(t)
	hostile := filepath.Join(t.TempDir(), "hostile.ftrace")
	text = []byte(strings.NewReplacer("example.gallery", `<b>'"x" y`, "OS_UI_Worker_1", "it's<i>").Replace(string(text)))
	must.Do(t, os.WriteFile(hostile, text, 0o600))
	o = startOpen(t, showing, hostile, "--port", "0", "--ui", build)
	page.open(o)
	page.until(whyLate, "Frame 10046", `<b>'"x" y 20170`)
	must.Do(t, chromedp.Do(ctx, chromedp.KeyEvent("j")))
	page.until(whyLate, "Frame 10019", "thread 20177", "waiting for storage 6.8 ms")
	endOpen(t, o)

	// An interaction has the cause of its worst frame, if one was late.
	scenes := &bytes.Buffer{}
	must.Get(simulate.Write(scenes, simulate.Demonstration()))(t)
	flings := filepath.Join(t.TempDir(), "flings.ftrace")
	must.Do(t, os.WriteFile(flings, scenes.Bytes(), 0o600))
	o = startOpen(t, showing, flings, "--port", "0", "--ui", build, "--interaction", "2")
	page.open(o)
	page.until(whyLate, "Frame 10123", "number 2 of 9", "waiting for storage")
	page.until(`app.trace.engine.query('SELECT name FROM slice WHERE id = ' + app.trace.selection.selection.eventId).then((r) => r.iter({name: 'str'}).name)`,
		"APP_LIST_FLING #2, 6 late")
	page.until(`app.isLoadingTrace`, "false")
	page.eval(sliceOf("t.name = 'Interactions' AND s.name = 'APP_LIST_FLING #1'"))
	page.until(whyLate, "9 late frames", "The selection has no late frame.")
	page.eval(sliceOf("t.name = 'Interactions' AND s.parent_id IN (SELECT id FROM slice WHERE name = 'APP_LIST_FLING #3, 3 late') AND s.name GLOB 'animation*'"))
	page.until(whyLate, "Frame 10189")
	endOpen(t, o)

	// A buffer of a layer selects the frame that drew it. That of a video has none.
	layers := &bytes.Buffer{}
	must.Get(simulate.Write(layers, simulate.Layered()))(t)
	layered := filepath.Join(t.TempDir(), "layered.ftrace")
	must.Do(t, os.WriteFile(layered, layers.Bytes(), 0o600))
	o = startOpen(t, showing, layered, "--port", "0", "--ui", build)
	page.open(o)
	page.until(`app.isLoadingTrace`, "false")
	// The worst frame is one of a thread of a process whose main thread makes none.
	page.until(whyLate, "om.example.game 21170", "the worst of")
	const drawn = `app.trace.engine.query("SELECT f.name FROM slice AS b JOIN track AS t ON t.id = b.track_id AND t.name GLOB 'ShellAssistantAnco_200097*' " +
		"JOIN slice AS f ON f.ts = extract_arg(b.arg_set_id, 'debug.frame_ts') JOIN track AS k ON k.id = f.track_id AND k.name = 'Frames' " +
		"WHERE b.name GLOB '* late 50.0 ms'").then((r) => r.iter({name: 'str'}).name)`
	frame, _, _ := strings.Cut(page.until(drawn, "64"), " ") // numbers of vsyncs begin with these digits
	page.eval(sliceOf("t.name GLOB 'ShellAssistantAnco_200097*' AND s.name GLOB '* late 50.0 ms'"))
	page.until(whyLate, "Frame "+frame, ".example.player 22170")
	page.eval(sliceOf("t.name = 'Draw' AND s.name = '" + frame + "'"))
	page.until(whyLate, "Frame "+frame)
	page.eval(sliceOf("t.name GLOB 'video node*' AND s.name GLOB '* late 33.3 ms'"))
	page.until(whyLate, "The selection has no late frame.")
	endOpen(t, o)

	// A button selects the samples of a frame, of which the UI shows a flame graph.
	sampled, perf := &bytes.Buffer{}, &bytes.Buffer{}
	scene := simulate.Scene{Kernel: simulate.KernelHongMeng, Cause: "more_work"}
	must.Get(scene.GenerateWithSamples(sampled, perf, simulate.Recording{Clock: simulate.ClockMonotonic}))(t)
	work := filepath.Join(t.TempDir(), "work.ftrace")
	for name, b := range map[string][]byte{work: sampled.Bytes(), strings.TrimSuffix(work, "ftrace") + "perf.data": perf.Bytes()} {
		must.Do(t, os.WriteFile(name, b, 0o600))
	}
	o = startOpen(t, showing, work, "--port", "0", "--ui", build)
	page.open(o)
	page.until(`app.isLoadingTrace`, "false")
	page.until(whyLate, "in FlushLayoutTask", "Flame graph of ", "samples")
	if page.eval(`app.trace.tracks.getAllTracks().some(({tags}) => tags?.perfSessionId !== undefined || tags?.stackSampleSource !== undefined)`) == "true" {
		page.eval(`(window.frame = app.trace.selection.selection, [...document.querySelectorAll('.pf-openharmony-frames button')].find((b) => b.innerText.startsWith('Flame graph')).click())`)
		page.until(`app.trace.selection.selection.kind + ' of ' + app.trace.selection.selection.tracks?.length + ' from ' + (app.trace.selection.selection.start - window.frame.ts)`, "area of 1 from 0")
		page.until(`document.body.innerText`, "Perf sample flamegraph")
	} else {
		t.Log("this build has no tracks of samples: its engine is older than the UI")
	}
	endOpen(t, o)

	// The plugin adds nothing to a trace without tracks of frames.
	var bare bytes.Buffer
	const noFrames = " app-200 ( 200) [000] .... 10.000100: tracing_mark_write: B|200|H:work\n app-200 ( 200) [000] .... 10.000200: tracing_mark_write: E|200|\n"
	must.Get(ohframe.Convert(t.Context(), strings.NewReader(noFrames), &bare, ohframe.ConvertOptions{}))(t)
	bareTrace := filepath.Join(t.TempDir(), "bare.pftrace")
	must.Do(t, os.WriteFile(bareTrace, bare.Bytes(), 0o600))
	o = startOpen(t, showing, bareTrace, "--port", "0", "--ui", build)
	page.open(o)
	page.until(`app.isLoadingTrace`, "false")
	must.Equal(t, page.eval(`[app.trace.tabs.resolveTab('org.openharmony.Frames#why'), app.trace.commands.hasCommand('org.openharmony.Frames#nextLate')]`), ",false", "tab and command")
	endOpen(t, o)

	mu.Lock()
	defer mu.Unlock()
	for _, trouble := range troubles {
		t.Errorf("the page complains: %s", trouble)
	}
}

// open opens the page of a command, and waits until its trace is loaded.
func (p pluginPage) open(o *opening) {
	p.Helper()
	if err := chromedp.Do(p.ctx, chromedp.Navigate(o.address(p.T))); err != nil {
		p.Fatal(err)
	}
	p.until(`app.trace?.traceInfo.traceTitle`, "pftrace")
}

func endOpen(t *testing.T, o *opening) {
	t.Helper()
	must.Do(t, o.cmd.Process.Signal(syscall.SIGINT))
	o.end(t, 0)
}
