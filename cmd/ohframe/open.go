package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cli/browser"
	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/atomicfile"
	"ohframe/internal/diff"
	"ohframe/internal/flags"
	"ohframe/internal/locate"
	"ohframe/internal/serve"
	"ohframe/internal/text"
	"ohframe/internal/ui"
)

type openFlags struct {
	PrintURL    bool          `flag:"print-url" usage:"print the address, open no browser"`
	Process     string        `flag:"process" usage:"select a frame of processes {NAME}: a part, a pattern, or a pid"`
	Frame       int64         `flag:"frame" usage:"select the frame {VSYNC}" default:"worst"`
	Interaction int64         `flag:"interaction" usage:"select interaction {N}" default:"none"`
	At          string        `flag:"at" usage:"look at a frame or time: {[PROCESS:]VSYNC|TIME} (10046, +1.5s)"`
	View        flags.Choice  `flag:"view" usage:"tracks to show: {}"`
	UI          string        `flag:"ui" usage:"use the UI at {URL}, or serve a build: a folder or zip"`
	Keep        bool          `flag:"keep" usage:"serve until interrupted: the address can be opened again"`
	Port        int64         `flag:"port" usage:"local {PORT} that the UI fetches from"`
	Timeout     time.Duration `flag:"timeout" usage:"give up after {DURATION}; 0 waits forever"`
	Events      flags.Choice  `flag:"events" usage:"events beside frames: {}"`
	flags.NoCausesFlag
	quietFlag
	samplesFlags
	flags.Trace
}

func openCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:        "open",
		Usage:       "show a trace in the Perfetto UI, at its worst frame or an interaction",
		ArgsUsage:   "TRACE",
		Description: "TRACE may be a folder with one trace.",
	}, &openFlags{
		View: flags.ChoiceOf("frames", "all"), UI: ui.Public, Port: serve.Port, Timeout: openTimeout,
		Events: flags.ChoiceOf(eventNames...), samplesFlags: samples, Trace: flags.NewTrace(),
	}, open)
}

// openTimeout is the default of --timeout.
const openTimeout = 5 * time.Minute

func open(c *call, f *openFlags) error {
	names, err := severalInputs(c)
	if err != nil {
		return err
	}
	if len(names) > 1 {
		base, other := text.Quoted(names[0]), text.Quoted(names[1])
		return &failure{
			what: fmt.Sprintf("%d traces given, one is needed", len(names)),
			hint: fmt.Sprintf("ohframe open -- %s; ohframe diff --merge both.tar -- %s -- %s puts two traces on one timeline", base, base, other),
		}
	}
	name := names[0]
	at, err := placeOption(c, f)
	if err != nil {
		return err
	}
	if err := checkInteraction(c, f.Interaction, names); err != nil {
		return err
	}
	if f.Interaction != 0 && !at.IsZero() {
		return &failure{what: "--interaction names what to look at, as --process, --frame and --at do", hint: "give one of them"}
	}
	var own *serve.OwnUI
	var address *url.URL
	if build := f.UI; isFile(build) {
		own, err = serve.OpenUI(build)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return &failure{file: inputName(build), what: "no such folder or zip archive", hint: "give a build of the UI, or an address that begins with http:// or https://, such as " + ui.Public}
		case err != nil:
			return fileError(build, err)
		}
		defer own.Close()
	} else if address, err = serve.ParseUI(build); err != nil {
		return &failure{what: "--ui " + err.Error(), hint: "give an address, or a folder or zip archive with a build of the UI"}
	}
	if f.Timeout < 0 {
		return &failure{what: fmt.Sprintf("--timeout %s: must not be negative", f.Timeout), hint: "0 waits forever"}
	}
	listener, err := listen(int(f.Port), own != nil) // fail before a long conversion, not after it
	if err != nil {
		return err
	}
	defer listener.Close()
	in, err := openInput(c, name)
	if err != nil {
		return err
	}
	defer in.Close()
	temporary, err := atomicfile.Temporary()
	if err != nil {
		return fileError(os.TempDir(), err)
	}
	defer temporary.Close()
	reader, done := withProgress(in, f.Quiet)
	summary, err := await(c.Context, func() (*ohframe.Summary, error) {
		return convertInto(c, name, reader, temporary, os.TempDir(), true)
	})
	done()
	if err != nil {
		return err
	}
	look := serve.ViewOptions{All: f.View.Value == "all"}
	switch {
	case summary.Timeline == nil && (f.Interaction != 0 || !at.IsZero()):
		return &failure{
			file: inputName(name), what: "its frames cannot be read: --process, --frame, --interaction and --at are not supported",
			hint: "give one trace, not an archive of several",
		}
	case f.Interaction != 0:
		if look.Interaction, err = locate.Interaction(int(f.Interaction), summary.Timeline); err != nil {
			return err
		}
	case summary.Timeline != nil:
		if look.At, err = at.Find(summary.Timeline); err != nil {
			return err
		}
	}
	printConverted(c, name, in, summary)
	switch {
	case f.Quiet:
	case len(look.At.Others) > 0:
		fmt.Fprint(os.Stderr, otherFrames(name, summary.Timeline, look.At))
	case look.At.Time.Known():
		fmt.Fprintln(os.Stderr, text.Line(fmt.Sprintf("%s: --at %s: %s", inputName(name), f.At, frameAt(summary.Timeline, look.At.Frame))))
	}
	if summary.Timeline == nil && !f.Quiet && diff.IsMerged(io.NewSectionReader(temporary, 0, math.MaxInt64)) {
		fmt.Fprintf(os.Stderr, "%s: only Perfetto's UI v58 and later shows both traces on one timeline\n", inputName(name))
	}
	v := viewer{
		listener: listener, ui: address, own: own, look: look, keep: f.Keep || own != nil,
		timeout: f.Timeout, printURL: f.PrintURL, quiet: f.Quiet, stdout: c.App.Writer,
	}
	return v.show(c.Context, servedName(name, !summary.PassedThrough || summary.Unpacked), temporary, summary.Timeline, summary.Causes)
}

