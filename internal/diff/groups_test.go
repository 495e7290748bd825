package diff

import (
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

// surface returns a layer whose n buffers are shown every 30 ms, each after some milliseconds in
// the queue. The ones that late selects are shown 30 ms later than that, those that dropped
// selects never. The functions may be nil.
func surface(process, name string, n int, queue trace.Duration, late, dropped func(i int) bool) *analyzer.Layer {
	l := &analyzer.Layer{Name: name, Cadences: []analyzer.Cadence{{Every: 30 * ms, Buffers: 1, Shown: 1}}}
	if process != "" {
		l.Process = &analyzer.Process{PID: 100, Name: process}
	}
	at, last := trace.Time(1000*ms), trace.Time(0)
	for i := range n {
		b := &analyzer.Buffer{Layer: l, Queued: at, Acquired: at.Add(queue * ms), Fate: analyzer.Shown, Pace: analyzer.Even}
		switch {
		case dropped != nil && dropped(i):
			b.Fate, b.Pace, b.Acquired = analyzer.Discarded, analyzer.Unpaced, 0
		case late != nil && late(i):
			at = at.Add(30 * ms)
			b.Pace = analyzer.Late
			fallthrough
		default:
			b.Present = at.Add(50 * ms)
			if last.Known() {
				b.Interval = b.Present.Sub(last)
			}
			last = b.Present
		}
		l.Buffers = append(l.Buffers, b)
		at = at.Add(30 * ms)
	}
	return l
}

func every(n int) func(int) bool { return func(i int) bool { return i%n == n-1 } }

// played returns a side of one run with layers, and with frames of other processes.
func played(name string, layers ...*analyzer.Layer) Side {
	s := did(name)
	for i, l := range layers {
		l.ID = i + 1
	}
	s.Stats.Layers = stats.Compute(&analyzer.Timeline{Layers: layers}, stats.Options{}).Layers
	return s
}

// sizes names groups with their sizes on both sides.
func sizes(list []*Group) (lines []string) {
	for _, g := range list {
		lines = append(lines, fmt.Sprintf("%s %s", g.fullTitle(), g.counts()))
	}
	return lines
}

// Interactions match by scene, page and application, layers by name and producer.
// What only one side knows does not count, nor do numbers of a layer unless all runs have the same.
func TestGroups(t *testing.T) {
	const gallery, player = "com.example.gallery", "com.example.player"
	of := func(process string, i *stats.Interaction) *stats.Interaction {
		i.Process = process
		return i
	}
	layer := func(process, name string) *analyzer.Layer { return surface(process, name, 2, 1, nil, nil) }
	interactions := func(list ...*stats.Interaction) Side { return did("", list...) }
	layers := func(list ...*analyzer.Layer) Side { return played("", list...) }
	index, list, one := gallery+", APP_LIST_FLING on pages/Index ", gallery+", APP_LIST_FLING ", fling("pages/Index", 1)
	for what, test := range map[string]struct {
		base, new           Side
		both, inBase, inNew []string
	}{
		"pages": {interactions(append(flings(1, 2, 3), fling("pages/Picture", 4))...), interactions(append(flings(5), fling("pages/Set", 6), fling("pages/Set", 6))...),
			[]string{index + "3 → 1"}, []string{list + "on pages/Picture 1 → 0"}, []string{list + "on pages/Set 0 → 2"}},
		"a page that only one side knows": {interactions(append(flings(1, 2), fling("pages/Set", 3))...), interactions(fling("", 4)), []string{list + "3 → 1"}, nil, nil},
		"a page that is unknown once":     {interactions(append(flings(1, 2), fling("", 3))...), interactions(flings(4)...), []string{index + "2 → 1"}, []string{list + "1 → 0"}, nil},
		"cut ones":                        {interactions(append(flings(1), cut(fling("pages/Index", 2)))...), interactions(cut(fling("pages/Index", 2))), []string{index + "1 → 0"}, nil, nil},
		"launches": {interactions(launch("a", "cold", 1), launch("b", "cold", 1)), interactions(launch("a", "cold", 1), launch("b", "warm", 1)),
			[]string{"a, cold launch 1 → 1"}, []string{"b, cold launch 1 → 0"}, []string{"b, warm launch 0 → 1"}},
		"a name that a kernel cuts": {interactions(one), interactions(of("example.gallery", fling("pages/Index", 1))), []string{index + "1 → 1"}, nil, nil},
		"other applications": {interactions(one), interactions(of("com.example.camera", fling("", 1))),
			nil, []string{index + "1 → 0"}, []string{"com.example.camera, APP_LIST_FLING 0 → 1"}},
		"other numbers": {layers(layer(player, "Shell_162_10aa7df View#1313_137")), layers(layer(player, "Shell_163_4bc09d1 View#7_1")),
			[]string{player + ", Shell_*_* View#*_* 2 → 2"}, nil, nil},
		"the same numbers": {layers(layer(player, "video1"), layer(player, "video2")), layers(layer(player, "video2"), layer(player, "video1"), layer(player, "video3")),
			[]string{player + ", video1 2 → 2", player + ", video2 2 → 2"}, nil, []string{player + ", video* 0 → 2"}},
		"several of a name": {layers(layer(player, "View#1"), layer(player, "View#2")), layers(layer(player, "View#3")), []string{player + ", View#* 4 → 2"}, nil, nil},
		"other processes": {layers(layer("a", "View"), layer("b", "View")), layers(layer("b", "View"), layer("c", "View")),
			[]string{"b, View 2 → 2"}, []string{"a, View 2 → 0"}, []string{"c, View 0 → 2"}},
		"a producer that only one side knows": {layers(layer(player, "View#1")), layers(layer("", "View#1")), []string{"View#* 2 → 2"}, nil, nil},
		"a producer that is unknown once":     {layers(layer(player, "View"), layer("", "View")), layers(layer(player, "View")), []string{player + ", View 2 → 2"}, []string{"View 2 → 0"}, nil},
		"a dump of SurfaceFlinger":            {layers(layer("View#1", "View#1")), layers(layer("View#2", "View#2")), []string{"View#* 2 → 2"}, nil, nil},
		"a producer that a kernel cuts":       {layers(layer(player, "View")), layers(layer(player[len(player)-15:], "View")), []string{player + ", View 2 → 2"}, nil, nil},
		"mapped": {interactions(one), func() Side {
			s := interactions(of("com.example.photos", fling("pages/Index", 1)))
			s.Stats.Processes[0].Name = "com.example.photos"
			return s
		}(), []string{index + "1 → 1"}, nil, nil},
	} {
		o := Options{}
		if what == "mapped" {
			o.Map = []Mapping{{gallery, "com.example.photos"}}
		}
		d := compare(t, test.base, test.new, o)
		var got Groups
		for _, g := range d.groups() {
			got = Groups{Both: append(got.Both, g.Both...), OnlyBase: append(got.OnlyBase, g.OnlyBase...), OnlyNew: append(got.OnlyNew, g.OnlyNew...)}
		}
		if both, inBase, inNew := sizes(got.Both), sizes(got.OnlyBase), sizes(got.OnlyNew); !slices.Equal(both, test.both) || !slices.Equal(inBase, test.inBase) || !slices.Equal(inNew, test.inNew) {
			t.Errorf("%s: %q, %q and %q", what, both, inBase, inNew)
		}
	}
	// Those of selected processes.
	side := played("", layer(player, "View"), layer("a", "View"), layer("", "Other"))
	side.Stats.Interactions = []*stats.Interaction{one, of("com.example.camera", fling("", 1))}
	d := compare(t, side, side, Options{Process: func(p *analyzer.Process) bool { return p.Name == player || p.Name == gallery }})
	must.EqualSlices(t, slices.Concat(sizes(d.Interactions.Both), sizes(d.Layers.Both)), []string{index + "1 → 1", player + ", View 2 → 2"}, "selected")
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
	new.runs[0].Stats.Interactions = append(new.runs[0].Stats.Interactions, cut(fling("pages/Index", 1000)))
	d := compare(t, oneEach("base", 80, 81, 82, 83, 84), new, Options{})
	p := d.Interactions.Both[0]
	m := p.measure("response_ms")
	if !near(m.Base, 82) || !near(m.New, 93) || *m.P > 0.001 || *m.P < 0.0001 || m.Verdict != Worse || *m.Low <= 0 || worst(p.Measures) != Worse {
		t.Errorf("%s", describe(m))
	}
	if m := p.measure("hitch"); m.Base != nil || m.Verdict != NotTested || d.Interactions.Changes != 1 {
		t.Errorf("%s, %d changes", describe(m), d.Interactions.Changes)
	}
	if !strings.HasPrefix(d.verdict(), "fling of a list on pages/Index is worse: response 82.0 → 93.0 ms.") {
		t.Errorf("verdict %q", d.verdict())
	}
	// Interactions of one run each are not tested, whatever their number.
	d = compare(t, did("base", append(flings(80, 90, 82, 85), launch("a", "cold", 1), launch("a", "cold", 2))...),
		did("new", append(flings(81, 83, 84, 89), launch("a", "cold", 500), launch("a", "cold", 501))...), Options{})
	if m := d.Interactions.Both[0].measure("response_ms"); m.Verdict != NotTested {
		t.Errorf("%s", describe(m))
	}
	if m := d.Interactions.Both[1].measure("first_frame_ms"); m.Verdict != NotTested || !near(m.Base, 1.5) || !near(m.New, 500.5) {
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
	p := d.Interactions.Both[0]
	m := p.measure("response_ms")
	if !near(m.Base, 82) || !near(m.New, 102) || *m.P > 0.0001 || m.Verdict != Worse || p.Base.Items != 30 {
		t.Errorf("%s of %d", describe(m), p.Base.Items)
	}
	// A fling in three runs only is not tested.
	few := Join("few", []Side{did("1"), did("2"), did("3", flings(1)...), did("4", flings(2)...)})
	d = compare(t, few, Join("new", []Side{did("5"), did("6", flings(9)...)}), Options{FailOn: conditions(t, "fling.response_ms>+1")})
	if o := d.Outcomes[0]; o.Status != condition.Unknown || o.Reason != "too few runs have a value" {
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
	if o := d.Outcomes; o[0].Reason != "not comparable, the refresh rates differ" || o[1].Status != condition.Failed {
		t.Errorf("%+v", o)
	}
}

// Values of runs are those of all their layers with the name.
func TestLayerChanges(t *testing.T) {
	smooth, rough := surface("a", "View#1", 300, 10, every(100), nil), surface("a", "View#2", 300, 20, every(5), every(3))
	// A third is dropped. Of the others those with i%5 == 4 are late: 40 of 200.
	d := compare(t, repeated(3, played("base", smooth)), repeated(3, played("new", rough)), Options{})
	p := d.Layers.Both[0]
	for name, want := range map[string]struct {
		base, new float64
		verdict   Verdict
	}{
		"late": {3. / 300, 40. / 200, Worse}, "uneven": {3. / 300, 40. / 200, Worse}, "dropped": {0, 100. / 300, Worse},
		"queue_p50_ms": {10, 20, Worse},
		"queue_p95_ms": {10, 20, Worse},
		"longest_ms":   {60, 90, NotTested}, // a late one after one that was dropped
		// 299 gaps, three of them 30 ms longer. The last buffer is dropped, and the first is not:
		// from 0 to 298 there are 199 gaps, and 40 delays.
		"fps": {299 / (.03 * 302), 199 / (.03 * (298 + 40)), Worse},
	} {
		m := p.measure(name)
		if !near(m.Base, want.base) || !near(m.New, want.new) || m.Verdict != want.verdict {
			t.Errorf("%s, want %+v", describe(m), want)
		}
		if m.P != nil && (math.Abs(*m.Low+*m.High-2**m.Delta) > 1e-9 || *m.Low > *m.High || *m.P > significance.Level) {
			t.Errorf("%s", describe(m))
		}
	}
	must.Equal(t, d.Layers.Changes, 6, "changes")
	if want := "View#* is worse: FPS 33.0 → 19.6, uneven rate 1.0 % → 20.0 %, late rate 1.0 % → 20.0 %, 3 more."; !strings.HasPrefix(d.verdict(), want) {
		t.Errorf("verdict %q, want %q", d.verdict(), want)
	}
	// The same with late buffers at other places is no change.
	other := surface("a", "View#3", 300, 10, func(i int) bool { return i%100 == 9 }, nil)
	d = compare(t, repeated(3, played("base", smooth)), repeated(3, played("new", other)), Options{})
	if m := d.Layers.Both[0].measure("late"); m.Verdict != Unclear || *m.P != 1 {
		t.Errorf("%s", describe(m))
	}
}

// Conditions apply to the groups that they name, and cannot be checked for what a side lacks or cuts.
func TestGroupConditions(t *testing.T) {
	plain := surface("a", "panel", 30, 1, nil, nil)
	plain.Cadences = nil
	again := *plain
	base := played("base", surface("a", "View#1", 300, 10, nil, nil), surface("a", "old", 30, 1, nil, nil), plain)
	new := played("new", surface("a", "View#2", 300, 20, nil, nil), surface("a", "young", 30, 1, nil, nil), &again)
	base.Stats.Interactions = append(flings(80, 81, 82, 83, 84), fling("pages/Old", 80), cut(launch("a", "warm", 1)), launch("b", "cold", 1))
	new.Stats.Interactions = append(flings(90, 91, 92, 93, 94), launch("a", "warm", 1), launch("c", "hot", 1))
	base, new = repeated(2, base), repeated(2, new)
	only := func(name string) func(*analyzer.Process) bool {
		return func(p *analyzer.Process) bool { return p.Name == name }
	}
	for _, test := range []struct {
		conditions string
		selected   func(*analyzer.Process) bool
		want       []string
	}{
		{"fling.response_ms>+5", nil, []string{"failed com.example.gallery, APP_LIST_FLING on pages/Index: fling.response_ms>+5: 82.0 → 92.0 ms, +10.0",
			"unknown com.example.gallery, APP_LIST_FLING on pages/Old: fling.response_ms>+5: the new trace has no such interaction"}},
		{"warm.first_frame_ms>+5", nil, []string{"unknown a, warm launch: warm.first_frame_ms>+5: the base trace cuts all of them"}},
		{"hot.first_frame_ms>+5", nil, []string{"unknown hot.first_frame_ms>+5: the base trace has no such interaction"}},
		{"cold.first_frame_ms>+5", nil, []string{"unknown b, cold launch: cold.first_frame_ms>+5: the new trace has no such interaction"}},
		{"tap.fps<-1", nil, []string{"unknown tap.fps<-1: no tap in the traces; they have APP_LIST_FLING, cold, hot and warm launches"}},
		{"nobody: fling.fps<-1", nil, []string{"unknown nobody: fling.fps<-1: no process with frames matches; the trace has com.example.gallery, render_service, a, b, c"}},
		{"render*: fling.fps<-1", nil, []string{"unknown render*: fling.fps<-1: no interactions"}},
		{"layer.queue_p50_ms>+5", nil, []string{"failed a, View#*: layer.queue_p50_ms>+5: 10.0 → 20.0 ms, +10.0", "unknown a, old: layer.queue_p50_ms>+5: the new trace has no such layer"}},
		{"layer(view).queue_p95_ms>+5", nil, []string{"failed a, View#*: layer(view).queue_p95_ms>+5: 10.0 → 20.0 ms, +10.0"}},
		{"layer(panel).gpu_p50_ms>+5", nil, []string{"unknown a, panel: layer(panel).gpu_p50_ms>+5: unknown in both traces"}},
		{"layer(young).fps<-1", nil, []string{"unknown layer(young).fps<-1: the base trace has no such layer"}},
		{"layer(none).fps<-1", nil, []string{"unknown layer(none).fps<-1: no layer in the traces has this name; they have View#1, old, panel, View#2, 1 more"}},
		{"render*: layer.fps<-1", nil, []string{"unknown render*: layer.fps<-1: no layer of render* in the traces"}},
		// What --process leaves out is named as such.
		{"render*: fling.fps<-1", only("com.example.gallery"), []string{"unknown render*: fling.fps<-1: not among the selected processes"}},
		{"a: layer.fps<-1", only("render_service"), []string{"unknown a: layer.fps<-1: not among the selected processes"}},
		{"a: fps<-1", only("render_service"), []string{"unknown a: fps<-1: not among the selected processes"}},
		{"cold.first_frame_ms>+5", only("com.example.gallery"), []string{"unknown cold.first_frame_ms>+5: no cold launch of the selected processes, but 2 of others"}},
	} {
		d := compare(t, base, new, Options{FailOn: conditions(t, test.conditions), Process: test.selected})
		var got []string
		for _, o := range d.Outcomes {
			change, _, _ := strings.Cut(o.String(), " (p ")
			got = append(got, string(o.Status)+" "+change)
		}
		must.EqualSlices(t, got, test.want, "%s", test.conditions)
	}
}

// A table has a row for each group with its main measures, whose cells follow from the kind.
func TestGroupTables(t *testing.T) {
	side := func(name string, plus float64, late int) Side {
		s := played(name, surface("a", fmt.Sprint("View#", late), 300, 10, every(late), nil), surface("", "panel", 4, 1, nil, nil), surface("", "\x1b"+name+" X", 3, 1, nil, nil))
		s.Stats.Interactions = append(flings(80+plus, 81+plus, 82+plus, 83+plus, 84+plus), launch("a", "cold", 600+10*plus))
		if name == "base" {
			s.Stats.Interactions = append(s.Stats.Interactions, fling("pages/\x1bOld", 80))
		}
		return repeated(5, s)
	}
	d := compare(t, side("base", 0, 100), side("new", 10, 4), Options{})
	var got []string
	for _, g := range d.groups() {
		for _, row := range g.table(g.worstFirst()).Rows {
			got = append(got, strings.Join(append(cellTexts(row), row.Cells[0].About), " | "))
		}
	}
	want := []string{ // of the layer: 299 gaps in 302 and in 374 intervals of 30 ms; the first of 75 late buffers is the fourth
		"fling of a list on pages/Index | 25 → 25 | 82.0 → 92.0 | – → – | – → – | worse: Response | com.example.gallery",
		"cold launch | 5 → 5 | 600.0 → 700.0 |  |  | worse: First frame | a",
		"View#* | 1500 → 1500 | 33.0 → 26.6 | 1.0 % → 25.0 % | 1.0 % → 25.0 % | 0 % → 0 % | 10.0 → 10.0 | worse: FPS, Uneven rate, Late rate | a",
		"panel | 20 → 20 | 33.3 → 33.3 | 0 % → 0 % | 0 % → 0 % | 0 % → 0 % | – → – | not significant | ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	must.Equal(t, d.Interactions.Both[0].heading(), "com.example.gallery, fling of a list (APP_LIST_FLING) on pages/Index", "heading")
	for _, format := range Formats {
		out := write(t, d, format, WriteOptions{Verbose: true})
		if hasNaN(out) || strings.Contains(out, "\x1b") {
			t.Errorf("%s: %s", format, out)
		}
		for _, shown := range []string{`pages/\x1bOld" (5)`, "worse: First frame", "worse: FPS, Uneven rate"} {
			if format == "table" && !strings.Contains(strings.Join(strings.Fields(out), " "), shown) {
				t.Errorf("%s is missing:\n%s", shown, out)
			}
		}
	}
	if out := write(t, compare(t, before(), after(), Options{}), "html", WriteOptions{}); strings.Contains(out, "Interactions") || strings.Contains(out, "Layers") {
		t.Error("a page about traces without interactions and layers has their sections")
	}
}

// Without frames, groups are compared alone. Conditions on frames cannot be checked.
func TestOnlyGroups(t *testing.T) {
	side := func(name string, plus float64) Side {
		s := played(name, surface("a", "View", 300, trace.Duration(plus), nil, nil))
		s.Stats.Processes, s.Stats.Interactions = nil, []*stats.Interaction{launch("notes", "cold", 500+10*plus)}
		return s
	}
	d := compare(t, repeated(3, side("base", 10)), repeated(3, side("new", 20)), Options{FailOn: conditions(t, "fps<-5%, layer.queue_p50_ms>+1, launch.first_frame_ms>+50")})
	var got []string
	for _, o := range d.Outcomes {
		got = append(got, fmt.Sprintf("%s %s", o.Status, o.Condition))
	}
	if want := []string{"unknown fps<-5%", "failed launch.first_frame_ms>+50", "failed layer.queue_p50_ms>+1"}; !slices.Equal(got, want) || d.Outcomes[0].Text != "no process has complete frames in both traces" {
		t.Errorf("%q: %s, want %q", got, d.Outcomes[0].Text, want)
	}
	must.Equal(t, d.verdict(), "cold launch is worse: first frame 600.0 → 700.0 ms. Also worse: View (Queue P50, Queue P95)")
	for _, format := range Formats {
		out := write(t, d, format, WriteOptions{})
		if out == "" || hasNaN(out) || format == "table" && !strings.Contains(out, "Only interactions and layers are compared: no process has complete frames in both traces") {
			t.Errorf("%s:\n%s", format, out)
		}
	}
	// Different interactions are no comparison.
	base, new := (&scene{}).side("base"), (&scene{}).side("new")
	base.Stats.Interactions, new.Stats.Interactions = []*stats.Interaction{launch("notes", "cold", 500)}, []*stats.Interaction{launch("camera", "cold", 600)}
	if _, err := Compare(base, new, Options{}); err == nil || err.Error() != "nothing to compare: neither trace has complete frames" {
		t.Errorf("different interactions: %v", err)
	}
	if _, err := Compare(side("base", 1), Side{Name: "new", Stats: &stats.Report{}}, Options{}); err == nil {
		t.Error("a side without anything is compared")
	}
}

// If only one side has the fences of buffers, frames that are late on the GPU are known on one
// side, which a warning says.
func TestFencesOnOneSide(t *testing.T) {
	side := func(name string, fences, late bool) Side {
		s := gallery("game", "render_service", 40, 20, func(int) int { return 9 })
		l := surface("game", "gameSurface", 40, 10, nil, nil)
		for i, f := range s.Frames {
			if f.Kind != analyzer.ApplicationFrame {
				continue
			}
			f.Framework = analyzer.NativeVsync
			if late && i == 4 {
				f.Facts |= analyzer.GPULate
			}
		}
		for _, b := range l.Buffers {
			if fences {
				b.Ready = b.Queued.Add(ms)
			}
		}
		l.Process = s.Processes[0]
		s.Layers = []*analyzer.Layer{l}
		return s.side(name)
	}
	const said = "Jank is not comparable, because only %s says when the GPU was done, and which frames were late on it: game"
	for _, c := range []struct {
		base, new Side
		only      string
	}{
		{side("base", false, false), side("new", true, true), "new"},
		{side("base", true, true), side("new", false, false), "base"},
		{side("base", true, false), side("new", true, true), ""},
		{side("base", false, false), side("new", true, false), ""},
	} {
		warnings := compare(t, c.base, c.new, Options{}).view(WriteOptions{}).Warnings
		if c.only == "" && strings.Contains(fmt.Sprint(warnings), "Jank") || c.only != "" && !slices.Contains(warnings, fmt.Sprintf(said, c.only)) {
			t.Errorf("%q: %q", c.only, warnings)
		}
	}
}
