package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/brief"
	"ohframe/internal/causes"
	"ohframe/internal/diag"
	"ohframe/internal/flags"
	"ohframe/internal/fleet"
	"ohframe/internal/locate"
	"ohframe/internal/text"
)

type whyFlags struct {
	formatFlag
	outputFlag
	processFlag
	Frame       string `flag:"frame" usage:"show where the time of frame {VSYNC|TIME} went" default:"late"`
	Interaction int64  `flag:"interaction" usage:"explain only interaction {N}: its response and its late frames" default:"all"`
	Layer       string `flag:"layer" usage:"explain only late buffers of layers {NAME}: a part, a pattern, or an id"`
	By          string `flag:"by" usage:"rank causes by {DIMENSIONS}, such as process, too"`
	All         bool   `flag:"all" usage:"list all causes and late frames, not the worst 20"`
	whereFlag
	flags.StrictFlag
	samplesFlag
	flags.Trace
}

func whyCommand() *cli.Command {
	const oneNeeded = " are given: one is needed"
	return newCommand(cli.Command{
		Name:      "why",
		Usage:     "explain why frames were late and responses slow",
		ArgsUsage: "INPUT…",
		Description: inputLine + "\n" +
			"Lists what cost the most time, with advice, and a cause for every late frame (docs/why.md). Record\n" +
			"the tags sched and freq to see more than slices. What the user did, such as a fling, comes first,\n" +
			"and late buffers of layers, such as those of a video, come last. The causes of several traces are\n" +
			"ranked by the users or traces that have them.",
	}, &whyFlags{formatFlag: formats(causes.Formats)}, runWhy,
		flags.Rule{Flags: []string{"layer", "frame"}, Reason: oneNeeded, Hint: "--layer explains late buffers, --frame a frame"},
		flags.Rule{Flags: []string{"layer", "interaction"}, Reason: oneNeeded, Hint: "--layer explains late buffers, --interaction frames"},
		flags.Rule{Flags: []string{"interaction", "frame"}, Reason: oneNeeded, Hint: "--frame explains one frame of any interaction"},
		flags.Rule{Flags: []string{"by", "frame"}}, flags.Rule{Flags: []string{"by", "interaction"}}, flags.Rule{Flags: []string{"by", "layer"}},
	)
}

func runWhy(c *call, f *whyFlags) error {
	inputs, err := severalInputs(c)
	if err != nil {
		return err
	}
	frame, err := locate.Parse(f.Process, f.Frame)
	if err != nil {
		return err
	}
	layer, err := layerOption(c, f.Layer)
	if err != nil {
		return err
	}
	if err := checkInteraction(c, f.Interaction, inputs); err != nil {
		return err
	}
	for _, of := range []string{"frame", "layer"} {
		if c.IsSet(of) {
			if err := oneInput("why", of, c.String(of), inputs); err != nil {
				return err
			}
		}
	}
	r, err := newReader(c)
	if err != nil {
		return err
	}
	if f.All && r.format == brief.Format {
		return &failure{what: "--all has no effect on the format " + r.format, hint: "JSON has all late frames"}
	}
	r.interactions, r.pieces = true, r.pieces || f.Frame != ""
	if len(inputs) > 1 || c.IsSet("by") {
		return rankCauses(c, r, inputs, f)
	}
	interaction := int(f.Interaction)
	if f.Frame == "" && interaction == 0 && layer == nil {
		if done, err := whyStacks(c, r, inputs[0], f.All); done || err != nil {
			return err
		}
	}
	o := causes.Options{Process: r.process, Pattern: c.Process, Layer: layer, LayerPattern: f.Layer, All: f.All, Window: c.IsSet("from") || c.IsSet("to")}
	return r.each(inputs, func(in input, t *ohframe.Trace) error {
		if t.Causes == nil {
			return noCauses(in, t)
		}
		if interaction != 0 {
			var err error
			if o.Interaction, err = r.chosenInteraction(interaction, in, t.Timeline); err != nil {
				return err
			}
			o.Process = nil // it is that of the application or of the frames
		}
		if f.Frame != "" {
			var process *analyzer.Process
			var err error
			if o.Vsync, process, err = frame.Vsync(t.Timeline); err != nil {
				return fileError(in.name, err)
			}
			if process != nil {
				o.Process, o.Pattern = func(p *analyzer.Process) bool { return p == process }, process.Name
			}
		}
		about := causes.Input{Name: inputName(in.name), Causes: t.Causes, Start: t.Timeline.Origin(), Quality: t.Quality, Stacks: t.Stacks, Hangs: causes.Hangs(t.Timeline, t.Causes, o)}
		if layer == nil {
			about.Processes, about.Interactions = causes.Processes(t.Timeline, t.Causes, o), causes.Interactions(t.Timeline, t.Causes, o)
		}
		if f.Frame == "" && interaction == 0 {
			about.Layers = causes.Layers(t.Timeline, t.Causes, o)
		}
		about.Commands = commandsAbout(c, in.name, t.Timeline)
		if r.format == brief.Format || r.format == "json" {
			about.Stats = stats.Compute(t.Timeline, stats.Options{Process: o.Process})
		}
		if err := causes.CheckChosen(&about, o, t.Timeline); err != nil {
			return err
		}
		err := writeOutput(c, func(out io.Writer, style text.Style) error {
			err := causes.Write(out, &about, r.format, o, style)
			if err != nil || r.format != causes.Formats[0] || about.Commands == nil {
				return err
			}
			for _, command := range openCommands(&about, o) {
				if _, err := fmt.Fprintf(out, "Show in Perfetto: %s\n", command); err != nil {
					return err
				}
			}
			return nil
		})
		return cmp.Or(err, r.finish(nil))
	})
}

