package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/rating"
	"ohframe/internal/report"
	"ohframe/internal/text"
	"ohframe/internal/view"
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
			topFlag, verboseFlag, thresholdsFlag,
			&cli.StringFlag{Name: "fail-on", Usage: "exit with 2 if a value is beyond: `MEASURE>5%,MEASURE<55`"},
			budgetsFlag,
			allowMissingFlag, noCausesFlag,
			strictFlag,
		}, traceFlags()...),
		Action: runReport,
	}
}

// processFlag selects processes.
var processFlag = &cli.StringFlag{Name: "process", Usage: "only processes `NAME`: a part, a pattern, or a pid"}

// The flags of tables.
var (
	topFlag        = &cli.IntFlag{Name: "top", Usage: "show the `N` processes with the most jank", DefaultText: "20"}
	verboseFlag    = &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show everything"}
	thresholdsFlag = &cli.StringFlag{Name: "thresholds", EnvVars: []string{"OHFRAME_THRESHOLDS"}, Usage: "limits of colours: `NAME=YELLOW:RED,…`"}
)

// reportOptions returns the options that the flags set.
func reportOptions(c *cli.Context) (report.Options, error) {
	o := report.Options{Top: c.Int(topFlag.Name), Verbose: c.Bool(verboseFlag.Name)}
	if o.Top < 0 || c.IsSet(topFlag.Name) && o.Top == 0 {
		return o, &failure{what: "--top: must be positive"}
	}
	thresholds, err := rating.Parse(c.String(thresholdsFlag.Name))
	if err != nil {
		return o, &failure{what: "--thresholds: " + err.Error(), hint: "docs/glossary.md lists the thresholds"}
	}
	o.Thresholds = &thresholds
	return o, nil
}

func runReport(c *cli.Context) error {
	names, err := severalInputs(c)
	if err != nil {
		return err
	}
	format, err := formatOption(c, report.Formats)
	if err != nil {
		return err
	}
	options, err := statsOptions(c)
	if err != nil {
		return err
	}
	tableOptions, err := reportOptions(c)
	if err != nil {
		return err
	}
	budgets, err := conditions(c, condition.OfValues)
	if err != nil {
		return err
	}
	var inputs []report.Input
	r, err := newReader(c, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		in, q, err := r.read(name, withCauses)
		switch {
		case err != nil:
			return err
		case in == nil:
			continue
		}
		measures, err := measure(c, in.Timeline, options)
		if err != nil {
			return err
		}
		m, _ := recorded(name) // readInput has printed the warning
		inputs = append(inputs, report.Input{Name: inputName(name), File: inputFile(name), Timeline: in.Timeline, Stats: measures, Causes: in.Causes, Quality: q, Recording: report.NewRecording(m)})
	}
	if len(inputs) == 0 && !slices.Contains(view.GateFormats, format) {
		return r.none("", len(names))
	}
	if err := report.CheckChosen(inputs); err != nil {
		return fmt.Errorf("--process: %w", err)
	}
	checks := checkBudgets(budgets, inputs, len(names))
	err = writeOutput(c, func(out io.Writer, style text.Style) error {
		tableOptions.Style = style
		tableOptions.Checks, tableOptions.AllowMissing, tableOptions.Strict = checks, c.Bool(allowMissingFlag.Name), c.Bool(strictFlag.Name)
		tableOptions.Skipped = r.skipped
		return report.Write(out, inputs, format, tableOptions)
	})
	if err != nil {
		return err
	}
	if len(inputs) == 0 {
		return r.none("", len(names))
	}
	if err := r.finish(); err != nil {
		return err
	}
	unknown := withStatus(checks, condition.Unknown)
	if len(budgets) > 0 {
		unknown = append(unknown, r.unchecked()...)
	}
	return gate(c.Bool(allowMissingFlag.Name), withStatus(checks, condition.Failed), unknown)
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

// withStatus returns the checks with a status, as text.
func withStatus(checks []condition.Check, status condition.Status) (lines []string) {
	for _, c := range checks {
		if c.Status == status {
			lines = append(lines, c.String())
		}
	}
	return lines
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

// statsOptions returns the options that --process sets.
func statsOptions(c *cli.Context) (stats.Options, error) {
	pattern, err := processPattern(c)
	if err != nil || pattern == "" {
		return stats.Options{}, err
	}
	match, err := stats.MatchProcess(pattern)
	if err != nil {
		return stats.Options{}, &failure{what: "--process: " + err.Error()}
	}
	return stats.Options{Process: match}, nil
}
