package diff

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/view"
)

// did returns a side of one run in which the user did something.
func did(name string, list ...*stats.Interaction) Side {
	s := gallery("com.example.gallery", "render_service", 2, 20, func(int) int { return 5 }).side(name)
	s.Stats.Interactions = list
	return s
}

// fling returns a fling of the gallery that answered after so many milliseconds.
func fling(page string, response float64) *stats.Interaction {
	input := analyzer.FirstMove.String()
	i := &stats.Interaction{Kind: "scene", Scene: "APP_LIST_FLING", Process: "com.example.gallery", PID: 100, Input: &input, Response: &response}
	if page != "" {
		i.Page = &page
	}
	return i
}

func flings(responses ...float64) (list []*stats.Interaction) {
	for _, r := range responses {
		list = append(list, fling("pages/Index", r))
	}
	return list
}

func launch(process, kind string, firstFrame float64) *stats.Interaction {
	return &stats.Interaction{Kind: "launch", Scene: kind, Process: process, PID: 200, Response: &firstFrame}
}

func cut(i *stats.Interaction) *stats.Interaction {
	i.Truncated = true
	return i
}

// summary names the interactions with the numbers on both sides.
func summary(list []*InteractionPair) (lines []string) {
	for _, p := range list {
		lines = append(lines, fmt.Sprintf("%s %d→%d", p.fullTitle(), count(p.Base), count(p.New)))
	}
	return lines
}

// The same scene on the same page of the same application is a sample of each side.
func TestInteractionPairs(t *testing.T) {
	renamed := fling("pages/Index", 1)
	renamed.Process = "com.example.photos"
	short := fling("pages/Index", 1)
	short.Process = "example.gallery" // as a kernel cuts it to 15 bytes
	other := fling("pages/Index", 1)
	other.Process = "com.example.camera"
	for _, test := range []struct {
		what                string
		base, new           []*stats.Interaction
		options             Options
		both, inBase, inNew []string
	}{
		{"pages", append(flings(1, 2, 3), fling("pages/Picture", 4)), append(flings(5), fling("pages/Set", 6), fling("pages/Set", 6)), Options{},
			[]string{"com.example.gallery, APP_LIST_FLING on pages/Index 3→1"},
			[]string{"com.example.gallery, APP_LIST_FLING on pages/Picture 1→0"}, []string{"com.example.gallery, APP_LIST_FLING on pages/Set 0→2"}},
		{"a page that only one side knows", append(flings(1, 2), fling("pages/Set", 3)), []*stats.Interaction{fling("", 4)}, Options{},
			[]string{"com.example.gallery, APP_LIST_FLING 3→1"}, nil, nil},
		{"a page that is unknown once", append(flings(1, 2), fling("", 3)), flings(4), Options{},
			[]string{"com.example.gallery, APP_LIST_FLING on pages/Index 2→1"}, []string{"com.example.gallery, APP_LIST_FLING 1→0"}, nil},
		{"cut ones", append(flings(1), cut(fling("pages/Index", 2))), []*stats.Interaction{cut(fling("pages/Index", 2))}, Options{},
			[]string{"com.example.gallery, APP_LIST_FLING on pages/Index 1→0"}, nil, nil},
		{"launches", []*stats.Interaction{launch("a", "cold", 1), launch("b", "cold", 1)}, []*stats.Interaction{launch("a", "cold", 1), launch("b", "warm", 1)}, Options{},
			[]string{"a, cold launch 1→1"}, []string{"b, cold launch 1→0"}, []string{"b, warm launch 0→1"}},
		{"a name that is cut", flings(1), []*stats.Interaction{short}, Options{}, []string{"com.example.gallery, APP_LIST_FLING on pages/Index 1→1"}, nil, nil},
		{"other applications", flings(1), []*stats.Interaction{other}, Options{},
			nil, []string{"com.example.gallery, APP_LIST_FLING on pages/Index 1→0"}, []string{"com.example.camera, APP_LIST_FLING on pages/Index 0→1"}},
		{"selected", append(flings(1), other), append(flings(1), other), Options{Process: func(p *analyzer.Process) bool { return p.Name == "com.example.gallery" }},
			[]string{"com.example.gallery, APP_LIST_FLING on pages/Index 1→1"}, nil, nil},
	} {
		d := compare(t, did("base", test.base...), did("new", test.new...), test.options)
		for _, x := range []struct {
			got  []*InteractionPair
			want []string
		}{{d.Interactions, test.both}, {d.OnlyBaseInteractions, test.inBase}, {d.OnlyNewInteractions, test.inNew}} {
			if got := summary(x.got); !slices.Equal(got, x.want) {
				t.Errorf("%s: %q, want %q", test.what, got, x.want)
			}
		}
	}
	// An application that is mapped.
	new := gallery("com.example.photos", "render_service", 2, 20, func(int) int { return 5 }).side("new")
	new.Stats.Interactions = []*stats.Interaction{renamed}
	d := compare(t, did("base", flings(1)...), new, Options{Map: []Mapping{{"com.example.gallery", "com.example.photos"}}})
	if got := summary(d.Interactions); !slices.Equal(got, []string{"com.example.gallery, APP_LIST_FLING on pages/Index 1→1"}) {
		t.Errorf("mapped: %q", got)
	}
}

