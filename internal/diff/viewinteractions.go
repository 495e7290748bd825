package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// shownInteractions returns the pairs of interactions that tables show, the worst first.
func (d *Diff) shownInteractions() []*InteractionPair {
	shown := slices.Clone(text.Largest(d.Interactions, func(p *InteractionPair) int { return count(p.Base) + count(p.New) }))
	slices.SortStableFunc(shown, func(a, b *InteractionPair) int { return cmp.Compare(a.verdict().rank(), b.verdict().rank()) })
	return shown
}

// interactionUnit is what was tested: "run" or "interaction".
func (d *Diff) interactionUnit() string {
	if d.byRuns() {
		return "run"
	}
	return "interaction"
}

// viewInteractions returns the section about interactions; nil without any.
func (d *Diff) viewInteractions(verbose bool) []view.Block {
	if len(d.Interactions)+len(d.OnlyBaseInteractions)+len(d.OnlyNewInteractions) == 0 {
		return nil
	}
	var blocks []view.Block
	if len(d.Interactions) > 0 {
		shown := d.shownInteractions()
		blocks = append(blocks, d.interactionTable(shown), view.Note{Text: d.interactionMethod(), Level: view.Soft})
		for _, p := range shown {
			changes := MeasureTable(p.heading(), slices.DeleteFunc(slices.Clone(p.Measures), func(m *Measure) bool { return m.Base == nil && m.New == nil }))
			blocks = append(blocks, view.Page{view.Fold{Title: p.heading(), Blocks: []view.Block{changes}}})
			if p.verdict().Significant() || verbose {
				blocks = append(blocks, view.Terminal{view.Note{Label: p.heading()}, changes})
			}
		}
	}
	for _, only := range []struct {
		label string
		list  []*InteractionPair
	}{{"Only in base", d.OnlyBaseInteractions}, {"Only in new", d.OnlyNewInteractions}} {
		if len(only.list) > 0 {
			blocks = append(blocks, view.Note{Label: only.label, Text: names(only.list)})
		}
	}
	return []view.Block{view.Section{Title: "Interactions", Blocks: blocks}}
}

// names lists interactions, with how many there are.
func names(list []*InteractionPair) string {
	var names []string
	for _, p := range list[:min(len(list), text.MaxShown)] {
		names = append(names, fmt.Sprintf("%s (%d)", p.fullTitle(), count(p.Base)+count(p.New)+p.BaseCut+p.NewCut))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, "; ")
}

// interactionTable has a row for each sample of interactions.
func (d *Diff) interactionTable(list []*InteractionPair) view.Table {
	t := view.Table{Label: "Interactions", Sortable: true, Columns: []view.Column{
		{Title: "Interaction"}, {Title: "Count", Number: true, Drop: 1}, {Title: "Response, ms", Number: true},
		{Title: "Hitch, ms/s", Number: true}, {Title: "FPS", Number: true, Drop: 2}, {Title: "Verdict"},
	}}
	for _, p := range list {
		cells := []view.Cell{{Text: p.words(), About: text.ProcessName(p.Process)}, {Text: fmt.Sprintf("%d → %d", count(p.Base), count(p.New))}}
		columns := []string{"response_ms", "hitch", "fps"}
		if p.Launch {
			columns = []string{"first_frame_ms", "", ""}
		}
		for _, name := range columns {
			cell := view.Cell{}
			if name != "" {
				m := p.measure(name)
				cell = view.Cell{Text: m.values(), Level: m.Verdict.Level()}
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, view.Row{Cells: append(cells, view.Cell{Text: cmp.Or(p.verdict().word(), "not tested"), Level: p.verdict().Level()})})
	}
	if more := len(d.Interactions) - len(list); more > 0 {
		t.More = text.More(more)
	}
	return t
}

// interactionMethod describes the values and the test.
func (d *Diff) interactionMethod() string {
	values := "Values are means of interactions."
	if d.byRuns() {
		values = "Values are means of runs, each the mean of its interactions."
	}
	if d.InteractionChanges == 0 {
		return values + " Nothing was tested: too few interactions."
	}
	return fmt.Sprintf("%s Tested by the differences between %ss; %s, %.0f %% level for interactions.",
		values, d.interactionUnit(), text.Count(d.InteractionChanges, "change"), 100*stats.Level)
}
