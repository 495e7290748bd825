package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/flags"
	"ohframe/internal/rating"
	"ohframe/internal/report"
	"ohframe/internal/text"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "report frame rate, jank and what caused it",
		ArgsUsage: "INPUT…",
		Description: "INPUT is a text trace, a binary trace (.sys, .htrace), a Perfetto trace (from Android or from\n" +
			"ohframe convert), or the output of dumpsys gfxinfo PACKAGE framestats or dumpsys SurfaceFlinger\n" +
			"--latency LAYER. A folder stands for the traces in it, @FILE for the names in FILE, one a line.",
		Flags: append([]cli.Flag{
			formatFlag(report.Formats),
			outputFlag,
			processFlag,
			&cli.BoolFlag{Name: "interactions", Usage: "report only interactions; in CSV, a row for each"},
			&cli.BoolFlag{Name: "layers", Usage: "report only layers; in CSV, a row for each"},
			topFlag, verboseFlag, thresholdsFlag,
			&cli.StringFlag{Name: "fail-on", Usage: "exit with 2 if a value is beyond: `MEASURE>5%,MEASURE<55`"},
			budgetsFlag,
			allowMissingFlag, flags.NoCauses,
			flags.Strict, perfFlag("auto|none"),
		}, flags.Trace()...),
		Action: runReport,
	}
}

// processFlag selects processes.
var processFlag = &cli.StringFlag{Name: "process", Usage: "only processes `NAME`: a part, a pattern, or a pid"}

// The flags of tables.
var (
	topFlag        = flags.NewNumber(cli.Int64Flag{Name: "top", Usage: "show the `N` processes and layers that lost the most time", DefaultText: "20"})
	verboseFlag    = &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show everything"}
	thresholdsFlag = &cli.StringFlag{Name: "thresholds", EnvVars: []string{"OHFRAME_THRESHOLDS"}, Usage: "limits of colours: `NAME=YELLOW:RED,…`"}
)

// checkTop returns an error if --top is set and selects nothing.
func checkTop(c *cli.Context) error {
	if c.IsSet(topFlag.Name) && c.Int(topFlag.Name) <= 0 {
		return &failure{what: "--top: must be positive"}
	}
	return nil
}

// reportOptions returns the options that the flags set.
func reportOptions(c *cli.Context) (report.Options, error) {
	o := report.Options{
		Top: c.Int(topFlag.Name), Verbose: c.Bool(verboseFlag.Name), AllowMissing: c.Bool(allowMissingFlag.Name), Strict: c.Bool(flags.Strict.Name),
	}
	if err := checkTop(c); err != nil {
		return o, err
	}
	thresholds, err := rating.Parse(c.String(thresholdsFlag.Name))
	if err != nil {
		return o, &failure{what: "--thresholds: " + err.Error(), hint: "docs/glossary.md lists the thresholds"}
	}
	o.Thresholds = &thresholds
	return o, nil
}

func runReport(c *cli.Context) error {
	r, err := newReader(c, report.Formats)
	if err != nil {
		return err
	}
	r.interactions, r.layers, r.summaries = true, true, true
	interactions, layers := c.Bool("interactions"), c.Bool("layers")
	for _, name := range []string{"interactions", "layers"} {
		if c.Bool(name) && r.format != "table" && r.format != "csv" {
			return &failure{what: fmt.Sprintf("--%s needs the format table or csv, not %s", name, r.format), hint: "JSON and pages always have " + name}
		}
	}
	if interactions && layers {
		return &failure{what: "--layers and --interactions cannot be combined"}
	}
	options, err := reportOptions(c)
	if err != nil {
		return err
	}
	options.Interactions, options.Layers = interactions, layers
	budgets, err := conditions(c, condition.OfValues)
	if err != nil {
		return r.fails("Frame report", err)
	}
	names, err := severalInputs(c)
	if err != nil {
		return r.fails("Frame report", err)
	}
	var inputs []report.Input
	err = r.each(names, func(name string, in *ohframe.Trace) error {
		measures, err := measure(c, in.Timeline, stats.Options{Process: r.process})
		m, _ := recorded(name) // readInput has printed the warning
		inputs = append(inputs, report.Input{Name: inputName(name), File: inputFile(name), Timeline: in.Timeline, Stats: measures, Causes: in.Causes, Quality: in.Quality, Recording: report.NewRecording(m)})
		return err
	})
	if err != nil {
		return err
	}
	if len(inputs) == 0 {
		return r.fails("Frame report", r.none("", len(names)))
	}
	if err := report.CheckChosen(c.String(processFlag.Name), inputs); err != nil {
		return r.fails("Frame report", fmt.Errorf("--process: %w", err))
	}
	options.Checks, options.Skipped = checkBudgets(budgets, inputs, len(names)), r.skipped
	err = writeOutput(c, func(out io.Writer, style text.Style) error {
		options.Style = style
		return report.Write(out, inputs, r.format, options)
	})
	if err != nil {
		return err
	}
	return r.finish(options.Checks)
}

// checkBudgets checks the budgets of all inputs. total counts those that were skipped, too.
func checkBudgets(budgets condition.Conditions, inputs []report.Input, total int) (checks []condition.Check) {
	for _, in := range inputs {
		name := ""
		if total > 1 {
			name = text.Printable(in.Name)
		}
		processes, _ := in.Timeline.ProcessCounts()
		checks = append(checks, budgets.CheckReport(name, in.Stats, processes)...)
	}
	return checks
}

// measure computes the statistics of a timeline. It can be interrupted.
func measure(c *cli.Context, t *analyzer.Timeline, o stats.Options) (*stats.Report, error) {
	return await(c.Context, func() (*stats.Report, error) { return stats.Compute(t, o), nil })
}

// processPattern returns the pattern that --process sets; empty without the flag. An empty
// value is an error: it is usually that of a shell variable that is not set.
func processPattern(c *cli.Context) (string, error) {
	pattern := c.String(processFlag.Name)
	if pattern == "" && c.IsSet(processFlag.Name) {
		return "", &failure{what: `--process: "" is no name, pattern or process id`, hint: "leave out --process to select all processes"}
	}
	return pattern, nil
}

// processOption returns the selection of --process; nil without the flag.
func processOption(c *cli.Context) (func(*analyzer.Process) bool, error) {
	pattern, err := processPattern(c)
	if err != nil || pattern == "" {
		return nil, err
	}
	match, err := stats.MatchProcess(pattern)
	if err != nil {
		return nil, &failure{what: "--process: " + err.Error()}
	}
	return match, nil
}
