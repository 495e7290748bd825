//go:build linux

package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ohframe/internal/sql"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/ui"
)

// newBrowser starts Chromium with a page, or skips the test if Chromium is not installed.
func newBrowser(t *testing.T, flags ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	return newBrowserFor(t, time.Minute, flags...)
}

// newBrowserFor starts Chromium, which ends after a timeout.
func newBrowserFor(t *testing.T, timeout time.Duration, flags ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	slow.Skip(t)
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("OHFRAME_REQUIRE_BROWSER") == "1" {
			t.Fatal("chromium is not installed, and OHFRAME_REQUIRE_BROWSER=1")
		}
		t.Skip("chromium is not installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-component-update", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(options, flags...)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		chromedp.Cancel(ctx)
		cancel()
	})
	ctx, cancel = context.WithTimeout(ctx, timeout)
	t.Cleanup(cancel)
	return ctx
}

// loaded is what the page of testdata/ui found.
type loaded struct {
	Args     map[string]string
	Settings struct {
		Analytics bool        `json:"analyticsEnable"`
		Servers   []ui.Server `json:"dev.perfetto.ExtensionServers"`
	}
	Extensions []struct {
		Macros     []struct{ ID string }   `json:"macros"`
		SQLModules []struct{ Name string } `json:"sql_modules"`
	}
	Status   int
	Trace    string
	Commands []ui.Command
	Error    string
}

// show opens an address and returns what the UI found in the end.
func show(t *testing.T, ctx context.Context, address string) (l loaded) {
	t.Helper()
	must.Do(t, chromedp.Do(ctx, chromedp.Navigate(address)))
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](
			`document.title == 'loaded' ? window.result.then((r) => JSON.stringify(r)) : ''`, chromedp.EvalAwaitPromise))
		if err == nil && text != "" {
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Fatalf("%v in %.500s", err, text)
			}
			return l
		}
		if time.Now().After(deadline) {
			t.Fatalf("the UI is not loaded: %v", err)
		}
	}
}

// digest is the hash of what the UI gets of frames.ftrace.
func digest(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "frames.pftrace")
	open := exec.Command("ohframe", "open", "frames.ftrace", "-o", file)
	open.Dir = "testdata"
	must.Do(t, open.Run())
	return fmt.Sprintf("%x", sha256.Sum256(must.Get(os.ReadFile(file))(t)))
}

func (l *loaded) check(t *testing.T) {
	t.Helper()
	if l.Error != "" || l.Trace != digest(t) {
		t.Errorf("error %q, trace %s", l.Error, l.Trace)
	}
	if l.Status != 404 && l.Status != 0 { // 0 where another origin may not know
		t.Errorf("status %d: the UI takes it for a trace processor", l.Status)
	}
	var ids []string
	for _, c := range l.Commands {
		ids = append(ids, strings.TrimPrefix(c.ID, "dev.perfetto."))
	}
	want := []string{
		"CreateWorkspace", "CopyTracksToWorkspaceByRegexWithAncestors", "SwitchWorkspace", "ExpandTracksByRegex",
		"AddNoteAtTimestamp", "RunQuery", "RunQueryAndShowTab", "RunQuery", "RunQueryAndShowTab", "RunQuery",
	}
	if ids = slices.Compact(ids); !slices.Equal(ids, want) {
		t.Errorf("commands %v, want %v", ids, want)
	}
	if l.Args["table"] != "" || l.Args["ts"] != "100010200000" || l.Args["dur"] != "10799999" || l.Args["visStart"] != "100001750000" {
		t.Errorf("selects from %q at %s, dur %s; visible from %s", l.Args["table"], l.Args["ts"], l.Args["dur"], l.Args["visStart"])
	}
}

// The page of the program leads a browser to a UI of another origin, which fetches the
// trace with the policy that it has.
func TestOpenInChromium(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir("testdata/ui")))
	defer server.Close()
	browser := newBrowser(t)
	o := startOpen(t, showing, "frames.ftrace", "--port", "0", "--ui", server.URL)
	l := show(t, browser, o.address(t))
	l.check(t)
	if len(l.Extensions) > 0 {
		t.Error("changes the settings of another origin")
	}
	o.end(t, 0)
}

// A build of the UI is served with the extension, which is added to its settings once. The
// page can be reloaded, and other settings are kept.
func TestOpenOwnUIInChromium(t *testing.T) {
	dir := must.Get(filepath.Abs("testdata/ui"))(t)
	browser := newBrowser(t)
	o := startOpen(t, showing, "frames.ftrace", "--port", "0", "--ui", dir)
	address := o.address(t)
	origin := address[:strings.LastIndex(address, "/")]
	for i := range 2 {
		l := show(t, browser, address)
		l.check(t)
		if len(l.Extensions) != i+1 || len(l.Extensions[i].Macros) != len(ui.Macros()) || len(l.Extensions[i].SQLModules) != len(sql.Modules()) {
			t.Errorf("extensions %+v", l.Extensions)
		}
		if n := len(l.Settings.Servers); l.Settings.Analytics || n != i+1 || l.Settings.Servers[n-1].URL != origin+"/ohframe-extension" {
			t.Errorf("settings %+v", l.Settings)
		}
		if l.Args["rpc_port"] != "" {
			t.Error("asks the UI for another port, which it confirms with a dialog")
		}
		// A server of the user's must remain.
		other, _ := json.Marshal(ui.At(origin + "/ohframe-extension/"))
		must.Get(chromedp.Run(browser, chromedp.Evaluate[bool](`(() => {
			const s = JSON.parse(localStorage.perfettoSettings);
			s['dev.perfetto.ExtensionServers'].unshift(`+string(other)+`);
			localStorage.perfettoSettings = JSON.stringify(s);
			return true;
		})()`)))(t)
	}
	must.Do(t, o.cmd.Process.Signal(syscall.SIGINT))
	o.end(t, 0)
}

// Chromium lets pages of the internet connect to this computer only with permission.
func TestOpenRefusedInChromium(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir("testdata/ui")))
	defer server.Close()
	public := chromedp.Flag("ip-address-space-overrides", strings.TrimPrefix(server.URL, "http://")+"=public")

	browser := newBrowser(t, public) // its start does not count against the timeout
	o := startOpen(t, showing, "frames.ftrace", "--port", "0", "--ui", server.URL, "--timeout", "10s")
	if l := show(t, browser, o.address(t)); !strings.Contains(l.Error, "Failed to fetch") {
		t.Errorf("without permission: error %q", l.Error)
	}
	o.end(t, 1)
	if got := o.stderr.String(); !strings.Contains(got, "the browser must let it connect to this computer") {
		t.Errorf("says %q", got)
	}

	// Without that check, the same page fetches the trace.
	o = startOpen(t, showing, "frames.ftrace", "--port", "0", "--ui", server.URL)
	l := show(t, newBrowser(t, public, chromedp.Flag("disable-features", "LocalNetworkAccessChecks")), o.address(t))
	l.check(t)
	o.end(t, 0)
}
