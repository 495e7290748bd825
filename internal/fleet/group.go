package fleet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/failure"
	"ohframe/internal/text"
)

// Totals are sums over rows. All of them are integers, so the order does not matter.
type Totals struct {
	sums       [len(sums)]int64
	peaks      [len(peaks)]int64
	histograms [histograms]Histogram
}

func (t *Totals) addRow(r *Row) {
	for i, n := range r.Sums {
		t.sums[i] += n
	}
	for i, n := range r.Peaks {
		t.peaks[i] = max(t.peaks[i], n)
	}
	for i, h := range r.Histograms {
		for _, c := range h {
			t.histograms[i].Add(c.Bucket, c.N)
		}
	}
}

func (t *Totals) merge(o *Totals) {
	for i, n := range o.sums {
		t.sums[i] += n
	}
	for i, n := range o.peaks {
		t.peaks[i] = max(t.peaks[i], n)
	}
	for i := range o.histograms {
		t.histograms[i].Merge(&o.histograms[i])
	}
}

// sum returns a sum by the name of its column.
func (t *Totals) sum(name string) int64 { return t.sums[sumIndex[name]] }

var sumIndex = func() map[string]int {
	index := map[string]int{}
	for i, c := range sums {
		index[c.name] = i
	}
	return index
}()

// Group is the rows with the same values of some dimensions.
type Group struct {
	// Key are the values, in the order of Query.By; nil if unknown.
	Key    []*string
	Rows   int
	Traces int
	Totals
	Causes  []Cause // what lost the most time first
	Worst   []Worst // the worst first
	Rates   []Rate  // of the traces that have frames with deadlines, the lowest first
	Devices []Rate  // of the devices, if there is a dimension of that name

	causes  map[string]*Cause
	devices map[string]*Rate
	trace   string // the trace of the last row
	rate    Rate   // of that trace
}

// Rate is late frames of frames with a deadline.
type Rate struct{ Late, Frames int64 }

// Share returns the rate, 0 to 1.
func (r Rate) Share() float64 { return float64(r.Late) / float64(r.Frames) }

// compareRates compares the shares exactly.
func compareRates(a, b Rate) int {
	return cmp.Or(cmp.Compare(a.Share(), b.Share()), cmp.Compare(a.Frames, b.Frames))
}

// Query selects and groups rows.
type Query struct {
	// By are the dimensions: of the dataset, or kind, process, format or recorded_day.
	By []string
	// Process is a pattern of stats.MatchName; empty for all.
	Process string
}

// deviceDim is the dimension whose values are devices.
const deviceDim = "device"

// maxGroups bounds the memory of a report. One group needs 10 to 50 KB.
const maxGroups = 20_000

// keyer computes the groups of rows.
type keyer struct {
	query Query
	match func(name string, pid trace.PID) bool // Query.Process
	dims  []string                              // those that rows need
	of    []func(*Row) *string
}

func newKeyer(d *Dataset, q Query) (*keyer, error) {
	k := &keyer{query: q}
	var err error
	if k.match, err = stats.MatchName(q.Process); err != nil {
		return nil, err
	}
	for _, name := range q.By {
		of, err := k.column(d, name)
		if err != nil {
			return nil, err
		}
		k.of = append(k.of, of)
	}
	return k, nil
}

// column returns the value function of a dimension.
func (k *keyer) column(d *Dataset, name string) (func(*Row) *string, error) {
	kinds := map[stats.Kind]*string{}
	for _, kind := range []stats.Kind{stats.Application, stats.RenderService} {
		text := string(kind)
		kinds[kind] = &text
	}
	switch name {
	case "kind":
		return func(r *Row) *string { return kinds[r.Kind] }, nil
	case "process":
		return func(r *Row) *string { return &r.Process }, nil
	case "format":
		return func(r *Row) *string { return &r.Format }, nil
	case recordedDay:
		return func(r *Row) *string {
			if r.Recorded == nil {
				return nil
			}
			text := day(*r.Recorded)
			return &text
		}, nil
	}
	if !slices.Contains(d.Dims, name) {
		names := append([]string{"kind", "process", "format", recordedDay}, d.Dims...)
		hint := "this dataset has " + strings.Join(names, ", ")
		if similar := text.Similar(name, names); similar != "" {
			hint = fmt.Sprintf("did you mean %s? ", similar) + hint
		}
		return nil, &failure.Error{What: fmt.Sprintf("no dimension %q", name), Hint: hint}
	}
	i := slices.Index(k.dims, name)
	if i < 0 {
		i = len(k.dims)
		k.dims = append(k.dims, name)
	}
	return func(r *Row) *string { return r.Dims[i] }, nil
}

// wants reports whether the query selects the row.
func (k *keyer) wants(r *Row) bool {
	return k.match(r.Process, r.PID)
}

// append appends the row's key as text: equal for equal values.
func (k *keyer) append(dst []byte, r *Row) []byte {
	for _, of := range k.of {
		if value := of(r); value != nil {
			dst = strconv.AppendInt(dst, int64(len(*value)), 10)
			dst = append(append(dst, ':'), *value...)
		} else {
			dst = append(dst, '-')
		}
	}
	return dst
}

// values returns copies of the row's values.
func (k *keyer) values(r *Row) []*string {
	values := make([]*string, len(k.of))
	for i, of := range k.of {
		if value := of(r); value != nil {
			text := strings.Clone(*value)
			values[i] = &text
		}
	}
	return values
}

