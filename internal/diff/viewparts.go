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

// worstFirst returns the parts that are shown, those that became worse first.
func (p *parts) worstFirst() []part {
	shown := slices.Clone(text.Largest(p.both, part.size))
	slices.SortStableFunc(shown, func(a, b part) int { return cmp.Compare(worst(a.list()).rank(), worst(b.list()).rank()) })
	return shown
}

// title is the noun for several, as a title.
func (p *parts) title() string { return capital(p.nouns) }

func capital(noun string) string { return strings.ToUpper(noun[:1]) + noun[1:] }

// view returns the section about the parts; nil without any.
func (p *parts) view(verbose bool) []view.Block {
	if !p.any() {
		return nil
	}
	var blocks []view.Block
	if len(p.both) > 0 {
		shown := p.worstFirst()
		blocks = append(blocks, p.table(shown), view.Note{Text: p.method(), Level: view.Soft})
		for _, one := range shown {
			changes := MeasureTable(one.heading(), slices.DeleteFunc(slices.Clone(one.list()), func(m *Measure) bool { return m.Base == nil && m.New == nil }))
			blocks = append(blocks, view.Page{view.Fold{Title: one.heading(), Blocks: []view.Block{changes}}})
			if worst(one.list()).Significant() || verbose {
				blocks = append(blocks, view.Terminal{view.Note{Label: one.heading()}, changes})
			}
		}
	}
	for _, only := range []struct {
		label string
		list  []part
	}{{"Only in base", p.onlyBase}, {"Only in new", p.onlyNew}} {
		if len(only.list) > 0 {
			blocks = append(blocks, view.Note{Label: only.label, Text: names(only.list)})
		}
	}
	return []view.Block{view.Section{Title: p.title(), Blocks: blocks}}
}

// names lists parts, with how many interactions, buffers or frames they have.
func names(list []part) string {
	var names []string
	for _, p := range list[:min(len(list), text.MaxShown)] {
		names = append(names, fmt.Sprintf("%s (%d)", p.fullTitle(), p.size()))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, "; ")
}

// partWidth is that of the name of a part in tables.
const partWidth = 19

// partColumns are the columns of measures in tables of parts. A column may serve several
// measures: a part has at most one of them.
var partColumns = map[string]struct {
	count   string
	columns []view.Column
	of      [][]string
}{
	"interaction": {"Count", []view.Column{{Title: "Response, ms", Number: true}, {Title: "Hitch, ms/s", Number: true}, {Title: "FPS", Number: true, Drop: 2}},
		[][]string{{"response_ms", "first_frame_ms"}, {"hitch"}, {"fps"}}},
	"layer": {"Buffers", []view.Column{{Title: "FPS", Number: true}, {Title: "Late", Number: true}, {Title: "Uneven", Number: true, Drop: 2}, {Title: "Dropped", Number: true, Drop: 3}, {Title: "Queue P95, ms", Number: true, Drop: 4}},
		[][]string{{"fps"}, {"late"}, {"uneven"}, {"dropped"}, {"queue_p95_ms"}}},
	"summary": {"Frames", []view.Column{{Title: "Janky", Number: true}, {Title: "P50, ms", Number: true, Drop: 4}, {Title: "P90, ms", Number: true, Drop: 2}, {Title: "P95, ms", Number: true, Drop: 3}, {Title: "P99, ms", Number: true}},
		[][]string{{"jank_rate"}, {"p50_ms"}, {"p90_ms"}, {"p95_ms"}, {"p99_ms"}}},
}

// table has a row for each part.
func (p *parts) table(list []part) view.Table {
	of := partColumns[p.noun]
	t := view.Table{Label: p.title(), Sortable: true, Columns: slices.Concat(
		[]view.Column{{Title: capital(p.noun), Min: partWidth}, {Title: of.count, Number: true, Drop: 1}}, of.columns, []view.Column{{Title: "Verdict"}})}
	for _, one := range list {
		cells := []view.Cell{{Text: one.words(), About: one.about()}, {Text: one.counts()}}
		for _, names := range of.of {
			cell := view.Cell{}
			for _, name := range names {
				if m := one.measure(name); m != nil {
					cell = view.Cell{Text: m.values(), Level: m.Verdict.Level()}
				}
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, view.Row{Cells: append(cells, view.Cell{Text: changedMeasures(one.list()), Level: worst(one.list()).Level()})})
	}
	if more := len(p.both) - len(list); more > 0 {
		t.More = text.More(more)
	}
	return t
}

// method describes the values and the test.
func (p *parts) method() string {
	values := fmt.Sprintf("Values are means of runs, each %s.", p.ofRun)
	if p.unit == "session" {
		values = fmt.Sprintf("Values are means of sessions, each the mean of its runs. That of a run is %s.", p.ofRun)
	}
	if p.tested == 0 {
		return values + " Nothing was tested."
	}
	return fmt.Sprintf("%s %s tested together, %.0f %% level.", values, text.Count(p.tested, "change"), 100*significance.Level)
}
