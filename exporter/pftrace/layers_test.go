package pftrace

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// convertTimeline converts a timeline.
func convertTimeline(t testing.TB, timeline *analyzer.Timeline) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Get(ConvertTimeline(t.Context(), timeline, nil, &out, Options{}))(t)
	return out.Bytes()
}

// Perfetto shows layers, and frames of frameworks, as the packets have them.
func TestLayersInEngine(t *testing.T) {
	enginetest.ForTest(t)
	timeline := tracetest.Layers()
	checkEngine(t, convertTimeline(t, timeline), timeline)
	configs := simulate.BadLayers()
	configs["layered"] = simulate.Layered()
	for _, name := range slow.Of([]string{"layered"}, slices.Sorted(maps.Keys(configs))) {
		t.Run(name, func(t *testing.T) { checkConformance(t, simulated(t, configs[name])) })
	}
}

// layerLines returns the lines of a section that begin with a text, up to the annotations.
func layerLines(s sections, section, prefix string) (lines rows) {
	for _, line := range s[section] {
		if strings.HasPrefix(line, prefix) {
			line, _, _ = strings.Cut(line, " acquired_ts=")
			line, _, _ = strings.Cut(line, " deadline_ts=")
			lines = append(lines, line)
		}
	}
	return lines
}

// ms returns a time in the vsync k of tracetest.Layers in tenths of a millisecond.
func ms(k, tenths int64) int64 { return 1_000_000_000 + k*10_000_000 + tenths*100_000 }

// The tracks of a layer show when its buffers were shown, and what became of them before.
func TestLayerTracks(t *testing.T) {
	s := packetSections(t, convertTimeline(t, tracetest.Layers()))
	compare(t, "order", layerLines(s, "order", "Layers:"), rows{
		"Layers: video (com.example.player 300) #1; com.example.app/Main (com.example.app 200); game (com.example.player 300); " +
			"video (com.example.player 300) #4; hidden; remote (com.example.remote)",
	})
	// A buffer of vsync k is taken in the next one, and shown two vsyncs after that.
	const video = "video (com.example.player 300) #1 "
	var shown, colours rows
	sequence := func(n int64) int64 { return 1 + n%5 }
	for n := range int64(12) {
		from, to, name, colour := ms(3*n+3, 0), ms(3*n+6, 0), fmt.Sprint(sequence(n)), "even interval"
		switch n {
		case 0:
			colour = "a shown buffer"
		case 4:
			to = ms(18+1, 0)
		case 5:
			from, name, colour = ms(18+1, 0), name+" late 10.0 ms", "missed its cadence"
		case 6:
			name, colour = name+" early", "shorter than the cadence"
		case 7:
			to = ms(30, 0)
		case 8:
			continue
		case 9:
			name, colour = name+" late 30.0 ms", "missed its cadence"
		}
		line := fmt.Sprintf("%s%d..%d %s", video, from, to, name)
		if strings.Contains(name, "late") {
			line += " (late)"
		}
		shown = append(shown, line)
		colours = append(colours, fmt.Sprintf("%s%d %s: %s", video, from, name, colour))
	}
	summary := fmt.Sprintf("11 shown, %.1f fps, 1 dropped, 2 late", 10/(33*0.010))
	shown = append(shown, fmt.Sprintf("%s%d..%d %s", video, ms(0, -60), ms(43, 0), summary))
	colours = append(colours, fmt.Sprintf("%s%d %s: summary of a layer", video, ms(0, -60), summary))
	got := layerLines(s, "tracks", video)
	for i, line := range got {
		got[i], _, _ = strings.Cut(line, " layer.")
	}
	compare(t, "shown", got, shown)
	compare(t, "colours", layerLines(s, "colours", video), colours)
}

