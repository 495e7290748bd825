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
	"ohframe/internal/condition"
	"ohframe/internal/diff"
	"ohframe/internal/exit"
	"ohframe/internal/flags"
	"ohframe/internal/fleet"
	"ohframe/internal/report"
	"ohframe/internal/text"
)

type reportFlags struct {
	formatFlag
	outputFlag
	processFlag
	flags.MeasureFlag
	By   string `flag:"by" usage:"report what all traces have together by {DIMENSIONS}"`
	Over string `flag:"over" usage:"where measures change over {DIMENSION}, such as build"`
	unitFlag
	Kind flags.Choice `flag:"kind" of:"all|interaction|layer" usage:"what to report: {}; in CSV, a row for each"`
	allFlag
	FailOn string `flag:"fail-on" usage:"exit with 2 if one of {CONDITIONS} holds: fps<55"`
	budgetsFlag
	whereFlag
	flags.NoCausesFlag
	flags.StrictFlag
	flags.Trace
}

func reportCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:      "report",
		Usage:     "report frame rate, jank and what caused it",
		ArgsUsage: "INPUT…",
		Description: "INPUT is a text trace, a binary trace (.sys, .htrace), a Perfetto trace, the output of dumpsys gfxinfo\n" +
			"PACKAGE framestats or SurfaceFlinger --latency LAYER; a folder, or a list @FILE; or a dataset of\n" +
			"ohframe fleet run.",
	}, &reportFlags{formatFlag: formats(report.Formats), MeasureFlag: flags.NewMeasureFlag()}, runReport,
		flags.Rule{Flags: []string{"over", "kind"}, Hint: "--by scene or --by layer"},
		flags.Rule{Flags: []string{"over", "fail-on"}}, flags.Rule{Flags: []string{"over", "budgets"}}, flags.Rule{Flags: []string{"unit"}, Needs: "over"},
		flags.Rule{Flags: []string{"by", "kind"}})
}

func runReport(c *call, f *reportFlags) error {
	r, err := newReader(c)
	if err != nil {
		return err
	}
	r.interactions, r.layers, r.summaries = true, true, true
	options := report.Options{
		Verbose:      f.All,
		Interactions: f.Kind.Value == "interaction", Layers: f.Kind.Value == "layer",
	}
	if (options.Interactions || options.Layers) && r.format != "table" && r.format != "csv" {
		return &failure{what: "--kind needs the format table or csv, not " + r.format, hint: "JSON and pages have all kinds"}
	}
	budgets, err := conditions(c, condition.OfValues)
	if err != nil {
		return r.fails("Frame report", err)
	}
	list, err := severalInputs(c)
	if err != nil {
		return r.fails("Frame report", err)
	}
	together := c.IsSet("by") || c.IsSet("over") || len(list) > 1 && slices.ContainsFunc(list, func(in input) bool { return in.stored != nil })
	traces := len(list)
	if together {
		traces = max(traces, 2) // its groups have no ids
	}
	if err := checkIDs(budgets, f.Process, traces); err != nil {
		return r.fails("Frame report", err)
	}
	if c.IsSet("over") {
		return trend(c, f, r, list)
	}
	if f.All && r.format != "table" && !together {
		return &failure{what: "--all needs the format table, not " + r.format, hint: "other formats have everything"}
	}
	var inputs []report.Input
	if together {
		in, err := pooled(c, f, r, list, len(budgets) > 0)
		if err != nil {
			return r.fails("Frame report", err)
		}
		const why = "a report of several stored traces, or with --by, has no own measures: diff of the dataset has them, and report of each trace"
		if in.Stats.Own = budgets.UnreadOwn(why); len(c.Measure.List) > 0 {
			printWarnings(in.Name, []string{"--measure: " + why})
		}
		inputs = append(inputs, *in)
	} else {
		err = r.each(list, func(in input, t *ohframe.Trace) error {
			measures, err := measure(c, t.Timeline, stats.Options{Process: r.process})
			inputs = append(inputs, report.Input{Name: inputName(in.name), File: inputFile(in.name), Timeline: t.Timeline, Stats: measures, Causes: t.Causes, Quality: t.Quality, Recording: report.NewRecording(in.meta)})
			return err
		})
		if err != nil {
			return r.fails("Frame report", err)
		}
	}
	if err := report.CheckChosen(f.Process, inputs); err != nil {
		return r.fails("Frame report", fmt.Errorf("--process: %w", err))
	}
	options.Gate, options.Skipped = r.gate(checkBudgets(budgets, inputs, len(inputs)+len(r.skipped))), r.skipped
	err = writeOutput(c, func(out io.Writer, style text.Style) error {
		options.Style = style
		return report.Write(out, inputs, r.format, options)
	})
	if err != nil {
		return err
	}
	err = r.finish(options.Gate.Checks)
	if e := (*exit.Result)(nil); c.IsSet("by") && errors.As(err, &e) && slices.ContainsFunc(budgets, func(b condition.Condition) bool { return !isOnGroups(&b, inputs[0].Pool) }) {
		e.Hint = "conditions of a process need process in --by, those on interactions scene, those on layers layer, and those on frames neither; without --by all are checked"
	}
	return err
}

