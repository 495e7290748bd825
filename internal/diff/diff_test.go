package diff

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/significance"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/text"
)

// describe describes a measure for a failed test.
func describe(m *Measure) string {
	return fmt.Sprintf("%s: %s, %s, %s to %s, p %v", m.Name, m.values(), cmp.Or(m.Verdict, "not tested"), text.Change(m.Unit, m.Low), text.Change(m.Unit, m.High), m.P)
}

// repeated returns a side of several equal runs.
func repeated(n int, s Side) Side {
	return Join(s.Name, slices.Repeat([]Side{s}, n))
}

// lateOf returns the lengths of frames: the first n of each so many take 15 ms, which is late, and the
// others 5.
func lateOf(n, each int) func(i int) int {
	return func(i int) int {
		if i%each < n {
			return 15
		}
		return 5
	}
}

func near(a *float64, b float64) bool { return a != nil && math.Abs(*a-b) < 1e-9 }

func TestCompare(t *testing.T) {
	d := compare(t, before(), after(), Options{})
	if len(d.Pairs) != 2 || len(d.OnlyBase)+len(d.OnlyNew) != 0 {
		t.Fatalf("%d pairs, %d and %d others", len(d.Pairs), len(d.OnlyBase), len(d.OnlyNew))
	}
	app := d.Pairs[0]
	if app.Base.Name != "gallery" || app.MatchedBy != matchedByName {
		t.Errorf("first is %s, by %s", app.Base.Name, app.MatchedBy)
	}
	for _, want := range []struct {
		name                       string
		base, new, delta, relative float64
		verdict                    Verdict
	}{
		{"fps_all", 50, 40, -10, -.2, ""},   // a present every 20 ms, then every 25
		{"jank_rate", .5, .65, .15, .3, ""}, // 10 and 13 of 20 above 10 ms
		{"p50_ms", 10, 13, 3, .3, ""},       // the 10th
		{"p90_ms", 18, 21, 3, 1.0 / 6, ""},  // the 18th
		{"p95_ms", 19, 22, 3, 3.0 / 19, ""}, // the 19th
		{"max_ms", 20, 23, 3, .15, ""},
		{"p50_periods", 1, 1.3, .3, .3, ""},
		{"longest_streak", 10, 13, 3, .3, ""},
		{"frames", 20, 20, 0, 0, ""},
		{"late_frames", 10, 13, 3, .3, ""},
		{"slight_stutters", 10, 13, 3, .3, ""},
		{"ui_work_p50_ms", 10, 13, 3, .3, ""},
		{"commit_p90_ms", 1, 1, 0, 0, ""},
		{"seconds", .4, .498, .098, .245, ""}, // 1.000 to 1.380+20, to 1.475+23
	} {
		m := app.measure(want.name)
		if !near(m.Base, want.base) || !near(m.New, want.new) || !near(m.Delta, want.delta) || !near(m.Relative, want.relative) || m.Verdict != want.verdict {
			t.Errorf("%s: %s → %s, %s, %s, %q; want %+v", m.Name, text.Value(m.Unit, m.Base), text.Value(m.Unit, m.New),
				text.Change(m.Unit, m.Delta), text.RelativeChange(m.Relative), m.Verdict, want)
		}
	}
	// A change from zero has no percentage.
	if m := app.measure("empty_rate"); !near(m.Delta, 0) || m.Relative != nil || m.Verdict != NotTested {
		t.Errorf("empty rate: %+v", m)
	}
	// The render service did the same, but for how often it showed frames.
	for _, m := range d.Pairs[1].measures() {
		if m.Better != stats.Neither && !strings.HasPrefix(m.Name, "fps") && !strings.HasPrefix(m.Name, "cadence") && m.Delta != nil && *m.Delta != 0 {
			t.Errorf("render service: %s changed by %v", m.Name, *m.Delta)
		}
	}
}

