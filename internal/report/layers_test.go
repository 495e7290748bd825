package report

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// videoLayer is a name as HarmonyOS gives it to a layer of an application in a container.
const videoLayer = "ShellAssistantAnco_123 SurfaceView[com.example.player/.MainActivity]#12_8037Surface"

// screen is a timeline at 100 Hz with frames of render_service alone, and three layers. Buffers
// are taken 20 ms after they are queued, and shown 20 ms after that.
//
//	1  a window that draws when something changes: shown at 0, 10, 35, 95 and 300 ms
//	2  a game that queues a buffer every 20 ms: 16 of them, all in time
//	3  a video that queues a buffer every 30 ms: 11 of them, one more between them that is
//	   dropped, one that is taken and shown 20 ms late, and one that is shown 10 ms late
func screen() Input {
	render := &analyzer.Process{PID: 100, Name: "render_service"}
	game := &analyzer.Process{PID: 300, Name: "com.example.game"}
	player := &analyzer.Process{PID: 400, Name: "com.example.player"}
	start := 100 * trace.Time(trace.Second)
	at := func(ms int) trace.Time { return start.Add(trace.Duration(ms) * ms1) }
	t := &analyzer.Timeline{
		Processes: []*analyzer.Process{render, game, player},
		Span:      analyzer.Interval{Start: start, End: start.Add(trace.Second)},
	}
	takenBy := map[int]*analyzer.Frame{}
	renderAt := func(ms int) *analyzer.Frame {
		if takenBy[ms] == nil {
			takenBy[ms] = &analyzer.Frame{
				Kind: analyzer.RenderFrame, Process: render, TID: 100, VsyncID: int64(1000 + ms), Vsync: at(ms), Period: 10 * ms1,
				Actual: analyzer.Interval{Start: at(ms), End: at(ms + 3)}, Expected: analyzer.Interval{Start: at(ms), End: at(ms + 10)}, Deadline: at(ms + 10),
			}
			t.Frames = append(t.Frames, takenBy[ms])
		}
		return takenBy[ms]
	}
	layer := func(name string, queue int64, p *analyzer.Process, f analyzer.Framework) *analyzer.Layer {
		l := &analyzer.Layer{ID: len(t.Layers) + 1, Name: name, Queue: queue, Process: p, Framework: f}
		t.Layers = append(t.Layers, l)
		return l
	}
	add := func(l *analyzer.Layer, queued, taken, shown int) *analyzer.Buffer {
		b := &analyzer.Buffer{Layer: l, Acquired: at(taken), Present: at(shown), Fate: analyzer.Shown, Render: renderAt(taken / 10 * 10)}
		if queued >= 0 {
			b.Requested, b.Queued, b.Ready = analyzer.Interval{Start: at(queued - 8), End: at(queued - 5)}, at(queued), at(queued+4)
		}
		l.Buffers = append(l.Buffers, b)
		return b
	}
	window := layer("Window7", 0, nil, analyzer.Platform)
	for _, shown := range []int{20, 30, 55, 115, 320} {
		add(window, -1, shown-15, shown)
	}
	play := layer("GameSurface", 1288490188800, game, analyzer.NativeVsync)
	for n := range 16 {
		add(play, 20+20*n, 40+20*n, 60+20*n)
	}
	video := layer(videoLayer, 1717986918401, player, analyzer.Choreographer)
	for n := range 11 {
		queued := 20 + 30*n
		taken, shown := queued+20, queued+40
		switch n {
		case 4:
			taken, shown = taken+20, shown+20
		case 7:
			shown += 10
		case 9:
			video.Buffers = append(video.Buffers, &analyzer.Buffer{Layer: video, Queued: at(queued - 15), Fate: analyzer.Discarded})
		}
		add(video, queued, taken, shown)
	}
	slices.SortStableFunc(t.Frames, func(a, b *analyzer.Frame) int { return int(a.Actual.Start - b.Actual.Start) })
	t.JudgeLayers()
	return inputOf("screen.ftrace", t)
}

// lateCauses returns the causes of a timeline without events of the kernel.
func lateCauses(t *testing.T, timeline *analyzer.Timeline) *why.Causes {
	causes := must.Get(analysis.Causes(t.Context(), strings.NewReader(""), hitrace.Options{}, timeline))(t)
	return causes
}

