package ftrace

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/internal/perfettopb"
)

// The fields that are encoded by hand have the numbers of the schema.
func TestFieldNumbers(t *testing.T) {
	type fields map[protoreflect.Name]protoreflect.FieldNumber
	for _, test := range []struct {
		message protoreflect.ProtoMessage
		fields  fields
	}{
		{(*perfettopb.TracePacket)(nil), fields{"ftrace_events": packetFtraceEvents}},
		{(*perfettopb.FtraceEventBundle)(nil), fields{
			"cpu": bundleCPU, "event": bundleEvent, "compact_sched": bundleCompactSched,
		}},
		{(*perfettopb.FtraceEventBundle_CompactSched)(nil), fields{
			"intern_table": compactInternTable, "switch_timestamp": compactSwitchTimestamp,
			"switch_prev_state": compactSwitchPrevState, "switch_next_pid": compactSwitchNextPID,
			"switch_next_prio": compactSwitchNextPrio, "switch_next_comm_index": compactSwitchNextComm,
			"waking_timestamp": compactWakingTimestamp, "waking_pid": compactWakingPID,
			"waking_target_cpu": compactWakingTargetCPU, "waking_prio": compactWakingPrio,
			"waking_comm_index": compactWakingComm, "waking_common_flags": compactWakingFlags,
		}},
		{(*perfettopb.FtraceEvent)(nil), fields{
			"timestamp": eventTimestamp, "pid": eventPID, "print": eventPrint, "sched_switch": eventSchedSwitch,
			"sched_wakeup": eventSchedWakeup, "sched_waking": eventSchedWaking, "generic": eventGeneric,
		}},
		{(*perfettopb.GenericFtraceEvent)(nil), fields{"event_name": genericEventName, "field": genericField}},
		{(*perfettopb.GenericFtraceEvent_Field)(nil), fields{
			"name": genericFieldName, "str_value": genericFieldStr, "int_value": genericFieldInt,
		}},
		{(*perfettopb.InternedData)(nil), fields{"kernel_symbols": internedKernelSymbols}},
		{(*perfettopb.InternedString)(nil), fields{"iid": internedStringIID, "str": internedStringStr}},
	} {
		message := test.message.ProtoReflect().Descriptor()
		for name, number := range test.fields {
			field := message.Fields().ByName(name)
			if field == nil || field.Number() != number {
				t.Errorf("%s.%s: field %d here, in the schema %v", message.Name(), name, number, field)
			}
		}
	}
}
