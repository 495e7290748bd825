package diff

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/simulate"
)

func near(a *float64, b float64) bool { return a != nil && math.Abs(*a-b) < 1e-9 }

func TestCompare(t *testing.T) {
	d := compare(t, before(), after(), Options{})
	if len(d.Pairs) != 2 || len(d.OnlyBase)+len(d.OnlyNew) != 0 {
		t.Fatalf("%d pairs, %d and %d others", len(d.Pairs), len(d.OnlyBase), len(d.OnlyNew))
	}
	app := d.Pairs[0]
	if app.Base.Name != "gallery" || app.MatchedBy != MatchedByName {
		t.Errorf("first is %s, by %s", app.Base.Name, app.MatchedBy)
	}
	for _, want := range []struct {
		name                       string
		base, new, delta, relative float64
		judgement                  Judgement
	}{
		{"fps", 50, 40, -10, -.2, Worsened},       // a present every 20 ms, then every 25
		{"jank_rate", .5, .65, .15, .3, Worsened}, // 10 and 13 of 20 above 10 ms
		{"p50_ms", 10, 13, 3, .3, Worsened},       // the 10th
		{"p90_ms", 18, 21, 3, 1.0 / 6, Worsened},  // the 18th
		{"p95_ms", 19, 22, 3, 3.0 / 19, Worsened}, // the 19th
		{"p99_ms", 20, 23, 3, .15, Worsened},      // the 20th
		{"max_ms", 20, 23, 3, .15, Worsened},
		{"p50_periods", 1, 1.3, .3, .3, Worsened},
		{"longest_streak", 10, 13, 3, .3, Worsened},
		{"frames", 20, 20, 0, 0, ""},
		{"late_frames", 10, 13, 3, .3, ""},
		{"slight_stutters", 10, 13, 3, .3, ""},
		{"ui_work_p50_ms", 10, 13, 3, .3, Worsened},
		{"commit_p90_ms", 1, 1, 0, 0, Unchanged},
		{"seconds", .4, .498, .098, .245, ""}, // 1.000 to 1.380+20, to 1.475+23
	} {
		m := app.measure(want.name)
		if !near(m.Base, want.base) || !near(m.New, want.new) || !near(m.Delta, want.delta) || !near(m.Relative, want.relative) || m.Judgement != want.judgement {
			t.Errorf("%s: %s → %s, %s, %s, %q; want %+v", m.Name, valueText(m.Unit, m.Base), valueText(m.Unit, m.New),
				changeText(m.Unit, m.Delta), relativeChange(m.Relative), m.Judgement, want)
		}
	}
	// From zero there is no percentage.
	if m := app.measure("empty_rate"); !near(m.Delta, 0) || m.Relative != nil || m.Judgement != Unchanged {
		t.Errorf("empty rate: %+v", m)
	}
	// Worked out in the tests of package stats: U = 255.5, z = 55 / 36.95.
	f := app.findings()
	if want := "no clear change: typically +3.00 ms (Mann–Whitney U test, p = 0.14, Cliff's delta +0.28; 20 and 20 frames)"; f[0].Text != want {
		t.Errorf("durations: %s\nwant %s", f[0].Text, want)
	}
	// Pooled 23 of 40: z = .15 / √(.575 · .425 · 2/20) = 0.960.
	if want := "no clear change: +15.0 pp (two-proportion z-test, p = 0.34; 10 of 20 and 13 of 20 frames late)"; f[1].Text != want {
		t.Errorf("jank: %s\nwant %s", f[1].Text, want)
	}
	// The render service did the same.
	for _, m := range d.Pairs[1].Measures {
		if m.Better != stats.Neither && m.Name != "fps" && m.Delta != nil && *m.Delta != 0 {
			t.Errorf("render service: %s changed by %v", m.Name, *m.Delta)
		}
	}
}

