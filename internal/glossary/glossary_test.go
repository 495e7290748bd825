package glossary

import (
	"strings"
	"testing"

	"ohframe/analyzer/stats"
)

func TestOf(t *testing.T) {
	for name, want := range map[string]string{
		"late":           "a frame that ended after its deadline, on its thread or on the GPU",
		"render_service": "the process that composes what all applications draw; SurfaceFlinger on Android",
	} {
		if got := Of(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	for name, definition := range terms() {
		if definition == "" || strings.ContainsAny(definition, "`[]|") {
			t.Errorf("%s: %q", name, definition)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("defines what no glossary has")
		}
	}()
	Of("no such term")
}

func TestStage(t *testing.T) {
	if got := Stage(stats.UIWork); got != "from the application frame's actual start to its actual end" {
		t.Error(got)
	}
	for s := stats.Receive; s <= stats.ToPresent; s++ {
		Stage(s)
	}
}
