package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/causetext"
	"ohframe/internal/locate"
	"ohframe/internal/rating"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

const (
	pageLayerWidth = 64    // above a picture
	barGap         = 0.004 // between the bars of a picture, as a share of its width
	// wholeVsyncs is by how much of a vsync a cadence may differ from whole ones: more than
	// its median does, less than half a vsync.
	wholeVsyncs = 0.1
)

// layerLost returns the time by which buffers of a layer were shown late.
func layerLost(l *stats.Layer) (lost trace.Duration) {
	for _, b := range l.Source.Buffers {
		lost += b.Overrun()
	}
	return lost
}

// sortedLayers returns layers with those that lost the most time first, then those with the most
// late, dropped and shown buffers.
func sortedLayers(list []*stats.Layer) []*stats.Layer {
	lost := map[*stats.Layer]trace.Duration{}
	for _, l := range list {
		lost[l] = layerLost(l)
	}
	return slices.SortedStableFunc(slices.Values(list), func(a, b *stats.Layer) int {
		return cmp.Or(
			cmp.Compare(lost[b], lost[a]), cmp.Compare(deref(b.Late), deref(a.Late)), cmp.Compare(b.Dropped, a.Dropped),
			cmp.Compare(b.Judged, a.Judged), cmp.Compare(b.Shown, a.Shown),
		)
	})
}

