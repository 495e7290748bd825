package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer/binarytrace"
)

func textCommand() *cli.Command {
	return &cli.Command{
		Name:      "text",
		Usage:     "write a binary trace, or a part of a trace, as hitrace text",
		ArgsUsage: "TRACE [-o OUT]",
		Flags: append([]cli.Flag{
			outputFlag,
			&cli.StringFlag{Name: "precision", Value: "us", Usage: "times of binary traces in microseconds or nanoseconds: `us|ns`"},
		}, traceFlags()...),
		Action: writeText,
	}
}

func writeText(c *cli.Context) error {
	name, err := oneInput(c)
	if err != nil {
		return err
	}
	options := ohframe.TextOptions{}
	switch p := c.String("precision"); p {
	case "us":
		options.Precision = binarytrace.Microseconds
	case "ns":
		options.Precision = binarytrace.Nanoseconds
	default:
		return &failure{what: fmt.Sprintf("--precision: %q is not us or ns", p)}
	}
	if options.Options, err = traceOptions(c); err != nil {
		return err
	}
	in, err := openInput(c.Context, name)
	if err != nil {
		return err
	}
	defer in.Close()
	var warnings []string
	err = writeOutput(c, func(out io.Writer, _ bool) (err error) {
		warnings, err = ohframe.WriteText(c.Context, in, out, options)
		if isWriteError(err) {
			return err
		}
		return fileError(name, err)
	})
	if err != nil {
		return err
	}
	printWarnings(name, append(warnings, in.warnings()...))
	return nil
}
