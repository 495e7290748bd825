package place_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/why/place"
	"ohframe/internal/causetext"
)

// tables returns the rows of the tables in a section of docs/why.md, as cells.
func tables(t *testing.T, section string) (all [][][]string) {
	document, err := os.ReadFile("../../../docs/why.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(document), "\n## "+section+"\n")
	if !ok {
		t.Fatalf("docs/why.md has no section %s", section)
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
	rows := tables(t, "Waits")[0]
	checkCodes(t, rows, place.WaitCount, func(i int) string { return place.Wait(i).String() }, func(i int) string { return causetext.Wait(place.Wait(i)) })
	for i, row := range rows {
		for _, text := range examples(row[2]) {
			if w := place.BlockedBy([]byte(text)); strings.Contains(text, "_") && w != place.WaitUnknown && w != place.Wait(i) {
				t.Errorf("%s: %s is %v", row[0], text, w)
			}
		}
	}
}

func TestDocumentStages(t *testing.T) {
	all := tables(t, "Stages")
	checkCodes(t, all[0], place.StageCount, func(i int) string { return place.Stage(i).String() }, func(i int) string { return causetext.Stage(place.Stage(i)) })
	for i, row := range all[0] {
		for _, text := range examples(row[2]) {
			if got := place.Lookup([]byte(text)).Stage; got != place.Stage(i) {
				t.Errorf("%s: %s is %v", row[0], text, got)
			}
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

func TestDocumentAdvice(t *testing.T) {
	rows := tables(t, "Advice")[0]
	if len(rows) != place.AdviceCount-1 {
		t.Fatalf("%d rows, want %d", len(rows), place.AdviceCount-1)
	}
	readers := map[place.Advice]map[place.Reader]bool{}
	for c := range place.AllCauses() {
		a := c.Advice()
		if readers[a] == nil {
			readers[a] = map[place.Reader]bool{}
		}
		readers[a][c.Reader] = true
	}
	waits := map[place.Advice][]string{}
	for w := range place.Wait(place.WaitCount) {
		given := map[place.Advice]bool{}
		for _, reader := range []place.Reader{place.Application, place.System} {
			for _, rival := range []place.Rival{place.NoRival, place.OwnThread, place.OtherThread, place.Logger} {
				for n := range 4 {
					given[place.Cause{Wait: w, Reader: reader, Rival: rival, Scheduled: n&1 != 0, OthersScheduled: n&2 != 0}.Advice()] = true
				}
			}
		}
		for a := range given {
			waits[a] = append(waits[a], "`"+w.String()+"`")
		}
	}
	for i, row := range rows {
		a := place.Advice(i + 1)
		if row[0] != causetext.Advice(a) {
			t.Errorf("row %d is %q, want %q", i, row[0], causetext.Advice(a))
		}
		reader := "both"
		switch {
		case !readers[a][place.System]:
			reader = "application"
		case !readers[a][place.Application]:
			reader = "system"
		}
		if row[1] != reader {
			t.Errorf("%s: for %q, want %q", a, row[1], reader)
		}
		if want := strings.Join(waits[a], ", "); row[2] != want {
			t.Errorf("%s: waits %q, want %q", a, row[2], want)
		}
		for _, text := range examples(row[3]) {
			reason, _ := place.GCReason([]byte(text))
			if got := (place.Cause{Wait: place.Run, Place: place.Lookup([]byte(text)), Reason: reason}).Advice(); got != a {
				t.Errorf("%s: %s has the advice %q", a, text, got)
			}
		}
	}
}
