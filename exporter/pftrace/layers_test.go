package pftrace

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
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

// The track that has those of layers below it shows late buffers of all layers, so that they are in sight when
// it is collapsed: of those that overlap, the one that lost most.
func TestLateBuffersOfLayers(t *testing.T) {
	data, _ := convert(t, simulated(t, simulate.Layered()), Options{Analysis: analysis.Options{Causes: true}})
	type late struct {
		from, to int64
		ms       float64
		name     string
	}
	line := regexp.MustCompile(`^(.*?) (\d+)\.\.(\d+) (\d+ late (\d+\.\d) ms)(?: · (.*? \(.*?\)))?`)
	var shown, below []late
	for _, text := range packetSections(t, data)["tracks"] {
		m := line.FindStringSubmatch(text)
		if m == nil || strings.HasPrefix(text, "Late frames") {
			continue
		}
		l := late{must.Get(strconv.ParseInt(m[2], 10, 64))(t), must.Get(strconv.ParseInt(m[3], 10, 64))(t), must.Get(strconv.ParseFloat(m[5], 64))(t), m[4]}
		switch {
		case m[1] == "Layers":
			l.name += " · " + m[6]
			shown = append(shown, l)
		case strings.HasSuffix(m[1], ")") && !strings.Contains(m[1], " Frames"): // a layer with its producer
			l.name += " · " + m[1]
			below = append(below, l)
		}
	}
	if len(shown) == 0 || len(below) <= len(shown) {
		t.Fatalf("%d late buffers are shown of %d", len(shown), len(below))
	}
	for _, l := range shown {
		must.Equal(t, slices.Contains(below, l), true, "%v has a slice of its own", l)
	}
	for _, l := range below {
		if !slices.ContainsFunc(shown, func(s late) bool { return s == l || s.from < l.to && l.from < s.to && s.ms >= l.ms }) {
			t.Errorf("%v is not shown, and no worse one in its place", l)
		}
	}
}
