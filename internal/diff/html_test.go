package diff

import (
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer"
)

func TestHTML(t *testing.T) {
	d := everything(t)
	page := write(t, d, "html", WriteOptions{})
	for _, part := range []string{
		"<title>before.ftrace → after.ftrace – frame comparison</title>",
		"<h2>gallery</h2>", "<h2>render_service → surfaceflinger</h2>",
		`<td>Jank rate<td class="n">66.7 %<td class="n">76.7 %<td class="n">&#43;10.0 pp<td class="n">&#43;15.0 %<td class="unclear">~`,
		`<td>Commit P50, ms<td class="n">1.00<td class="n">1.00<td class="n">0<td class="n">0 %<td class="">`,
		`<dt>jank_rate&gt;&#43;2%<dd class="failed">failed`,
		"prefers-color-scheme: dark",
		"<h3>Only in base</h3><ul><li>old", "<h3>Only in new</h3><ul><li>new",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %s", part)
		}
	}
	if n := strings.Count(page, "<svg"); n != 2 {
		t.Errorf("%d charts, want one for each pair", n)
	}
	checkSelfContained(t, page)
}

// checkSelfContained fails if a page runs a script or asks for anything. What
// the policy forbids, a browser would not do; the page must not even try.
func checkSelfContained(t *testing.T, page string) {
	t.Helper()
	if m := regexp.MustCompile(`(?i)<script|<iframe|<object|<link[^>]*href="[^d]|\s(src|on[a-z]+)=|url\(|@import|href="(https?|javascript):`).FindString(page); m != "" {
		t.Errorf("the page has %s", m)
	}
	if !strings.Contains(page, `content="default-src 'none';`) {
		t.Error("the page has no policy")
	}
}

func TestHTMLHostileNames(t *testing.T) {
	const evil = `</title><script>alert(1)</script><img src=x onerror=alert(1)>" style="`
	d := compare(t, gallery(evil, evil, 20, 20, func(i int) int { return i }).side(evil),
		gallery(evil+"2", evil, 20, 20, func(i int) int { return i }).side(evil),
		Options{Map: []Mapping{{evil, evil + "2"}}})
	s := &scene{}
	s.frame(analyzer.ApplicationFrame, s.process(1, "\x1b[2J\u202e"+evil), 1000, 5)
	d.OnlyNew = s.side("").Stats.Processes
	page := write(t, d, "html", WriteOptions{})
	for _, bad := range []string{"<script", "<img", `" style="`, "\x1b", "\u202e"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(page, "&lt;script&gt;"); n < 7 { // title, both sides, two in the table, two headings, only in new
		t.Errorf("the name is in the page %d times", n)
	}
}
