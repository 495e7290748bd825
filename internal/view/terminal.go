package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/internal/text"
)

// WriteTerminal writes a document as text.
func WriteTerminal(w io.Writer, d *Document, style text.Style) error {
	t := &terminal{Writer: text.NewWriter(w, style)}
	if d.Summary != "" {
		t.lines("", d.Summary, t.Bold)
		for _, s := range d.Sentences {
			t.hangBy(indent, indent+indent, s)
		}
		t.WriteByte('\n')
	}
	for _, line := range d.Warnings {
		t.lines("", line, t.style(Warning))
	}
	if len(d.Warnings) > 0 {
		t.WriteByte('\n')
	}
	t.conditions(&d.Gate)
	t.blocks(d.Blocks)
	return t.Flush()
}

// conditions lists the results of conditions.
func (t *terminal) conditions(g *GateReport) {
	if len(g.Checks) == 0 {
		return
	}
	list := slices.Concat(g.with(failed), g.with(unknown), g.with(undecided), g.with(passed))
	fmt.Fprintf(t, "%s: %s\n\n", t.Bold("Conditions"), g.String())
	for _, c := range list[:min(len(list), maxChecks)] {
		word, level := string(c.Status), [...]Level{failed: Critical, unknown: Warning, undecided: Warning, passed: Better}[resultOf(&c)]
		if c.Undecided {
			word = "undecided"
		}
		t.hang(indent+t.style(level)(fmt.Sprintf("%-9s", word))+"  ", text.Line(c.String()))
	}
	if more := len(list) - maxChecks; more > 0 {
		fmt.Fprintf(t, "%s… and %d more; --format json lists all\n", indent, more)
	}
	t.WriteByte('\n')
}

type terminal struct {
	text.Writer
	depth int // of sections
}

// lines writes text at an indent, in as many lines as it needs, each in the given style.
func (t *terminal) lines(indent, s string, style func(string) string) {
	for line := range strings.SplitSeq(text.Wrap(s, t.Width-len(indent)), "\n") {
		fmt.Fprintln(t, indent+style(strings.TrimSpace(line)))
	}
}

// hang writes text after a head. Further lines begin below its first character.
func (t *terminal) hang(head, s string) { t.hangBy(head, strings.Repeat(" ", text.Width(head)), s) }

// hangBy is hang with the indent of further lines.
func (t *terminal) hangBy(head, indent, s string) {
	for line := range strings.SplitSeq(text.Wrap(s, t.Width-len(indent)), "\n") {
		fmt.Fprintln(t, strings.TrimRight(head+strings.TrimSpace(line), " "))
		head = indent
	}
}

func plain(s string) string { return s }

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

