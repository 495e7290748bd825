//go:build !js

package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ohframe/internal/flags"
	"ohframe/internal/fleet"
	"ohframe/internal/inputs"
	"ohframe/internal/text"
)

func fleetCommand() *cli.Command {
	return &cli.Command{
		Name:        "fleet",
		Usage:       "measure thousands of traces, for the other commands",
		Subcommands: []*cli.Command{fleetRunCommand(), fleetSQLCommand()},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(c.App, "fleet ", c.Command.Subcommands, c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

type fleetRunFlags struct{ flags.Fleet }

func fleetRunCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:      "run",
		Usage:     "measure traces and write a dataset of Parquet files",
		ArgsUsage: "INPUT… -o DIR",
		Description: "INPUT is a file, a folder with its folders, a pattern, or @FILE, a list of files. Traces are distributed over shards by their names.\n" +
			"Events of HiAppEvent beside traces give these dimensions.\n" +
			"Each shard makes one file in each of DIR/traces, interactions, layers, events, failures,\n" +
			"results and, with --frames, frames. docs/fleet.md describes the columns, and how to run shards on many\n" +
			"machines.",
	}, &fleetRunFlags{flags.NewFleet()}, runFleet)
}

func runFleet(c *call, f *fleetRunFlags) error {
	dir := f.Output
	if dir == "" {
		return &failure{what: "no folder given for the dataset", hint: "ohframe fleet run INPUT… -o DIR"}
	}
	options, err := f.Options(c.parsed, func(name string) (io.ReadCloser, error) { return openInput(c, name) })
	if err != nil {
		return err
	}
	list, mode, skipped, err := fleetInputs(c, f, options.Timeout)
	if err != nil {
		return err
	}
	store := fleet.Files{Mode: mode}
	fleet.Describe(c.Context, store, list, options.Timeout)
	if err := fleet.MarkDuplicates(c.Context, store, list, options.Timeout); err != nil {
		return err
	}
	if options.Metadata != nil {
		if n := options.Metadata.Unused(list); n > 0 {
			printWarnings(f.Metadata, []string{text.Count(n, "line") + " for traces that are not among the inputs"})
		}
	}
	plan, err := fleet.NewPlan(list, options)
	if err != nil {
		return err
	}
	shards := []int{f.only()}
	if !options.Partial {
		shards = shards[:0]
		for k := range plan.Shards {
			shards = append(shards, k)
		}
	}
	runner := &fleet.Runner{Plan: plan, Store: store, Dir: dir, Resume: f.Resume}
	if err := plan.Check(c.Context, runner.Store, dir); err != nil {
		return err
	}
	if !f.Resume {
		if err := plan.CheckOthers(c.Context, runner.Store, dir, f.only()); err != nil {
			return err
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // traces leave much garbage and keep little
	}
	progress := newFleetProgress(plan, shards)
	runner.Progress = progress.add
	// Files that Run has created are removed when it returns, so it is awaited.
	summary, err := runner.Run(c.Context, shards)
	progress.end()
	if err != nil {
		if c.Context.Err() != nil {
			return context.Cause(c.Context)
		}
		return fileError(dir, err)
	}
	fmt.Fprintln(os.Stderr, text.Line(dir+": "+summary.Text(skipped)))
	nothing := summary.Nothing()
	if options.Partial { // the other shards may have traces
		nothing = ""
	}
	return f.Check(dir, nothing, summary.Failures, summary.Damaged, summary.Unreliable)
}

// only returns the shard to run; -1 for all.
func (f *fleetRunFlags) only() int {
	if !f.Shards.One {
		return -1
	}
	return f.Shards.Index
}

// maxFolders is the number of folders whose skipped files are named.
const maxFolders = 10

// fleetInputs returns the traces that the arguments name, the mode of files made of them, and
// the number of files in folders that were skipped. Traces in the folder of the dataset are
// an error: a folder in which it is leaves it out.
func fleetInputs(c *call, f *fleetRunFlags, timeout time.Duration) (list []fleet.Input, mode fs.FileMode, skipped int, err error) {
	if c.NArg() == 0 {
		return nil, 0, 0, &failure{what: "no input given", hint: "ohframe fleet run INPUT… -o DIR"}
	}
	dir := f.Output
	events := fleet.NewEvents(c.Context, fleet.Files{}, timeout)
	options := inputs.Options{Recursive: true, Without: dir, Only: fleet.InShard(f.only(), f.Shards.Count), Events: events.Read, Dataset: fleet.IsDataset, Timeout: timeout}
	set, err := await(c.Context, func() (*inputs.Set, error) { return inputs.Expand(c.Args().Slice(), options) })
	if err != nil {
		return nil, 0, 0, err
	}
	if len(set.Hidden) > 0 {
		return nil, 0, 0, fleet.HiddenInput(dir, set.Hidden[0])
	}
	set.Inputs = slices.DeleteFunc(set.Inputs, func(in inputs.Input) bool {
		if in.Dataset {
			printWarnings(in.Path, []string{"skipped: a dataset"})
		}
		return in.Dataset
	})
	list = events.AddTo(fleet.Found(set), set, options.Only)
	files := set.Read
	if f.Metadata != "" {
		files = append(files, f.Metadata)
	}
	if err := fleet.CheckParts(dir, list, files); err != nil {
		return nil, 0, 0, err
	}
	mode = newFile
	for _, in := range set.Inputs {
		mode = derivedMode(mode, in.Mode)
	}
	for i, folder := range set.Folders {
		skipped += len(folder.Skipped)
		if i < maxFolders {
			printWarnings(folder.Path, []string{folder.Warning()})
		}
	}
	return list, mode, skipped, nil
}

// fleetProgress shows how many traces are done: a bar on a terminal, a line every few seconds
// in a log.
type fleetProgress struct {
	bar           *progressbar.ProgressBar // nil if standard error is no terminal
	traces, total int
	said          time.Time
}

// sayEvery is the time between two lines of progress in a log.
const sayEvery = 10 * time.Second

func newFleetProgress(plan *fleet.Plan, shards []int) *fleetProgress {
	p, size := &fleetProgress{said: time.Now()}, int64(0)
	for _, k := range shards {
		p.total += len(plan.Shards[k])
		for _, in := range plan.Shards[k] {
			size += in.Size
		}
	}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p.bar = newBar(max(1, size))
	}
	return p
}