// Of the 30 ms that the video lost, 20 are of the buffer that a frame of render_service did not
// take, and 10 of the one that was shown late. Layers without late buffers lost nothing.
func TestLayerCauses(t *testing.T) {
	in := screen()
	in.Causes = lateCauses(t, in.Timeline)
	must.Do(t, in.Causes.Validate(in.Timeline))
	out := write(t, []Input{in}, "table", Options{})
	must.Equal(t, strings.Join(row(t, out, "Layer"), " "), "Late FPS Lost ms Top cause Cadence ms Vsyncs Dropped Uneven Process Buffers Shown PID")
	for layer, want := range map[string]string{"…SurfaceView[com.exa…ity]#12_8037Surface": "2 of 10 33.3 30.0 67 % taken late by render_service 30.0", "GameSurface": "0 of 15 50.0 0.0 20.0"} {
		if got := strings.Join(row(t, out, layer), " "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", layer, got, want)
		}
	}
	if headline, _, _ := strings.Cut(squeezed(out), "\n\n"); !strings.HasSuffix(strings.ReplaceAll(headline, "\n", " "), "2 of 10 buffers late, 30.0 ms lost, 67 % of it taken late by render_service") {
		t.Errorf("headline %s", headline)
	}
	if out := write(t, []Input{screen()}, "table", Options{}); strings.Contains(out, "Top cause") {
		t.Errorf("causes without an analysis:\n%s", out)
	}
}

// The layer that lost the most time comes first. All numbers follow from screen: the video's
// two late intervals of ten lost 20 and 10 ms, the two after them are early.
func TestLayers(t *testing.T) {
	out := write(t, []Input{screen()}, "table", Options{Verbose: true})
	video := "…SurfaceView[com.exa…ity]#12_8037Surface"
	for _, want := range []struct{ first, words string }{
		{"Layer", "Late FPS Lost ms Cadence ms Vsyncs Dropped Uneven Process Buffers Shown PID Queue P50 ms Request P50 ms GPU P50 ms"},
		{video, "2 of 10 33.3 30.0 30.0 3 1 40.0 % com.example.player choreographer 12 11 400 20.0 3.0 4.0"},
		{"GameSurface", "0 of 15 50.0 0.0 20.0 2 0 0 % com.example.game nativevsync 16 16 300 20.0 3.0 4.0"},
		{"Window7", "– 13.3 – – – 0 – – 5 5 – – – –"},
	} {
		must.Equal(t, strings.Join(row(t, out, strings.Fields(want.first)...), " "), want.words, "%s", want.first)
	}
	if !strings.HasPrefix(strings.ReplaceAll(out, "\n", " "), "…SurfaceView[com.example…ctivity]#12_8037Surface: 2 of 10 buffers late, 30.0 ms lost ") {
		t.Errorf("headline:\n%.200s", out)
	}
	if brief := write(t, []Input{screen()}, "table", Options{}); strings.Contains(brief, "Queue") || !strings.Contains(brief, "Buffers") {
		t.Errorf("times without --all:\n%s", brief)
	}
	if at := []int{strings.Index(out, "\n  "+video), strings.Index(out, "\n  GameSurface"), strings.Index(out, "\n  Window7")}; !slices.IsSorted(at) {
		t.Errorf("layers are at %v", at)
	}
}

// The name of a layer outside frames says what it is: the word is not repeated below the process, as a part of its name.
func TestOutsideFramesLayer(t *testing.T) {
	in := screen()
	l := in.Timeline.Layers[1]
	l.Name, l.Framework = "com.example.game outside frames", analyzer.OutsideFrames
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	out := write(t, []Input{in}, "table", Options{})
	if !strings.Contains(out, "com.example.game outside frames") || strings.Contains(out, analyzer.OutsideFrames.String()) {
		t.Errorf("got\n%s", out)
	}
}

