package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"ohframe/internal/serve"
	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/must"
)

func TestMain(m *testing.M) {
	browsertest.Main(m)
}

// folder is that of the site, which "make web" writes.
const folder = "../../../build/web"

// site serves the site, and remembers what was asked for.
type site struct {
	*httptest.Server
	mutex    sync.Mutex
	asked    []string
	replaced map[string]func([]byte) []byte // content of paths; nil for an error
	down     bool
}

func newSite(t *testing.T) *site {
	t.Helper()
	web, err := serve.OpenWeb(folder)
	if err != nil {
		if os.Getenv("OHFRAME_REQUIRE_BROWSER") == "1" {
			t.Fatalf("%v: make web", err)
		}
		t.Skip("the site is not built: make web")
	}
	t.Cleanup(func() { web.Close() })
	s := &site{replaced: map[string]func([]byte) []byte{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mutex.Lock()
		s.asked = append(s.asked, r.URL.Path)
		change, changed := s.replaced[r.URL.Path]
		down := s.down
		s.mutex.Unlock()
		switch {
		case down:
			panic(http.ErrAbortHandler)
		case changed && change == nil:
			http.NotFound(w, r)
		case changed:
			recorder := httptest.NewRecorder()
			web.ServeHTTP(recorder, httptest.NewRequest("GET", r.URL.Path, nil))
			content := change(recorder.Body.Bytes())
			for name, values := range recorder.Header() {
				if name != "Content-Length" && name != "Last-Modified" {
					w.Header()[name] = values
				}
			}
			w.Write(content)
		default:
			web.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// requests returns what was asked for since the last call.
func (s *site) requests() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func (s *site) set(down bool, replaced map[string]func([]byte) []byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.down, s.replaced = down, replaced
}

// page is the page in a browser.
type page struct {
	*browsertest.Browser
	frames map[target.ID]bool // that were seen
}

func eval[T any](p *page, expression string) T {
	p.Helper()
	return browsertest.Eval[T](p.Browser, expression)
}

// wait waits until a condition in the page holds, which may be another page by then.
func (p *page) wait(condition string) {
	p.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		holds, err := chromedp.Run(p.Ctx, chromedp.Evaluate[bool]("!!("+condition+")"))
		if err == nil && holds {
			return
		}
		if p.Ctx.Err() != nil {
			break
		}
	}
	p.Fatalf("never: %s; the page says %q", condition, p.text("body"))
}

func (p *page) text(selector string) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
}

func (p *page) click(selector string) {
	p.Helper()
	p.Do(chromedp.Click(chromedp.CSS(selector)))
}

// press clicks on what is where the frame of a report is or was, which gets clicks until the browser's process knows that.
func (p *page) press(selector string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf("document.querySelector(%q).click() ?? true", selector))
}

// save presses the n-th button of the menu.
func (p *page) save(n int) {
	p.Helper()
	p.press(fmt.Sprintf("#save button:nth-child(%d)", n))
}

// drop drops files and folders on the page.
func (p *page) drop(paths ...string) {
	p.Helper()
	for i, path := range paths {
		paths[i] = must.Get(filepath.Abs(path))(p)
	}
	drag := func(kind input.DispatchDragEventType) {
		must.Get(chromedp.Call(p.Ctx, input.DispatchDragEvent, input.DispatchDragEventParams{
			Type: kind, X: 300, Y: 300, Data: &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1},
		}))(p)
	}
	const over = `document.body.classList.contains("over")`
	for deadline := time.Now().Add(time.Minute); !eval[bool](p, over); time.Sleep(50 * time.Millisecond) { // a page that is not in front yet gets none
		if time.Now().After(deadline) {
			p.Fatal("the page does not take what is dragged over it")
		}
		drag(input.DispatchDragEventTypeDragEnter)
		drag(input.DispatchDragEventTypeDragOver)
	}
	p.Settle() // a report does not take it any more: it enters the page
	drag(input.DispatchDragEventTypeDragEnter)
	drag(input.DispatchDragEventTypeDragOver)
	drag(input.DispatchDragEventTypeDrop)
}

