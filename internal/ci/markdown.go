package ci

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ohframe/internal/condition"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// writeMarkdown writes a summary for a merge request: the verdict, what failed, data
// that cannot be trusted, and the table.
func (r *Result) writeMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### %s\n\n%s\n", markdown(r.Title), markdown(capital(r.summary())+"."))
	var bad bool
	var good string // the data quality, if it is good for all inputs; short if it differs
	var lines []string
	for i := range r.Checks {
		c := &r.Checks[i]
		switch {
		case r.fails(c):
			lines = append(lines, fmt.Sprintf("- ❌ **%s**: %s", markdown(c.Title()), markdown(c.Text)))
		case c.Status == condition.Unknown:
			lines = append(lines, fmt.Sprintf("- ⚠️ **%s**: %s", markdown(c.Title()), markdown(c.Text)))
		}
	}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		switch {
		case in.Skipped != "" && r.failsSkipped():
			lines = append(lines, fmt.Sprintf("- ❌ **%s**: skipped: %s", markdown(in.Name), markdown(in.Skipped)))
		case in.Skipped != "":
			lines = append(lines, fmt.Sprintf("- ⚠️ **%s**: skipped: %s", markdown(in.Name), markdown(in.Skipped)))
		case in.Quality == nil:
		case in.Quality.Verdict != quality.Good:
			bad = true
			lines = append(lines, fmt.Sprintf("- ⚠️ **data quality of %s**: %s", markdown(in.Name), markdown(in.Quality.String())))
		case good == "" || good == in.Quality.String():
			good = in.Quality.String()
		default:
			good = in.Quality.Cell()
		}
	}
	if good != "" && !bad {
		fmt.Fprintf(b, "\nData quality: %s.\n", markdown(good))
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(lines, "\n"))
	}
	if len(r.Rows) > 0 {
		fmt.Fprintln(b)
		head, rule := "|", "|"
		for _, c := range r.Columns {
			name, right := strings.CutSuffix(c, " →")
			head += " " + markdown(name) + " |"
			if rule += "---"; right {
				rule += ":"
			}
			rule += "|"
		}
		fmt.Fprintf(b, "%s\n%s\n", head, rule)
		for _, row := range r.Rows {
			line := "|"
			for _, cell := range row {
				line += " " + markdown(cell) + " |"
			}
			fmt.Fprintln(b, line)
		}
	}
	return b.Flush()
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