// oneEach returns a side of runs with one fling each.
func oneEach(name string, response ...float64) Side {
	var runs []Side
	for i, x := range response {
		runs = append(runs, did(fmt.Sprint(name, i), flings(x)...))
	}
	return Join(name, runs)
}

// Five runs against five, with a fling each. The variances are 2.5 and 12.5, the standard error of the
// difference √(7.5·2/5) = 1.73, and t = 11/1.73 = 6.35 with 8 degrees of freedom: tables have a
// p-value of 0.001 at 5.04, and of 0.0001 at 7.12.
func TestInteractionChanges(t *testing.T) {
	new := oneEach("new", 90, 91, 92, 93, 99)
	new.scenes[0] = append(new.scenes[0], cut(fling("pages/Index", 1000)))
	d := compare(t, oneEach("base", 80, 81, 82, 83, 84), new, Options{})
	p := d.Interactions[0]
	m := p.measure("response_ms")
	if !near(m.Base, 82) || !near(m.New, 93) || *m.P > 0.001 || *m.P < 0.0001 || m.Verdict != Worse || *m.Low <= 0 || worst(p.Measures) != Worse {
		t.Errorf("%s", describe(m))
	}
	if m := p.measure("hitch"); m.Base != nil || m.Verdict != NotTested || d.InteractionChanges != 1 {
		t.Errorf("%s, %d changes", describe(m), d.InteractionChanges)
	}
	if !strings.HasPrefix(d.verdict(), "worse: fling of a list on pages/Index (Response); ") {
		t.Errorf("verdict %q", d.verdict())
	}
	// Interactions of one run each are not tested, whatever their number.
	d = compare(t, did("base", append(flings(80, 90, 82, 85), launch("a", "cold", 1), launch("a", "cold", 2))...),
		did("new", append(flings(81, 83, 84, 89), launch("a", "cold", 500), launch("a", "cold", 501))...), Options{})
	if m := d.Interactions[0].measure("response_ms"); m.Verdict != NotTested {
		t.Errorf("%s", describe(m))
	}
	if m := d.Interactions[1].measure("first_frame_ms"); m.Verdict != NotTested || !near(m.Base, 1.5) || !near(m.New, 500.5) {
		t.Errorf("%s", describe(m))
	}
}

// Runs are tested, whatever the number of interactions in each: the value of a side is the mean of
// the means of its runs. That interactions of a run differ makes a change less certain.
func TestInteractionRuns(t *testing.T) {
	side := func(name string, plus float64) Side {
		var runs []Side
		for i := range 5 {
			x := 80 + plus + float64(i)
			runs = append(runs, did(fmt.Sprint(name, i), flings(slices.Repeat([]float64{x - 1, x + 1}, 1+i)...)...))
		}
		return Join(name, runs)
	}
	d := compare(t, side("base", 0), side("new", 20), Options{})
	p := d.Interactions[0]
	m := p.measure("response_ms")
	if !near(m.Base, 82) || !near(m.New, 102) || *m.P > 0.0001 || m.Verdict != Worse || count(p.Base) != 30 {
		t.Errorf("%s of %d", describe(m), count(p.Base))
	}
	// A fling in three runs only is not tested.
	few := Join("few", []Side{did("1"), did("2"), did("3", flings(1)...), did("4", flings(2)...)})
	d = compare(t, few, Join("new", []Side{did("5"), did("6", flings(9)...)}), Options{FailOn: conditions(t, "fling.response_ms>+1")})
	if o := d.Outcomes[0]; o.Status != condition.Unknown || o.Reason != "too few runs have a value; --fail-on-any compares the values" {
		t.Errorf("%+v", o)
	}
}