// Frames of 1 to 20 ms against frames of 21 to 40 ms: all pairs say the same.
func TestCompareBeyondChance(t *testing.T) {
	slow := gallery("gallery", "render_service", 20, 20, func(i int) int { return 21 + i }).side("slow")
	d := compare(t, before(), slow, Options{})
	f := d.Pairs[0].findings()
	// z = (400 − 200 − 0.5) / √(400/12 · 41) = 5.40: p = 7·10⁻⁸.
	if want := "longer: typically +20.00 ms (Mann–Whitney U test, p < 0.0001, Cliff's delta +1.00; 20 and 20 frames)"; f[0].Text != want || f[0].Verdict != More || f[0].Judgement != Worsened {
		t.Errorf("durations: %+v\nwant %s", f[0], want)
	}
	// Pooled 30 of 40: z = .5 / √(.75 · .25 · 2/20) = 3.65.
	if want := "late more often: +50.0 pp (two-proportion z-test, p = 0.00026; 10 of 20 and 20 of 20 frames late)"; f[1].Text != want || f[1].Verdict != More {
		t.Errorf("jank: %+v\nwant %s", f[1], want)
	}
	back := compare(t, slow, before(), Options{}).Pairs[0].findings()
	if back[0].Verdict != Less || back[1].Verdict != Less || back[0].Judgement != Improved ||
		!strings.HasPrefix(back[0].Text, "shorter: typically −20.00 ms (") || !strings.HasPrefix(back[1].Text, "late less often: −50.0 pp (") {
		t.Errorf("the other way round: %+v", back)
	}
}

func TestCompareTooFewFrames(t *testing.T) {
	few := gallery("gallery", "render_service", stats.MinFrames-1, 20, func(i int) int { return 1 + i }).side("few")
	for _, d := range []*Diff{compare(t, before(), few, Options{}), compare(t, few, before(), Options{})} {
		for _, f := range d.Pairs[0].findings() {
			if f.Verdict != TooFewFrames || f.Judgement != "" || !strings.Contains(f.Text, "19") || !strings.Contains(f.Text, "each trace needs 20") {
				t.Errorf("%+v", f)
			}
		}
	}
}

// A trace has not changed from itself.
func TestCompareWithItself(t *testing.T) {
	demo, _ := simulated(t, "demo", func(*simulate.Config) {})
	for _, side := range []Side{demo, before()} {
		d := compare(t, side, side, Options{})
		if len(d.Pairs) != len(side.Stats.Processes) {
			t.Errorf("%s: %d pairs of %d processes", side.Name, len(d.Pairs), len(side.Stats.Processes))
		}
		for _, p := range d.Pairs {
			for _, m := range p.Measures {
				if (m.Base == nil) != (m.Delta == nil) || m.Delta != nil && *m.Delta != 0 || m.Relative != nil && *m.Relative != 0 {
					t.Errorf("%s: %s of %s has changed", side.Name, m.Name, p.title())
				}
				if m.Judgement == Improved || m.Judgement == Worsened {
					t.Errorf("%s: %s of %s is %s", side.Name, m.Name, p.title(), m.Judgement)
				}
			}
			for _, f := range p.findings() {
				if f.Verdict != NoClearChange && f.Verdict != TooFewFrames {
					t.Errorf("%s: %s of %s: %s", side.Name, f.Name, p.title(), f.Text)
				}
			}
			if p.Tests.RefreshDiffers {
				t.Errorf("%s: refresh rates of %s differ", side.Name, p.title())
			}
		}
		if table := write(t, d, "table", WriteOptions{}); strings.Contains(table, "better") || strings.Contains(table, "worse") {
			t.Errorf("the table finds changes:\n%s", table)
		}
	}
}

// The other way round, everything is the other way round.
func TestCompareSwapped(t *testing.T) {
	a, _ := simulated(t, "a", func(*simulate.Config) {})
	b, _ := simulated(t, "b", func(c *simulate.Config) { c.Seed = 7 })
	opposite := map[Judgement]Judgement{Improved: Worsened, Worsened: Improved, Unchanged: Unchanged, "": ""}
	verdicts := map[Verdict]Verdict{More: Less, Less: More, NoClearChange: NoClearChange, TooFewFrames: TooFewFrames, NotTested: NotTested}
	there, back := compare(t, a, b, Options{}), compare(t, b, a, Options{})
	if len(there.Pairs) != len(back.Pairs) || len(there.Pairs) < 3 {
		t.Fatalf("%d pairs and %d", len(there.Pairs), len(back.Pairs))
	}
	changed := 0
	for i, p := range there.Pairs {
		q := back.Pairs[i]
		for j, m := range p.Measures {
			n := q.Measures[j]
			if (m.Delta == nil) != (n.Delta == nil) || m.Delta != nil && *m.Delta != -*n.Delta || n.Judgement != opposite[m.Judgement] {
				t.Errorf("%s of %s: %s and %s", m.Name, p.title(), changeText(m.Unit, m.Delta), changeText(n.Unit, n.Delta))
			}
			if m.Judgement == Improved || m.Judgement == Worsened {
				changed++
			}
		}
		for j, f := range p.findings() {
			if g := q.findings()[j]; g.Verdict != verdicts[f.Verdict] {
				t.Errorf("%s of %s: %s and %s", f.Name, p.title(), f.Verdict, g.Verdict)
			}
		}
	}
	if changed == 0 {
		t.Error("nothing has changed")
	}
}

