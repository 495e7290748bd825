package report

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/diag"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Pool says that an input is several traces, whose processes, interactions or layers are measured together if
// they have the same values of some dimensions.
type Pool struct {
	// By are the dimensions of processes, interactions and layers: nothing is pooled without any. Total are the
	// numbers of all groups; an input may have fewer.
	By    [pooledKinds][]string
	Total [pooledKinds]int
	// Worst orders processes as those of a trace, otherwise they keep their order.
	Worst bool

	causes.TraceCounts
	Shards  int   // of datasets
	Missing []int // shards that have no parts
}

// What is pooled.
const (
	pooledProcesses = iota
	pooledInteractions
	pooledLayers
	pooledKinds
)

// NotCounted says what is missing in the numbers; empty if nothing is.
func (p *Pool) NotCounted() string {
	if len(p.Missing) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s missing, so their traces are not counted", len(p.Missing), text.Count(p.Shards, "shard"))
}

// about counts the traces.
func (p *Pool) about() string {
	list := []string{text.Measured(p.Traces, p.Measured)}
	add := func(noun string, of map[string]int) {
		var kinds []string
		all := 0
		for _, kind := range slices.Sorted(maps.Keys(of)) {
			kinds, all = append(kinds, fmt.Sprintf("%d %s", of[kind], text.Printable(kind))), all+of[kind]
		}
		if all > 0 {
			list = append(list, fmt.Sprintf("%s: %s", text.Count(all, noun), strings.Join(kinds, ", ")))
		}
	}
	if p.Unreliable > 0 {
		list[0] += fmt.Sprintf(", %d of them with unreliable data", p.Unreliable)
	}
	add("failure", p.Failures)
	add("event", p.Events)
	return strings.Join(list, " · ")
}

// pooledSummary says of the process that lost the most time how many frames were late, and why.
func pooledSummary(list []*process) string {
	if len(list) == 0 {
		return ""
	}
	p := slices.MinFunc(list, before)
	s := (&causes.Subject{Name: p.Pool.Name, PID: p.PID, Frames: p.Frames, Lost: deref(p.Lost)}).Summary()
	if len(p.Pool.Causes) > 0 && deref(p.Lost) >= trace.Millisecond {
		s += fmt.Sprintf(", %s of it %s", p.topShare(), text.Printable(p.Pool.Causes[0].Title))
	}
	return s
}

// topShare returns the share of the first cause of a pool in the lost time.
func (p *process) topShare() string {
	var all trace.Duration
	for _, c := range p.Pool.Causes {
		all += c.Lost
	}
	return text.Percent(p.Pool.Causes[0].Lost, all)
}

// pooled returns what the traces of an input have together.
func (b *builder) pooled(in *Input, list []*process) (blocks []view.Block) {
	head := view.Section{Title: text.Printable(in.Name), About: in.Pool.about(), Article: b.page}
	if not := in.Pool.NotCounted(); not != "" {
		head.Blocks = append(head.Blocks, view.Note{Text: not, Level: view.Warning})
	}
	blocks = append(blocks, head)
	tables := b.pooledTables(in, list)
	if len(tables) == 0 {
		blocks = append(blocks, view.Note{Text: "nothing to report"})
	}
	for _, t := range tables {
		s := view.Section{Title: t.Label, Blocks: []view.Block{t}}
		if isEstimate := func(c view.Cell) bool { return strings.HasPrefix(c.Text, estimate) }; slices.ContainsFunc(t.Rows, func(r view.Row) bool { return slices.ContainsFunc(r.Cells, isEstimate) }) {
			s.Blocks = append(s.Blocks, view.Note{Text: estimate + " is an estimate, within 0.8 %", Level: view.Soft})
		}
		if by := in.Pool.By[pooledProcesses]; t.Label == "Processes" && !slices.Contains(by, "process") && slices.ContainsFunc(list, func(p *process) bool { return p.Pool.Count > p.Pool.Traces }) {
			s.Blocks = append(s.Blocks, view.Note{Text: fmt.Sprintf("Frames of several processes are counted together: --by %s,process divides them.", strings.Join(by, ",")), Level: view.Soft})
		}
		blocks = append(blocks, s)
	}
	if t := b.pooledFrames(in); len(t.Rows) > 0 {
		blocks = append(blocks, view.Section{Title: t.Label, Blocks: []view.Block{t}})
	}
	return blocks
}