// add counts a trace.
func (p *fleetProgress) add(bytes int64) {
	p.traces++
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%d/%d", p.traces, p.total))
		p.bar.Add64(bytes)
	} else if now := time.Now(); now.Sub(p.said) >= sayEvery {
		p.said = now
		fmt.Fprintf(os.Stderr, "%d of %s\n", p.traces, text.Count(p.total, "trace"))
	}
}

func (p *fleetProgress) end() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

type fleetSQLFlags struct {
	Format flags.Choice `flag:"format" usage:"for the database {}"`
	outputFlag
}

func fleetSQLCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:      "sql",
		Usage:     "print views for a database that queries a dataset",
		ArgsUsage: "DIR",
	}, &fleetSQLFlags{Format: flags.ChoiceOf(fleet.Engines...)}, fleetSQL)
}

func fleetSQL(c *call, f *fleetSQLFlags) error {
	if c.NArg() != 1 {
		return &failure{what: fmt.Sprintf("1 dataset needed, %d given", c.NArg()), hint: "ohframe fleet sql DIR"}
	}
	d, err := openDataset(c, c.Args().First())
	if err != nil {
		return err
	}
	statements, err := d.SQL(f.Format.Value)
	if err != nil {
		return fileError(d.Dir, err)
	}
	return writeOutput(c, func(out io.Writer, _ text.Style) error {
		_, err := io.WriteString(out, statements)
		return err
	})
}
