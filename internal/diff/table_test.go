package diff

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/ci"
	"ohframe/internal/text"
)

// Each format names the inputs that were skipped.
func TestSkipped(t *testing.T) {
	d := everything(t)
	for _, format := range Formats {
		out := write(t, d, format, WriteOptions{Skipped: []ci.Input{{Name: "bad.ftrace", Skipped: "no frames at all"}}})
		if !strings.Contains(out, "bad.ftrace") || !strings.Contains(out, "no frames at all") {
			t.Errorf("%s does not name a skipped input", format)
		}
	}
}

// The golden was worked out by hand: see gallery and TestCompare.
func TestTable(t *testing.T) {
	want, err := os.ReadFile("testdata/table.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := write(t, compare(t, before(), after(), Options{}), "table", WriteOptions{Verbose: true})
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("line %d differs from testdata/table.txt:\n%s", i+1, got)
		}
	}
}

// large has numbers, names and lists that are longer than usual, and changes in
// everything.
func large() *Diff {
	process := func(pid trace.PID, name string, factor float64) *stats.Process {
		d := trace.Duration(factor * 700e9)
		p := &stats.Process{
			Kind: stats.Application, PID: pid, Name: name, Frames: stats.Counts{Complete: int(factor * 1234567), WithDeadline: int(factor * 999999), Late: int(factor * 123456)},
			JankRate: known(factor * .1234), EmptyRate: known(factor * .0004), FPS: &stats.FPS{Rate: factor * 120.5},
			Durations: &stats.Durations{P50: d, P90: d, P95: &d, P99: &d, Max: d}, DurationsInPeriods: &stats.DurationsInPeriods{Max: factor * 84000},
			Hitches:     &stats.Hitches{Ratio: factor * 999.9, Hitch: d, Idle: d, Longest: &d},
			WholeFrames: stats.WholeFrames{LateRate: known(factor * .09)},
		}
		for i := range 10 { // a display that never keeps its rate
			p.Refresh = append(p.Refresh, stats.Refresh{Rate: factor * float64(30+10*i), Period: trace.Duration(1e9 / (factor * float64(30+10*i))), Frames: 100})
		}
		for s := stats.Receive; s <= stats.ToPresent; s++ {
			p.Stages = append(p.Stages, stats.StageTimes{Stage: s, P50: &d, P90: &d, Max: &d, LongestOfLate: int(factor * 123456)})
		}
		return p
	}
	long := strings.Repeat("com.example.", 20)
	base := Side{Name: strings.Repeat("directory/", 30), Stats: &stats.Report{Span: &stats.Span{Seconds: 12345}, Processes: []*stats.Process{
		process(4194303, long, 1), process(9, strings.Repeat("图库", 60), 1), process(10, long+"old", 1),
	}}}
	new := Side{Name: "\x1b[2J\u202e.ftrace", Stats: &stats.Report{Processes: []*stats.Process{
		process(4194302, long, 9.999), process(8, strings.Repeat("图库", 60), .0001), process(11, "\x1b[2Jevil\u202e", 1),
	}}}
	d, err := Compare(base, new, Options{})
	if err != nil {
		panic(err)
	}
	return d
}