// Frames of 1 to 20 ms against frames of 21 to 40 ms: all say the same.
func TestCompareSignificant(t *testing.T) {
	shuffled := func(longer int) func(int) int { return func(i int) int { return 1 + longer + i*7%20 } }
	fast := repeated(5, gallery("gallery", "render_service", 60, 20, shuffled(0)).side("fast"))
	slow := repeated(5, gallery("gallery", "render_service", 60, 20, shuffled(20)).side("slow"))
	there, back := compare(t, fast, slow, Options{}).Pairs[0], compare(t, slow, fast, Options{}).Pairs[0]
	for _, name := range []string{"jank_rate", "p50_ms", "p90_ms", "p95_ms"} {
		m, n := there.measure(name), back.measure(name)
		if m.Verdict != Worse || *m.P > significance.Level || *m.Low <= 0 || *m.High < *m.Delta {
			t.Errorf("%s: %s", name, describe(m))
		}
		if n.Verdict != Better || *n.High >= 0 {
			t.Errorf("%s, the other way round: %s", name, describe(n))
		}
	}
	if verdict := changedMeasures(there.tested); verdict != "worse: Jank rate, Duration P50, Duration P90, Duration P95" || there.verdict() != Worse {
		t.Errorf("verdict %q", verdict)
	}
	if verdict := changedMeasures(back.tested); verdict != "better: Jank rate, Duration P50, Duration P90, Duration P95" || back.verdict() != Better {
		t.Errorf("verdict %q, the other way round", verdict)
	}
	// A significant change that is too small does not count.
	effects := map[string]condition.Limit{"p50_ms": {Value: 20.5}, "jank_rate": {Value: .6}, "p90_ms": {Value: 1.2, Relative: true}}
	p := compare(t, fast, slow, Options{MinEffect: effects}).Pairs[0]
	must.Equal(t, changedMeasures(p.tested), "worse: Duration P95", "verdict")
	if m := p.measure("p50_ms"); m.Verdict != Unclear || *m.MinEffect != 20.5 {
		t.Errorf("%s", describe(m))
	}
}

// Several runs of a side: values are means, processes are matched by name whatever their
// ids and order, and one that is only in some runs is there.
func TestCompareRuns(t *testing.T) {
	side := func(name string, lengths ...int) Side {
		var list []Side
		for i, length := range lengths {
			g := gallery("gallery", "render_service", 60, 20, func(i int) int { return length + i%3 })
			for _, p := range g.Processes {
				p.PID += trace.PID(i)
			}
			if i == 1 {
				g.frame(analyzer.ApplicationFrame, g.process(300, "rare"), 1000, 5)
			}
			list = append(list, g.side(fmt.Sprint(name, i)))
		}
		return Join(name, list)
	}
	d := compare(t, side("base", 3, 4, 5, 4), side("new", 7, 8, 9, 8), Options{})
	if len(d.Pairs) != 3 || d.Test.Method != significance.Permutation || d.Test.Resamples != 70 {
		t.Fatalf("%d pairs, %s of %d", len(d.Pairs), d.Test.Method, d.Test.Resamples)
	}
	m := d.Pairs[0].measure("p50_ms") // the middle of three lengths: 4, 5, 6 and 5
	if !near(m.Base, 5) || !near(m.New, 9) || !near(m.P, 2.0/70) || m.Verdict != Worse {
		t.Errorf("p50: %s", describe(m))
	}
	if m := d.Pairs[0].measure("frames"); !near(m.Base, 60) || !near(m.New, 60) {
		t.Errorf("frames: %v and %v", *m.Base, *m.New)
	}
	table := write(t, d, "table", WriteOptions{})
	for _, part := range []string{"Base  base  4 runs", "permutation of runs, 70 divisions", "worse: Duration P50", "Values are means of runs", "A measure without a verdict"} {
		must.Contain(t, table, part)
	}
	if one := side("base", 3); one.runs != nil || one.Timeline == nil {
		t.Error("one run is not that trace")
	}
}

// A run with too few frames does not count for the test or for the values. Here it has late frames
// only, and the others of its side have fewer than base.
func TestCompareShortRun(t *testing.T) {
	runs := func(n int) []Side {
		return slices.Repeat([]Side{gallery("gallery", "render_service", 60, 20, lateOf(n, 60)).side("")}, 5)
	}
	short := gallery("gallery", "render_service", 15, 20, lateOf(60, 60)).side("")
	d := compare(t, Join("base", runs(12)), Join("new", append(runs(6), short)), Options{FailOn: conditions(t, "jank_rate<-2pp")})
	if m := d.Pairs[0].measure("jank_rate"); !near(m.Base, .2) || !near(m.New, .1) || m.Verdict != Better || *m.High >= 0 {
		t.Error(describe(m))
	}
	if o := d.Outcomes[0]; o.Status != condition.Failed {
		t.Error(o)
	}
	// P99 needs 100 frames. One run has them: that is no test.
	long := gallery("gallery", "render_service", 120, 20, lateOf(6, 60)).side("")
	one := append(runs(6), long)
	d = compare(t, Join("base", slices.Repeat([]Side{gallery("gallery", "render_service", 120, 20, lateOf(12, 60)).side("")}, 5)), Join("new", one), Options{FailOn: conditions(t, "p99_ms<-1, p50_ms<-1")})
	if m := d.Pairs[0].measure("p99_ms"); m.P != nil || m.Verdict != NotTested || d.Outcomes[0].Status != condition.Unknown || d.Outcomes[1].Status == condition.Unknown {
		t.Errorf("%s: %s", describe(m), d.Outcomes[0])
	}
}

