package diff

import (
	"strings"
	"testing"
)

func TestParseBudgetsErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "position 1: expected the name of a measure"},
		{"jank>1", `position 1: unknown measure "jank"; did you mean jank_rate?`},
		{"fps<", "position 5: expected a number after fps<"},
		{"fps < ,max_ms>5", "position 7: expected a number after fps<"},
		{"jank_rate>=5%", "position 10: expected >, not >=: a value equal to the limit passes"},
		{"P95_MS>5", `position 1: unknown measure "P95_MS"; did you mean p95_ms?`},
		{"lost_ms_per_s>5", "position 1: lost_ms_per_s is a measure of causes: only conditions on changes have it, which diff checks"},
		{"wait.io.ms_per_frame>5", "position 1: wait.io.ms_per_frame is a measure of causes: only conditions on changes have it, which diff checks"},
		{"jank_rate=5%", "position 10: expected > or < after jank_rate"},
		{"jank_rate>+5%", "position 11: expected a number: the limit applies to the value of jank_rate, not to its change"},
		{"jank_rate>5", "position 11: jank_rate is a share, 0 to 1: write 5% for percent"},
		{"fps<55%", "position 5: % is for shares: fps is not a share"},
		{"fps<" + strings.Repeat("9", 400), "position 5: the number is too large"},
		{"fps<55;", "position 7: expected a comma or the end, not ';'"},
	} {
		if _, err := ParseBudgets(test.text); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

// The application of before has 10 of 20 frames late, and P95 is 19 ms. There is one
// frame on each refresh of 100 Hz while it animates. No stage of it is unknown, but the
// render service has no UI work.
func TestBudgets(t *testing.T) {
	budgets, err := ParseBudgets("jank_rate>49.9%, jank_rate>50%,jank_rate>0.4,p95_ms > 18.9,p95_ms>19,fps<100,fps<100.5,ui_work_p50_ms>100,p95_ms>18.9996,jank_rate>0.4999")
	if err != nil {
		t.Fatal(err)
	}
	list := before().Stats.Processes
	for i, want := range []struct{ app, service string }{
		{"gallery: jank_rate>49.9%: 50.0 %", ""}, {"", ""}, {"gallery: jank_rate>0.4: 50.0 %", ""},
		{"gallery: p95_ms>18.9: 19.00", ""}, {"", ""}, {"", ""}, {"gallery: fps<100.5: 100.00", "render_service: fps<100.5: 100.00"},
		{"", "render_service: ui_work_p50_ms>100: unknown"},
		{"gallery: p95_ms>18.9996: 19.0000", ""}, {"gallery: jank_rate>0.4999: 50.00 %", ""},
	} {
		for j, want := range []string{want.app, want.service} {
			c := budgets[i].check(list[j])
			if want != "" && c.String() != want || (c.Status == Passed) != (want == "") || (c.Status == Unknown) != strings.HasSuffix(want, "unknown") {
				t.Errorf("%s of %s: %s, %q, want %q", budgets[i].text, list[j].Name, c.Status, c, want)
			}
		}
	}
}