// estimate is before a value that is one.
const estimate = "~"

// pooledTables returns a table of each kind of which there is any.
func (b *builder) pooledTables(in *Input, list []*process) (tables []view.Table) {
	add := func(of int, t view.Table) {
		if len(t.Rows) == 0 {
			return
		}
		widen(&t)
		if shown, all := len(t.Rows), in.Pool.Total[of]; shown < all {
			t.More = fmt.Sprintf("… and %d more with fewer frames; --all shows all", all-shown)
		}
		tables = append(tables, t)
	}
	if by := in.Pool.By[pooledProcesses]; by != nil {
		traces := numbers(view.Column{Title: "Traces"}, func(p *process) any { return p.Pool.Traces })
		columns := append(append(keys(b, by, func(p *process) *stats.Pool { return p.Pool }), traces), slices.DeleteFunc(b.processColumns(list), func(c column[*process]) bool { return c.Title == "Process" || c.Title == "PID" })...)
		columns = append(columns, shares("trace", 5, func(p *process) *stats.Distribution { return p.Pool.PerTrace })[1:]...)
		if slices.ContainsFunc(list, func(p *process) bool { return p.Pool.PerDevice != nil }) {
			columns = append(columns, shares("device", 8, func(p *process) *stats.Distribution { return p.Pool.PerDevice })...)
		}
		add(pooledProcesses, tableOf("Processes", columns, largest(b, list, func(p *process) int { return p.Frames.Complete })))
	}
	if by := in.Pool.By[pooledInteractions]; by != nil {
		columns := append(keys(b, by, func(i *stats.Interaction) *stats.Pool { return i.Pool }), b.pooledInteractionColumns()...)
		add(pooledInteractions, tableOf("Interactions", columns, largest(b, in.Stats.Interactions, func(i *stats.Interaction) int {
			if i.Frames == nil {
				return 0
			}
			return *i.Frames
		})))
	}
	if by := in.Pool.By[pooledLayers]; by != nil {
		columns := keys(b, by, func(l *stats.Layer) *stats.Pool { return l.Pool })
		for _, c := range b.layerColumns(nil) {
			if !slices.Contains([]string{"#", "Layer", "Lost ms", "Cadence ms", "Vsyncs", "Process", "PID"}, c.Title) { // of one layer
				columns = append(columns, c)
			}
		}
		add(pooledLayers, withoutUnknown(tableOf("Layers", columns, largest(b, in.Stats.Layers, func(l *stats.Layer) int { return l.Buffers }))))
	}
	return tables
}

// largest returns the groups with the most frames, as many as are shown.
func largest[T any](b *builder, list []T, frames func(T) int) []T {
	most := defaultRows
	switch {
	case b.Verbose:
		most = len(list)
	case b.page:
		most = text.MaxShown
	}
	return text.First(list, most, func(x, y T) int { return cmp.Compare(frames(y), frames(x)) })
}

// keys returns the columns of dimensions.
func keys[T any](b *builder, by []string, pool func(T) *stats.Pool) (columns []column[T]) {
	for i, dim := range by {
		columns = append(columns, words(view.Column{Title: view.KeyTitle(dim)}, func(x T) string {
			value := view.KeyText(pool(x).Key[i])
			switch {
			case dim == "layer":
				return layerName(value)
			case b.page:
				return value
			}
			return text.Shorten(value, maxName)
		}))
	}
	return columns
}

// shares returns the columns of how jank rates are distributed over traces or devices.
func shares[T any](noun string, drop int, of func(T) *stats.Distribution) []column[T] {
	at := func(title, meaning string, share func(*stats.Distribution) *float64) column[T] {
		drop++
		return numbers(view.Column{Title: title + " " + noun, Meaning: meaning + " of the " + noun + "s have at most this jank rate", Drop: drop}, func(x T) any {
			if d := of(x); d != nil {
				return text.Share(share(d))
			}
			return text.Unknown
		})
	}
	return []column[T]{
		numbers(view.Column{Title: strings.ToUpper(noun[:1]) + noun[1:] + "s", Drop: drop}, func(x T) any {
			if d := of(x); d != nil {
				return d.Count
			}
			return text.Unknown
		}),
		at("Median", "half", func(d *stats.Distribution) *float64 { return &d.P50 }), at("P90", "90 %", func(d *stats.Distribution) *float64 { return &d.P90 }),
	}
}

