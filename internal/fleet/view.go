package fleet

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/locate"
	"ohframe/internal/rating"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Formats are the formats of reports and comparisons.
var Formats = []string{"table", "json", "csv", "html"}

// Report is the groups of a dataset that are shown.
type Report struct {
	Dataset *Dataset
	By      []string
	Groups  []*Group
	Total   int // number of groups of the dataset

	of table // what groups are of
}

// NewReport returns the report of the groups that are wanted.
func NewReport(ctx context.Context, d *Dataset, q Query) (*Report, error) {
	t, err := tableOf(q.By)
	if err != nil {
		return nil, err
	}
	groups, total, err := d.groups(ctx, q)
	if err == nil && total == 0 && q.Process != "" {
		return nil, noProcess(q.Process)
	}
	return &Report{d, q.By, groups, total, t}, err
}

// written is a result in all formats, for people and for programs.
type written interface {
	document() *view.Document
	writeJSON(io.Writer) error
	writeCSV(io.Writer) error
}

func write(w io.Writer, s written, format string, style text.Style) error {
	switch format {
	case "json":
		return s.writeJSON(w)
	case "csv":
		return s.writeCSV(w)
	}
	return view.Write(w, s.document(), format, style)
}

// Write writes the report in one of the Formats.
func (r *Report) Write(w io.Writer, format string, style text.Style) error {
	return write(w, r, format, style)
}

// mostShown is the number of causes of a group, and of causes and frames of a report.
const mostShown = 10

// document returns the report for people.
func (r *Report) document() *view.Document {
	d := &view.Document{Kind: "Fleet report", Title: "Frames of " + text.Printable(r.Dataset.Dir), Summary: r.summary(), Warnings: r.Dataset.Warnings()}
	d.Blocks = append(d.Blocks, view.Facts{Cards: true, List: r.Dataset.facts()})
	if chart := r.chart(); chart != nil {
		d.Blocks = append(d.Blocks, view.Page{view.Section{Title: "Jank rate by " + strings.ToLower(titleOf(r.By[r.trend()])), Blocks: chart}})
	}
	d.Blocks = append(d.Blocks, view.Section{Title: "Groups", Blocks: []view.Block{r.table(), r.legend()}})
	if causes := r.causes(); len(causes.List) > 0 {
		d.Blocks = append(d.Blocks, view.Section{Title: "Causes of late frames", About: "time that late frames lost", Blocks: []view.Block{causes}})
	}
	if worst := r.worst(); len(worst) > 0 {
		d.Blocks = append(d.Blocks, view.Section{
			Title: "Worst frames", About: fmt.Sprintf("%d of a group at most", maxWorst),
			Blocks: []view.Block{view.Terminal{worstTable(worst, Worst.openCommand)}, view.Page{worstTable(worst, Worst.openCommand, Worst.whyCommand)}},
		})
	}
	return d
}

// facts describe the dataset.
func (d *Dataset) facts() []view.Fact {
	list := []view.Fact{{Label: "Traces", Value: fmt.Sprint(d.Traces), About: "in " + text.Count(d.Shards-len(d.Missing), "shard") + " of " + text.Printable(d.Dir)}}
	failed := view.Fact{Label: "Failures", Value: fmt.Sprint(d.Failed()), About: d.reasons()}
	if failed.Value != "0" {
		failed.Level = view.Warning
		list = append(list, failed)
	}
	if len(d.Events) > 0 {
		all, kinds := 0, []string{}
		for _, kind := range slices.Sorted(maps.Keys(d.Events)) {
			all += d.Events[kind]
			kinds = append(kinds, fmt.Sprintf("%s %d", text.Printable(kind), d.Events[kind]))
		}
		list = append(list, view.Fact{Label: "Events", Value: fmt.Sprint(all), About: strings.Join(kinds, ", ")})
	}
	if d.Unreliable > 0 {
		list = append(list, view.Fact{Label: "Unreliable data", Value: fmt.Sprint(d.Unreliable), About: "traces, which are measured, too", Level: view.Warning})
	}
	return list
}

