package view

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"ohframe/internal/text"
)

// Values and properties of workflow commands are escaped like that by GitHub's own
// toolkit (actions/toolkit, packages/core, command.ts).
var (
	githubValue    = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// program is the title of what is about no condition and no input.
const program = "ohframe"

// writeGitHub writes a workflow command with the verdict, and one for each finding. The verdict
// is first, because GitHub shows only the first ten commands of a step and a level.
func writeGitHub(w io.Writer, d *Document) error {
	b := bufio.NewWriter(w)
	annotate(b, "notice", finding{text: d.Gate.summary()})
	for _, f := range d.Gate.findings() {
		annotate(b, [...]string{fatal: "error", unchecked: "error", warning: "warning", notice: "notice"}[f.severity], f)
	}
	return b.Flush()
}

func annotate(w io.Writer, level string, f finding) {
	properties := ""
	if f.file != "" {
		properties = fmt.Sprintf("file=%s,line=%d,", githubProperty.Replace(text.Line(f.file)), f.line)
	}
	fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, properties, githubProperty.Replace(text.Line(cmp.Or(f.title, program))), githubValue.Replace(text.Line(f.text)))
}