// Counts that are equal by chance in all runs of a side vary nevertheless.
func TestCompareCounts(t *testing.T) {
	streak := func(n int) Side {
		return repeated(3, gallery("gallery", "render_service", 40, 20, lateOf(n, 40)).side(""))
	}
	list := conditions(t, "gallery: longest_streak>+0, late_frames>+0, slight_stutters>+0")
	for _, o := range compare(t, streak(2), streak(3), Options{FailOn: list}).Outcomes {
		must.Equal(t, o.Status, condition.Passed, "one more")
	}
	if o := compare(t, streak(2), streak(9), Options{FailOn: list}).Outcomes[0]; o.Status != condition.Failed {
		t.Errorf("seven more: %s", o)
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
	d := compare(t, repeated(3, at(60)), repeated(3, at(120)), Options{})
	app := d.Pairs[0]
	if !app.RefreshDiffers {
		t.Fatal("refresh rates do not differ")
	}
	if app.measure("p50_ms").P != nil || app.measure("fps").P != nil || app.measure("p50_periods").P == nil || app.measure("fps_of_refresh").P == nil {
		t.Errorf("measures in periods are not tested")
	}
	list := conditions(t, "p50_ms>+1")
	if o := compare(t, repeated(2, at(60)), repeated(2, at(120)), Options{FailOn: list}).Outcomes[0]; o.Status != condition.Unknown || !strings.Contains(o.Reason, "refresh rates differ") {
		t.Errorf("condition: %s, %q", o.Status, o.Reason)
	}
	table := write(t, d, "table", WriteOptions{})
	if !strings.Contains(table, "60.0 Hz → 120.0 Hz") || !strings.Contains(table, "durations are compared relative to the refresh rate") {
		t.Errorf("the table does not tell:\n%s", table)
	}
	// All runs count.
	runs := compare(t, Join("base", []Side{at(120), at(60)}), Join("new", []Side{at(60), at(60)}), Options{}).Pairs[0]
	if b, n := refreshOf(runs.base), refreshOf(runs.new); len(b) != 2 || len(n) != 1 || b[0].Frames*2 != n[0].Frames || b[1].Frames != app.New.Refresh[0].Frames {
		t.Errorf("refresh rates %v, %v", b, n)
	}
	if same := write(t, compare(t, at(60), at(60), Options{}), "table", WriteOptions{}); strings.Contains(same, "periods") {
		t.Errorf("the table tells of periods where rates are the same:\n%s", same)
	}
}

// Two builds, of which one draws on every second vsync only, differ in FPS, also if it asks for no
// others. If the display's rate falls with it, nothing is lost.
func TestCompareHalvedRate(t *testing.T) {
	at := func(hz int, every int64, own bool) Side {
		var runs []Side
		for seed := range uint64(5) {
			side, _ := simulated(t, "", func(c *simulate.Config) {
				c.Seed, c.Rates, c.Duration = seed, []simulate.Rate{{Hz: hz}}, 3e9
				c.Chances = simulate.Chances{AppLate: .03, RenderSkip: 1}
				c.Apps = c.Apps[:1]
				c.Apps[0].Interval, c.Apps[0].Own = every, own
			})
			runs = append(runs, side)
		}
		return Join("", runs)
	}
	list := conditions(t, "fps<-5%")
	base := at(120, 1, false)
	for name, test := range map[string]struct {
		new       Side
		status    condition.Status
		ofRefresh float64
		cadence   string
	}{
		"half the vsyncs":      {at(120, 2, false), condition.Failed, .5, "it draws every vsync of 120 Hz → every 2nd vsync of 120 Hz"},
		"half the vsyncs, own": {at(120, 2, true), condition.Failed, .5, "it draws every vsync of 120 Hz → every 2nd vsync of 120 Hz"},
		"half the display's":   {at(60, 1, false), condition.Unknown, 1, "it draws every vsync of 120 Hz → every vsync of 60 Hz"},
	} {
		d := compare(t, base, test.new, Options{FailOn: list})
		if len(d.Outcomes) != 2 {
			t.Fatalf("%s: %d outcomes", name, len(d.Outcomes))
		}
		for _, o := range d.Outcomes {
			must.Equal(t, o.Status, test.status, "%s", name)
		}
		for _, p := range d.Pairs {
			if m := p.measure("fps_of_refresh"); math.Abs(*m.New-test.ofRefresh) > .03 {
				t.Errorf("%s: %g of the refreshes, want %g", name, *m.New, test.ofRefresh)
			}
		}
		if table := strings.Join(strings.Fields(write(t, d, "table", WriteOptions{})), " "); !strings.Contains(table, test.cadence) {
			t.Errorf("%s: no %q in\n%s", name, test.cadence, table)
		}
	}
}

func TestNothingToCompare(t *testing.T) {
	empty := (&scene{}).side("empty.ftrace")
	apps := func(name string) Side {
		s := &scene{}
		s.frame(analyzer.ApplicationFrame, s.process(7, name), 1000, 5)
		return s.side(name + ".ftrace")
	}
	for _, test := range []struct {
		base, new Side
		options   Options
		what      string
		hint      string
	}{
		{empty, empty, Options{}, "nothing to compare: neither trace has complete frames", ""},
		{before(), empty, Options{}, "nothing to compare: empty.ftrace has no complete frames", ""},
		{apps("notes"), apps("camera"), Options{}, "nothing to compare: no process has complete frames in both traces",
			"--map OLD=NEW pairs processes: notes.ftrace has notes, camera.ftrace has camera"},
		{apps(""), apps("\x1b[2J"), Options{}, "nothing to compare: no process has complete frames in both traces",
			`--map OLD=NEW pairs processes: .ftrace has 7, "\x1b[2J.ftrace" has "\x1b[2J"`},
		{before(), after(), Options{Process: func(*analyzer.Process) bool { return false }},
			"--process: no process with frames matches",
			"processes with frames: before.ftrace has gallery, render_service; after.ftrace has gallery, render_service"},
		{apps("notes"), apps("camera"), Options{Process: func(p *analyzer.Process) bool { return p.Name == "notes" }},
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
	list := conditions(t, "p95_ms>+1%")
	for _, sides := range [][2]Side{{repeated(2, before()), repeated(2, half.side("half"))}, {repeated(2, half.side("half")), repeated(2, before())}} {
		d := compare(t, sides[0], sides[1], Options{FailOn: list})
		app := d.Pairs[0]
		if m := app.measure("p95_ms"); m.Delta != nil || m.Relative != nil || m.Verdict != NotTested {
			t.Errorf("P95: %+v", m)
		}
		if o := d.Outcomes; o[0].Status != condition.Unknown || o[0].Pair != app || o[1].Status != condition.Passed {
			t.Errorf("outcomes: %v", d.Outcomes)
		}
		for _, format := range Formats {
			if hasNaN(write(t, d, format, WriteOptions{})) {
				t.Errorf("%s has what is no number", format)
			}
		}
		if charts := app.charts(); len(charts) != 0 {
			t.Error("there are charts")
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
	// Processes in one trace only are left out, too.
	d := compare(t, before(), renamed, Options{Process: func(p *analyzer.Process) bool { return p.PID == 50 }})
	if len(d.Pairs) != 1 || len(d.OnlyBase)+len(d.OnlyNew) != 0 {
		t.Errorf("%d pairs, %d and %d others", len(d.Pairs), len(d.OnlyBase), len(d.OnlyNew))
	}
	d = compare(t, before(), renamed, Options{})
	if len(d.Pairs) != 1 || len(d.OnlyBase) != 1 || d.OnlyBase[0].Name != "gallery" || len(d.OnlyNew) != 1 || d.OnlyNew[0].Name != "photos" {
		t.Errorf("%d pairs, %v and %v", len(d.Pairs), d.OnlyBase, d.OnlyNew)
	}
}

// A process whose first run hung without frames has those of its other runs.
func TestFirstRunWithoutFrames(t *testing.T) {
	hung := Side{Name: "a", Stats: &stats.Report{Processes: []*stats.Process{{Kind: stats.Application, PID: 900, Name: "gallery", Hangs: &stats.Hangs{Hangs: 1}}}}}
	base, new := before(), after()
	base.Name, new.Name = "b", "b"
	d := compare(t, Join("base", []Side{hung, base, base}), Join("new", []Side{new, hung, new}), Options{FailOn: conditions(t, "gallery: fps_all<-1")})
	if !d.haveFrames() || frames(d.Pairs[0].Base) != 20 || len(d.OnlyBase)+len(d.OnlyNew) > 0 || d.Outcomes[0].Status != condition.Failed {
		t.Errorf("%d pairs, %q", len(d.Pairs), d.Checks())
	}
}
