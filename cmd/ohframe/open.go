package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cli/browser"
	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/internal/serve"
)

func openCommand() *cli.Command {
	return &cli.Command{
		Name:      "open",
		Usage:     "show a trace in the Perfetto UI, at its worst frame",
		ArgsUsage: "TRACE",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "print-url", Usage: "print the address instead of opening a browser"},
			&cli.StringFlag{Name: "ui", Value: serve.PublicUI, Usage: "use the UI at `URL`"},
			&cli.IntFlag{Name: "port", Value: serve.Port, Usage: "local `PORT` that the UI fetches from; others work only with the UI's flag cspAllowAnyWebsocketPort"},
			&cli.DurationFlag{Name: "timeout", Value: 5 * time.Minute, Usage: "give up if the UI has not fetched the trace after `DURATION`; 0 waits forever"},
		}, conversionFlags()...),
		Action: open,
	}
}

// conversionFlags returns the flags of convert without --output.
func conversionFlags() []cli.Flag {
	return slices.DeleteFunc(convertCommand().Flags, func(f cli.Flag) bool { return f.Names()[0] == "output" })
}

func open(c *cli.Context) error {
	name, err := oneInput(c)
	if err != nil {
		return err
	}
	ui, err := serve.ParseUI(c.String("ui"))
	if err != nil {
		return &failure{what: "--ui " + err.Error()}
	}
	if c.Duration("timeout") < 0 {
		return &failure{what: fmt.Sprintf("--timeout %s: must not be negative", c.Duration("timeout")), hint: "0 waits forever"}
	}
	listener, err := listen(c.Int("port")) // fail before a long conversion, not after it
	if err != nil {
		return err
	}
	defer listener.Close()
	in, err := openInput(c.Context, name)
	if err != nil {
		return err
	}
	defer in.Close()
	temporary, err := os.CreateTemp("", "ohframe-*.pftrace")
	if err != nil {
		return fileError(os.TempDir(), err)
	}
	defer func() {
		temporary.Close()
		os.Remove(temporary.Name())
	}()
	reader, done := withProgress(in, c.Bool("quiet"))
	summary, err := await(c.Context, func() (*ohframe.Summary, error) {
		return convertInto(c, name, reader, temporary, os.TempDir(), true)
	})
	done()
	if err != nil {
		return err
	}
	printWarnings(name, append(summary.Warnings, in.warnings()...))
	if !summary.PassedThrough && !c.Bool("quiet") {
		printSummary(os.Stderr, inputName(name), standard, &summary.Summary)
	}
	size, err := temporary.Seek(0, io.SeekEnd)
	if err != nil {
		return fileError(os.TempDir(), err)
	}
	trace := serve.Trace{Name: servedName(name, !summary.PassedThrough || summary.Unpacked), Content: temporary, Size: size}
	link := serve.Link{UI: ui, Port: listener.Addr().(*net.TCPAddr).Port, Name: trace.Name}
	if summary.Timeline != nil {
		link.View = serve.LookAtWorst(summary.Timeline)
	}
	ctx, cancel := context.WithCancelCause(c.Context)
	defer cancel(nil)
	if c.Bool("print-url") {
		if _, err := fmt.Fprintln(c.App.Writer, link); err != nil {
			return fileError(outputName(standard), err)
		}
	} else {
		go openBrowser(link.String(), cancel)
	}
	if !c.Bool("quiet") {
		fmt.Fprintf(os.Stderr, "waiting for %s to fetch %s\n", serve.Origin(ui), trace.Name)
	}
	err = serve.Once(ctx, listener, trace, serve.Origin(ui), c.Duration("timeout"))
	if errors.Is(err, serve.ErrNotFetched) {
		return &failure{
			what: fmt.Sprintf("%s has not fetched the trace within %s", serve.Origin(ui), c.Duration("timeout")),
			hint: "the page must be open, and the browser must let it connect to this computer; --timeout waits longer",
		}
	}
	return err
}

func listen(port int) (net.Listener, error) {
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
		f.hint = "another ohframe open, or trace_processor_shell in HTTP mode, may be using it"
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
			hint: "ohframe open --print-url TRACE prints the address to open",
		})
	}
}
