package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ohframe/internal/condition"
	"ohframe/internal/flags"
	"ohframe/internal/fleet"
	"ohframe/internal/source/inputs"
	"ohframe/internal/text"
)

func fleetCommand() *cli.Command {
	return &cli.Command{
		Name:        "fleet",
		Usage:       "measure, report and compare thousands of traces",
		Subcommands: []*cli.Command{fleetRunCommand(), fleetReportCommand(), fleetDiffCommand(), fleetSQLCommand()},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return &failure{what: fmt.Sprintf("unknown command %q", "fleet "+c.Args().First()), hint: suggest("ohframe fleet ", c.Args().First(), commandNames(c.Command.Subcommands), "ohframe fleet --help lists the commands")}
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

func fleetRunCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "measure traces and write a dataset of Parquet files",
		ArgsUsage: "INPUT… -o DIR",
		Description: "INPUT is a file, a folder with its folders, a pattern, or @FILE, a list of files. Traces are distributed over shards by their names.\n" +
			"Events of HiAppEvent beside traces give these dimensions (docs/field.md).\n" +
			"Each shard makes one file of DIR/traces and one of DIR/failures. docs/fleet.md describes the\n" +
			"columns, and how to run shards on many machines.",
		Flags: slices.Insert(flags.Fleet(), 2,
			cli.Flag(flags.NewNumber(cli.Int64Flag{Name: "shard", Value: -1, Usage: "run only shard `K`, from 0", DefaultText: "all"})),
		),
		Action: runFleet,
	}
}

func runFleet(c *cli.Context) error {
	dir := c.String("output")
	if dir == "" {
		return &failure{what: "no folder given for the dataset", hint: "ohframe fleet run INPUT… -o DIR"}
	}
	options, err := flags.FleetOptions(c, func(name string) (io.ReadCloser, error) { return openInput(c, name) })
	if err != nil {
		return err
	}
	options.Partial = c.IsSet("shard")
	switch k, n := c.Int("shard"), c.Int("shards"); {
	case c.IsSet("shard") && !c.IsSet("shards"):
		return &failure{what: "--shard needs --shards: all processes must use the same number"}
	case c.IsSet("shard") && (k < 0 || k >= n):
		return &failure{what: fmt.Sprintf("--shard %d: the shards are 0 to %d", k, n-1)}
	}
	list, mode, skipped, err := fleetInputs(c, dir, options.Timeout)
	if err != nil {
		return err
	}
	store := fleet.Files{Mode: mode}
	if err := fleet.MarkDuplicates(c.Context, store, list, options.Timeout); err != nil {
		return err
	}
	if options.Metadata != nil {
		if n := options.Metadata.Unused(list); n > 0 {
			printWarnings(c.String("metadata"), []string{text.Count(n, "line") + " for traces that are not among the inputs"})
		}
	}
	plan, err := fleet.NewPlan(list, options)
	if err != nil {
		return err
	}
	shards := []int{c.Int("shard")}
	if !c.IsSet("shard") {
		shards = shards[:0]
		for k := range plan.Shards {
			shards = append(shards, k)
		}
	}
	runner := &fleet.Runner{Plan: plan, Store: store, Dir: dir, Resume: c.Bool("resume"), Workers: c.Int("workers")}
	if err := plan.Check(c.Context, runner.Store, dir); err != nil {
		return err
	}
	reserveMemory()
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
	printFleetSummary(dir, summary, skipped)
	nothing := summary.Nothing()
	if options.Partial { // the other shards may have traces
		nothing = ""
	}
	strict, err := flags.CheckFleet(c, nothing, summary.Failed(), summary.Unreliable)
	if strict != "" {
		return gateError{dir + ": " + strict}
	}
	return err
}

// reserveMemory makes the garbage collector run less often. Traces leave much garbage and
// keep little, so it would run several times for each.
func reserveMemory() {
	const percent, most = 400, 500 << 20
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(most)
	}
}

// maxFolders is the number of folders whose skipped files are named.
const maxFolders = 10

// fleetInputs returns the traces that the arguments name, the mode of files made of them, and
// the number of files in folders that were skipped. Traces in the folder of the dataset are
// an error: a folder in which it is leaves it out.
func fleetInputs(c *cli.Context, dir string, timeout time.Duration) (list []fleet.Input, mode fs.FileMode, skipped int, err error) {
	if c.NArg() == 0 {
		return nil, 0, 0, &failure{what: "no input given", hint: "ohframe fleet run INPUT… -o DIR"}
	}
	events := fleet.NewEvents(c.Context, fleet.Files{}, timeout)
	options := inputs.Options{Recursive: true, Without: dir, Only: fleet.InShard(c.Int("shard"), c.Int("shards")), Events: events.Read, Timeout: timeout}
	set, err := await(c.Context, func() (*inputs.Set, error) { return inputs.Expand(c.Args().Slice(), options) })
	if err != nil {
		return nil, 0, 0, err
	}
	if len(set.Hidden) > 0 {
		return nil, 0, 0, fleet.HiddenInput(dir, set.Hidden[0])
	}
	list = events.AddTo(fleet.Found(set), set, options.Only)
	files := set.Read
	if name := c.String("metadata"); name != "" {
		files = append(files, name)
	}
	if err := fleet.CheckParts(dir, list, files); err != nil {
		return nil, 0, 0, err
	}
	mode = newFile
	for _, in := range set.Inputs {
		mode = derivedMode(mode, in.Mode)
	}
	for i, f := range set.Folders {
		skipped += len(f.Skipped)
		if i < maxFolders {
			printWarnings(f.Path, []string{f.Warning()})
		}
	}
	return list, mode, skipped, nil
}

