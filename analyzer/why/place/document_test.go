package place

import (
	"os"
	"regexp"
	"strings"
	"testing"
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

// checkCodes checks that the first two columns are the codes and names in order.
func checkCodes(t *testing.T, rows [][]string, n int, code, label func(i int) string) {
	t.Helper()
	if len(rows) != n {
		t.Fatalf("%d rows, want %d", len(rows), n)
	}
	for i, row := range rows {
		if row[0] != "`"+code(i)+"`" || row[1] != label(i) {
			t.Errorf("row %d is %q, %q; want %q, %q", i, row[0], row[1], code(i), label(i))
		}
	}
}

func TestDocumentWaits(t *testing.T) {
	rows := tables(t, "Waits")[0]
	checkCodes(t, rows, WaitCount, func(i int) string { return Wait(i).String() }, func(i int) string { return Wait(i).Label() })
	for i, row := range rows {
		for _, text := range examples(row[2]) {
			if w := BlockedBy([]byte(text)); strings.Contains(text, "_") && w != WaitUnknown && w != Wait(i) {
				t.Errorf("%s: %s is %v", row[0], text, w)
			}
		}
	}
}

func TestDocumentStages(t *testing.T) {
	all := tables(t, "Stages")
	checkCodes(t, all[0], StageCount, func(i int) string { return Stage(i).String() }, func(i int) string { return Stage(i).Label() })
	for i, row := range all[0] {
		for _, text := range examples(row[2]) {
			if got := Lookup([]byte(text)).Stage; got != Stage(i) {
				t.Errorf("%s: %s is %v", row[0], text, got)
			}
		}
	}
	checkCodes(t, all[1], ClassCount, func(i int) string { return Class(i).String() }, func(i int) string { return Class(i).Label() })
	for i, row := range all[1] {
		for _, text := range examples(row[2]) {
			if got := Lookup([]byte(text)).Class; got != Class(i) && text != "Proxy" {
				t.Errorf("%s: %s is %v", row[0], text, got)
			}
		}
	}
}

func TestDocumentAdvice(t *testing.T) {
	rows := tables(t, "Advice")[0]
	if len(rows) != AdviceCount-1 {
		t.Fatalf("%d rows, want %d", len(rows), AdviceCount-1)
	}
	readers := map[Advice]map[Reader]bool{}
	for c := range allCauses() {
		a := c.Advice()
		if readers[a] == nil {
			readers[a] = map[Reader]bool{}
		}
		readers[a][c.Reader] = true
	}
	waits := map[Advice][]string{}
	for w := range Wait(WaitCount) {
		given := map[Advice]bool{}
		for _, reader := range []Reader{Application, System} {
			for _, rival := range []Rival{NoRival, OwnThread, OtherThread, Logger} {
				for n := range 4 {
					given[Cause{Wait: w, Reader: reader, Rival: rival, Scheduled: n&1 != 0, OthersScheduled: n&2 != 0}.Advice()] = true
				}
			}
		}
		for a := range given {
			waits[a] = append(waits[a], "`"+w.String()+"`")
		}
	}
	for i, row := range rows {
		a := Advice(i + 1)
		if row[0] != a.String() {
			t.Errorf("row %d is %q, want %q", i, row[0], a)
		}
		reader := "both"
		switch {
		case !readers[a][System]:
			reader = "application"
		case !readers[a][Application]:
			reader = "system"
		}
		if row[1] != reader {
			t.Errorf("%s: for %q, want %q", a, row[1], reader)
		}
		if want := strings.Join(waits[a], ", "); row[2] != want {
			t.Errorf("%s: waits %q, want %q", a, row[2], want)
		}
		for _, text := range examples(row[3]) {
			reason, _ := GCReason([]byte(text))
			if got := (Cause{Wait: Run, Place: Lookup([]byte(text)), Reason: reason}).Advice(); got != a {
				t.Errorf("%s: %s has the advice %q", a, text, got)
			}
		}
	}
}
