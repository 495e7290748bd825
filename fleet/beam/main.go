// Command ohframe-beam runs the shards of ohframe fleet run with Apache Beam: in this
// process, or on a cluster of Flink, Spark or Dataflow. The dataset is the same, and so are
// the flags; those of Beam are beside them.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/urfave/cli/v2"

	"ohframe/internal/exit"
	"ohframe/internal/flags"
	"ohframe/internal/fleet"
)

func main() {
	err := run(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "ohframe-beam: %v\n", err)
	}
	os.Exit(exit.Code(err))
}

func run(ctx context.Context, args []string) error {
	runner := flag.String("runner", "prism", "prism (in this process), universal (a job server at --endpoint) or dataflow")
	flag.Usage = usage
	own, beams, err := split(args, flag.CommandLine)
	if err != nil {
		return err
	}
	if err := flag.CommandLine.Parse(beams); err != nil {
		return err
	}
	beam.Init() // a worker that a runner has started ends here
	c, err := parse(own)
	if err != nil {
		return err
	}
	if c.Output == "" || c.NArg() == 0 {
		usage()
		return fmt.Errorf("a folder and traces are needed: ohframe-beam -o DIR INPUT…")
	}
	return execute(ctx, *runner, c, own)
}

func usage() {
	out := flag.CommandLine.Output()
	fmt.Fprintln(out, "ohframe-beam -o DIR INPUT…\n\nFlags of ohframe fleet run:")
	for _, f := range newLine().list {
		fmt.Fprintln(out, "  "+strings.ReplaceAll(cli.FlagStringer(f), "\t", "  "))
	}
	fmt.Fprintln(out, "\nFlags of Beam:")
	flag.PrintDefaults()
}

// line is a parsed command line.
type line struct {
	*cli.Context
	flags.Fleet
	list []cli.Flag
}

func newLine() *line {
	l := &line{Fleet: flags.NewFleet()}
	l.list = flags.Bind(&l.Fleet)
	return l
}

// parse parses arguments with the flags of ohframe fleet run.
func parse(args []string) (*line, error) {
	l := newLine()
	app := &cli.App{
		Name: "ohframe-beam", HideHelp: true, HideVersion: true, Flags: l.list,
		Action:       func(c *cli.Context) error { l.Context = c; return flags.Check(c, &l.Fleet) },
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return err },
	}
	return l, app.Run(append([]string{app.Name}, args...))
}

// split divides arguments into those of ohframe fleet run, with the flags first, and those
// of Beam, which are in a set. Inputs are ours. Flags that nobody knows are Beam's, which
// reports them.
func split(args []string, set *flag.FlagSet) (own, beams []string, err error) {
	var inputs []string
	list := newLine().list
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			inputs = append(inputs, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			inputs = append(inputs, arg)
			continue
		}
		name, _, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		to, value := &beams, false
		if f := set.Lookup(name); f != nil {
			boolean, ok := f.Value.(interface{ IsBoolFlag() bool })
			value = !ok || !boolean.IsBoolFlag()
		} else if f := flags.Find(list, "-"+name); f != nil {
			to, value = &own, f.TakesValue()
		}
		*to = append(*to, arg)
		if value && !joined {
			if i++; i == len(args) {
				return nil, nil, fmt.Errorf("%s needs a value", arg)
			}
			*to = append(*to, args[i])
		}
	}
	return append(append(own, "--"), inputs...), beams, nil
}

// execute runs the shards of a command line with a runner of Beam.
func execute(ctx context.Context, runner string, c *line, args []string) error {
	// Beam reports each step and each worker at the level of information.
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	// Beam leaves a folder behind in each run.
	temporary, err := os.MkdirTemp("", "ohframe-beam-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := os.Setenv("TMPDIR", temporary); err != nil {
		return err
	}
	// Without a worker's program Beam tries to build one from source.
	if *jobopts.WorkerBinary == "" {
		if self, err := os.Executable(); err == nil {
			*jobopts.WorkerBinary = self
		}
	}
	job, shards, err := NewJob(ctx, args)
	if err != nil {
		return err
	}
	p := beam.NewPipeline()
	Pipeline(p.Root(), job, shards)
	if _, err := beam.Run(ctx, runner, p); err != nil {
		return err
	}
	d, err := fleet.Open(ctx, store{}, folder(c))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %d traces, %s\n", d.Dir, d.Traces, fleet.FailuresText(d.Failures))
	nothing := ""
	if d.Rows == 0 && len(d.Events) == 0 {
		nothing = fleet.ReasonsText(d.Failures)
	}
	return c.Check(d.Dir, nothing, d.Failures, d.Damaged, d.Unreliable)
}