// At 120 Hz the same share of a period is half the time.
func TestCompareRefreshRates(t *testing.T) {
	at := func(hz int) Side {
		side, _ := simulated(t, "", func(c *simulate.Config) {
			c.Rates, c.Duration = []simulate.Rate{{Hz: hz}}, 3e9
		})
		return side
	}
	d := compare(t, at(60), at(120), Options{})
	app := d.Pairs[0]
	if !app.Tests.RefreshDiffers {
		t.Fatal("refresh rates do not differ")
	}
	f := app.findings()
	if len(f) != 3 || f[0].Verdict != Less || f[0].Judgement != "" {
		t.Errorf("in milliseconds: %+v", f[0])
	}
	if f[1].Name != "In periods" || f[1].Verdict != NoClearChange || !strings.Contains(f[1].Text, "periods (") {
		t.Errorf("in periods: %+v", f[1])
	}
	table := write(t, d, "table", WriteOptions{})
	if !strings.Contains(table, "60.0 Hz → 120.0 Hz") || !strings.Contains(table, "Duration P50, periods") {
		t.Errorf("the table does not tell:\n%s", table)
	}
	if same := write(t, compare(t, at(60), at(60), Options{}), "table", WriteOptions{}); strings.Contains(same, "periods") {
		t.Errorf("the table tells of periods where rates are the same:\n%s", same)
	}
	if charts := chartsOf(d, app); len(charts) != 2 || charts[0].Unit != "ms" || charts[1].Unit != "periods" {
		t.Errorf("charts: %+v", charts)
	}
}

func TestNothingToCompare(t *testing.T) {
	empty := (&scene{}).side("empty.ftrace")
	cut := gallery("gallery", "render_service", 3, 20, func(int) int { return 5 })
	for _, f := range cut.Frames {
		f.Facts = analyzer.Truncated
	}
	truncated := cut.side("cut.ftrace")
	apps := func(name string) Side {
		s := &scene{}
		s.frame(analyzer.ApplicationFrame, s.process(7, name), 1000, 5)
		return s.side(name + ".ftrace")
	}
	half := gallery("gallery", "render_service", 3, 20, func(int) int { return 5 })
	for _, f := range half.Frames {
		if f.Kind == analyzer.RenderFrame {
			f.Facts = analyzer.Truncated
		}
	}
	other := gallery("camera", "render_service", 3, 20, func(int) int { return 5 })
	for _, test := range []struct {
		base, new Side
		options   Options
		what      string
		hint      string
	}{
		{empty, empty, Options{}, "nothing to compare: neither trace has complete frames", ""},
		{empty, before(), Options{}, "nothing to compare: empty.ftrace has no complete frames", ""},
		{before(), empty, Options{}, "nothing to compare: empty.ftrace has no complete frames", ""},
		{before(), truncated, Options{}, "nothing to compare: cut.ftrace has no complete frames", ""},
		{apps("notes"), apps("camera"), Options{}, "nothing to compare: no process has complete frames in both traces",
			"--map OLD=NEW pairs processes: notes.ftrace has notes, camera.ftrace has camera"},
		{apps(""), apps("\x1b[2J"), Options{}, "nothing to compare: no process has complete frames in both traces",
			`--map OLD=NEW pairs processes: .ftrace has 7, "\x1b[2J.ftrace" has "\x1b[2J"`},
		// The render services match, but one has no complete frame.
		{half.side("half"), other.side("other"), Options{}, "nothing to compare: no process has complete frames in both traces",
			"--map OLD=NEW pairs processes: half has gallery, other has camera"},
		{other.side("other"), half.side("half"), Options{}, "nothing to compare: no process has complete frames in both traces",
			"--map OLD=NEW pairs processes: other has camera, half has gallery"},
		{before(), after(), Options{Process: func(*analyzer.Process) bool { return false }},
			"nothing to compare: none of the selected processes has complete frames in both traces", ""},
	} {
		d, err := Compare(test.base, test.new, test.options)
		e := (*Error)(nil)
		if !errors.As(err, &e) || e.What != test.what || e.Hint != test.hint {
			t.Errorf("%s against %s: %v, %v, hint %q", test.base.Name, test.new.Name, d, err, e.Hint)
		}
	}
}

