package perfetto

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/analyzer"
	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
)

// The field numbers are the schema's.
func TestFieldNumbers(t *testing.T) {
	packet := (&perfettopb.TracePacket{}).ProtoReflect().Descriptor().Fields()
	for name, number := range map[protoreflect.Name]protowire.Number{
		"process_tree": packetProcessTree, "clock_snapshot": packetClockSnapshot, "timestamp": packetTimestamp,
		"compressed_packets": packetCompressed, "timestamp_clock_id": packetClockID,
		"frame_timeline_event": packetFrameTimeline, "trace_attributes": packetAttributes, "system_info": packetSystemInfo,
		"ftrace_events": packetKernelEvents, "trusted_packet_sequence_id": packetSequence, "interned_data": packetInterned,
	} {
		must.Equal(t, packet.ByName(name).Number(), number, "%s is field", name)
	}
	for _, m := range []struct {
		message proto.Message
		fields  map[protoreflect.Name]protowire.Number
	}{
		{&perfettopb.ProcessTree{}, map[protoreflect.Name]protowire.Number{"processes": treeProcess, "threads": treeThread}},
		{&perfettopb.ProcessTree_Process{}, map[protoreflect.Name]protowire.Number{"pid": processPID, "cmdline": processCommand}},
		{&perfettopb.ProcessTree_Thread{}, map[protoreflect.Name]protowire.Number{"tid": threadTID, "tgid": threadTGID, "name": threadName}},
		{&perfettopb.ClockSnapshot{}, map[protoreflect.Name]protowire.Number{"clocks": snapshotClock}},
		{&perfettopb.ClockSnapshot_Clock{}, map[protoreflect.Name]protowire.Number{"clock_id": clockID, "timestamp": clockTimestamp}},
		{&perfettopb.SystemInfo{}, map[protoreflect.Name]protowire.Number{"utsname": systemNames}},
		{&perfettopb.Utsname{}, map[protoreflect.Name]protowire.Number{"sysname": systemName}},
		{&perfettopb.TraceAttributes{}, map[protoreflect.Name]protowire.Number{"attribute": attributesAttribute}},
		{&perfettopb.FtraceEventBundle{}, map[protoreflect.Name]protowire.Number{"cpu": bundleCPU, "event": bundleEvent, "compact_sched": bundleCompact}},
		{&perfettopb.FtraceEventBundle_CompactSched{}, map[protoreflect.Name]protowire.Number{
			"switch_timestamp": compactSwitchAt, "switch_prev_state": compactState, "switch_next_pid": compactNext, "switch_next_prio": compactNextPrio,
			"intern_table": compactStrings, "switch_next_comm_index": compactNextComm, "waking_timestamp": compactWakingAt, "waking_pid": compactWaking,
			"waking_target_cpu": compactTarget, "waking_prio": compactPrio, "waking_comm_index": compactComm, "waking_common_flags": compactFlags,
		}},
		{&perfettopb.FtraceEvent{}, map[protoreflect.Name]protowire.Number{
			"timestamp": eventTimestamp, "pid": eventPID, "print": eventPrint,
		}},
		{&perfettopb.InternedData{}, map[protoreflect.Name]protowire.Number{"kernel_symbols": internedSymbols}},
		{&perfettopb.InternedString{}, map[protoreflect.Name]protowire.Number{"iid": symbolID, "str": symbolText}},
		{&perfettopb.TraceAttributes_Attribute{}, map[protoreflect.Name]protowire.Number{"key": attributeKey}},
	} {
		descriptor := m.message.ProtoReflect().Descriptor()
		for name, number := range m.fields {
			must.Equal(t, descriptor.Fields().ByName(name).Number(), number, "%s.%s is field", descriptor.Name(), name)
		}
	}
	must.Equal(t, (&perfettopb.Trace{}).ProtoReflect().Descriptor().Fields().ByName("packet").Number(), tracePacket, "packet is field")
}

// The analyzer's own enumerations have the schema's values.
func TestEnumerations(t *testing.T) {
	for name, value := range map[string]analyzer.JankType{
		"JANK_NONE": analyzer.JankNone, "JANK_SF_SCHEDULING": analyzer.JankSFScheduling,
		"JANK_PREDICTION_ERROR": analyzer.JankPredictionError, "JANK_DISPLAY_HAL": analyzer.JankDisplayHAL,
		"JANK_SF_CPU_DEADLINE_MISSED": analyzer.JankSFCPUDeadlineMissed, "JANK_SF_GPU_DEADLINE_MISSED": analyzer.JankSFGPUDeadlineMissed,
		"JANK_APP_DEADLINE_MISSED": analyzer.JankAppDeadlineMissed, "JANK_BUFFER_STUFFING": analyzer.JankBufferStuffing,
		"JANK_UNKNOWN": analyzer.JankUnknown, "JANK_SF_STUFFING": analyzer.JankSFStuffing, "JANK_DROPPED": analyzer.JankDropped,
		"JANK_NON_ANIMATING": analyzer.JankNonAnimating, "JANK_APP_RESYNCED_JITTER": analyzer.JankAppResyncedJitter,
		"JANK_DISPLAY_NOT_ON": analyzer.JankDisplayNotOn, "JANK_DISPLAY_MODE_CHANGE_IN_PROGRESS": analyzer.JankDisplayModeChange,
		"JANK_DISPLAY_POWER_MODE_CHANGE_IN_PROGRESS": analyzer.JankDisplayPowerModeChange,
	} {
		if got := perfettopb.FrameTimelineEvent_JankType_value[name]; got != int32(value) {
			t.Errorf("%s is %d, not %d", name, got, value)
		}
	}
	if n := len(perfettopb.FrameTimelineEvent_JankType_value); n != 17 {
		t.Errorf("%d jank types, want 16 and the unspecified", n)
	}
	check := func(name string, got, want int32) {
		must.Equal(t, got, want, "%s", name)
	}
	check("PRESENT_ON_TIME", int32(perfettopb.FrameTimelineEvent_PRESENT_ON_TIME), int32(analyzer.PresentOnTime))
	check("PRESENT_LATE", int32(perfettopb.FrameTimelineEvent_PRESENT_LATE), int32(analyzer.PresentLate))
	check("PRESENT_EARLY", int32(perfettopb.FrameTimelineEvent_PRESENT_EARLY), int32(analyzer.PresentEarly))
	check("PRESENT_DROPPED", int32(perfettopb.FrameTimelineEvent_PRESENT_DROPPED), int32(analyzer.PresentDropped))
	check("PRESENT_UNKNOWN", int32(perfettopb.FrameTimelineEvent_PRESENT_UNKNOWN), int32(analyzer.PresentUnknown))
	check("PREDICTION_VALID", int32(perfettopb.FrameTimelineEvent_PREDICTION_VALID), int32(analyzer.PredictionValid))
	check("PREDICTION_EXPIRED", int32(perfettopb.FrameTimelineEvent_PREDICTION_EXPIRED), int32(analyzer.PredictionExpired))
	check("PREDICTION_UNKNOWN", int32(perfettopb.FrameTimelineEvent_PREDICTION_UNKNOWN), int32(analyzer.PredictionUnknown))
	check("SEVERITY_NONE", int32(perfettopb.FrameTimelineEvent_SEVERITY_NONE), int32(analyzer.SeverityNone))
	check("SEVERITY_PARTIAL", int32(perfettopb.FrameTimelineEvent_SEVERITY_PARTIAL), int32(analyzer.SeverityPartial))
	check("SEVERITY_FULL", int32(perfettopb.FrameTimelineEvent_SEVERITY_FULL), int32(analyzer.SeverityFull))
}