// rankCauses ranks the causes of several inputs.
func rankCauses(c *call, r *reader, inputs []input, f *whyFlags) error {
	if err := checkIDs(nil, f.Process, 2); err != nil { // also with --by, whose groups have no ids
		return err
	}
	by, err := byDimensions(f.By)
	if err != nil {
		return err
	}
	dims := dimensionsOf(inputs)
	ranking, err := fleet.NewRanking(fleet.Query{By: by, Process: c.Process}, dims)
	if err != nil {
		return err
	}
	if inputs = skipCauseless(r, inputs); len(inputs) == 0 {
		return r.none(r.total)
	}
	datasets, traces := splitStored(r, inputs)
	if len(traces) > 0 {
		read := fleet.NewRankingDataset(dims, commandFlags(c))
		err = r.each(traces, func(in input, t *ohframe.Trace) error {
			if t.Causes == nil {
				r.fail(in.name, noCauses(in, t))
				return nil
			}
			read.Add(in.name, in.values, t)
			return nil
		})
		if err != nil {
			return err
		}
		datasets = append(datasets, read)
	}
	causes, err := await(c.Context, func() (*causes.Overall, error) { return ranking.Of(c.Context, datasets) })
	if err != nil {
		return err
	}
	err = writeOutput(c, func(out io.Writer, style text.Style) error { return causes.Write(out, r.format, f.All, style) })
	return cmp.Or(err, r.finish(nil))
}

// skipCauseless returns the inputs that are not of datasets without causes, and skips these datasets.
func skipCauseless(r *reader, inputs []input) (left []input) {
	r.several = slices.ContainsFunc(inputs, func(in input) bool {
		return in.stored == nil || inputs[0].stored == nil || in.stored.Dataset != inputs[0].stored.Dataset
	})
	said := map[*fleet.Dataset]bool{}
	for _, in := range inputs {
		if in.stored == nil || !in.stored.Dataset.NoCauses {
			left = append(left, in)
		} else if d := in.stored.Dataset; !said[d] {
			said[d] = true
			r.total++
			r.fail(d.Dir, noCauses(input{name: d.Dir, stored: in.stored}, nil))
		}
	}
	return left
}

// commandsAbout returns the commands about an input and its timeline; nil if the name of its file does
// not work in one.
func commandsAbout(c *call, name string, t *analyzer.Timeline) *locate.Commands {
	file := inputFile(name)
	if file == "" || text.Printable(file) != file {
		return nil
	}
	return locate.NewCommands(file, t, commandFlags(c)...)
}

// commandFlags are the flags of commands about an input that are those of this one.
func commandFlags(c *call) (flags []string) {
	for _, f := range []struct{ name, value string }{{"entry", c.Entry}, {"perf", c.Perf}} {
		if c.IsSet(f.name) {
			flags = append(flags, "--"+f.name+" "+text.Quoted(f.value))
		}
	}
	return flags
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
func whyStacks(c *call, r *reader, in input, all bool) (bool, error) {
	name := in.name
	if inputFile(name) == "" || in.stored != nil {
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

// noCauses returns the error of an input without causes; the trace is nil for a whole dataset.
func noCauses(in input, t *ohframe.Trace) *failure {
	f := &failure{file: inputName(in.name), what: "a dump has no causes of late frames", hint: "ohframe report and ohframe frames read it"}
	switch {
	case in.stored != nil:
		f.what, f.hint = "the dataset has no causes of late frames", "ohframe fleet run without --no-causes finds those of traces"
	case len(t.Timeline.Frames) == 0 && len(t.Timeline.Summaries) > 0:
		f.hint = "ohframe report reads its summaries"
	case t.Converted:
		f.what, f.hint = "the trace was converted without causes", "run ohframe why on the original trace, or convert it without --no-causes"
	}
	return f
}
