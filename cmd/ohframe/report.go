package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/report"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "report frame rate, jank and what caused it",
		ArgsUsage: "INPUT…",
		Description: "INPUT is a text trace, a Perfetto trace (from Android or from ohframe convert), or the\n" +
			"output of dumpsys gfxinfo PACKAGE framestats or dumpsys SurfaceFlinger --latency LAYER.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Value: "table", Usage: "output format: `" + strings.Join(report.Formats, "|") + "`"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output"},
			processFlag,
		}, traceFlags()...),
		Action: runReport,
	}
}

// processFlag selects processes.
var processFlag = &cli.StringFlag{Name: "process", Usage: "only processes whose name or id matches `GLOB`"}

func runReport(c *cli.Context) error {
	if c.NArg() == 0 {
		return &failure{what: "no input given", hint: "ohframe report INPUT…"}
	}
	format := c.String("format")
	if !slices.Contains(report.Formats, format) {
		return &failure{what: fmt.Sprintf("--format: %q is not one of %s", format, strings.Join(report.Formats, ", "))}
	}
	options, err := statsOptions(c)
	if err != nil {
		return err
	}
	var inputs []report.Input
	for _, name := range c.Args().Slice() {
		in, err := readInput(c, name)
		if err != nil {
			return err
		}
		measures, err := measure(c, in.Timeline, options)
		if err != nil {
			return err
		}
		inputs = append(inputs, report.Input{Name: inputName(name), Timeline: in.Timeline, Stats: measures})
	}
	if err := report.CheckChosen(inputs); err != nil {
		return reportError(err)
	}
	return writeOutput(c, func(out io.Writer, terminal bool) error {
		return report.Write(out, inputs, format, report.Options{Color: terminal})
	})
}

// measure computes the statistics of a timeline. It can be interrupted.
func measure(c *cli.Context, t *analyzer.Timeline, o stats.Options) (*stats.Report, error) {
	return await(c.Context, func() (*stats.Report, error) { return stats.Compute(t, o), nil })
}

// reportError turns an error of the report package into a failure with its hint.
func reportError(err error) error {
	if e := (*ohframe.Error)(nil); errors.As(err, &e) {
		return &failure{what: "--process: " + e.What, hint: e.Hint}
	}
	return err
}

// statsOptions returns the options that --process sets.
func statsOptions(c *cli.Context) (stats.Options, error) {
	if c.String(processFlag.Name) == "" {
		return stats.Options{}, nil
	}
	match, err := stats.MatchProcess(c.String(processFlag.Name))
	if err != nil {
		return stats.Options{}, &failure{what: "--process: " + err.Error()}
	}
	return stats.Options{Process: match}, nil
}
