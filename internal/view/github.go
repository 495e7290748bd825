package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// Values and properties of workflow commands are escaped like that by GitHub's own
// toolkit (actions/toolkit, packages/core, command.ts).
var (
	githubValue    = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WriteGitHub writes a workflow command for each failed check, for each one that cannot
// be checked, and for data that is not good. The last one is a summary.
func WriteGitHub(w io.Writer, d *Document) error {
	g := &d.Gate
	b := bufio.NewWriter(w)
	for i := range g.Inputs {
		in := &g.Inputs[i]
		if in.Skipped != "" {
			level := "warning"
			if g.failsSkipped() {
				level = "error"
			}
			annotate(b, level, in.Name, "skipped: "+in.Skipped, "", 0)
			continue
		}
		if in.Quality == nil || in.Quality.Verdict == stats.Good {
			continue
		}
		level := "notice"
		switch {
		case in.isUnreliable() && g.Strict:
			level = "error"
		case in.isUnreliable():
			level = "warning"
		}
		annotate(b, level, "data quality of "+in.Name, in.Quality.String(), "", 0)
	}
	for i := range g.Checks {
		c := &g.Checks[i]
		switch {
		case g.fails(c):
			annotate(b, "error", c.Title(), c.Text, c.File, c.Line)
		case c.Status == condition.Unknown:
			annotate(b, "warning", c.Title(), c.Text, c.File, c.Line)
		}
	}
	for _, warning := range g.Warnings {
		annotate(b, "warning", "ohframe", warning, "", 0)
	}
	annotate(b, "notice", "ohframe", g.summary(), "", 0)
	return b.Flush()
}

func annotate(w io.Writer, level, title, message, file string, line int) {
	properties := ""
	if file != "" {
		properties = fmt.Sprintf("file=%s,line=%d,", githubProperty.Replace(text.Line(file)), line)
	}
	fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, properties, githubProperty.Replace(text.Line(title)), githubValue.Replace(text.Line(message)))
}

// summary says in a sentence how many checks failed.
func (g *Gate) summary() string {
	s := g.Verdict
	if n := len(g.Checks); n > 0 {
		if s != "" {
			s += "; "
		}
		if failed := g.failed(); failed > 0 {
			s += fmt.Sprintf("%d of %s failed", failed, text.Count(n, "check"))
		} else {
			s += fmt.Sprintf("%s, none failed", text.Count(n, "check"))
		}
	}
	if s == "" {
		s = "nothing was checked"
	}
	if n := g.skipped(); n > 0 {
		s += fmt.Sprintf("; %s skipped", text.Count(n, "input"))
	}
	return s
}
