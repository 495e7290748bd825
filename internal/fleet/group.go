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
	"ohframe/internal/diag"
	"ohframe/internal/text"
)

// Group is the rows with the same values of some dimensions.
type Group struct {
	// Key are the values, in the order of Query.By; nil if unknown.
	Key    []*string
	Rows   int
	Traces int
	// Numbers are the values of columns. All of them are integers, so the order of rows does not
	// matter.
	Numbers numbers
	Causes  []stats.PoolCause // what lost the most time first
	Worst   []Worst           // the worst first

	// One of these is measured.
	process     *stats.Process
	interaction *stats.Interaction
	layer       *stats.Layer

	// While rows are added. Afterwards they are nil.
	histograms []histogram
	first      int                   // of histograms
	shown      [shownTimes]histogram // of interactions
	causes     map[string]*stats.PoolCause
	devices    map[string]*rate
	rates      []rate // of the traces before trace
	trace      string // of the last row
	rate       rate   // of that trace
	// The kinds and the inputs of rows, each once.
	kinds, inputs []string
}

// rate is late frames of judged frames.
type rate struct{ late, frames int64 }

func (r rate) share() float64 { return float64(r.late) / float64(r.frames) }

func newDistribution(rates []rate) *stats.Distribution {
	shares := make([]float64, len(rates))
	for i, r := range rates {
		shares[i] = r.share()
	}
	return stats.NewDistribution(shares)
}

// Query selects and groups rows.
type Query struct {
	// By are the dimensions: of the dataset, or kind, process, format or recorded_day. With
	// scene or page the rows are those of interactions, with layer those of layers.
	By []string
	// Process is a pattern of stats.MatchName; empty for all.
	Process string
	// Top is how many groups are wanted: those with the most frames. Zero is all.
	Top int
	// Stages adds the measures of stages, which take most of the time and memory.
	Stages bool
}

// deviceDim is the dimension whose values are devices.
const deviceDim = "device"

// unitDim returns the dimension whose values are what is counted: users, otherwise devices; empty without them.
func unitDim(dims []string) string {
	for _, dim := range []string{userDim, deviceDim} {
		if slices.Contains(dims, dim) {
			return dim
		}
	}
	return ""
}

// keyer computes the groups of rows.
type keyer struct {
	match func(name string, pid trace.PID) bool // Query.Process
	dims  []string                              // those that rows need
	of    []func(*Row) *string
	table table
}

func newKeyer(dims []string, q Query) (*keyer, error) {
	t, err := tableOf(q.By)
	if err != nil {
		return nil, err
	}
	k := &keyer{table: t}
	if k.match, err = stats.MatchName(q.Process); err != nil {
		return nil, err
	}
	for _, name := range q.By {
		of, err := k.column(dims, name)
		if err != nil {
			return nil, err
		}
		k.of = append(k.of, of)
	}
	return k, nil
}

// column returns the value function of a dimension.
func (k *keyer) column(dims []string, name string) (func(*Row) *string, error) {
	switch name {
	case traceDim:
		return func(r *Row) *string { return &r.Trace }, nil
	case "kind":
		return func(r *Row) *string { return (*string)(&r.Kind) }, nil
	case "process":
		return func(r *Row) *string { return &r.Process }, nil
	case "format":
		return func(r *Row) *string { return &r.Format }, nil
	case sceneDim:
		return func(r *Row) *string { return &r.Scene }, nil
	case pageDim:
		return func(r *Row) *string { return r.Page }, nil
	case layerDim:
		return func(r *Row) *string { return &r.Layer }, nil
	case causeDim:
		return nil, &diag.Error{What: "groups by cause are not reported", Hint: "ohframe why DIR ranks causes"}
	case recordedDay:
		return func(r *Row) *string {
			if r.Recorded == nil {
				return nil
			}
			return new(day(*r.Recorded))
		}, nil
	}
	if !slices.Contains(dims, name) {
		names := []string{traceDim, "kind", "process", "format", recordedDay, sceneDim, pageDim, layerDim}
		for _, dim := range dims {
			addOnce(&names, dim) // those of traces have recordedDay
		}
		hint := text.Suggest("", name, names, "the dimensions are "+strings.Join(names, ", "))
		return nil, &diag.Error{What: fmt.Sprintf("--by: no input has the dimension %q", name), Hint: hint}
	}
	i := slices.Index(k.dims, name)
	if i < 0 {
		i = len(k.dims)
		k.dims = append(k.dims, name)
	}
	return func(r *Row) *string { return r.Dims[i] }, nil
}

