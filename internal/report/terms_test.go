package report

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
)

// The page defines terms and stages as the documents do.
func TestTerms(t *testing.T) {
	glossary, frames := plainText(t, "../../docs/glossary.md"), plainText(t, "../../docs/frames.md")
	for _, x := range terms {
		if row := fmt.Sprintf("\n| %s | %s |", x.Name, x.Definition); !strings.Contains(glossary, row) {
			t.Errorf("docs/glossary.md has no row%s", row)
		}
	}
	for s, definition := range stageTerms {
		from, to, _ := strings.Cut(strings.TrimPrefix(definition, "from "), " to ")
		if row := fmt.Sprintf("\n| %s | %s | %s |\n", stats.Stage(s), from, to); !strings.Contains(frames, row) {
			t.Errorf("docs/frames.md has no row%s", row)
		}
	}
}

// Every term that the page names has a definition, also in parts that a page may lack.
func TestTermsOfPage(t *testing.T) {
	page, err := assets.ReadFile("assets/page.html")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, found := range regexp.MustCompile(`\bterm "([^"]*)"`).FindAllSubmatch(page, -1) {
		names = append(names, string(found[1]))
	}
	if len(names) == 0 {
		t.Error("page.html names no terms")
	}
	for _, m := range markInfo {
		names = append(names, m.Term)
	}
	for _, name := range names {
		if _, err := define(name); err != nil {
			t.Error(err)
		}
	}
}

// plainText returns a document without the marks of code.
func plainText(t *testing.T, path string) string {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("`", "", "\r\n", "\n").Replace(string(document))
}
