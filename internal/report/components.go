package report

import (
	"fmt"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

const (
	briefComponents = 5 // in a terminal
	maxReusable     = 3 // notes of components that are never reused
)

// components returns how often components were built and reused, and which state variables made
// nodes dirty; nothing if the trace has neither.
func (b *builder) components(in *Input) (blocks []view.Block) {
	if all := in.Stats.Components; len(all) > 0 {
		several := slices.ContainsFunc(all, func(c stats.Component) bool { return c.PID != all[0].PID })
		t := view.Table{Label: "Components", Sortable: true, Columns: []view.Column{
			{Title: "Component", Min: nameWidth}, {Title: "Built", Number: true}, {Title: "Reused", Number: true},
			{Title: "Share", Number: true, Meaning: "reused / (built + reused)"}, {Title: "Build P50 ms", Number: true}, {Title: "Max ms", Number: true, Drop: 1},
			{Title: "Reuse P50 ms", Number: true, Drop: 3}, {Title: "Total ms", Number: true, Meaning: "of all items, without those inside another one of the component"},
		}}
		shown := all[:b.most(len(all))]
		for i := range shown {
			c := &shown[i]
			build, longest, reuse := text.Unknown, text.Unknown, text.Unknown
			if c.Build != nil {
				build, longest = text.Milliseconds(c.Build.P50), text.Milliseconds(c.Build.Max)
			}
			if c.Reuse != nil {
				reuse = text.Milliseconds(c.Reuse.P50)
			}
			t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
				{Text: componentOf(c, several)}, {Text: fmt.Sprint(c.Built)}, {Text: fmt.Sprint(c.Reused)}, {Text: text.Share(&c.ReusedShare)},
				{Text: build}, {Text: longest}, {Text: reuse}, {Text: text.Milliseconds(c.Total)},
			}})
		}
		if n := len(all) - len(shown); n > 0 {
			t.More = text.More(n)
		}
		s := view.Section{Title: "Components", About: "items that were built and reused", Blocks: []view.Block{t}}
		notes := 0
		for i := range all {
			if c := &all[i]; c.NeverReused && notes < maxReusable {
				notes++
				s.Blocks = append(s.Blocks, view.Note{Text: fmt.Sprintf("%s: %d built, 0 reused: add @Reusable", componentName(c), c.Built)})
			}
		}
		blocks = append(blocks, s)
	}
	if all := in.Stats.StateVariables; len(all) > 0 {
		t := view.Table{Label: "State variables", Sortable: true, Columns: []view.Column{
			{Title: "Variable", Min: nameWidth}, {Title: "Changes", Number: true}, {Title: "Dirty nodes", Number: true}, {Title: "Most at once", Number: true},
		}}
		shown := all[:b.most(len(all))]
		for _, v := range shown {
			t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
				{Text: text.Shorten(text.Printable(v.Component+"."+v.Variable), maxSlice)},
				{Text: fmt.Sprint(v.Changes)}, {Text: fmt.Sprint(v.Nodes)}, {Text: fmt.Sprint(v.Most)},
			}})
		}
		if n := len(all) - len(shown); n > 0 {
			t.More = text.More(n)
		}
		blocks = append(blocks, view.Section{Title: "State variables", About: "whose changes made nodes dirty", Blocks: []view.Block{t}})
	}
	return blocks
}

// most returns how many of n rows are shown.
func (b *builder) most(n int) int {
	switch {
	case b.page:
		return min(n, text.MaxShown)
	case b.Verbose:
		return n
	}
	return min(n, briefComponents)
}

// componentOf names a component, with its application if the input has several.
func componentOf(c *stats.Component, several bool) string {
	name := componentName(c)
	if several {
		name += " of " + text.Shorten(text.ProcessName(c.Process), maxName)
	}
	return name
}

func componentName(c *stats.Component) string {
	if c.Name == nil {
		return text.Unknown
	}
	return text.Shorten(text.Printable(*c.Name), maxSlice)
}
