package rating

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		value float64
		want  Level
	}{
		{HitchRatio, 4.99, None}, {HitchRatio, 5, Warning}, {HitchRatio, 10, Warning}, {HitchRatio, 10.01, Critical},
		{Jank, 4.99, None}, {Jank, 5, Warning}, {Jank, 25, Warning}, {Jank, 25.1, Critical},
		{frameTime, 15.9, None}, {frameTime, 16, Warning}, {frameTime, 701, Critical},
		{Overrun, 1.99, None}, {Overrun, 2, Warning}, {Overrun, 6, Warning}, {Overrun, 6.01, Critical},
	} {
		must.Equal(t, Of(c.name, c.value), c.want, "%s of %g", c.name, c.value)
	}
	x := 20.0
	for name, want := range map[string]Level{"hitches": None, "hitch_ratio": Critical, "p95_ms": Warning, "max_ms": Warning, "ui_work_p50_ms": None, "jank_rate": Critical} {
		if got := OfMeasure(stats.Measures.Named(name), &x); got != want || OfMeasure(stats.Measures.Named(name), nil) != None {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}

// The glossary has the values.
func TestGlossary(t *testing.T) {
	doc := must.Get(os.ReadFile("../../docs/glossary.md"))(t)
	for _, d := range thresholds {
		row := fmt.Sprintf("| `%s` | %s | from %g | above %g | %s |", d.Name, d.Label, d.Warning, d.Critical, d.Source)
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/glossary.md has no row\n%s", row)
		}
	}
}
