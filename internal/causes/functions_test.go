package causes

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
	"ohframe/internal/view"
)

var (
	recompute = why.Function{Name: "entry::Feed::recompute", Module: "libentry.so"}
	read      = why.Function{Name: "entry::Cache::read", Module: "libentry.so"}
	sortKeys  = why.Function{Name: "qsort", Module: "libc.so"}
)

// sampled returns two late frames, which spent 20 + 10 ms in recompute, and 10 ms waiting in read. Ten
// frames on time spent 20 ms in recompute.
func sampled() (*analyzer.Timeline, *why.Causes) {
	first, second := late(example, 10, 0, 40_000, 20_000, running(30_000, 2000, 20_000)), late(example, 11, 100_000, 30_000, 10_000, running(20_000, 2000, 10_000))
	first.Functions = []why.FunctionTime{
		{Function: recompute, Stage: why.StageBuild, Wait: why.Run, Innermost: sortKeys, Samples: 20, Of: 24, Time: 20 * ms, Usual: 2 * ms, Sure: true},
		{Function: read, Stage: why.StageBuild, Wait: why.WaitIO, Innermost: read, Samples: 5, Of: 5, Time: 10 * ms},
	}
	second.Functions = []why.FunctionTime{{Function: recompute, Stage: why.StageBuild, Wait: why.Run, Innermost: sortKeys, Samples: 10, Of: 10, Time: 10 * ms, Usual: 2 * ms, Sure: true}}
	first.Calls = why.Calls{
		{Parent: -1, Samples: 24, Time: 24 * ms},
		{Function: why.Function{Name: "main", Module: "appspawn"}, Samples: 24, Time: 24 * ms},
		{Function: read, Parent: 1, Samples: 4, Time: 4 * ms},
		{Function: recompute, Parent: 1, Samples: 20, Time: 20 * ms},
		{Function: sortKeys, Parent: 3, Samples: 15, Time: 15 * ms},
	}
	tl, c := timeline(first, second)
	build := func(f why.Function, w why.Wait, samples int) why.FunctionTime {
		return why.FunctionTime{Function: f, Stage: why.StageBuild, Wait: w, Samples: samples, Time: trace.Duration(samples) * ms}
	}
	first.Sampled = []why.FunctionTime{build(recompute, why.Run, 20), build(read, why.WaitIO, 10)}
	second.Sampled = []why.FunctionTime{build(recompute, why.Run, 10)}
	id := why.FunctionID{Process: example, Stage: why.StageBuild, Wait: why.Run, Function: recompute}
	waited := why.FunctionID{Process: example, Stage: why.StageBuild, Wait: why.WaitIO, Function: read}
	c.Sampled = []why.SampledFrames{{Process: example, Late: 2, OnTime: 10}}
	c.Uses = []why.FunctionUse{
		{FunctionID: id, Late: why.FunctionSum{Samples: 30, Time: 30 * ms}, OnTime: why.FunctionSum{Samples: 20, Time: 20 * ms}},
		{FunctionID: waited, Late: why.FunctionSum{Samples: 10, Time: 10 * ms}},
	}
	return tl, c
}

// A flame graph has the calls of one depth in a row, the longest first.
func TestFlame(t *testing.T) {
	tl, c := sampled()
	e := c.Of(tl.Frames[0])
	graph := flame(e)[0].(view.Flame)
	describe := func(g view.Flame) (rows []string) {
		for _, bars := range g.Rows {
			var texts []string
			for _, b := range bars {
				texts = append(texts, fmt.Sprintf("%s %s %.3f+%.3f", b.Text, b.Group, b.Left, b.Width))
			}
			rows = append(rows, strings.Join(texts, ", "))
		}
		return rows
	}
	want := []string{"frame 10, 24 samples  0.000+1.000", "main  0.000+1.000", "Feed::recompute run 0.000+0.833, Cache::read  0.833+0.167", "qsort  0.000+0.625"}
	if got := describe(graph); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	must.Equal(t, graph.Rows[2][0].Title, "entry::Feed::recompute (libentry.so), 20 of 24 samples, 20.0 ms", "title")

	// Calls that all samples have in common are left out, but not a function that is coloured.
	deep := why.Calls{e.Calls[0]}
	for i := range 500 {
		call := e.Calls[1]
		call.Parent = int32(i)
		deep = append(deep, call)
	}
	common := *e
	common.Calls = append(deep, why.Call{Function: recompute, Parent: 500, Samples: 24, Time: 24 * ms})
	graph = flame(&common)[0].(view.Flame)
	if got, want := fmt.Sprintf("%q", describe(graph)), `["frame 10, 24 samples  0.000+1.000" "Feed::recompute run 0.000+1.000"]`; got != want || !strings.Contains(graph.About, "500 outer calls") {
		t.Errorf("got %s, want %s; %s", got, want, graph.About)
	}
	deep[1].Samples--
	common.Calls = deep
	if graph = flame(&common)[0].(view.Flame); len(graph.Rows) != maxRows || !strings.Contains(graph.About, "28 levels") {
		t.Errorf("%d rows; %s", len(graph.Rows), graph.About)
	}

	// Calls that together take longer than their caller do not reach beyond it.
	e.Calls[2].Time = 24 * ms
	for _, bars := range flame(e)[0].(view.Flame).Rows {
		for _, b := range bars {
			if b.Left+b.Width > 1.0001 {
				t.Errorf("a bar up to %f", b.Left+b.Width)
			}
		}
	}
	e.Calls[0].Time = 0
	if flame(e) != nil {
		t.Error("a flame graph without time")
	}
}

// Names of functions are untrusted.
func TestHostileFunctions(t *testing.T) {
	tl, c := sampled()
	name := "<script>alert(1)</script>\x1b[31m\u202eevil" + strings.Repeat("long", 250)
	e := c.Of(tl.Frames[0])
	for _, f := range []*why.Function{&e.Functions[0].Function, &e.Functions[0].Innermost, &e.Calls[2].Function, &e.Sampled[0].Function, &c.Uses[0].Function} {
		*f = why.Function{Name: name, Module: "<img src=x>\x07" + strings.Repeat("m", 1000)}
	}
	for _, format := range Formats {
		for _, o := range []Options{{}, {Vsync: 10}, {All: true}} {
			got := write(t, format, tl, c, o)
			if format != "json" && strings.Contains(got, strings.Repeat("long", 100)) {
				t.Errorf("%s: the name is not shortened", format)
			}
			if strings.ContainsAny(got, "\x1b\x07") || format != "json" && strings.Contains(got, "\u202e") || format == "html" && (strings.Contains(got, "<script>alert") || strings.Contains(got, "<img src")) {
				t.Errorf("%s has the name as it is", format)
			}
		}
	}
}

// An interaction has the functions of its own frames.
func TestFunctionsOfInteraction(t *testing.T) {
	tl, c := sampled()
	for _, test := range []struct {
		frames []*analyzer.Frame
		want   string
	}{{tl.Frames, "recompute 13ms of 2; read 5ms of 1"}, {tl.Frames[1:], "recompute 8ms of 1"}} {
		i := &analyzer.Interaction{ID: 1, Process: example, Frames: test.frames}
		var got []string
		for _, f := range Processes(tl, c, Options{Interaction: i})[0].Functions {
			got = append(got, fmt.Sprintf("%s %s of %d", f.Name[strings.LastIndex(f.Name, ":")+1:], f.Excess(), f.Frames))
		}
		must.Equal(t, strings.Join(got, "; "), test.want)
	}
}
