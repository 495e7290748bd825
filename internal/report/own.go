package report

import (
	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// own returns the measures that the user defined, and what is missing in them; nothing without any.
func (b *builder) own(in *Input) []view.Block {
	if len(in.Stats.Own) == 0 {
		return nil
	}
	s := view.Section{Title: "Own measures", Blocks: []view.Block{tableOf("Own measures", ownColumns(b.page), in.Stats.Own)}}
	if b.page && b.several {
		s.About = text.Printable(in.Name)
	}
	for _, x := range in.Stats.Own {
		for _, problem := range x.Problems {
			s.Blocks = append(s.Blocks, view.Note{Label: text.Printable(x.Name), Text: text.Printable(problem), Level: view.Warning})
		}
	}
	return []view.Block{s}
}

func ownColumns(page bool) []column[*stats.Own] {
	columns := []column[*stats.Own]{
		words(view.Column{Title: "Measure", Min: nameWidth}, func(x *stats.Own) string { return text.Printable(x.Name) }),
		numbers(view.Column{Title: "Count"}, func(x *stats.Own) any { return x.Count }),
	}
	for i := range stats.OwnMeasures {
		if m := &stats.OwnMeasures[i]; m.Short != "" && !m.Numbers {
			of := m.Path
			columns = append(columns, numbers(view.Column{Title: m.Short, Meaning: m.Explained(), Drop: m.Drop}, func(x *stats.Own) any { return ownValue(x, of) }))
		}
	}
	columns = append(columns,
		words(view.Column{Title: "Unit", Meaning: "numbers have none"}, func(x *stats.Own) string {
			if x.Unit == nil || *x.Unit == stats.Count {
				return ""
			}
			return string(*x.Unit)
		}))
	if page {
		columns = append(columns, words(view.Column{Title: "Of"}, func(x *stats.Own) string { return text.Shorten(text.Printable(x.Of), maxSlice) }))
	}
	return columns
}

// ownValue returns a value of a measure as text.
func ownValue(x *stats.Own, path string) string {
	for i := range stats.OwnMeasures {
		if m := &stats.OwnMeasures[i]; m.Path == path && m.IsOf(x) {
			return text.Value(m.Unit, m.Value(x))
		}
	}
	return text.Unknown
}
