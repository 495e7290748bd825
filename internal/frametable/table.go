package frametable

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
)

// tableColumn is a column of the table for people, whose times are milliseconds.
type tableColumn struct {
	title string
	right bool
	cell  func(*row, *Input) string
}

// sortColumns are the values of SortColumns for titles of the table that are no columns,
// without the unit.
var sortColumns = map[string]string{
	"vsync": "vsync_id", "at": "start_ns", "took": "duration", "over": "overrun_ns", "render": "render_vsync_id", "shown": "shown_ns", "interval": "interval_ns",
	"request": "request", "gpu": "gpu", "queue": "queue",
}

// SortColumn returns the value of SortColumns for a title of the table, or for one without its
// unit; empty for other titles.
func SortColumn(title string) string { return sortColumns[strings.TrimSuffix(title, " ms")] }

// TableSorts returns the values of SortColumns that the table has under a title of its own.
func TableSorts() []string { return slices.Sorted(maps.Values(sortColumns)) }

// tableColumns returns the columns. Names are those of the inputs in the table.
func tableColumns(inputs []Input, names map[string]string, o *Options) []tableColumn {
	columns := []tableColumn{
		{"kind", false, func(r *row, _ *Input) string { return r.Kind }},
		{"process", false, func(r *row, _ *Input) string { return r.Process }},
	}
	if slices.ContainsFunc(inputs, func(in Input) bool { return in.hasFrameworks() }) {
		columns = append(columns, tableColumn{"framework", false, func(r *row, _ *Input) string { return name(r.Framework) }})
	}
	if o.Lists(KindLayer) {
		columns = append(columns, tableColumn{"layer", false, func(r *row, _ *Input) string { return name(r.Layer) }})
	}
	columns = append(columns, []tableColumn{
		{"pid", true, func(r *row, _ *Input) string { return integer(r.PID) }},
		{"tid", true, func(r *row, _ *Input) string { return integer(r.TID) }},
		{"vsync", true, func(r *row, _ *Input) string { return integer(r.VsyncID) }},
		{"at ms", true, func(r *row, in *Input) string { return fromStart(r.ActualStart, in) }},
		{"took ms", true, func(r *row, _ *Input) string { return ms(durations["duration"](r)) }},
		{"over ms", true, func(r *row, _ *Input) string { return atLeast(r.Unfinished) + ms(r.Overrun) }},
		{"facts", false, func(r *row, _ *Input) string { return r.facts() }},
	}...)
	if o.Lists(KindLayer) {
		columns = append(columns, []tableColumn{
			{"request ms", true, func(r *row, _ *Input) string { return ms(durations["request"](r)) }},
			{"gpu ms", true, func(r *row, _ *Input) string { return ms(durations["gpu"](r)) }},
			{"queue ms", true, func(r *row, _ *Input) string { return ms(durations["queue"](r)) }},
			{"interval ms", true, func(r *row, _ *Input) string { return ms(r.Interval) }},
		}...)
	}
	columns = append(columns, []tableColumn{
		{"render", true, func(r *row, _ *Input) string { return integer(r.RenderVsyncID) }},
		{"shown ms", true, func(r *row, in *Input) string {
			shown := fromStart(r.Shown, in)
			if r.shownEstimated && r.Shown != nil {
				shown = "~" + shown
			}
			return shown
		}},
	}...)
	if slices.ContainsFunc(inputs, func(in Input) bool { return in.Causes != nil }) {
		columns = append(columns, tableColumn{"cause", false, func(r *row, _ *Input) string { return r.cause() }})
	}
	if len(inputs) > 1 {
		columns = append(columns, tableColumn{"input", false, func(_ *row, in *Input) string { return names[in.Name] }})
	}
	return columns
}

