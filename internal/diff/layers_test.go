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
	"ohframe/internal/significance"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

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

func layerSummary(list []*LayerPair) (lines []string) {
	for _, p := range list {
		lines = append(lines, fmt.Sprintf("%s: %d layers %s", p.fullTitle(), count(p.Base)+count(p.New), p.counts()))
	}
	return lines
}

// Layers match by producer and name. Their numbers count only if all runs have the same.
func TestLayerPairs(t *testing.T) {
	layer := func(process, name string) *analyzer.Layer { return surface(process, name, 2, 1, nil, nil) }
	list := func(layers ...*analyzer.Layer) []*analyzer.Layer { return layers }
	const app = "com.example.player"
	for _, test := range []struct {
		what                string
		base, new           []*analyzer.Layer
		options             Options
		both, inBase, inNew []string
	}{
		{"other numbers", list(layer(app, "Shell_162_10aa7df View#1313_137")), list(layer(app, "Shell_163_4bc09d1 View#7_1")), Options{},
			[]string{app + ", Shell_*_* View#*_*: 2 layers 2 → 2"}, nil, nil},
		{"the same numbers", list(layer(app, "video1"), layer(app, "video2")), list(layer(app, "video2"), layer(app, "video1"), layer(app, "video3")), Options{},
			[]string{app + ", video1: 2 layers 2 → 2", app + ", video2: 2 layers 2 → 2"}, nil, []string{app + ", video*: 1 layers 0 → 2"}},
		{"several of a name", list(layer(app, "View#1"), layer(app, "View#2")), list(layer(app, "View#3")), Options{},
			[]string{app + ", View#*: 3 layers 4 → 2"}, nil, nil},
		{"other processes", list(layer("a", "View"), layer("b", "View")), list(layer("b", "View"), layer("c", "View")), Options{},
			[]string{"b, View: 2 layers 2 → 2"}, []string{"a, View: 1 layers 2 → 0"}, []string{"c, View: 1 layers 0 → 2"}},
		{"a producer that only one side knows", list(layer(app, "View#1")), list(layer("", "View#1")), Options{},
			[]string{"View#*: 2 layers 2 → 2"}, nil, nil},
		{"a producer that is unknown once", list(layer(app, "View"), layer("", "View")), list(layer(app, "View")), Options{},
			[]string{app + ", View: 2 layers 2 → 2"}, []string{"View: 1 layers 2 → 0"}, nil},
		{"a dump of SurfaceFlinger", list(layer("View#1", "View#1")), list(layer("View#2", "View#2")), Options{},
			[]string{"View#*: 2 layers 2 → 2"}, nil, nil},
		{"a name that is cut", list(layer(app, "View")), list(layer(app[len(app)-15:], "View")), Options{},
			[]string{app + ", View: 2 layers 2 → 2"}, nil, nil},
		{"selected", list(layer(app, "View"), layer("a", "View"), layer("", "Other")), list(layer(app, "View"), layer("a", "View"), layer("", "Other")),
			Options{Process: func(p *analyzer.Process) bool { return p.Name == app }},
			[]string{app + ", View: 2 layers 2 → 2"}, nil, nil},
	} {
		if test.options.Process != nil { // there are frames of other processes only
			test.options.Process = func(p *analyzer.Process) bool { return p.Name == app || p.Name == "com.example.gallery" }
		}
		d := compare(t, played("base", test.base...), played("new", test.new...), test.options)
		for _, x := range []struct {
			got  []*LayerPair
			want []string
		}{{d.Layers, test.both}, {d.OnlyBaseLayers, test.inBase}, {d.OnlyNewLayers, test.inNew}} {
			if got := layerSummary(x.got); !slices.Equal(got, x.want) {
				t.Errorf("%s: %q, want %q", test.what, got, x.want)
			}
		}
	}
	new := played("new", layer("com.example.photos", "View"))
	new.Stats.Processes[0].Name = "com.example.photos"
	d := compare(t, played("base", layer("com.example.gallery", "View")), new, Options{Map: []Mapping{{"com.example.gallery", "com.example.photos"}}})
	if got := layerSummary(d.Layers); !slices.Equal(got, []string{"com.example.gallery, View: 2 layers 2 → 2"}) {
		t.Errorf("mapped: %q", got)
	}
}