func (b *builder) pooledInteractionColumns() []column[*stats.Interaction] {
	type item = *stats.Interaction
	of := func(name string) column[item] {
		return measuredOf(stats.PoolMeasures, name, func(i item) any { return i.Pool })
	}
	all := b.interactionColumns(nil)
	named := func(title string) column[item] {
		return all[slices.IndexFunc(all, func(c column[item]) bool { return c.Title == title })]
	}
	return []column[item]{
		numbers(view.Column{Title: "Count", Meaning: "interactions"}, func(i item) any { return i.Pool.Count }),
		of("response_p50_ms"), of("response_p95_ms"), of("completion_p50_ms"), named("Late"),
		measured[item](stats.InteractionMeasures, "jank_rate"), named("Hitch ms/s"), named("FPS"),
	}
}

// groupColumns returns the columns of dimensions of processes, without the kind of their frames unless that is all.
func groupColumns[T any](b *builder, in *Input, pool func(T) *stats.Pool) []column[T] {
	columns := keys(b, in.Pool.By[pooledProcesses], pool)
	if len(columns) > 1 {
		columns = slices.DeleteFunc(columns, func(c column[T]) bool { return c.Title == view.KeyTitle("kind") })
	}
	return columns
}

// pooledFrames returns the worst frames of all groups, with the commands that show and explain them.
func (b *builder) pooledFrames(in *Input) view.Table {
	type frame struct {
		stats.PoolFrame
		of *stats.Pool
	}
	var all []frame
	for _, p := range in.Stats.Processes {
		for _, f := range p.Pool.Worst {
			all = append(all, frame{f, p.Pool})
		}
	}
	slices.SortStableFunc(all, func(a, b frame) int { return cmp.Compare(b.Overrun, a.Overrun) })
	if !b.page {
		all = all[:min(len(all), briefWorst)]
	}
	command := func(title string, of func(frame) string) column[frame] {
		return column[frame]{view.Column{Title: title}, func(f frame) view.Cell { return view.Cell{Text: text.Line(of(f)), Command: true} }}
	}
	columns := groupColumns(b, in, func(f frame) *stats.Pool { return f.of })
	if !slices.Contains(in.Pool.By[pooledProcesses], "process") {
		columns = append(columns, words(view.Column{Title: "Process"}, func(f frame) string { return text.ProcessName(f.Process) }))
	}
	columns = append(columns,
		numbers(view.Column{Title: "Late ms"}, func(f frame) any { return text.Milliseconds(f.Overrun) }),
		command("Explain it", func(f frame) string { return f.Why }),
	)
	if b.page {
		columns = append(columns, command("Show it", func(f frame) string { return f.Open }))
	}
	t := tableOf("Worst frames", columns, all[:min(len(all), 2*briefItems)])
	t.Sortable = false
	return t
}

// documentPool is what traces have together.
type documentPool struct {
	Name       string         `json:"name"`              // names of datasets, and "files" for traces that are not in one
	Traces     int            `json:"traces"`            // the number of traces
	Unreliable int            `json:"unreliable_traces"` // those with unreliable data, which are measured, too
	Failures   map[string]int `json:"failures"`          // traces that were not measured, by reason
	Events     map[string]int `json:"events"`            // events of applications, by kind
	Missing    []int          `json:"missing_shards"`    // shards of datasets that are missing
	// the groups of processes, interactions and layers; empty for those that are not pooled
	Processes    iter.Seq[documentGroup] `json:"processes"`
	Interactions iter.Seq[documentGroup] `json:"interactions"`
	Layers       iter.Seq[documentGroup] `json:"layers"`
}

// documentGroup is what several processes, interactions or layers have together.
type documentGroup struct {
	Key    map[string]*string `json:"key"`    // the dimensions and their values; null if unknown
	Traces int                `json:"traces"` // the number of traces
	Count  int                `json:"count"`  // how many processes, interactions or layers these have
	// numbers by their paths in "inputs[].processes[]", "interactions[]" or "layers[]"; null if unknown
	Measures  map[string]*float64 `json:"measures"`
	Estimated []string            `json:"estimated"` // paths of percentiles of histograms, within 0.8 %
	// jank rates of traces, and of devices; nil without a rate
	PerTrace  *stats.Distribution `json:"jank_rate_per_trace"`
	PerDevice *stats.Distribution `json:"jank_rate_per_device"`
	Causes    []stats.PoolCause   `json:"causes"` // causes of late frames, what lost the most time first; null with --no-causes
	Worst     []stats.PoolFrame   `json:"worst"`  // the three frames that were late by most
}

