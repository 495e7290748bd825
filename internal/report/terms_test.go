package report

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
	"ohframe/internal/view"
)

// The page defines terms and stages as the documents do.
func TestTerms(t *testing.T) {
	glossary, frames := plainText(t, "../../docs/glossary.md"), plainText(t, "../../docs/frames.md")
	for _, x := range slices.Concat(terms, interactionTerms, layerTerms, emptyTerms, rateTerms, termsOf(stats.Measures), termsOf(stats.InteractionMeasures), termsOf(stats.LayerMeasures)) {
		if item := fmt.Sprintf("\n- *%s*: %s (", x.Name, x.Definition); !strings.Contains(glossary, item) {
			t.Errorf("docs/glossary.md has no item%s", item)
		}
	}
	for s, definition := range stageTerms {
		if item := fmt.Sprintf("\n- %s: %s\n", stats.Stage(s), definition); !strings.Contains(frames, item) {
			t.Errorf("docs/frames.md has no item%s", item)
		}
	}
}

// The terms of each page say from which values on the measures are coloured.
func TestTermsOfColours(t *testing.T) {
	terms := pageTerms([]Input{film()})
	for _, list := range []stats.MeasureList{stats.Measures, stats.InteractionMeasures, stats.LayerMeasures} {
		for _, m := range list {
			if m.Rated != nil && !slices.ContainsFunc(terms, func(x view.Term) bool {
				return x.Name == m.Rated.Label && strings.Contains(x.Definition, fmt.Sprintf("colour, yellow from %g", m.Rated.Warning)) && strings.Contains(x.Definition, "red above ") == (m.Rated.Critical > 0)
			}) {
				t.Errorf("no term has the colours of %s: %s", m.Name, m.Rated.Label)
			}
		}
	}
}

// plainText returns a document without the marks of code.
func plainText(t *testing.T, path string) string {
	t.Helper()
	document := must.Get(os.ReadFile(path))(t)
	return strings.NewReplacer("`", "", "\r\n", "\n").Replace(string(document))
}
