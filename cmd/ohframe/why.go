package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/brief"
	"ohframe/internal/causes"
	"ohframe/internal/diag"
	"ohframe/internal/flags"
	"ohframe/internal/locate"
	"ohframe/internal/text"
)

func whyCommand() *cli.Command {
	format := formatFlag(causes.Formats).(*cli.StringFlag)
	format.Value = causes.Formats[0]
	return &cli.Command{
		Name:      "why",
		Usage:     "explain why frames and buffers of layers were late, and responses slow",
		ArgsUsage: "INPUT…",
		Description: "Lists what cost the most time, with advice, and a cause for every late frame: what its\n" +
			"thread did longer than in frames on time, and whom it waited for. docs/why.md explains\n" +
			"the causes. Record the tags sched and freq to see more than slices. Several inputs have one\n" +
			"ranking of the causes of each process. What the user did, such as a fling, comes first:\n" +
			"--interaction explains one, from the input to the display. Late buffers of layers, such as\n" +
			"those of a video, come last: --layer shows how they spent their time.",
		Flags: append([]cli.Flag{
			format,
			outputFlag,
			processFlag,
			frameFlag("show where the time of frames `VSYNC` went", "late"),
			interactionFlag("explain only interaction `N`: its response and its late frames"),
			layerFlag("explain only late buffers of layers `NAME`: a part, a pattern, or an id"),
			&cli.BoolFlag{Name: "all", Usage: "list all causes and late frames, not the worst 20"},
			flags.Strict,
		}, append(perfFlags(), flags.Trace()...)...),
		Action: runWhy,
	}
}

