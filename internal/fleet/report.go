package fleet

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// Formats are the formats of reports.
var Formats = []string{"table", "json", "csv", "html"}

// Report is a dataset's groups.
type Report struct {
	Dataset *Dataset
	By      []string
	Groups  []*Group
}

// Write writes the report in one of the Formats.
func (r *Report) Write(w io.Writer, format string, style text.Style) error {
	switch format {
	case "json":
		return r.writeJSON(w)
	case "csv":
		return r.writeCSV(w)
	case "html":
		return r.writeHTML(w)
	}
	return r.writeTable(w, style)
}

// The JSON form.
type (
	reportDocument struct {
		Dataset datasetDocument `json:"dataset"`
		By      []string        `json:"by"`
		Groups  []groupDocument `json:"groups"`
	}
	datasetDocument struct {
		Name       string         `json:"name"`
		Version    string         `json:"version"`
		Shards     int            `json:"shards"`
		Missing    []int          `json:"missing_shards"`
		Traces     int            `json:"traces"`
		Unreliable int            `json:"unreliable_traces"`
		Failures   map[Reason]int `json:"failures"`
	}
	groupDocument struct {
		Key      map[string]*string  `json:"key"`
		Traces   int                 `json:"traces"`
		Rows     int                 `json:"rows"`
		Sums     map[string]int64    `json:"sums"`
		Peaks    map[string]int64    `json:"peaks"`
		Measures map[string]*float64 `json:"measures"`
		// The distribution of the jank rates of traces and of devices; null without any.
		PerTrace  *distribution   `json:"jank_rate_per_trace"`
		PerDevice *distribution   `json:"jank_rate_per_device"`
		Causes    []causeDocument `json:"causes"`
		Worst     []worstDocument `json:"worst"`
	}
	distribution struct {
		Count int     `json:"count"`
		P10   float64 `json:"p10"`
		P50   float64 `json:"p50"`
		P90   float64 `json:"p90"`
		Max   float64 `json:"max"`
	}
	causeDocument struct {
		Name   string         `json:"name"`
		Frames int64          `json:"frames"`
		Lost   trace.Duration `json:"lost_ns"`
	}
	worstDocument struct {
		Trace   string         `json:"trace"`
		Process string         `json:"process"`
		PID     trace.PID      `json:"pid"`
		VsyncID int64          `json:"vsync_id"`
		At      trace.Time     `json:"at_ns"`
		Overrun trace.Duration `json:"overrun_ns"`
		Open    string         `json:"open"`
		Why     string         `json:"why"`
	}
)

// mostCauses is the number of causes of a group in a report.
const mostCauses = 10

func newDistribution(rates []Rate) *distribution {
	if len(rates) == 0 {
		return nil
	}
	at := func(p int) float64 { return percentileOf(rates, p).Share() }
	return &distribution{len(rates), at(10), at(50), at(90), at(100)}
}

func (d *Dataset) document() datasetDocument {
	return datasetDocument{d.Dir, d.Version, d.Shards, append([]int{}, d.Missing...), d.Traces, d.Unreliable, d.Failures}
}

func (r *Report) document() reportDocument {
	d := reportDocument{r.Dataset.document(), r.By, []groupDocument{}}
	for _, g := range r.Groups {
		doc := groupDocument{
			Key: map[string]*string{}, Traces: g.Traces, Rows: g.Rows,
			Sums: map[string]int64{}, Peaks: map[string]int64{}, Measures: map[string]*float64{},
			PerTrace: newDistribution(g.Rates), PerDevice: newDistribution(g.Devices),
			Causes: []causeDocument{}, Worst: []worstDocument{},
		}
		for i, name := range r.By {
			doc.Key[name] = g.Key[i]
		}
		for i, c := range sums {
			doc.Sums[c.name] = g.sums[i]
		}
		for i, c := range peaks {
			doc.Peaks[c.name] = g.peaks[i]
		}
		for _, m := range Measures {
			doc.Measures[m.Name] = m.Of(&g.Totals)
		}
		for _, c := range g.Causes[:min(mostCauses, len(g.Causes))] {
			doc.Causes = append(doc.Causes, causeDocument(c))
		}
		for _, w := range g.Worst {
			doc.Worst = append(doc.Worst, worstDocument{w.Trace, w.Process, w.PID, w.VsyncID, w.At, w.Overrun, w.OpenCommand(), w.WhyCommand()})
		}
		d.Groups = append(d.Groups, doc)
	}
	return d
}

