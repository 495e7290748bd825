package text

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/testing/must"
)

// Seconds are rounded, down only if the hang is longer.
func TestHangLength(t *testing.T) {
	h := analyzer.Hang{Interval: analyzer.Interval{Start: 1e9, End: 2199900000}}
	must.Equal(t, HangLength(&h), "1.2 s")
	h.EndCut = analyzer.TraceEdge
	must.Equal(t, HangLength(&h), "at least 1.1 s, to the end of the trace")
}
