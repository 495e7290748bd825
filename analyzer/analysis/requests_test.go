package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// A request has the slice in which the thread that receives the vsyncs was for 0.5 ms when it arrived: not one that
// began just before, and none after the end of the frame.
func TestSlicesOfRequests(t *testing.T) {
	var text strings.Builder
	mark := func(at trace.Duration, tid, pid int, marker string) {
		fmt.Fprintf(&text, "thread-%d ( %d) [001] .... 100.%06d: tracing_mark_write: %s\n", tid, pid, at/trace.Microsecond, marker)
	}
	const ms = trace.Millisecond
	slice := func(at trace.Duration, tid, pid int, name string) {
		mark(at, tid, pid, fmt.Sprintf("B|%d|H:%s", pid, name))
	}
	end := func(at trace.Duration, tid, pid int) { mark(at, tid, pid, fmt.Sprintf("E|%d", pid)) }
	ask := func(at trace.Duration) {
		slice(at, 1305, 1027, "Ticker_RequestNextVSync")
		end(at+2*trace.Microsecond, 1305, 1027)
	}
	slice(10*ms, 3050, 3000, "ReceiveVsync name:Ticker dataCount: 24bytes now: 100010000000 expectedEnd: 100026000000 vsyncId: 10, fd:4")
	slice(11*ms, 3050, 3000, "Tick::OnVsync")
	ask(11*ms + 400*trace.Microsecond) // Tick has just begun
	ask(12 * ms)
	slice(12*ms+100*trace.Microsecond, 3050, 3000, "Tick::Log")
	ask(12*ms + 200*trace.Microsecond)
	end(12*ms+300*trace.Microsecond, 3050, 3000)
	end(13*ms, 3050, 3000)
	end(14*ms, 3050, 3000)
	ask(14*ms + 50*trace.Microsecond)
	result := must.Get(analysis.Run(t.Context(), strings.NewReader(text.String()), hitrace.Options{}, analysis.FrameOptions{}, analysis.Options{Causes: true}))(t)
	must.Equal(t, len(result.Timeline.Requesters), 1)
	var got []string
	for _, a := range result.Timeline.Requesters[0].Asked {
		got = append(got, a.Slice)
	}
	must.EqualSlices(t, got, []string{"ReceiveVsync", "Tick::OnVsync", "Tick::OnVsync", ""})
}
