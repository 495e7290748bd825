package view

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// writeMarkdown writes a summary for a merge request: what the document says first, the verdict, what limits it, a table of the
// conditions, and one of the changes.
func writeMarkdown(w io.Writer, d *Document) error {
	g := &d.Gate
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### %s\n", markdown(d.Title))
	if d.Summary != "" && g.Verdict == "" {
		fmt.Fprintf(b, "\n**%s**\n", markdown(d.Summary))
		writeMarkdownList(b, d.Sentences)
	}
	mark := map[condition.Status]string{condition.Failed: marks[failed], condition.Unknown: marks[unknown], condition.Passed: marks[passed]}[g.Status()]
	if g.Error != "" {
		mark = marks[failed]
	}
	said := g.summary()
	switch { // a verdict may begin with a name
	case g.Verdict != "":
	case d.Summary != "":
		said = capital(strings.TrimPrefix(strings.TrimPrefix(said, unchecked), "; "))
	default:
		said = capital(said)
	}
	if said != "" {
		fmt.Fprintf(b, "\n%s%s.\n", mark, markdown(said))
	}
	notes := slices.Concat(g.Warnings, Skipped(g.Inputs))
	if g.Error != "" {
		notes = append([]string{g.Error}, notes...)
	}
	for i := range g.Inputs {
		if q := g.Inputs[i].Quality; q != nil && q.Verdict != stats.Good && len(notes) < maxChecks {
			notes = append(notes, "Data quality of "+g.Inputs[i].Name+": "+q.String())
		}
	}
	writeMarkdownList(b, notes)
	for _, t := range append([]Table{g.table()}, g.Tables...) {
		if len(t.Rows) > 0 {
			writeMarkdownTable(b, &t)
		}
	}
	return b.Flush()
}

func writeMarkdownList(w io.Writer, list []string) {
	for i, s := range list {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "- %s\n", markdown(s))
	}
}

var marks = [...]string{failed: "❌ ", unknown: "⚠️ ", undecided: "ℹ️ ", passed: "✅ "}

// table has a row for each condition and process, in all inputs together: the worst of them, and how many
// inputs are as bad. The worst rows are first.
func (g *GateReport) table() Table {
	type row struct {
		name        string
		worst       *condition.Check
		count, runs int
	}
	var rows []*row
	byName := map[string]*row{}
	for i := range g.Checks {
		c := &g.Checks[i]
		name := (&condition.Check{Process: c.Process, Condition: c.Condition}).Title()
		if c.File != "" {
			name += fmt.Sprintf(" (%s:%d)", c.File, c.Line)
		}
		r := byName[name]
		if r == nil {
			r = &row{name: name, worst: c}
			byName[name], rows = r, append(rows, r)
		}
		r.runs++
		switch order := cmp.Compare(resultOf(c), resultOf(r.worst)); {
		case order == 0:
			r.count++
			if c.Excess > r.worst.Excess {
				r.worst = c
			}
		case order < 0:
			r.worst, r.count = c, 1
		}
	}
	slices.SortStableFunc(rows, func(a, b *row) int { return cmp.Compare(resultOf(a.worst), resultOf(b.worst)) })
	t := Table{Columns: []Column{{Title: "Condition"}, {Title: "Result"}}}
	for _, r := range rows[:min(len(rows), maxChecks)] {
		what := r.worst.Text
		if r.runs > 1 {
			what = fmt.Sprintf("%d of %s %s, the worst %s: %s", r.count, text.Count(r.runs, "run"), [...]string{failed: "failed", unknown: "unknown", undecided: "undecided", passed: "passed"}[resultOf(r.worst)], r.worst.Input, what)
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: marks[resultOf(r.worst)] + r.name}, {Text: what}}})
	}
	if more := len(rows) - len(t.Rows); more > 0 {
		t.More = text.More(more)
	}
	return t
}

func writeMarkdownTable(w io.Writer, t *Table) {
	head, rule := "|", "|"
	for _, c := range t.Columns {
		head += " " + markdown(c.Title) + " |"
		if rule += "---"; c.Number {
			rule += ":"
		}
		rule += "|"
	}
	fmt.Fprintf(w, "\n%s\n%s\n", head, rule)
	for _, row := range t.Rows {
		line := "|"
		for _, cell := range row.Cells {
			line += " " + markdown(strings.TrimSpace(cell.Text+" "+cell.About)) + " |"
		}
		fmt.Fprintln(w, line)
	}
	if t.More != "" {
		fmt.Fprintf(w, "\n%s\n", markdown(t.More))
	}
}

// markdown escapes what Markdown, GitHub's mentions and HTML would interpret.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range text.Line(s) {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@':
			b.WriteString("&#64;")
		case strings.ContainsRune("\\`*_{}[]#|~", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// capital returns a sentence with its first letter in upper case.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