// viewer shows traces in the UI.
type viewer struct {
	listener              net.Listener
	ui                    *url.URL     // unless own is set
	own                   *serve.OwnUI // may be nil
	look                  serve.ViewOptions
	timeout               time.Duration
	printURL, keep, quiet bool
	stdout                io.Writer
}

// show opens the browser, and serves the trace until the UI has fetched it. The
// timeline and the causes may be nil.
func (v *viewer) show(ctx context.Context, name string, file *os.File, t *analyzer.Timeline, causes *why.Causes) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return fileError(name, err)
	}
	port := v.listener.Addr().(*net.TCPAddr).Port
	address, extension := v.ui, (*ui.Server)(nil)
	if v.own != nil {
		address, extension = serve.Own(port), serve.Extension(port)
	}
	secret := serve.NewSecret()
	link := serve.Link{UI: address, Port: port, Path: secret + "/" + name}
	if t != nil {
		if link.View, err = serve.Look(t, causes, v.look); err != nil {
			return err
		}
		if err := link.View.MakeUnique(file, size); err != nil {
			return fileError(name, err)
		}
	}
	page, err := serve.NewPage(name, link, extension)
	if err != nil {
		return err
	}
	site := serve.Site{
		Secret: secret, Page: page, Trace: serve.Trace{Path: link.Path, Content: file, Size: size},
		Origin: serve.Origin(address), UI: v.own, Keep: v.keep, RemindAfter: remindAfter,
	}
	start := serve.Own(port).JoinPath(secret).String()
	if !v.quiet {
		site.Remind = func(opened bool) { fmt.Fprint(os.Stderr, reminder(opened, site.Origin, start)) }
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if v.printURL {
		if _, err := fmt.Fprintln(v.stdout, start); err != nil {
			return fileError(outputName(standard), err)
		}
	} else {
		go openBrowser(start, cancel)
	}
	if !v.quiet {
		if v.own == nil && port != serve.Port {
			// The content security policy of the UI's page does not depend on where it is served.
			fmt.Fprintf(os.Stderr, "ohframe: port %d: warning: %s fetches only from port %d, unless the UI's flag cspAllowAnyWebsocketPort is on\n", port, site.Origin, serve.Port)
		}
		fmt.Fprintf(os.Stderr, "waiting for %s to fetch %s\n", site.Origin, name)
		if v.keep {
			// The UI replaces its address, so that a reload has only the trace.
			fmt.Fprintf(os.Stderr, "Ctrl-C ends; until then, %s shows this view again\n", start)
		}
	}
	err = serve.Run(ctx, v.listener, site, v.timeout)
	if signalled := (interruption{}); v.keep && errors.As(err, &signalled) {
		return nil // as after a fetch
	}
	if errors.Is(err, serve.ErrNotFetched) {
		return &failure{
			what: fmt.Sprintf("%s has not fetched the trace within %s", site.Origin, v.timeout),
			hint: "the page must be open, and the browser must let it connect to this computer; --timeout waits longer; ohframe convert writes a file that the page can open",
		}
	}
	return err
}

