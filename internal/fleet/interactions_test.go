package fleet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/diff"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/text"
)

// used writes traces of what users did: two of each version. The flings of version 2 answer
// 100 ms later.
func used(t *testing.T) []Input {
	t.Helper()
	contents := map[string]string{}
	for version := range 2 {
		for seed := range uint64(2) {
			c := simulate.Demonstration()
			c.Seed = 10*uint64(version) + seed + 1
			for i := range c.Interactions {
				if c.Interactions[i].Scene == "APP_LIST_FLING" {
					c.Interactions[i].Delay += trace.Duration(version) * 100 * trace.Millisecond
				}
			}
			var b bytes.Buffer
			must.Get(simulate.Write(&b, c))(t)
			contents[fmt.Sprintf("version=%d/%d.ftrace", version+1, seed)] = b.String()
		}
	}
	return find(t, folder(t, contents))
}

// The groups of a fleet by scene and page have the numbers of the reports of its traces. Groups of frames are those without interactions.
func TestInteractions(t *testing.T) {
	inputs, dir := used(t), t.TempDir()
	run(t, &Runner{Dir: dir}, inputs, Options{Read: withCauses, Shards: 2})
	type sum struct {
		responses    []float64
		frames, late int
	}
	want := map[string]*sum{}
	for _, in := range inputs {
		f := must.Get(Files{}.Open(t.Context(), in.Name))(t)
		read, err := ohframe.Read(t.Context(), f, ohframe.Options{})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range stats.Compute(read.Timeline, stats.Options{}).Interactions {
			page := text.Unknown
			if i.Page != nil {
				page = *i.Page
			}
			key := fmt.Sprint(i.Scene, " ", page, " ", strings.TrimPrefix(filepath.Base(filepath.Dir(in.Name)), "version="))
			s := want[key]
			if s == nil {
				s = &sum{}
				want[key] = s
			}
			s.responses = append(s.responses, *i.Response)
			s.frames, s.late = s.frames+*i.Frames, s.late+*i.Late
		}
	}
	d := opened(t, dir)
	groups, _ := must.Get2(d.groups(t.Context(), Query{By: []string{"scene", "page", "version"}}))(t)
	if len(groups) != len(want) || len(want) != 10 {
		t.Fatalf("%d groups, want %d", len(groups), len(want))
	}
	for _, g := range groups {
		name := strings.ReplaceAll(groupText(g.Key), " · ", " ")
		w := want[name]
		if w == nil {
			t.Errorf("%s is not in the traces", name)
			continue
		}
		slices.Sort(w.responses)
		median := stats.Percentile(w.responses, 50)
		got := g.Value("response_p50_ms")
		if g.Rows != len(w.responses) || g.Sum("frames") != int64(w.frames) || g.Sum("late") != int64(w.late) || got == nil || math.Abs(*got-median) > 0.008*median {
			t.Errorf("%s: %d interactions, %d frames, %d late, response %v; want %d, %d, %d, %g", name, g.Rows, g.Sum("frames"), g.Sum("late"), got, len(w.responses), w.frames, w.late, median)
		}
		if g.Value("response_p95_ms") != nil {
			t.Errorf("%s: P95 of %d", name, g.Rows)
		}
	}
	frames, _ := must.Get2(d.groups(t.Context(), Query{By: []string{"kind"}}))(t)
	for _, g := range frames {
		if *g.Key[0] != "app" && *g.Key[0] != "render" || g.Value("response_p50_ms") != nil {
			t.Errorf("a group of frames by kind %s", *g.Key[0])
		}
	}
}

// flung returns rows of traces with some flings each, which answer after about so many
// milliseconds.
func flung(traces, flings int, response float64) (rows []Row) {
	page, device := "pages/Index", "phone"
	for i := range traces {
		for k := range flings {
			ns := int64((response + float64(i%5+k%3)) * 1e6)
			rows = append(rows, Row{
				Trace: fmt.Sprint("trace ", i), Kind: "scene", Process: "gallery", Scene: "APP_LIST_FLING", Page: &page, Response: &ns, Dims: []*string{&device, nil}, Interaction: int64(k + 1),
			})
		}
	}
	return rows
}