// append appends the row's key as text: equal for equal values.
func (k *keyer) append(dst []byte, r *Row) []byte {
	for _, of := range k.of {
		dst = appendValue(dst, of(r))
	}
	return dst
}

func appendValue(dst []byte, value *string) []byte {
	if value == nil {
		return append(dst, '-')
	}
	dst = strconv.AppendInt(dst, int64(len(*value)), 10)
	return append(append(dst, ':'), *value...)
}

// values returns copies of the row's values.
func (k *keyer) values(r *Row) []*string {
	values := make([]*string, len(k.of))
	for i, of := range k.of {
		if value := of(r); value != nil {
			values[i] = new(strings.Clone(*value))
		}
	}
	return values
}

// maxGroups bounds the memory for the keys of groups: 300 bytes each.
const maxGroups = 200_000

// noProcess returns the error of a pattern that matches no process of datasets; nil if it matches one, or if they
// have none.
func noProcess(ctx context.Context, datasets []*Dataset, pattern string) error {
	processes := func(pattern string) (map[string]*surveyed, error) {
		k, err := newKeyer(nil, Query{By: []string{"process"}, Process: pattern})
		if err != nil {
			return nil, err
		}
		return survey(ctx, datasets, k)
	}
	if found, err := processes(pattern); err != nil || len(found) > 0 {
		return err
	}
	found, err := processes("")
	if err != nil || len(found) == 0 {
		return err
	}
	var others []*stats.Process
	for _, id := range mostFirst(found) {
		others = append(others, &stats.Process{Name: *found[id].key[0], Frames: stats.Counts{Complete: int(found[id].counts)}})
	}
	return fmt.Errorf("--process: %w", text.NoneSelectedError(pattern, text.Names(others), others))
}

var errTooManyGroups = &diag.Error{What: fmt.Sprintf("more than %d groups", maxGroups), Hint: "--by fewer dimensions, or query the dataset with SQL: ohframe fleet sql"}

// sum is what rows of one key add up to.
type sum[S any] interface {
	merge(S)
	size() int // how many keys it has
}

// gather adds the rows of datasets up by key. The key is appended to a buffer; false are
// rows that are not wanted. create returns the sum of no rows with the key of a row.
func gather[S sum[S]](ctx context.Context, datasets []*Dataset, w wanted, key func([]byte, *Row) ([]byte, bool), create func(*Row) S, add func(S, *Row)) (map[string]S, error) {
	all, mutex := map[string]S{}, sync.Mutex{}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := func() (func(*Row), func()) {
		part, size := map[string]S{}, 0
		var id []byte
		row := func(r *Row) {
			var ok bool
			if id, ok = key(id[:0], r); !ok {
				return
			}
			if size > maxGroups {
				cancel(errTooManyGroups)
				return
			}
			sum, known := part[string(id)]
			before := 0
			if known {
				before = sum.size()
			} else {
				sum = create(r)
				part[string(id)] = sum
			}
			add(sum, r)
			size += sum.size() - before
		}
		return row, func() {
			mutex.Lock()
			defer mutex.Unlock()
			merge(all, part)
			clear(part)
			size = 0
			total := 0
			for _, sum := range all {
				total += sum.size()
			}
			if total > maxGroups {
				cancel(errTooManyGroups)
			}
		}
	}
	for _, d := range datasets {
		if err := d.scan(ctx, w, begin); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// merge adds sums to others, by key.
func merge[S sum[S]](all, more map[string]S) {
	for key, sum := range more {
		if known, ok := all[key]; ok {
			known.merge(sum)
		} else {
			all[key] = sum
		}
	}
}

// surveyed is what the first of the two passes over datasets finds of a group: little, as
// most groups may not be shown.
type surveyed struct {
	key    []*string
	counts int64 // frames or buffers
}

func (s *surveyed) merge(o *surveyed) { s.counts += o.counts }
func (s *surveyed) size() int         { return 1 }

// survey finds the groups of datasets.
func survey(ctx context.Context, datasets []*Dataset, k *keyer) (map[string]*surveyed, error) {
	key := func(dst []byte, r *Row) ([]byte, bool) { return k.append(dst, r), k.match(r.Process, r.PID) }
	create := func(r *Row) *surveyed { return &surveyed{key: k.values(r)} }
	counts := k.table.counts()
	return gather(ctx, datasets, wanted{dims: k.dims, table: k.table}, key, create, func(s *surveyed, r *Row) { s.counts += r.Numbers[counts] })
}

// mostFirst returns the keys of groups, those with the most frames first.
func mostFirst(found map[string]*surveyed) []string {
	return slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(found[b].counts, found[a].counts), compareKeys(found[a].key, found[b].key))
	})
}