// Values of runs are those of all their layers with the name.
func TestLayerChanges(t *testing.T) {
	smooth, rough := surface("a", "View#1", 300, 10, every(100), nil), surface("a", "View#2", 300, 20, every(5), every(3))
	// A third is dropped. Of the others those with i%5 == 4 are late: 40 of 200.
	d := compare(t, repeated(3, played("base", smooth)), repeated(3, played("new", rough)), Options{})
	p := d.Layers[0]
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
	if d.LayerChanges != 6 {
		t.Errorf("%d changes", d.LayerChanges)
	}
	if want := "worse: View#* (FPS, Uneven rate, Late rate, Dropped rate, Queue P50, Queue P95); "; !strings.HasPrefix(d.verdict(), want) {
		t.Errorf("verdict %q, want %q", d.verdict(), want)
	}
	// The same with late buffers at other places is no change.
	other := surface("a", "View#3", 300, 10, func(i int) bool { return i%100 == 9 }, nil)
	d = compare(t, repeated(3, played("base", smooth)), repeated(3, played("new", other)), Options{})
	if m := d.Layers[0].measure("late"); m.Verdict != Unclear || *m.P != 1 {
		t.Errorf("%s", describe(m))
	}
}

// A side's value is the mean of its runs'.
func TestLayerRuns(t *testing.T) {
	side := func(name string, queue trace.Duration) Side {
		var runs []Side
		for i := range 5 {
			var layers []*analyzer.Layer
			for k := range 1 + i%2 {
				layers = append(layers, surface("a", fmt.Sprint("View#", 10*i+k), 30, queue+trace.Duration(i), nil, nil))
			}
			runs = append(runs, played(fmt.Sprint(name, i), layers...))
		}
		return Join(name, runs)
	}
	d := compare(t, side("base", 5), side("new", 15), Options{FailOn: conditions(t, "layer.queue_p95_ms>+5, layer.longest_ms>+1")})
	p := d.Layers[0]
	if m := p.measure("queue_p95_ms"); !near(m.Base, 7) || !near(m.New, 17) || !near(m.P, 2./252) || m.Verdict != Worse || count(p.Base) != 7 {
		t.Errorf("%s of %d layers", describe(m), count(p.Base))
	}
	if o := d.Outcomes; len(o) != 2 || o[0].Status != condition.Failed || o[1].Status != condition.Passed {
		t.Errorf("%+v", o)
	}
	few := Join("few", []Side{played("1"), played("2"), played("3", surface("a", "View#1", 30, 9, nil, nil)), played("4")})
	d = compare(t, few, Join("new", []Side{played("1"), played("2", surface("a", "View#1", 30, 9, nil, nil))}), Options{FailOn: conditions(t, "layer.fps<-1")})
	if o := d.Outcomes[0]; o.Reason != "too few runs have a value; --fail-on-any compares the values" {
		t.Errorf("%+v", o)
	}
}

func TestLayerConditions(t *testing.T) {
	plain := surface("a", "panel", 30, 1, nil, nil)
	plain.Cadences = nil
	base := repeated(2, played("base", surface("a", "View#1", 300, 10, nil, nil), surface("a", "old", 30, 1, nil, nil), plain))
	again := *plain
	new := repeated(2, played("new", surface("a", "View#2", 300, 20, nil, nil), surface("a", "young", 30, 1, nil, nil), &again))
	for text, want := range map[string][]string{
		"layer.queue_p50_ms>+5": {"failed a, View#*: layer.queue_p50_ms>+5: 10.0 → 20.0 ms, +10.0",
			"unknown a, old: layer.queue_p50_ms>+5: the new trace has no such layer"},
		"layer(view).queue_p95_ms>+5": {"failed a, View#*: layer(view).queue_p95_ms>+5: 10.0 → 20.0 ms, +10.0"},
		"layer(panel).gpu_p50_ms>+5":  {"unknown a, panel: layer(panel).gpu_p50_ms>+5: unknown in both traces"},
		"layer(young).fps<-1":         {"unknown layer(young).fps<-1: the base trace has no such layer"},
		"layer(none).fps<-1":          {"unknown layer(none).fps<-1: no layer in the traces has this name; they have View#1, old, panel, View#2, 1 more"},
		"nobody: layer.fps<-1":        {"unknown nobody: layer.fps<-1: no process with frames matches; the trace has com.example.gallery, render_service, a"},
		"render*: layer.fps<-1":       {"unknown render*: layer.fps<-1: no layer of render* in the traces"},
		"fling.fps<-1":                {"unknown fling.fps<-1: no interactions"},
	} {
		var got []string
		for _, o := range compare(t, base, new, Options{FailOn: conditions(t, text)}).Outcomes {
			change, _, _ := strings.Cut(o.String(), " (p ")
			got = append(got, string(o.Status)+" "+change)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q, want\n%q", text, got, want)
		}
	}
	o := Options{FailOn: conditions(t, "a: layer.fps<-1"), Process: func(p *analyzer.Process) bool { return p.Name == "render_service" }}
	if d := compare(t, base, new, o); len(d.Outcomes) != 0 {
		t.Errorf("%v", d.Outcomes)
	}
}