// A comparison by scene tests responses of traces: medians of any number of interactions, P95
// of 20. Its values are those of the rows, within the width of a bucket.
func TestCompareInteractions(t *testing.T) {
	o := CompareOptions{Query: Query{By: []string{"scene", "page"}}, Unit: "trace"}
	for _, test := range []struct {
		flings int
		tested []string
	}{{3, []string{"response_p50_ms"}}, {20, []string{"response_p50_ms", "response_p95_ms"}}} {
		c := must.Get(Compare(t.Context(), dataset(t, flung(12, test.flings, 80)), dataset(t, flung(15, test.flings, 120)), o))(t)
		if len(c.Tables[0].Pairs) != 1 || groupText(c.Tables[0].Pairs[0].Key) != "APP_LIST_FLING · pages/Index · gallery" || c.Tables[0].Pairs[0].Units != [2]int{12, 15} {
			t.Fatalf("%d pairs, %v units", len(c.Tables[0].Pairs), c.Tables[0].Pairs[0].Units)
		}
		var tested []string
		for _, m := range c.Tables[0].Pairs[0].Changes {
			if m.P != nil {
				tested = append(tested, m.Name)
				// A trace adds 0 to 4 ms, a fling 0 to 2: 12 traces 1.83 on average, 15 traces 2.
				if m.Verdict != diff.Worse || math.Abs(*m.Base-83) > 2 || math.Abs(*m.Delta-40) > 1.5 {
					t.Errorf("%s: %g to %g, %s", m.Name, *m.Base, *m.New, m.Verdict)
				}
			}
		}
		if !slices.Equal(tested, test.tested) {
			t.Errorf("%d flings in a trace: %q are tested, want %q", test.flings, tested, test.tested)
		}
		for _, format := range Formats {
			var b bytes.Buffer
			if err := c.Write(&b, format, text.Style{}); err != nil || !strings.Contains(b.String(), "response_p50_ms") && !strings.Contains(b.String(), "Response P50") {
				t.Errorf("%s: %v\n%s", format, err, b.String())
			}
		}
	}
	// A scene that only one version has.
	c, err := Compare(t.Context(), dataset(t, flung(12, 3, 80)), dataset(t, nil), o)
	if err != nil || len(c.Tables[0].OnlyBase) != 1 || len(c.Tables[0].Pairs) != 0 {
		t.Errorf("%v, %v", c, err)
	}
}

// The summary says why nothing was tested.
func TestNothingTested(t *testing.T) {
	flings, other := flung(6, 3, 80), flung(6, 3, 80)
	for i := range other {
		other[i].Process = "notes"
	}
	unanswered := flung(6, 3, 80)
	for i := range unanswered {
		unanswered[i].Response = nil
	}
	for _, test := range []struct {
		base, new []Row
		want      string
	}{
		{nil, nil, "the datasets have no interactions"},
		{flings, nil, "the new dataset has no interactions"},
		{nil, flings, "the base dataset has no interactions"},
		{flings, other, "no group is in both datasets"},
		{flung(4, 3, 80), flings, "each dataset needs 5 traces"},
		{unanswered, unanswered, "each dataset needs 5 traces with 20 frames"},
	} {
		c := must.Get(Compare(t.Context(), dataset(t, test.base), dataset(t, test.new), CompareOptions{Query: Query{By: []string{"scene"}}, Unit: "trace"}))(t)
		must.Equal(t, c.summary(), "Nothing was tested: "+test.want+".")
	}
}

// scene is some interactions of each trace of one side: their kind, name, page and input, how many
// each trace has, and their responses.
type scene struct {
	kind, name, page, input string
	count                   int
	response                float64 // ms
}