// Groups returns the groups of a dataset's rows, by key.
func (d *Dataset) Groups(ctx context.Context, q Query) ([]*Group, error) {
	k, err := newKeyer(d, q)
	if err != nil {
		return nil, err
	}
	device := func(*Row) *string { return nil }
	if slices.Contains(d.Dims, deviceDim) {
		if device, err = k.column(d, deviceDim); err != nil {
			return nil, err
		}
	}
	w := wanted{dims: k.dims, details: true}
	for h := range histograms {
		w.histograms = append(w.histograms, h)
	}
	all, mutex := map[string]*Group{}, sync.Mutex{}
	tooMany := &failure.Error{What: fmt.Sprintf("more than %d groups", maxGroups), Hint: "--by fewer dimensions, or query the dataset with SQL: ohframe fleet sql"}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err = d.scan(ctx, w, func() (func(*Row), func()) {
		groups := map[string]*Group{}
		var key []byte
		row := func(r *Row) {
			if !k.wants(r) {
				return
			}
			key = k.append(key[:0], r)
			g := groups[string(key)]
			if g == nil {
				if len(groups) == maxGroups {
					cancel(tooMany)
					return
				}
				g = &Group{Key: k.values(r), causes: map[string]*Cause{}, devices: map[string]*Rate{}}
				groups[string(key)] = g
			}
			g.add(r, device(r))
		}
		end := func() { // a trace is in one part only
			for _, g := range groups {
				g.endTrace()
			}
		}
		merge := func() {
			mutex.Lock()
			defer mutex.Unlock()
			for key, g := range groups {
				if all[key] == nil {
					all[key] = g
				} else {
					all[key].merge(g)
				}
			}
			clear(groups)
		}
		return row, func() {
			end()
			if len(groups) > 0 {
				merge()
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if len(all) > maxGroups {
		return nil, tooMany
	}
	list := slices.Collect(maps.Values(all))
	for _, g := range list {
		g.finish()
	}
	slices.SortFunc(list, func(a, b *Group) int { return compareKeys(a.Key, b.Key) })
	return list, nil
}

func (g *Group) add(r *Row, device *string) {
	if g.trace != r.Trace {
		g.endTrace()
		g.trace = r.Trace
		g.Traces++
	}
	g.Rows++
	g.addRow(r)
	late, frames := r.Sums[sumIndex["late"]], r.Sums[sumIndex["with_deadline"]]
	g.rate.Late += late
	g.rate.Frames += frames
	if device != nil && frames > 0 {
		rate := g.devices[*device]
		if rate == nil {
			rate = &Rate{}
			g.devices[strings.Clone(*device)] = rate
		}
		rate.Late += late
		rate.Frames += frames
	}
	for i := range r.Causes {
		g.addCause(r.Causes[i])
	}
	g.addWorst(r.Worst)
}

func (g *Group) addCause(c Cause) {
	known := g.causes[c.Name]
	if known == nil {
		known = &Cause{Name: c.Name}
		g.causes[c.Name] = known
	}
	known.Frames += c.Frames
	known.Lost += c.Lost
}

func (g *Group) addWorst(list []Worst) {
	for _, w := range list {
		if len(g.Worst) == maxWorst && compareWorst(g.Worst[maxWorst-1], w) <= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(g.Worst, w, compareWorst)
		g.Worst = slices.Insert(g.Worst, at, w)
		g.Worst = g.Worst[:min(len(g.Worst), maxWorst)]
	}
}

// endTrace adds the rate of the trace whose rows have all been added.
func (g *Group) endTrace() {
	if g.rate.Frames > 0 {
		g.Rates = append(g.Rates, g.rate)
	}
	g.trace, g.rate = "", Rate{}
}

func (g *Group) merge(o *Group) {
	g.Rows += o.Rows
	g.Traces += o.Traces
	g.Totals.merge(&o.Totals)
	for _, c := range o.causes {
		g.addCause(*c)
	}
	g.addWorst(o.Worst)
	g.Rates = append(g.Rates, o.Rates...)
	for name, rate := range o.devices {
		if g.devices[name] == nil {
			g.devices[name] = &Rate{}
		}
		g.devices[name].Late += rate.Late
		g.devices[name].Frames += rate.Frames
	}
}

func (g *Group) finish() {
	for _, c := range g.causes {
		g.Causes = append(g.Causes, *c)
	}
	slices.SortFunc(g.Causes, compareCauses)
	slices.SortFunc(g.Rates, compareRates)
	for _, rate := range g.devices {
		g.Devices = append(g.Devices, *rate)
	}
	slices.SortFunc(g.Devices, compareRates)
	g.causes, g.devices = nil, nil
}

// compareKeys compares keys, numbers in them by value: version 5.9 is before 5.10.
// Unknown values are last.
func compareKeys(a, b []*string) int {
	for i := range a {
		switch {
		case a[i] == nil && b[i] == nil:
			continue
		case a[i] == nil:
			return 1
		case b[i] == nil:
			return -1
		}
		if order := cmp.Or(compareNatural(*a[i], *b[i]), cmp.Compare(*a[i], *b[i])); order != 0 {
			return order
		}
	}
	return 0
}

func compareNatural(a, b string) int {
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m > 0 && n > 0 {
			x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
			if order := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); order != 0 {
				return order
			}
			a, b = a[m:], b[n:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the number of digits at the start.
func digits(s string) int {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return i
		}
	}
	return len(s)
}

// percentileOf returns the percentile of p hundredths of a sorted list, by nearest rank.
func percentileOf[T any](sorted []T, p int) T { return sorted[(p*len(sorted)+99)/100-1] }
