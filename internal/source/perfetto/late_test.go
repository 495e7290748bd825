package perfetto_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/testing/must"
)

// Older versions of Android write no severity.
func TestNoSeverity(t *testing.T) {
	for v, want := range map[verdict]analyzer.JankSeverity{fine: analyzer.SeverityNone, appLate: analyzer.SeverityUnknown} {
		m := &made{}
		e := actualSurface(1, 2, 3, app, "TX", v)
		e.GetActualSurfaceFrameStart().JankSeverityType = nil
		m.event(10, e)
		m.end(20, 1)
		timeline, _ := read(t, m.bytes)
		must.Equal(t, timeline.Frames[0].Verdict().Severity, want, "%s: severity", v.jank)
	}
}
