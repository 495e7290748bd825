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

type whyFlags struct {
	formatFlag
	outputFlag
	processFlag
	Frame       int64  `flag:"frame" usage:"show where the time of frames {VSYNC} went" default:"late"`
	Interaction int64  `flag:"interaction" usage:"explain only interaction {N}: its response and its late frames" default:"all"`
	Layer       string `flag:"layer" usage:"explain only late buffers of layers {NAME}: a part, a pattern, or an id"`
	All         bool   `flag:"all" usage:"list all causes and late frames, not the worst 20"`
	whereFlag
	flags.StrictFlag
	samplesFlags
	flags.Trace
}

func whyCommand() *cli.Command {
	const oneNeeded = " are given: one is needed"
	return newCommand(cli.Command{
		Name:      "why",
		Usage:     "explain why frames and buffers of layers were late, and responses slow",
		ArgsUsage: "INPUT…",
		Description: "Lists what cost the most time, with advice, and a cause for every late frame: what its\n" +
			"thread did longer than in frames on time, and whom it waited for. docs/why.md explains\n" +
			"the causes. Record the tags sched and freq to see more than slices. Several inputs have one\n" +
			"ranking of the causes of each process. What the user did, such as a fling, comes first:\n" +
			"--interaction explains one, from the input to the display. Late buffers of layers, such as\n" +
			"those of a video, come last: --layer shows how they spent their time.",
	}, &whyFlags{formatFlag: formats(causes.Formats)}, runWhy,
		flags.Rule{Flags: []string{"layer", "frame"}, Reason: oneNeeded, Hint: "--layer explains late buffers, --frame a frame"},
		flags.Rule{Flags: []string{"layer", "interaction"}, Reason: oneNeeded, Hint: "--layer explains late buffers, --interaction frames"},
		flags.Rule{Flags: []string{"interaction", "frame"}, Reason: oneNeeded, Hint: "--frame explains one frame of any interaction"},
	)
}

func runWhy(c *call, f *whyFlags) error {
	list, err := severalInputs(c)
	if err != nil {
		return err
	}
	if err := checkFrame(c, f.Frame); err != nil {
		return err
	}
	layer, err := layerOption(c, f.Layer)
	if err != nil {
		return err
	}
	if err := checkInteraction(c, f.Interaction, list); err != nil {
		return err
	}
	if f.Frame != 0 {
		if err := oneInput("why", "frame", f.Frame, list); err != nil {
			return err
		}
	}
	r, err := newReader(c)
	if err != nil {
		return err
	}
	vsync, interaction := f.Frame, int(f.Interaction)
	if len(list) == 1 && vsync == 0 && interaction == 0 && layer == nil {
		if done, err := whyStacks(c, r, list[0].name, f.All); done || err != nil {
			return err
		}
	}
	r.interactions = true
	o := causes.Options{Process: r.process, Pattern: c.Process, Vsync: vsync, Layer: layer, LayerPattern: f.Layer, All: f.All, Window: c.IsSet("from") || c.IsSet("to")}
	var inputs []causes.Input
	var timelines []*analyzer.Timeline
	err = r.each(list, func(in input, t *ohframe.Trace) error {
		if t.Causes == nil {
			r.fail(in.name, noCauses(in.name, t))
			return nil
		}
		if interaction != 0 {
			var err error
			if o.Interaction, err = r.chosenInteraction(interaction, in, t.Timeline); err != nil {
				return err
			}
			o.Process = nil // it is that of the application or of the frames
		}
		about := causes.Input{Name: inputName(in.name), Causes: t.Causes, Start: t.Timeline.Origin(), Quality: t.Quality, Stacks: t.Stacks}
		if layer == nil {
			about.Processes, about.Interactions = causes.Processes(t.Timeline, t.Causes, o), causes.Interactions(t.Timeline, t.Causes, o)
		}
		about.Hangs = causes.Hangs(t.Timeline, t.Causes, o)
		if vsync == 0 && interaction == 0 {
			about.Layers = causes.Layers(t.Timeline, t.Causes, o)
		}
		timelines = append(timelines, t.Timeline)
		about.Commands = commandsAbout(c, in.name, t.Timeline)
		if r.format == brief.Format || r.format == "json" {
			about.Stats = stats.Compute(t.Timeline, stats.Options{Process: o.Process})
		}
		inputs = append(inputs, about)
		return nil
	})
	if err != nil {
		return err
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
func commandsAbout(c *call, name string, t *analyzer.Timeline) *locate.Commands {
	file := inputFile(name)
	if file == "" || text.Printable(file) != file {
		return nil
	}
	var flags []string
	for _, f := range []struct{ name, value string }{{"entry", c.Entry}, {"perf", c.Perf}, {"perf-offset", c.PerfOffset}} {
		if c.IsSet(f.name) {
			flags = append(flags, "--"+f.name+" "+text.Quoted(f.value))
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
func whyStacks(c *call, r *reader, name string, all bool) (bool, error) {
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
		return causes.WriteStacks(out, name, stacks, r.format, causes.Options{All: all}, style)
	})
}

// checkFrame returns an error if --frame is set and 0.
func checkFrame(c *call, vsync int64) error {
	if c.IsSet("frame") && vsync == 0 {
		return &failure{what: "--frame: 0 is no vsync id", hint: "ohframe frames lists the vsync ids"}
	}
	return nil
}

// noCauses returns the error of an input without causes.
func noCauses(name string, in *ohframe.Trace) *failure {
	f := &failure{file: inputName(name), what: "a dump has no causes of late frames", hint: "ohframe report and ohframe frames read it"}
	switch {
	case len(in.Timeline.Frames) == 0 && len(in.Timeline.Summaries) > 0:
		f.hint = "ohframe report reads its summaries"
	case in.Converted:
		f.what, f.hint = "the trace was converted without causes", "run ohframe why on the original trace, or convert it without --no-causes"
	}
	return f
}