// play returns rows of traces with these scenes.
func play(traces int, process string, scenes ...scene) (rows []Row) {
	device := "phone"
	for i := range traces {
		for _, s := range scenes {
			for k := range s.count {
				ns := int64((s.response + float64(i%5+k%3)) * 1e6)
				row := Row{
					Trace: fmt.Sprint(process, " trace ", i), Kind: stats.Kind(s.kind), Process: process, Scene: s.name, Response: &ns,
					Dims: []*string{&device, nil}, Interaction: int64(len(rows) + 1),
				}
				if s.page != "" {
					row.Page = &s.page
				}
				if s.input != "" {
					row.Input = &s.input
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// If users fling more and launch less, nothing is slower: scenes are compared with themselves, whatever
// the dimensions are. With pages of one dataset only, all pages of a scene are compared together.
func TestOtherMixOfScenes(t *testing.T) {
	fling, click := scene{"scene", "APP_LIST_FLING", "pages/Index", "first_move", 1, 50}, scene{"scene", "ABILITY_OR_PAGE_SWITCH", "pages/Index", "last_up", 5, 200}
	other := fling
	other.page, other.response = "pages/Detail", 90
	base := play(20, "gallery", fling, click, other)
	fling.count, click.count, other.count = 5, 1, 3
	unknown := fling
	unknown.page, unknown.count = "", 3
	for _, test := range []struct {
		new    []Row
		by     []string
		groups int
	}{
		{play(20, "gallery", fling, click, other), []string{"scene"}, 3},
		{play(20, "gallery", fling, click, other), []string{"page"}, 3},
		{play(20, "gallery", fling, click, other), []string{"kind", "scene", "page", "process"}, 3},
		{slices.Concat(play(20, "gallery", fling, click, other), play(20, "notes", fling)), []string{"scene"}, 3}, // notes only in new
		{play(20, "gallery", unknown, click), []string{"scene"}, 2},
	} {
		c := must.Get(Compare(t.Context(), dataset(t, base), dataset(t, test.new), CompareOptions{Query: Query{By: test.by}, Unit: "trace"}))(t)
		x := c.Tables[0]
		if len(x.Pairs) != test.groups || len(x.OnlyBase) != 0 || slices.Contains(x.By, "kind") {
			t.Fatalf("by %v: %d groups by %v, want %d", test.by, len(x.Pairs), x.By, test.groups)
		}
		for _, p := range x.Pairs {
			m := p.Changes[0]
			// The flings of both pages of base are of one group, and their median is that of the faster.
			if m.Name != "response_p50_ms" || m.Verdict != diff.Unclear || math.Abs(*m.Delta) > 2 {
				t.Errorf("by %v: %s: %s %+g, %s", test.by, groupText(p.Key), m.Name, *m.Delta, m.Verdict)
			}
		}
	}
}

// Conditions on interactions are checked for the scenes and pages of their group, whatever the
// dimensions are, together with those on processes. The groups are those of ohframe diff, also in
// datasets of real traces.
func TestInteractionConditions(t *testing.T) {
	fling, click := scene{"scene", "APP_LIST_FLING", "pages/Index", "first_move", 2, 50}, scene{"scene", "PRIVATE_7", "pages/Index", "last_up", 2, 200}
	launch := scene{"launch", "cold", "", "", 1, 400}
	base := append(play(20, "gallery", fling, click, launch), play(20, "notes", fling)...)
	fling.response, launch.response = 80, 420
	new := append(play(20, "gallery", fling, click, launch), play(20, "notes", fling)...)
	const gate = "fling.response_ms>+10, tap.response_ms>+10, cold.first_frame_ms>+10%, warm.first_frame_ms>+1, " +
		"APP_LIST_FLING.hitch>+2, PRIVATE_8.fps<-1, notes: fling.response_ms>+40, paint: fling.response_ms>+1"
	want := []string{
		"gallery · APP_LIST_FLING · pages/Index: fling.response_ms>+10: failed", "notes · APP_LIST_FLING · pages/Index: fling.response_ms>+10: failed",
		"gallery · PRIVATE_7 · pages/Index: tap.response_ms>+10: passed",
		"gallery · cold · –: cold.first_frame_ms>+10%: passed", ": warm.first_frame_ms>+1: unknown",
		"gallery · APP_LIST_FLING · pages/Index: APP_LIST_FLING.hitch>+2: unknown", "notes · APP_LIST_FLING · pages/Index: APP_LIST_FLING.hitch>+2: unknown",
		": PRIVATE_8.fps<-1: unknown", "notes · APP_LIST_FLING · pages/Index: fling.response_ms>+40: passed", "paint: fling.response_ms>+1: unknown",
	}
	for _, by := range [][]string{{"kind", "process"}, {"process", "scene"}} {
		c := must.Get(Compare(t.Context(), dataset(t, base), dataset(t, new), CompareOptions{Query: Query{By: by}, Unit: "trace", FailOn: changes(t, gate)}))(t)
		var got []string
		for _, o := range c.Checks() {
			got = append(got, fmt.Sprintf("%s: %s: %s", o.Process, o.Condition, o.Status))
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %v:\ngot  %s\nwant %s", by, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
		for _, format := range Formats {
			var b bytes.Buffer
			if err := c.Write(&b, format, text.Style{}); err != nil || !strings.Contains(b.String(), "PRIVATE_7") {
				t.Errorf("%s: %v\n%s", format, err, b.String())
			}
		}
	}

	// JSON has the numbers of the tests.
	c := must.Get(Compare(t.Context(), dataset(t, base), dataset(t, new), CompareOptions{Query: Query{By: []string{"process"}}, Unit: "trace", FailOn: changes(t, "fling.response_ms>+10, fling.fps<-1")}))(t)
	var b bytes.Buffer
	var doc struct {
		Compared []struct {
			Of      string
			Changes int
			Base    []struct{} `json:"only_in_base"`
			New     []struct{} `json:"only_in_new"`
		}
		FailOn []struct {
			Key        map[string]*string
			P          *float64 `json:"p_value"`
			Detectable *float64
			Undecided  *bool
		} `json:"fail_on"`
	}
	must.Do(t, cmp.Or(c.Write(&b, "json", text.Style{}), json.Unmarshal(b.Bytes(), &doc)))
	if x := doc.Compared; len(x) != 2 || x[0].Of != "processes" || x[0].Changes != 0 || x[0].Base == nil || x[0].New == nil || x[1].Of != "interactions" || x[1].Changes != 4 {
		t.Errorf("compared: %+v", x)
	}
	if x := doc.FailOn; len(x) != 4 || *x[0].Key["scene"] != "APP_LIST_FLING" || x[0].P == nil || *x[0].P > .04 || *x[0].Detectable <= 0 || x[2].P != nil || x[0].Undecided == nil || *x[0].Undecided {
		t.Errorf("conditions: %+v", x)
	}

	dir := t.TempDir()
	var sides []*Dataset
	for version, inputs := range slices.Collect(slices.Chunk(used(t), 2)) {
		of := filepath.Join(dir, fmt.Sprint(version))
		run(t, &Runner{Dir: of}, inputs, Options{Read: withCauses, Shards: 1})
		sides = append(sides, opened(t, of))
	}
	o := CompareOptions{Query: Query{By: []string{"process"}}, Unit: "trace", Any: true, FailOn: changes(t, "fling.response_ms>+95, fling.response_ms>+105, tap.response_ms>+5, launch.first_frame_ms>+5, frames>+0")}
	if _, err := Compare(t.Context(), sides[0], sides[1], o); err == nil || err.Error() != "--fail-on: frames is not compared" {
		t.Errorf("%v", err)
	}
	o.FailOn = o.FailOn[:4]
	c = must.Get(Compare(t.Context(), sides[0], sides[1], o))(t)
	// A click opens a picture, another one launches.
	var got []string
	for _, o := range c.Checks() {
		got = append(got, fmt.Sprintf("%s %s", o.Condition, o.Status))
	}
	if want := []string{"fling.response_ms>+95 failed", "fling.response_ms>+105 passed", "tap.response_ms>+5 passed", "tap.response_ms>+5 passed", "launch.first_frame_ms>+5 passed"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A comparison of frames warns if users did other things, or if devices are of other models: then a
// group may change though none of its parts does. Versions that only one dataset has are what is compared.
func TestMixes(t *testing.T) {
	fling, click := scene{"scene", "APP_LIST_FLING", "pages/Index", "first_move", 1, 50}, scene{"scene", "PRIVATE_7", "pages/Index", "last_up", 3, 200}
	// frames returns rows of traces with the scenes. Each trace whose number `every` divides is of a second
	// model of device.
	frames := func(version string, every int, scenes ...scene) *Dataset {
		rows := play(20, "gallery", scenes...)
		for i := range 20 {
			rows = append(rows, Row{Trace: fmt.Sprint("gallery trace ", i), Kind: stats.Application, Process: "gallery", Dims: []*string{nil, &version}})
		}
		for i := range rows {
			model := "phone"
			var n int
			must.Get(fmt.Sscanf(rows[i].Trace, "gallery trace %d", &n))(t)
			if n%every == 0 {
				model = "tablet"
			}
			rows[i].Dims = []*string{&model, &version}
		}
		return dataset(t, rows)
	}
	base := frames("5.0", 2, fling, click)
	same := frames("5.1", 2, fling, click)
	more := frames("5.1", 2, scene{"scene", "APP_LIST_FLING", "pages/Index", "first_move", 3, 50}, scene{"scene", "PRIVATE_7", "pages/Index", "last_up", 1, 200})
	phones := frames("5.1", 20, fling, click)
	const scenes = "the mix of scenes differs: APP_LIST_FLING 25.0 % → 75.0 %, PRIVATE_7 75.0 % → 25.0 %; a group with several scenes may change though no scene does; --by scene compares interactions"
	const models = "the mix of devices differs: phone 50.0 % → 95.0 %, tablet 50.0 % → 5.0 %; a group with several devices may change though no device does; --by process,device compares each"
	for _, test := range []struct {
		new  *Dataset
		by   string
		want []string
	}{
		{same, "process", nil}, {more, "process", []string{scenes}}, {more, "scene", nil}, {phones, "process", []string{models}}, {phones, "process,device", nil},
	} {
		c := must.Get(Compare(t.Context(), base, test.new, CompareOptions{Query: Query{By: strings.Split(test.by, ",")}, Unit: "trace"}))(t)
		// Here a device is a model, not what is compared.
		got := slices.DeleteFunc(c.warnings, func(s string) bool {
			return strings.HasPrefix(s, "traces of one device") || strings.HasPrefix(s, "traces have")
		})
		if !slices.Equal(got, test.want) {
			t.Errorf("by %s: got %q, want %q", test.by, got, test.want)
		}
	}
}

// A comparison warns if devices of one dataset have twice as many traces as those of the other.
func TestUnequalTraces(t *testing.T) {
	of := func(traces int) (rows []Row) {
		for i := range 12 * traces {
			device := fmt.Sprint("device ", i%12)
			rows = append(rows, Row{Trace: fmt.Sprint("trace ", i), Kind: stats.Application, Process: "gallery", Dims: []*string{&device, nil}})
		}
		return rows
	}
	const want = "devices have 3.0 traces of a group on average in base and 6.0 in new: values of few vary more, so equal datasets differ more often than they should"
	for new, want := range map[int][]string{3: nil, 5: nil, 6: {want}} {
		if c := compareRows(t, of(3), of(new), CompareOptions{}); !slices.Equal(c.warnings, want) {
			t.Errorf("%d traces: got %q, want %q", new, c.warnings, want)
		}
	}
}
