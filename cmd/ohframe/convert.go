package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/exporter"
	"ohframe/internal/diag"
	"ohframe/internal/flags"
	"ohframe/internal/inputs"
	"ohframe/internal/report"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/text"
	"ohframe/internal/version"
	"ohframe/internal/view"
)

// eventNames are the values of --events.
var eventNames = []string{ohframe.ShownEvents: "shown", ohframe.AllEvents: "all", ohframe.NoEvents: "none"}

type convertFlags struct {
	Output string       `flag:"output,o" usage:"write to {OUT}; - is standard output, .gz compresses"`
	Events flags.Choice `flag:"events" usage:"events beside frames: {}"`
	flags.MeasureFlag
	flags.NoCausesFlag
	Attribute flags.Repeated[attribute] `flag:"attribute" usage:"store a fact in the trace: {KEY=VALUE}; may be repeated"`
	quietFlag
	flags.StrictFlag
	samplesFlag
	flags.Trace
}

func convertCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:      "convert",
		Usage:     "convert a trace to a Perfetto trace with frame timelines",
		ArgsUsage: "INPUT… [-o OUT]",
		Description: tracesLine + "\n" +
			"OUT is the folder of the outputs if INPUT is a folder, or if there are several inputs.",
	}, &convertFlags{
		MeasureFlag: flags.NewMeasureFlag(),
		Events:      flags.ChoiceOf(eventNames...), Attribute: flags.Repeated[attribute]{Parse: parseAttribute},
	}, convert)
}

func convert(c *call, f *convertFlags) error {
	list, err := severalInputs(c)
	if err != nil {
		return err
	}
	output := f.Output
	outputs := []string{cmp.Or(output, defaultOutput(list[0].name))}
	if !isOne(c, list) {
		if outputs, err = folderOutputs(output, list, ".pftrace"); err != nil {
			return err
		}
	}
	r := &reader{c: c, total: len(list)}
	for i, in := range list {
		if err := convertOne(c, r, in, outputs[i], i == len(list)-1); err != nil {
			return err
		}
	}
	return r.finish(nil)
}

// checkConverted returns an error if the output has the extension of another format, or of traces that are
// text. Perfetto traces have no extension of their own.
func checkConverted(output string) error {
	extension := strings.ToLower(filepath.Ext(strings.TrimSuffix(output, ".gz")))
	if _, foreign := formatExtensions[extension]; !foreign && extension != textExtension && extension != ".ftrace" {
		return nil
	}
	return &failure{file: output, what: fmt.Sprintf("convert writes Perfetto traces, not %s files", extension), hint: "use the extension .pftrace"}
}

// isOne reports whether the arguments are a single trace, and not for example a folder,
// which may have any number of traces.
func isOne(c *call, list []input) bool {
	return c.NArg() == 1 && len(list) == 1 && list[0].name == c.Args().First()
}

// folderOutputs returns the names of the outputs in a folder, which need not exist. Without
// a folder, outputs are beside the inputs. extension is that of the outputs; a new folder
// cannot have it.
func folderOutputs(output string, list []input, extension string) ([]string, error) {
	info, err := os.Stat(output)
	isFile := filepath.Ext(strings.TrimSuffix(output, ".gz")) == extension
	if err == nil {
		isFile = !info.IsDir()
	}
	switch {
	case output == "":
	case output == standard || isFile:
		return nil, &failure{file: outputName(output), what: "is not a folder", hint: "of several traces, -o names the folder of the outputs"}
	default:
		if err := os.MkdirAll(output, 0o777); err != nil {
			return nil, fileError(output, err)
		}
	}
	from := map[string]string{}
	var outputs []string
	for _, in := range list {
		name := in.name
		if name == standard {
			return nil, &failure{file: inputName(name), what: "cannot be one of several traces", hint: "save it to a file first"}
		}
		out := inputs.Stem(name) + extension
		if output != "" {
			out = filepath.Join(output, filepath.Base(out))
		}
		if other, ok := from[out]; ok {
			return nil, &failure{file: out, what: fmt.Sprintf("would be the output of both %s and %s", other, name), hint: "convert them one by one, or rename them"}
		}
		from[out] = name
		outputs = append(outputs, out)
	}
	return outputs, nil
}

