package diag

import (
	"fmt"
	"strings"

	"ohframe/analyzer/trace"
)

// Warnings is a list of warnings.
type Warnings []trace.Warning

// Add adds a warning that is not counted.
func (l *Warnings) Add(code trace.WarningCode, format string, values ...any) {
	*l = append(*l, trace.Warning{Code: code, Text: fmt.Sprintf(format, values...)})
}

// Count adds a warning such as "3 malformed rows skipped", unless n is 0.
func (l *Warnings) Count(code trace.WarningCode, n int, noun, what string) {
	if n > 0 {
		*l = append(*l, trace.Warning{Code: code, Count: n, Text: Count(n, noun) + " " + what})
	}
}

// Times adds a warning such as "3 × time not understood (line 4, 7, …)", unless n is 0.
func (l *Warnings) Times(code trace.WarningCode, n int, what string, lines []int) {
	if n == 0 {
		return
	}
	text := fmt.Sprintf("%d × %s", n, what)
	if len(lines) > 0 {
		more := ""
		if n > len(lines) {
			more = ", …"
		}
		text += " (line " + strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ", "), "[]") + more + ")"
	}
	*l = append(*l, trace.Warning{Code: code, Count: n, Lines: lines, Text: text})
}

// Texts returns the texts of warnings.
func Texts(list []trace.Warning) []string {
	var texts []string
	for _, w := range list {
		texts = append(texts, w.Text)
	}
	return texts
}
