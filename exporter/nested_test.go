package exporter

import (
	"io"
	"strings"
	"testing"
)

// What the analyzer makes of a slice that stands in one of its own kind, which it
// takes for a lost end, does not change what is exported: every end has a begin.
func TestNestedSlicesAreExported(t *testing.T) {
	text := ""
	for _, payload := range []string{"B|1|H:UV_TRACE|M0538", "B|1|H:UV_TRACE|M0538", "E|1|M0538", "E|1|M0538", "B|1|H:after|M0538", "E|1|M0538", "E|1|M0538"} {
		text += " worker-2 (1) [000] .... 1.000000: print: " + payload + "\n"
	}
	summary, err := Convert(t.Context(), strings.NewReader(text), io.Discard, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if summary.Exported != 6 || summary.Unmatched != 1 {
		t.Errorf("%d events exported and %d unmatched, want 6 and 1", summary.Exported, summary.Unmatched)
	}
}
