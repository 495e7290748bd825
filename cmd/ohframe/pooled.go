package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ohframe"
	"ohframe/internal/fleet"
	"ohframe/internal/report"
	"ohframe/internal/text"
)

// splitStored returns the datasets of inputs, with what --where selects of them, and the other inputs. What is
// bad about the datasets is added to the reader.
func splitStored(r *reader, list []input) (datasets []*fleet.Dataset, others []input) {
	warnTwice(list, "it counts each time")
	names, unreliable := map[*fleet.Dataset][]string{}, map[*fleet.Dataset]int{}
	for _, in := range list {
		if in.stored == nil {
			others = append(others, in)
			continue
		}
		d := in.stored.Dataset
		if names[d] == nil {
			datasets = append(datasets, d)
		}
		if names[d] = append(names[d], in.name); in.stored.Unreliable {
			unreliable[d]++
		}
	}
	for i, d := range datasets {
		r.total += len(names[d])
		if n := unreliable[d]; n > 0 {
			r.addBad(d.Dir, text.Count(n, "trace")+" with unreliable data")
		}
		for _, missing := range d.Warnings() {
			r.addBad(d.Dir, missing)
		}
		if d.Damaged > 0 {
			r.addBad(d.Dir, text.Count(d.Damaged, "trace")+" damaged")
		}
		if failed := d.Failed(); failed != "" && len(r.c.Where) == 0 {
			r.addBad(d.Dir, failed)
			r.unchecked = append(r.unchecked, text.Printable(d.Dir)+": not checked: "+failed)
		}
		if len(r.c.Where) > 0 {
			datasets[i] = d.Only(names[d], unreliable[d])
		}
	}
	r.beside = len(datasets) > 0
	return datasets, others
}

// dimensionsOf returns the dimensions of inputs.
func dimensionsOf(list []input) []string {
	dims := map[string]bool{}
	for _, in := range list {
		for dim := range in.values {
			dims[dim] = true
		}
	}
	return slices.Sorted(maps.Keys(dims))
}

// shownGroups is the number of groups that are measured for people, without --all.
const shownGroups = 100

// pooled returns what inputs have together. all says that all groups and all measures are needed.
func pooled(c *call, f *reportFlags, r *reader, list []input, all bool) (*report.Input, error) {
	o := fleet.PoolOptions{
		Query:        fleet.Query{Process: f.Process, Stages: all || r.format == "json" || r.format == "csv"},
		Interactions: f.Kind.Value == "interaction", Layers: f.Kind.Value == "layer",
	}
	var err error
	if o.By, err = byDimensions(f.By); err != nil {
		return nil, err
	}
	if !o.Stages && !f.All {
		o.Top = shownGroups
	}
	datasets, traces := splitStored(r, list)
	if len(datasets) > 0 && c.NoCauses {
		return nil, &failure{file: datasets[0].Dir, what: "--no-causes is for reading traces, which a dataset does not have", hint: "name the traces, or run ohframe fleet run with the flag"}
	}
	var names []string
	for _, d := range datasets {
		names = append(names, d.Dir)
	}
	if len(traces) > 0 {
		read := fleet.NewDataset(dimensionsOf(traces))
		read.NoCauses = !r.causes
		err := r.each(traces, func(in input, t *ohframe.Trace) error {
			read.Add(inputName(in.name), in.values, t)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if read.Traces > 0 {
			datasets, names = append(datasets, read), append(names, "files")
		}
	}
	in, err := await(c.Context, func() (*report.Input, error) { return fleet.Pool(c.Context, strings.Join(names, ", "), datasets, o) })
	if err == nil && in.Pool.NotCounted() != "" {
		r.unchecked = append(r.unchecked, in.Name+": "+in.Pool.NotCounted())
	}
	return in, err
}

type unitFlag struct {
	Unit string `flag:"unit" usage:"compare values of {DIMENSION}, or trace"`
}

// byDimensions returns the dimensions of --by; nil without it.
func byDimensions(by string) (dims []string, err error) {
	for dim := range strings.SplitSeq(by, ",") {
		dim = strings.TrimSpace(dim)
		switch {
		case by == "":
		case dim == "":
			return nil, &failure{what: "--by: the name of a dimension is empty", hint: "write --by process,version"}
		case slices.Contains(dims, dim):
			return nil, &failure{what: "--by: the dimension " + dim + " is given twice"}
		default:
			dims = append(dims, dim)
		}
	}
	return dims, nil
}

func openDataset(c *call, dir string) (*fleet.Dataset, error) {
	d, err := await(c.Context, func() (*fleet.Dataset, error) { return fleet.Open(c.Context, fleet.Files{}, dir) })
	if err != nil {
		return nil, err
	}
	usesDataset(c, dir)
	printWarnings(dir, d.Warnings())
	return d, nil
}

// usesDataset says that the command reads the parts of a dataset.
func usesDataset(c *call, dir string) {
	for _, folder := range fleet.Folders {
		entries, _ := os.ReadDir(filepath.Join(dir, folder))
		for _, e := range entries {
			uses(c, filepath.Join(dir, folder, e.Name()))
		}
	}
}
