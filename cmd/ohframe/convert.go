package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ohframe/exporter"
	toperfetto "ohframe/internal/convert"
)

func convertCommand() *cli.Command {
	return &cli.Command{
		Name:      "convert",
		Usage:     "convert a text trace to a Perfetto trace with frame timelines",
		ArgsUsage: "TRACE [-o OUT]",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `OUT` (default: TRACE with .pftrace; - is standard output; .gz compresses the file)"},
			&cli.BoolFlag{Name: "frames-only", Usage: "write frames and names, but no events"},
			&cli.BoolFlag{Name: "no-tracks", Usage: "leave out the tracks beside Perfetto's own frame timeline"},
			&cli.BoolFlag{Name: "android-compat", Usage: "add what Perfetto's queries for Android look for"},
			&cli.BoolFlag{Name: "compress", Usage: "compress packets within the trace"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no summary"},
		}, traceFlags()...),
		Action: convert,
	}
}

func convert(c *cli.Context) error {
	name, err := oneInput(c)
	if err != nil {
		return err
	}
	in, err := openInput(c.Context, name)
	if err != nil {
		return err
	}
	defer in.Close()
	outName := c.String("output")
	if outName == "" {
		outName = defaultOutput(name)
	}
	out, err := createOutput(c, outName)
	if err != nil {
		return err
	}
	source, done := withProgress(in, c.Bool("quiet"))
	var summary *exporter.Summary
	var warnings []string
	err = writeTo(c.Context, out, outName, func(out io.Writer) (err error) {
		summary, warnings, err = convertInto(c, name, source, out, outputName(outName))
		return err
	})
	done()
	if err != nil {
		return err
	}
	printWarnings(name, append(warnings, in.warnings()...))
	if !c.Bool("quiet") {
		printSummary(os.Stderr, inputName(name), outName, summary)
	}
	return nil
}

// convertInto converts the named input, which source reads, into out. It returns
// what was found, and what could not be read.
func convertInto(c *cli.Context, name string, source io.Reader, out io.Writer, outName string) (*exporter.Summary, []string, error) {
	options := exporter.Options{
		Input: filepath.Base(name), Version: version(),
		FramesOnly: c.Bool("frames-only"), Compress: c.Bool("compress"),
		NoTracks: c.Bool("no-tracks"), AndroidCompat: c.Bool("android-compat"),
	}
	var err error
	if options.Reader, options.Analyzer, err = traceOptions(c); err != nil {
		return nil, nil, err
	}
	content, err := openContent(c, source)
	if err != nil {
		return nil, nil, fileError(name, err)
	}
	defer content.Close()
	summary, warnings, err := toperfetto.Convert(c.Context, content, out, options)
	if isWriteError(err) {
		return nil, nil, fileError(outName, err)
	}
	return summary, warnings, fileError(name, err)
}

// isWriteError reports whether an error is that of the output.
func isWriteError(err error) bool {
	path := (*os.PathError)(nil)
	return errors.As(err, &path) && path.Op == "write"
}
