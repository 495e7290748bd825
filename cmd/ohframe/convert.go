package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

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
		}, traceFlags...),
		HideHelpCommand: true, // "help" may be a file
		OnUsageError:    usageError,
		Action:          convert,
	}
}

func convert(c *cli.Context) error {
	name, err := oneInput(c)
	if err != nil {
		return err
	}
	in, err := openInput(name)
	if err != nil {
		return err
	}
	defer in.Close()
	outName := c.String("output")
	if outName == "" {
		outName = defaultOutput(name)
	}
	out, err := createOutput(outName, []string{name})
	if err != nil {
		return err
	}
	defer out.discard()

	source, done := withProgress(in, c.Bool("quiet"))
	summary, err := convertInto(c, name, source, out, outputName(outName))
	done()
	if err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return fileError(outputName(outName), err)
	}
	if !c.Bool("quiet") {
		printSummary(os.Stderr, inputName(name), outName, summary)
	}
	return nil
}

// convertInto converts the named input, which source reads, into out.
func convertInto(c *cli.Context, name string, source io.Reader, out io.Writer, outName string) (*exporter.Summary, error) {
	options := exporter.Options{
		Input: filepath.Base(name), Version: version(),
		FramesOnly: c.Bool("frames-only"), Compress: c.Bool("compress"),
		NoTracks: c.Bool("no-tracks"), AndroidCompat: c.Bool("android-compat"),
	}
	var err error
	if options.Reader, options.Analyzer, err = traceOptions(c); err != nil {
		return nil, err
	}
	summary, warnings, err := toperfetto.Convert(c.Context, source, out, options)
	if path := (*os.PathError)(nil); errors.As(err, &path) && path.Op == "write" {
		return nil, fileError(outName, err)
	} else if err != nil {
		return nil, fileError(name, err)
	}
	printWarnings(name, warnings)
	return summary, nil
}

// defaultOutput returns the input's name with the extension of Perfetto traces.
func defaultOutput(name string) string {
	if name == standard {
		return standard
	}
	return strings.TrimSuffix(name, filepath.Ext(name)) + ".pftrace"
}