// What lost the most time comes first, but no layer without a late buffer. Layers without a cadence
// are in the headline only without frames of applications.
func TestLayerHeadline(t *testing.T) {
	in := screen()
	app := film()
	service := in.Stats.Processes
	for _, test := range []struct {
		name      string
		processes []*stats.Process
		layers    []*stats.Layer
		want      string
	}{
		{"no application", service, in.Stats.Layers[1:2], "render_service: 0 of 23 frames late   GameSurface: 0 of 15 buffers late, 50.0 FPS"},
		{"no cadence", service, in.Stats.Layers[:1], "render_service: 0 of 23 frames late   Window7: without a cadence, 13.3 FPS"},
		{"no layers", service, nil, "render_service: 0 of 23 frames late"},
		{"an application", app.Stats.Processes[:1], in.Stats.Layers[1:2], "com.example.app: 1 of 5 frames late, 12.0 ms lost"},
		{"an application, no cadence", app.Stats.Processes[:1], in.Stats.Layers[:1], "com.example.app: 1 of 5 frames late, 12.0 ms lost"},
		{"an application on time, a video", app.Stats.Processes[:1], in.Stats.Layers[2:], "…SurfaceView[com.example…ctivity]#12_8037Surface: 2 of 10 buffers late, 30.0 ms lost   com.example.app: 1 of 5 frames late, 12.0 ms lost"},
		{"a late render service", app.Stats.Processes[1:], in.Stats.Layers[1:2], "render_service: 3 of 6 frames late, 25.0 ms lost"},
	} {
		i := Input{Name: "x.ftrace", Stats: &stats.Report{Processes: test.processes, Layers: test.layers}}
		got, _, _ := strings.Cut(write(t, []Input{i}, "table", Options{}), "\n\n")
		if got = strings.ReplaceAll(got, "\n", " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A terminal shows the layers that lost the most; others with --all.
func TestManyLayers(t *testing.T) {
	in := manyLayers(25)
	for _, test := range []struct {
		o     Options
		shown int
		more  string
	}{
		{Options{}, 20, "… and 5 more that lost less time; --all lists all"},
		{Options{Verbose: true}, 25, ""},
		{Options{Layers: true}, 20, "… and 5 more that lost less time; --all lists all"},
	} {
		out := write(t, []Input{in}, "table", test.o)
		if n := len(regexp.MustCompile(`\n  layer\d+ +[\d–]`).FindAllString(out, -1)); n != test.shown || test.more != "" && !strings.Contains(out, test.more) || test.more == "" && strings.Contains(out, "that lost less") {
			t.Errorf("%+v: %d layers in\n%s", test.o, n, out)
		}
		if strings.Contains(out, "render_service") == test.o.Layers {
			t.Errorf("%+v: processes in\n%s", test.o, out)
		}
	}
	if out := write(t, []Input{film()}, "table", Options{Layers: true}); !strings.Contains(out, "\n  no layers\n") {
		t.Errorf("without layers:\n%s", out)
	}
}

// manyLayers is a timeline with n layers of two buffers.
func manyLayers(n int) Input {
	in := screen()
	t := in.Timeline
	t.Layers = nil
	for i := range n {
		l := &analyzer.Layer{ID: i + 1, Name: fmt.Sprint("layer", i)}
		for k := range 2 {
			l.Buffers = append(l.Buffers, &analyzer.Buffer{Layer: l, Present: t.Span.Start.Add(trace.Duration(1+k) * 10 * ms1), Fate: analyzer.Shown})
		}
		t.Layers = append(t.Layers, l)
	}
	t.JudgeLayers()
	return inputOf("many.ftrace", t)
}

// The page has a picture of each layer with intervals: those of the video in three colours.
func TestLayerPictures(t *testing.T) {
	page := html.UnescapeString(write(t, []Input{screen()}, "html", Options{}))
	_, picture, found := strings.Cut(page, `<li id="layer-3">`)
	picture, _, _ = strings.Cut(picture, "</li>")
	picture, _, _ = strings.Cut(picture, "<li ")
	if !found {
		t.Fatal("the video has no picture")
	}
	for class, n := range map[string]int{"w-on-time": 6, "w-misaligned": 2, "w-late-app": 1, "w-late-cpu": 1, "w-no-deadline": 0} {
		if got := strings.Count(picture, `class="`+class); got != n {
			t.Errorf("%d bars %s, want %d in\n%s", got, class, n, picture)
		}
	}
	must.Equal(t, strings.Count(picture, "<u "), 1, "marks for 1 dropped buffer")
	for _, want := range []string{
		`title="50.0 ms at +200.0 ms, late: 20.0 ms"`, `title="40.0 ms at +280.0 ms, late, though taken in time: 10.0 ms"`, `title="dropped, queued at +275.0 ms"`,
		"com.example.player · 33.3 FPS · one buffer every 30.0 ms · 2 of 10 late · 1 dropped", "<span>+60.0 ms</span><span>+360.0 ms</span>",
	} {
		must.Contain(t, picture, want)
	}
	must.Equal(t, strings.Count(write(t, []Input{manyLayers(30)}, "html", Options{}), `<li id="layer-`), maxPictures, "pictures of 30 layers")
}

// Of frames of a framework, one missed the deadline that its marker states, one drew and has
// none, and one is empty. The layers are the headline's first clause, because all that is known
// of the other frames is how their buffers were shown. So the late one is one of all.
func TestFrameworkFrames(t *testing.T) {
	in := screen()
	player := in.Timeline.Processes[2]
	for n, deadline := range []trace.Duration{5 * ms1, 0, 0} {
		start := in.Timeline.Span.Start.Add(trace.Duration(10*n) * ms1)
		f := &analyzer.Frame{Process: player, TID: 400, Framework: analyzer.Choreographer, VsyncID: int64(n + 1), Actual: analyzer.Interval{Start: start, End: start.Add(6 * ms1)}}
		switch n {
		case 0:
			f.Deadline = start.Add(deadline)
			f.Judge()
		case 1:
			f.Transactions = []analyzer.Sent{{Index: 1, At: f.Actual.End}}
		case 2:
			f.Facts = analyzer.Empty
		}
		in.Timeline.Frames = append(in.Timeline.Frames, f)
	}
	out := write(t, []Input{inputOf("framework.ftrace", in.Timeline)}, "table", Options{})
	must.Equal(t, strings.Join(row(t, out, "com.example.player"), " "), "1 – – – 1.0 3 6.0 – 6.0 400", "overview")
	must.Equal(t, strings.Join(row(t, out, "Jank"), " "), "– 1 late of 1 judged frame; 1 frame that drew not judged", "jank")
	if headline, _, _ := strings.Cut(out, "\n\n"); headline != "…SurfaceView[com.example…ctivity]#12_8037Surface: 2 of 10 buffers late, 30.0 ms lost\n  com.example.player: 1 of 1 frame late, 2 not judged, 1.0 ms lost" {
		t.Errorf("headline %s", headline)
	}
}

// A cadence is stated in whole vsyncs if it is near them, and unknown if the refresh rate changes.
func TestVsyncs(t *testing.T) {
	const us = trace.Microsecond
	for _, c := range []struct {
		cadence trace.Duration
		periods []trace.Duration
		want    string
	}{
		{32_925 * us, []trace.Duration{11_092 * us}, "3"},
		{40 * ms1, []trace.Duration{16_667 * us, 16_667 * us}, "2.4"},
		{18_200 * us, []trace.Duration{16_667 * us}, "1"},
		{18_500 * us, []trace.Duration{16_667 * us}, "1.1"},
		{33_333 * us, []trace.Duration{8_333 * us, 8_340 * us}, "4"},
		{33_333 * us, []trace.Duration{8_333 * us, 16_667 * us}, "–"},
		{33_333 * us, []trace.Duration{16_667 * us, 8_333 * us}, "–"},
		{0, []trace.Duration{16_667 * us}, "–"},
		{33_333 * us, nil, "–"},
	} {
		l := &analyzer.Layer{}
		if c.cadence > 0 {
			l.Cadences = []analyzer.Cadence{{Every: c.cadence, Buffers: 1, Shown: 1}}
		}
		for _, period := range c.periods {
			l.Buffers = append(l.Buffers, &analyzer.Buffer{Layer: l, Fate: analyzer.Shown, Render: &analyzer.Frame{Period: period}})
		}
		must.Equal(t, vsyncs(&stats.Layer{Source: l}), c.want, "%s at %s", c.cadence, c.periods)
	}
}

// The pictures of a page have the reasons of late buffers, and the commands that explain their layers.
func TestLateBuffers(t *testing.T) {
	in := screen()
	in.Causes = lateCauses(t, in.Timeline)
	in.File = "a.ftrace"
	page := html.UnescapeString(write(t, []Input{in}, "html", Options{}))
	for _, want := range []string{
		`title="50.0 ms at +200.0 ms, late: 20.0 ms; taken late by render_service: `, `title="40.0 ms at +280.0 ms, late, though taken in time: 10.0 ms; shown late by render_service: `,
		"ohframe why --layer NAME a.ftrace",
	} {
		must.Contain(t, page, want)
	}
	// A buffer of a late frame has the frame's cause.
	late := &analyzer.Frame{Framework: analyzer.Flutter, Facts: analyzer.MainLate}
	must.Equal(t, lateReason(nil, &analyzer.Buffer{Pace: analyzer.Late, Frame: late}), "a late frame of its producer", "reason")
	must.Equal(t, lateReason(nil, &analyzer.Buffer{Pace: analyzer.Even, Frame: late}), "", "reason of an even buffer")
}

// Layers of one name have their ids, which --layer selects, in the table.
func TestLayersOfOneName(t *testing.T) {
	in := screen()
	in.Timeline.Layers[1].Name = videoLayer
	in.Causes = lateCauses(t, in.Timeline)
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	out := write(t, []Input{in}, "table", Options{})
	if !strings.HasPrefix(out, "layer 3 (…SurfaceView[com.example") {
		t.Errorf("headline without an id in %.200s", out)
	}
	video := "…SurfaceView[com.exa…ity]#12_8037Surface"
	for _, c := range []struct {
		first []string
		want  string
	}{
		{[]string{"#", "Layer"}, "Late"}, {[]string{"3", video}, "2 of 10"}, {[]string{"2", video}, "0 of 15"},
	} {
		if got := strings.Join(row(t, out, c.first...), " "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: %s, want %s", c.first, got, c.want)
		}
	}
	if page := write(t, []Input{in}, "html", Options{}); strings.Count(page, `title="the id of the layer, which --layer selects">#`) != 1 {
		t.Error("the page has no table with ids")
	}
	if out := write(t, []Input{screen()}, "table", Options{}); strings.Contains(out, "#  Layer") {
		t.Errorf("ids of layers with different names in\n%s", out)
	}
}