func (t *terminal) blocks(list []Block) {
	for i, b := range list {
		switch b := b.(type) {
		case Section:
			if !b.PageOnly {
				t.section(&b)
			}
		case Terminal:
			t.blocks(b)
		case Note:
			t.note(&b)
			if b.Text != "" && (i+1 == len(list) || !isNote(list[i+1])) {
				t.WriteByte('\n')
			}
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
		about = text.ShortenMiddle(about, t.Width/4, t.Width-2-text.Width(title))
		rule := strings.Repeat("─", max(0, t.Width-1-text.Width(title+about)))
		fmt.Fprintf(t, "%s%s %s\n\n", t.Bold(title), t.Dim(about), t.Dim(rule))
	case s.Title != "":
		before := indent
		if t.depth == 0 {
			before = ""
		}
		t.lines(before, strings.TrimSpace(t.Bold(s.Title)+"  "+s.About), plain)
		if first := slices.IndexFunc(s.Blocks, isShown); t.depth > 0 || first < 0 || !isNote(s.Blocks[first]) {
			t.WriteByte('\n') // notes about an input are directly below its name
		}
	}
	t.depth++
	t.blocks(s.Blocks)
	t.depth--
}

func (t *terminal) note(n *Note) {
	s := n.Text
	if n.Label != "" {
		s = n.Label + ": " + s
	}
	if s != "" {
		t.lines(indent, s, t.style(n.Level))
	}
}

// isShown reports whether a terminal shows a block.
func isShown(b Block) bool {
	switch b := b.(type) {
	case Note:
		return b.Text != ""
	case Page, Strips, Chart, Flame, Fold:
		return false
	}
	return true
}

func isNote(b Block) bool {
	n, ok := b.(Note)
	return ok && n.Text != ""
}

// maxValue is the width of a value up to which the texts after values are in one column.
const maxValue = 30

func (t *terminal) facts(f *Facts) {
	labels, values := 0, 0
	value := func(fact *Fact) string { return strings.TrimSpace(fact.Value + " " + fact.Unit) }
	for i := range f.List {
		fact := &f.List[i]
		labels = max(labels, text.Width(fact.Label))
		if width := text.Width(value(fact)); fact.About != "" && width <= maxValue {
			values = max(values, width)
		}
	}
	for i := range f.List {
		fact := &f.List[i]
		shown := value(fact)
		head := indent + t.Dim(fact.Label) + strings.Repeat(" ", labels-text.Width(fact.Label)+2)
		if fact.About == "" || text.Width(shown) > maxValue {
			t.hang(head, strings.TrimSpace(t.style(fact.Level)(shown)+"  "+strings.ReplaceAll(fact.About, "\n", "; ")))
			continue
		}
		head += t.style(fact.Level)(shown) + strings.Repeat(" ", values-text.Width(shown)+2)
		for about := range strings.Lines(fact.About) {
			t.hang(head, strings.TrimSpace(about))
			head = strings.Repeat(" ", text.Width(head))
		}
	}
	t.WriteByte('\n')
}

func (t *terminal) table(b *Table) {
	if len(b.Rows) == 0 && b.More == "" {
		return
	}
	if len(b.Rows) > 0 {
		t.rows(b)
	}
	if b.More != "" {
		t.lines(indent, b.More, t.Dim)
	}
	t.WriteByte('\n')
}

func (t *terminal) rows(b *Table) {
	kept, widths, hidden := t.layout(b)
	if len(hidden) > 0 {
		b = briefly(b)
	}
	titles, least := []string{}, []int{}
	for _, i := range kept {
		title := b.Columns[i].Title
		if b.Columns[i].Number {
			title += " →"
		}
		titles, least = append(titles, title), append(least, min(b.Columns[i].Min, widths[i]))
	}
	g := text.NewTable(t.Ink, titles...)
	g.Widths(least...)
	for k, i := range kept {
		isCommand := func(r Row) bool { return r.Cells[i].Command } // a broken one cannot be copied
		if !b.Columns[i].Number && !slices.ContainsFunc(b.Rows, isCommand) {
			g.Wrap(k, widths[i])
		}
	}
	for _, r := range b.Rows {
		row := text.Row{}
		for _, i := range kept {
			row = append(row, t.cell(&r.Cells[i], r.Strong))
		}
		g.AppendRow(row)
	}
	fmt.Fprintln(t, g.Render())
	t.Hidden(hidden)
}

// goodWidth is the least width of a column of text while there are columns to leave out.
const goodWidth = 24

// leastWidth is the least width of any column of text.
const leastWidth = 10

// briefly returns a table for a narrow terminal: with short titles and without the texts of
// Column.About.
func briefly(b *Table) *Table {
	short := *b
	short.Columns, short.Rows = slices.Clone(b.Columns), slices.Clone(b.Rows)
	for i := range short.Columns {
		c := &short.Columns[i]
		c.Title = cmp.Or(c.Short, c.Title)
		if c.About == "" {
			continue
		}
		c.Min = 0
		for n := range short.Rows {
			r := &short.Rows[n]
			r.Cells = slices.Clone(r.Cells)
			r.Cells[i].About = ""
			c.Min = max(c.Min, text.Width(r.Cells[i].Text))
		}
	}
	return &short
}

// layout returns the columns of a table that have room, the width of each column, and what is
// left out for lack of room: titles of columns, and Column.About. If anything is, the table is
// shown briefly. Text that is wider than its column is broken.
func (t *terminal) layout(b *Table) (kept []int, widths []int, hidden []string) {
	kept, widths, hidden = t.columns(b)
	if len(hidden) > 0 {
		kept, widths, hidden = t.columns(briefly(b))
		for i, c := range slices.Backward(b.Columns) {
			if c.About != "" && slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Cells[i].About != "" }) {
				hidden = slices.Insert(hidden, 0, c.About)
			}
		}
	}
	return kept, widths, hidden
}

