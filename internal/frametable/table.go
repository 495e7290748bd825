package frametable

import (
	"cmp"
	"fmt"
	"io"
	"iter"
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
	"vsync": "vsync_id", "at": "start_ns", "took": durationColumn, "over": "overrun_ns", "render": "render_vsync_id", "shown": "shown_ns",
}

// SortColumn returns the value of SortColumns for a title of the table, or for one without its
// unit; empty for other titles.
func SortColumn(title string) string { return sortColumns[strings.TrimSuffix(title, " ms")] }

// tableColumns returns the columns. Names are those of the inputs in the table.
func tableColumns(inputs []Input, names map[string]string, o *Options) []tableColumn {
	columns := []tableColumn{
		{"kind", false, func(r *row, _ *Input) string { return r.Kind }},
		{"process", false, func(r *row, _ *Input) string { return r.Process }},
		{"pid", true, func(r *row, _ *Input) string { return integer(r.PID) }},
		{"tid", true, func(r *row, _ *Input) string { return integer(r.TID) }},
		{"vsync", true, func(r *row, _ *Input) string { return integer(r.VsyncID) }},
		{"at ms", true, func(r *row, in *Input) string { return fromStart(r.ActualStart, in) }},
		{"took ms", true, func(r *row, _ *Input) string { return between(r.ActualStart, r.ActualEnd) }},
		{"over ms", true, func(r *row, _ *Input) string { return ms(r.Overrun) }},
		{"facts", false, func(r *row, _ *Input) string { return r.facts() }},
		{"render", true, func(r *row, _ *Input) string { return integer(r.RenderVsyncID) }},
		{"shown ms", true, func(r *row, in *Input) string {
			shown := fromStart(r.Shown, in)
			if r.shownEstimated && r.Shown != nil {
				shown = "~" + shown
			}
			return shown
		}},
	}
	if o.Layers {
		columns = append(columns, tableColumn{"layers", false, func(r *row, _ *Input) string { return strings.Join(r.Layers, "; ") }})
	}
	if o.Interactions {
		columns = append(columns, tableColumn{"interaction", true, func(r *row, _ *Input) string {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Interactions), " ", ", "), "[]")
		}})
	}
	hasCauses := false
	for _, in := range inputs {
		hasCauses = hasCauses || in.Causes != nil
	}
	if hasCauses {
		columns = append(columns, tableColumn{"cause", false, func(r *row, _ *Input) string { return r.cause() }})
	}
	if len(inputs) > 1 {
		columns = append(columns, tableColumn{"input", false, func(_ *row, in *Input) string { return names[in.Name] }})
	}
	return columns
}

// Columns that are left out if there is no room for all, the first first.
var leftOut = []string{"tid", "pid", "render", "kind", "shown ms", "facts"}

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
	less := leftOut
	if slices.ContainsFunc(columns, func(c tableColumn) bool { return c.title == "cause" }) {
		less = append(slices.Clone(less), "took ms") // the cause explains the overrun, not the length
	}
	for _, title := range less {
		if over(goodWidth) > 0 {
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
	case "process", "layers", "input":
		return min(width, names)
	}
	return width
}

// shorten shortens a cell to width cells. Causes and inputs differ at both ends.
func (c tableColumn) shorten(cell string, width int) string {
	switch c.title {
	case "cause":
		return text.ShortenMiddle(cell, width/2, width)
	case "input":
		return text.ShortenMiddle(cell, width/4, width)
	}
	return text.Shorten(cell, width)
}

// inputNames returns the names of the inputs in the table, by name. If there is little
// room, they have neither the folder nor the extension that all of them have.
func inputNames(inputs []Input, limited bool) map[string]string {
	names := map[string]string{}
	folder, extension := "", ""
	if limited && len(inputs) > 1 {
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

// writeTable writes the columns that matter to people. It iterates over the frames twice,
// first to find the widths of the columns: there may be too many rows to keep.
func writeTable(w io.Writer, inputs []Input, list iter.Seq2[*analyzer.Frame, *Input], o Options) error {
	out := text.NewWriter(w, o.Style)
	columns := tableColumns(inputs, inputNames(inputs, out.Limited), &o)
	cells, widths := make([]string, len(columns)), make([]int, len(columns))
	eachRow := func(do func()) {
		for f, in := range list {
			for _, r := range rowsOf(f, in, o.Layers) {
				r.eachName(text.Printable)
				for i, c := range columns {
					if cells[i] = c.cell(&r, in); cells[i] == "" {
						cells[i] = text.Unknown
					}
				}
				do()
			}
		}
	}
	for i, c := range columns {
		widths[i] = len(c.title)
	}
	eachRow(func() {
		for i, c := range cells {
			widths[i] = max(widths[i], text.Width(c))
		}
	})
	var hidden []string
	if out.Limited {
		columns, widths, hidden = fit(columns, widths, out.Width)
		cells = cells[:len(columns)]
	}
	write := func() {
		line := ""
		for i, c := range cells {
			if i > 0 {
				line += "  "
			}
			c = columns[i].shorten(c, widths[i])
			pad := strings.Repeat(" ", max(0, widths[i]-text.Width(c)))
			if columns[i].right {
				line += pad + c
			} else {
				line += c + pad
			}
		}
		out.WriteString(strings.TrimRight(line, " "))
		out.WriteByte('\n')
	}
	for i, c := range columns {
		cells[i] = c.title
	}
	write()
	eachRow(write)
	out.Hidden(hidden)
	return out.Flush()
}

// facts returns the facts of a frame in words, "on time" or, if it is unknown whether it
// was late, "".
func (r *row) facts() string {
	var list []string
	add := func(is bool, name string) {
		if is {
			list = append(list, name)
		}
	}
	add(r.Late != nil && *r.Late && *r.MainLate, "late")
	add(r.Late != nil && *r.Late && !*r.MainLate, "late on the GPU")
	add(r.Late != nil && !*r.Late, "on time")
	add(r.Empty, "empty")
	add(r.Misaligned, "misaligned")
	add(r.Truncated, "truncated")
	return strings.Join(list, ", ")
}

// cause returns the largest cause of a frame in words, as the tables of report and why.
func (r *row) cause() string {
	if r.explanation == nil {
		return ""
	}
	brief := text.Printable(causetext.Short(r.explanation))
	if r.CauseCulprit != nil {
		brief += ": " + *r.CauseCulprit
	}
	return brief
}

func integer[T int32 | int64](n *T) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(int64(*n), 10)
}

// ms formats nanoseconds in milliseconds.
func ms(ns *int64) string {
	if ns == nil {
		return ""
	}
	return text.Milliseconds(trace.Duration(*ns))
}

func between(start, end *int64) string {
	if start == nil || end == nil {
		return ""
	}
	d := *end - *start
	return ms(&d)
}

// fromStart formats a time as the time from the start of its trace: "+475.35".
func fromStart(at *int64, in *Input) string {
	start := int64(in.Timeline.Origin())
	if at == nil || start == 0 || *at < start {
		return ""
	}
	return "+" + between(&start, at)
}
