package fleet

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/diff"
	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// DiffFormats are the formats of a comparison.
var DiffFormats = append(slices.Clone(Formats), view.GateFormats...)

// Write writes the comparison in one of the DiffFormats.
func (c *Comparison) Write(w io.Writer, format string, style text.Style) error {
	return write(w, c, format, style)
}

// document returns the comparison for people.
func (c *Comparison) document() *view.Document {
	d := &view.Document{Kind: "Fleet comparison", Title: text.Printable(c.Base.Dir) + " → " + text.Printable(c.New.Dir), Summary: c.summary()}
	for _, dataset := range []*Dataset{c.Base, c.New} {
		for _, warning := range dataset.Warnings() {
			d.Warnings = append(d.Warnings, text.Printable(dataset.Dir)+": "+warning)
		}
	}
	d.Warnings = append(d.Warnings, c.warnings...)
	d.Gate = view.Gate{AllowMissing: c.AllowMissing, Checks: c.Checks(), Verdict: strings.TrimSuffix(d.Summary, "."), Warnings: c.warnings, Tables: []view.Table{*c.significant()}}
	if len(d.Gate.Checks) == 0 {
		d.Gate.Warnings = d.Warnings // otherwise a missing shard is a check
	}
	d.Blocks = append(d.Blocks, view.Section{Title: "Datasets", Blocks: []view.Block{c.datasets()}})
	first := 0 // of the pairs of all tables
	for _, x := range c.Tables {
		d.Blocks = append(d.Blocks, c.compared(x, first)...)
		first += len(x.Pairs)
	}
	return d
}

// significant returns a table of the changes that are significant.
func (c *Comparison) significant() *view.Table {
	t := &view.Table{}
	for _, x := range c.Tables {
		for _, p := range x.Pairs {
			list := diff.MeasureTable("", slices.DeleteFunc(slices.Clone(p.Changes), func(m *diff.Measure) bool { return !m.Verdict.Significant() }))
			if len(list.Rows) > 0 {
				t.Columns = append([]view.Column{{Title: "Group"}}, list.Columns...)
			}
			for _, row := range list.Rows {
				t.Rows = append(t.Rows, view.Row{Cells: append([]view.Cell{{Text: groupText(p.Key)}}, row.Cells...)})
			}
		}
	}
	return t
}

// compared returns what is shown of a table. first is the number of pairs before.
func (c *Comparison) compared(x *TableComparison, first int) (blocks []view.Block) {
	if len(x.Pairs) > 1 {
		blocks = append(blocks, view.Page{view.Section{Title: titleOf(x.table.name()), About: "values of the new dataset, and changes that are significant", Blocks: []view.Block{c.overview(x, first)}}})
	}
	for i, p := range x.Pairs {
		s := view.Section{ID: "group-" + strconv.Itoa(first+i), Title: groupText(p.Key), About: c.units(p), Blocks: []view.Block{p.table()}}
		if why := c.whyNotTested(x, p); why != "" {
			s.Blocks = append(s.Blocks, view.Note{Text: why, Level: view.Soft})
		}
		if found := diff.Undecided(p.Changes); found != "" {
			s.Blocks = append(s.Blocks, view.Note{Label: "Undecided", Text: found, Level: view.Soft})
		}
		blocks = append(blocks, s)
	}
	for _, only := range []struct {
		groups []*Pair
		of     *Dataset
	}{{x.OnlyBase, c.Base}, {x.OnlyNew, c.New}} {
		if n := len(only.groups); n > 0 {
			var names []string
			for _, p := range only.groups[:min(n, mostShown)] {
				names = append(names, groupText(p.Key))
			}
			if n > len(names) {
				names = append(names, fmt.Sprintf("%d more", n-len(names)))
			}
			blocks = append(blocks, view.Note{Label: "Only in " + text.Printable(only.of.Dir), Text: strings.Join(names, ", ")})
		}
	}
	return blocks
}

// summary says how many changes are significant.
func (c *Comparison) summary() string {
	var parts []string
	anything := false
	for _, x := range c.Tables {
		counts := map[diff.Verdict]int{}
		tested := 0
		for _, p := range x.Pairs {
			for _, m := range p.Changes {
				if m.P != nil {
					tested++
					counts[m.Verdict]++
				}
			}
		}
		s := "Nothing was tested: " + c.whyNothing(x) + "."
		if tested > 0 {
			anything = true
			s = fmt.Sprintf("%d worse and %d better of %s tested together at the %.0f %% level.",
				counts[diff.Worse], counts[diff.Better], text.Count(tested, "change"), 100*significance.Level)
		}
		if len(c.Tables) > 1 {
			s = titleOf(x.table.name()) + ": " + s
		}
		parts = append(parts, s)
	}
	if anything {
		parts = append(parts, fmt.Sprintf("Values are means of %ss.", c.Unit))
	}
	return strings.Join(parts, " ")
}

// whyNothing returns why no change of a table was tested.
func (c *Comparison) whyNothing(x *TableComparison) string {
	switch {
	case len(x.Pairs)+len(x.OnlyBase)+len(x.OnlyNew) == 0:
		return "the datasets have no " + x.table.name()
	case len(x.Pairs)+len(x.OnlyNew) == 0:
		return "the new dataset has no " + x.table.name()
	case len(x.Pairs)+len(x.OnlyBase) == 0:
		return "the base dataset has no " + x.table.name()
	case len(x.Pairs) == 0:
		return "no group is in both datasets"
	case slices.ContainsFunc(x.Pairs, func(p *Pair) bool { return min(p.Units[0], p.Units[1]) >= minUnits }):
		_, noun := x.table.counts()
		return fmt.Sprintf("each dataset needs %d %ss with %d %ss", minUnits, c.Unit, stats.MinFrames("p95_ms"), noun)
	}
	return fmt.Sprintf("each dataset needs %d %ss", minUnits, c.Unit)
}

func (c *Comparison) units(p *Pair) string {
	var sides [2]string
	for i, rows := range p.rows {
		sides[i] = text.Count(rows.all, c.Unit)
		if p.Units[i] < rows.all {
			sides[i] = fmt.Sprintf("%d of %s", p.Units[i], sides[i])
		}
	}
	return sides[0] + " → " + sides[1]
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
func (c *Comparison) overview(x *TableComparison, first int) view.Table {
	t := view.Table{Label: titleOf(x.table.name()), Sortable: true, Columns: append(keyColumns(x.By), view.Column{Title: titleOf(c.Unit) + "s", Number: true})}
	for _, name := range x.measures {
		t.Columns = append(t.Columns, view.Column{Title: measures.Named(name).Label, Number: true})
	}
	for i, p := range x.Pairs {
		row := view.Row{Link: "group-" + strconv.Itoa(first+i), Cells: append(keyCells(p.Key), view.Cell{Text: fmt.Sprintf("%d → %d", p.Units[0], p.Units[1])})}
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
