package pftrace

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
	"ohframe/internal/testing/uicolour"
)

// coloured is a slice of a track as the UI shows it.
type coloured struct {
	track, name, correlation string
	late                     bool // its category
}

func colouredIn(t *testing.T, data []byte) []coloured {
	t.Helper()
	state := newTrackState()
	var list []coloured
	for _, p := range packetsOf(t, data) {
		state.add(p)
		if e := ownEvent(p); e.GetType() == perfettopb.TrackEvent_TYPE_SLICE_BEGIN {
			d := state.tracks[e.GetTrackUuid()]
			track := d.GetName()
			switch parent := state.tracks[d.GetParentUuid()]; {
			case d.ParentUuid == nil:
			case parent.GetName() == "Layers":
				track = "Layers"
			case parent.ParentUuid != nil && state.tracks[parent.GetParentUuid()].GetName() == "Layers":
				track = "Layers, " + track
			}
			for _, base := range []string{"Frames", "Why", "Waited for"} {
				if strings.HasPrefix(track, base+" (") {
					track = base // of a worker
				}
			}
			list = append(list, coloured{track, state.sliceName(e), state.correlations[e.GetCorrelationIdStrIid()], len(e.GetCategoryIids()) > 0})
		}
	}
	return list
}

// hues are the names of slices on a track, and the hues that they may have in degrees. The
// first name that matches decides.
var hues = []struct {
	track, name string
	from, to    int // beyond 360 for red
}{
	{"Late frames.*", `\d+ late( ≥)?( \d+\.\d ms)?( · .*)?`, 340, 380},
	{"Late frames.*", `\d+ frames? never began( · .*)?`, 25, 50}, // orange
	{"Late frames.*", `hang (≥ )?\d+\.\d ms · .*`, 25, 50},       // orange
	{"Late frames.*", `no late frame of \d+.*`, 180, 265},
	{"Frames|Whole frame actual|GPU .*", `\d+ late( \d+\.\d ms)?`, 340, 380},
	{"Whole frame actual", `\d+ picked up (1 vsync|\d+ vsyncs) late`, 340, 380},
	{"Frames", `\d+ misaligned`, 45, 80},           // yellow
	{"Frames|Whole frame actual", `\d+`, 100, 210}, // green to teal
	{"Whole frame expected|Commit", `\d+`, 160, 210},
	{"GPU .*|Present", `\d+`, 215, 265}, // blue
	{"Hitches", `hitch \d+\.\d ms`, 25, 50},
	{"Report", `\d+ frames?(, jank \d+(\.\d)? %)?(, \d+\.\d fps)?`, 180, 265},
	{"Interactions", `[A-Z0-9_]+ #\d+, \d+ late`, 45, 80},                    // amber
	{"Interactions", `(cold|warm|hot) launch #\d+|[A-Z0-9_]+ #\d+`, 45, 210}, // to teal
	{"Interactions", `response \d+\.\d ms|animation \d+\.\d ms`, 45, 265},    // amber to blue
	{"Interactions", `before the first frame|[A-Z].*`, 160, 210},             // teal
	{"Hangs", `(severe )?hang \d+\.\d ms`, 25, 50},                           // orange
	{"Refresh rate", `(60|90) Hz.*`, 45, 80},                                 // amber
	{"Refresh rate", `120 Hz.*`, 180, 265},                                   // blue
	{"Never began", `\d+ frames? never began`, 25, 50},                       // orange
	{"Components", `\d+ components?(, \d+ never reused)?`, 180, 265},
	{"Draw|GPU", `\d+ late \d+\.\d ms`, 340, 380},
	{"Draw|GPU|Layers, (GPU|Queue)", `\d+|buffer`, 215, 265}, // blue
	{"Layers, Queue", `(\d+|buffer) dropped`, 265, 300},      // purple
	{"Layers, Queue", `(\d+|buffer) waiting`, 180, 210},      // teal
	{"Layers, Waiting for a buffer", `\d+|buffer`, 25, 50},   // orange
	{"Layers", `\d+ shown.*`, 180, 265},                      // blue
	{"Layers", `\d+ late \d+\.\d ms( · .*)?`, 340, 380},
	{"Layers", `\d+ early`, 45, 80},    // amber
	{"Layers", `\d+ long`, 80, 100},    // yellow green
	{"Layers", `\d+|buffer`, 100, 210}, // green to teal
	{"Why", `running · .*`, 115, 145},  // green
	{"Why|Waited for", `.+`, 21, 330},  // neither red nor pink
}

// Late slices are red, and no others. On a track, what is the same has one colour, and
// what differs has different ones, whatever else the names say.
func TestColours(t *testing.T) {
	slow.SkipRace(t)
	texts := map[string]string{"frames": caseTrace(t, "frames"), "tracks": caseTrace(t, "tracks")}
	for _, path := range []string{"../../testdata/demo.ftrace", "../../testdata/why/waits.ftrace"} {
		texts[path] = tracetest.Read(t, path)
	}
	var text bytes.Buffer
	must.Get(simulate.Write(&text, simulate.Everything()))(t)
	texts["everything"] = text.String()
	for name, config := range map[string]simulate.Config{"scenes": simulate.Scenes(), "demonstration": simulate.Demonstration(), "layered": simulate.Layered()} {
		text.Reset()
		must.Get(simulate.Write(&text, config))(t)
		texts[name] = text.String()
	}
	for i, cause := range simulate.Causes() {
		text.Reset()
		must.Get((simulate.Scene{Kernel: simulate.KernelLinux, Cause: simulate.Cause(cause), Seed: uint64(i)}).Generate(&text))(t)
		texts[cause] = text.String()
	}
	texts["items"] = `
example-200 (200) [001] .... 1.000100: print: B|200|H:CustomNode:BuildItem [Card][self:38][parent:37]
example-200 (200) [001] .... 1.000200: print: E|200
`
	used := map[string]map[uicolour.Colour]string{} // correlation ids by colour, by track
	found := map[string]int{}
	traces := map[string][]byte{"layers": convertTimeline(t, tracetest.Layers())}
	for name, text := range texts {
		traces[name], _ = convert(t, text, Options{Analysis: analysis.Options{Causes: true}})
	}
	for name, data := range traces {
		for _, s := range colouredIn(t, data) {
			colour := uicolour.Of(s.name, s.correlation)
			if s.correlation == "" || colour.Red() != s.late {
				t.Errorf("%s: %s %q, correlation id %q: %v, late %t", name, s.track, s.name, s.correlation, colour, s.late)
			}
			if used[s.track] == nil {
				used[s.track] = map[uicolour.Colour]string{}
			}
			if other, taken := used[s.track][colour]; taken && other != s.correlation {
				t.Errorf("%s: %q and %q have one colour", s.track, s.correlation, other)
			}
			used[s.track][colour] = s.correlation
			rule := ""
			for _, h := range hues {
				if !regexp.MustCompile("^("+h.track+")$").MatchString(s.track) || !regexp.MustCompile("^("+h.name+")$").MatchString(s.name) {
					continue
				}
				if rule = h.track + ": " + h.name; (colour.Hue < h.from || colour.Hue > h.to) && colour.Hue+360 > h.to {
					t.Errorf("%s: %s %q: %v, want %d to %d degrees", name, s.track, s.name, colour, h.from, h.to)
				}
				break
			}
			if rule == "" {
				t.Errorf("%s: unknown name %q on %s", name, s.name, s.track)
			}
			found[rule]++
		}
	}
	for _, h := range hues {
		if found[h.track+": "+h.name] == 0 {
			t.Errorf("no slice on %s is named %s", h.track, h.name)
		}
	}
}