// A buffer in the queue is named after what became of it.
func TestLayerQueue(t *testing.T) {
	timeline := tracetest.Layers()
	timeline.Layers = []*analyzer.Layer{timeline.Layers[0], timeline.Layers[3], timeline.Layers[4], timeline.Layers[5]}
	s := packetSections(t, convertTimeline(t, timeline))
	var want, colours, requests, gpu rows
	add := func(from, to int64, name, colour string) {
		want = append(want, fmt.Sprintf("Queue %d..%d %s", from, to, name))
		colours = append(colours, fmt.Sprintf("Queue %d %s: %s", from, name, colour))
	}
	for n := range int64(13) {
		from, name := ms(3*n, 20), fmt.Sprint(1+n%5)
		switch n {
		case 5:
			add(from, ms(17, 20), name, "a buffer in the queue")
		case 8:
			add(from, ms(28, 20), name+" dropped", "a buffer dropped") // until the next one was taken
		case 12:
			add(from, ms(43, 0), name+" waiting", "waiting to be shown") // until the trace ends
		default:
			add(from, ms(3*n+1, 20), name, "a buffer in the queue")
		}
		requests = append(requests, fmt.Sprintf("Waiting for a buffer %d..%d %s", ms(3*n, -60), ms(3*n, -50), name))
		gpu = append(gpu, fmt.Sprintf("GPU %d..%d %s", from, ms(3*n, 50), name))
	}
	for n := range int64(3) {
		add(ms(30+2*n, 0), ms(43, 0), fmt.Sprintf("%d waiting", 40+n), "waiting to be shown")
	}
	add(ms(20, 0), ms(21, 20), "50", "a buffer in the queue")
	add(ms(10, 0), ms(10, 0), "buffer waiting", "waiting to be shown") // asked for only
	requests = append(requests, fmt.Sprintf("Waiting for a buffer %d..%d buffer", ms(10, 0), ms(10, 30)))
	got := layerLines(s, "tracks", "Queue ")
	for i, line := range got {
		line, _, _ = strings.Cut(line, " fate=")
		got[i], _, _ = strings.Cut(line, " frame_t")
	}
	compare(t, "queue", got, want)
	compare(t, "colours", layerLines(s, "colours", "Queue "), colours)
	compare(t, "requests", layerLines(s, "tracks", "Waiting for a buffer "), requests)
	compare(t, "gpu", layerLines(s, "tracks", "GPU "), gpu)
	// The three that are never taken wait beside one another.
	const counter = "Buffers in the queue "
	var counts rows
	for n := range int64(3) {
		counts = append(counts, fmt.Sprintf("%s%d %d", counter, ms(30+2*n, 0), n+1))
	}
	for _, want := range append(counts, fmt.Sprintf("%s%d 0", counter, ms(43, 0))) {
		if !slices.Contains(s["counters"], want) {
			t.Errorf("no value %s", want)
		}
	}
}

// Arrows lead from the frame that drew a buffer to the buffer, and on to what shows it.
func TestLayerArrows(t *testing.T) {
	s := packetSections(t, convertTimeline(t, tracetest.Layers()))
	const (
		app, game, video = "com.example.app/Main (com.example.app 200) ", "game (com.example.player 300) ", "video (com.example.player 300) #1 "
	)
	for _, c := range []struct{ name, from, to string }{
		{"frame to its drawing", fmt.Sprintf("200 Frames %d 903", ms(3, 10)), fmt.Sprintf("200 Draw %d 903", ms(3, 35))},
		{"frame to its buffer", fmt.Sprintf("200 Frames %d 903", ms(3, 10)), fmt.Sprintf("Queue %d 13", ms(3, 50))},
		{"frame to its render frame", fmt.Sprintf("200 Frames %d 903", ms(3, 10)), fmt.Sprintf("100 Frames %d 5004", ms(4, 10))},
		{"buffer to its render frame, which took it before", fmt.Sprintf("Queue %d 13", ms(3, 50)), fmt.Sprintf("100 Commit %d 5004", ms(4, 50))},
		{"buffer to its display", fmt.Sprintf("Queue %d 13", ms(3, 50)), fmt.Sprintf("%s%d 13", app, ms(6, 0))},
		{"frame that queued before its end to the display", fmt.Sprintf("300 Frames (worker 301) %d 5041", ms(0, 10)), fmt.Sprintf("%s%d buffer", game, ms(3, 0))},
		{"buffer without a frame", fmt.Sprintf("Queue %d 1", ms(0, 20)), fmt.Sprintf("%s%d 1", video, ms(3, 0))},
		{"buffer without a present time", fmt.Sprintf("Queue %d 50", ms(20, 0)), fmt.Sprintf("hidden %d 50", ms(21, 20))},
	} {
		if want := c.from + " -> " + c.to; !slices.Contains(s["arrows"], want) {
			t.Errorf("%s: no arrow %s", c.name, want)
			for _, line := range s["arrows"] {
				if strings.HasPrefix(line, c.from) {
					t.Log(line)
				}
			}
		}
	}
}