// placeOption returns where to look, as --process, --frame and --at say.
func placeOption(c *call, f *openFlags) (at locate.Place, err error) {
	if err := checkFrame(c, f.Frame); err != nil {
		return at, err
	}
	if at, err = locate.Parse(f.Process, f.Frame, f.At); err != nil {
		return at, &failure{what: err.Error()}
	}
	return at, nil
}

// maxOthers is the number of frames that otherFrames lists.
const maxOthers = 5

// otherFrames says which other frames a place names, with the commands that show them.
func otherFrames(name string, t *analyzer.Timeline, found locate.Found) string {
	var b strings.Builder
	process := func(f *analyzer.Frame) string { return text.ProcessName(f.Process.Name) }
	fmt.Fprintf(&b, "%s: %d frames match, showing that of %s; to show another:\n", inputName(name), 1+len(found.Others), process(found.Frame))
	command := locate.NewCommands(name, t).OpenFrame
	for _, f := range found.Others[:min(maxOthers, len(found.Others))] {
		fmt.Fprintf(&b, "  %s: %s\n", process(f), text.Line(command(f)))
	}
	if n := len(found.Others) - maxOthers; n > 0 {
		fmt.Fprintf(&b, "  … and %d more\n", n)
	}
	return b.String()
}

// frameAt says which frame a time selects at which none starts; f may be nil.
func frameAt(t *analyzer.Timeline, f *analyzer.Frame) string {
	if f == nil {
		return "no frame at that time, none is selected"
	}
	what := "a frame"
	if f.VsyncID != 0 {
		what = fmt.Sprintf("frame %d", f.VsyncID)
	}
	since := func(at trace.Time) string { return text.Since(t.Origin(), at) }
	return fmt.Sprintf("no frame starts then, selected %s of %s, from %s to %s", what, text.ProcessName(f.Process.Name), since(f.Actual.Start), since(f.Actual.End))
}

// isFile reports whether --ui names a folder or a file, not an address.
func isFile(name string) bool { return name != "" && !strings.Contains(name, "://") }

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

// listen listens on a port. ownUI says whether this program serves the UI, too.
func listen(port int, ownUI bool) (net.Listener, error) {
	if port < 0 || port > math.MaxUint16 {
		return nil, &failure{what: fmt.Sprintf("--port %d: not a port", port), hint: fmt.Sprintf("ports are 1 to %d; 0 picks a free one", math.MaxUint16)}
	}
	listener, err := serve.Listen(port)
	if err == nil {
		return listener, nil
	}
	f := &failure{what: fmt.Sprintf("port %d: %v", port, err)}
	if call := (*os.SyscallError)(nil); errors.As(err, &call) {
		f.what = fmt.Sprintf("port %d: %v", port, call.Err)
		f.hint = "another ohframe open, or trace_processor_shell in HTTP mode, may be using it: end it, or "
		if ownUI {
			f.hint += "use a free port: --port 0"
		} else { // the page of another origin fetches only from the usual port
			f.hint += "serve a build of the UI on a free port: --ui FOLDER --port 0"
		}
	}
	return nil, f
}

// servedName returns the name that the UI shows.
func servedName(name string, converted bool) string {
	switch {
	case name == standard:
		return "trace.pftrace"
	case converted:
		return filepath.Base(defaultOutput(name))
	}
	return filepath.Base(name)
}

// openBrowser opens the link in the browser and calls cancel if that fails. It may
// not return before the browser exits.
func openBrowser(link string, cancel context.CancelCauseFunc) {
	// Browsers log a lot, and may outlive this program: their output must not be a
	// pipe to it.
	browser.Stdout, browser.Stderr = nil, nil
	if err := browser.OpenURL(link); err != nil {
		cancel(&failure{
			what: fmt.Sprintf("cannot open the browser: %v", err),
			hint: "with --print-url it prints the address to open",
		})
	}
}