// summary says where frames are late most often, and why.
func (r *Report) summary() string {
	rate := func(g *Group) float64 { return *g.Value("jank_rate") }
	known := slices.DeleteFunc(slices.Clone(r.Groups), func(g *Group) bool { return g.Value("jank_rate") == nil })
	if len(known) == 0 {
		return ""
	}
	byRate := func(a, b *Group) int { return cmp.Compare(rate(a), rate(b)) }
	least, most := slices.MinFunc(known, byRate), slices.MaxFunc(known, byRate)
	s := "Jank rate: " + text.Share(most.Value("jank_rate")) + "."
	if rate(least) < rate(most) {
		s = fmt.Sprintf("Jank rates from %s to %s, the highest of %s.", text.Share(least.Value("jank_rate")), text.Share(most.Value("jank_rate")), groupText(most.Key))
	}
	if causes := r.causes().List; len(causes) > 0 {
		s += fmt.Sprintf(" %s of the lost time: %s.", causes[0].Share, causes[0].Title)
	}
	return s
}

// legend explains the numbers of the groups.
func (r *Report) legend() view.Note {
	if len(r.Groups) == 0 && r.of != ofFrames {
		return view.Note{Text: "No " + tableFolders[r.of] + "."}
	}
	legend := legends[r.of]
	s := legend.measures
	if slices.ContainsFunc(r.Groups, func(g *Group) bool { return slices.Contains(g.Estimated, true) }) {
		s += " ~ is an estimate, within 0.8 %."
	}
	if slices.ContainsFunc(r.Groups, func(g *Group) bool {
		return slices.ContainsFunc(tableMeasures[r.of], func(m stats.Measure) bool { return g.Value(m.Name) == nil })
	}) {
		s += " " + text.Unknown + " unknown: " + legend.unknown
	}
	return view.Note{Text: s, Level: view.Soft}
}

// legends say what measures are of, and what those that are unknown need.
var legends = [tables]struct{ measures, unknown string }{
	ofFrames: {"Measures are of all frames of a group; median and P90 are of the jank rates of traces or devices.",
		"jank needs deadlines, FPS and hitches present times, P95 20 frames, P99 100."},
	ofInteractions: {"P50 and P95 are of the responses of interactions; jank, hitches and FPS of all their frames.",
		"jank needs deadlines, FPS and hitches present times of two frames, P95 20 interactions."},
	ofLayers: {"Measures are of all buffers of a group. Names of layers have * for what differs from run to run.",
		"FPS needs present times, uneven a cadence, P95 20 buffers."},
}

// tableMeasures are the measures of the tables, with their titles there.
var tableMeasures = func() (list [tables]stats.MeasureList) {
	for t, of := range [tables]stats.MeasureList{stats.Measures, slices.Concat(stats.GroupMeasures, stats.InteractionMeasures), stats.LayerMeasures} {
		for _, m := range of {
			if m.Short != "" {
				i := slices.IndexFunc(measures, func(o stats.Measure) bool { return m.Same(&o) })
				m.Name, m.Label = measures[i].Name, measures[i].Label
				list[t] = append(list[t], m)
			}
		}
	}
	return list
}()

