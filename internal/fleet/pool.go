package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/locate"
	"ohframe/internal/report"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// PoolOptions select what is pooled. The dimensions decide whether processes, interactions or layers are pooled; without
// any, all three are, or those that Interactions and Layers ask for.
type PoolOptions struct {
	Query
	Interactions, Layers bool
}

// queries returns what is asked of each table.
func (o *PoolOptions) queries() (list []Query, err error) {
	all := [tables][]string{{"kind", "process"}, {"process", sceneDim, pageDim}, {"process", layerDim}}
	for t, by := range all {
		q := o.Query
		q.By = nil
		if o.By != nil {
			of, err := tableOf(o.By)
			if err != nil {
				return nil, err
			}
			if of == table(t) {
				q.By = o.By
			}
		} else if !o.Interactions && !o.Layers || o.Interactions && table(t) == ofInteractions || o.Layers && table(t) == ofLayers {
			q.By = by
		}
		list = append(list, q)
	}
	return list, nil
}

// Pool returns what the traces of datasets have together, as an input of a report.
func Pool(ctx context.Context, name string, datasets []*Dataset, o PoolOptions) (*report.Input, error) {
	p := &report.Pool{Worst: o.By == nil, TraceCounts: causes.NewTraceCounts()}
	in := &report.Input{Name: name, Stats: &stats.Report{}, Pool: p}
	for _, d := range datasets {
		p.Add(&d.TraceCounts)
		p.Shards, p.Missing = p.Shards+d.Shards, append(p.Missing, d.Missing...)
	}
	queries, err := o.queries()
	if err != nil {
		return nil, err
	}
	found := 0
	for t, q := range queries {
		if q.By == nil {
			continue
		}
		groups, total, err := groupsOf(ctx, datasets, q)
		if err != nil {
			return nil, err
		}
		p.By[t], p.Total[t], found = q.By, total, found+total
		for _, g := range groups {
			switch table(t) {
			case ofFrames:
				in.Stats.Processes = append(in.Stats.Processes, g.process)
			case ofInteractions:
				in.Stats.Interactions = append(in.Stats.Interactions, g.interaction)
			case ofLayers:
				in.Stats.Layers = append(in.Stats.Layers, g.layer)
			}
		}
	}
	if found == 0 && o.Process != "" {
		err = noProcess(ctx, datasets, o.Process)
	}
	return in, err
}

// addOnce adds a copy of a text to a list that does not have it.
func addOnce(list *[]string, text string) {
	if !slices.Contains(*list, text) {
		*list = append(*list, strings.Clone(text))
	}
}

// only returns the element of a list with one; nil of others.
func only(list []string) *string {
	if len(list) != 1 {
		return nil
	}
	return &list[0]
}

// subject sets what is measured of the group: a process, an interaction or a layer.
func (g *Group) subject(t table, by []string, pool *stats.Pool) {
	value := func(dim string) *string {
		if i := slices.Index(by, dim); i >= 0 {
			return g.Key[i]
		}
		return nil
	}
	known := func(text *string) string {
		if text == nil {
			return ""
		}
		return *text
	}
	switch process := value("process"); t {
	case ofFrames:
		g.process = &stats.Process{Kind: stats.Kind(known(only(g.kinds))), Name: cmp.Or(known(process), pool.Name), PID: trace.UnknownPID, Pool: pool}
		stats.PoolProcess(g.process, g)
	case ofInteractions:
		g.interaction = &stats.Interaction{
			Kind: known(only(g.kinds)), Process: known(process), PID: trace.UnknownPID, Scene: known(value(sceneDim)), Page: value(pageDim), Input: only(g.inputs), Pool: pool,
		}
		stats.PoolInteraction(g.interaction, g)
	case ofLayers:
		g.layer = &stats.Layer{Name: known(value(layerDim)), Process: process, Pool: pool}
		stats.PoolLayer(g.layer, g)
	}
}

// groupName names a group by its key, without the kind of its frames unless that is all.
func groupName(by []string, key []*string) string {
	if i := slices.Index(by, "kind"); i >= 0 && len(key) > 1 {
		key = slices.Delete(slices.Clone(key), i, i+1)
	}
	return view.GroupText(key)
}

// NewDataset returns a dataset in memory, without traces.
func NewDataset(dims []string) *Dataset {
	return &Dataset{Dims: dims, TraceCounts: causes.NewTraceCounts(), columnsOf: everything}
}

// NewRankingDataset returns a dataset in memory that keeps of traces only what a ranking needs. Commands about them have the flags.
func NewRankingDataset(dims, flags []string) *Dataset {
	d := NewDataset(dims)
	d.columnsOf, d.flags = ofCauses, flags
	return d
}

// Only returns the dataset with the given traces only, and without failures and events. unreliable is the number of
// these traces with unreliable data.
func (d *Dataset) Only(names []string, unreliable int) *Dataset {
	some := *d
	some.TraceCounts, some.only = causes.TraceCounts{Traces: len(names), Measured: len(names), Unreliable: unreliable}, map[string]bool{}
	for _, name := range names {
		some.only[name] = true
	}
	return &some
}

// Add adds a trace to a dataset in memory, with the values of its dimensions.
func (d *Dataset) Add(name string, values map[string]string, t *ohframe.Trace) {
	dims := make([]*string, len(d.Dims))
	for i, dim := range d.Dims {
		if value := values[dim]; value != "" {
			dims[i] = &value
		}
	}
	var rows [tables]*packer
	for t := range rows {
		rows[t] = newPacker(d.columnsOf(table(t), d.Dims))
	}
	rowsOf(source{name: name, dims: dims}, t, func(of table, row *Row) { rows[of].add(row) })
	d.Traces++
	if rows[ofFrames].n == 0 {
		d.Failures[noFrames]++
		return
	}
	d.Measured++
	for t, p := range rows {
		d.packed[t] = append(d.packed[t], p.packed)
	}
	if t.Quality != nil && t.Quality.Verdict == stats.Unreliable {
		d.Unreliable++
	}
}

// scanPacked yields the rows of the traces in memory.
func (d *Dataset) scanPacked(w wanted, yield func(*Row)) error {
	r := Row{flags: d.flags}
	cells := r.cells(d.columnsOf(w.table, d.Dims))
	all, wanted := r.Dims, make([]*string, len(w.dims))
	for _, p := range d.packed[w.table] {
		err := p.load(cells, func() error {
			for i, name := range w.dims {
				wanted[i] = nil
				if of := slices.Index(d.Dims, name); of >= 0 {
					wanted[i] = all[of]
				}
			}
			r.Dims = wanted
			yield(&r)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// around is how much of the trace before and after a frame openCommand shows.
const around = trace.Second

// openCommand returns the command that shows the frame in the Perfetto UI.
func (w Worst) openCommand() string {
	window := []string{"--from", max(0, w.Start.Add(-around)).String(), "--to", w.Start.Add(w.Overrun + around).String()}
	return locate.NewOpener(locate.Process(w.Process, w.PID), w.Trace, window...).Frame(w.VsyncID, w.Start, w.timed)
}

// whyCommand returns the command that explains the frame.
func (w Worst) whyCommand() string {
	return fmt.Sprintf("ohframe why --process %s --frame %d -- %s", locate.Process(w.Process, w.PID), w.VsyncID, text.Quoted(w.Trace))
}
