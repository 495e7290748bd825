package diff

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
)

// testdata/api/measures.md lists the measures by unit and direction, those of all stages once. "make
// docs" writes the list.
func TestMeasuresAreDocumented(t *testing.T) {
	const file, begin, end = "../../testdata/api/measures.md", "<!-- measures -->\n\n", "\n<!-- measures end -->"
	document := must.Get(os.ReadFile(file))(t)
	before, rest, found1 := strings.Cut(string(document), begin)
	_, after, found2 := strings.Cut(rest, end)
	if !found1 || !found2 {
		t.Fatalf("%s has no list of measures", file)
	}
	var groups []string
	lists := map[string][]string{}
	for _, m := range measures {
		name, path := m.Name, m.Path
		if found := regexp.MustCompile(`^stages\.([a-z_]+)`).FindStringSubmatch(path); found != nil {
			name, path = strings.Replace(name, found[1], "STAGE", 1), strings.Replace(path, found[1], "STAGE", 1)
		}
		group := fmt.Sprintf("`%s`, %s is better", m.Unit, m.Better)
		if lists[group] == nil {
			groups = append(groups, group)
		}
		entry := fmt.Sprintf("`%s`", name)
		if name != path {
			entry += fmt.Sprintf(" (`%s`)", path)
		}
		if !slices.Contains(lists[group], entry) {
			lists[group] = append(lists[group], entry)
		}
	}
	var list strings.Builder
	for _, group := range groups {
		fmt.Fprintf(&list, "- %s: %s\n", group, strings.Join(lists[group], ", "))
	}
	schematest.Update(t, file, before+begin+list.String()+end+after)
}
