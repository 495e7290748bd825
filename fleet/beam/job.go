package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"ohframe/internal/fleet"
	"ohframe/internal/inputs"
)

func init() {
	register.DoFn2x1[context.Context, int, error](&runShard{})
}

// Job is what a worker needs to run a shard. Beam sends it to the workers as JSON.
type Job struct {
	Args   []string // those of ohframe fleet run
	Shards int
	// SameAs are the traces that have the content of another one: see fleet.MarkDuplicates.
	SameAs map[string]string
}

// NewJob returns the job of a command line, and the number of its shards. It fails if the folder
// of the dataset has other shards.
func NewJob(ctx context.Context, args []string) (*Job, int, error) {
	c, list, err := inputsOf(ctx, args, func(text string) { slog.Warn(text) })
	if err != nil {
		return nil, 0, err
	}
	if err := fleet.MarkDuplicates(ctx, store{}, list, c.Timeout); err != nil {
		return nil, 0, err
	}
	job := &Job{Args: args, Shards: c.Shards.Count, SameAs: map[string]string{}}
	for _, in := range list {
		if in.SameAs != "" {
			job.SameAs[in.Name] = in.SameAs
		}
	}
	plan, err := job.planOf(ctx, c, list)
	if err != nil {
		return nil, 0, err
	}
	job.Shards = len(plan.Shards)
	return job, job.Shards, plan.Check(ctx, store{}, folder(c))
}

// plan lists the inputs. All workers see the same ones, so they get the same plan.
func (j *Job) plan(ctx context.Context) (*line, *fleet.Plan, error) {
	c, list, err := inputsOf(ctx, j.Args, func(string) {})
	if err != nil {
		return nil, nil, err
	}
	plan, err := j.planOf(ctx, c, list)
	return c, plan, err
}

func (j *Job) planOf(ctx context.Context, c *line, list []fleet.Input) (*fleet.Plan, error) {
	o, err := c.Options(c.Context, func(name string) (io.ReadCloser, error) { return store{}.Open(ctx, name) })
	if err != nil {
		return nil, err
	}
	o.Shards = j.Shards
	for i := range list {
		list[i].SameAs = j.SameAs[list[i].Name]
	}
	return fleet.NewPlan(list, o)
}

// folder returns the folder of the dataset.
func folder(c *line) string { return strings.TrimSuffix(c.Output, "/") }

// inputsOf parses a command line and lists its inputs. warn is called for each folder with files
// that are skipped.
func inputsOf(ctx context.Context, args []string, warn func(string)) (*line, []fleet.Input, error) {
	c, err := parse(args)
	if err != nil {
		return nil, nil, err
	}
	timeout := c.Timeout
	events := fleet.NewEvents(ctx, store{}, timeout)
	options := inputs.Options{Recursive: true, Only: fleet.InShard(-1, 0), Events: events.Read, Timeout: timeout}
	if dir := folder(c); !isRemote(dir) {
		options.Without = dir
	}
	var lists [][]fleet.Input
	var set inputs.Set // of the events of all arguments
	for _, name := range c.Args().Slice() {
		list, found, err := inputsNamed(ctx, name, options, warn)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		set.Events = append(set.Events, found...)
		lists = append(lists, list)
	}
	list := events.AddTo(fleet.Merge(lists...), &set, options.Only)
	fleet.Describe(ctx, store{}, list, timeout)
	if dir := folder(c); !isRemote(dir) {
		err = fleet.CheckParts(dir, list, nil)
	}
	return c, list, err
}

// inputsNamed lists what an argument names: files, a pattern of an object store, or the lines of
// a list of either. Events are listed apart.
func inputsNamed(ctx context.Context, name string, options inputs.Options, warn func(string)) (list []fleet.Input, events []inputs.Input, err error) {
	var found *inputs.Set
	switch at, isList := strings.CutPrefix(name, "@"); {
	case isList && isRemote(at):
		f, err := store{}.Open(ctx, at)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		found, err = inputs.ExpandList(f, "", options)
		if err != nil {
			return nil, nil, err
		}
	case isRemote(name):
		all, err := listRemote(ctx, name)
		for _, in := range all {
			if strings.HasSuffix(in.Name, ".json") && options.Events(in.Name) {
				events = append(events, inputs.Input{Path: in.Name, Size: in.Size})
			} else {
				list = append(list, in)
			}
		}
		return list, events, err
	default:
		if found, err = inputs.Expand([]string{name}, options); err != nil {
			return nil, nil, err
		}
	}
	for _, f := range found.Folders {
		warn(f.Path + ": " + f.Warning())
	}
	list = fleet.Found(found)
	for i, in := range list {
		if isRemote(in.Name) {
			list[i].Size, list[i].Err = store{}.Size(ctx, in.Name)
		}
	}
	return list, found.Events, nil
}

// Pipeline adds the steps to a scope. Nothing but the numbers of shards goes from one
// step to the next: workers read traces and write parts themselves.
//
//	numbers of shards ──▶ reshuffle ──▶ runShard ──▶ parts of the dataset
func Pipeline(s beam.Scope, job *Job, shards int) {
	numbers := make([]int, shards)
	for k := range numbers {
		numbers[k] = k
	}
	beam.ParDo0(s, &runShard{Job: *job}, beam.Reshuffle(s, beam.CreateList(s, numbers)))
}

// runShard runs the shard of a number.
type runShard struct {
	Job Job

	once    sync.Once
	command *line
	plan    *fleet.Plan
	err     error
}

// ProcessElement runs a shard. Its parts are written again if Beam tries again. The error
// is that of writing: traces that cannot be read are failures in the dataset.
func (r *runShard) ProcessElement(ctx context.Context, shard int) error {
	r.once.Do(func() { r.command, r.plan, r.err = r.Job.plan(ctx) })
	if r.err != nil {
		return r.err
	}
	c := r.command
	runner := &fleet.Runner{Plan: r.plan, Store: store{}, Dir: folder(c), Resume: c.Resume}
	_, err := runner.Run(ctx, []int{shard})
	return err
}
