package place_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/place"
	"ohframe/internal/testing/must"
)

// tables returns the rows of the tables in a section of a document, as cells.
func tables(t *testing.T, name, section string) (all [][][]string) {
	document := must.Get(os.ReadFile("../../" + name))(t)
	_, text, ok := strings.Cut(string(document), "\n## "+section+"\n")
	if !ok {
		t.Fatalf("%s has no section %s", name, section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	inTable := false
	for line := range strings.Lines(text) {
		row := strings.HasPrefix(line, "|")
		if row && !inTable {
			all = append(all, nil)
		}
		inTable = row
		if !row || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		last := len(all) - 1
		all[last] = append(all[last], cells)
	}
	for i := range all {
		all[i] = all[i][1:] // without the head
	}
	return all
}

var quoted = regexp.MustCompile("`([^`]+)`")

// examples returns what a cell has in backquotes.
func examples(cell string) (all []string) {
	for _, match := range quoted.FindAllStringSubmatch(cell, -1) {
		all = append(all, match[1])
	}
	return all
}

// checkCodes checks that the first column has the codes in order and, unless label is nil,
// that the second has the names.
func checkCodes(t *testing.T, rows [][]string, n int, code, label func(i int) string) {
	t.Helper()
	if len(rows) != n {
		t.Fatalf("%d rows, want %d", len(rows), n)
	}
	for i, row := range rows {
		if row[0] != "`"+code(i)+"`" || label != nil && row[1] != label(i) {
			t.Errorf("row %d begins with %q, want the code %q and its name", i, row[:2], code(i))
		}
	}
}

func TestDocumentWaits(t *testing.T) {
	rows := tables(t, "docs/why.md", "Waits")[0]
	checkCodes(t, rows, why.WaitCount, func(i int) string { return why.Wait(i).String() }, func(i int) string { return causetext.Wait(why.Wait(i)) })
	for i, row := range rows {
		for _, text := range examples(row[2]) {
			if w := place.BlockedBy([]byte(text)); strings.Contains(text, "_") && w != why.WaitUnknown && w != why.Wait(i) {
				t.Errorf("%s: %s is %v", row[0], text, w)
			}
		}
	}
}

func TestDocumentStages(t *testing.T) {
	all := tables(t, "testdata/api/why.md", "Stages")
	checkCodes(t, all[0], why.StageCount, func(i int) string { return why.Stage(i).String() }, func(i int) string { return causetext.Stage(why.Stage(i)) })
	for i, row := range all[0] {
		for _, text := range examples(row[2]) {
			must.Equal(t, place.Lookup([]byte(text)).Stage, why.Stage(i), "%s: %s", row[0], text)
		}
	}
	checkCodes(t, all[1], place.ClassCount, func(i int) string { return place.Class(i).String() }, nil)
	for i, row := range all[1] {
		for _, text := range examples(row[1]) {
			if got := place.Lookup([]byte(text)).Class; got != place.Class(i) && text != "Proxy" {
				t.Errorf("%s: %s is %v", row[0], text, got)
			}
		}
	}
}
