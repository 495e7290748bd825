package view

import (
	"fmt"
	"io"
	"strings"

	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// WriteTerminal writes a document as text.
func WriteTerminal(w io.Writer, d *Document, style text.Style) error {
	t := &terminal{text.NewWriter(w, style)}
	t.Warn(d.Warnings)
	t.gate(&d.Gate)
	if d.Summary != "" {
		t.lines("", d.Summary, t.Bold)
		t.WriteByte('\n')
	}
	t.blocks(d.Blocks)
	return t.Flush()
}

type terminal struct{ text.Writer }

// lines writes text at an indent, in as many lines as it needs, each in the given style.
func (t *terminal) lines(indent, s string, style func(string) string) {
	for line := range strings.SplitSeq(text.Wrap(s, t.Width-len(indent)), "\n") {
		fmt.Fprintln(t, indent+style(strings.TrimSpace(line)))
	}
}

// hang writes text after a head. Further lines begin below its first character.
func (t *terminal) hang(head, s string) {
	indent := strings.Repeat(" ", text.Width(head))
	for line := range strings.SplitSeq(text.Wrap(s, t.Width-len(indent)), "\n") {
		fmt.Fprintln(t, strings.TrimRight(head+strings.TrimSpace(line), " "))
		head = indent
	}
}

func plain(s string) string { return s }

// style returns the style of a level.
func (t *terminal) style(l Level) func(string) string {
	with := func(ink func(string, bool) string) func(string) string {
		return func(s string) string { return ink(s, true) }
	}
	switch l {
	case Warning:
		return with(t.Yellow)
	case Critical, Worse:
		return with(t.Red)
	case Better:
		return with(t.Green)
	case Soft:
		return t.Dim
	}
	return plain
}

const indent = "  "

// gate writes the conditions that failed or could not be checked.
func (t *terminal) gate(g *Gate) {
	passed := 0
	for _, c := range g.Checks {
		switch {
		case c.Status == condition.Passed:
			passed++
		case g.fails(&c):
			t.lines("", string(c.Status)+"  "+c.String(), t.style(Critical))
		default:
			t.lines("", string(c.Status)+"  "+c.String(), t.style(Warning))
		}
	}
	if passed > 0 {
		fmt.Fprintln(t, t.Dim(text.Count(passed, "condition")+" passed"))
	}
	if len(g.Checks) > 0 {
		t.WriteByte('\n')
	}
}

func (t *terminal) blocks(list []Block) {
	for _, b := range list {
		switch b := b.(type) {
		case Section:
			t.section(&b)
		case Terminal:
			t.blocks(b)
		case Note:
			t.note(&b)
		case Facts:
			t.facts(&b)
		case Table:
			t.table(&b)
		case Parts:
			t.parts(b)
		case Ranking:
			t.ranking(&b)
		case Cases:
			t.cases(&b)
		}
	}
}

func (t *terminal) section(s *Section) {
	switch {
	case s.Article:
		about := s.About
		if about != "" {
			about = " · " + about
		}
		title := text.Shorten(s.Title, t.Width/2)
		t.Heading(title, text.ShortenMiddle(about, t.Width/4, t.Width-2-text.Width(title)))
	case s.Title != "":
		t.lines(indent, strings.TrimSpace(t.Bold(s.Title)+"  "+s.About), plain)
		t.WriteByte('\n')
	}
	t.blocks(s.Blocks)
}

func (t *terminal) note(n *Note) {
	s := n.Text
	if n.Label != "" {
		s = t.Bold(n.Label) + "  " + s
	}
	t.lines(indent, s, t.style(n.Level))
	t.WriteByte('\n')
}

func (t *terminal) facts(f *Facts) {
	width := 0
	for _, fact := range f.List {
		width = max(width, text.Width(fact.Label))
	}
	for _, fact := range f.List {
		head := indent + t.Dim(fact.Label) + strings.Repeat(" ", width-text.Width(fact.Label)+2)
		value := strings.TrimSpace(t.style(fact.Level)(fact.Value) + " " + fact.Unit)
		for about := range strings.Lines(fact.About) {
			t.hang(head, strings.TrimSpace(value+"  "+about))
			head, value = strings.Repeat(" ", width+4), ""
		}
		if fact.About == "" {
			t.hang(head, value)
		}
	}
	t.WriteByte('\n')
}

func (t *terminal) table(b *Table) {
	if len(b.Rows) > 0 {
		t.rows(b)
	}
	if b.More != "" {
		t.lines(indent, b.More, t.Dim)
	}
	t.WriteByte('\n')
}

func (t *terminal) rows(b *Table) {
	titles, drop, widths := make([]string, len(b.Columns)), []int{}, make([]int, len(b.Columns))
	for i, c := range b.Columns {
		if titles[i] = c.Title; c.Number {
			titles[i] += " →"
		}
		widths[i] = c.Min
	}
	for highest := maxDrop(b.Columns); highest > 0; highest-- {
		for i, c := range b.Columns {
			if c.Drop == highest {
				drop = append(drop, i)
			}
		}
	}
	g := text.NewTable(t.Ink, titles...)
	g.Widths(widths...)
	for _, r := range b.Rows {
		row := text.Row{}
		for _, c := range r.Cells {
			row = append(row, t.cell(&c, r.Strong))
		}
		g.AppendRow(row)
	}
	if !t.Limited {
		drop = nil
	}
	for i, c := range b.Columns {
		if c.Wrap {
			room, least := t.Width-b.widthWithout(i, true), minWrapped
			switch {
			case !t.Limited:
				least *= 2 // further columns may be beyond the width
			case room < least:
				room = t.Width - b.widthWithout(i, false)
			}
			g.Wrap(i, max(least, room)&^1) // even, because a wide character may begin in the last cell
		}
	}
	hidden := g.Fit(t.Width, drop...)
	fmt.Fprintln(t, g.Render())
	t.Hidden(hidden)
}

// minWrapped is the least width of a column of cells that may be broken.
const minWrapped = 20

func (t *terminal) cell(c *Cell, strong bool) string {
	s := t.style(c.Level)(c.Text)
	if strong {
		s = t.Bold(s)
	}
	if c.About != "" {
		s += " " + t.Dim(c.About)
	}
	return s
}

// widthWithout returns the width of a table without one column, with or without those that can
// be dropped.
func (b *Table) widthWithout(column int, dropped bool) int {
	width := 2
	for i, c := range b.Columns {
		if i == column || c.Drop > 0 && !dropped {
			continue
		}
		widest := max(c.Min, text.Width(c.Title))
		for _, r := range b.Rows {
			if i < len(r.Cells) {
				widest = max(widest, text.Width(strings.TrimSpace(r.Cells[i].Text+" "+r.Cells[i].About)))
			}
		}
		width += widest + 2
	}
	return width
}

func maxDrop(columns []Column) (highest int) {
	for _, c := range columns {
		highest = max(highest, c.Drop)
	}
	return highest
}

func (t *terminal) parts(p Parts) {
	var list []string
	for _, part := range p {
		if part.Count > 0 {
			list = append(list, fmt.Sprintf("%s %d", part.Name, part.Count))
		}
	}
	t.lines(indent, strings.Join(list, " · "), plain)
	t.WriteByte('\n')
}

func (t *terminal) ranking(r *Ranking) {
	list := r.List
	if r.Others != nil {
		list = append(list[:len(list):len(list)], *r.Others)
	}
	share, time := 0, 0
	for _, c := range list {
		share, time = max(share, text.Width(c.Share)), max(time, text.Width(c.Time))
	}
	for _, c := range list {
		title := c.Title
		if c.About != "" {
			title += " · " + c.About
		}
		t.hang(indent+right(c.Share, share)+"  "+right(c.Time, time)+"  ", title)
		if c.Advice != "" {
			t.lines(indent+"    ", c.Advice, t.Dim)
		}
	}
	t.WriteByte('\n')
}

func (t *terminal) cases(c *Cases) {
	key, amount := text.Width(c.Key), text.Width(c.Amount)
	for _, item := range c.List {
		key, amount = max(key, text.Width(item.Key)), max(amount, text.Width(item.Amount))
	}
	fmt.Fprintln(t, t.Dim(indent+right(c.Key, key)+"  "+right(c.Amount, amount)+"  "+c.Text))
	for _, item := range c.List {
		t.hang(indent+right(item.Key, key)+"  "+right(item.Amount, amount)+"  ", item.Text)
	}
	if c.More != "" {
		t.lines(indent, c.More, t.Dim)
	}
	t.WriteByte('\n')
}

// right returns s at the end of width cells.
func right(s string, width int) string {
	return strings.Repeat(" ", max(0, width-text.Width(s))) + s
}
