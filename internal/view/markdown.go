package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// writeMarkdown writes a summary for a merge request: the verdict, the findings, the data
// quality if it is good, and the tables.
func writeMarkdown(w io.Writer, d *Document) error {
	g := &d.Gate
	b := bufio.NewWriter(w)
	findings := g.findings()
	mark := [...]string{fatal: "❌ ", unchecked: "❌ ", warning: "⚠️ ", notice: "ℹ️ "}
	verdict := ""
	switch {
	case len(findings) > 0 && findings[0].severity <= unchecked:
		verdict = mark[fatal]
	case len(g.Checks) > 0:
		verdict = "✅ "
	}
	fmt.Fprintf(b, "### %s\n\n%s%s\n", markdown(d.Title), verdict, markdown(capital(g.summary())+"."))
	for i, f := range findings {
		if i == 0 {
			fmt.Fprintln(b)
		}
		title := ""
		if f.title != "" {
			title = "**" + markdown(f.title) + "**"
		}
		if f.file != "" {
			title += fmt.Sprintf(" (%s:%d)", markdown(f.file), f.line)
		}
		if title != "" {
			title += ": "
		}
		fmt.Fprintf(b, "- %s%s%s\n", mark[f.severity], title, markdown(f.text))
	}
	g.writePassed(b, len(findings) == 0)
	if good := g.goodQuality(); good != "" {
		fmt.Fprintf(b, "\nData quality: %s.\n", markdown(good))
	}
	for i := range g.Tables {
		if t := &g.Tables[i]; len(t.Rows) > 0 {
			writeMarkdownTable(b, t)
		}
	}
	return b.Flush()
}

// writePassed lists the first checks of a comparison that passed, since they say what could have been
// found. Values of a report are in its table.
func (g *Gate) writePassed(w io.Writer, first bool) {
	if g.Verdict == "" {
		return
	}
	list := g.with(passed)
	if first && len(list) > 0 {
		fmt.Fprintln(w)
	}
	for _, c := range list[:min(len(list), maxChecks)] {
		fmt.Fprintf(w, "- ✅ **%s**: %s\n", markdown(c.Title()), markdown(c.Text))
	}
	if more := len(list) - maxChecks; more > 0 {
		fmt.Fprintf(w, "- %d more passed\n", more)
	}
}

// goodQuality returns the data quality if it is good for all inputs; short if it differs.
func (g *Gate) goodQuality() (good string) {
	for i := range g.Inputs {
		switch q := g.Inputs[i].Quality; {
		case q == nil:
		case q.Verdict != stats.Good:
			return ""
		case good == "" || good == q.String():
			good = q.String()
		default:
			good = quality.Cell(q)
		}
	}
	return good
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
			if cell.About != "" {
				cell.Text = strings.TrimSpace(cell.Text + " (" + cell.About + ")")
			}
			line += " " + markdown(cell.Text) + " |"
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