// At another refresh rate a frame rate means something else.
func TestInteractionRefresh(t *testing.T) {
	side := func(period int) Side {
		g := gallery("com.example.gallery", "render_service", 30, 20, func(int) int { return 5 })
		for _, f := range g.Frames {
			f.Period = trace.Duration(period) * ms
		}
		s := g.side("")
		for i := range 5 {
			x := fling("", float64(period+i))
			fps := float64(60 + i)
			x.FPS = &fps
			s.Stats.Interactions = append(s.Stats.Interactions, x)
		}
		return s
	}
	d := compare(t, repeated(2, side(8)), repeated(2, side(16)), Options{FailOn: conditions(t, "fling.fps<-1,fling.response_ms>+1")})
	if o := d.Outcomes; o[0].Reason != "not comparable, the refresh rates differ; --fail-on-any compares the values" || o[1].Status != condition.Failed {
		t.Errorf("%+v", o)
	}
}

func TestInteractionConditions(t *testing.T) {
	base := repeated(2, did("base", append(flings(80, 81, 82, 83, 84), fling("pages/Old", 80), cut(launch("a", "warm", 1)), launch("b", "cold", 1))...))
	new := repeated(2, did("new", append(flings(90, 91, 92, 93, 94), launch("a", "warm", 1), launch("c", "hot", 1))...))
	list := func(s string) condition.Conditions { return conditions(t, s) }
	for text, want := range map[string][]string{
		"fling.response_ms>+5": {"failed com.example.gallery, APP_LIST_FLING on pages/Index: fling.response_ms>+5: 82.0 → 92.0 ms, +10.0",
			"unknown com.example.gallery, APP_LIST_FLING on pages/Old: fling.response_ms>+5: the new trace has no such interaction"},
		"warm.first_frame_ms>+5": {"unknown a, warm launch: warm.first_frame_ms>+5: the base trace cuts all of them"},
		"hot.first_frame_ms>+5":  {"unknown hot.first_frame_ms>+5: the base trace has no such interaction"},
		"cold.first_frame_ms>+5": {"unknown b, cold launch: cold.first_frame_ms>+5: the new trace has no such interaction"},
		"tap.fps<-1":             {"unknown tap.fps<-1: no tap in the traces; they have APP_LIST_FLING, cold, hot and warm launches"},
		"nobody: fling.fps<-1":   {"unknown nobody: fling.fps<-1: no process with frames matches; the trace has com.example.gallery, render_service, a, b, c"},
		"render*: fling.fps<-1":  {"unknown render*: fling.fps<-1: no interactions"},
	} {
		var got []string
		for _, o := range compare(t, base, new, Options{FailOn: list(text)}).Outcomes {
			change, _, _ := strings.Cut(o.String(), " (p ")
			got = append(got, string(o.Status)+" "+change)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q, want\n%q", text, got, want)
		}
	}
	// What --process leaves out is not checked.
	o := Options{FailOn: conditions(t, "render*: fling.fps<-1"), Process: func(p *analyzer.Process) bool { return p.Name == "com.example.gallery" }}
	if d := compare(t, base, new, o); len(d.Outcomes) != 0 {
		t.Errorf("%v", d.Outcomes)
	}
	// Those of processes that are left out are named as such.
	o = Options{FailOn: conditions(t, "warm.first_frame_ms>+5"), Process: func(p *analyzer.Process) bool { return p.Name == "com.example.gallery" }}
	left := repeated(2, did("base", append(flings(80), launch("a", "warm", 1))...))
	if d := compare(t, left, left, o); len(d.Outcomes) != 1 || d.Outcomes[0].Text != "no warm launch of the selected processes, but 4 of others" {
		t.Errorf("%v", d.Outcomes)
	}
	// Without a test, values can be compared.
	d := compare(t, did("base", flings(80)...), did("new", flings(90)...), Options{Any: true, FailOn: conditions(t, "fling.response_ms>+5, jank_rate>+2%")})
	for i, o := range d.Outcomes {
		last := i == len(d.Outcomes)-1
		if last != (o.Interactions != nil) || last != (o.Pair == nil) || last != (o.Status == condition.Failed) {
			t.Errorf("%d: %+v", i, o)
		}
	}
}