// histogramsPerPass bounds the memory of a pass: a histogram needs about 5 KB.
const histogramsPerPass = 10_000

// groupsOf returns the groups of datasets that are wanted, by key, and the number of all.
// The first pass over the datasets ranks the groups, and others add up those that are
// wanted, some at a time.
func groupsOf(ctx context.Context, datasets []*Dataset, q Query) (shown []*Group, total int, err error) {
	var dims []string
	for _, d := range datasets {
		for _, dim := range d.Dims {
			addOnce(&dims, dim)
		}
	}
	k, err := newKeyer(dims, q)
	device := func(*Row) *string { return nil }
	if err == nil && slices.Contains(dims, deviceDim) {
		device, err = k.column(dims, deviceDim)
	}
	if err != nil {
		return nil, 0, err
	}
	found, err := survey(ctx, datasets, k)
	if err != nil {
		return nil, 0, err
	}
	ids := mostFirst(found)
	total = len(ids)
	if q.Top > 0 {
		ids = ids[:min(q.Top, total)]
	}
	if total == 0 {
		return nil, 0, nil
	}
	t := k.table
	w := wanted{sums: true, histograms: durationHistogram + 1, details: true, table: t, dims: k.dims}
	if _, all := t.histograms(); q.Stages || t == ofLayers {
		w.histograms = all
	}
	for some := range slices.Chunk(ids, histogramsPerPass/w.histograms) {
		chosen := map[string]bool{}
		for _, id := range some {
			chosen[id] = true
		}
		key := func(dst []byte, r *Row) ([]byte, bool) {
			dst = k.append(dst, r)
			return dst, chosen[string(dst)] && k.match(r.Process, r.PID)
		}
		create := func(*Row) *Group {
			g := newGroup(w)
			g.causes, g.devices = map[string]*stats.PoolCause{}, map[string]*rate{}
			return g
		}
		groups, err := gather(ctx, datasets, w, key, create, func(g *Group, r *Row) { g.add(r, device(r)) })
		if err != nil {
			return nil, 0, err
		}
		for id, g := range groups {
			g.Key = found[id].key
			g.finish(t, q.By, !slices.ContainsFunc(datasets, func(d *Dataset) bool { return d.NoCauses }))
			shown = append(shown, g)
		}
	}
	slices.SortFunc(shown, func(a, b *Group) int { return compareKeys(a.Key, b.Key) })
	return shown, total, nil
}

// mostShown is the number of causes of a group.
const mostShown = 10

// newGroup returns a group of no rows with the histograms that are wanted.
func newGroup(w wanted) *Group {
	first, _ := w.table.histograms()
	return &Group{histograms: make([]histogram, w.histograms), first: first}
}

// histogram returns a histogram; nil if it is not wanted, or of another table.
func (g *Group) histogram(number int) *histogram {
	if i := number - g.first; i >= 0 && i < len(g.histograms) {
		return &g.histograms[i]
	}
	return nil
}

// addSums adds the numbers of a row, and as many of its histograms as the group has.
func (g *Group) addSums(r *Row) {
	g.Numbers.add(&r.Numbers)
	for i := range g.histograms {
		if c := &r.Histograms[g.first+i]; g.first+i == durationHistogram && r.Shortest != nil {
			g.histograms[i].addBounded(c, *r.Shortest, r.Numbers.of("duration_max_ns"))
		} else {
			g.histograms[i].addCounts(c)
		}
	}
	for i, time := range [shownTimes]*int64{responseTime: r.Response, completionTime: r.Completion} {
		if time != nil {
			g.shown[i].addValue(*time)
		}
	}
}

