package diff

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

func TestHTML(t *testing.T) {
	d := everything(t)
	page := write(t, d, "html", WriteOptions{})
	for _, part := range []string{
		"<title>before.ftrace → after.ftrace – frame comparison</title>",
		"<h2>gallery</h2>", "<h2>render_service → surfaceflinger</h2>",
		`>Jank rate<td class="n">66.7 %<td class="n">76.7 %<td class="n">&#43;10.0 pp<td class="n">&#43;15.0 %<td>`,
		`>Commit P50, ms<td class="n">1.00<td class="n">1.00<td class="n">0<td class="n">0 %<td><td><td class="">`,
		`class="panel gate failed"`, `jank_rate&gt;&#43;2%`,
		"prefers-color-scheme: dark",
		"<h3>Only in base</h3><ul><li>old", "<h3>Only in new</h3><ul><li>new",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %s", part)
		}
	}
	if strings.Contains(page, "spread\"") {
		t.Error("one run has a band")
	}
	if n := strings.Count(page, "<svg"); n != 4 {
		t.Errorf("%d charts, want two for each pair", n)
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

// A change that was tested has its interval, around the smallest change that counts. Runs
// are dots. What did not change is folded away.
func TestHTMLIntervals(t *testing.T) {
	significant, p, low, high, effect := true, 0.01, 1.0, 3.0, 0.5
	of := func(p95 trace.Duration) *stats.Process {
		return &stats.Process{Frames: stats.Counts{Complete: 100}, Durations: &stats.Durations{P95: &p95}}
	}
	pair := &Pair{base: []*stats.Process{of(10 * ms), of(12 * ms), nil}, new: []*stats.Process{of(14 * ms)}}
	pair.Base, pair.New = pair.base[0], pair.new[0]
	pair.changes = []Measure{*pair.measure("p95_ms")}
	m := &pair.changes[0]
	m.Significant, m.P, m.Low, m.High, m.MinEffect, m.Judgement = &significant, &p, &low, &high, &effect, Worsened
	if *m.Base != 11 || *m.Delta != 3 {
		t.Fatalf("%+v", m)
	}
	view := newPagePair(pair)
	if len(view.Changed) != 1 || len(view.Rest) == 0 || !view.Runs {
		t.Fatalf("%d changed, %d others", len(view.Changed), len(view.Rest))
	}
	// The largest end, 3, is 1/1.05 of the half width from the middle.
	at := func(x float64) string { return strconv.FormatFloat(50+50*x/3/1.05, 'f', 1, 64) }
	i := view.Changed[0].Interval
	if i.Low != at(1) || i.Change != at(3) || i.Ignored != at(-.5) || i.Text != "+1.00 to +3.00" || i.P != "0.01" {
		t.Errorf("%+v", i)
	}
	if d := view.Changed[0].Dots; d.Base != "M4.0 5h0M50.0 5h0" || d.New != "M96.0 13h0" || d.Text != "10.00 to 14.00" {
		t.Errorf("%+v", d)
	}
	if view.Zero == 0 {
		t.Error("no measure is zero on both sides")
	}
	for _, row := range view.Rest {
		if row.Base == "0" && row.New == "0" && !row.Main {
			t.Errorf("%s is listed and zero", row.Label)
		}
		if row.Interval != nil || row.Dots != nil {
			t.Errorf("%s has an interval", row.Label)
		}
	}
}

// The charts of several runs have the band of the runs.
func TestHTMLRuns(t *testing.T) {
	d := compare(t, Join("base", []Side{before(), after()}), Join("new", []Side{after(), before()}), Options{})
	page := write(t, d, "html", WriteOptions{})
	for _, part := range []string{`class="base spread"`, `class="new spread"`, "base, 40 frames of 2 runs"} {
		if n := strings.Count(page, part); n != 2 { // one for each process
			t.Errorf("the page has %d × %s, want 2", n, part)
		}
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
	for _, bad := range []string{"<script", "<img", `>" style="`, "\x1b", "\u202e"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(page, "&lt;script&gt;"); n < 7 { // title, both sides, two in the table, two headings, only in new
		t.Errorf("the name is in the page %d times", n)
	}
}
