package condition

import (
	"fmt"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// layer returns a layer of a process, which is unknown if it is empty, with a cadence of 33 ms.
func layer(id int, process, name string, fps float64) *stats.Layer {
	l := &stats.Layer{ID: id, Name: name, Buffers: 30, Shown: 30, Cadence: known(33), FPS: known(fps), UnevenRate: known(.02), Source: &analyzer.Layer{ID: id, Name: name}}
	if process != "" {
		pid := trace.PID(7)
		l.Process, l.PID = &process, &pid
	}
	return l
}

// surfaces are the layers of a trace: two videos of one process, one of an unknown process, and
// a user interface without a cadence.
func surfaces() *stats.Report {
	panel := layer(4, "player", "panel:1", 3)
	panel.Cadence, panel.UnevenRate, panel.QueueP50 = nil, nil, known(2)
	return &stats.Report{Layers: []*stats.Layer{
		layer(1, "player", "SurfaceView[a,b](X)#12", 29.5), layer(2, "player", "preview", 24), layer(3, "", "Shell_10aa7df \x1b", 30), panel,
	}}
}

// A condition fails if any of its layers is beyond the limit: of all, those with a cadence.
func TestCheckLayers(t *testing.T) {
	all := []*analyzer.Process{{PID: 9, Name: "render_service"}, {PID: 7, Name: "player"}}
	for conditions, want := range map[string][]string{
		"layer.fps<29": {
			"failed player: layer.fps<29: 24.0 in layer 2 (preview); 1 of 2 are beyond the limit",
			`passed layer.fps<29: 30.0 in layer 3 ("Shell_10aa7df \x1b")`,
		},
		"layer.uneven>1%":                     {"failed player: layer.uneven>1%: 2.0 % in layer 1 (SurfaceView[a,b](X)#12); 2 of 2 are beyond the limit", `failed layer.uneven>1%: 2.0 % in layer 3 ("Shell_10aa7df \x1b")`},
		"player: layer.fps<24":                {"passed player: layer.fps<24: 24.0 in layer 2 (preview), the worst of 2"},
		"layer(surfaceview*#1?).fps<29":       {"passed player: layer(surfaceview*#1?).fps<29: 29.5 in layer 1 (SurfaceView[a,b](X)#12)"},
		"layer(Surface*Shell).fps<29":         {`unknown layer(Surface*Shell).fps<29: no layer in the trace has this name; it has SurfaceView[a,b](X)#12, preview, "Shell_10aa7df \x1b", panel:1`},
		"player: layer(Shell).fps<29":         {`unknown player: layer(Shell).fps<29: no layer of player in the trace has this name; it has SurfaceView[a,b](X)#12, preview, panel:1`},
		"layer(panel:1).fps<4":                {"failed player: layer(panel:1).fps<4: 3.0 in layer 4 (panel:1)"},
		"layer(panel).uneven>1%":              {"unknown player: layer(panel).uneven>1%: unknown in layer 4 (panel:1): the layer has no cadence"},
		"layer(panel).queue_p95_ms>5":         {"unknown player: layer(panel).queue_p95_ms>5: unknown in layer 4 (panel:1): fewer than 20 buffers"},
		"player: layer(pre).request_p95_ms>5": {"unknown player: layer(pre).request_p95_ms>5: unknown in layer 2 (preview)"},
		"7: layer(Surface).fps<29":            {"passed player: layer(Surface).fps<29: 29.5 in layer 1 (SurfaceView[a,b](X)#12)"},
		"layer(2).fps<25":                     {"failed player: layer(2).fps<25: 24.0 in layer 2 (preview)"},
		"layer(SurfaceView[a,b](X)#*).fps<29": {"passed player: layer(SurfaceView[a,b](X)#*).fps<29: 29.5 in layer 1 (SurfaceView[a,b](X)#12)"},
		"render*: layer.fps<5":                {"unknown render*: layer.fps<5: not among the selected processes"},
		"camera: layer.fps<5":                 {"unknown camera: layer.fps<5: no process with frames matches; the trace has render_service, player"},
	} {
		var got []string
		for _, c := range parsed(t, conditions, OfValues).CheckReport("", surfaces(), all) {
			got = append(got, fmt.Sprintf("%s %s", c.Status, c))
		}
		must.EqualSlices(t, got, want, "%s", conditions)
	}
	for want, r := range map[string]*stats.Report{
		"layer.fps<5: no layers": {},
		"layer.fps<5: no layer in the trace has a cadence; layer(NAME) selects one": {Layers: surfaces().Layers[3:]},
		"layer.fps<5: unknown in layer 1 (x): no buffer was shown":                  {Layers: []*stats.Layer{{ID: 1, Name: "x", Cadence: known(1)}}},
		"layer.fps<5: unknown in layer 1 (x): fewer than two present times":         {Layers: []*stats.Layer{{ID: 1, Name: "x", Cadence: known(1), Shown: 2}}},
	} {
		if c := parsed(t, "layer.fps<5", OfValues).CheckReport("", r, nil); len(c) != 1 || c[0].Status != Unknown || c[0].String() != want {
			t.Errorf("%v, want %s", c, want)
		}
	}
}

// A producer without a name has an id.
func TestCheckLayersOfUnnamed(t *testing.T) {
	l, pid := layer(1, "", "x", 30), trace.PID(8)
	l.PID = &pid
	for condition, want := range map[string]Status{"8: layer.fps<31": Failed, "7: layer.fps<31": Unknown, "layer.fps<31": Failed} {
		if c := parsed(t, condition, OfValues).CheckReport("", &stats.Report{Layers: []*stats.Layer{l}}, nil); len(c) != 1 || c[0].Status != want {
			t.Errorf("%s: %v, want %s", condition, c, want)
		}
	}
}

// A condition on the frames of a process that has only layers says how to write one on these.
func TestCheckProcessWithLayers(t *testing.T) {
	r := &stats.Report{Layers: []*stats.Layer{layer(1, "com.example.kmp", "com.example.kmp outside frames", 30)}, Processes: []*stats.Process{{Name: "render_service", Frames: stats.Counts{Complete: 9}}}}
	for condition, want := range map[string]string{
		"com.example.kmp: jank_rate>5%": "no process with frames matches; layer com.example.kmp outside frames does: write layer.late",
		"com.example.kmp: fps<50":       "no process with frames matches; layer com.example.kmp outside frames does: write layer.fps",
		"com.example.xyz: jank_rate>5%": "no process with frames matches",
	} {
		c := parsed(t, condition, OfValues).CheckReport("", r, nil)
		must.Equal(t, len(c), 1)
		must.Equal(t, c[0].Status, Unknown)
		must.Equal(t, c[0].Text, want)
	}
}

// The hint of an error about layers lists the measures.
func TestLayerNames(t *testing.T) {
	for _, name := range stats.LayerMeasures.Names() {
		must.Contain(t, layerHint, name)
	}
}
