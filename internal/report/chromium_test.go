package report

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
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
)

// browser is a headless Chromium with a page open. It remembers what the pages
// of a report must not do.
type browser struct {
	*testing.T
	ctx context.Context

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

func TestMain(m *testing.M) {
	code := m.Run()
	if chromiumStarted {
		_, end := chromium()
		end()
	}
	os.Exit(code)
}

var chromiumStarted bool

// newBrowser opens a page, or skips the test where there is no browser.
func newBrowser(t *testing.T) *browser {
	t.Helper()
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
	b := &browser{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, cdppage.Enable, cdppage.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, runtime.Enable, struct{}{}); return err },
		func() error { _, err := chromedp.Call(ctx, log.Enable, struct{}{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func (b *browser) listen(event any) {
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
		go chromedp.Call(b.ctx, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{}) // else the page waits
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, "data:") && e.Type != network.ResourceTypeDocument {
			b.requests = append(b.requests, url)
		}
	}
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// open shows a report in a window of the given size, in the "light" scheme or
// the "dark" one.
func (b *browser) open(inputs []Input, width, height int64, scheme string) {
	b.Helper()
	var page bytes.Buffer
	if err := Write(&page, inputs, "html", Options{}); err != nil {
		b.Fatal(err)
	}
	b.show(page.Bytes(), width, height, scheme)
}

// show shows a page as open does.
func (b *browser) show(page []byte, width, height int64, scheme string) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "page.html")
	if err := os.WriteFile(file, page, 0o666); err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(width, height))
	b.scheme(scheme)
	b.do(chromedp.Navigate("file://" + file))
	b.settle()
}

func (b *browser) scheme(scheme string) {
	b.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.Fatal(err)
	}
}

// settle waits until the page has drawn itself.
func (b *browser) settle() {
	b.Helper()
	eval[bool](b, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

// eval returns the value of an expression in the page.
func eval[T any](b *browser, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// screenshot keeps a picture of the window if OHFRAME_SCREENSHOTS names a directory.
func (b *browser) screenshot(name string) {
	b.Helper()
	directory := os.Getenv("OHFRAME_SCREENSHOTS")
	if directory == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, name+".png"), picture, 0o666); err != nil {
		b.Fatal(err)
	}
}

// checkQuiet fails the test if a page complained or asked for anything.
func (b *browser) checkQuiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.troubles {
		b.Errorf("the page complains: %s", t)
	}
	for _, r := range b.requests {
		b.Errorf("the page asks for %s", r)
	}
}
