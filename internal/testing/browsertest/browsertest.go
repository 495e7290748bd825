// Package browsertest opens pages in a headless Chromium, for tests of pages.
//
// Tests are skipped where chromium is not installed, unless OHFRAME_REQUIRE_BROWSER=1.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// Browser is a headless Chromium with a page open. It remembers what pages must not do.
type Browser struct {
	*testing.T
	Ctx context.Context // of chromedp

	mu       sync.Mutex
	troubles []string // console messages, exceptions, dialogs
	requests []string // all but those for the page itself and for data: addresses
}

// chromium is the one that all tests share, each with a page of its own, and
// how to end it. It is nil where there is none.
var chromium = sync.OnceValues(func() (context.Context, func()) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		return nil, func() {}
	}
	data, err := os.MkdirTemp("", "ohframe-chromium-")
	if err != nil {
		panic(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(data),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(ctx)
	return ctx, func() {
		chromedp.Cancel(ctx) // the tests are over, whatever it says
		cancel()
		cancelAllocator()
		os.RemoveAll(data)
	}
})

// Main runs the tests of a package and ends Chromium. TestMain calls it.
func Main(m *testing.M) {
	code := m.Run()
	if chromiumStarted {
		_, end := chromium()
		end()
	}
	os.Exit(code)
}

var chromiumStarted bool

// New opens a page, or skips the test where there is no browser, or with the race detector.
func New(t *testing.T) *Browser {
	t.Helper()
	slow.SkipRace(t)
	chromiumStarted = true
	parent, _ := chromium()
	if parent == nil {
		if os.Getenv("OHFRAME_REQUIRE_BROWSER") == "1" {
			t.Fatal("chromium is not installed, and OHFRAME_REQUIRE_BROWSER=1")
		}
		t.Skip("chromium is not installed")
	}
	if err := chromedp.Do(parent); err != nil { // the browser must outlive the first page
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &Browser{T: t, Ctx: ctx}
	must.Do(t, chromedp.Listen(ctx, b.listen))
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, cdppage.Enable, cdppage.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, runtime.Enable, struct{}{}); return err },
		func() error { _, err := chromedp.Call(ctx, log.Enable, struct{}{}); return err },
	} {
		must.Do(t, enable())
	}
	return b
}

func (b *Browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		text := "console." + string(e.Type)
		for _, a := range e.Args {
			text += " " + string(a.Value) + a.Description
		}
		b.troubles = append(b.troubles, text)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		b.troubles = append(b.troubles, text)
	case *log.EventEntryAdded:
		b.troubles = append(b.troubles, e.Entry.Text)
	case *cdppage.EventJavascriptDialogOpening:
		b.troubles = append(b.troubles, "dialog "+e.Message)
		go chromedp.Call(b.Ctx, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{}) // else the page waits
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, "data:") && e.Type != network.ResourceTypeDocument {
			b.requests = append(b.requests, url)
		}
	}
}

// Do runs steps.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	must.Do(b, chromedp.Do(b.Ctx, steps...))
}

// Show shows a page in a window of the given size, in the "light" scheme or the "dark" one.
func (b *Browser) Show(page []byte, width, height int64, scheme string) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "page.html")
	must.Do(b, os.WriteFile(file, page, 0o666))
	b.Do(chromedp.EmulateViewport(width, height))
	b.Scheme(scheme)
	b.Do(chromedp.Navigate("file://" + file))
	b.Settle()
}

// Scheme sets the scheme of colours that the user prefers.
func (b *Browser) Scheme(scheme string) {
	b.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	must.Get(chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, media))(b)
}

// Settle waits until the page has drawn itself.
func (b *Browser) Settle() {
	b.Helper()
	Eval[bool](b, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

// Eval returns the value of an expression in the page.
func Eval[T any](b *Browser, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Screenshot keeps a picture of the window if OHFRAME_SCREENSHOTS names a directory.
func (b *Browser) Screenshot(name string) {
	b.Helper()
	directory := os.Getenv("OHFRAME_SCREENSHOTS")
	if directory == "" {
		return
	}
	picture := must.Get(chromedp.Run(b.Ctx, chromedp.CaptureScreenshot()))(b)
	must.Do(b, os.WriteFile(filepath.Join(directory, name+".png"), picture, 0o666))
}

// Troubles returns what pages complained about or asked for since the last call.
func (b *Browser) Troubles() (list []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.troubles {
		list = append(list, "the page complains: "+t)
	}
	for _, r := range b.requests {
		list = append(list, "the page asks for "+r)
	}
	b.troubles, b.requests = nil, nil
	return list
}

// CheckQuiet fails the test if a page complained or asked for anything.
func (b *Browser) CheckQuiet() {
	b.Helper()
	for _, t := range b.Troubles() {
		b.Error(t)
	}
}

// CheckNoSidewaysScroll fails the test if the page is wider than the window.
func (b *Browser) CheckNoSidewaysScroll(what string) {
	b.Helper()
	if wide := Eval[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		b.Errorf("%s: the page is %d pixels wider than the window", what, wide)
	}
}

// CheckAccessible fails the test if axe-core finds violations in the page. It does nothing
// where axe-core is absent, unless OHFRAME_REQUIRE_BROWSER=1: "make axe" installs it.
func (b *Browser) CheckAccessible(what string) {
	b.Helper()
	script, err := os.ReadFile(filepath.Join(root(), "build/axe/node_modules/axe-core/axe.min.js"))
	if err != nil {
		if os.Getenv("OHFRAME_REQUIRE_BROWSER") == "1" {
			b.Fatal(err)
		}
		b.Logf("%s: not checked, make axe installs axe-core", what)
		return
	}
	Eval[string](b, string(script)+"; 'installed'")
	for _, violation := range Eval[[]string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v =>
		v.id + ": " + v.help + "\n" + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + "\n" + n.failureSummary).join("\n")))`) {
		b.Errorf("%s: %s", what, violation)
	}
}

// root returns the folder of the module.
func root() string {
	_, file, _, _ := goruntime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../..")
}
