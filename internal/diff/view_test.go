package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/significance"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

func number(x float64) *float64 { return &x }

// shuffled is frames of 1 to 20 ms in some order, all longer by so many milliseconds.
func shuffled(longer int) func(int) int { return func(i int) int { return 1 + longer + i*7%20 } }

// tables returns the tables of blocks that a page or a terminal shows.
func tables(blocks []view.Block, page bool) (list []view.Table) {
	for _, b := range blocks {
		switch b := b.(type) {
		case view.Table:
			list = append(list, b)
		case view.Section:
			list = append(list, tables(b.Blocks, page)...)
		case view.Fold:
			list = append(list, tables(b.Blocks, page)...)
		case view.Page:
			if page {
				list = append(list, tables(b, page)...)
			}
		case view.Terminal:
			if !page {
				list = append(list, tables(b, page)...)
			}
		}
	}
	return list
}

func cellTexts(r view.Row) (list []string) {
	for _, c := range r.Cells {
		list = append(list, c.Text)
	}
	return list
}

// The answer is first, and so is the process that became worse.
func TestView(t *testing.T) {
	base := gallery("render", "gallery", 60, 20, shuffled(0)) // names are not what counts
	new := gallery("render", "gallery", 60, 20, shuffled(20))
	d := compare(t, repeated(5, base.side("a.ftrace")), repeated(5, new.side("b.ftrace")), Options{})
	slices.Reverse(d.Pairs)
	pairs := slices.Clone(d.Pairs)
	doc := d.view(WriteOptions{})
	if !slices.Equal(pairs, d.Pairs) {
		t.Error("the view changes the order of processes in JSON")
	}
	must.Equal(t, doc.Summary, "render is worse: jank rate 50.0 % → 100 %, duration P50 10.0 → 30.0 ms, duration P90 18.0 → 38.0 ms, 1 more")
	must.Equal(t, doc.Gate.Verdict, doc.Summary+". No significant change in 1 process")
	overview := tables(doc.Blocks, true)[0]
	value := func(u stats.Unit, x float64) string { return text.Value(u, &x) }
	// Of 60 frames half and all are late. The display shows all at the same distance: there are no hitches.
	want := []string{
		"render", "30 → 60", value(stats.Share, .5) + " → " + value(stats.Share, 1), value(stats.MillisecondsPS, 0) + " → " + value(stats.MillisecondsPS, 0),
		value(stats.Hertz, 50) + " → " + value(stats.Hertz, 50), value(stats.Milliseconds, 19) + " → " + value(stats.Milliseconds, 39), "worse: Jank rate, Duration P50, Duration P90, Duration P95",
	}
	// Frames take up to 40 ms and come every 20: the display never idles.
	got := cellTexts(overview.Rows[0])
	if got[4] = want[4]; !slices.Equal(got, want) {
		t.Errorf("overview %q, want %q", got, want)
	}
	if last := cellTexts(overview.Rows[1]); last[0] != "gallery" || last[6] != "not significant" {
		t.Errorf("overview %q", last)
	}
	sections := map[string]view.Section{}
	for _, b := range doc.Blocks {
		if s := b.(view.Section); s.ID != "" {
			sections[s.ID] = s
		}
	}
	for _, r := range overview.Rows {
		must.Equal(t, sections[r.Link].Title, r.Cells[0].Text, "the link leads to")
	}
	// Median 10 of 1 to 20, and of 21 to 40. The interval does not have 0 in it.
	for _, page := range []bool{true, false} {
		row := tables(sections[overview.Rows[0].Link].Blocks, page)[0].Rows[1]
		must.Equal(t, strings.Join(cellTexts(row)[:4], "|"), fmt.Sprintf("Duration P50, ms|%s → %s|%s|+200.0 %%", value(stats.Milliseconds, 10), value(stats.Milliseconds, 30), text.Change(stats.Milliseconds, number(20))))
		if (row.Cells[4].Bars != nil) != page || row.Cells[6].Text != "worse" || row.Cells[6].Level != view.Worse {
			t.Errorf("page %v: %+v", page, row.Cells)
		}
	}
}

