package fleet

import (
	"slices"

	"ohframe/analyzer/stats"
)

// measures are the measures of a group, in the order of reports: those of package stats that several
// processes, interactions or layers have together. Names and units are those of ohframe diff, those of
// layers the fields of their JSON.
var measures = func() (list stats.MeasureList) {
	for _, m := range slices.Concat(stats.Measures, stats.PoolMeasures) {
		if m.Aggregate != nil {
			list = append(list, m)
		}
	}
	for _, m := range stats.LayerMeasures {
		if m.Name = m.Path; m.Aggregate != nil && list.Named(m.Name) == nil {
			list = append(list, m)
		}
	}
	return list
}()

// compared are the measures of SQL views: of processes the main ones that are rates or percentiles, of
// interactions and layers those that ohframe diff tests.
var compared = func() (names [tables][]string) {
	for _, m := range stats.PoolMeasures {
		if m.Aggregate.Times != "" {
			names[ofInteractions] = append(names[ofInteractions], m.Name)
		}
	}
	for _, m := range measures {
		if m.Main && m.Aggregate.Peak == "" {
			names[ofFrames] = append(names[ofFrames], m.Name)
			if slices.ContainsFunc(stats.InteractionMeasures, func(o stats.Measure) bool { return m.Same(&o) }) {
				names[ofInteractions] = append(names[ofInteractions], m.Name)
			}
		}
	}
	for _, m := range stats.LayerMeasures {
		if m.Tested && m.Aggregate != nil {
			names[ofLayers] = append(names[ofLayers], m.Path)
		}
	}
	return names
}()

// column is a column of numbers of rows.
type column struct {
	stats.Sum
	tables [tables]*stats.Sum // what the rows of a table have; nil if they do not have the column
}

// columns are the columns of numbers. Their order is that of the dataset. None has a larger index than
// mostColumns.
var columns = func() (list []column) {
	add := func(sums []stats.Sum, of ...table) {
		for i := range sums {
			at := slices.IndexFunc(list, func(c column) bool { return c.Name == sums[i].Name })
			if at < 0 {
				at, list = len(list), append(list, column{Sum: sums[i]})
			}
			for _, t := range of {
				list[at].tables[t] = &sums[i]
			}
		}
	}
	add(stats.ProcessSums, ofFrames, ofInteractions)
	add(stats.LayerSums, ofLayers)
	return list
}()

const mostColumns = 80

// numbers are the values of columns.
type numbers [mostColumns]int64

// of returns the number of a column by its name.
func (n *numbers) of(name string) int64 { return n[columnIndex[name]] }

// add adds the numbers of other rows.
func (n *numbers) add(o *numbers) {
	for i, c := range columns {
		if c.Peak {
			n[i] = max(n[i], o[i])
		} else {
			n[i] += o[i]
		}
	}
}

// measure sets the numbers of the columns of a table to those of a *stats.Process or a *stats.Layer.
func (n *numbers) measure(t table, subject any) {
	for i, c := range columns {
		if sum := c.tables[t]; sum != nil {
			n[i] = sum.Of(subject)
		}
	}
}

var columnIndex = func() map[string]int {
	index := map[string]int{}
	for i, c := range columns {
		index[c.Name] = i
	}
	return index
}()

// Sum returns a number of the group.
func (g *Group) Sum(name string) int64 { return g.Numbers.of(name) }

// Times returns the times of the group by name; nil if it does not have them.
func (g *Group) Times(name string) stats.Times {
	switch name {
	case "response":
		return &g.shown[responseTime]
	case "completion":
		return &g.shown[completionTime]
	}
	h := g.histogram(histogramIndex(name))
	switch {
	case h == nil:
		return nil
	case name == "overrun":
		return overruns{h, g.histogram(histogramIndex("ahead"))}
	}
	return h
}

// overruns are the overruns of all frames, negative before their deadlines.
type overruns struct{ late, ahead *histogram }

func (o overruns) Total() int64 { return o.late.Total() + o.ahead.Total() }
func (o overruns) Exact() bool  { return o.late.Exact() && o.ahead.Exact() }
func (o overruns) Percentile(thousandth, least int64) *int64 {
	ahead, total := o.ahead.Total(), o.Total()
	if total < max(1, least) {
		return nil
	}
	rank := rankOf(thousandth, total)
	if rank > ahead {
		return o.late.nth(rank - ahead)
	}
	return new(-*o.ahead.nth(ahead - rank + 1))
}

// shownTime is a time of interactions.
type shownTime int

const (
	responseTime shownTime = iota
	completionTime
	shownTimes
)
