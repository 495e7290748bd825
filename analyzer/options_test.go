package analyzer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

func TestParsePhaseRule(t *testing.T) {
	for text, want := range map[string]analyzer.PhaseRule{"expected": analyzer.PhaseExpected, "actual": analyzer.PhaseActual} {
		if got, err := analyzer.ParsePhaseRule(text); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "Actual", "both"} {
		if got, err := analyzer.ParsePhaseRule(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %d, %v, want an error that names it", text, got, err)
		}
	}
	if (analyzer.Options{}).PhaseRule != analyzer.PhaseExpected {
		t.Error("expected times are not the default")
	}
}

func TestParseClockOffset(t *testing.T) {
	if got, err := analyzer.ParseClockOffset("auto"); got != nil || err != nil {
		t.Errorf("auto: %v, %v, want none given", got, err)
	}
	for text, want := range map[string]trace.Duration{
		"none": 0, "0": 0, "4756.467s": 4756_467 * trace.Millisecond, "-5ms": -5 * trace.Millisecond, "1h2m3s": 3723 * trace.Second,
	} {
		if got, err := analyzer.ParseClockOffset(text); err != nil || got == nil || *got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "5 s", "never", "Auto"} {
		if got, err := analyzer.ParseClockOffset(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v, %v, want an error that names it", text, got, err)
		}
	}
}

// A process gets the full name that its own is the end of, if its own was cut.
func TestFullNames(t *testing.T) {
	text := "# tracer: nop\n"
	for i, comm := range []string{"example.gallery", "m.example.notes", "short.name", "xexample.gallery"[:15]} {
		text += fmt.Sprintf("%16s-%-5d (%5d) [000] ....   100.00000%d: tracing_mark_write: I|%d|x\n", comm, 10+i, 10+i, i, 10+i)
	}
	timeline, _, err := analyzer.Analyze(t.Context(), strings.NewReader(text), hitrace.Options{}, analyzer.Options{
		FullNames: []string{"com.example.gallery", "a.short.name", "example.gallery"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range timeline.Processes {
		names = append(names, p.Name)
	}
	if want := []string{"com.example.gallery", "m.example.notes", "short.name", "xexample.galler"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
