package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/internal/frametable"
	"ohframe/internal/text"
)

func framesCommand() *cli.Command {
	return &cli.Command{
		Name:      "frames",
		Usage:     "list the frames of a trace, one row per frame",
		ArgsUsage: "INPUT…",
		Description: "The table has the columns that matter, in milliseconds from the start of the trace. CSV, JSON and\n" +
			"Parquet have all columns, in nanoseconds of trace time.",
		Flags: append([]cli.Flag{
			outputFlag,
			formatFlag(frametable.Formats),
			processFlag,
			&cli.BoolFlag{Name: "late", Usage: "list only late frames"},
			&cli.StringFlag{Name: "sort", Usage: "sort by `COLUMN`, the largest first", DefaultText: "by start"},
			&cli.IntFlag{Name: "top", Usage: "list only the first `N` frames", DefaultText: "all"},
			&cli.BoolFlag{Name: "layers", Usage: "list layers of Android's frames, one per row"},
			&cli.BoolFlag{Name: "interactions", Usage: "list the ids of the interactions of frames"},
			interactionFlag("list only the frames of interaction `N`"),
			&cli.BoolFlag{Name: "causes", Usage: "find the causes of late frames (slower)"},
			strictFlag,
		}, traceFlags()...),
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
		if o.Late && in.Quality.Frames() > 0 && in.Quality.WithDeadline == 0 {
			printWarnings(name, []string{"no frame has a deadline: which frames are late is unknown"})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(inputs) == 0 {
		return r.none("", len(names))
	}
	if o.Process != nil && !slices.ContainsFunc(timelines, func(t *analyzer.Timeline) bool {
		return slices.ContainsFunc(t.Frames, func(f *analyzer.Frame) bool { return o.Process(f.Process) })
	}) {
		if err := text.NoneSelected(c.String(processFlag.Name), timelines...); err != nil {
			return fmt.Errorf("--process: %w", err)
		}
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

// framesOptions returns the options that the flags set for the inputs.
func framesOptions(c *cli.Context, r *reader, names []string) (frametable.Options, error) {
	o := frametable.Options{
		Format: r.format, Process: r.process, Layers: c.Bool("layers"), Interactions: c.Bool("interactions"),
		Late: c.Bool("late"), Sort: c.String("sort"), Limit: c.Int("top"),
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
		hint := suggest("", o.Sort, frametable.SortColumns, "docs/commands.md lists the columns")
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
