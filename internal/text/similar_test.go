package text

import (
	"testing"

	"ohframe/internal/testing/must"
)

func TestSimilar(t *testing.T) {
	names := []string{"jank_rate", "fps", "report", "record", "convert", "p95_ms", "p99_ms"}
	for given, want := range map[string]string{
		"jnk_rate":  "jank_rate", // a letter is missing
		"jank_raet": "jank_rate", // two are exchanged
		"jankrate":  "jank_rate",
		"rprt":      "report", // two of six
		"conv":      "convert",
		"FPS":       "fps",
		"p95":       "p95_ms",
		"spf":       "", // two of three
		"memory":    "",
		"r":         "",
		"":          "",
	} {
		must.Equal(t, Similar(given, names), want, "%q", given)
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abcd", "abdc", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		must.Equal(t, distance(c.a, c.b), c.want, "%s to %s", c.a, c.b)
	}
}
