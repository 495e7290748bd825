package diff

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
)

// Every measure of package stats has one name, and no other has.
func TestMeasuresAreThoseOfStats(t *testing.T) {
	var want, got []string
	for _, c := range stats.Compare(nil, nil).Changes {
		want = append(want, c.Measure)
	}
	names := map[string]bool{}
	for _, k := range measureKinds {
		got = append(got, k.field)
		if names[k.name] || !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(k.name) {
			t.Errorf("%q is not a name of its own", k.name)
		}
		names[k.name] = true
		suffix := map[Unit]string{Milliseconds: "_ms", Periods: "_periods"}[k.unit]
		if !strings.HasSuffix(k.name, suffix) || (k.unit == Milliseconds) != strings.HasSuffix(k.field, "_ns") {
			t.Errorf("%s of %s is not in %s", k.name, k.field, k.unit)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("fields\n%q, want\n%q", got, want)
	}
}

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
	for _, m := range newMeasures(stats.Compare(nil, nil).Changes) {
		actual = append(actual, strings.Join([]string{m.Name, string(m.Unit), string(m.Better), m.Field}, " "))
	}
	if !slices.Equal(documented, actual) {
		t.Errorf("docs/diff.md has the measures\n%s\nwant\n%s", strings.Join(documented, "\n"), strings.Join(actual, "\n"))
	}
}
