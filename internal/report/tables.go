package report

import (
	"fmt"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/rating"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// column is a column of a table of items, and what it has of an item.
type column[T any] struct {
	view.Column
	cell func(T) view.Cell
}

// tableOf returns a table with a row for each item. It can be sorted, and a phone shows its rows as cards.
func tableOf[T any](label string, columns []column[T], items []T) view.Table {
	t := view.Table{Label: label, Sortable: true, Cards: true}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for _, x := range items {
		var row view.Row
		for _, c := range columns {
			row.Cells = append(row.Cells, c.cell(x))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// itemSection returns a section with a table of the first items.
func itemSection[T any](b *builder, title, about string, columns []column[T], all []T) view.Section {
	t := tableOf(title, columns, all[:b.most(len(all))])
	if n := len(all) - len(t.Rows); n > 0 {
		t.More = text.More(n)
	}
	return view.Section{Title: title, About: about, Blocks: []view.Block{t}}
}

// briefItems is the number of items in a terminal without Options.Verbose.
const briefItems = 5

// most returns how many of n items are shown.
func (b *builder) most(n int) int {
	switch {
	case b.page:
		return min(n, text.MaxShown)
	case b.Verbose:
		return n
	}
	return min(n, briefItems)
}

// words returns a column of text.
func words[T any](c view.Column, of func(T) string) column[T] {
	return column[T]{c, func(x T) view.Cell { return view.Cell{Text: of(x)} }}
}

// numbers returns a column of numbers: an int, a *int, a *float64, which is shown with one decimal, or text.
func numbers[T any](c view.Column, of func(T) any) column[T] {
	c.Number = true
	return words(c, func(x T) string {
		switch n := of(x).(type) {
		case *int:
			if n == nil {
				return text.Unknown
			}
			return fmt.Sprint(*n)
		case *float64:
			return number(n)
		default:
			return fmt.Sprint(n)
		}
	})
}

// measured returns the column of a measure, with its title, its meaning, and the colours of its thresholds.
func measured[T any](list stats.MeasureList, name string) column[T] {
	return measuredOf(list, name, func(x T) any {
		if p, ok := any(x).(*process); ok {
			return p.Process
		}
		return x
	})
}

// measuredOf is measured for a measure of what a function returns.
func measuredOf[T any](list stats.MeasureList, name string, of func(T) any) column[T] {
	m := list.Named(name)
	c := view.Column{Title: text.Column(m), Meaning: fullMeaning(m), Drop: m.Drop}
	column := levelled(numbers(c, func(x T) any {
		subject := of(x)
		if m.Estimated(subject) {
			return estimate + valueOf(m, subject)
		}
		return valueOf(m, subject)
	}), func(x T) view.Level { return view.LevelOf(rating.OfMeasure(m, m.Value(of(x)))) })
	if len(c.Title) <= len("1000.0") { // hardly wider than its numbers
		return column
	}
	return narrow(column)
}

// valueOf returns the value of a measure as text.
func valueOf(m *stats.Measure, subject any) string {
	if ns := m.Of(subject); ns != nil && strings.HasSuffix(m.Path, "_ns") { // rounded as all durations are
		return text.Milliseconds(trace.Duration(*ns))
	}
	return text.Value(m.Unit, m.Value(subject))
}

// fullMeaning returns what a measure means, and from which values on it is coloured.
func fullMeaning(m *stats.Measure) string {
	if m.Rated == nil {
		return m.Explained()
	}
	return m.Explained() + "; " + colours(m.Rated)
}

// narrow breaks the title of a column in a narrow terminal.
func narrow[T any](c column[T]) column[T] {
	c.Short = strings.Replace(c.Title, " ", "\n", 1)
	return c
}

// levelled returns a column with the levels of its cells.
func levelled[T any](c column[T], of func(T) view.Level) column[T] {
	return column[T]{c.Column, func(x T) view.Cell {
		cell := c.cell(x)
		cell.Level = of(x)
		return cell
	}}
}

// widen gives columns of text the widths in which no cell is broken.
func widen(t *view.Table) {
	for i := range t.Columns {
		if c := &t.Columns[i]; !c.Number {
			for _, r := range t.Rows {
				c.Min = max(c.Min, text.Width(r.Cells[i].Text), text.Width(r.Cells[i].About))
			}
		}
	}
}