// printFleetSummary prints what a run did; skipped is the number of files in folders that
// were skipped.
func printFleetSummary(dir string, s *fleet.Summary, skipped int) {
	line := fmt.Sprintf("%s: %s, %s", dir, text.Count(s.Traces, "trace"), text.Count(s.Rows, "row"))
	add := func(n int, noun, about string) {
		if n > 0 {
			line += ", " + text.Count(n, noun) + about
		}
	}
	add(s.Events, "event", "")
	add(s.Skipped, "shard", " complete already")
	add(s.Unreliable, "trace", " with unreliable data")
	add(s.Ignored, "unusable description", " ignored")
	add(s.Failed(), "failure", " ("+fleet.ReasonsText(s.Failures)+")")
	add(skipped, "file", " skipped")
	fmt.Fprintln(os.Stderr, text.Line(line))
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

func fleetReportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "report a dataset by dimensions, or the trend of datasets over one",
		ArgsUsage: "DIR…",
		Description: "With --over, several datasets may be given. Measures are tested for changes from value to value of a\n" +
			"dimension, such as build or recorded_day.",
		Flags: []cli.Flag{
			formatFlag(fleet.Formats), outputFlag, byFlag, processFlag,
			flags.NewNumber(cli.Int64Flag{Name: "top", Usage: "report the `N` groups with the most frames", DefaultText: fmt.Sprintf("%d in tables, %d with --over", shownGroups, fleet.ShownTrends)}),
			&cli.StringFlag{Name: "over", Usage: "show the trend over the values of `DIMENSION`, and where it changes"},
			&cli.StringFlag{Name: "order", Value: fleet.Orders[0], Usage: "the order of the values of --over: `" + strings.Join(fleet.Orders, "|") + "`, natural or by the first time"},
			&cli.StringFlag{Name: "measure", Usage: "test only `MEASURES` with --over", DefaultText: "all that fleet diff compares"},
			unitFlag,
		},
		Action: reportFleet,
	}
}

// shownGroups is the default of --top for people.
const shownGroups = 100

var byFlag = &cli.StringFlag{Name: "by", Value: "kind,process", Usage: "group by `DIMENSIONS`, also those of the dataset; cause in report"}

var unitFlag = &cli.StringFlag{Name: "unit", Usage: "compare values of `DIMENSION`, or trace", DefaultText: "user, device"}

// fleetQuery returns the query that the flags set.
func fleetQuery(c *cli.Context) (fleet.Query, error) {
	pattern, err := processPattern(c)
	q := fleet.Query{Process: pattern, By: []string{}}
	for name := range strings.SplitSeq(c.String("by"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			q.By = append(q.By, name)
		}
	}
	return q, err
}

// checkDatasets returns an error if the number of arguments is not n.
func checkDatasets(c *cli.Context, n int) error {
	if c.NArg() == n {
		return nil
	}
	return &failure{what: fmt.Sprintf("%s needed, %d given", text.Count(n, "dataset"), c.NArg()), hint: c.Command.HelpName + " " + c.Command.ArgsUsage}
}

func openDataset(c *cli.Context, dir string) (*fleet.Dataset, error) {
	d, err := await(c.Context, func() (*fleet.Dataset, error) { return fleet.Open(c.Context, fleet.Files{}, dir) })
	if err != nil {
		return nil, err
	}
	usesDataset(c, dir)
	printWarnings(dir, d.Warnings())
	return d, nil
}

// usesDataset says that the command reads the parts of a dataset.
func usesDataset(c *cli.Context, dir string) {
	for _, folder := range fleet.Folders {
		entries, _ := os.ReadDir(filepath.Join(dir, folder))
		for _, e := range entries {
			uses(c, filepath.Join(dir, folder, e.Name()))
		}
	}
}

