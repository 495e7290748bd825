package text

import "testing"

func TestSimilar(t *testing.T) {
	names := []string{"jank_rate", "fps", "hitch_ratio", "report", "record", "convert", "p95_ms", "p99_ms"}
	for given, want := range map[string]string{
		"jnk_rate":   "jank_rate", // a letter is missing
		"jank_raet":  "jank_rate", // two are exchanged
		"hitchratio": "hitch_ratio",
		"rprt":       "report", // two of six
		"conv":       "convert",
		"FPS":        "fps",
		"p95":        "p95_ms",
		"spf":        "", // two of three
		"memory":     "",
		"r":          "",
		"":           "",
	} {
		if got := Similar(given, names); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abcd", "abdc", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%s to %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
