package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe/internal/frametable"
)

func framesCommand() *cli.Command {
	return &cli.Command{
		Name:      "frames",
		Usage:     "list the frames of a trace, one row per frame",
		ArgsUsage: "INPUT [--format table|csv|json|parquet]",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output"},
			&cli.StringFlag{Name: "format", Value: "table", Usage: "output format: `" + strings.Join(frametable.Formats, "|") + "`"},
			&cli.BoolFlag{Name: "layers", Usage: "list the layers of Android's frames, one row per layer"},
		}, traceFlags()...),
		Action: frames,
	}
}

func frames(c *cli.Context) error {
	name, err := oneInput(c)
	if err != nil {
		return err
	}
	format := c.String("format")
	if !slices.Contains(frametable.Formats, format) {
		return &failure{what: fmt.Sprintf("--format: %q is not one of %s", format, strings.Join(frametable.Formats, ", "))}
	}
	in, err := readInput(c, name)
	if err != nil {
		return err
	}
	err = writeOutput(c, func(out io.Writer, terminal bool) error {
		if terminal && frametable.IsBinary(format) {
			return &failure{file: outputName(standard), what: "is a terminal", hint: "-o FILE writes to a file"}
		}
		return frametable.Write(out, in.Timeline, frametable.Options{Format: format, Layers: c.Bool("layers")})
	})
	if err != nil {
		return err
	}
	if len(in.Timeline.Frames) == 0 && in.Lines != nil {
		printNoFrames(os.Stderr, inputName(name), in.Timeline)
	}
	return nil
}