// Ten flings are a row of the table. The page has all measures of the rest, too.
func TestInteractionView(t *testing.T) {
	base := repeated(5, did("base", append(flings(80, 81, 82, 83, 84), launch("a", "cold", 600), fling("pages/\x1bOld", 80))...))
	new := repeated(5, did("new", append(flings(90, 91, 92, 93, 94), launch("a", "cold", 700))...))
	d := compare(t, base, new, Options{})
	var section view.Section
	for _, b := range d.view(WriteOptions{}).Blocks {
		if s, ok := b.(view.Section); ok && s.Title == "Interactions" {
			section = s
		}
	}
	page, terminal := tables(section.Blocks, true), tables(section.Blocks, false)
	if len(page) != 3 || len(terminal) != 3 {
		t.Fatalf("%d and %d tables", len(page), len(terminal))
	}
	want := [][]string{
		{"fling of a list on pages/Index", "25 → 25", "82.0 → 92.0", "– → –", "– → –", "worse: Response"},
		{"cold launch", "5 → 5", "600.0 → 700.0", "", "", "worse: First frame"},
	}
	for i, row := range page[0].Rows {
		if got := cellTexts(row); !slices.Equal(got, want[i]) {
			t.Errorf("%q, want %q", got, want[i])
		}
	}
	// Both names are where there is room.
	if out, heading := write(t, d, "html", WriteOptions{}), "com.example.gallery, fling of a list (APP_LIST_FLING) on pages/Index"; !strings.Contains(out, heading) {
		t.Errorf("no heading %s", heading)
	}
	for _, format := range Formats {
		out := write(t, d, format, WriteOptions{Verbose: true})
		if hasNaN(out) || strings.Contains(out, "\x1b") {
			t.Errorf("%s: %s", format, out)
		}
		if only := `pages/\x1bOld" (5)`; format == "table" && !strings.Contains(strings.Join(strings.Fields(out), " "), only) {
			t.Errorf("%s is missing:\n%s", only, out)
		}
	}
	if out := write(t, compare(t, before(), after(), Options{}), "html", WriteOptions{}); strings.Contains(out, "Interactions") {
		t.Error("a page about traces without interactions has their section")
	}
}

func TestInteractionJSON(t *testing.T) {
	base := repeated(2, did("base", append(append(flings(80, 81, 82), fling("pages/Old", 80)), cut(fling("pages/Index", 1)))...))
	d := compare(t, base, repeated(2, did("new", flings(90, 91, 92)...)), Options{FailOn: conditions(t, "fling.response_ms>+5")})
	var got struct {
		Interactions []struct {
			Kind, Scene, Process, Page string
			Base, New                  struct{ Interactions, Truncated int }
			Measures                   []*Measure
		}
		Only []struct{ Kind, Scene, Process, Page string } `json:"interactions_only_in_base"`
		Test struct {
			Changes int `json:"interaction_changes"`
		}
		FailOn []struct {
			Process, Interactions *int
			Missing               string
		} `json:"fail_on"`
	}
	if err := json.Unmarshal([]byte(write(t, d, "json", WriteOptions{})), &got); err != nil {
		t.Fatal(err)
	}
	i := got.Interactions[0]
	if i.Kind != "scene" || i.Scene != "APP_LIST_FLING" || i.Process != "com.example.gallery" || i.Page != "pages/Index" || i.Base.Interactions != 6 || i.Base.Truncated != 2 || i.New.Truncated != 0 {
		t.Errorf("%+v", i)
	}
	if m := i.Measures[0]; len(i.Measures) != 10 || m.Name != "response_ms" || m.Field != "response_ms" || !near(m.Delta, 10) || math.IsNaN(*m.P) {
		t.Errorf("%d measures, %s", len(i.Measures), describe(m))
	}
	if len(got.Only) != 1 || got.Only[0].Page != "pages/Old" || got.Test.Changes != 1 {
		t.Errorf("%+v", got)
	}
	if f := got.FailOn; f[0].Process != nil || *f[0].Interactions != 0 || f[1].Interactions != nil || f[1].Missing != "com.example.gallery, APP_LIST_FLING on pages/Old" {
		t.Errorf("%+v", f)
	}
}