// Columns that are left out if there is no room for all, the first first: of frames, and with
// buffers.
var (
	leftOut        = []string{"tid", "pid", "render", "kind", "framework", "shown ms", "facts"}
	leftOutBuffers = []string{"tid", "pid", "request ms", "gpu ms", "render", "kind", "framework", "vsync", "took ms", "queue ms", "shown ms"}
)

// Names are shortened to goodWidth while there are columns to leave out, and then to
// leastWidth. A cause is longer: "waiting for storage in FlushLayoutTask".
const goodWidth, goodCause, leastWidth = 22, 38, 12

// fit leaves out columns, and shortens names, until a line has at most width cells. It
// returns the columns that are left, their widths, and the titles of the others.
func fit(columns []tableColumn, widths []int, width int) (left []tableColumn, leftWidths []int, hidden []string) {
	over := func(names int) int {
		n := -2
		for i, c := range columns {
			if !slices.Contains(hidden, c.title) {
				n += 2 + c.least(widths[i], names)
			}
		}
		return n - width
	}
	has := func(title string) bool {
		return slices.ContainsFunc(columns, func(c tableColumn) bool { return c.title == title })
	}
	less := leftOut
	if has("layer") {
		less = leftOutBuffers
	}
	if i := slices.Index(less, "facts"); i >= 0 && has("cause") {
		less = slices.Insert(slices.Clone(less), i, "took ms") // the cause explains the overrun, not the length
	}
	for _, title := range less {
		if has(title) && over(goodWidth) > 0 {
			hidden = append(hidden, title)
		}
	}
	names := goodWidth
	if over(goodWidth) > 0 {
		names = leastWidth
	}
	spare := max(0, -over(names))
	for i, c := range columns {
		if slices.Contains(hidden, c.title) {
			continue
		}
		least := c.least(widths[i], names)
		more := min(spare, widths[i]-least)
		spare -= more
		left, leftWidths = append(left, c), append(leftWidths, least+more)
	}
	return left, leftWidths, hidden
}

// least returns the least width of a column whose widest cell is width wide.
func (c tableColumn) least(width, names int) int {
	switch c.title {
	case "cause":
		if names == goodWidth {
			names = goodCause
		}
		return min(width, names)
	case "process", "layer", "input":
		return min(width, names)
	}
	return width
}

// shorten shortens a cell to width cells. Causes, layers and inputs differ at both ends.
func (c tableColumn) shorten(cell string, width int) string {
	switch c.title {
	case "cause", "layer":
		return text.ShortenMiddle(cell, width/2, width)
	case "input":
		return text.ShortenMiddle(cell, width/4, width)
	}
	return text.Shorten(cell, width)
}

// inputNames returns the names of the inputs in the table, by name. They have neither the folder nor the extension that all of them have.
func inputNames(inputs []Input) map[string]string {
	names := map[string]string{}
	folder, extension := "", ""
	if len(inputs) > 1 {
		folder, extension = folderOf(inputs[0].Name), path.Ext(inputs[0].Name)
	}
	for _, in := range inputs {
		for !strings.HasPrefix(in.Name, folder) {
			folder = folderOf(folder[:len(folder)-1])
		}
		if path.Ext(in.Name) != extension || strings.ContainsAny(extension, separators) {
			extension = ""
		}
	}
	for _, in := range inputs {
		names[in.Name] = text.Printable(cmp.Or(strings.TrimSuffix(in.Name[len(folder):], extension), in.Name))
	}
	return names
}

