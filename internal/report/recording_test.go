package report

import (
	"encoding/json"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/record/meta"
	"ohframe/internal/testing/must"
)

// A report says how the trace was recorded, in every format for people and in JSON.
func TestRecording(t *testing.T) {
	m := &meta.Meta{App: &meta.App{Bundle: "com.example.app"}, Device: meta.Device{Model: "evil\x1b[2J", System: "<b>6.0", RefreshHz: 120}, Clock: "mono",
		DebugUI: []string{"persist.ace.debug.enabled=1"}}
	in := []Input{{Name: "a", Stats: &stats.Report{}, Recording: NewRecording(m)}}

	if got, want := write(t, in, "table", Options{}), "com.example.app · \"evil\\x1b[2J\" · <b>6.0 · 120 Hz · clock mono ·"; !strings.Contains(got, want) {
		t.Errorf("table: got %q, want %q", got, want)
	}
	if got, want := write(t, in, "html", Options{}), "com.example.app · &#34;evil\\x1b[2J&#34; · &lt;b&gt;6.0 · 120 Hz · clock mono · slowed down by ArkUI&#39;s debug parameters"; !strings.Contains(got, want) {
		t.Errorf("html: %q is not in %q", want, got)
	}
	var document struct {
		Inputs []struct{ Recording map[string]any }
	}
	must.Do(t, json.Unmarshal([]byte(write(t, in, "json", Options{})), &document))
	for name, want := range map[string]any{
		"app": "com.example.app", "app_version": nil, "device_model": "evil\x1b[2J", "device_system": "<b>6.0", "refresh_hz": 120.0, "clock": "mono", "debug_ui": true,
	} {
		if got, ok := document.Inputs[0].Recording[name]; !ok || got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if NewRecording(nil) != nil {
		t.Error("a trace without a description has one")
	}
}
