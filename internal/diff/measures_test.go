package diff

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The names are a promise to whoever has them in a build.
func TestMeasuresAreDocumented(t *testing.T) {
	document, err := os.ReadFile("../../docs/diff.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(document), "## Measures")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(.+?)` \\| `(.+?)` \\| (.+?) \\| `(.+?)` \\|$").FindAllStringSubmatch(table, -1) {
		documented = append(documented, strings.Join(row[1:], " "))
	}
	var actual []string
	for _, m := range newMeasures(nil, nil) {
		actual = append(actual, strings.Join([]string{m.Name, string(m.Unit), string(m.Better), m.Field}, " "))
	}
	if !slices.Equal(documented, actual) {
		t.Errorf("docs/diff.md has the measures\n%s\nwant\n%s", strings.Join(documented, "\n"), strings.Join(actual, "\n"))
	}
}
