package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/internal/flags"
	"ohframe/internal/frametable"
	"ohframe/internal/text"
)

func framesCommand() *cli.Command {
	return &cli.Command{
		Name:      "frames",
		Usage:     "list the frames of a trace, or the buffers of its layers, one per row",
		ArgsUsage: "INPUT…",
		Description: "The table has the columns that matter, in milliseconds from the start of the trace. CSV, JSON and\n" +
			"Parquet have all columns, in nanoseconds of trace time.",
		Flags: append([]cli.Flag{
			outputFlag,
			formatFlag(frametable.Formats),
			processFlag,
			&cli.StringFlag{Name: "kind", Usage: "list `app|render|layer`: frames, or buffers of layers; several, with commas", DefaultText: "app,render"},
			layerFlag("list the buffers of layers `NAME`: a part, a pattern, or an id"),
			&cli.BoolFlag{Name: "late", Usage: "list only late frames and buffers"},
			&cli.StringFlag{Name: "sort", Usage: "sort by `COLUMN`, the largest first", DefaultText: "by start"},
			flags.NewNumber(cli.Int64Flag{Name: "top", Usage: "list only the first `N` rows", DefaultText: "all"}),
			&cli.BoolFlag{Name: "interactions", Usage: "list the ids of the interactions of frames"},
			interactionFlag("list only the frames of interaction `N`"),
			&cli.BoolFlag{Name: "causes", Usage: "find the causes of late frames (slower)"},
			flags.Strict, perfFlag("auto|none"),
		}, flags.Trace()...),
		Action: frames,
	}
}