func (r *Report) writeJSON(w io.Writer) error { return text.WriteJSON(w, r.document()) }

// around is how much of the trace before and after a frame OpenCommand shows.
const around = trace.Second

// OpenCommand returns the command that shows the frame in the Perfetto UI.
func (w Worst) OpenCommand() string {
	return fmt.Sprintf("ohframe open --at %d --from %s --to %s -- %s", w.VsyncID, max(0, w.At.Add(-around)), w.At.Add(w.Overrun+around), text.Quoted(w.Trace))
}

// WhyCommand returns the command that explains the frame.
func (w Worst) WhyCommand() string {
	return fmt.Sprintf("ohframe why --process %d --frame %d -- %s", w.PID, w.VsyncID, text.Quoted(w.Trace))
}

// unknownText is an unknown value in tables.
const unknownText = "–"

func keyText(value *string) string {
	switch {
	case value == nil:
		return unknownText
	case *value == "":
		return "(unnamed)"
	}
	return text.Printable(*value)
}

func numberText(m Measure, x *float64) string {
	switch {
	case x == nil:
		return unknownText
	case m.Unit == stats.Share:
		return text.Number(100**x, 2) + " %"
	}
	return text.Number(*x, 2)
}

type tableMeasure struct{ name, title string }

// tableMeasures are the measures of the table.
var tableMeasures = []tableMeasure{
	{"jank_rate", "Jank"}, {"whole_late_rate", "Late whole"}, {"hitch_ratio", "Hitch ms/s"}, {"fps", "FPS"},
	{"p50_ms", "P50 ms"}, {"p95_ms", "P95 ms"}, {"p99_ms", "P99 ms"}, {"max_ms", "Max ms"},
}

func measure(name string) Measure {
	return Measures[slices.IndexFunc(Measures, func(m Measure) bool { return m.Name == name })]
}

// summary describes the dataset in a line.
func (d *Dataset) summary() string {
	line := fmt.Sprintf("%s · %s in %s", text.Printable(d.Dir), text.Count(d.Traces, "trace"), text.Count(d.Shards-len(d.Missing), "shard"))
	failed := 0
	var reasons []string
	for _, reason := range Reasons {
		if n := d.Failures[reason]; n > 0 {
			failed += n
			reasons = append(reasons, fmt.Sprintf("%s %d", reason, n))
		}
	}
	if failed > 0 {
		line += fmt.Sprintf(" · %s (%s)", text.Count(failed, "failure"), strings.Join(reasons, ", "))
	}
	if d.Unreliable > 0 {
		line += fmt.Sprintf(" · %s with unreliable data", text.Count(d.Unreliable, "trace"))
	}
	return line
}

const (
	nameWidth   = 24 // of a name in the table
	causeIndent = 28 // of a cause: what lost 100,000 s has the widest
)

// tableWriter writes tables.
type tableWriter struct{ text.Writer }

// name returns a name, shortened if there is little room.
func (t tableWriter) name(name string) string {
	if t.Limited {
		return text.Shorten(name, nameWidth)
	}
	return name
}

// line writes a line, or several if there is no room for one.
func (t tableWriter) line(ink func(string) string, line string) {
	if t.Limited {
		line = text.Wrap(line, t.Width)
	}
	for line := range strings.Lines(line) {
		fmt.Fprintln(t, ink(strings.TrimSuffix(line, "\n")))
	}
}

// about writes what a dataset is.
func (t tableWriter) about(d *Dataset) {
	t.line(t.Bold, d.summary())
	for _, warning := range d.Warnings() {
		t.line(func(s string) string { return t.Yellow(s, true) }, warning)
	}
}

