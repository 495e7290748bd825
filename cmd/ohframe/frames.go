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

type framesFlags struct {
	outputFlag
	formatFlag
	processFlag
	Kind        string `flag:"kind" usage:"list {app|render|layer}: frames, or buffers of layers; several, with commas" default:"app,render"`
	Layer       string `flag:"layer" usage:"list the buffers of layers {NAME}: a part, a pattern, or an id"`
	Late        bool   `flag:"late" usage:"list only late frames and buffers"`
	Sort        string `flag:"sort" usage:"sort by {COLUMN}, the largest first" default:"by start"`
	Top         int64  `flag:"top" usage:"list only the first {N} rows" default:"all"`
	Interaction int64  `flag:"interaction" usage:"list only the frames of interaction {N}" default:"all"`
	flags.NoCausesFlag
	whereFlag
	flags.StrictFlag
	flags.Trace
}

func framesCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:      "frames",
		Usage:     "list the frames of a trace, or buffers of layers, one per row",
		ArgsUsage: "INPUT…",
		Description: inputLine + "\n" +
			"The table has the columns that matter, in milliseconds from the start of the trace. CSV, JSON and\n" +
			"Parquet have all columns, in nanoseconds of trace time.",
	}, &framesFlags{formatFlag: formats(frametable.Formats)}, frames)
}

func frames(c *call, f *framesFlags) error {
	list, err := severalInputs(c)
	if err != nil {
		return err
	}
	r, err := newReader(c)
	if err != nil {
		return err
	}
	o, err := framesOptions(c, f, r, list)
	if err != nil {
		return err
	}
	if o.Lists(frametable.KindLayer) {
		r.lacks = func(in *ohframe.Trace) *failure {
			if len(in.Timeline.Layers) > 0 {
				return nil
			}
			lacks := lacksFrames(in)
			if lacks == nil && onlyLayers(o) {
				lacks = &failure{what: "no layers"}
			}
			return lacks
		}
	}
	var inputs []frametable.Input
	var timelines []*analyzer.Timeline
	err = r.each(list, func(in input, t *ohframe.Trace) error {
		if o.Interaction != 0 {
			if _, err := r.chosenInteraction(int(o.Interaction), in, t.Timeline); err != nil {
				return err
			}
			o.Process = nil // it is that of the application or of the frames
		}
		inputs = append(inputs, frametable.Input{Name: inputName(in.name), Timeline: t.Timeline, Causes: t.Causes})
		timelines = append(timelines, t.Timeline)
		if warning := unknownLate(t, o); warning != "" {
			printWarnings(in.name, []string{warning})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := checkSelected(f, o, timelines); err != nil {
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
func checkSelected(f *framesFlags, o frametable.Options, timelines []*analyzer.Timeline) error {
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
	switch {
	case onlyLayers(o) && len(layers) > 0 && len(ofProcess) == 0:
		return fmt.Errorf("--process: %w", text.NoProducerSelected(f.Process, layers))
	case !o.Lists(frametable.KindLayer) && !frames && len(ofProcess) > 0:
		return &failure{what: "--process: no process with frames matches", hint: "it has layers: --kind layer lists their buffers"}
	case !onlyLayers(o) && !frames && len(ofProcess) == 0:
		if err := text.NoneSelected(f.Process, timelines...); err != nil {
			return fmt.Errorf("--process: %w", err)
		}
	case o.Layer != nil && len(ofProcess) > 0 && !slices.ContainsFunc(ofProcess, o.Layer):
		return fmt.Errorf("--layer: %w", text.NoLayerSelected(f.Layer, ofProcess))
	}
	return nil
}

// framesOptions returns the options that the flags set for the inputs.
func framesOptions(c *call, f *framesFlags, r *reader, list []input) (frametable.Options, error) {
	o := frametable.Options{
		Format: r.format, Process: r.process, Interaction: f.Interaction,
		Late: f.Late, Sort: f.Sort, Limit: int(f.Top),
	}
	if c.IsSet("top") && f.Top <= 0 {
		return o, &failure{what: "--top: must be positive"}
	}
	if err := layerOptions(c, f, &o); err != nil {
		return o, err
	}
	if err := checkInteraction(c, f.Interaction, list); err != nil {
		return o, err
	}
	if o.Sort != "" && !slices.Contains(frametable.SortColumns, o.Sort) {
		hint := text.Suggest("", o.Sort, frametable.SortColumns, "those of the table are "+strings.Join(frametable.TableSorts(), ", ")+"; testdata/api/frames.md lists all")
		if name := frametable.SortColumn(o.Sort); name != "" {
			hint = fmt.Sprintf("that column of the table is --sort %s", name)
		}
		return o, &failure{what: fmt.Sprintf("--sort: no column %q", o.Sort), hint: hint}
	}
	if frametable.IsBinary(o.Format) && (f.Output == "" || f.Output == standard) {
		if err := checkStream(os.Stdout, standard, c.used); err != nil {
			return o, err
		}
	}
	return o, nil
}

// layerOptions sets the options that --kind and --layer set.
func layerOptions(c *call, f *framesFlags, o *frametable.Options) error {
	if c.IsSet("kind") {
		o.Kinds = strings.Split(f.Kind, ",")
	}
	for _, kind := range o.Kinds {
		if !slices.Contains(frametable.Kinds, kind) {
			return &failure{what: fmt.Sprintf("--kind: %q is not one of %s", kind, strings.Join(frametable.Kinds, ", ")), hint: text.Suggest("", kind, frametable.Kinds, "several are separated by commas: --kind app,layer")}
		}
	}
	match, err := layerOption(c, f.Layer)
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

// layerOption returns the selection of --layer; nil without the flag.
func layerOption(c *call, pattern string) (func(*analyzer.Layer) bool, error) {
	if !c.IsSet("layer") {
		return nil, nil
	}
	match, err := text.MatchLayer(pattern)
	if err != nil {
		return nil, &failure{what: "--layer: " + err.Error()}
	}
	return match, nil
}