func frames(c *cli.Context) error {
	names, err := severalInputs(c)
	if err != nil {
		return err
	}
	r, err := newReader(c, frametable.Formats)
	if err != nil {
		return err
	}
	r.causes = c.Bool("causes")
	o, err := framesOptions(c, r, names)
	if err != nil {
		return err
	}
	if o.Lists(frametable.KindLayer) {
		r.lacks = func(in *ohframe.Trace) *failure {
			if len(in.Timeline.Layers) > 0 {
				return nil
			}
			f := lacksFrames(in)
			if f == nil && onlyLayers(o) {
				f = &failure{what: "no layers"}
			}
			return f
		}
	}
	var inputs []frametable.Input
	var timelines []*analyzer.Timeline
	err = r.each(names, func(name string, in *ohframe.Trace) error {
		if o.Interaction != 0 {
			if _, err := r.chosenInteraction(int(o.Interaction), name, in.Timeline); err != nil {
				return err
			}
			o.Process = nil // it is that of the application or of the frames
		}
		inputs = append(inputs, frametable.Input{Name: inputName(name), Timeline: in.Timeline, Causes: in.Causes})
		timelines = append(timelines, in.Timeline)
		if warning := unknownLate(in, o); warning != "" {
			printWarnings(name, []string{warning})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(inputs) == 0 {
		return r.none("", len(names))
	}
	if err := checkSelected(c, o, timelines); err != nil {
		return err
	}
	err = writeOutput(c, func(out io.Writer, style text.Style) error {
		o.Style = style
		return frametable.Write(out, inputs, o)
	})
	if err != nil {
		return err
	}
	return r.finish(nil)
}

// onlyLayers reports whether only buffers are listed.
func onlyLayers(o frametable.Options) bool {
	return !slices.ContainsFunc(frametable.Kinds, func(kind string) bool { return kind != frametable.KindLayer && o.Lists(kind) })
}

// unknownLate returns a warning if late frames, or late buffers if there are no others, are
// listed of an input in which it is unknown which are late.
func unknownLate(in *ohframe.Trace, o frametable.Options) string {
	hasCadence := func(l *analyzer.Layer) bool { return len(l.Cadences) > 0 }
	switch layers := in.Timeline.Layers; {
	case !o.Late:
	case onlyLayers(o) && len(layers) > 0 && !slices.ContainsFunc(layers, hasCadence):
		return "no layer has a cadence: which buffers are late is unknown"
	case !onlyLayers(o) && in.Quality.Frames() > 0 && in.Quality.Judged == 0:
		return "no frame is judged: which frames are late is unknown"
	}
	return ""
}

// checkSelected returns an error if --process or --layer selects nothing that the inputs have.
func checkSelected(c *cli.Context, o frametable.Options, timelines []*analyzer.Timeline) error {
	var layers, ofProcess []*analyzer.Layer
	frames := o.Process == nil
	for _, t := range timelines {
		frames = frames || slices.ContainsFunc(t.Frames, func(f *analyzer.Frame) bool { return o.Process(f.Process) })
		for _, l := range t.Layers {
			layers = append(layers, l)
			if o.Process == nil || l.Process != nil && o.Process(l.Process) {
				ofProcess = append(ofProcess, l)
			}
		}
	}
	pattern := c.String(processFlag.Name)
	switch {
	case onlyLayers(o) && len(layers) > 0 && len(ofProcess) == 0:
		return fmt.Errorf("--process: %w", text.NoProducerSelected(pattern, layers))
	case !o.Lists(frametable.KindLayer) && !frames && len(ofProcess) > 0:
		return &failure{what: "--process: no process with frames matches", hint: "it has layers: --kind layer lists their buffers"}
	case !onlyLayers(o) && !frames && len(ofProcess) == 0:
		if err := text.NoneSelected(pattern, timelines...); err != nil {
			return fmt.Errorf("--process: %w", err)
		}
	case o.Layer != nil && len(ofProcess) > 0 && !slices.ContainsFunc(ofProcess, o.Layer):
		return fmt.Errorf("--layer: %w", text.NoLayerSelected(c.String("layer"), ofProcess))
	}
	return nil
}

// framesOptions returns the options that the flags set for the inputs.
func framesOptions(c *cli.Context, r *reader, names []string) (frametable.Options, error) {
	o := frametable.Options{
		Format: r.format, Process: r.process, Interactions: c.Bool("interactions"),
		Late: c.Bool("late"), Sort: c.String("sort"), Limit: c.Int("top"),
	}
	if err := layerOptions(c, &o); err != nil {
		return o, err
	}
	id, err := interactionOption(c)
	if err != nil {
		return o, err
	}
	if o.Interaction = int64(id); id != 0 {
		if err := oneInput("frames", "interaction", o.Interaction, names); err != nil {
			return o, err
		}
	}
	if o.Sort != "" && !slices.Contains(frametable.SortColumns, o.Sort) {
		hint := suggest("", o.Sort, frametable.SortColumns, "those of the table are "+strings.Join(frametable.TableSorts(), ", ")+"; docs/commands.md lists all")
		if name := frametable.SortColumn(o.Sort); name != "" {
			hint = fmt.Sprintf("that column of the table is --sort %s", name)
		}
		return o, &failure{what: fmt.Sprintf("--sort: no column %q", o.Sort), hint: hint}
	}
	if err := checkTop(c); err != nil {
		return o, err
	}
	if output := c.String("output"); frametable.IsBinary(o.Format) && (output == "" || output == standard) {
		if err := checkStream(os.Stdout, standard, usedFiles(c)); err != nil {
			return o, err
		}
	}
	return o, nil
}

// layerOptions sets the options that --kind and --layer set.
func layerOptions(c *cli.Context, o *frametable.Options) error {
	if c.IsSet("kind") {
		o.Kinds = strings.Split(c.String("kind"), ",")
	}
	for _, kind := range o.Kinds {
		if !slices.Contains(frametable.Kinds, kind) {
			return &failure{what: fmt.Sprintf("--kind: %q is not one of %s", kind, strings.Join(frametable.Kinds, ", ")), hint: suggest("", kind, frametable.Kinds, "several are separated by commas: --kind app,layer")}
		}
	}
	match, err := layerOption(c)
	if match == nil {
		return err
	}
	if o.Layer = match; o.Kinds == nil {
		o.Kinds = []string{frametable.KindLayer}
	}
	if !onlyLayers(*o) {
		return &failure{what: "--layer selects buffers, not frames", hint: "use it with --kind layer, or without --kind"}
	}
	return nil
}

// layerFlag returns the flag that selects layers.
func layerFlag(usage string) *cli.StringFlag { return &cli.StringFlag{Name: "layer", Usage: usage} }

// layerOption returns the selection of --layer; nil without the flag.
func layerOption(c *cli.Context) (func(*analyzer.Layer) bool, error) {
	if !c.IsSet("layer") {
		return nil, nil
	}
	pattern := c.String("layer")
	if pattern == "" {
		return nil, &failure{what: `--layer: "" is no name, pattern or id`, hint: "leave out --layer to select all layers"}
	}
	match, err := text.MatchLayer(pattern)
	if err != nil {
		return nil, &failure{what: "--layer: " + err.Error()}
	}
	return match, nil
}
