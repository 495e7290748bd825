package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"ohframe/internal/causes"
)

func whyCommand() *cli.Command {
	format := formatFlag(causes.Formats).(*cli.StringFlag)
	format.Value = causes.Formats[0]
	return &cli.Command{
		Name:      "why",
		Usage:     "explain why frames were late",
		ArgsUsage: "TRACE",
		Description: "Lists what cost the most time, with advice, and a cause for every late frame: what its\n" +
			"thread did longer than in frames on time, and whom it waited for. docs/why.md explains\n" +
			"the causes. Record the tags sched and freq to see more than slices.",
		Flags: append([]cli.Flag{
			format,
			outputFlag,
			processFlag,
			&cli.Int64Flag{Name: "frame", Usage: "show where all the time of the frames with this `VSYNC` id went"},
			&cli.BoolFlag{Name: "all", Usage: "list all late frames instead of the worst 20 of each process"},
		}, traceFlags()...),
		Action: runWhy,
	}
}

func runWhy(c *cli.Context) error {
	name, err := oneInput(c)
	if err != nil {
		return err
	}
	format, err := formatOption(c, causes.Formats)
	if err != nil {
		return err
	}
	selection, err := statsOptions(c)
	if err != nil {
		return err
	}
	in, err := readInput(c, name, withCauses)
	if err != nil {
		return err
	}
	if in.Causes == nil {
		return &failure{file: inputName(name), what: "no causes are known for a " + in.Format, hint: "run ohframe why on the text trace, or on what ohframe convert makes of it"}
	}
	var problems qualityProblems
	o := causes.Options{Quality: problems.check(c, name, in), Process: selection.Process, Vsync: c.Int64("frame"), All: c.Bool("all")}
	list := causes.Processes(in.Timeline, in.Causes, o)
	if err := causes.CheckChosen(list, in.Timeline, o); err != nil {
		return err
	}
	err = writeOutput(c, func(out io.Writer, terminal bool) error {
		o.Style = tableStyle(terminal)
		return causes.Write(out, inputName(name), in.Causes, list, format, o)
	})
	if err != nil {
		return err
	}
	return problems.err(c)
}