// table returns the table of the groups.
func (r *Report) table() view.Table {
	devices := !slices.Contains(r.By, deviceDim) && slices.ContainsFunc(r.Groups, func(g *Group) bool { return g.PerDevice != nil })
	t := view.Table{Label: "Groups", Sortable: true, Columns: keyColumns(r.By)}
	number := func(title, meaning string, drop int) {
		t.Columns = append(t.Columns, view.Column{Title: title, Meaning: meaning, Number: true, Drop: drop})
	}
	number("Traces", "", 0)
	_, noun := r.of.counts()
	if r.of == ofInteractions {
		number("Count", "interactions", 0)
	} else {
		number(titleOf(noun+"s"), "", 1)
	}
	for _, shown := range tableMeasures[r.of] {
		number(shown.Short, shown.Label, shown.Drop)
	}
	distributions := r.of == ofFrames
	devices = devices && distributions
	if distributions {
		number("Median trace", "half of the traces have at most this jank rate", 5)
		number("P90 trace", "90 % of the traces have at most this jank rate", 7)
	}
	if devices {
		number("Devices", "", 8)
		number("Median device", "half of the devices have at most this jank rate", 9)
		number("P90 device", "90 % of the devices have at most this jank rate", 10)
	}
	for _, g := range r.Groups {
		row := view.Row{Cells: keyCells(g.Key)}
		row.Cells = append(row.Cells, view.Cell{Text: fmt.Sprint(g.Traces)})
		count := g.count(r.of)
		if r.of == ofInteractions {
			count = int64(g.Rows)
		}
		row.Cells = append(row.Cells, view.Cell{Text: fmt.Sprint(count)})
		for _, shown := range tableMeasures[r.of] {
			i := measureIndex(shown.Name)
			cell := view.Cell{Text: text.Value(shown.Unit, g.Values[i]), Level: view.LevelOf(rating.Default.OfMeasure(&shown, g.Values[i]))}
			if g.Estimated[i] && g.Values[i] != nil {
				cell.Text = "~" + cell.Text
			}
			row.Cells = append(row.Cells, cell)
		}
		if distributions {
			row.Cells = append(row.Cells, distributionCells(g.PerTrace)...)
		}
		if devices {
			count := 0
			if g.PerDevice != nil {
				count = g.PerDevice.Count
			}
			row.Cells = append(append(row.Cells, view.Cell{Text: fmt.Sprint(count)}), distributionCells(g.PerDevice)...)
		}
		t.Rows = append(t.Rows, row)
	}
	if n := len(r.Groups); n < r.Total {
		t.More = fmt.Sprintf("%d of %d groups, those with the most %ss; --top %d shows all", n, r.Total, noun, r.Total)
	}
	return t
}

func distributionCells(d *Distribution) []view.Cell {
	if d == nil {
		return []view.Cell{{Text: text.Unknown}, {Text: text.Unknown}}
	}
	return []view.Cell{{Text: text.Share(&d.P50)}, {Text: text.Share(&d.P90)}}
}

// Of dimensions and their values.
var (
	keyColumns = view.KeyColumns
	keyCells   = view.KeyCells
	titleOf    = view.KeyTitle
	keyText    = view.KeyText
	groupText  = view.GroupText
)

// causes returns the largest causes of the groups.
func (r *Report) causes() view.Ranking {
	all := &Group{causes: map[string]*Cause{}}
	total := trace.Duration(0)
	for _, g := range r.Groups {
		for _, c := range g.Causes {
			all.addCause(c)
			total += c.Lost
		}
	}
	list := all.sortedCauses()
	var ranking view.Ranking
	for _, c := range list[:min(mostShown, len(list))] {
		ranking.List = append(ranking.List, view.Rank{
			Share: text.Percent(c.Lost, total), Time: text.Milliseconds(c.Lost) + " ms", Title: text.Printable(c.Name),
			About: text.Count(int(c.Frames), "frame"), Bar: float64(c.Lost) / float64(max(1, list[0].Lost)),
		})
	}
	return ranking
}

