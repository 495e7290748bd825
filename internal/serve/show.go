//go:build !js

package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/cli/browser"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/ui"
)

// Viewer shows traces in the UI.
type Viewer struct {
	Listener net.Listener
	UI       *url.URL // unless Own is set
	Own      *OwnUI   // may be nil
	Look     ViewOptions
	Timeout  time.Duration
	// Keep serves until ctx ends.
	Keep bool
	// Print prints the address in place of opening the browser; may be nil.
	Print func(address string) error
	// Messages says what goes on; may be nil.
	Messages io.Writer
}

// Show opens the browser, and serves the trace until the UI has fetched it. Without
// sides the UI shows all of it.
func (v *Viewer) Show(ctx context.Context, name string, file *os.File, sides []Side) error {
	port := v.Listener.Addr().(*net.TCPAddr).Port
	address, extension := v.UI, (*ui.Server)(nil)
	if v.Own != nil {
		address, extension = Own(port), Extension(port)
	}
	secret := NewSecret()
	link, err := NewLink(address, name, file, sides, v.Look)
	if err != nil {
		return err
	}
	link.Port, link.Path = port, secret+"/"+name
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	page, err := NewPage(name, *link, extension)
	if err != nil {
		return err
	}
	site := Site{
		Secret: secret, Page: page, Trace: Trace{Path: link.Path, Content: file, Size: info.Size()},
		Origin: Origin(address), UI: v.Own, Keep: v.Keep, RemindAfter: remindAfter,
	}
	start := Own(port).JoinPath(secret).String()
	if v.Messages != nil {
		site.Remind = func(opened bool) { fmt.Fprint(v.Messages, reminder(opened, site.Origin, start)) }
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if v.Print != nil {
		if err := v.Print(start); err != nil {
			return err
		}
	} else {
		go openBrowser(start, cancel)
	}
	if v.Messages != nil {
		if v.Own == nil && port != Port {
			// The content security policy of the UI's page does not depend on where it is served.
			fmt.Fprintf(v.Messages, "ohframe: port %d: warning: %s fetches only from port %d, unless the UI's flag cspAllowAnyWebsocketPort is on\n", port, site.Origin, Port)
		}
		fmt.Fprintf(v.Messages, "waiting for %s to fetch %s\n", site.Origin, name)
		if v.Keep {
			// The UI replaces its address, so that a reload has only the trace.
			fmt.Fprintf(v.Messages, "Ctrl-C ends; until then, %s shows this view again\n", start)
		}
	}
	err = Run(ctx, v.Listener, site, v.Timeout)
	if errors.Is(err, ErrNotFetched) {
		return diag.New(nil, "the page must be open, and the browser must let it connect to this computer; --timeout waits longer; ohframe convert writes a file that the page can open", "%s has not fetched the trace within %s", site.Origin, trace.Duration(v.Timeout))
	}
	return err
}

// remindAfter is how long a browser normally needs at most to open the UI.
const remindAfter = 15 * time.Second

// reminder says what to look for if the UI has not fetched the trace. Source of the names
// of the permission: Chromium's "local network access", which asks from version 142 on.
func reminder(opened bool, origin, start string) string {
	if !opened {
		return "no browser has opened the page yet: open " + start + "\n"
	}
	return "the page is open, but " + origin + " has not fetched the trace yet:\n" +
		"  if the browser asks whether the page may access other apps and services on this device, or the local network, allow it;\n" +
		"  if it refused before, allow it in the site's settings (the icon left of the address), then open " + start + "\n" +
		"  without that permission, open the output of ohframe convert with the page's \"Open trace file\"\n"
}

// Listen listens on a port of the loopback interface; 0 is any. ownUI says whether this program serves the UI, too.
func Listen(port int, ownUI bool) (net.Listener, error) {
	if port < 0 || port > math.MaxUint16 {
		return nil, diag.New(nil, fmt.Sprintf("ports are 1 to %d; 0 picks a free one", math.MaxUint16), "--port %d: not a port", port)
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err == nil {
		return listener, nil
	}
	f := &diag.Error{What: fmt.Sprintf("port %d: %v", port, err)}
	if call := (*os.SyscallError)(nil); errors.As(err, &call) {
		f.What = fmt.Sprintf("port %d: %v", port, call.Err)
		f.Hint = "another ohframe, or trace_processor_shell in HTTP mode, may be using it: end it, or "
		if ownUI {
			f.Hint += "use a free port: --port 0"
		} else { // the page of another origin fetches only from the usual port
			f.Hint += "serve a build of the UI on a free port: --ui FOLDER --port 0"
		}
	}
	return nil, f
}

// openBrowser opens the link in the browser and calls cancel if that fails. It may
// not return before the browser exits.
func openBrowser(link string, cancel context.CancelCauseFunc) {
	// Browsers log a lot, and may outlive this program: their output must not be a
	// pipe to it.
	browser.Stdout, browser.Stderr = nil, nil
	if err := browser.OpenURL(link); err != nil {
		cancel(diag.New(nil, "with --print-url it prints the address to open", "cannot open the browser: %v", err))
	}
}
