package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/flags"
	"ohframe/internal/text"
)

type textFlags struct {
	Output string `flag:"output,o" usage:"write to {OUT} instead of standard output"`
	flags.StrictFlag
	flags.Trace
}

func textCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:      "text",
		Usage:     "write a binary trace, or a part of a trace, as hitrace text",
		ArgsUsage: "INPUT… [-o OUT]",
		Description: tracesLine + "\n" +
			"OUT is the folder of the outputs if INPUT is a folder, or if there are several inputs.",
	}, &textFlags{}, writeText)
}

func writeText(c *call, f *textFlags) error {
	list, err := severalInputs(c)
	if err != nil {
		return err
	}
	read, err := traceOptions(c)
	if err != nil {
		return err
	}
	options := ohframe.TextOptions{
		Window: read.Window, Entry: read.Entry, Limits: read.Limits, Microseconds: true,
	}
	output := f.Output
	outputs := []string{output}
	if !isOne(c, list) {
		if output == "" {
			return &failure{what: "no folder given for the texts", hint: "of several traces, -o names the folder of the outputs"}
		}
		if outputs, err = folderOutputs(output, list, ".ftrace"); err != nil {
			return err
		}
	}
	r := &reader{c: c, total: len(list)}
	for i, in := range list {
		if err := writeTextOf(c, r, in.name, outputs[i], options); err != nil {
			return err
		}
	}
	return r.finish(nil)
}

// writeTextOf writes the text of the trace called name to the file outName; empty is
// standard output.
func writeTextOf(c *call, r *reader, name, outName string, options ohframe.TextOptions) error {
	in, err := openInput(c, name)
	if err != nil {
		return err
	}
	defer in.Close()
	var warnings []trace.Warning
	err = writeOutputTo(c, outName, func(out io.Writer, _ text.Style) (err error) {
		warnings, err = ohframe.WriteText(c.Context, in, out, options)
		if isWriteError(err) {
			return err
		}
		return fileError(name, err)
	})
	if err != nil {
		return err
	}
	printWarnings(name, append(diag.Texts(warnings), in.warnings()...))
	r.addBad(name, notGood(nil, warnings))
	return nil
}
