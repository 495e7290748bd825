package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"ohframe"
	"ohframe/internal/fleet"
	"ohframe/internal/source/inputs"
)

func init() {
	register.DoFn2x1[context.Context, int, error](&runShard{})
}

// Job is what a worker needs to run a shard. Beam sends it to the workers as JSON.
type Job struct {
	Inputs   []string // files, folders and patterns
	List     string   // a file of names; may be empty
	Dir      string
	Shards   int // zero for as many as fit the inputs
	Rules    []string
	Metadata string
	Timeout  time.Duration
	Frames   bool
	NoCauses bool
	Resume   bool
	Workers  int
	Version  string

	warn func(string) // prints a warning; nil on workers
}

// plan lists the inputs. All workers see the same ones, so they get the same plan.
func (j *Job) plan(ctx context.Context) (*fleet.Plan, error) {
	o := fleet.Options{
		Read: ohframe.Options{Causes: !j.NoCauses, EntryIfArchive: true}, Version: j.Version,
		Timeout: j.Timeout, Frames: j.Frames, Shards: j.Shards,
	}
	for _, text := range j.Rules {
		rule, err := fleet.ParseRule(text)
		if err != nil {
			return nil, fmt.Errorf("--dim: %w", err)
		}
		o.Rules = append(o.Rules, rule)
	}
	if j.Metadata != "" {
		f, err := store{}.Open(ctx, j.Metadata)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if o.Metadata, err = fleet.ReadMetadata(f); err != nil {
			return nil, fmt.Errorf("%s: %w", j.Metadata, err)
		}
	}
	list, err := j.list(ctx)
	if err != nil {
		return nil, err
	}
	return fleet.NewPlan(list, o)
}

func (j *Job) list(ctx context.Context) ([]fleet.Input, error) {
	var local []string
	var lists [][]fleet.Input
	for _, name := range j.Inputs {
		if !isRemote(name) {
			local = append(local, name)
			continue
		}
		remote, err := listRemote(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		lists = append(lists, remote)
	}
	without := ""
	if !isRemote(j.Dir) {
		without = j.Dir
	}
	options := inputs.Options{Recursive: true, Without: without, Only: fleet.InShard(-1, 0)}
	found, err := inputs.Expand(local, options)
	if err != nil {
		return nil, err
	}
	j.warnOfSkipped(found)
	lists = append(lists, fleet.Found(found))
	if j.List != "" {
		f, err := store{}.Open(ctx, j.List)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		folder := ""
		if !isRemote(j.List) {
			folder = filepath.Dir(j.List)
		}
		found, err := inputs.ExpandList(f, folder, options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.List, err)
		}
		j.warnOfSkipped(found)
		listed := fleet.Found(found)
		for i, in := range listed {
			if isRemote(in.Name) {
				listed[i].Err = nil
				if listed[i].Size, err = size(ctx, in.Name); err != nil {
					listed[i].Err = err
				}
			}
		}
		lists = append(lists, listed)
	}
	return fleet.Merge(lists...), nil
}

// warnOfSkipped warns of the files that were skipped in folders.
func (j *Job) warnOfSkipped(found *inputs.Set) {
	for _, f := range found.Folders {
		if j.warn != nil {
			j.warn(f.Path + ": " + f.Warning())
		}
	}
}

// shards returns the number of shards. It fails if the folder has other shards.
func (j *Job) shards(ctx context.Context) (int, error) {
	plan, err := j.plan(ctx)
	if err != nil {
		return 0, err
	}
	return len(plan.Shards), plan.Check(ctx, store{}, j.Dir)
}

// Pipeline adds the steps to a scope. Nothing but the numbers of shards goes from one
// step to the next: workers read traces and write parts themselves.
//
//	numbers of shards ──▶ reshuffle ──▶ runShard ──▶ parts of the dataset
func Pipeline(s beam.Scope, job Job, shards int) {
	numbers := make([]int, shards)
	for k := range numbers {
		numbers[k] = k
	}
	job.Shards = shards
	beam.ParDo0(s, &runShard{Job: job}, beam.Reshuffle(s, beam.CreateList(s, numbers)))
}

// runShard runs the shard of a number.
type runShard struct {
	Job Job

	once sync.Once
	plan *fleet.Plan
	err  error
}

// ProcessElement runs a shard. Its parts are written again if Beam tries again. The error
// is that of writing: traces that cannot be read are failures in the dataset.
func (r *runShard) ProcessElement(ctx context.Context, shard int) error {
	r.once.Do(func() { r.plan, r.err = r.Job.plan(ctx) })
	if r.err != nil {
		return r.err
	}
	runner := &fleet.Runner{Plan: r.plan, Store: store{}, Dir: strings.TrimSuffix(r.Job.Dir, "/"), Resume: r.Job.Resume, Workers: r.Job.Workers}
	_, err := runner.Run(ctx, []int{shard})
	return err
}