func (g *Group) add(r *Row, device *string) {
	if g.trace != r.Trace {
		g.endTrace()
		g.trace = r.Trace
		g.Traces++
	}
	addOnce(&g.kinds, string(r.Kind))
	if r.Input != nil {
		addOnce(&g.inputs, *r.Input)
	}
	g.Rows++
	g.addSums(r)
	late, frames := r.Numbers.of("rated_late"), r.Numbers.of("rated")
	g.rate.late += late
	g.rate.frames += frames
	if device != nil && frames > 0 {
		g.addDevice(*device, rate{late, frames})
	}
	for _, c := range r.Causes.all {
		g.addCause(c)
	}
	for i, vsync := range r.Worst.VsyncIDs {
		// Of frames with the same vsync id, open selects the worst.
		w := r.Worst.at(i, r)
		w.timed = slices.Contains(r.Worst.VsyncIDs[:i], vsync)
		g.addWorst(w)
	}
}

func (g *Group) addDevice(name string, r rate) {
	known := g.devices[name]
	if known == nil {
		known = &rate{}
		g.devices[strings.Clone(name)] = known
	}
	known.late += r.late
	known.frames += r.frames
}

func (g *Group) addCause(c stats.PoolCause) {
	known := g.causes[c.Title]
	if known == nil {
		known = &stats.PoolCause{Title: c.Title}
		g.causes[c.Title] = known
	}
	known.Frames += c.Frames
	known.Lost += c.Lost
}

// sortedCauses returns the causes, what lost the most time first.
func (g *Group) sortedCauses() (list []stats.PoolCause) {
	for _, c := range g.causes {
		list = append(list, *c)
	}
	slices.SortFunc(list, compareCauses)
	return list
}

func (g *Group) addWorst(w Worst) { g.Worst = keepWorst(g.Worst, w) }

// keepWorst inserts a frame into a list of the maxWorst worst, if it is one of them.
func keepWorst(list []Worst, w Worst) []Worst {
	if at, _ := slices.BinarySearchFunc(list, w, compareWorst); at < maxWorst {
		list = slices.Insert(list, at, w)
		list = list[:min(len(list), maxWorst)]
	}
	return list
}

// endTrace adds the rate of the trace whose rows have all been added.
func (g *Group) endTrace() {
	if g.rate.frames > 0 {
		g.rates = append(g.rates, g.rate)
	}
	g.trace, g.rate = "", rate{}
}

func (g *Group) size() int { return 1 }

// merge adds the group of another part of the dataset. A trace is in one part only.
func (g *Group) merge(o *Group) {
	g.endTrace()
	o.endTrace()
	for _, kind := range o.kinds {
		addOnce(&g.kinds, kind)
	}
	for _, input := range o.inputs {
		addOnce(&g.inputs, input)
	}
	g.Rows += o.Rows
	g.Traces += o.Traces
	g.Numbers.add(&o.Numbers)
	for i := range g.histograms {
		g.histograms[i].merge(&o.histograms[i])
	}
	for i := range g.shown {
		g.shown[i].merge(&o.shown[i])
	}
	for _, c := range o.causes {
		g.addCause(*c)
	}
	for _, w := range o.Worst {
		g.addWorst(w)
	}
	g.rates = append(g.rates, o.rates...)
	for name, r := range o.devices {
		g.addDevice(name, *r)
	}
}

// finish computes what is shown, and drops what it is computed from. causes says whether those of all rows are known.
func (g *Group) finish(t table, by []string, causes bool) {
	g.endTrace()
	g.Causes = g.sortedCauses()
	var devices []rate
	for _, r := range g.devices {
		devices = append(devices, *r)
	}
	pool := &stats.Pool{Key: g.Key, Name: groupName(by, g.Key), Traces: g.Traces, Count: g.Rows, PerTrace: newDistribution(g.rates), PerDevice: newDistribution(devices)}
	if causes {
		pool.Causes = append([]stats.PoolCause{}, g.Causes[:min(mostShown, len(g.Causes))]...)
	}
	for _, w := range g.Worst {
		w.Open, w.Why = w.openCommand(), w.whyCommand()
		pool.Worst = append(pool.Worst, w.PoolFrame)
	}
	g.subject(t, by, pool)
	g.histograms, g.causes, g.devices, g.rates = nil, nil, nil, nil
	g.shown, g.kinds, g.inputs = [shownTimes]histogram{}, nil, nil
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
		if order := cmp.Or(text.CompareNatural(*a[i], *b[i]), cmp.Compare(*a[i], *b[i])); order != 0 {
			return order
		}
	}
	return 0
}