// cadences lists the intervals of a layer's cadences, in order of time.
func cadences(l *stats.Layer) (list []trace.Duration) {
	for i := range l.Source.Cadences {
		if d := l.Source.Cadences[i].Interval(); !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// maxCadences is the number of cadences in a cell of a table.
const maxCadences = 3

// cadenceCell puts what a function says of each of a layer's cadences into one cell: "16.7, 33.3".
func cadenceCell(l *stats.Layer, words func(trace.Duration) string) string {
	var s []string
	for _, d := range cadences(l) {
		s = append(s, words(d))
	}
	switch n := len(s); {
	case n == 0:
		return text.Unknown
	case n > maxCadences:
		s = append(s[:maxCadences], "…")
	}
	return strings.Join(s, ", ")
}

// vsyncs returns a layer's cadences in refresh periods, "3" or "2.5". They are unknown if the
// refresh rate changes while the layer is shown.
func vsyncs(l *stats.Layer) string {
	var shortest, longest trace.Duration
	for _, b := range l.Source.Buffers {
		if b.Fate != analyzer.Shown || b.Render == nil || b.Render.Period <= 0 {
			continue
		}
		if shortest == 0 || b.Render.Period < shortest {
			shortest = b.Render.Period
		}
		longest = max(longest, b.Render.Period)
	}
	if shortest == 0 || longest-shortest > shortest/10 {
		return text.Unknown
	}
	return cadenceCell(l, func(cadence trace.Duration) string {
		n := float64(cadence) / float64(longest)
		if whole := math.Round(n); whole > 0 && math.Abs(n-whole) <= wholeVsyncs {
			return text.Number(whole, 0)
		}
		return text.Number(n, 1)
	})
}

// lateBuffers returns "2 of 39", the late buffers of those that were judged.
func lateBuffers(l *stats.Layer) string {
	if l.Late == nil {
		return text.Unknown
	}
	return fmt.Sprintf("%d of %d", *l.Late, l.Judged)
}

// summarizeLayers says of the layer that lost the most time of all inputs how many of its buffers were late,
// or how evenly it was shown, and how much it lost. With all false only a layer with a cadence
// counts.
func summarizeLayers(inputs []Input, all bool) (summary string, late int, lost trace.Duration) {
	var list []*stats.Layer
	of := map[*stats.Layer]*Input{}
	for i := range inputs {
		for _, l := range inputs[i].Stats.Layers {
			if l.Judged > 0 || all && l.FPS != nil {
				list, of[l] = append(list, l), &inputs[i]
			}
		}
	}
	if len(list) == 0 {
		return "", 0, 0
	}
	l := sortedLayers(list)[0]
	summary = text.ShortLayerName(l.Name, causes.MaxSubject)
	if l.Name == "" || namesRepeat(of[l].Stats.Layers) {
		summary = fmt.Sprintf("layer %d (%s)", l.ID, summary)
	}
	if l.Late == nil {
		summary += ": without a cadence"
	} else {
		summary = causes.NewLayer(l.Source, of[l].Causes).Summary(summary)
	}
	if deref(l.Late) == 0 && l.FPS != nil {
		summary += ", " + number(l.FPS) + " FPS"
	}
	if l.Dropped > 0 && deref(l.Late) == 0 {
		dropped := text.Count(l.Dropped, "buffer") + " dropped"
		if len(l.Drops) == 1 && l.Drops[0].Since != nil {
			dropped = text.LayerDrop(&l.Drops[0], of[l].Stats.RefreshRates, of[l].origin())
		}
		summary += ", " + dropped
	}
	return summary, deref(l.Late), layerLost(l)
}

// layersOnly returns the section of an input with its layers alone.
func (b *builder) layersOnly(in *Input) view.Section {
	s := b.head(in)
	s.Blocks = append(s.Blocks, b.layers(in)...)
	if len(in.Stats.Layers) == 0 {
		s.Blocks = append(s.Blocks, view.Note{Text: "no layers"})
	}
	return s
}

// layers returns the layers of an input; nothing if it has none.
func (b *builder) layers(in *Input) []view.Block {
	if len(in.Stats.Layers) == 0 {
		return nil
	}
	shown := sortedLayers(in.Stats.Layers)
	limit, more := text.MaxShown, "… and %d more that lost less time; --format json lists all"
	if !b.page && !b.Verbose {
		limit, more = defaultRows, "… and %d more that lost less time; --all lists all"
	}
	if len(shown) > limit {
		more = fmt.Sprintf(more, len(shown)-limit)
		shown = shown[:limit]
	} else {
		more = ""
	}
	pictures := b.layerPictures(in, shown)
	numbered := namesRepeat(in.Stats.Layers)
	t := b.layerTable(in, shown, numbered)
	t.More = more
	for i, l := range shown {
		if slices.ContainsFunc(pictures.List, func(s view.Strip) bool { return s.ID == layerID(in, l) }) {
			t.Rows[i].Link = layerID(in, l)
		}
	}
	blocks := []view.Block{t}
	blocks = append(blocks, layerNotes(in, shown)...)
	if !b.page {
		return blocks
	}
	about := text.Count(len(in.Stats.Layers), "layer")
	source := ""
	if b.several {
		source = text.Printable(in.Name)
		about += " · " + source
	}
	blocks = []view.Block{view.Section{Title: "Layers", About: about, Meaning: define("layer"), Blocks: blocks}}
	if len(pictures.List) > 0 {
		s := view.Section{Title: "Intervals between presents", About: source, Blocks: []view.Block{pictures}}
		if in.named() && slices.ContainsFunc(shown, func(l *stats.Layer) bool { return deref(l.Late) > 0 }) {
			s.Blocks = append(s.Blocks, view.Note{Label: "Explain layer NAME", Text: locate.NewCommands(in.File, nil).WhyAnyLayer(), Command: true})
		}
		blocks = append(blocks, s)
	}
	return blocks
}

// layerNotes says how the cadences of layers changed, and why buffers were dropped.
func layerNotes(in *Input, list []*stats.Layer) (notes []view.Block) {
	for _, l := range list {
		var words []string
		if len(l.Cadences) > 1 || len(l.Cadences) == 1 && l.Cadences[0].Buffers > 1 {
			words = append(words, text.LayerCadences(l.Cadences, l.Source.Unit(), in.origin()))
		}
		words = append(words, text.LayerDrops(l.Drops, in.Stats.RefreshRates, in.origin(), false)...)
		if len(words) > 0 {
			notes = append(notes, view.Note{Text: layerName(l.Name) + ": " + strings.Join(words, "; ")})
		}
	}
	return notes
}

// namesRepeat reports whether layers have the same name in a table, so that only their ids
// distinguish them.
func namesRepeat(list []*stats.Layer) bool {
	seen := map[string]bool{}
	for _, l := range list {
		name := layerName(l.Name)
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

// layerNumber is the first column of tables of layers, whose item has a layer.
func layerNumber[T any](id func(T) int) column[T] {
	return numbers(view.Column{Title: "#", Meaning: "the id of the layer, which --layer selects"}, func(x T) any { return id(x) })
}

// unnumbered removes the column of layerNumber if names distinguish layers.
func unnumbered(t view.Table, numbered bool) view.Table {
	if !numbered {
		i := slices.IndexFunc(t.Columns, func(c view.Column) bool { return c.Title == "#" })
		t.RemoveColumns(i, i+1)
	}
	return t
}

// topLayerCause returns the cause that cost the most of a layer's late buffers and its share in the lost time;
// empty if that is unknown.
func topLayerCause(l *stats.Layer, c *why.Causes) string {
	if c == nil || deref(l.Late) == 0 {
		return ""
	}
	x := causes.NewLayer(l.Source, c)
	cause, lost := x.MainCause()
	if cause == "" {
		return ""
	}
	return text.Percent(lost, x.Lost) + " " + cause
}

func layerName(name string) string { return text.ShortLayerName(name, text.LayerWidth) }

// lateReason returns why a buffer was late; empty if that is unknown.
func lateReason(c *why.Causes, b *analyzer.Buffer) string {
	if late := c.LateBuffer(b); late != nil {
		return text.Line(causetext.Buffer(c, late))
	}
	if b.Pace != analyzer.Late || b.Frame == nil || !b.Frame.Late() {
		return ""
	}
	reason := "a late frame of its producer"
	if e := c.Of(b.Frame); e != nil {
		reason += ": " + text.Line(causes.Sentence(c, e, false))
	}
	return reason
}

// layerTable returns the measures of layers, with their ids if their names do not distinguish
// them.
func (b *builder) layerTable(in *Input, list []*stats.Layer, numbered bool) view.Table {
	return unnumbered(withoutUnknown(tableOf("Layers", b.layerColumns(in.Causes), list)), numbered)
}

// withoutUnknown removes the columns that are empty or unknown for all layers: without causes there is no top cause,
// and a short trace lacks P95.
func withoutUnknown(t view.Table) view.Table {
	widen(&t)
	for i := len(t.Columns) - 1; i >= 0; i-- {
		column := t.Columns[i].Title
		if (column == "Top cause" || strings.HasSuffix(column, "P95 ms") || strings.HasSuffix(column, "P50 ms")) && !slices.ContainsFunc(t.Rows, func(r view.Row) bool {
			return r.Cells[i].Text != "" && r.Cells[i].Text != text.Unknown
		}) {
			t.RemoveColumns(i, i+1)
		}
	}
	return t
}

// layerColumns returns the columns of layers. c are the causes of late buffers, nil if unknown.
func (b *builder) layerColumns(c *why.Causes) []column[*stats.Layer] {
	type item = *stats.Layer
	columns := []column[item]{
		layerNumber(func(l item) int { return l.ID }),
		{view.Column{Title: "Layer", Meaning: define("layer")}, func(l item) view.Cell {
			name := view.Cell{Text: text.ShortLayerName(l.Name, text.LayerWidth)}
			if full := text.Printable(l.Name); b.page && name.Text != full {
				name.Meaning = full
			}
			return name
		}},
		levelled(numbers(view.Column{Title: "Late", Meaning: define("late buffer") + "; of those whose interval could be judged; " + colours(&stats.JankThresholds)}, func(l item) any { return lateBuffers(l) }), func(l item) view.Level {
			return view.LevelOf(rating.OfMeasure(lateRate, lateRate.Value(l)))
		}),
		measured[item](stats.LayerMeasures, "fps"),
		narrow(numbers(view.Column{Title: "Lost ms", Meaning: "the sum of the time by which buffers were shown late"}, func(l item) any {
			if l.Late == nil {
				return text.Unknown
			}
			return text.Milliseconds(layerLost(l))
		})),
		words(view.Column{Title: "Top cause", Meaning: "what cost the most of the lost time, and its share"}, func(l item) string { return topLayerCause(l, c) }),
		narrow(numbers(view.Column{Title: "Cadence ms", Drop: 2, Meaning: define("cadence")}, func(l item) any { return cadenceCell(l, text.Milliseconds) })),
		numbers(view.Column{Title: "Vsyncs", Drop: 3, Meaning: "the cadence in refresh periods"}, func(l item) any { return vsyncs(l) }),
		numbers(view.Column{Title: "Dropped", Drop: 1, Meaning: define("dropped buffer")}, func(l item) any { return l.Dropped }),
		measured[item](stats.LayerMeasures, "uneven"),
		{view.Column{Title: "Process", About: "framework", Meaning: "the producer of the buffers", Drop: 5}, func(l item) view.Cell {
			process := view.Cell{Text: text.Unknown}
			if l.Process != nil {
				process = b.nameCell(text.ProcessName(*l.Process), maxName)
			}
			if deref(l.Framework) != analyzer.OutsideFrames.String() { // which the name of the layer says
				process.About = deref(l.Framework)
			}
			return process
		}},
		numbers(view.Column{Title: "Buffers", Drop: 8, Meaning: define("buffer")}, func(l item) any { return l.Buffers }),
		numbers(view.Column{Title: "Shown", Drop: 6, Meaning: "buffers that went to the display"}, func(l item) any { return l.Shown }),
		numbers(view.Column{Title: "PID", Drop: 7}, func(l item) any {
			if l.PID == nil {
				return text.Unknown
			}
			return l.PID
		}),
	}
	if !b.Verbose {
		return columns
	}
	for _, times := range []string{"queue_p50_ms", "queue_p95_ms", "request_p50_ms", "request_p95_ms", "gpu_p50_ms", "gpu_p95_ms"} {
		columns = append(columns, measured[item](stats.LayerMeasures, times))
	}
	return columns
}

// lateRate is the measure of the column Late of layers.
var lateRate = stats.LayerMeasures.Named("late")

// layerID returns the target of links to the picture of a layer.
func layerID(in *Input, l *stats.Layer) string { return fmt.Sprintf("%slayer-%d", in.id, l.ID) }

// paceInfo has the colour and the name of intervals between presents.
var paceInfo = []view.Group{
	{ID: "on-time", Name: "even"},
	{ID: "misaligned", Name: "early, or long for whole vsyncs"},
	{ID: "late-app", Name: "late"},
	{ID: "late-cpu", Name: "late, though taken in time"},
	{ID: "no-deadline", Name: "without a cadence"},
}

// paceOf returns the index in paceInfo of the interval before a buffer's present.
func paceOf(b *analyzer.Buffer) int {
	switch {
	case b.Pace == analyzer.Even:
		return 0
	case b.Pace == analyzer.Early || b.Pace == analyzer.Long:
		return 1
	case b.Pace == analyzer.Late && b.Deadline.Known():
		return 2
	case b.Pace == analyzer.Late:
		return 3
	}
	return 4
}

// layerPictures returns a picture of the intervals of each layer with presents; none in a
// terminal.
func (b *builder) layerPictures(in *Input, list []*stats.Layer) view.Strips {
	var s view.Strips
	if !b.page {
		return s
	}
	var used [5]bool
	for _, l := range list {
		intervals := shownIntervals(l)
		if len(intervals) == 0 {
			continue
		}
		if b.layersPictured == maxPictures {
			s.More = "Further layers that lost less time have no picture."
			break
		}
		b.layersPictured++
		s.List = append(s.List, b.layerPicture(in, l, intervals, &used))
	}
	s.About = "One bar per interval between two presents, height = its length; the dashed line is the cadence, if the layer has only one. Lines mark dropped buffers."
	for i, is := range used {
		if is {
			s.Legend = append(s.Legend, paceInfo[i])
		}
	}
	return s
}

// shownIntervals returns the buffers of a layer with an interval before their present, by present.
// Long ones that are not judged would hide the others.
func shownIntervals(l *stats.Layer) (list []*analyzer.Buffer) {
	for _, b := range l.Source.Buffers {
		if b.Interval > 0 && (b.Pace != analyzer.Unpaced || b.Interval < analyzer.MinPause) {
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b *analyzer.Buffer) int { return cmp.Compare(a.Present, b.Present) })
	return list
}

// layerPicture returns the picture of a layer's intervals, and adds to used what decides colours.
func (b *builder) layerPicture(in *Input, l *stats.Layer, intervals []*analyzer.Buffer, used *[5]bool) view.Strip {
	var facts []string
	add := func(is bool, fact string) {
		if is {
			facts = append(facts, fact)
		}
	}
	add(l.Process != nil, text.ProcessName(cmp.Or(deref(l.Process), text.Unknown)))
	add(l.FPS != nil, number(l.FPS)+" FPS")
	add(l.Cadence != nil, text.LayerCadences(l.Cadences, l.Source.Unit(), in.origin()))
	add(l.Late != nil, lateBuffers(l)+" late")
	add(l.Dropped > 0, fmt.Sprintf("%d dropped", l.Dropped))
	s := view.Strip{ID: layerID(in, l), Title: text.ShortLayerName(l.Name, pageLayerWidth), About: strings.Join(facts, " · ")}
	first, last := intervals[0].Present.Add(-intervals[0].Interval), intervals[len(intervals)-1].Present
	s.From, s.To = text.Since(in.origin(), first), text.Since(in.origin(), last)
	at := func(t trace.Time) float64 {
		return min(1, max(0, float64(t.Sub(first))/float64(max(1, last.Sub(first)))))
	}
	longest := 2 * slices.Max(append(cadences(l), 0))
	for _, b := range intervals {
		longest = max(longest, b.Interval)
	}
	if list := cadences(l); len(list) == 1 {
		s.Line = float64(list[0]) / float64(longest)
	}
	joined := (len(intervals) + maxPictureBars - 1) / maxPictureBars
	for list := range slices.Chunk(intervals, joined) {
		worst := slices.MaxFunc(list, func(a, b *analyzer.Buffer) int {
			return cmp.Or(cmp.Compare(a.Overrun(), b.Overrun()), cmp.Compare(a.Interval, b.Interval))
		})
		pace := paceOf(worst)
		used[pace] = true
		from, to := list[0].Present.Add(-list[0].Interval), list[len(list)-1].Present
		width := at(to) - at(from)
		item := view.Bar{Left: at(from), Width: width - min(barGap, width/4), Height: float64(worst.Interval) / float64(longest), Group: paceInfo[pace].ID}
		item.Title = fmt.Sprintf("%s ms at %s, %s", text.Milliseconds(worst.Interval), text.Since(in.origin(), worst.Present), paceInfo[pace].Name)
		if over := worst.Overrun(); over > 0 {
			item.Title += ": " + text.Milliseconds(over) + " ms"
		}
		if reason := lateReason(in.Causes, worst); reason != "" {
			item.Title += "; " + reason
		}
		if len(list) > 1 {
			item.Title = fmt.Sprintf("%d intervals, the worst %s", len(list), item.Title)
		}
		s.Bars = append(s.Bars, item)
	}
	for _, b := range l.Source.Buffers {
		if b.Fate != analyzer.Discarded || b.At() < first || b.At() > last || len(s.Marks) == maxPictureBars {
			continue
		}
		s.Marks = append(s.Marks, view.Mark{At: at(b.At()), Title: "dropped, queued at " + text.Since(in.origin(), b.At())})
	}
	return s
}

// deref returns the value that x points to, or its zero value.
func deref[T any](x *T) (v T) {
	if x != nil {
		v = *x
	}
	return v
}