func reportFleet(c *cli.Context) error {
	if c.IsSet("over") {
		return fleetTrend(c)
	}
	for _, name := range []string{"order", "measure", "unit"} {
		if c.IsSet(name) {
			return &failure{what: fmt.Sprintf("--%s needs --over", name)}
		}
	}
	if err := checkDatasets(c, 1); err != nil {
		return err
	}
	if err := checkTop(c); err != nil {
		return err
	}
	format, err := formatOption(c, fleet.Formats)
	if err != nil {
		return err
	}
	query, err := fleetQuery(c)
	if err != nil {
		return err
	}
	d, err := openDataset(c, c.Args().First())
	if err != nil {
		return err
	}
	query.Top, query.Stages = c.Int("top"), format == "json" || format == "csv"
	if !query.Stages {
		query.Top = cmp.Or(query.Top, shownGroups)
	}
	r, err := await(c.Context, func() (fleet.Writer, error) {
		if slices.Contains(query.By, "cause") {
			return fleet.NewRanking(c.Context, d, query)
		}
		return fleet.NewReport(c.Context, d, query)
	})
	if err != nil {
		return err
	}
	return writeOutput(c, func(out io.Writer, style text.Style) error { return r.Write(out, format, style) })
}

// fleetTrend reports the trend of datasets.
func fleetTrend(c *cli.Context) error {
	if c.NArg() == 0 {
		return checkDatasets(c, 1)
	}
	if err := checkTop(c); err != nil {
		return err
	}
	format, err := formatOption(c, fleet.Formats)
	if err != nil {
		return err
	}
	order, err := choice(c, "order")
	if err != nil {
		return err
	}
	query, err := fleetQuery(c)
	if err != nil {
		return err
	}
	query.Top = c.Int("top")
	o := fleet.TrendOptions{Query: query, Over: c.String("over"), Order: fleet.Order(order), Unit: c.String("unit")}
	for name := range strings.SplitSeq(c.String("measure"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			o.Measures = append(o.Measures, name)
		}
	}
	var datasets []*fleet.Dataset
	for _, dir := range c.Args().Slice() {
		d, err := openDataset(c, dir)
		if err != nil {
			return err
		}
		datasets = append(datasets, d)
	}
	t, err := await(c.Context, func() (*fleet.Trend, error) { return fleet.NewTrend(c.Context, datasets, o) })
	if err != nil {
		return err
	}
	return writeOutput(c, func(out io.Writer, style text.Style) error { return t.Write(out, format, style) })
}

func fleetDiffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare two datasets and test whether the differences are significant",
		ArgsUsage: "BASE NEW",
		Description: "Compares devices or traces, not frames, which are not independent of each other. The exit code is\n" +
			"2 if a condition of --fail-on holds, or cannot be checked, as in ohframe diff.",
		Flags: []cli.Flag{
			formatFlag(fleet.DiffFormats), outputFlag, byFlag, processFlag,
			unitFlag, failOnFlag, failOnAnyFlag, allowMissingFlag,
		},
		Action: diffFleets,
	}
}

func diffFleets(c *cli.Context) error {
	if err := checkDatasets(c, 2); err != nil {
		return err
	}
	format, err := formatOption(c, fleet.DiffFormats)
	if err != nil {
		return err
	}
	query, err := fleetQuery(c)
	if err != nil {
		return err
	}
	o := fleet.CompareOptions{Query: query, Unit: c.String("unit"), Any: c.Bool(failOnAnyFlag.Name), AllowMissing: c.Bool(allowMissingFlag.Name)}
	if o.FailOn, err = conditions(c, condition.OfChanges); err != nil {
		return err
	}
	var sides [2]*fleet.Dataset
	for i, dir := range c.Args().Slice() {
		if sides[i], err = openDataset(c, dir); err != nil {
			return err
		}
	}
	d, err := await(c.Context, func() (*fleet.Comparison, error) { return fleet.Compare(c.Context, sides[0], sides[1], o) })
	if err != nil {
		return err
	}
	err = writeOutput(c, func(out io.Writer, style text.Style) error { return d.Write(out, format, style) })
	if err != nil {
		return err
	}
	return gate(c, d.Checks(), nil, nil)
}

func fleetSQLCommand() *cli.Command {
	return &cli.Command{
		Name:      "sql",
		Usage:     "print views and macros for a database that queries a dataset",
		ArgsUsage: "DIR",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "engine", Value: fleet.Engines[0], Usage: "the database: `" + strings.Join(fleet.Engines, "|") + "`"},
			outputFlag,
		},
		Action: fleetSQL,
	}
}

func fleetSQL(c *cli.Context) error {
	if err := checkDatasets(c, 1); err != nil {
		return err
	}
	engine, err := choice(c, "engine")
	if err != nil {
		return err
	}
	statements, err := fleet.SQL(engine, c.Args().First())
	if err != nil {
		return fileError(c.Args().First(), err)
	}
	usesDataset(c, c.Args().First())
	return writeOutput(c, func(out io.Writer, _ text.Style) error {
		_, err := io.WriteString(out, statements)
		return err
	})
}
