package diff

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// docs/diff.md lists the measures. "make docs" writes the list.
func TestMeasuresAreDocumented(t *testing.T) {
	const name, begin, end = "../../docs/diff.md", "| measure | unit | better | meaning | field of a report |\n|---|---|---|---|---|\n", "\n\n"
	document, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(document), begin)
	_, after, _ := strings.Cut(rest+end, end)
	if !found {
		t.Fatalf("%s has no table of measures", name)
	}
	var rows []string
	for _, m := range measures {
		rows = append(rows, fmt.Sprintf("| `%s` | `%s` | %s | %s | `%s` |", m.Name, m.Unit, m.Better, m.Meaning, m.Path))
	}
	want := strings.TrimRight(before+begin+strings.Join(rows, "\n")+end+after, "\n") + "\n"
	if os.Getenv("OHFRAME_UPDATE_DOCS") != "" {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(document) != want {
		t.Errorf("%s is out of date: run make docs", name)
	}
}