// columns returns the columns of a table that have room, the width of each column, and the
// titles of those without room.
func (t *terminal) columns(b *Table) (kept []int, widths []int, hidden []string) {
	widths = make([]int, len(b.Columns))
	for i, c := range b.Columns {
		widths[i] = max(c.Min, titleWidth(c.Title))
		for _, r := range b.Rows {
			widths[i] = max(widths[i], text.Width(strings.TrimSpace(r.Cells[i].Text+" "+r.Cells[i].About)))
		}
		if !c.Bars {
			kept = append(kept, i)
		}
	}
	needed := func() (n int) {
		for _, i := range kept {
			n += 2 + widths[i]
			if !b.Columns[i].Number {
				n -= max(0, widths[i]-goodWidth)
			}
		}
		return n
	}
	highest := 0
	for _, c := range b.Columns {
		highest = max(highest, c.Drop)
	}
	for drop := highest; drop > 0; drop-- {
		for at, i := range slices.Backward(kept) {
			if b.Columns[i].Drop == drop && needed() > t.Width {
				kept = slices.Delete(kept, at, at+1)
				hidden = append(hidden, strings.ReplaceAll(b.Columns[i].Title, "\n", " "))
			}
		}
	}
	// Columns of text share what the numbers leave: the narrow ones get all that they need, but
	// leave the others their least widths.
	room, texts := t.Width, []int{}
	for _, i := range kept {
		room -= 2
		if b.Columns[i].Number {
			room -= widths[i]
		} else {
			texts = append(texts, i)
		}
	}
	slices.SortStableFunc(texts, func(a, b int) int { return widths[a] - widths[b] })
	mins, least := leastWidths(b, texts, room)
	for n, i := range texts {
		others := len(texts) - n - 1
		share := max(leastWidth, room/(others+1))
		if word := longestWord(b, i); word <= goodWidth && room-word >= others*leastWidth {
			share = max(share, word+word&1)
		}
		if least > 0 {
			least -= mins[i]
			share = max(leastWidth, min(max(share, mins[i]), room-least))
		}
		if share < widths[i] {
			widths[i] = share &^ 1 // even, because a wide character may begin in the last cell
			if share >= b.Columns[i].Min {
				widths[i] = max(widths[i], b.Columns[i].Min)
			}
		}
		room -= widths[i]
	}
	return kept, widths, hidden
}

// leastWidths returns the least widths of columns of text, and their sum: Column.Min and the longest word, if
// there is room for both, or else the word. If there is no room for that either, they share it all the same.
func leastWidths(b *Table, texts []int, room int) (list []int, sum int) {
	list = make([]int, len(b.Columns))
	for _, withMin := range []bool{true, false} {
		sum = 0
		for _, i := range texts {
			list[i] = 0
			if word := longestWord(b, i); word <= goodWidth {
				list[i] = word + word&1 // an odd width is rounded down
			}
			if withMin {
				list[i] = max(list[i], b.Columns[i].Min)
			}
			sum += list[i]
		}
		if sum <= room {
			return list, sum
		}
	}
	return list, 0
}

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

func longestWord(b *Table, column int) (width int) {
	for _, r := range b.Rows {
		for word := range strings.FieldsSeq(r.Cells[column].Text + " " + r.Cells[column].About) {
			width = max(width, text.Width(word))
		}
	}
	return width
}

// titleWidth returns the width of the widest line of a title.
func titleWidth(title string) (width int) {
	for line := range strings.SplitSeq(title, "\n") {
		width = max(width, text.Width(line))
	}
	return width
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
