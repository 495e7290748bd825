package hitrace

import (
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// The column that stated a process last counts, also one that says 0, the idle threads.
func TestProcessesFollowColumns(t *testing.T) {
	var p processes
	var seen []trace.PID
	for _, column := range []trace.PID{5, 0, 5, trace.UnknownPID, 0, trace.UnknownPID, 7, 5, 7, trace.UnknownPID} {
		event := []Event{{Line: Line{TID: 100, PID: column}, Kind: MarkerEvent, Marker: Marker{Phase: Begin, PID: 5}}}
		p.set(event, 0, 1)
		seen = append(seen, event[0].Process)
	}
	must.EqualSlices(t, seen, []trace.PID{5, 0, 5, 5, 0, 0, 7, 5, 7, 7})
}
