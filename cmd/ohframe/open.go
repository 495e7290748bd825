package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/cli/browser"
	"github.com/urfave/cli/v2"

	"ohframe/analyzer"
	"ohframe/analyzer/perfetto"
	"ohframe/internal/input"
	"ohframe/internal/serve"
)

func openCommand() *cli.Command {
	return &cli.Command{
		Name:      "open",
		Usage:     "show a trace in Perfetto's UI in the browser, at its worst frame",
		ArgsUsage: "TRACE",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "print-url", Usage: "print the address for the browser, instead of opening one"},
			&cli.StringFlag{Name: "ui", Value: serve.PublicUI, Usage: "use the UI at `URL`"},
			&cli.IntFlag{Name: "port", Value: serve.Port, Usage: "let the UI fetch from `PORT`; another one only if its flag cspAllowAnyWebsocketPort is set"},
			&cli.DurationFlag{Name: "timeout", Value: 5 * time.Minute, Usage: "give up if the UI does not fetch within `DURATION`; 0 waits for ever"},
		}, conversionFlags()...),
		HideHelpCommand: true, // "help" may be a file
		OnUsageError:    usageError,
		Action:          open,
	}
}

// conversionFlags are the flags of convert but for the one that names the output.
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
		return &failure{what: fmt.Sprintf("--timeout: %s is no time to wait", c.Duration("timeout")), hint: "0 waits for ever"}
	}
	listener, err := listen(c.Int("port")) // before a long conversion is in vain
	if err != nil {
		return err
	}
	defer listener.Close()
	in, err := openInput(name)
	if err != nil {
		return err
	}
	defer in.Close()

	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	temporary, err := os.CreateTemp("", "ohframe-*.pftrace")
	if err != nil {
		return fileError(os.TempDir(), err)
	}
	go removeOn(interrupts, temporary.Name())
	defer func() {
		temporary.Close()
		os.Remove(temporary.Name())
	}()

	file, timeline, err := perfettoTrace(c, name, in, temporary)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return fileError(name, err)
	}
	trace := serve.Trace{Name: servedName(name, file == temporary), Content: file, Size: info.Size()}
	link := serve.Link{UI: ui, Port: listener.Addr().(*net.TCPAddr).Port, Name: trace.Name}
	if timeline != nil {
		link.View = serve.LookAtWorst(timeline)
	}
	ctx, cancel := context.WithCancelCause(c.Context)
	defer cancel(nil)
	if c.Bool("print-url") {
		fmt.Println(link)
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

// perfettoTrace returns the input as a Perfetto trace, and its frames, nil if
// there are none: the input itself if it is one, else what it is converted to,
// in the temporary file.
func perfettoTrace(c *cli.Context, name string, in, temporary *os.File) (*os.File, *analyzer.Timeline, error) {
	source, done := withProgress(in, c.Bool("quiet"))
	buffered := input.NewReader(source)
	head := input.Peek(buffered)
	if !perfetto.Sniff(head) && !isArchive(head) {
		summary, err := convertInto(c, name, buffered, temporary, temporary.Name())
		done()
		if err != nil {
			return nil, nil, err
		}
		if !c.Bool("quiet") {
			printSummary(os.Stderr, inputName(name), standard, summary)
		}
		return temporary, summary.Timeline, nil
	}
	file := in
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		file = temporary
		if _, err := io.Copy(temporary, buffered); err != nil {
			return nil, nil, fileError(name, err)
		}
	}
	done()
	// Frames are wanted only to know where to look: without any, the UI shows all.
	timeline, _, _ := perfetto.Read(c.Context, io.NewSectionReader(file, 0, 1<<62), perfetto.Options{})
	return file, timeline, nil
}

// isArchive reports whether the input that begins with head is a tar archive,
// which Perfetto opens as one trace.
func isArchive(head []byte) bool {
	const at, magic = 257, "ustar"
	return len(head) >= at+len(magic) && string(head[at:at+len(magic)]) == magic
}

// servedName is the name that the UI shows.
func servedName(name string, converted bool) string {
	switch {
	case name == standard:
		return "trace.pftrace"
	case converted:
		return filepath.Base(defaultOutput(name))
	}
	return filepath.Base(name)
}

// openBrowser opens the browser, and calls cancel if there is none. It may
// return only when the browser does.
func openBrowser(link string, cancel context.CancelCauseFunc) {
	// What browsers have to say is for their authors. They may outlive this
	// program, which must not be at the other end of a pipe then.
	browser.Stdout, browser.Stderr = nil, nil
	if err := browser.OpenURL(link); err != nil {
		cancel(&failure{
			what: fmt.Sprintf("the browser cannot be opened: %v", err),
			hint: "ohframe open --print-url TRACE prints the address to open",
		})
	}
}
