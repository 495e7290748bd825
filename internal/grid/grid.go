// Package grid sets the tables that commands print for people.
package grid

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Grid is a table without lines, two columns into the page.
type Grid struct {
	table.Writer
	columns []table.ColumnConfig
}

// New returns a table with the given columns. Those that end in an arrow are of
// numbers. Without any title there is no header.
func New(ink Ink, columns ...string) Grid {
	g := Grid{Writer: table.NewWriter()}
	g.SuppressTrailingSpaces()
	style := table.Style{Box: table.StyleBoxLight, Options: table.OptionsNoBordersAndSeparators}
	style.Box.PaddingLeft, style.Box.PaddingRight = "  ", ""
	g.SetStyle(style)
	header := table.Row{}
	for i, c := range columns {
		config := table.ColumnConfig{Number: i + 1}
		c, numbers := strings.CutSuffix(c, " →")
		if numbers {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		g.columns = append(g.columns, config)
		header = append(header, ink.Dim(c))
	}
	if slices.ContainsFunc(columns, func(c string) bool { return c != "" }) {
		g.AppendHeader(header)
	}
	return g
}

// Widths sets the least widths of the first columns.
func (g Grid) Widths(list ...int) {
	for i, w := range list {
		g.columns[i].WidthMin = w
	}
}

// Render returns the table's lines, without the end of the last.
func (g Grid) Render() string {
	g.SetColumnConfigs(g.columns)
	return g.Writer.Render()
}

// Wrap sets how wide a column, counted from 0, may be; longer text goes on in the
// next line.
func (g Grid) Wrap(column, width int) {
	g.columns[column].WidthMax, g.columns[column].WidthMaxEnforcer = width, text.WrapSoft
}
