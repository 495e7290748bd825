package exporter

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ohframe/internal/testing/engine/enginetest"
)

// The queries of the documents print what the documents say, on the demo trace.
func TestReadmeQueries(t *testing.T) {
	in, err := os.Open("../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	path := filepath.Join(t.TempDir(), "demo.pftrace")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Convert(t.Context(), in, out, Options{Version: "test"}); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	session := enginetest.Open(t, path)
	query := regexp.MustCompile("(?s)```sql\n(.*?)```\n```\n(.*?)```")
	var examples [][]string
	for name, want := range map[string]int{"../docs/commands.md": 3} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := query.FindAllStringSubmatch(string(text), -1)
		if len(found) < want {
			t.Fatalf("%s has %d queries, want %d", name, len(found), want)
		}
		examples = append(examples, found...)
	}
	for _, example := range examples {
		table := enginetest.Query(t, session, example[1])
		want := strings.Split(strings.TrimSpace(example[2]), "\n")
		if got := strings.Fields(want[0]); strings.Join(got, " ") != strings.Join(table.Columns, " ") {
			t.Errorf("columns are %v, the document has %v", table.Columns, got)
		}
		for i, line := range want[1:] {
			if line == "…" && i > 0 {
				break // and so on
			}
			got := ""
			if i < len(table.Rows) {
				var cells []string
				for _, cell := range table.Rows[i] {
					cells = append(cells, fmt.Sprint(cell))
				}
				got = strings.Join(strings.Fields(strings.Join(cells, " ")), " ")
			}
			if line = strings.Join(strings.Fields(line), " "); got != line {
				t.Errorf("row %d is %q, the document has %q", i, got, line)
			}
		}
	}
}