// Where a pair has frames on one side only, the other pairs are compared.
func TestCompareWithoutFramesOnOneSide(t *testing.T) {
	half := gallery("gallery", "render_service", 20, 20, func(i int) int { return 1 + i })
	for _, f := range half.Frames {
		if f.Kind == analyzer.ApplicationFrame {
			f.Facts = analyzer.Truncated
		}
	}
	conditions, err := ParseConditions("p95_ms>+1%")
	if err != nil {
		t.Fatal(err)
	}
	for _, sides := range [][2]Side{{before(), half.side("half")}, {half.side("half"), before()}} {
		d := compare(t, sides[0], sides[1], Options{FailOn: conditions})
		app := d.Pairs[0]
		if m := app.measure("p95_ms"); m.Delta != nil || m.Relative != nil || m.Judgement != "" {
			t.Errorf("P95: %+v", m)
		}
		for _, f := range app.findings() {
			if f.Verdict != NotTested || f.Short != unknown {
				t.Errorf("%+v", f)
			}
		}
		if len(d.Failed()) != 0 || len(d.Unknown()) != 1 || d.Unknown()[0].Pair != app {
			t.Errorf("outcomes: %v", d.Outcomes)
		}
		for _, format := range Formats {
			if text := write(t, d, format, WriteOptions{}); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Errorf("%s has what is no number:\n%s", format, text)
			}
		}
		if charts := chartsOf(d, app); len(charts) != 0 {
			t.Errorf("there are charts")
		}
	}
}

func TestCompareProcess(t *testing.T) {
	choose := func(name string) Options {
		return Options{
			Process: func(p *analyzer.Process) bool { return p.Name == name },
			Map:     []Mapping{{"gallery", "photos"}},
		}
	}
	renamed := gallery("photos", "render_service", 20, 20, func(i int) int { return i }).side("renamed")
	for _, name := range []string{"gallery", "photos"} { // either name chooses the pair
		d := compare(t, before(), renamed, choose(name))
		if len(d.Pairs) != 1 || d.Pairs[0].title() != "gallery → photos" {
			t.Errorf("%s: %d pairs", name, len(d.Pairs))
		}
	}
	// What is in one trace only is left out as well.
	d := compare(t, before(), renamed, Options{Process: func(p *analyzer.Process) bool { return p.PID == 50 }})
	if len(d.Pairs) != 1 || len(d.OnlyBase)+len(d.OnlyNew) != 0 {
		t.Errorf("%d pairs, %d and %d others", len(d.Pairs), len(d.OnlyBase), len(d.OnlyNew))
	}
	d = compare(t, before(), renamed, Options{})
	if len(d.Pairs) != 1 || len(d.OnlyBase) != 1 || d.OnlyBase[0].Name != "gallery" || len(d.OnlyNew) != 1 || d.OnlyNew[0].Name != "photos" {
		t.Errorf("%d pairs, %v and %v", len(d.Pairs), d.OnlyBase, d.OnlyNew)
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Write(&bytes.Buffer{}, compare(t, before(), after(), Options{}), "csv", WriteOptions{})
	if err == nil || err.Error() != `format "csv": not one of table, json, html` {
		t.Errorf("error %v", err)
	}
}

// The same inputs give the same bytes, and the inputs stay as they are.
func TestDeterministic(t *testing.T) {
	base, new := before(), after()
	frames := slices.Clone(base.Timeline.Frames)
	for _, format := range Formats {
		first := write(t, compare(t, base, new, Options{}), format, WriteOptions{})
		if write(t, compare(t, base, new, Options{}), format, WriteOptions{}) != first || write(t, compare(t, before(), after(), Options{}), format, WriteOptions{}) != first {
			t.Errorf("%s differs", format)
		}
	}
	if !slices.Equal(frames, base.Timeline.Frames) {
		t.Error("the timeline has changed")
	}
}