// The flings of made traces: with injected jank they are worse, another seed alone is not.
func TestSimulatedInteractions(t *testing.T) {
	run := func(name string, seed uint64, janky bool) Side {
		side, _ := simulated(t, name, func(c *simulate.Config) {
			demonstration := simulate.Demonstration()
			*c = demonstration
			c.Seed = seed
			if !janky {
				c.Injections = nil
			}
		})
		return side
	}
	sides := map[string]Side{}
	for name, janky := range map[string]bool{"base": false, "same": false, "janky": true} {
		var runs []Side
		for i := range 5 {
			runs = append(runs, run(fmt.Sprint(name, i), uint64(len(name)*10+i), janky))
		}
		sides[name] = Join(name, runs)
	}
	fling := func(d *Diff) *InteractionPair {
		return d.Interactions[slices.IndexFunc(d.Interactions, func(p *InteractionPair) bool { return p.Scene == "APP_LIST_FLING" })]
	}
	worse := fling(compare(t, sides["base"], sides["janky"], Options{}))
	if count(worse.Base) != 15 || count(worse.New) != 15 || worse.measure("hitch").Verdict != Worse || worse.measure("response_ms").Verdict != Unclear {
		t.Errorf("%d and %d flings, %s, %s", count(worse.Base), count(worse.New), describe(worse.measure("hitch")), describe(worse.measure("response_ms")))
	}
	for _, p := range compare(t, sides["base"], sides["same"], Options{}).Interactions {
		if worst(p.Measures).Significant() {
			t.Errorf("%s: %v", p.title(), labels(p.Measures, worst(p.Measures)))
		}
	}
}

// Without frames, interactions are compared alone. Conditions on frames cannot be checked.
func TestInteractionsWithoutFrames(t *testing.T) {
	side := func(name string, list ...*stats.Interaction) Side {
		s := (&scene{}).side(name)
		s.Stats.Interactions = list
		return s
	}
	base, new := side("base", launch("notes", "cold", 500)), side("new", launch("notes", "cold", 600))
	d := compare(t, base, new, Options{FailOn: conditions(t, "fps<-5%,launch.first_frame_ms>+50"), Any: true})
	var got []string
	for _, o := range d.Outcomes {
		got = append(got, fmt.Sprintf("%s %s", o.Status, o))
	}
	want := []string{
		"unknown fps<-5%: no process has complete frames in both traces",
		"failed notes, cold launch: launch.first_frame_ms>+50: 500.0 → 600.0 ms, +100.0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, format := range Formats {
		if out := write(t, d, format, WriteOptions{}); out == "" || hasNaN(out) {
			t.Errorf("%s:\n%s", format, out)
		}
	}
	// With three runs of each side they are tested.
	three := func(name string, ms float64) Side {
		var runs []Side
		for i := range 3 {
			runs = append(runs, side(fmt.Sprint(name, i), launch("notes", "cold", ms+float64(i))))
		}
		return Join(name, runs)
	}
	d = compare(t, three("base", 500), three("new", 600), Options{})
	if worst(d.Interactions[0].Measures) != Worse {
		t.Errorf("%s", worst(d.Interactions[0].Measures))
	}
	// Different interactions are no comparison.
	if _, err := Compare(base, side("new", launch("camera", "cold", 600)), Options{}); err == nil || err.Error() != "nothing to compare: neither trace has complete frames" {
		t.Errorf("different interactions: %v", err)
	}
}
