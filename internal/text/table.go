package text

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Row is a row of a table.
type Row = table.Row

// Table is a table without borders, indented by two columns.
type Table struct {
	table.Writer
	columns []table.ColumnConfig
}

// NewTable returns a table with the given columns. A title that ends in " →" makes
// its column right-aligned. Without any titles the table has no header.
func NewTable(ink Ink, columns ...string) Table {
	t := Table{Writer: table.NewWriter()}
	t.SuppressTrailingSpaces()
	style := table.Style{Box: table.StyleBoxLight, Options: table.OptionsNoBordersAndSeparators}
	style.Box.PaddingLeft, style.Box.PaddingRight = "  ", ""
	t.SetStyle(style)
	header := Row{}
	for i, c := range columns {
		config := table.ColumnConfig{Number: i + 1}
		c, right := strings.CutSuffix(c, " →")
		if right {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		t.columns = append(t.columns, config)
		header = append(header, ink.Dim(c))
	}
	if slices.ContainsFunc(columns, func(c string) bool { return c != "" }) {
		t.AppendHeader(header)
	}
	return t
}

// Widths sets the minimum widths of the first columns.
func (t Table) Widths(list ...int) {
	for i, w := range list {
		t.columns[i].WidthMin = w
	}
}

// Wrap sets the maximum width of a column, counted from 0. Longer text continues
// on the next line, if possible with a whole word or a part of a name.
func (t Table) Wrap(column, width int) {
	t.columns[column].WidthMax, t.columns[column].WidthMaxEnforcer = width, func(s string, width int) string {
		return text.WrapSoft(breakNames(s, width), width)
	}
}

// nameEnds are the characters after which a name may be broken.
const nameEnds = ":./_"

// breakNames breaks words that are wider than a line after the parts of the names in them.
func breakNames(s string, width int) string {
	if Width(s) <= width || !strings.ContainsAny(s, nameEnds) {
		return s
	}
	words := strings.Split(s, " ")
	for i, word := range words {
		if Width(word) <= width {
			continue
		}
		line := ""
		words[i] = ""
		for word != "" {
			end := len(word)
			if at := strings.IndexAny(word, nameEnds); at >= 0 {
				end = len(word) - len(strings.TrimLeft(word[at:], nameEnds))
			}
			part := word[:end]
			word = word[end:]
			if line != "" && Width(line+part) > width {
				words[i] += line + "\n"
				line = ""
			}
			if name := strings.TrimRight(part, nameEnds); name != part && Width(part) > width {
				words[i] += name + "\n" // what follows has no room after it
				part = part[len(name):]
			}
			line += part
		}
		words[i] += line
	}
	return strings.Join(words, " ")
}

// Render returns the table's lines, without a line end after the last.
func (t Table) Render() string {
	t.SetColumnConfigs(t.columns)
	return t.Writer.Render()
}