// separators are those of paths, on Windows too.
const separators = `/\`

// folderOf returns the name up to the last separator, with it.
func folderOf(name string) string { return name[:strings.LastIndexAny(name, separators)+1] }

// writeTable writes the columns that matter to people. It keeps the cells of all rows, because
// the widest ones decide which columns there is room for.
func writeTable(w io.Writer, inputs []Input, list iter.Seq[item], o Options) error {
	out := text.NewWriter(w, o.Style)
	all := tableColumns(inputs, inputNames(inputs), &o)
	widths := make([]int, len(all))
	var cells []byte // each with a zero behind it: names have none
	add := func(column int, cell string) {
		widths[column] = max(widths[column], text.Width(cell))
		cells = append(append(cells, cell...), 0)
	}
	for i, c := range all {
		add(i, c.title)
	}
	for it := range list {
		r := it.row()
		r.eachName(text.Printable)
		for i, c := range all {
			add(i, cmp.Or(c.cell(&r, it.in), text.Unknown))
		}
	}
	columns, widths, hidden := fit(all, widths, out.Width)
	var line []byte
	for len(cells) > 0 {
		line = line[:0]
		shown := 0
		for i := range all {
			end := bytes.IndexByte(cells, 0)
			cell := string(cells[:end])
			cells = cells[end+1:]
			if shown == len(columns) || columns[shown].title != all[i].title {
				continue
			}
			if shown > 0 {
				line = append(line, "  "...)
			}
			c, width := columns[shown], widths[shown]
			cell = c.shorten(cell, width)
			pad := max(0, width-text.Width(cell))
			if c.right {
				line = fmt.Appendf(line, "%*s%s", pad, "", cell)
			} else {
				line = fmt.Appendf(line, "%s%*s", cell, pad, "")
			}
			shown++
		}
		out.Write(append(bytes.TrimRight(line, " "), '\n'))
	}
	out.Hidden(hidden)
	return out.Flush()
}

// facts returns the facts of a frame in words, "on time" or, if it is unknown whether it
// was late, "". For a buffer it returns the pace, or else the fate.
func (r *row) facts() string {
	if r.Fate != nil {
		return cmp.Or(name(r.Pace), *r.Fate)
	}
	var list []string
	add := func(is bool, name string) {
		if is {
			list = append(list, name)
		}
	}
	add(r.Late != nil && *r.Late && *r.MainLate, "late")
	add(r.Late != nil && *r.Late && !*r.MainLate, "late on the GPU")
	add(r.Late != nil && !*r.Late, "on time")
	add(r.Empty != nil && *r.Empty, "empty")
	add(*r.Misaligned, "misaligned")
	add(*r.Truncated, "truncated")
	add(r.FirstDraw != nil, "first draw")
	add(r.DeadlineInferred != nil, "deadline inferred")
	return strings.Join(list, ", ")
}

// cause returns the largest cause of a frame or a buffer in words, as the tables of report and why.
func (r *row) cause() string {
	if r.cost != nil {
		return text.Printable(causetext.CostTitle(r.cost))
	}
	if r.explanation == nil {
		return ""
	}
	brief := text.Printable(causetext.Short(r.explanation))
	if r.CauseCulprit != nil {
		brief += ": " + *r.CauseCulprit
	}
	return brief
}

// name returns the text that s points to; empty for nil.
func name(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// hasFrameworks reports whether a framework drew frames or layers.
func (in *Input) hasFrameworks() bool {
	t := in.Timeline
	return slices.ContainsFunc(t.Frames, func(f *analyzer.Frame) bool { return f.Framework != analyzer.Platform }) ||
		slices.ContainsFunc(t.Layers, func(l *analyzer.Layer) bool { return l.Framework != analyzer.Platform })
}

func integer[T int32 | int64](n *T) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(int64(*n), 10)
}

// atLeast returns what is before a time that is only known to be longer.
func atLeast(longer *bool) string {
	if longer != nil && *longer {
		return "≥ "
	}
	return ""
}

// ms formats nanoseconds in milliseconds.
func ms(ns *int64) string {
	if ns == nil {
		return ""
	}
	return text.Milliseconds(trace.Duration(*ns))
}

// fromStart formats a time as the time from the start of its trace: "+475.35".
func fromStart(at *int64, in *Input) string {
	start := int64(in.Timeline.Origin())
	if at == nil || start == 0 || *at < start {
		return ""
	}
	return "+" + ms(between(&start, at))
}
