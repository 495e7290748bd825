// Command ohframe-beam runs the shards of ohframe fleet run with Apache Beam: in this
// process, or on a cluster of Flink, Spark or Dataflow. The dataset is the same.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"ohframe/internal/version"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "ohframe-beam: %v\n", err)
		os.Exit(1)
	}
}

// texts is a flag that may be repeated.
type texts []string

func (t *texts) Set(s string) error {
	*t = append(*t, s)
	return nil
}

func (t *texts) String() string { return strings.Join(*t, " ") }

func run() error {
	job := Job{Version: version.Exact()}
	runner := flag.String("runner", "prism", "prism (in this process), universal (a job server at --endpoint) or dataflow")
	flag.StringVar(&job.Dir, "o", "", "write the dataset to `DIR`, a folder or gs:// or s3://")
	flag.StringVar(&job.List, "list", "", "read the names of traces from `FILE`")
	flag.IntVar(&job.Shards, "shards", 0, "distribute the traces over `N` shards; 0 for as many as fit")
	flag.Var((*texts)(&job.Rules), "dim", "add a dimension: `NAME=REGEXP`; may be repeated")
	flag.StringVar(&job.Metadata, "metadata", "", "add dimensions from a `CSV` with a column trace")
	flag.DurationVar(&job.Timeout, "timeout", time.Minute, "give up a trace after `DURATION`; 0 never does")
	flag.BoolVar(&job.Frames, "frames", false, "also write all frames")
	flag.BoolVar(&job.NoCauses, "no-causes", false, "do not look for the causes of late frames")
	flag.BoolVar(&job.Resume, "resume", false, "skip shards that are complete")
	flag.IntVar(&job.Workers, "workers", 0, "read `N` traces at once in a shard; 0 for as many as there are processors")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "ohframe-beam [flags] -o DIR INPUT…")
		flag.PrintDefaults()
	}
	flag.Parse()
	job.Inputs = flag.Args()
	// A worker that a runner has started ends in Init.
	beam.Init()
	if job.Dir == "" || len(job.Inputs) == 0 && job.List == "" {
		flag.Usage()
		return fmt.Errorf("a folder and traces are needed: ohframe-beam -o DIR INPUT…")
	}
	return Execute(context.Background(), *runner, job)
}

// Execute runs the job's shards with a runner of Beam.
func Execute(ctx context.Context, runner string, job Job) error {
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
	job.warn = func(text string) { slog.Warn(text) }
	shards, err := job.shards(ctx)
	if err != nil {
		return err
	}
	p := beam.NewPipeline()
	Pipeline(p.Root(), job, shards)
	_, err = beam.Run(ctx, runner, p)
	return err
}