// dropNew drops a file that is nowhere, with any name.
func (p *page) dropNew(content string, names ...string) {
	p.Helper()
	encoded := must.Get(json.Marshal(names))(p)
	eval[bool](p, fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		for (const name of %s) data.items.add(new File([%q], name));
		return dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true})) || true;
	})()`, encoded, content))
}

const (
	answered = `!document.querySelector("#answer").hidden && document.querySelector("#answer iframe")`
	failed   = `!document.querySelector("#problem").hidden`
)

// document waits for a new frame, and returns it when it is loaded.
func (p *page) document() *page {
	p.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for _, info := range must.Get(chromedp.Targets(p.Ctx))(p) {
			if info.Type != "iframe" || p.frames[info.TargetID] || !strings.HasPrefix(info.URL, "blob:") {
				continue
			}
			p.frames[info.TargetID] = true
			ctx, cancel := chromedp.NewContext(p.Ctx, chromedp.WithTargetID(info.TargetID), chromedp.WithDetachOnCancel())
			p.Cleanup(cancel)
			f := &page{Browser: &browsertest.Browser{T: p.T, Ctx: ctx}, frames: p.frames}
			f.wait(`document.readyState === "complete"`)
			return f
		}
	}
	p.Fatal("no frame")
	return nil
}

// built is the folder with the program.
var built = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "ohframe-site-")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", folder+"/ohframe", "../../../cmd/ohframe").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return folder, err
})

// program returns a function that runs the program in the folder of traces.
func program(t *testing.T) func(args ...string) string {
	t.Helper()
	file := filepath.Join(must.Get(built())(t), "ohframe")
	return func(args ...string) string {
		t.Helper()
		var out, stderr bytes.Buffer
		cmd := exec.Command(file, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = "../../../testdata", &out, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, stderr.Bytes())
		}
		return out.String()
	}
}

const traces = "../../../testdata/"

// newPage returns a page of a site of its own.
func newPage(t *testing.T) (*page, *site) {
	t.Helper()
	s := newSite(t)
	return &page{browsertest.New(t), map[target.ID]bool{}}, s
}

// open opens the page. Its program is loaded when it says so.
func (p *page) open(s *site, query string) {
	p.Helper()
	p.Do(chromedp.Navigate(s.URL + "/" + query))
	p.wait(`document.documentElement.classList.contains("js")`)
}

// A browser that lacks something, a server without the program and a failing program are sentences.
func TestLacks(t *testing.T) {
	p, s := newPage(t)
	for _, test := range []struct{ script, title, hint string }{
		{`delete window.WebAssembly`, "This browser lacks what the page needs (WebAssembly)", "ohframe report FILE"},
		{`window.Worker = class { postMessage(m) { if (m.kind === "run") setTimeout(() => this.onmessage({data: {kind: "failed", id: m.id, why: "memory", what: ""}})) } terminate() {} }`,
			"The browser has not enough memory for this trace", "ohframe report FILE"},
		{`window.Worker = class { postMessage(m) { if (m.kind === "run") setTimeout(() => this.onmessage({data: {kind: "failed", id: m.id, why: "trap", what: "panic: <b>"}})) } terminate() {} }`,
			"The program failed", "panic: <b>\n\nThis is a fault in ohframe"},
		{`window.Worker = class { postMessage() { setTimeout(() => this.onerror({})) } terminate() {} }`, "The program cannot be loaded", "load the page again"},
		{``, "The program cannot be loaded", "404 Not Found"},
	} {
		s.set(false, map[string]func([]byte) []byte{"/sw.js": nil})
		if test.script == "" {
			s.set(false, map[string]func([]byte) []byte{"/ohframe.wasm": nil, "/sw.js": nil})
		}
		id := must.Get(chromedp.Call(p.Ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: test.script}))(t).Identifier
		p.open(s, "?lang=en")
		if strings.Contains(test.script, "Worker") {
			p.click("#sample")
		}
		p.wait(failed)
		must.Get(chromedp.Call(p.Ctx, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: id}))(t)
		if got := p.text("#problem"); !strings.HasPrefix(got, test.title) || !strings.Contains(got, test.hint) {
			t.Errorf("%s: says %q", test.script, got)
		}
	}
	s.set(false, nil)
	p.Troubles() // the browser's about what is missing
}

// The start page is for everybody.
func TestStart(t *testing.T) {
	p, s := newPage(t)
	for _, test := range []struct {
		width        int64
		scheme, lang string
		title        string
	}{{1280, "light", "en", "Drop a trace here"}, {390, "dark", "zh", "把 trace 拖到这里"}} {
		p.Do(chromedp.EmulateViewport(test.width, 844))
		p.Scheme(test.scheme)
		p.open(s, "?lang="+test.lang)
		what := fmt.Sprint(test.width, " ", test.lang)
		must.Equal(t, p.text("#drop h2"), test.title, "%s", what)
		must.Equal(t, eval[string](p, `document.documentElement.lang.slice(0, 2)`), test.lang, "%s", what)
		p.click("#about summary")
		p.wait(`document.querySelector("#version").textContent.startsWith("ohframe version ")`)
		p.Screenshot("web-start-" + test.lang)
		p.CheckNoSidewaysScroll(what)
		p.CheckAccessible(what)
	}
	p.click("#language")
	must.Equal(t, p.text("#drop h2"), "Drop a trace here", "after the switch")
	// What has the focus, key by key.
	var order []string
	eval[bool](p, `document.querySelector("#title a").focus() ?? true`)
	for range 6 {
		p.Do(chromedp.KeyEvent("\t"))
		order = append(order, eval[string](p, `document.activeElement.id || document.activeElement.localName`))
	}
	if got, want := strings.Join(order, " "), "language files folder sample summary ui"; got != want {
		t.Errorf("the focus goes %s, want %s", got, want)
	}
	eval[bool](p, `localStorage.clear() ?? true`)
	for _, r := range p.Troubles() {
		if strings.Contains(r, "complains") || !strings.Contains(r, s.URL) {
			t.Error(r)
		}
	}
}

// Neither the page, nor its worker, nor a report can connect to another site, and none of them asks its own for
// anything while a trace is read.
func TestNothingLeaves(t *testing.T) {
	p, s := newPage(t)
	hits := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	defer elsewhere.Close()
	p.open(s, "?lang=en")
	p.wait(`navigator.serviceWorker.controller`)
	p.click("#about summary") // the worker runs
	p.wait(`document.querySelector("#version").textContent`)
	s.requests()
	p.Troubles()
	p.drop(traces + "demo.ftrace")
	p.wait(answered)
	report := p.document()
	// The browser itself looks for a new service worker when it likes.
	if got := slices.DeleteFunc(s.requests(), func(path string) bool { return path == "/sw.js" }); len(got) > 0 {
		t.Errorf("asks for %v", got)
	}
	for _, trouble := range p.Troubles() {
		t.Error(trouble)
	}
	attempt := fmt.Sprintf(`fetch(%q, {mode: "no-cors"}).then(() => "connected", (e) => e.message)`, elsewhere.URL)
	if got := eval[string](p, attempt); !strings.HasPrefix(got, "Failed to fetch") {
		t.Errorf("the page: %s", got)
	}
	if got := eval[string](report, attempt); !strings.HasPrefix(got, "Failed to fetch") {
		t.Errorf("the report: %s", got)
	}
	worker := fmt.Sprintf(`new Promise(done => { const w = new Worker(URL.createObjectURL(new Blob([%q]))); w.onmessage = (e) => done(e.data); })`, attempt+".then(postMessage)")
	if got := eval[string](p, worker); !strings.HasPrefix(got, "Failed to fetch") {
		t.Errorf("the worker: %s", got)
	}
	if hits > 0 {
		t.Errorf("%d requests arrived", hits)
	}
	p.Troubles() // of the attempts
	if got := eval[string](report, `document.body.innerText`); !strings.Contains(got, "example.gallery: 4 of 37 frames late") {
		t.Errorf("the report: %.300s", got)
	}
}

// The report is that of the program, with the reasons of a frame, of an interaction and of a layer.
func TestReport(t *testing.T) {
	p, s := newPage(t)
	p.Do(chromedp.EmulateViewport(390, 844))
	p.open(s, "?lang=en")
	// With the keyboard.
	must.Get(chromedp.Call(p.Ctx, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: true}))(t)
	choosers := make(chan *cdppage.EventFileChooserOpened, 1)
	listening, stop := context.WithCancel(p.Ctx)
	must.Do(t, chromedp.Listen(listening, func(event any) {
		if e, ok := event.(*cdppage.EventFileChooserOpened); ok {
			choosers <- e
		}
	}))
	eval[bool](p, `document.querySelector("#files").focus() ?? (window.heard = [], new MutationObserver(() => heard.push(document.querySelector("#status").textContent)).observe(document.querySelector("#status"), {childList: true}), true)`)
	p.Do(chromedp.KeyEvent("\r"))
	select {
	case e := <-choosers:
		must.Get(chromedp.Call(p.Ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{must.Get(filepath.Abs(traces + "demo.ftrace"))(t)}, BackendNodeID: e.BackendNodeID}))(t)
	case <-time.After(time.Minute):
		t.Fatal("no dialog of files")
	}
	stop()
	must.Get(chromedp.Call(p.Ctx, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{}))(t)
	p.wait(answered)
	report := p.document()
	must.Equal(t, eval[string](p, `document.title`), "demo.ftrace – ohframe", "the title")
	must.Equal(t, eval[string](p, `document.activeElement.id`), "title", "the focus")
	must.Equal(t, eval[string](p, `getComputedStyle(document.querySelector("#title")).outlineStyle`), "none", "an outline that no key asked for")
	if heard := eval[[]string](p, `heard`); len(heard) < 2 || heard[0] != "Reading demo.ftrace" || heard[len(heard)-1] != "The report on demo.ftrace is shown below." {
		t.Errorf("announces %q", heard)
	}
	p.CheckNoSidewaysScroll("a report")
	p.CheckAccessible("a report")
	// A late frame opens its details; they have its reason.
	must.Equal(t, eval[bool](report, `document.querySelectorAll("canvas").length > 0 && ([...document.querySelectorAll("article:not([hidden]) .case")].find(c => c.querySelector(".id").textContent === "10046").querySelector(".go").click(), true)`), true, "charts")
	report.wait(`document.querySelector("#facts .here")`)
	must.Equal(t, eval[string](report, `[...document.querySelectorAll("#facts .here")].map(b => b.textContent).join()`), "Why?,Open in Perfetto", "the buttons of a frame")
	eval[bool](report, `document.querySelector("#facts .here").click() ?? true`)
	p.checkWhy("Why: frame 10046", "Frame 10046 took 51.8 ms and was 35.4 ms late")
	// Links to processes and to frames lead there, and the browser's button leads back.
	const shown = `document.querySelector("article[data-pick]:not([hidden])").id`
	must.Equal(t, eval[string](report, shown), "process-0", "shown first")
	process := eval[string](report, `(() => { const a = document.querySelector('td a[href^="#process-"]:not([href="#process-0"])'); a.click(); return a.hash.slice(1); })()`)
	must.Equal(t, eval[string](report, shown), process, "after a link to a process")
	must.Equal(t, eval[string](report, `location.hash`), "#"+process, "the address")
	eval[bool](report, `history.back() ?? true`)
	report.wait(shown + ` === "process-0"`)
	eval[bool](report, `(() => { const s = document.querySelector("#pick"); s.value = "`+process+`"; return s.dispatchEvent(new Event("change")); })()`)
	must.Equal(t, eval[string](report, shown), process, "after a choice")
	eval[bool](report, `document.querySelector('tr[data-link="process-0"] td:last-child').click() ?? true`)
	must.Equal(t, eval[string](report, shown), "process-0", "after a row of a table")
	eval[bool](report, `document.querySelectorAll("article:not([hidden]) .case .go")[1].click() ?? true`)
	report.wait(`document.querySelector('#facts a[href*="@"]')`)
	render := eval[string](report, `(() => { const a = document.querySelector('#facts a[href*="@"]'); a.click(); return a.hash; })()`)
	must.Equal(t, eval[string](report, `location.hash`), render, "the address of a render frame")
	must.Equal(t, "#"+eval[string](report, shown), strings.Split(render, "@")[0], "after a link to a render frame")
	report.wait(`document.querySelector("#facts").innerText.includes("render_service")`)
	// The same for an interaction and a layer.
	p.again()
	p.drop(traces + "flings.ftrace.gz")
	p.wait(answered)
	report = p.document()
	interaction := eval[string](report, `(() => { const a = document.querySelector('td a[href*="interaction-"]'); a.click(); return a.hash; })()`)
	must.Equal(t, eval[string](report, `location.hash + " " + (document.querySelector(location.hash).getBoundingClientRect().top < innerHeight)`), interaction+" true", "after a link to an interaction")
	must.Equal(t, eval[string](report, `[...document.querySelectorAll("#interaction-4 .here")].map(b => b.textContent).join()`), "Why?,Open in Perfetto", "the buttons of an interaction")
	must.Equal(t, eval[bool](report, `document.body.innerText.includes("interaction N")`), false, "a command without the number of an interaction")
	eval[bool](report, `document.querySelector("#interaction-4 .here").click() ?? true`)
	p.checkWhy("Why: interaction 4", "switch of a page")
	// The causes of all list the interactions, too.
	eval[bool](report, `document.querySelector(".others .here").click() ?? true`)
	p.wait(`document.querySelector("#why iframe")`)
	all := p.document()
	eval[bool](all, `[...document.querySelectorAll("tr")].find(r => r.cells[0].textContent === "2").querySelector(".here").click() ?? true`)
	p.checkWhy("Why: interaction 2", "fling of a list of com.example.gallery")
	p.again()
	p.drop(traces + "layers.ftrace.gz")
	p.wait(answered)
	report = p.document()
	eval[bool](report, `document.querySelector("#layer-1 .here").click() ?? true`)
	p.checkWhy("Why: layer 1", "2 of 44 buffers late")
	// The answer to what was asked before is not shown under the title of what is asked now.
	why := func(command string) string {
		return fmt.Sprintf(`parent.postMessage({command: %q}, "*")`, command+" -- layers.ftrace.gz")
	}
	eval[bool](report, why("ohframe why --layer 1")+`, parent.postMessage({escape: true}, "*"), `+why("ohframe why --layer 2")+`, true`)
	p.checkWhy("Why: layer 2", "layer 2")
	// What a report leaves out is there, without a terminal.
	p.again()
	p.drop(traces + "demo.ftrace")
	p.wait(answered)
	report = p.document()
	must.Equal(t, eval[bool](report, `[...document.querySelectorAll("li, p")].some(e => e.textContent.includes("--all"))`), false, "a flag to list all")
	eval[bool](report, `document.querySelector(".others .here").click() ?? true`)
	p.checkWhy("Why: all causes", "running on a slower CPU")
	// Commands of a report that the page does not run.
	eval[bool](report, `["ohframe why --interaction 1 -o /in/x -- layers.ftrace.gz", "ohframe record -- x", "rm -- x", "ohframe why"].forEach(command => parent.postMessage({command}, "*")) ?? true`)
	eval[bool](p, `new Promise(done => setTimeout(() => done(true), 50))`)
	must.Equal(t, eval[bool](p, `document.querySelector("#why").open || !document.querySelector("#problem").hidden`), false, "other commands run")
	p.Do(chromedp.EmulateViewport(1280, 844))
	p.CheckQuietSite(s)
}

// Interactions of one of several traces have buttons if no other trace has its name.
func TestSameNames(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"one/it's.ftrace.gz", "two/another.ftrace.gz", "three/another.ftrace.gz"} {
		must.Do(t, os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o777))
		must.Do(t, os.WriteFile(filepath.Join(folder, name), must.Get(os.ReadFile(traces+"flings.ftrace.gz"))(t), 0o666))
	}
	p, s := newPage(t)
	p.open(s, "?lang=en")
	p.drop(filepath.Join(folder, "one"), filepath.Join(folder, "two"), filepath.Join(folder, "three"))
	p.wait(`!document.querySelector("#sides").hidden`)
	p.click("#all")
	p.wait(answered)
	report := p.document()
	must.Equal(t, eval[string](report, `[...document.querySelectorAll('li[id$="-interaction-2"], .note .copy code')].map(e => e.matches("li") ? e.querySelectorAll(".here").length : e.textContent.split(" ")[1]).join(" ")`),
		"2 0 why open 0 why open", "the buttons of interactions of three traces, or the commands")
	eval[bool](report, `document.querySelector('li[id$="-interaction-2"] .here').click() ?? true`)
	p.checkWhy("Why: interaction 2", "it's.ftrace.gz")
	p.CheckQuietSite(s)
}

// checkWhy waits for the reasons, and closes them with the keyboard.
func (p *page) checkWhy(title, text string) {
	p.Helper()
	p.wait(`document.querySelector("#why iframe")`)
	f := p.document()
	must.Equal(p, p.text("#why-title"), title, "the title")
	if got := eval[string](f, `document.body.innerText`); !strings.Contains(got, text) {
		p.Errorf("%s: says %.500q", title, got)
	}
	p.CheckAccessible(title)
	eval[bool](f, `dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}))`)
	p.wait(`!document.querySelector("#why").open && document.activeElement.localName === "iframe"`)
}

// again goes to the start page.
func (p *page) again() {
	p.Helper()
	p.click("#again")
	p.wait(`!document.querySelector("#drop").hidden && document.activeElement.id === "files"`)
}

// CheckQuietSite fails the test if the page complained, or asked for anything but the site.
func (p *page) CheckQuietSite(s *site) {
	p.Helper()
	for _, trouble := range p.Troubles() {
		if !strings.Contains(trouble, "asks for "+s.URL) && !strings.Contains(trouble, "asks for blob:"+s.URL) {
			p.Error(trouble)
		}
	}
}

// What is saved has the bytes that the program writes.
func TestSave(t *testing.T) {
	run, saved, want := program(t), t.TempDir(), t.TempDir()
	p, s := newPage(t)
	must.Get(chromedp.CallBrowser(p.Ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: saved}))(t)
	p.open(s, "?lang=en")
	p.drop(traces + "demo.ftrace")
	p.wait(answered)
	p.document()
	for i, command := range [][]string{
		{"convert", "demo.pftrace"}, {"report", "demo.html"}, {"report", "demo.json"}, {"report", "demo.csv"}, {"frames", "demo.frames.csv"},
	} {
		name := command[1]
		run(append([]string{command[0], "-o", filepath.Join(want, name), "demo.ftrace"}, command[2:]...)...)
		p.save(i + 1)
		p.wait(fmt.Sprintf(`document.querySelector("#status").textContent === %q`, name+" is saved."))
		p.saved(filepath.Join(saved, name), filepath.Join(want, name))
	}
	// A saved Perfetto trace has the bytes of the input.
	p.again()
	p.drop(filepath.Join(want, "demo.pftrace"))
	p.wait(answered)
	p.document()
	must.Do(t, os.Remove(filepath.Join(saved, "demo.pftrace")))
	p.save(1)
	p.wait(`document.querySelector("#notes").textContent.includes("demo.pftrace is a Perfetto trace already")`)
	p.saved(filepath.Join(saved, "demo.pftrace"), filepath.Join(want, "demo.pftrace"))
	// Of several traces each is saved; none of them is the one to open.
	folder := filepath.Join(t.TempDir(), "runs")
	must.Do(t, os.Mkdir(folder, 0o777))
	for _, name := range []string{"one.ftrace", "two.ftrace", "two.meta.json"} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), must.Get(os.ReadFile(traces+"demo.ftrace"))(t), 0o666))
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "two.meta.json"), []byte("{}"), 0o666))
	p.again()
	p.drop(folder)
	p.wait(answered)
	p.document()
	const offered = `[...document.querySelectorAll("#perfetto:not([hidden]), #save button small")].map(e => e.textContent).join(" ")`
	must.Equal(t, eval[string](p, offered), "one.pftrace two.pftrace runs.html runs.json runs.csv runs.frames.csv", "what is offered of a folder")
	p.save(2)
	run("convert", "-o", filepath.Join(want, "two.pftrace"), filepath.Join(folder, "two.ftrace"))
	p.saved(filepath.Join(saved, "two.pftrace"), filepath.Join(want, "two.pftrace"))
	// A save can be ended, also one that waits. What is shown stays.
	p.save(3)
	p.save(4)
	p.save(5)
	p.wait(`!document.querySelector("#task").hidden && (document.querySelector("#stop").click(), true)`)
	p.wait(`document.querySelector("#task").hidden`)
	must.Equal(t, eval[bool](p, `!!(`+answered+`) && !(`+failed+`)`), true, "the report after saves that were cancelled")
	p.save(6)
	p.wait(`document.querySelector("#status").textContent === "runs.frames.csv is saved."`)
	must.Equal(t, exists(filepath.Join(saved, "runs.csv")), false, "what waited is saved")
	// A folder against a trace has no common timeline.
	p.again()
	p.drop(folder, traces+"demo.ftrace")
	p.wait(answered)
	p.document()
	must.Equal(t, eval[string](p, offered), "comparison.html comparison.json", "what is offered of a folder and a trace")
	p.CheckQuietSite(s)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// saved waits for a file, and checks that it is another.
func (p *page) saved(file, want string) {
	p.Helper()
	got := []byte(nil)
	for deadline := time.Now().Add(time.Minute); len(got) == 0 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		got, _ = os.ReadFile(file)
	}
	if !bytes.Equal(got, must.Get(os.ReadFile(want))(p)) {
		p.Errorf("%s: %d bytes that differ from those of the program", filepath.Base(file), len(got))
	}
}

// perfetto is Perfetto's side of the handshake. It is not there at once, and answers each question.
const perfetto = `<!doctype html><title>stub</title><script>
setTimeout(() => addEventListener("message", async (e) => {
	if (e.source !== opener) return;
	if (e.data === "PING") return e.source.postMessage("PONG", "*");
	const {buffer, title, fileName, localOnly} = e.data.perfetto;
	const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", buffer));
	(window.got ??= []).push({title, fileName, localOnly, size: buffer.byteLength, hash: hash.toHex?.() ?? [...hash].map(b => b.toString(16).padStart(2, "0")).join("")});
}), 300)</script>`

// The trace goes to the UI by its handshake, at the worst frame or at what a report names.
func TestPerfetto(t *testing.T) {
	run := program(t)
	p, s := newPage(t)
	ui := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(perfetto))
	}))
	defer ui.Close()
	p.open(s, "?lang=en")
	p.click("#about summary")
	eval[bool](p, fmt.Sprintf(`(() => { const i = document.querySelector("#ui"); i.value = %q; i.dispatchEvent(new Event("change")); return true; })()`, ui.URL+"/v1/"))
	p.drop(traces + "flings.ftrace.gz")
	p.wait(answered)
	report := p.document()
	merged := filepath.Join(t.TempDir(), "both.tar")
	run("diff", "--merge", merged, "demo.ftrace", "flings.ftrace.gz")
	for _, test := range []struct {
		flags []string
		open  func()
	}{
		{nil, func() { p.click("#perfetto") }},
		{[]string{"--interaction", "2"}, func() {
			// A script may open a tab only after the user has pressed something.
			p.click("#title")
			eval[bool](report, `document.querySelectorAll("#interaction-2 .here")[1].click() ?? true`)
		}},
		{[]string{merged}, func() { // two traces on one timeline
			p.drop(traces+"demo.ftrace", traces+"flings.ftrace.gz")
			p.wait(answered + ` && document.querySelector("#title").textContent.includes("→")`)
			p.document()
			p.click("#perfetto")
		}},
	} {
		file, title, fileName := filepath.Join(t.TempDir(), "want.pftrace"), "flings.ftrace.gz", "flings.pftrace"
		command := []string{"open", "-q", "-o", file, "--ui", ui.URL + "/v1/"}
		if slices.Contains(test.flags, merged) {
			title, fileName = "demo.ftrace → flings.ftrace.gz", "both.tar"
		} else {
			command = append(command, title)
		}
		address := strings.TrimSpace(run(append(command, test.flags...)...))
		opened := chromedp.WaitNewTarget(p.Ctx, func(i *target.Info) bool { return i.Type == "page" && i.OpenerID != "" })
		test.open()
		var id target.ID
		select {
		case id = <-opened:
		case <-time.After(time.Minute):
			t.Fatalf("%v: no tab opens; %s", test.flags, p.text("main"))
		}
		ctx, cancel := chromedp.NewContext(p.Ctx, chromedp.WithTargetID(id))
		tab := &page{Browser: &browsertest.Browser{T: t, Ctx: ctx}}
		tab.wait(`window.got`)
		eval[bool](tab, `new Promise(done => setTimeout(() => done(true), 300))`) // it would come twice
		got := eval[json.RawMessage](tab, `got`)
		content := must.Get(os.ReadFile(file))(t)
		want := fmt.Sprintf(`[{"title":%q,"fileName":%q,"localOnly":true,"size":%d,"hash":"%x"}]`, title, fileName, len(content), sum(content))
		if !sameJSON(got, []byte(want)) {
			t.Errorf("%v: posts %s, want %s", test.flags, got, want)
		}
		if got := eval[string](tab, `location.href`); got != address {
			t.Errorf("%v: opens %.300s, want %.300s", test.flags, got, address)
		}
		cancel()
	}
	// A tab that is closed before the UI answers has nothing.
	eval[bool](p, `(window.opened = window.open, window.open = (...args) => window.tab = opened.apply(window, args), true)`)
	p.click("#perfetto")
	p.wait(`window.tab && (tab.close(), true)`)
	p.wait(failed)
	must.Equal(t, p.text("#problem h2"), "The tab was closed before Perfetto had the trace", "a closed tab")
	// Browsers may open no tab, and an address may be none.
	eval[bool](p, `(window.open = () => null, true)`)
	p.click("#perfetto")
	p.wait(failed + ` && document.querySelector("#problem h2").textContent.startsWith("The browser")`)
	if got := p.text("#problem"); !strings.HasPrefix(got, "The browser has not opened another tab") || !strings.Contains(got, "Allow pop-up windows") {
		t.Errorf("says %q", got)
	}
	eval[bool](p, `localStorage.clear() ?? true`)
	p.CheckQuietSite(s)
}

// The same in builds of the UI: OHFRAME_UI is a list of folders, as in PATH. The times are those of the README's frame 10046.
func TestPerfettoUI(t *testing.T) {
	for _, build := range filepath.SplitList(os.Getenv("OHFRAME_UI")) {
		ui := httptest.NewServer(http.FileServer(http.Dir(build)))
		defer ui.Close()
		p, s := newPage(t)
		p.open(s, "?lang=en")
		eval[bool](p, fmt.Sprintf(`(localStorage.setItem("ohframe.perfetto", %q), true)`, ui.URL))
		p.click("#sample")
		p.wait(answered)
		p.document()
		opened := chromedp.WaitNewTarget(p.Ctx, func(i *target.Info) bool { return i.Type == "page" && i.OpenerID != "" })
		p.click("#perfetto")
		ctx, cancel := chromedp.NewContext(p.Ctx, chromedp.WithTargetID(<-opened))
		defer cancel()
		tab := &page{Browser: &browsertest.Browser{T: t, Ctx: ctx}}
		tab.wait(`globalThis.app?.trace?.selection?.selection?.kind === "track_event"`)
		const selected = `[app.trace.traceInfo.traceTitle.replace(/ .*/, ""), app.trace.selection.selection.ts, app.trace.selection.selection.dur].join()`
		must.Equal(t, eval[string](tab, selected), "demo.ftrace,3700475354000,51814999", "%s: the title and what is selected", build)
	}
}

func sum(content []byte) []byte {
	hash := sha256.Sum256(content)
	return hash[:]
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// Two traces, or groups of them, are compared.
func TestComparison(t *testing.T) {
	p, s := newPage(t)
	p.open(s, "?lang=en")
	p.drop(traces+"demo.ftrace", traces+"flings.ftrace.gz")
	p.wait(answered)
	must.Equal(t, p.text("#title"), "demo.ftrace → flings.ftrace.gz", "the title")
	if got := eval[string](p.document(), `document.body.innerText`); !strings.Contains(got, "demo.ftrace") || !strings.Contains(got, "Frame comparison") {
		t.Errorf("two: says %.300q", got)
	}
	p.click("#swap")
	p.wait(`document.querySelector("#title").textContent === "flings.ftrace.gz → demo.ftrace" && ` + answered)
	p.document()
	// Folders with files of the same names.
	dir := t.TempDir()
	for _, side := range []string{"base", "new"} {
		must.Do(t, os.MkdirAll(filepath.Join(dir, side, "more"), 0o777))
		for _, name := range []string{"a.ftrace", "b.ftrace"} {
			must.Do(t, os.WriteFile(filepath.Join(dir, side, name), must.Get(os.ReadFile(traces+"demo.ftrace"))(t), 0o666))
		}
	}
	p.again()
	p.drop(filepath.Join(dir, "base"), filepath.Join(dir, "new"))
	p.wait(answered)
	must.Equal(t, p.text("#title"), "base → new", "the title")
	if got := eval[string](p.document(), `document.body.innerText`); !strings.Contains(got, "2 traces") && !strings.Contains(got, "2 runs") {
		t.Errorf("two folders: says %.300q", got)
	}
	// More than two: the user says which is on which side, or asks for a report on all.
	p.again()
	p.dropNew(string(must.Get(os.ReadFile(traces+"demo.ftrace"))(t)), "a.ftrace", "a.ftrace", "demo.ftrace")
	p.wait(`!document.querySelector("#sides").hidden`)
	must.Equal(t, eval[string](p, `[...document.querySelectorAll("#sides tbody tr")].map(r => r.cells[0].textContent + " " + [...r.querySelectorAll("input")].map(i => +i.checked).join("")).join(", ")`),
		"a.ftrace 10, 2/a.ftrace 10, demo.ftrace 01", "the sides")
	p.CheckAccessible("sides")
	// A trace can be on no side, and the last answer is not lost.
	p.click("#sides tr:nth-child(1) td:nth-child(3) input")
	must.Equal(t, eval[string](p, `[...document.querySelectorAll("#sides tr:nth-child(1) input")].map(i => +i.checked).join("")`), "00", "a trace on no side")
	p.click("#sides tr:nth-child(1) td:nth-child(3) input")
	p.click("#sides tr:nth-child(2) td:nth-child(4) input")
	p.click("#diff")
	p.wait(answered)
	must.Equal(t, p.text("#title"), "a.ftrace → 2/a.ftrace, demo.ftrace", "the title")
	p.document()
	p.press("#arrange")
	p.press("#back")
	must.Equal(t, p.text("#title"), "a.ftrace → 2/a.ftrace, demo.ftrace", "the title of what is shown again")
	p.dropNew("no trace", "letter.txt")
	p.wait(failed)
	must.Equal(t, p.text("#title"), "a.ftrace → 2/a.ftrace, demo.ftrace", "the title after a failure")
	must.Equal(t, eval[bool](p, `!!(`+answered+`)`), true, "the report after a failure")
	p.press("#arrange")
	p.press("#all")
	p.wait(answered)
	if got := eval[string](p.document(), `document.body.innerText`); !strings.Contains(got, "2/a.ftrace") {
		t.Errorf("report on all: says %.300q", got)
	}
	p.CheckQuietSite(s)
}

// What is no trace, damaged or nothing is a sentence that says what to do.
func TestBadInput(t *testing.T) {
	p, s := newPage(t)
	dir := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(file, []byte(content), 0o666))
		return file
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, "empty"), 0o777))
	whole := string(must.Get(os.ReadFile(traces + "flings.ftrace.gz"))(t))
	p.open(s, "?lang=en")
	for _, test := range []struct{ file, title, hint string }{
		{write("letter.txt", "Dear reader,\nthis is no trace.\n"), "The trace could not be read", "letter.txt: not a trace"},
		{write("nothing.ftrace", ""), "The trace could not be read", "nothing.ftrace"},
		{filepath.Join(dir, "empty"), "Nothing to read", "The folder has no files"},
	} {
		p.drop(test.file)
		p.wait(failed)
		got := p.text("#problem")
		if !strings.HasPrefix(got, test.title) || !strings.Contains(got, test.hint) {
			t.Errorf("%s: says %q", test.file, got)
		}
		must.Equal(t, eval[bool](p, `!document.querySelector("#drop").hidden && document.activeElement.id === "problem"`), true, "%s: the start page with the message", test.file)
		eval[bool](p, `document.querySelector("#problem").hidden = true`)
	}
	p.CheckAccessible("an error")
	// Of a damaged one all is read that can be, with a warning.
	p.drop(write("cut.ftrace.gz", whole[:len(whole)/2]))
	p.wait(answered)
	p.document()
	if got := p.text("#notes"); !strings.Contains(got, "cut.ftrace.gz: warning: gzip stream is truncated") {
		t.Errorf("a damaged trace: warns %q", got)
	}
	p.CheckAccessible("a warning")
	p.again()
	// A file that was removed after it was chosen.
	file := write("gone.ftrace", string(must.Get(os.ReadFile(traces+"demo.ftrace"))(t)))
	p.drop(file)
	p.wait(answered)
	p.document()
	must.Do(t, os.Remove(file))
	p.save(3)
	p.wait(failed)
	if got := p.text("#problem"); !strings.Contains(got, "gone.ftrace") || !strings.Contains(got, "choose it again") {
		t.Errorf("a removed file: says %q", got)
	}
	p.CheckQuietSite(s)
}

// Names of files, and what errors quote of them, are text.
func TestHostileNames(t *testing.T) {
	p, s := newPage(t)
	p.open(s, "?lang=en")
	demo := string(must.Get(os.ReadFile(traces + "demo.ftrace"))(t))
	before := eval[string](p, `document.querySelectorAll("script, style, img, svg").length + ""`)
	for _, name := range []string{`<img src=x onerror="evil()">`, `</script><script>evil()</script>`, `"><svg onload=evil()>`, `-o`, `@list`, "\u202eevil"} {
		for _, content := range []string{demo, "no trace"} {
			p.dropNew(content, name)
			p.wait(`(` + answered + `) || ` + failed)
			want := answered
			if content != demo {
				want = failed
			}
			if !eval[bool](p, `!!(`+want+`)`) {
				t.Errorf("%s: says %q", name, p.text("#problem"))
			}
			if content == demo {
				must.Equal(t, p.text("#title"), name, "the title")
				f := p.document()
				must.Equal(t, eval[string](f, `[window.evil ? "evil" : "", document.querySelectorAll("img, svg[onload], [onerror], [onmouseover]").length].join()`), ",0", "%s: the report", name)
				p.again()
			}
			must.Equal(t, eval[string](p, `document.querySelectorAll("script, style, img, svg").length + ""`), before, "%s", name)
			eval[bool](p, `document.querySelector("#problem").hidden = true`)
		}
	}
	p.CheckQuietSite(s)
}

