package report

import (
	"fmt"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// maxReusable is the number of notes of components that are never reused.
const maxReusable = 3

// components returns how often components were built and reused, and which state variables made
// nodes dirty; nothing if the trace has neither.
func (b *builder) components(in *Input) (blocks []view.Block) {
	type component = stats.Component
	if all := in.Stats.Components; len(all) > 0 {
		several := slices.ContainsFunc(all, func(c component) bool { return c.PID != all[0].PID })
		times := func(l *stats.Latency) [2]string {
			if l == nil {
				return [2]string{text.Unknown, text.Unknown}
			}
			return [2]string{text.Milliseconds(l.P50), text.Milliseconds(l.Max)}
		}
		s := itemSection(b, "Components", "items that were built and reused", []column[component]{
			words(view.Column{Title: "Component", Min: nameWidth}, func(c component) string { return componentOf(&c, several) }),
			numbers(view.Column{Title: "Built"}, func(c component) any { return c.Built }),
			numbers(view.Column{Title: "Reused"}, func(c component) any { return c.Reused }),
			numbers(view.Column{Title: "Share", Meaning: "reused / (built + reused)"}, func(c component) any { return text.Share(&c.ReusedShare) }),
			numbers(view.Column{Title: "Build P50 ms"}, func(c component) any { return times(c.Build)[0] }),
			numbers(view.Column{Title: "Max ms", Drop: 1}, func(c component) any { return times(c.Build)[1] }),
			numbers(view.Column{Title: "Reuse P50 ms", Drop: 3}, func(c component) any { return times(c.Reuse)[0] }),
			numbers(view.Column{Title: "Total ms", Meaning: "of all items, without those inside another one of the component"}, func(c component) any { return text.Milliseconds(c.Total) }),
		}, all)
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
		type variable = stats.StateVariable
		blocks = append(blocks, itemSection(b, "State variables", "whose changes made nodes dirty", []column[variable]{
			words(view.Column{Title: "Variable", Min: nameWidth}, func(v variable) string {
				return text.Shorten(text.Printable(v.Component+"."+v.Variable), maxSlice)
			}),
			numbers(view.Column{Title: "Changes"}, func(v variable) any { return v.Changes }),
			numbers(view.Column{Title: "Dirty nodes"}, func(v variable) any { return v.Nodes }),
			numbers(view.Column{Title: "Most at once"}, func(v variable) any { return v.Most }),
		}, all))
	}
	return blocks
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
