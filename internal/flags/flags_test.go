package flags

import (
	"strings"
	"testing"

	"ohframe/analyzer/trace"
)

func TestParseClockOffset(t *testing.T) {
	if got, err := parseClockOffset("auto"); got != nil || err != nil {
		t.Errorf("auto: %v, %v, want none given", got, err)
	}
	for text, want := range map[string]trace.Duration{
		"none": 0, "0": 0, "4756.467s": 4756_467 * trace.Millisecond, "-5ms": -5 * trace.Millisecond, "1h2m3s": 3723 * trace.Second,
	} {
		if got, err := parseClockOffset(text); err != nil || got == nil || *got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "5 s", "never", "Auto"} {
		if got, err := parseClockOffset(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v, %v, want an error that names it", text, got, err)
		}
	}
}
