package exporter

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/tracetest"
)

// Perfetto skips the packet with the result: a trace without it has the same tables and the
// same statistics.
func TestResultIsSkipped(t *testing.T) {
	enginetest.ForTest(t)
	output, _ := convert(t, tracetest.Read(t, "../testdata/demo.ftrace"), Options{Causes: true})
	var trace perfettopb.Trace
	if err := proto.Unmarshal(output, &trace); err != nil {
		t.Fatal(err)
	}
	all := len(trace.Packet)
	trace.Packet = slices.DeleteFunc(trace.Packet, func(p *perfettopb.TracePacket) bool { return isResult(p.ProtoReflect().GetUnknown()) })
	if len(trace.Packet) != all-1 {
		t.Fatalf("%d of %d packets are without the result", len(trace.Packet), all)
	}
	without, err := proto.Marshal(&trace)
	if err != nil {
		t.Fatal(err)
	}
	with, other := enginetest.Load(t, output), enginetest.Load(t, without)
	read := func(sql string) {
		t.Helper()
		if got, want := query(t, with, sql), query(t, other, sql); !slices.Equal(got, want) {
			t.Errorf("%s: %v, without the result %v", sql, got, want)
		}
	}
	read("SELECT name, idx, severity, source, value FROM stats WHERE name NOT GLOB '*_duration_ns'")
	read("SELECT name, str_value, int_value FROM metadata WHERE name NOT IN ('trace_size_bytes')")
	for _, table := range []string{"slice", "args", "track", "thread", "process", "sched", "thread_state", "ftrace_event", "counter", "clock_snapshot", "actual_frame_timeline_slice", "flow"} {
		read("SELECT count() FROM " + table)
	}
}
