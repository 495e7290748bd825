package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// WriteMarkdown writes a summary for a merge request: the verdict, what failed, data
// that cannot be trusted, and the table.
func WriteMarkdown(w io.Writer, d *Document) error {
	g := &d.Gate
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### %s\n\n%s\n", markdown(d.Title), markdown(capital(g.summary())+"."))
	var bad bool
	var good string // the data quality, if it is good for all inputs; short if it differs
	var lines []string
	for i := range g.Checks {
		c := &g.Checks[i]
		switch {
		case g.fails(c):
			lines = append(lines, fmt.Sprintf("- ❌ **%s**: %s", markdown(c.Title()), markdown(c.Text)))
		case c.Status == condition.Unknown:
			lines = append(lines, fmt.Sprintf("- ⚠️ **%s**: %s", markdown(c.Title()), markdown(c.Text)))
		}
	}
	for i := range g.Inputs {
		in := &g.Inputs[i]
		switch {
		case in.Skipped != "" && g.failsSkipped():
			lines = append(lines, fmt.Sprintf("- ❌ **%s**: skipped: %s", markdown(in.Name), markdown(in.Skipped)))
		case in.Skipped != "":
			lines = append(lines, fmt.Sprintf("- ⚠️ **%s**: skipped: %s", markdown(in.Name), markdown(in.Skipped)))
		case in.Quality == nil:
		case in.Quality.Verdict != stats.Good:
			bad = true
			lines = append(lines, fmt.Sprintf("- ⚠️ **data quality of %s**: %s", markdown(in.Name), markdown(in.Quality.String())))
		case good == "" || good == in.Quality.String():
			good = in.Quality.String()
		default:
			good = quality.Cell(in.Quality)
		}
	}
	for _, warning := range g.Warnings {
		lines = append(lines, "- ⚠️ "+markdown(warning))
	}
	if good != "" && !bad {
		fmt.Fprintf(b, "\nData quality: %s.\n", markdown(good))
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(lines, "\n"))
	}
	for _, t := range []*Table{g.Interactions, g.Measures, g.Layers, g.EmptyFrames} {
		if t != nil && len(t.Rows) > 0 {
			writeMarkdownTable(b, t)
		}
	}
	return b.Flush()
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