// isOnGroups reports whether a condition can be on the groups of a pool.
func isOnGroups(c *condition.Condition, pool *report.Pool) bool {
	on := c.On()
	return on == condition.OwnMeasures || pool.By[on] != nil && (c.Process == "" || slices.Contains(pool.By[on], "process"))
}

// testedGroups is the number of groups whose trends are tested without --all.
const testedGroups = 20

// trend reports how measures of inputs develop.
func trend(c *call, f *reportFlags, r *reader, list []input) error {
	if !slices.Contains(diff.TrendFormats, r.format) {
		return &failure{what: "--over: no format " + r.format, hint: "--format " + strings.Join(diff.TrendFormats, ", ")}
	}
	by, err := byDimensions(f.By)
	if err != nil {
		return err
	}
	o := diff.TrendOptions{Over: f.Over, By: by, Unit: f.Unit, Top: testedGroups, Pattern: f.Process}
	if f.All {
		o.Top = 0
	}
	if r.process != nil {
		o.Process = func(p *stats.Process) bool { return r.process(&analyzer.Process{PID: p.PID, Name: p.Name}) }
	}
	warnTwice(list, "it counts each time")
	t, err := diff.NewTrend(o)
	if err != nil {
		return err
	}
	err = r.each(list, func(in input, of *ohframe.Trace) error {
		recorded := fleet.Recorded(of.Timeline, in.event)
		if in.stored != nil {
			recorded = in.stored.Recorded
		}
		measures, err := measure(c, of.Timeline, stats.Options{})
		if err == nil {
			t.Add(diff.Side{Name: inputName(in.name), Recording: recordingOf(in), Stats: measures, Costs: diff.NewCosts(measures, of.Timeline, of.Causes, nil)}, recorded)
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, err = await(c.Context, func() (bool, error) { return true, t.Test() }); err != nil {
		return err
	}
	err = writeOutput(c, func(out io.Writer, style text.Style) error {
		return t.Write(out, r.format, diff.WriteOptions{Style: style, Skipped: r.skipped})
	})
	if err != nil {
		return err
	}
	return r.finish(nil)
}

// checkBudgets checks the budgets of all inputs. total counts those that were skipped, too.
func checkBudgets(budgets condition.Conditions, inputs []report.Input, total int) (checks []condition.Check) {
	for _, in := range inputs {
		name := ""
		if total > 1 {
			name = text.Printable(in.Name)
		}
		var processes []*analyzer.Process
		if in.Pool == nil {
			processes, _ = in.Timeline.ProcessCounts()
			for _, h := range in.Timeline.Hangs {
				if !slices.Contains(processes, h.Process) {
					processes = append(processes, h.Process)
				}
			}
		}
		for _, p := range in.Stats.Processes {
			if p.Pool != nil {
				processes = append(processes, &analyzer.Process{PID: p.PID, Name: p.Name})
			}
		}
		checks = append(checks, budgets.CheckReport(name, in.Stats, processes)...)
	}
	return checks
}

// measure computes the statistics of a timeline. It can be interrupted.
func measure(c *call, t *analyzer.Timeline, o stats.Options) (*stats.Report, error) {
	return await(c.Context, func() (*stats.Report, error) { return stats.Compute(t, o), nil })
}

// processOption returns the selection of --process; nil without the flag.
func processOption(c *call) (func(*analyzer.Process) bool, error) {
	if c.Process == "" {
		return nil, nil
	}
	match, err := stats.MatchProcess(c.Process)
	if err != nil {
		return nil, &failure{what: "--process: " + err.Error()}
	}
	return match, nil
}