func TestLayerView(t *testing.T) {
	side := func(name string, late int) Side {
		return played(name, surface("a", fmt.Sprint("View#", late), 300, 10, every(late), nil), surface("", "panel", 4, 1, nil, nil), surface("", "\x1b"+name+" X", 3, 1, nil, nil))
	}
	d := compare(t, repeated(3, side("base", 100)), repeated(3, side("new", 4)), Options{})
	var section view.Section
	for _, b := range d.view(WriteOptions{}).Blocks {
		if s, ok := b.(view.Section); ok && s.Title == "Layers" {
			section = s
		}
	}
	page, terminal := tables(section.Blocks, true), tables(section.Blocks, false)
	if len(page) != 3 || len(terminal) != 2 {
		t.Fatalf("%d and %d tables", len(page), len(terminal))
	}
	want := [][]string{ // 299 gaps in 302 and in 374 intervals of 30 ms; the first of 75 late buffers is the fourth
		{"View#*", "900 → 900", "33.0 → 26.6", "1.0 % → 25.0 %", "1.0 % → 25.0 %", "0 % → 0 %", "10.0 → 10.0", "worse: FPS, Uneven rate, Late rate"},
		{"panel", "12 → 12", "33.3 → 33.3", "0 % → 0 %", "0 % → 0 %", "0 % → 0 %", "– → –", "not significant"},
	}
	for i, row := range page[0].Rows {
		if got := cellTexts(row); !slices.Equal(got, want[i]) {
			t.Errorf("%q, want %q", got, want[i])
		}
	}
	for _, format := range Formats {
		out := write(t, d, format, WriteOptions{Verbose: true})
		if hasNaN(out) || strings.Contains(out, "\x1b") {
			t.Errorf("%s: %s", format, out)
		}
	}
	if out := write(t, compare(t, before(), after(), Options{}), "html", WriteOptions{}); strings.Contains(out, "Layers") {
		t.Error("a page about traces without layers has their section")
	}
}

func TestLayerJSON(t *testing.T) {
	base := repeated(2, played("base", surface("a", "View#1", 30, 10, nil, nil), surface("", "old", 1, 1, nil, nil)))
	d := compare(t, base, repeated(2, played("new", surface("a", "View#2", 40, 20, nil, nil), surface("a", "View#3", 2, 20, nil, nil))), Options{FailOn: conditions(t, "layer.fps<-1")})
	var got struct {
		Layers []struct {
			Name, Process string
			Base, New     struct{ Layers, Buffers int }
			Measures      []*Measure
		}
		Only []struct {
			Name    string
			Process *string
		} `json:"layers_only_in_base"`
		Test struct {
			Changes int `json:"layer_changes"`
		}
		FailOn []struct {
			Process, Interactions, Layers *int
			Missing                       string
		} `json:"fail_on"`
	}
	if err := json.Unmarshal([]byte(write(t, d, "json", WriteOptions{})), &got); err != nil {
		t.Fatal(err)
	}
	l := got.Layers[0]
	if l.Name != "View#*" || l.Process != "a" || l.Base.Layers != 2 || l.New.Layers != 4 || l.Base.Buffers != 60 || l.New.Buffers != 84 || len(l.Measures) != len(stats.LayerMeasures) || l.Measures[1].Field != "uneven_rate" {
		t.Errorf("%+v", l)
	}
	if len(got.Only) != 1 || got.Only[0].Name != "old" || got.Only[0].Process != nil || got.Test.Changes != 6 {
		t.Errorf("%+v", got)
	}
	if f := got.FailOn; f[0].Process != nil || f[0].Interactions != nil || *f[0].Layers != 0 || f[1].Layers != nil || f[1].Missing != "old" {
		t.Errorf("%+v", f)
	}
}

