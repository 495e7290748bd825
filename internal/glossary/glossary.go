// Package glossary has the definitions of terms for pages. Their source are the tables of
// docs/glossary.md and, for stages, of docs/frames.md 9.11.
package glossary

import (
	"regexp"
	"strings"
	"sync"

	"ohframe/analyzer/stats"
	"ohframe/docs"
)

// Term is a term with its definition, as plain text.
type Term struct{ Name, Definition string }

// Of returns the definition of a term. It panics if the glossary does not have it.
func Of(name string) string {
	definition, ok := terms()[name]
	if !ok {
		panic("no term " + name)
	}
	return definition
}

// Stage returns the definition of a stage.
func Stage(s stats.Stage) string {
	for row := range rows(docs.Frames) {
		if row[0] == s.String() && len(row) == 3 {
			return "from " + row[1] + " to " + row[2]
		}
	}
	panic("no stage " + s.String())
}

var terms = sync.OnceValue(func() map[string]string {
	list := map[string]string{}
	for row := range rows(docs.Glossary) {
		if len(row) == 3 {
			list[row[0]] = row[1]
		}
	}
	return list
})

// rows returns the cells of the rows of all tables of a document.
func rows(document string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(document) {
			line = strings.TrimSpace(line)
			if len(line) < 2 || line[0] != '|' {
				continue
			}
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i, cell := range cells {
				cells[i] = strings.TrimSpace(strings.ReplaceAll(links.ReplaceAllString(cell, "$1"), "`", ""))
			}
			if !yield(cells) {
				return
			}
		}
	}
}

var links = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