func runWhy(c *cli.Context) error {
	names, err := severalInputs(c)
	if err != nil {
		return err
	}
	vsync, err := frameOption(c)
	if err != nil {
		return err
	}
	layer, err := layerOption(c)
	if err != nil {
		return err
	}
	interaction, err := interactionOption(c)
	switch {
	case err != nil:
		return err
	case layer != nil && vsync != 0:
		return &failure{what: "--layer and --frame are given: one is needed", hint: "--layer explains late buffers, --frame a frame"}
	case layer != nil && interaction != 0:
		return &failure{what: "--layer and --interaction are given: one is needed", hint: "--layer explains late buffers, --interaction frames"}
	case interaction != 0 && vsync != 0:
		return &failure{what: "--interaction and --frame are given: one is needed", hint: "--frame explains one frame of any interaction"}
	case interaction != 0:
		err = oneInput("why", "interaction", int64(interaction), names)
	case vsync != 0:
		err = oneInput("why", "frame", vsync, names)
	}
	if err != nil {
		return err
	}
	r, err := newReader(c, causes.Formats)
	if err != nil {
		return err
	}
	if len(names) == 1 && vsync == 0 && interaction == 0 && layer == nil {
		if done, err := whyStacks(c, r, names[0]); done || err != nil {
			return err
		}
	}
	r.interactions = true
	o := causes.Options{Process: r.process, Pattern: c.String(processFlag.Name), Vsync: vsync, Layer: layer, LayerPattern: c.String("layer"), All: c.Bool("all"), Window: c.IsSet("from") || c.IsSet("to")}
	var inputs []causes.Input
	var timelines []*analyzer.Timeline
	err = r.each(names, func(name string, in *ohframe.Trace) error {
		if in.Causes == nil {
			r.fail(name, noCauses(name, in))
			return nil
		}
		if interaction != 0 {
			var err error
			if o.Interaction, err = r.chosenInteraction(interaction, name, in.Timeline); err != nil {
				return err
			}
			o.Process = nil // it is that of the application or of the frames
		}
		input := causes.Input{Name: inputName(name), Causes: in.Causes, Start: in.Timeline.Origin(), Quality: in.Quality, Stacks: in.Stacks}
		if layer == nil {
			input.Processes, input.Interactions = causes.Processes(in.Timeline, in.Causes, o), causes.Interactions(in.Timeline, in.Causes, o)
		}
		input.Hangs = causes.Hangs(in.Timeline, in.Causes, o)
		if vsync == 0 && interaction == 0 {
			input.Layers = causes.Layers(in.Timeline, in.Causes, o)
		}
		timelines = append(timelines, in.Timeline)
		input.Commands = commandsAbout(c, name, in.Timeline)
		if r.format == brief.Format {
			input.Stats = stats.Compute(in.Timeline, stats.Options{Process: o.Process})
		}
		inputs = append(inputs, input)
		return nil
	})
	if err != nil {
		return err
	}
	if len(inputs) == 0 {
		return r.none("", len(names))
	}
	if err := causes.CheckChosen(inputs, o, timelines...); err != nil {
		return err
	}
	err = writeOutput(c, func(out io.Writer, style text.Style) error {
		err := causes.Write(out, inputs, r.format, o, style)
		if err != nil || r.format != causes.Formats[0] || inputs[0].Commands == nil {
			return err
		}
		for _, command := range openCommands(&inputs[0], o) {
			if _, err := fmt.Fprintf(out, "Show in Perfetto: %s\n", command); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.finish(nil)
}

// commandsAbout returns the commands about an input and its timeline; nil if the name of its file does
// not work in one.
func commandsAbout(c *cli.Context, name string, t *analyzer.Timeline) *locate.Commands {
	file := inputFile(name)
	if file == "" || text.Printable(file) != file {
		return nil
	}
	var flags []string
	for _, name := range []string{"entry", "perf", "perf-offset"} {
		if c.IsSet(name) {
			flags = append(flags, "--"+name+" "+text.Quoted(c.String(name)))
		}
	}
	return locate.NewCommands(file, t, flags...)
}

// openCommands returns the commands that show the interaction or the frames that were asked for.
func openCommands(in *causes.Input, o causes.Options) (list []string) {
	switch {
	case o.Interaction != nil:
		list = append(list, in.Commands.OpenInteraction(o.Interaction.ID))
	case o.Vsync != 0:
		for _, p := range in.Processes {
			for _, e := range p.Late {
				list = append(list, in.Commands.OpenFrame(e.Frame))
			}
		}
	}
	return list
}

// whyStacks explains a file with stacks of a main thread. It reports whether the named file is one.
func whyStacks(c *cli.Context, r *reader, name string) (bool, error) {
	if inputFile(name) == "" {
		return false, nil // what is read of a pipe is gone
	}
	f, err := openInput(c, name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	options, err := traceOptions(c)
	if err != nil {
		return false, err
	}
	stacks, warnings, err := ohframe.ReadStacks(c.Context, f, options)
	if err != nil {
		return false, c.Context.Err() // the error is that of reading a trace
	}
	printWarnings(name, diag.Texts(warnings))
	return true, writeOutput(c, func(out io.Writer, style text.Style) error {
		return causes.WriteStacks(out, name, stacks, r.format, causes.Options{All: c.Bool("all")}, style)
	})
}

// frameFlag returns the flag that selects frames by vsync id.
func frameFlag(usage, byDefault string) *flags.Number {
	return flags.NewNumber(cli.Int64Flag{Name: "frame", Usage: usage, DefaultText: byDefault})
}

// frameOption returns the vsync id that --frame sets; 0 without the flag.
func frameOption(c *cli.Context) (int64, error) {
	vsync := c.Int64("frame")
	if c.IsSet("frame") && vsync == 0 {
		return 0, &failure{what: "--frame: 0 is no vsync id", hint: "ohframe frames lists the vsync ids"}
	}
	return vsync, nil
}

// noCauses returns the error of an input without causes.
func noCauses(name string, in *ohframe.Trace) *failure {
	f := &failure{file: inputName(name), what: "a dump has no causes of late frames", hint: "ohframe report and ohframe frames read it"}
	switch {
	case len(in.Timeline.Frames) == 0 && len(in.Timeline.Summaries) > 0:
		f.hint = "ohframe report and ohframe diff read its summaries"
	case in.Converted:
		f.what, f.hint = "the trace was converted without causes", "run ohframe why on the original trace, or convert it without --no-causes"
	}
	return f
}
