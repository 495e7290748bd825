package diff

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/diff.md lists the measures, those of all stages once. "make docs" writes the list.
func TestMeasuresAreDocumented(t *testing.T) {
	const file, begin, end = "../../docs/diff.md", "| measure | unit | better | field of a report |\n|---|---|---|---|\n", "\n\n"
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(document), begin)
	_, after, _ := strings.Cut(rest+end, end)
	if !found {
		t.Fatalf("%s has no table of measures", file)
	}
	var rows []string
	for _, m := range measures {
		name, path := m.Name, m.Path
		if found := regexp.MustCompile(`^stages\.([a-z_]+)`).FindStringSubmatch(path); found != nil {
			name, path = strings.Replace(name, found[1], "STAGE", 1), strings.Replace(path, found[1], "STAGE", 1)
		}
		if row := fmt.Sprintf("| `%s` | `%s` | %s | `%s` |", name, m.Unit, m.Better, path); !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	want := strings.TrimRight(before+begin+strings.Join(rows, "\n")+end+after, "\n") + "\n"
	if os.Getenv("OHFRAME_UPDATE_DOCS") != "" {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(document) != want {
		t.Errorf("%s is out of date: run make docs", file)
	}
}