// Traces without frames of processes are compared by their layers.
func TestOnlyLayers(t *testing.T) {
	side := func(name string, queue trace.Duration) Side {
		s := played(name, surface("a", "View", 300, queue, nil, nil))
		s.Stats.Processes = nil
		return s
	}
	d := compare(t, repeated(2, side("base", 10)), repeated(2, side("new", 20)), Options{FailOn: conditions(t, "layer.queue_p50_ms>+1")})
	if d.verdict() != "worse: View (Queue P50, Queue P95); 1 layer compared, no frames" || d.Outcomes[0].Status != condition.Failed {
		t.Errorf("%s, %+v", d.verdict(), d.Outcomes)
	}
	if out := write(t, d, "table", WriteOptions{}); !strings.Contains(out, "Only layers are compared: no process has complete frames in both traces") {
		t.Error(out)
	}
	if _, err := Compare(side("base", 1), Side{Name: "new", Stats: &stats.Report{}}, Options{}); err == nil {
		t.Error("a side without layers and frames is compared")
	}
}

// A made video of 30 frames a second with late buffers is worse than without; the same at other
// times is not.
func TestSimulatedLayers(t *testing.T) {
	side := func(name string, late bool) Side {
		var runs []Side
		for i := range 5 {
			run, _ := simulated(t, name, func(c *simulate.Config) {
				*c = simulate.Playback(90, 30)
				c.Seed = uint64(len(name)*10 + i)
				for k := 5 + i; late && k < 55; k += 5 {
					c.Layers[0].Troubles = append(c.Layers[0].Troubles, simulate.Trouble{Buffer: k, Kind: simulate.TroubleWork, Length: 20 * ms})
				}
			})
			runs = append(runs, run)
		}
		return Join(name, runs)
	}
	base := side("base", false)
	p := compare(t, base, side("late runs", true), Options{}).Layers[0]
	if m := p.measure("late"); p.Name != "playerSurface" || count(p.Base) != 5 || m.Verdict != Worse || *m.New < .1 || *m.New > .25 {
		t.Errorf("%s: %s", p.fullTitle(), describe(m))
	}
	if m := p.measure("fps"); math.Abs(*m.Base-30) > .5 {
		t.Error(describe(m))
	}
	for _, m := range compare(t, base, side("same", false), Options{}).Layers[0].Measures {
		if m.Verdict.Significant() {
			t.Errorf("of equal runs: %s", describe(m))
		}
	}
}

// The first line counts layers, too. A terminal leaves out a process without changes, a page
// shows it.
func TestUnchanged(t *testing.T) {
	side := func() Side {
		return played("a", surface("a", "View", 300, 10, every(40), nil), surface("b", "panel", 4, 1, nil, nil))
	}
	d := compare(t, side(), side(), Options{})
	if got, want := d.verdict(), "one run each: changes are not tested"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	one := Join("runs", []Side{side(), side(), side()})
	d = compare(t, one, one, Options{})
	if got, want := d.verdict(), "no significant change in 2 layers; 2 processes not tested: too few frames"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	rule := text.Process(d.Pairs[0].Base) + " · application"
	for verbose, want := range map[bool]bool{true: true, false: false} {
		if out := write(t, d, "table", WriteOptions{Verbose: verbose}); strings.Contains(out, rule) != want {
			t.Errorf("verbose %v:\n%s", verbose, out)
		}
	}
	if out := write(t, d, "html", WriteOptions{}); !strings.Contains(out, `id="pair-0"`) {
		t.Error("the page lacks a process")
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
