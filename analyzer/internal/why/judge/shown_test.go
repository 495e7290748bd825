package judge

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// The way of a frame to the display is known only if the display showed it after the frame began, which is
// not so in a damaged trace.
func TestPassing(t *testing.T) {
	for present, want := range map[trace.Time]bool{105: false, 110: false, 140: true} {
		f := &analyzer.Frame{
			Kind: analyzer.RenderFrame, Actual: analyzer.Interval{Start: 110, End: 120},
			Commit: analyzer.Interval{Start: 102, End: 104}, Present: present,
		}
		if p := newPassing(f, 100); (p != nil) != want {
			t.Errorf("begun at 110, shown at %d: %+v", present, p)
		}
	}
}