// A command that is cancelled ends, and the next one runs.
func TestCancel(t *testing.T) {
	p, s := newPage(t)
	p.open(s, "?lang=en")
	eval[bool](p, fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		data.items.add(new File([%q], "demo.ftrace"));
		dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
		return true;
	})()`, string(must.Get(os.ReadFile(traces+"demo.ftrace"))(t))))
	p.wait(`!document.querySelector("#busy").hidden && (document.querySelector("#cancel").click(), true)`)
	p.wait(`!document.querySelector("#drop").hidden`)
	must.Equal(t, eval[string](p, `document.querySelector("#status").textContent`), "Cancelled.", "says")
	must.Equal(t, eval[bool](p, failed), false, "an error")
	// Another trace takes the place of the one that is read.
	demo := string(must.Get(os.ReadFile(traces + "demo.ftrace"))(t))
	p.dropNew(demo, "first.ftrace")
	p.wait(`!document.querySelector("#busy").hidden`)
	p.dropNew(demo, "second.ftrace", "my.perf.data", "other.perf.data")
	p.wait(answered)
	must.Equal(t, p.text("#title"), "second.ftrace", "the title")
	must.Equal(t, p.text("#notes"), "my.perf.data is not read: samples of second.ftrace have the name second.perf.data.\n\nother.perf.data is not read: samples of second.ftrace have the name second.perf.data.", "the notes")
	p.document()
	// Names are no flags, and none is the folder of another.
	p.again()
	p.dropNew(demo, "-a.ftrace", "--process=none")
	p.wait(answered)
	p.document()
	p.again()
	p.dropNew(demo, "2", "a.ftrace", "a.ftrace")
	p.wait(`!document.querySelector("#sides").hidden`)
	p.click("#all")
	p.wait(answered)
	p.document()
	p.CheckQuietSite(s)
}

// The site works without a connection. A new version replaces the old one when the user asks for it.
func TestVersions(t *testing.T) {
	p, s := newPage(t)
	p.open(s, "?lang=en")
	p.wait(`navigator.serviceWorker.controller`)
	s.set(true, nil)
	p.open(s, "?lang=zh")
	must.Equal(t, p.text("#drop h2"), "把 trace 拖到这里", "without a connection")
	p.click("#sample")
	p.wait(answered)
	p.document()
	p.Troubles() // the browser cannot look for a new version

	mark := regexp.MustCompile(`"[0-9a-f]{16}"`)
	s.set(false, map[string]func([]byte) []byte{
		"/sw.js": func(b []byte) []byte { return mark.ReplaceAll(b, []byte(`"next"`)) },
		"/": func(b []byte) []byte {
			return bytes.Replace(b, []byte("<body"), []byte(`<body data-version="next"`), 1)
		},
	})
	p.open(s, "?lang=en")
	eval[bool](p, `navigator.serviceWorker.getRegistration().then(r => r.update()).then(() => true)`)
	p.wait(`!document.querySelector("#update").hidden`)
	must.Equal(t, eval[string](p, `document.body.dataset.version ?? ""`), "", "the old version, until it is asked for")
	p.click("#reload")
	p.wait(`document.body?.dataset.version === "next"`)
	p.wait(`caches.keys`)
	keys := eval[[]string](p, `caches.keys()`)
	must.Equal(t, len(keys) == 1 && strings.HasSuffix(keys[0], " next"), true, "caches %q", keys)
	p.Troubles()
}

// All that is in the site is kept by the service worker, and all that the page names is in the site.
func TestContents(t *testing.T) {
	if _, err := os.Stat(filepath.Join(folder, "index.html")); err != nil {
		t.Skip("the site is not built: make web")
	}
	names, _, err := contents(folder)
	must.NoError(t, err)
	worker := string(must.Get(os.ReadFile(filepath.Join(folder, serviceWorker)))(t))
	for _, name := range names {
		if !strings.Contains(worker, `"`+name+`"`) {
			t.Errorf("%s is not kept", name)
		}
	}
	index := string(must.Get(os.ReadFile(filepath.Join(folder, "index.html")))(t))
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"#:]+)"`).FindAllStringSubmatch(index, -1) {
		if !slices.Contains(names, m[1]) {
			t.Errorf("%s is not there", m[1])
		}
	}
}