// worst returns the worst frames of all groups.
func (r *Report) worst() []Worst {
	var all []Worst
	for _, g := range r.Groups {
		all = append(all, g.Worst...)
	}
	slices.SortFunc(all, compareWorst)
	return all[:min(mostShown, len(all))]
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

// worstTable returns a table of frames with a column for each command.
func worstTable(list []Worst, commands ...func(Worst) string) view.Table {
	t := view.Table{Label: "Worst frames", Columns: []view.Column{{Title: "Process"}, {Title: "Late ms", Number: true}}}
	for i := range commands {
		t.Columns = append(t.Columns, view.Column{Title: [...]string{"Show it", "Explain it"}[i]})
	}
	for _, w := range list {
		row := view.Row{Cells: []view.Cell{{Text: keyText(&w.Process)}, {Text: text.Milliseconds(w.Overrun)}}}
		for _, command := range commands {
			row.Cells = append(row.Cells, view.Cell{Text: text.Line(command(w)), Command: true})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// trends are dimensions whose order means time, the best first.
var trends = []string{recordedDay, "day", "date", "week", "month", "build", "version", "app_version", "os_version"}

// trend returns the place in By of the dimension that charts have as x axis; -1 if there is
// none.
func (r *Report) trend() int {
	for _, name := range trends {
		if i := slices.Index(r.By, name); i >= 0 {
			return i
		}
	}
	return -1
}

// maxLines is the number of lines of the chart: as many as lines.js has colours.
const maxLines = 8

// line is the jank rates of groups that differ in the dimension of the x axis only. Its JSON
// is the input of lines.js.
type line struct {
	Name   string    `json:"name"`
	X      []int     `json:"x"`
	Y      []float64 `json:"y"`
	Dots   bool      `json:"dots"`
	Titles []string  `json:"titles"`
	frames int64
}

// band is the area between two lines, mark a vertical line. Their JSON is the input of lines.js.
type (
	band struct {
		Colour   string    `json:"colour"`
		Straight bool      `json:"straight"`
		X        []int     `json:"x"`
		Low      []float64 `json:"low"`
		High     []float64 `json:"high"`
	}
	mark struct {
		X    int    `json:"x"`
		Text string `json:"text"`
	}
)

// linesChart returns a chart over named values.
func linesChart(names []string, unit string, series []*line, bands []band, marks []mark) view.Chart {
	data := map[string]any{"x": map[string]any{"names": names}, "y": map[string]any{"unit": unit}, "series": series}
	if len(bands) > 0 {
		data["bands"] = bands
	}
	if len(marks) > 0 {
		data["marks"] = marks
	}
	return view.Chart{Kind: "lines", Data: data}
}

// chart returns the jank rate over the values of the trend dimension, of the groups with the
// most frames; nil if nothing can be drawn.
func (r *Report) chart() []view.Block {
	trend := r.trend()
	drawn := slices.DeleteFunc(slices.Clone(r.Groups), func(g *Group) bool {
		return trend < 0 || g.Key[trend] == nil || g.Value("jank_rate") == nil
	})
	slices.SortStableFunc(drawn, func(a, b *Group) int { return compareKeys(a.Key[trend:trend+1], b.Key[trend:trend+1]) })
	var names []string
	lines := map[string]*line{}
	for _, g := range drawn {
		if at := keyText(g.Key[trend]); !slices.Contains(names, at) {
			names = append(names, at)
		}
		name := groupText(slices.Delete(slices.Clone(g.Key), trend, trend+1))
		if lines[name] == nil {
			lines[name] = &line{Name: name, Dots: true}
		}
		l, rate := lines[name], g.Value("jank_rate")
		l.X, l.Y = append(l.X, len(names)-1), append(l.Y, 100**rate)
		l.Titles = append(l.Titles, text.Share(rate)+" of "+text.Count(int(g.Sum("frames")), "frame"))
		l.frames += g.Sum("frames")
	}
	if len(names) < 2 {
		return nil
	}
	list := slices.SortedFunc(maps.Values(lines), func(a, b *line) int { return cmp.Or(cmp.Compare(b.frames, a.frames), cmp.Compare(a.Name, b.Name)) })
	chart := linesChart(names, "%", list[:min(maxLines, len(list))], nil, nil)
	if len(list) > maxLines {
		chart.About = fmt.Sprintf("The %d of %d lines with the most frames.", maxLines, len(list))
	}
	return []view.Block{chart}
}
