package fleet

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/diff"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Write writes the comparison in one of the Formats.
func (c *Comparison) Write(w io.Writer, format string, style text.Style) error {
	switch format {
	case "json":
		return c.writeJSON(w)
	case "csv":
		return c.writeCSV(w)
	case "html":
		return view.WriteHTML(w, c.document())
	}
	return view.WriteTerminal(w, c.document(), style)
}

// document returns the comparison for people.
func (c *Comparison) document() *view.Document {
	d := &view.Document{Kind: "Fleet comparison", Title: text.Printable(c.Base.Dir) + " → " + text.Printable(c.New.Dir), Summary: c.summary()}
	for _, dataset := range []*Dataset{c.Base, c.New} {
		for _, warning := range dataset.Warnings() {
			d.Warnings = append(d.Warnings, text.Printable(dataset.Dir)+": "+warning)
		}
	}
	d.Gate.AllowMissing, d.Gate.Checks = c.AllowMissing, c.Checks()
	d.Blocks = append(d.Blocks, view.Section{Title: "Datasets", Blocks: []view.Block{c.datasets()}})
	if len(c.Pairs) > 1 {
		d.Blocks = append(d.Blocks, view.Page{view.Section{Title: "Groups", About: "values of the new dataset, and changes that are significant", Blocks: []view.Block{c.overview()}}})
	}
	for i, p := range c.Pairs {
		s := view.Section{ID: "group-" + strconv.Itoa(i), Title: groupText(p.Key), About: c.units(p), Blocks: []view.Block{p.table()}}
		if why := c.whyNotTested(p); why != "" {
			s.Blocks = append(s.Blocks, view.Note{Text: why, Level: view.Soft})
		}
		d.Blocks = append(d.Blocks, s)
	}
	for _, only := range []struct {
		keys [][]*string
		of   *Dataset
	}{{c.OnlyBase, c.Base}, {c.OnlyNew, c.New}} {
		if n := len(only.keys); n > 0 {
			var names []string
			for _, key := range only.keys[:min(n, mostShown)] {
				names = append(names, groupText(key))
			}
			if n > len(names) {
				names = append(names, fmt.Sprintf("%d more", n-len(names)))
			}
			d.Blocks = append(d.Blocks, view.Note{Label: "Only in " + text.Printable(only.of.Dir), Text: strings.Join(names, ", ")})
		}
	}
	return d
}

// summary says how many changes are significant.
func (c *Comparison) summary() string {
	counts := map[diff.Verdict]int{}
	tested := 0
	for _, p := range c.Pairs {
		for _, m := range p.Changes {
			if m.P != nil {
				tested++
				counts[m.Verdict]++
			}
		}
	}
	if tested == 0 {
		return fmt.Sprintf("Nothing was tested: each dataset needs %d %ss.", MinUnits, c.Unit)
	}
	return fmt.Sprintf("%d worse and %d better of %s tested together at the %.0f %% level. Values are means of %ss.",
		counts[diff.Worse], counts[diff.Better], text.Count(tested, "change"), 100*stats.Level, c.Unit)
}

func (c *Comparison) units(p *Pair) string {
	return text.Count(p.Units[0], c.Unit) + " → " + text.Count(p.Units[1], c.Unit)
}

// datasets returns a table of the facts of both datasets.
func (c *Comparison) datasets() view.Table {
	t := view.Table{Label: "Datasets", Columns: []view.Column{{Title: ""}, {Title: "Name"}, {Title: "Traces", Number: true}, {Title: "Failures", Number: true}, {Title: "Unreliable data", Number: true, Drop: 1}}}
	for i, d := range []*Dataset{c.Base, c.New} {
		t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
			{Text: [...]string{"Base", "New"}[i]}, {Text: text.Printable(d.Dir)}, {Text: strconv.Itoa(d.Traces)},
			{Text: strconv.Itoa(d.Failed()), About: d.reasons()}, {Text: strconv.Itoa(d.Unreliable)},
		}})
	}
	return t
}

// overview returns a table with a line for each pair.
func (c *Comparison) overview() view.Table {
	t := view.Table{Label: "Groups", Sortable: true, Columns: append(keyColumns(c.By), view.Column{Title: titleOf(c.Unit) + "s", Number: true})}
	for _, name := range c.measures {
		t.Columns = append(t.Columns, view.Column{Title: Measures[measureIndex(name)].Label, Number: true})
	}
	for i, p := range c.Pairs {
		row := view.Row{Link: "group-" + strconv.Itoa(i), Cells: append(keyCells(p.Key), view.Cell{Text: fmt.Sprintf("%d → %d", p.Units[0], p.Units[1])})}
		for k := range p.Changes {
			m := p.Changes[k]
			cell := view.Cell{Text: text.Value(m.Unit, m.New), Level: m.Verdict.Level()}
			if cell.Level != view.Plain {
				cell.About = text.Change(m.Unit, m.Delta)
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// table returns the table of the measures of a pair.
func (p *Pair) table() view.Table {
	return diff.MeasureTable(groupText(p.Key), slices.DeleteFunc(slices.Clone(p.Changes), func(m *diff.Measure) bool { return m.Base == nil && m.New == nil }))
}
