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
		of    *stats.Thresholds
		value float64
		want  Level
	}{
		{&stats.HitchThresholds, 4.99, None}, {&stats.HitchThresholds, 5, Warning}, {&stats.HitchThresholds, 10, Warning}, {&stats.HitchThresholds, 10.01, Critical},
		{&stats.JankThresholds, 4.99, None}, {&stats.JankThresholds, 5, Warning}, {&stats.JankThresholds, 25, Warning}, {&stats.JankThresholds, 25.1, Critical},
		{&stats.FrameThresholds, 15.9, None}, {&stats.FrameThresholds, 16, Warning}, {&stats.FrameThresholds, 701, Critical},
		{&stats.OverrunThresholds, 1.99, None}, {&stats.OverrunThresholds, 2, Warning}, {&stats.OverrunThresholds, 6, Warning}, {&stats.OverrunThresholds, 6.01, Critical},
		{&stats.RunThresholds, 2, None}, {&stats.RunThresholds, 3, Warning}, {&stats.RunThresholds, 99, Warning},
	} {
		must.Equal(t, Of(c.of, c.value), c.want, "%s of %g", c.of.Label, c.value)
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
	for _, d := range []stats.Thresholds{stats.HitchThresholds, stats.RunThresholds, stats.JankThresholds, stats.FrameThresholds, stats.OverrunThresholds} {
		row := fmt.Sprintf("| %s | from %g | above %g | %s |", d.Label, d.Warning, d.Critical, d.Source)
		if d.Critical == 0 {
			row = fmt.Sprintf("| %s | from %g | – | %s |", d.Label, d.Warning, d.Source)
		}
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/glossary.md has no row\n%s", row)
		}
	}
}
