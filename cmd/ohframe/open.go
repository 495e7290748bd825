package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/internal/atomicfile"
	"ohframe/internal/diff"
	"ohframe/internal/flags"
	"ohframe/internal/locate"
	"ohframe/internal/serve"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/text"
	"ohframe/internal/ui"
)

type openFlags struct {
	PrintURL    bool          `flag:"print-url" usage:"print the address, open no browser"`
	Output      string        `flag:"output,o" usage:"write the trace to {FILE} for a page that posts it, print the address"`
	Process     string        `flag:"process" usage:"select a frame of processes {NAME}: a part, a pattern, or a pid"`
	Frame       string        `flag:"frame" usage:"select frame {VSYNC|TIME}: 10046, 3700.475354 or +1.5s" default:"worst"`
	Interaction int64         `flag:"interaction" usage:"select interaction {N}" default:"none"`
	UI          string        `flag:"ui" usage:"use the UI at {URL}, or serve a build: a folder or zip"`
	Port        int64         `flag:"port" usage:"{PORT} that the UI fetches from"`
	Timeout     time.Duration `flag:"timeout" usage:"give up after {DURATION}; 0 serves until interrupted, the address can be opened again"`
	quietFlag
	samplesFlag
	flags.Trace
}

func openCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:        "open",
		Usage:       "show a trace in the Perfetto UI, at its worst frame",
		ArgsUsage:   "TRACE",
		Description: "TRACE may be a folder with one trace.",
	}, &openFlags{
		UI: ui.Public, Port: serve.Port, Timeout: openTimeout,
	}, open, flags.Rule{Flags: []string{"output", "print-url"}}, flags.Rule{Flags: []string{"output", "port"}}, flags.Rule{Flags: []string{"output", "timeout"}})
}

// openTimeout is the default of --timeout.
const openTimeout = 5 * time.Minute

func open(c *call, f *openFlags) error {
	list, err := severalInputs(c)
	if err != nil {
		return err
	}
	if len(list) > 1 {
		base, other := text.Quoted(list[0].name), text.Quoted(list[1].name)
		return &failure{
			what: fmt.Sprintf("%d traces given, one is needed", len(list)),
			hint: fmt.Sprintf("ohframe open -- %s; ohframe diff --merge both.tar -- %s -- %s puts two traces on one timeline", base, base, other),
		}
	}
	name := list[0].name
	at, err := locate.Parse(f.Process, f.Frame)
	if err != nil {
		return err
	}
	if err := checkInteraction(c, f.Interaction, list); err != nil {
		return err
	}
	if f.Interaction != 0 && !at.IsZero() {
		return &failure{what: "--interaction names what to look at, as --process and --frame do", hint: "give one of them"}
	}
	show, err := shownBy(c, f) // fail before a long conversion, not after it
	if err != nil {
		return err
	}
	defer show.Close()
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
		return convertInto(c, list[0], reader, temporary, os.TempDir(), true)
	})
	done()
	if err != nil {
		return err
	}
	look := serve.ViewOptions{}
	switch {
	case summary.Timeline == nil && (f.Interaction != 0 || !at.IsZero()):
		return &failure{
			file: inputName(name), what: "not one trace: --process, --frame and --interaction are not supported",
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
	warnConverted(name, in, summary)
	sides := sidesOf(c, temporary, summary)
	switch {
	case f.Quiet:
	case len(look.At.Others) > 0:
		fmt.Fprint(os.Stderr, look.At.OthersText(inputName(name), name, summary.Timeline))
	case look.At.Time.Known():
		fmt.Fprintln(os.Stderr, text.Line(fmt.Sprintf("%s: --frame %s: %s", inputName(name), f.Frame, look.At.FrameText(summary.Timeline))))
	case len(sides) == 1:
		fmt.Fprintf(os.Stderr, "%s: %s\n", inputName(name), look.Shown(sides[0]))
	}
	served := servedName(name, !summary.PassedThrough || summary.Unpacked)
	return show.Show(c, served, temporary, sides, look)
}

// sidesOf returns the traces in a file that open shows: several of an archive of diff --merge, none if their frames
// cannot be read.
func sidesOf(c *call, file *os.File, summary *ohframe.Summary) (sides []serve.Side) {
	if summary.Timeline != nil {
		return []serve.Side{{Timeline: summary.Timeline, Causes: summary.Causes}}
	}
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	options, err := traceOptions(c)
	if err != nil {
		return nil
	}
	for _, m := range diff.ReadMerged(file, info.Size()) {
		read, _, err := perfetto.Read(c.Context, io.NewSectionReader(file, m.Offset, m.Size), perfetto.Options{Limits: options.Limits})
		if err == nil {
			sides = append(sides, serve.Side{Timeline: read.Timeline, Causes: read.Causes, Name: m.Name, Moved: m.Moved, Offset: m.Offset, Size: m.Size})
		}
	}
	return sides
}

// shower shows a trace. Without sides it shows all of it.
type shower interface {
	Show(c *call, name string, file *os.File, sides []serve.Side, look serve.ViewOptions) error
	io.Closer
}

// shownBy returns what shows the trace.
func shownBy(c *call, f *openFlags) (shower, error) {
	if f.Output == "" {
		return newServer(f)
	}
	address, err := serve.ParseUI(f.UI)
	if err != nil {
		return nil, &failure{what: "--ui " + err.Error(), hint: "with -o, give the address of a UI"}
	}
	return posted{address}, nil
}

// posted writes the trace to a file, and prints the address with which a page opens the UI and posts the trace to it.
// Source: Perfetto's docs/visualization/deep-linking-to-perfetto-ui.md.
type posted struct{ ui *url.URL }

func (p posted) Show(c *call, name string, file *os.File, sides []serve.Side, look serve.ViewOptions) error {
	link, err := serve.NewLink(p.ui, name, file, sides, look)
	if err != nil {
		return err
	}
	err = writeOutput(c, func(out io.Writer, _ text.Style) error {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := io.Copy(out, file)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.App.Writer, link)
	return fileError(outputName(standard), err)
}

func (posted) Close() error { return nil }

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
