package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// worstFirst returns the groups that are shown, those that became worse first.
func (g *Groups) worstFirst() []*Group {
	shown := slices.Clone(text.Largest(g.Both, (*Group).size))
	slices.SortStableFunc(shown, func(a, b *Group) int { return cmp.Compare(worst(a.Measures).rank(), worst(b.Measures).rank()) })
	return shown
}

// title is the noun for several, as a title.
func (g *Groups) title() string { return capital(g.kind.nouns) }

func capital(noun string) string { return strings.ToUpper(noun[:1]) + noun[1:] }

// view returns the section about the groups; nil without any.
func (g *Groups) view(verbose bool, unit string) []view.Block {
	if !g.any() {
		return nil
	}
	var blocks []view.Block
	if len(g.Both) > 0 {
		shown := g.worstFirst()
		blocks = append(blocks, g.table(shown), view.Note{Text: g.method(unit), Level: view.Soft})
		for _, one := range shown {
			changes := measureTable(one.heading(), slices.DeleteFunc(slices.Clone(one.Measures), func(m *Measure) bool { return m.Base == nil && m.New == nil }))
			blocks = append(blocks, view.Page{view.Fold{Title: one.heading(), Blocks: []view.Block{changes}}})
			if worst(one.Measures).significant() || verbose {
				blocks = append(blocks, view.Terminal{view.Note{Label: one.heading()}, changes})
			}
		}
	}
	for _, only := range []struct {
		label string
		list  []*Group
	}{{"Only in base", g.OnlyBase}, {"Only in new", g.OnlyNew}} {
		if len(only.list) > 0 {
			blocks = append(blocks, view.Note{Label: only.label, Text: names(only.list)})
		}
	}
	return []view.Block{view.Section{Title: g.title(), Blocks: blocks}}
}

// names lists groups, with how many interactions, buffers or frames they have.
func names(list []*Group) string {
	var names []string
	for _, p := range list[:min(len(list), text.MaxShown)] {
		names = append(names, fmt.Sprintf("%s (%d)", p.fullTitle(), p.size()))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, "; ")
}

// groupWidth is that of the name of a group in tables.
const groupWidth = 19

// table has a row for each group.
func (g *Groups) table(list []*Group) view.Table {
	t := view.Table{Label: g.title(), Sortable: true, Cards: true, Columns: []view.Column{{Title: capital(g.kind.noun), Min: groupWidth}, {Title: g.kind.sizes, Number: true, Drop: 1}}}
	columns := columnsOf(g.kind.measures, g.kind.leading)
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	t.Columns = append(t.Columns, view.Column{Title: "Verdict"})
	for _, one := range list {
		name := view.Cell{Text: one.words()}
		if about := one.about(); about != name.Text {
			name.About = about
		}
		cells := []view.Cell{name, {Text: one.counts()}}
		for _, c := range columns {
			cell := view.Cell{}
			for _, name := range c.of {
				if m := one.measure(name); m != nil {
					cell = view.Cell{Text: m.values(), Level: m.Verdict.level()}
				}
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, view.Row{Cells: append(cells, view.Cell{Text: changedMeasures(one.Measures), Level: worst(one.Measures).level()})})
	}
	if more := len(g.Both) - len(list); more > 0 {
		t.More = text.More(more)
	}
	return knownColumns(t)
}

// method describes the values and the test.
func (g *Groups) method(unit string) string {
	values := fmt.Sprintf("Values are means of runs, each %s.", g.kind.ofRun)
	if unit != runUnit {
		values = fmt.Sprintf("Values are means of %ss, each the mean of its runs. That of a run is %s.", unit, g.kind.ofRun)
	}
	if g.Changes == 0 {
		return values + " Nothing was tested."
	}
	return fmt.Sprintf("%s %s tested together, %.0f %% level.", values, text.Count(g.Changes, "change"), 100*significance.Level)
}