// Frames of a framework have their drawing and their work on the GPU on tracks of the process.
func TestFrameworkStages(t *testing.T) {
	s := packetSections(t, convertTimeline(t, tracetest.Layers()))
	for _, want := range []string{
		fmt.Sprintf("200 Draw %d..%d 903 deadline_ts=%d", ms(3, 35), ms(3, 60), ms(3, 100)),
		fmt.Sprintf("200 GPU %d..%d 903 deadline_ts=%d", ms(3, 50), ms(3, 70), ms(3, 100)),
		fmt.Sprintf("200 Draw %d..%d 904 deadline_ts=%d", ms(4, 35), ms(4, 95), ms(4, 100)),
		fmt.Sprintf("200 GPU %d..%d 904 late 1.5 ms (late) deadline_ts=%d overrun_ms=1.5", ms(4, 90), ms(4, 115), ms(4, 100)),
		fmt.Sprintf("200 Draw %d..%d 906 late 5.0 ms (late) deadline_ts=%d overrun_ms=5", ms(6, 125), ms(6, 150), ms(6, 100)),
	} {
		if !slices.Contains(s["tracks"], want) {
			t.Errorf("no slice %s", want)
		}
	}
}

// The Expected Timeline has frames of a framework with a deadline, from their vsync on, and only
// these.
func TestFrameworkExpected(t *testing.T) {
	timeline := tracetest.Layers()
	for _, f := range timeline.Frames {
		if f.Framework == analyzer.Choreographer {
			f.Expected = analyzer.Interval{}
			if f.VsyncID == 903 {
				f.Deadline = 0
			}
		}
	}
	var expected rows
	for _, line := range packetSections(t, convertTimeline(t, timeline))["frames"] {
		if line, _, _ = strings.Cut(line, " in "); strings.HasPrefix(line, "200 90") && strings.Contains(line, " expected ") || strings.HasPrefix(line, "300 ") && strings.Contains(line, " expected ") {
			expected = append(expected, line)
		}
	}
	var want rows
	for _, k := range []int64{0, 1, 2, 4, 5, 6, 8, 9} {
		want = append(want, fmt.Sprintf("200 %d expected %d..%d", 900+k, ms(k, 0), ms(k, 100)))
	}
	compare(t, "expected", expected, want)
}

// However many layers and buffers there are, few tracks are needed, and all are in the trace.
func TestManyLayers(t *testing.T) {
	timeline := tracetest.Layers()
	timeline.Layers = timeline.Layers[:1] // the only one with late buffers
	own, buffers := len(timeline.Layers[0].Buffers), len(timeline.Layers[0].Buffers)
	const layers, crowd = 3000, 2000
	for n := range layers {
		l := &analyzer.Layer{ID: n + 2, Name: "layer"}
		for i := range 1 + n%2 {
			l.Buffers = append(l.Buffers, &analyzer.Buffer{Layer: l, Queued: trace.Time(ms(int64(i), 0))})
		}
		buffers += len(l.Buffers)
		timeline.Layers = append(timeline.Layers, l)
	}
	timeline.Layers = append(timeline.Layers, &analyzer.Layer{ID: layers + 2}) // nothing is known
	for range crowd {
		l := timeline.Layers[0]
		l.Buffers = append(l.Buffers, &analyzer.Buffer{Layer: l, Queued: trace.Time(ms(38, 0)), Requested: analyzer.Interval{Start: trace.Time(ms(36, 0)), End: trace.Time(ms(38, 0))}})
	}
	data := convertTimeline(t, timeline)
	tracks, named := 0, 0
	for _, d := range descriptorsOf(t, data) {
		tracks++
		named += truth(strings.HasPrefix(d.GetName(), "layer #"))
	}
	if named != 99 || tracks > 600 {
		t.Errorf("%d tracks, %d of them of layers", tracks, named)
	}
	s := packetSections(t, data)
	queued, others := layerLines(s, "tracks", "Queue "), layerLines(s, "tracks", "Other layers ")
	if queued, others := len(queued), len(others); queued != own+crowd+99*2 || queued-crowd+others != buffers+layers-99 {
		t.Errorf("%d and %d slices", queued, others)
	}
	enginetest.ForTest(t)
	checkEngine(t, data, timeline)
}