func TestTableFits(t *testing.T) {
	d := large()
	if len(d.Pairs) != 2 || !d.Pairs[0].RefreshDiffers || len(d.OnlyBase) != 1 || len(d.OnlyNew) != 1 {
		t.Fatalf("%d pairs", len(d.Pairs))
	}
	for _, o := range []WriteOptions{
		{}, {Verbose: true}, {Style: text.Style{Color: true}}, {Style: text.Style{Width: 80}}, {Verbose: true, Style: text.Style{Width: 80}},
	} {
		for i, line := range strings.Split(write(t, d, "table", o), "\n") {
			if n := text.Width(line); n > cmp.Or(o.Style.Width, text.DefaultWidth) {
				t.Errorf("line %d has %d columns: %q", i+1, n, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("line %d ends in spaces: %q", i+1, line)
			}
		}
	}
}

// Colour changes nothing but colours, and is the only source of escape codes.
func TestTableColor(t *testing.T) {
	codes := regexp.MustCompile(`\x1b\[(0|1|2|31|32)m`)
	for _, d := range []*Diff{compare(t, before(), after(), Options{}), large()} {
		plain, coloured := write(t, d, "table", WriteOptions{Verbose: true}), write(t, d, "table", WriteOptions{Verbose: true, Style: text.Style{Color: true}})
		if strings.ContainsAny(plain, "\x1b\u202e") {
			t.Error("the plain table has control characters")
		}
		if !codes.MatchString(coloured) {
			t.Error("there are no colours")
		}
		if got := codes.ReplaceAllString(coloured, ""); got != plain {
			t.Errorf("without its colours the table is\n%s", got)
		}
	}
}

// Which width a terminal gives to characters such as "–" depends on the
// language; the table does not.
func TestTableInChinese(t *testing.T) {
	d := compare(t, before(), after(), Options{})
	want := write(t, d, "table", WriteOptions{Verbose: true})
	pretty.OverrideRuneWidthEastAsianWidth(true)
	if got := write(t, d, "table", WriteOptions{Verbose: true}); got != want {
		t.Error("the table depends on the language")
	}
}

func TestProbability(t *testing.T) {
	for p, want := range map[float64]string{1: "p = 1", .0499: "p = 0.05", .00012: "p = 0.00012", .00009: "p < 0.0001", 0: "p < 0.0001"} {
		if got := probability(p); got != want {
			t.Errorf("%v is %s, want %s", p, got, want)
		}
	}
}

// Without Verbose the table begins with the verdict, and lists at most ten measures of a
// pair, and only measures that changed: first those that changed significantly.
func TestTableOfChanges(t *testing.T) {
	long := func(n int) func(int) int { return func(i int) int { return n + i%5 } }
	base, new := gallery("gallery", "render_service", 200, 200, long(5)), gallery("gallery", "render_service", 200, 200, long(14))
	d := compare(t, base.side(""), new.side(""), Options{})
	app := d.Pairs[0]
	if app.measure("p90_ms").Judgement != Worsened {
		t.Fatalf("findings %+v", app.findings())
	}
	list, equal, hidden := app.changed(false)
	if len(list) != maxChanged || hidden == 0 || equal == 0 || list[0].Judgement != Worsened {
		t.Errorf("%d measures, %d equal, %d hidden, first %s", len(list), equal, hidden, list[0].Name)
	}
	significant := true
	for _, m := range list {
		if base, new := text.Value(m.Unit, m.Base), text.Value(m.Unit, m.New); base == new {
			t.Errorf("%s is %s on both sides", m.Name, base)
		}
		if m.Judgement == Worsened && !significant {
			t.Errorf("%s is below one without a significant change", m.Name)
		}
		significant = m.Judgement == Worsened
	}
	all, equalOfAll, none := app.changed(true)
	// The table accounts for all measures of the JSON form.
	var unknown, periods int
	if n, err := fmt.Sscanf(app.leftOut(), "Left out: %d measures unknown on both sides, %d measures relative to", &unknown, &periods); err != nil || len(all)+equalOfAll+unknown+periods != len(app.Measures()) {
		t.Errorf("%q (%d, %v) beside %d and %d of %d measures", app.leftOut(), n, err, len(all), equalOfAll, len(app.Measures()))
	}
	if len(all)+equalOfAll != len(app.shown()) || none != 0 || len(list)+hidden+equal != len(app.shown()) {
		t.Errorf("%d and %d of %d measures, %d hidden", len(all), equalOfAll, len(app.shown()), none)
	}
	table := write(t, d, "table", WriteOptions{})
	verdict, overview := strings.Index(table, "gallery worse: "), strings.Index(table, "  Process ")
	if verdict < 0 || overview < verdict {
		t.Errorf("the verdict is not first:\n%s", table)
	}
	if !strings.Contains(table, " more measures changed; --verbose lists all.") {
		t.Errorf("nothing is hidden:\n%s", table)
	}
}

// The overview has both names of a pair whose names differ, and the arrow between them.
func TestTableOfMapped(t *testing.T) {
	base, new := gallery("com.example.gallery", "render_service", 200, 200, func(int) int { return 5 }), gallery("com.example.gallery.redesigned", "render_service", 200, 200, func(int) int { return 5 })
	d := compare(t, base.side(""), new.side(""), Options{Map: []Mapping{{"com.example.gallery", "com.example.gallery.redesigned"}}})
	for _, width := range []int{80, 120} {
		table := write(t, d, "table", WriteOptions{Style: text.Style{Width: width}})
		if !regexp.MustCompile(`\n  \S*ple.gallery → .*\n  …\S*redesigned\n`).MatchString(table) {
			t.Errorf("%d: the overview does not name both:\n%s", width, table)
		}
	}
}

// The verdict for continuous integration counts the processes without a tested measure, as
// the table does.
func TestVerdictCountsUntested(t *testing.T) {
	side := func(name string) Side {
		return gallery("gallery", "render_service", 60, 20, func(i int) int { return 1 + i*7%20 }).side(name)
	}
	d := compare(t, side("base"), side("new"), Options{})
	if got := d.result(WriteOptions{}).Verdict; got != "no significant change" {
		t.Errorf("all were tested: %q", got)
	}
	d.Pairs[1].changes = nil
	if got := d.result(WriteOptions{}).Verdict; got != "no significant change; 1 process not tested: too few frames" {
		t.Errorf("one was not tested: %q", got)
	}
}
