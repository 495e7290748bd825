package analyzer

import "testing"

// Offsets of a window count from the start of the trace, before and after a cut.
func TestOriginOfACut(t *testing.T) {
	timeline := &Timeline{Span: Interval{100, 200}}
	timeline.Cut(110, 190)
	timeline.Cut(120, 180)
	if timeline.Span != (Interval{120, 180}) || timeline.Origin() != 100 {
		t.Errorf("span %v, origin %d", timeline.Span, timeline.Origin())
	}
}
