package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/internal/frametable"
)

func framesCommand() *cli.Command {
	return &cli.Command{
		Name:      "frames",
		Usage:     "list the frames of a trace, one row per frame",
		ArgsUsage: "INPUT [--format table|csv|json|parquet]",
		Flags: append([]cli.Flag{
			outputFlag,
			formatFlag(frametable.Formats),
			&cli.BoolFlag{Name: "layers", Usage: "list the layers of Android's frames, one row per layer"},
			&cli.BoolFlag{Name: "causes", Usage: "find the causes of late frames, which takes longer"},
		}, traceFlags()...),
		Action: frames,
	}
}

func frames(c *cli.Context) error {
	name, err := oneInput(c)
	if err != nil {
		return err
	}
	format, err := formatOption(c, frametable.Formats)
	if err != nil {
		return err
	}
	var options []func(*ohframe.Options)
	if c.Bool("causes") {
		options = append(options, withCauses)
	}
	in, err := readInput(c, name, options...)
	if err != nil {
		return err
	}
	if !c.Bool("causes") {
		in.Causes = nil // those that a converted trace has
	}
	err = writeOutput(c, func(out io.Writer, terminal bool) error {
		if terminal && frametable.IsBinary(format) {
			return &failure{file: outputName(standard), what: "is a terminal", hint: "-o FILE writes to a file"}
		}
		return frametable.Write(out, in.Timeline, frametable.Options{Format: format, Layers: c.Bool("layers"), Causes: in.Causes})
	})
	if err != nil {
		return err
	}
	var problems qualityProblems
	problems.check(c, name, in)
	return problems.err(c)
}
