package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// grid is a table without lines, two columns into the page.
type grid struct {
	table.Writer
	columns []table.ColumnConfig
}

// grid returns a table with the given columns. Those that end in an arrow are of
// numbers.
func (t *tableWriter) grid(columns ...string) grid {
	g := grid{Writer: table.NewWriter()}
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
		header = append(header, t.dim(c))
	}
	if len(columns) > 0 {
		g.AppendHeader(header)
		g.SetColumnConfigs(g.columns)
	}
	return g
}

// widths sets the least widths of the first columns.
func (g grid) widths(list ...int) {
	for i, w := range list {
		g.columns[i].WidthMin = w
	}
	g.SetColumnConfigs(g.columns)
}

func (t *tableWriter) print(g grid) { fmt.Fprintf(t, "%s\n\n", g.Render()) }

// shareBar draws n in relation to the most there is, to an eighth of a cell.
func shareBar(n, most, width int) string {
	if most == 0 {
		return ""
	}
	eighths := (n*width*8 + most - 1) / most
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string('█' + rune(8-rest))
	}
	return bar
}

// ink colours text for a terminal if it is true.
type ink bool

func (i ink) with(code, s string, yes bool) string {
	if !bool(i) || !yes || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (i ink) bold(s string) string             { return i.with("1", s, true) }
func (i ink) dim(s string) string              { return i.with("2", s, true) }
func (i ink) yellow(s string, yes bool) string { return i.with("33", s, yes) }
func (i ink) red(s string, yes bool) string    { return i.with("31", s, yes) }