func (r *Report) writeTable(w io.Writer, style text.Style) error {
	t := tableWriter{text.NewWriter(w, style)}
	t.about(r.Dataset)
	fmt.Fprintln(t)
	titles := slices.Clone(r.By)
	titles = append(titles, "Traces →", "Frames →")
	for _, m := range tableMeasures {
		titles = append(titles, m.title+" →")
	}
	titles = append(titles, "Median trace →", "P90 trace →")
	table := text.NewTable(t.Ink, titles...)
	for _, g := range r.Groups {
		var row text.Row
		for _, value := range g.Key {
			row = append(row, t.name(keyText(value)))
		}
		row = append(row, strconv.Itoa(g.Traces), strconv.FormatInt(g.sum("frames"), 10))
		for _, shown := range tableMeasures {
			m := measure(shown.name)
			row = append(row, numberText(m, m.Of(&g.Totals)))
		}
		median, high := unknownText, unknownText
		if d := newDistribution(g.Rates); d != nil {
			median, high = text.Number(100*d.P50, 2)+" %", text.Number(100*d.P90, 2)+" %"
		}
		table.AppendRow(append(row, median, high))
	}
	// The first to go are those that others nearly say.
	var columns []int
	for _, title := range []string{"P90 trace →", "Late whole →", "Median trace →", "P50 ms →", "Max ms →", "Hitch ms/s →", "Frames →"} {
		columns = append(columns, slices.Index(titles, title))
	}
	t.PrintFitted(table, columns...)
	for _, line := range r.legend() {
		t.Note(line)
	}
	fmt.Fprintln(t)

	if list := r.causes(); len(list) > 0 {
		table := text.NewTable(t.Ink, "Lost ms →", "Frames →", "Cause of late frames")
		for _, c := range list {
			table.AppendRow(text.Row{text.Milliseconds(c.Lost), strconv.FormatInt(c.Frames, 10), text.Printable(c.Name)})
		}
		if t.Limited {
			table.Wrap(2, t.Width-causeIndent)
		}
		t.Print(table)
	}
	if list := r.worst(); len(list) > 0 {
		table := text.NewTable(t.Ink, "Late ms →", "Process", worstTitle)
		for _, w := range list {
			table.AppendRow(text.Row{text.Number(w.Overrun.Milliseconds(), 1), t.name(keyText(&w.Process)), text.Line(w.OpenCommand())})
		}
		t.Print(table)
	}
	return t.Flush()
}

// causes returns the largest causes of all groups.
func (r *Report) causes() []Cause {
	all := &Group{causes: map[string]*Cause{}}
	for _, g := range r.Groups {
		for _, c := range g.Causes {
			all.addCause(c)
		}
	}
	all.finish()
	return all.Causes[:min(mostCauses, len(all.Causes))]
}

// legend explains the numbers of the groups.
func (r *Report) legend() []string {
	lines := []string{"Measures are of all frames of a group; median and P90 are of the jank rates of traces or devices."}
	if slices.ContainsFunc(r.Groups, func(g *Group) bool {
		return slices.ContainsFunc(tableMeasures, func(m tableMeasure) bool { return measure(m.name).Of(&g.Totals) == nil })
	}) {
		lines = append(lines, unknownText+" unknown: jank needs deadlines, FPS and hitches present times, P95 20 frames, P99 100.")
	}
	return lines
}

// worstTitle says which frames worst returns.
var worstTitle = fmt.Sprintf("Worst frames, %d of a group at most", maxWorst)

// worst returns the worst frames of all groups.
func (r *Report) worst() []Worst {
	var all []Worst
	for _, g := range r.Groups {
		all = append(all, g.Worst...)
	}
	slices.SortFunc(all, compareWorst)
	return all[:min(mostCauses, len(all))]
}

// writeCSV writes a line for each group. Unknown values are empty.
func (r *Report) writeCSV(w io.Writer) error {
	cw := csv.NewWriter(w)
	head := append(slices.Clone(r.By), "traces", "rows")
	for _, c := range sums {
		head = append(head, c.name)
	}
	for _, c := range peaks {
		head = append(head, c.name)
	}
	for _, m := range Measures {
		head = append(head, m.Name)
	}
	head = append(head, "jank_rate_median_trace", "jank_rate_p90_trace", "devices", "jank_rate_median_device", "jank_rate_p90_device")
	cw.Write(head)
	for _, g := range r.Groups {
		var row []string
		for _, value := range g.Key {
			row = append(row, text.Cell(*cmp.Or(value, new(string))))
		}
		row = append(row, strconv.Itoa(g.Traces), strconv.Itoa(g.Rows))
		for _, n := range g.sums {
			row = append(row, strconv.FormatInt(n, 10))
		}
		for _, n := range g.peaks {
			row = append(row, strconv.FormatInt(n, 10))
		}
		for _, m := range Measures {
			row = append(row, csvNumber(m.Of(&g.Totals)))
		}
		per := func(d *distribution) {
			if d == nil {
				row = append(row, "", "")
			} else {
				row = append(row, csvNumber(&d.P50), csvNumber(&d.P90))
			}
		}
		per(newDistribution(g.Rates))
		row = append(row, strconv.Itoa(len(g.Devices)))
		per(newDistribution(g.Devices))
		cw.Write(row)
	}
	cw.Flush()
	return cw.Error()
}

func csvNumber(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