// With too few runs, changes are not tested: there is no verdict in any form, and values are shown.
func TestTooFewRuns(t *testing.T) {
	side := func(name string, late int, runs int) Side {
		return repeated(runs, gallery("gallery", "render_service", 40, 20, lateOf(late, 40)).side(name))
	}
	list := conditions(t, "jank_rate>+1pp")
	for _, test := range []struct {
		base, new int
		runs, why string
	}{{1, 1, "1 run and 1", "one run each"}, {1, 5, "1 run and 5", "1 run and 5"}, {5, 1, "5 runs and 1", "5 runs and 1"}} {
		d := compare(t, side("base", 2, test.base), side("new", 4, test.new), Options{FailOn: list})
		if m := d.Pairs[0].measure("jank_rate"); !near(m.Base, .05) || !near(m.New, .1) || m.Verdict != NotTested || m.P != nil || m.Detectable != nil {
			t.Error(describe(m))
		}
		table := write(t, d, "table", WriteOptions{})
		for _, part := range []string{"gallery: jank rate 5.0 % → 10.0 %, ", map[bool]string{true: "; one run each, so not tested", false: "; too few runs, so not tested"}[test.base == test.new], "Not tested: " + test.runs + " do not show how runs differ. Record five or more of each side.", "5.0 % → 10.0 %"} {
			must.Contain(t, strings.Join(strings.Fields(table), " "), part)
		}
		if out := write(t, d, "json", WriteOptions{}); strings.Contains(out, "unclear") || !strings.Contains(out, `"verdict": null`) {
			t.Error("a verdict in JSON")
		}
		if o := d.Outcomes[0]; o.Status != condition.Unknown || o.Text != "cannot be checked with "+test.why {
			t.Errorf("%+v", o)
		}
	}
	two := compare(t, side("base", 2, 2), side("new", 4, 2), Options{})
	if m := two.Pairs[0].measure("jank_rate"); m.Verdict != Unclear || *m.P <= significance.Level || *m.Detectable <= *m.Delta {
		t.Error(describe(m))
	}
	// 40 frames in 0.8 s
	if out := strings.Join(strings.Fields(write(t, two, "table", WriteOptions{})), " "); !strings.Contains(out, "Runs have 40 and 40 frames of gallery. Record 10 s each: longer runs find smaller changes.") {
		t.Error(out)
	}
	// What would decide is with the change.
	m := two.Pairs[0].measure("jank_rate")
	said := fmt.Sprintf("Jank rate +5.0 pp may be chance: %d runs of 10 s on each side would decide; these runs find %s and more.", *m.UnitsNeeded, strings.TrimPrefix(text.Change(m.Unit, m.Detectable), "+"))
	if table := strings.Join(strings.Fields(write(t, two, "table", WriteOptions{})), " "); !strings.Contains(table, said) {
		t.Errorf("no %q in\n%s", said, table)
	}
	// A change that needs too many runs has no advice.
	if m.UnitsNeeded = nil; undecided([]*Measure{m}) != "" {
		t.Errorf("says %q", undecided([]*Measure{m}))
	}
}

// Tables of long names and of names that would clear a terminal fit, and names are text on the
// page.
func TestHostileNames(t *testing.T) {
	evil := `</title><script>alert(1)</script><img src=x onerror=alert(1)>" style="` + "\x1b[2J\u202e" + strings.Repeat("com.example.", 20)
	base := gallery(evil, evil, 20, 20, func(i int) int { return 1 + i })
	new := gallery(evil+"2", evil, 20, 25, func(i int) int { return 4 + i })
	for i, f := range new.Frames { // a display that never keeps its rate
		f.Period = trace.Duration(5+i/2) * ms
	}
	new.frame(analyzer.ApplicationFrame, new.process(4194303, strings.Repeat("图库", 60)), 1000, 5)
	d := compare(t, base.side(evil), new.side(evil), Options{Map: []Mapping{{evil, evil + "2"}}})
	for _, width := range []int{80, 160} {
		for i, line := range strings.Split(write(t, d, "table", WriteOptions{Verbose: true, Style: text.Style{Width: width}}), "\n") {
			if n := text.Width(line); n > width {
				t.Errorf("line %d has %d columns: %q", i+1, n, line)
			}
		}
	}
	if plain := write(t, d, "table", WriteOptions{}); strings.ContainsAny(plain, "\x1b\u202e") {
		t.Error("the table has control characters")
	}
	page := write(t, d, "html", WriteOptions{})
	for _, bad := range []string{"<script>alert", "<img", `>" style="`, "\x1b", "\u202e"} {
		must.Lack(t, page, bad)
	}
	if n := strings.Count(page, "&lt;script&gt;"); n < 7 { // title, both sides, two in the table, two headings
		t.Errorf("the name is in the page %d times", n)
	}
}

// A hang is named in the verdict if one side has some, and it is known that the other has none.
func TestHangsOnlyIn(t *testing.T) {
	runs := func(longest ...trace.Duration) (list []*stats.Process) {
		for _, l := range longest {
			p := &stats.Process{Name: "app"}
			if l >= 0 {
				p.Hangs = &stats.Hangs{Longest: l * trace.Millisecond}
			}
			list = append(list, p)
		}
		return list
	}
	const unknown = -1
	for _, test := range []struct{ base, new, want []trace.Duration }{
		{base: []trace.Duration{0, 0}, new: []trace.Duration{0, 300}, want: []trace.Duration{300}},
		{base: []trace.Duration{0, 250}, new: []trace.Duration{0, 300}},
		{base: []trace.Duration{0, unknown}, new: []trace.Duration{0, 300}},
		{base: []trace.Duration{0, 0}, new: []trace.Duration{unknown, 300}, want: []trace.Duration{300}},
		{base: []trace.Duration{0}, new: []trace.Duration{0}},
	} {
		p := &Pair{base: runs(test.base...), new: runs(test.new...)}
		p.Base, p.New = p.base[0], p.new[0]
		d := &Diff{Pairs: []*Pair{p}}
		var want []string
		for _, l := range test.want {
			want = append(want, fmt.Sprintf("%s (the longest %d.0 ms)", p.title(), l))
		}
		must.EqualSlices(t, d.hangsOnlyIn(1), want, "base %v, new %v", test.base, test.new)
		p.base, p.new = p.new, p.base
		must.EqualSlices(t, d.hangsOnlyIn(0), want, "base %v, new %v", test.new, test.base)
	}
	d := &Diff{OnlyNew: runs(300)}
	must.EqualSlices(t, d.hangsOnlyIn(1), []string{"app (the longest 300.0 ms)"}, "a process of one side")
	must.Equal(t, len(d.hangsOnlyIn(0)), 0, "the other side")
}