func newDocumentPool(in *Input) *documentPool {
	p := in.Pool
	return &documentPool{
		in.Name, p.Traces, p.Unreliable, p.Failures, p.Events, append([]int{}, p.Missing...),
		groupsOf(in, pooledProcesses), groupsOf(in, pooledInteractions), groupsOf(in, pooledLayers),
	}
}

// pooledMeasures are the measures of each kind. A launch has its response at the path of another measure.
var pooledMeasures = [pooledKinds]stats.MeasureList{
	stats.Measures, slices.DeleteFunc(slices.Clone(stats.InteractionMeasures), func(m stats.Measure) bool { return m.Launch }), stats.LayerMeasures,
}

// eachMeasure yields the measures of a group of a kind, and what has them.
func eachMeasure(of int, group any) iter.Seq2[*stats.Measure, any] {
	return func(yield func(*stats.Measure, any) bool) {
		for i := range pooledMeasures[of] {
			if !yield(&pooledMeasures[of][i], group) {
				return
			}
		}
		for i := range stats.PoolMeasures {
			if !yield(&stats.PoolMeasures[i], stats.PoolOf(group)) {
				return
			}
		}
	}
}

// groups returns the groups of a kind.
func (in *Input) groups(of int) []any {
	return [pooledKinds][]any{anys(in.Stats.Processes), anys(in.Stats.Interactions), anys(in.Stats.Layers)}[of]
}

func anys[T any](list []T) (values []any) {
	for _, x := range list {
		values = append(values, x)
	}
	return values
}

func groupsOf(in *Input, of int) iter.Seq[documentGroup] {
	return func(yield func(documentGroup) bool) {
		for _, group := range in.groups(of) {
			g := stats.PoolOf(group)
			d := documentGroup{
				Key: map[string]*string{}, Traces: g.Traces, Count: g.Count, Measures: map[string]*float64{}, Estimated: []string{},
				PerTrace: g.PerTrace, PerDevice: g.PerDevice, Causes: g.Causes, Worst: append([]stats.PoolFrame{}, g.Worst...),
			}
			for i, dim := range in.Pool.By[of] {
				d.Key[dim] = g.Key[i]
			}
			for m, subject := range eachMeasure(of, group) {
				if d.Measures[m.Path] = m.Of(subject); m.Estimated(subject) {
					d.Estimated = append(d.Estimated, m.Path)
				}
			}
			if !yield(d) {
				return
			}
		}
	}
}

// writePooledCSV writes a row for each group of the kind that was asked for, or of the first that is pooled.
func writePooledCSV(w io.Writer, in *Input, o Options) error {
	of := slices.IndexFunc(in.Pool.By[:], func(by []string) bool { return by != nil })
	switch {
	case o.Interactions:
		of = pooledInteractions
	case o.Layers:
		of = pooledLayers
	}
	names := append(slices.Clone(in.Pool.By[of]), "traces", "count")
	for m := range eachMeasure(of, nil) {
		names = append(names, m.Path)
	}
	names = append(names, "jank_rate_median_trace", "jank_rate_p90_trace", "devices", "jank_rate_median_device", "jank_rate_p90_device")
	for i, name := range names { // dimensions may have any name
		if slices.Contains(names[:i], name) {
			return &diag.Error{What: "two columns are named " + name, Hint: "--format json keeps dimensions apart"}
		}
	}
	return view.WriteCSV(w, names, func(yield func([]any) bool) {
		for _, group := range in.groups(of) {
			g := stats.PoolOf(group)
			row := append(anys(g.Key), g.Traces, g.Count)
			for m, subject := range eachMeasure(of, group) {
				row = append(row, m.Of(subject))
			}
			trace, device := [2]any{}, [3]any{0}
			if d := g.PerTrace; d != nil {
				trace = [2]any{d.P50, d.P90}
			}
			if d := g.PerDevice; d != nil {
				device = [3]any{d.Count, d.P50, d.P90}
			}
			if !yield(slices.Concat(row, trace[:], device[:])) {
				return
			}
		}
	})
}