// convertOne converts a trace to the file outName, and after the last one says where its frames are.
func convertOne(c *call, r *reader, in input, outName string, last bool) error {
	file, err := openInput(c, in.name)
	if err != nil {
		return err
	}
	defer file.Close()
	out, err := createOutput(c, outName)
	if err != nil && isPerfetto(file) { // its default output is itself
		_, err = convertInto(c, in, file, io.Discard, outName, false)
	}
	if err != nil {
		if f := (*failure)(nil); errors.As(err, &f) && f.hint == "" && !c.IsSet("output") {
			f.hint = "-o OUT writes to another folder"
		}
		return err
	}
	if err := checkConverted(outName); err != nil {
		out.discard()
		return err
	}
	source, done := withProgress(file, c.Quiet)
	var summary *ohframe.Summary
	err = writeTo(c.Context, out, outName, func(out io.Writer) (err error) {
		summary, err = convertInto(c, in, source, out, outputName(outName), false)
		return err
	})
	done()
	if err != nil {
		return err
	}
	printConverted(c, in.name, file, summary)
	r.addBad(in.name, notGood(summary.Quality, summary.Warnings))
	if outName != standard && !c.Quiet {
		fmt.Fprintf(os.Stderr, "wrote %s\n", text.Printable(outName))
		if last && !summary.PassedThrough && summary.Quality.Frames() > 0 {
			fmt.Fprintf(os.Stderr, "  in Perfetto's UI: the track Late frames, below the CPUs; or: ohframe open %s\n", text.Quoted(outName))
		}
	}
	return nil
}

// printConverted prints the warnings about an input that was converted, and unless --quiet is
// set a summary.
func printConverted(c *call, name string, in *source, s *ohframe.Summary) {
	warnConverted(name, in, s)
	if !s.PassedThrough && !c.Quiet {
		printSummary(inputName(name), s)
	}
}

// warnConverted prints the warnings about an input that was converted.
func warnConverted(name string, in *source, s *ohframe.Summary) {
	printWarnings(name, append(diag.Texts(s.Warnings), in.warnings()...))
	if s.Timeline != nil { // of a trace that is passed through it may be unknown
		warnUnreliable(name, s.Quality)
	}
}

// printSummary prints a summary of a conversion to standard error.
func printSummary(in string, s *ohframe.Summary) {
	for i := range s.Details {
		s.Details[i].Text = withFlags(s.Details[i].Text)
	}
	view.WriteTerminal(os.Stderr, report.Conversion(text.Printable(in), s), styleOf(os.Stderr))
	if s.Lines != nil && s.Quality.Frames()+s.Quality.Truncated == 0 {
		printHint(report.NoFrames(s.Timeline, s.Quality).Hint)
	}
}

// isPerfetto reports whether a file is a Perfetto trace, without reading on.
func isPerfetto(in *source) bool {
	head := make([]byte, 512)
	n, err := in.file.ReadAt(head, 0)
	return (err == nil || err == io.EOF) && perfetto.Sniff(head[:n])
}

// convertInto converts an input to out; file reads it. outName is for messages. With passThrough an input that Perfetto can open is copied.
func convertInto(c *call, in input, file io.Reader, out io.Writer, outName string, passThrough bool) (*ohframe.Summary, error) {
	options := ohframe.ConvertOptions{PassThrough: passThrough, Output: exporter.Options{
		Input: filepath.Base(in.name), Version: version.String(),
	}}
	var err error
	if options.Options, err = traceOptions(c); err != nil {
		return nil, err
	}
	options.Events = ohframe.Events(max(0, slices.Index(eventNames, c.Events.Value)))
	options.Causes = !c.NoCauses
	b, err := openBeside(c, in, &options.Options, true)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if options.Output.Attributes, err = attributesOf(in.meta, c.Attribute.List); err != nil {
		return nil, err
	}
	summary, err := ohframe.Convert(c.Context, file, out, options)
	if isWriteError(err) {
		return nil, fileError(outName, err)
	}
	if err != nil {
		return nil, b.errorOf(c, in.name, nil, err)
	}
	summary.Warnings = b.AddTo(summary.Warnings)
	return summary, b.errorOf(c, in.name, summary.Samples, nil)
}

// isWriteError reports whether writing to a file failed, not reading from one.
func isWriteError(err error) bool {
	path := (*os.PathError)(nil)
	return errors.As(err, &path) && path.Op == "write"
}
